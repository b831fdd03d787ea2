"""What recall makes of a question before it looks anywhere: synonyms, intent, names, and what it refuses."""

import json
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.recall.benchmark import intent_figures
from h3cold.recall.bilingual import Name, other_names
from h3cold.recall.catalog import make_catalog, spend, weigh, whose
from h3cold.recall.cold_tier import ColdTier
from h3cold.recall.foreign import other_places
from h3cold.recall.glossary import Concept, concepts
from h3cold.recall.intent import SEEN, SURE, guess
from h3cold.recall.periods import find_periods
from h3cold.recall.places import LAST, named_pages, named_parts
from h3cold.recall.query import LONGEST, check_intent, check_request, check_top, clean_query, is_cut
from h3cold.recall.relative import Now
from h3cold.recall.structure import answer_in
from h3cold.recall.understand import understand
from h3cold.schemas.errors import QueryError, UsageError
from h3cold.schemas.hit import INTENTS
from h3cold.schemas.page import Table, make_cells


def test_words_that_ask_are_no_words_of_the_question():
    assert understand("How many employees does Acme have?").words == ("employe", "acm")
    assert understand("How much did Acme pay, and to whom?").words == ("acm", "pay")
    assert not {"谁", "何时", "哪年", "时候"} & set(understand("谁在何时、哪年、什么时候出任董事长？").words)


def test_a_financial_statement_that_is_named_is_a_table():
    for text in ("Acme's consolidated balance sheet in FY19", "statements of cash flows", "Acme 利润表"):
        assert understand(text).kinds == ("table",)
    assert not understand("Which statements of the chairman mention cash?").kinds


def test_what_is_worked_out_weighs_less_than_what_is_stated():
    question = understand("What percentage did net sales change?")
    assert question.spent == {"percentag", "chang"}
    assert not understand("What changed?").spent


@given(st.text(max_size=200))
def test_any_text_can_be_understood(text):
    find_periods(text, now=Now(2020, 2020))
    concepts(text)
    assert sum(guess(text).shares.values()) == pytest.approx(1)
    question = understand(text)
    assert len({t for t, _ in question.terms}) == len(question.terms)
    assert all(" " not in t and t for t, _ in question.terms)


def test_synonyms_cross_languages_and_the_longest_form_wins():
    (met,) = concepts("What was capital expenditure?")
    assert "purchases of property, plant and equipment" in met.others
    assert "资本开支" in met.others
    (met,) = concepts("应收账款周转率")
    assert met.found == "应收账款周转率"
    assert [met.found for met in concepts("total equity securities")] == ["equity security"]
    assert [met.found for met in concepts("total equity of companies")] == ["total equity"]
    terms = dict(understand("2022年资本开支").terms)
    assert terms["2022"] == 1.0
    assert 0 < terms["expenditur"] < terms["资本"]


def test_glossary_has_no_form_twice_on_a_line():
    lines = files("h3cold.recall").joinpath("glossary.txt").read_text(encoding="utf-8").splitlines()
    concepts_ = [[f.strip() for f in line.split("|")] for line in lines if line and not line.startswith("#")]
    assert len(concepts_) > 150
    for forms in concepts_:
        assert len(set(forms)) == len(forms) >= 2 and all(forms), forms


def test_intent_on_the_labelled_queries():
    figures = intent_figures()
    assert min(figures[f"intent {group}"] for group in ("all", "held out", "en", "zh", "hard")) >= 0.95
    assert figures["intent run at all"] >= 0.98


def test_labelled_queries_are_many_and_half_chinese():
    lines = files("h3cold.recall").joinpath("intents.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert len({r["query"] for r in rows}) == len(rows) >= 300
    assert 0.45 <= sum(r["language"] == "zh" for r in rows) / len(rows) <= 0.55
    assert {r["intent"] for r in rows} == set(INTENTS)


def test_an_unsure_question_runs_several_intents_and_a_sure_one_does_not():
    sure = guess("Who owns Acme Holdings?")
    assert sure.intents == ("relation",) and sure.confidence > SURE and "who" in sure.reason
    unsure = guess("控股股东质押股份占比多少")
    assert set(unsure.intents) >= {"structure", "relation"} and unsure.confidence < SURE


def test_a_long_question_is_decided_by_its_head():
    head = "Why did gross margin decline? ".ljust(SEEN)
    assert guess(head + "compare the table of revenue 2019 and 2020 " * 5000) == guess(head)


@pytest.mark.parametrize("query", ["", "   ", "🙂🙂", "?!;--", "\x00\x07", "\u200b", "___"])
def test_a_query_without_words_is_refused(query):
    with pytest.raises(QueryError) as error:
        clean_query(query)
    assert "\n" not in str(error.value) and str(error.value).isprintable()


@given(st.text())
def test_cleaning_keeps_words_and_drops_what_cannot_be_seen(text):
    try:
        clean = clean_query(text + " word")
    except QueryError:
        raise AssertionError("there is a word in it") from None
    assert len(clean) <= LONGEST and clean == " ".join(clean.split())
    assert "\x00" not in clean and clean_query(clean) == clean


@pytest.mark.parametrize(
    ("query", "clean"),
    [
        ("ｎｅｔ　ｉｎｃｏｍｅ　ｏｆ　Ｚｅｐｈｙｒ＇ｓ　２０２３？", "net income of Zephyr's 2023?"),
        ("Ａｃｍｅ（控股）２０２３年净利润是多少？", "Acme（控股）2023年净利润是多少？"),
        ("Zep\u200bhyr Hold\u00adings\ufeff \u202enet\u202c in\u200dcome", "Zephyr Holdings net income"),
        ("net\xa0income\x00of\nAcme", "net income of Acme"),
        ("the e\u0301lan of the oﬃce, 5 m² and ½", "the élan of the office, 5 m² and ½"),
    ],
)
def test_letters_of_other_forms_are_read_as_plain_ones(query, clean):
    assert clean_query(query) == clean
    assert guess(clean_query("ｗｈｏ　ｏｗｎｓ　Ａｃｍｅ")) == guess("who owns Acme")


def test_of_a_book_the_head_is_cleaned():
    assert clean_query("  " + "net\u3000income " * 10**6).startswith("net income net")
    assert is_cut("net income " * 10**6) and is_cut("a" + " " * 10**5 + "b") and not is_cut("a" + " " * 10**5)


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ('How many offices? Please write the answer in list format, e.g., ["1","2"]', "How many offices?"),
        ("What is the gap? Write down the answer in float format with 2 decimals.", "What is the gap?"),
        ("List the plants. The answer should be formatted as a list like ['A', 'B'].", "List the plants."),
        ("Which subsidiaries are listed in Exhibit 21?", "Which subsidiaries are listed in Exhibit 21?"),
        ("What does Item [2] say of returns in list prices?", "What does Item [2] say of returns in list prices?"),
        ("主要客户有哪些？请用列表形式回答", "主要客户有哪些？"),
        ("Answer in JSON", "Answer in JSON"),
    ],
)  # fmt: skip
def test_the_form_of_the_answer_is_not_searched_for(query, left):
    assert check_request(query, "auto", 5, None)[0] == left


def test_no_text_no_intent_no_top():
    with pytest.raises(QueryError, match="not int"):
        clean_query(5)
    with pytest.raises(QueryError, match="structure"):
        check_intent("structur")
    for top in (0, -1, 1001, True, 2.5, 10**5000):
        with pytest.raises(QueryError, match="top"):
            check_top(top)


@pytest.mark.parametrize("path", ["a\0b", "\ud800", None, 5, b"store", ["x"]])
def test_what_no_folder_is_called_is_a_wrong_call(path):
    with pytest.raises(UsageError, match="no path"):
        ColdTier.open(path)


def test_other_names_of_what_a_question_names():
    names = (
        Name(("拉克斯珀仪器公司",), ("Larkspur Instruments, Inc.",)),
        Name(("大客户拉克斯珀仪器公司",), ("Larkspur",)),
        Name(("国资",), ("US",)),
    )
    (met,) = other_names("拉克斯珀仪器公司的额度", names)
    assert met == Concept("拉克斯珀仪器公司", ("Larkspur Instruments, Inc.",))
    (met,) = other_names("who audits larkspur instruments?", names)
    assert met == Concept("Larkspur Instruments", ("拉克斯珀仪器公司",))
    assert other_names("because of the status quo", names) == []
    assert other_names("高盛2016年员工人数", ()) == [Concept("高盛", ("Goldman Sachs",))]
    assert other_names("大众的需求", ()) == [] != other_names("大众汽车的产量", ())
    question = understand("拉克斯珀仪器公司的额度", also=other_names("拉克斯珀仪器公司的额度", names))
    assert {"larkspur", "instrument"} <= dict(question.terms).keys() & set(question.aliases)


def test_a_company_is_named_by_its_symbol_and_by_its_name_in_another_language():
    kept = {"title": "Annual report", "period": "FY2012", "doctype": "10-K", "date": ""}
    rows = [{"company": "Northfield Energy Corporation", "source": "a.pdf", **kept},
            {"company": "Northfield Power, Inc.", "source": "b.pdf", **kept}]  # fmt: skip
    also = {"Northfield Energy Corporation": ("NFEC", "600841", "北田能源有限公司", "Northfield Energy")}
    catalog = make_catalog(rows, also)
    for query in ("NFEC total assets", "600841 总资产", "北田能源的总资产"):
        found = weigh(catalog, understand(query))
        assert found.name[0] > 0.9 > found.name[1]
    assert weigh(catalog, understand("Northfield Power total assets")).name.argmax() == 1


def test_a_word_of_a_name_in_another_language_names_nobody_else():
    kept = {"title": "", "period": "", "doctype": "", "date": ""}
    companies = ("Larkspur Instruments, Inc.", "青屿精密仪器股份有限公司", "拉克斯珀仪器公司")
    catalog = make_catalog([{"company": c, "source": f"{i}.pdf", **kept} for i, c in enumerate(companies)])
    found = weigh(catalog, understand("What did Larkspur lose?", also=[Concept("Larkspur", ("拉克斯珀仪器公司",))]))
    assert found.name[0] > 0 and found.name[2] > 0 and found.name[1] == 0


def test_words_that_name_documents_are_spent_and_weigh_less_in_the_search():
    empty = {"title": "", "period": "FY2012", "doctype": "", "date": ""}
    rows = [{"company": "Northfield Energy Corporation", "source": "a.pdf", **empty}]
    catalog = make_catalog(rows, {"Northfield Energy Corporation": ("NFEC",)})
    asked = {"Northfield Energy total assets": {"northfield", "energi"}, "NFEC total assets": {"nfec"}}
    for query, names in asked.items():
        question = understand(query)
        found = spend(catalog, question, weigh(catalog, question))
        assert found.spent == names
        before, after = dict(question.terms), dict(found.terms)
        assert all((after[t] < before[t]) == (t in names) for t in before)
    question = understand("total assets")
    assert spend(catalog, question, weigh(catalog, question)) == question


@pytest.mark.parametrize(
    ("text", "pages", "parts"),
    [
        ("How many people stand in the figure at the top of page 5?", (5,), ()),
        ("the sum of what is written on page 15 and page 16, pp. 20-22", (15, 16, 20, 21, 22), ()),
        ("第12页的表", (12,), ()),
        ("what court is noted on the cover page, and who signed the last page", (1, LAST), ()),
        ("How many green bars appear in Figure 1?", (), ("Figure 1",)),
        ("附注七和表3.1，Item 7A", (), ("附注七", "表3.1", "Item 7A")),
        ("which figures in 2010, the parts of a car, figures 5 times as high", (), ()),
    ],
)
def test_pages_and_numbered_parts(text, pages, parts):
    assert set(named_pages(text)) == set(pages) and set(named_parts(text)) == set(parts)


def test_pairs_of_characters_across_two_words_say_little():
    question = understand("龙胆又被称之为什么？")
    assert {"胆又", "又被", "被称"} <= question.spent and not {"龙胆", "称之为"} & question.spent
    name = understand("海岚的股东")  # no dictionary has the name: its pair is all that finds it
    assert "海岚" in name.words and "海岚" not in name.spent


def test_what_sets_two_against_each_other_is_not_asked_for():
    for text in (
        "Brightwater vs Calloway revenue",
        "Brightwater vs. Calloway revenue",
        "Brightwater versus Calloway revenue",
    ):
        assert understand(text).words == ("brightwat", "calloway", "revenu")


def test_documents_of_a_named_company_are_told_from_those_that_share_words():
    rows = [
        ("Borealis Grid, Inc.", "a.pdf", ""),
        ("", "borealis.pdf", ""),
        ("Zephyr Ltd", "c.pdf", "Notes on Borealis"),
    ]
    catalog = make_catalog([
        {"company": company, "title": title, "source": source, "period": "", "doctype": "", "date": ""}
        for company, source, title in rows
    ])  # fmt: skip
    assert whose(catalog, weigh(catalog, understand("Borealis Grid revenue"))).tolist() == [True, False, False]
    assert not whose(catalog, weigh(catalog, understand("steel prices"))).any()


def test_places_are_known_in_the_other_script():
    asked = {c.found: c.others for c in other_places("加拿大和美国有多少学生接受了评估？")}
    assert "Canada" in asked["加拿大"] and "U.S." in asked["美国"]
    assert [c.found for c in other_places("How many German schools are in New York?")] == ["German", "New York"]
    assert other_places("the Bank of China", [Concept("Bank of China", ("中国银行",))]) == []


def test_a_row_is_named_in_the_other_script():
    cells = [["", "Students"], ["Canada", "23,206"], ["Norway", "3,190"]]
    told = [(r, c, t, (0.0, 0.0, 1.0, 1.0), 1, 1, not r) for r, row in enumerate(cells) for c, t in enumerate(row)]
    table = Table(3, 2, make_cells(told))
    text = "加拿大有多少人？"
    answer = answer_in(table, understand(text, places=other_places(text)))
    assert answer is not None and (answer.row, answer.values) == ("Canada", ("23,206",))
