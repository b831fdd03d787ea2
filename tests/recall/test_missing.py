"""Does recall say when its best hits leave out whom, where or when a question asks about?"""

import pytest

from h3cold.recall.missing import asked_names, marks_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("How many students were assessed in Brazil?", ["Brazil"]),
        ("How many schools did South Korea and the U.S. have?", ["South Korea", "U.S"]),
        ("Which Korean company was acquired?", []),
        ("What Net Sales Were Reported In The Year?", []),
        ("Write down the total. Answer with a list.", []),
        ("the captain of the Germanwings flight", ["Germanwings"]),
        ("巴西有多少学生接受了评估？", ["巴西"]),
        ("In Brazil, how many students were assessed?", ["Brazil"]),
        ("In Türkiye, how many students were assessed?", ["Türkiye"]),
        ("明治29年台湾总督府补助哪儿的商船？", []),
    ],
)
def test_names_in_a_question(text, names):
    assert [name.written for name in asked_names(text)] == names


@pytest.mark.parametrize(
    ("asked", "said"),
    [("Vietnam", "viet nam"), ("Viet Nam", "vietnam"), ("Turkey", "türkiye"), ("Czech Republic", "czechia"),
     ("Ivory Coast", "côte d'ivoire"), ("Swaziland", "eswatini"), ("Burma", "myanmar"), ("Viet Nam", "越南")],
)  # fmt: skip
def test_a_country_has_all_its_spellings(asked, said):
    assert said in asked_names(f"How many students were assessed in {asked}?")[0].forms


def test_a_name_that_is_said_is_not_asked_for():
    assert asked_names("the captain of the Germanwings flight", lambda words: "Germanwings" in words) == []


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("What net cash did operating activities provide in Brazil?", "Brazil"),
        ("rise in the price of steel in Norway", "Norway"),
        ("operating activities of Acme and Bronwen Lattimer", "Bronwen Lattimer"),
    ],
)
def test_what_none_of_the_best_says_is_told(tier, query, name):
    hits = tier.recall(query)
    assert hits and not hits.fits and f"none of the best says {name};" in hits[0].reason


@pytest.mark.parametrize(
    "query", ["rise in the price of steel", "Net Cash Provided by Operations of Acme in 2022", "总部位于北京的公司"]
)
def test_what_is_said_is_not_missed(tier, query):
    hits = tier.recall(query)
    assert hits.fits and "none of the best" not in hits[0].reason


def test_what_is_called_by_letters_and_digits_is_asked_for(tier):
    assert marks_in("Run time of CG.B.2 and A-135 in 2019Q3, H1 and FY12") == ["CG.B.2", "A-135"]
    assert marks_in("测试程序SP.C.4的时间") == ["SP.C.4"]
    hits = tier.recall("rise in the price of steel for plant SP.C.4")
    assert not hits.fits and "none of the best says SP.C.4;" in hits[0].reason
