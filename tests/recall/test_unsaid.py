"""Does recall tell what only looks like an answer: garbled text, another's office, shares for counts, words alike?"""

import pytest
from numpy import array

from h3cold.ingest.tokens import lexical
from h3cold.recall.intent import guess
from h3cold.recall.missing import shortened
from h3cold.recall.offices import asks_office
from h3cold.recall.rank import asked_words
from h3cold.recall.understand import understand
from h3cold.recall.unsaid import garbled, unsaid


@pytest.mark.parametrize(
    ("text", "bad"),
    [
        (
            "• ]üìÜüéê •ìê °ê£ë†£ûÜüéê †ë ∞†¶£ èÜ•ÜáÜ§ê †°ê£Ü•î†ü§ • ]Ü£ü í£êÜ•ê£ £ê•¶£ü †ü ar °£†ïêé•§",
            True,
        ),
        ("Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi", False),
        ("Où êtes-vous né, à Besançon ou là où les élèves étaient déjà tous réunis cet été", False),
        ("安徽省高速公路六车道停车区用地指标", False),
        ("Net cash provided by operating activities", False),
        ("é à", False),
    ],
)
def test_text_of_a_font_without_letters_is_known(text, bad):
    assert garbled(text) is bad


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("PwC", "fees billed by PricewaterhouseCoopers LLP", True),
        ("RSUs", "Unvested Restricted Stock Units Outstanding", True),
        ("SEC", "the Securities and Exchange Commission", True),
        ("SEC", "Section 3 of the plan", False),
        ("PwC", "the price went up", False),
        ("Viavi", "Vice presidents and vendors", False),
    ],
)
def test_a_short_name_is_said_where_it_is_written_out(name, text, said):
    assert shortened(name, text) is said


def _share_unsaid(query, *texts):
    question = understand(query)
    place = {word: i for i, word in enumerate(asked_words(question))}
    said = array([[word in set(lexical(text)) for word in place] for text in texts])
    telling = {word: 1.0 for word in question.words if word not in question.spent}
    return unsaid(question, telling, place, said)


def test_what_the_other_language_would_say_is_missed_and_the_rest_is_not():
    assert _share_unsaid("人口", "the total population") == 0
    assert _share_unsaid("人口", "students assessed") == 1
    assert _share_unsaid("宋朝", "students assessed") == 0  # nothing tells how that would be written
    assert 0 < _share_unsaid("宋朝GDP", "students assessed") < _share_unsaid("GDP", "students assessed") == 1


def test_words_that_one_hit_says_count_not_those_of_several_together():
    apart = _share_unsaid("人口与市长", "the total population", "the mayor of the town")
    assert _share_unsaid("人口与市长", "the mayor and the population") < apart


@pytest.mark.parametrize("query", ["who is the CEO of Globetrotters Anonymous", "x" * 2000, "layoffs"])
def test_what_nobody_says_does_not_fit(tier, query):
    assert not tier.recall(query).fits


def test_a_year_after_all_documents_is_told_only_beside_what_is_asked(tier):
    assert not tier.recall("What were the dividends paid by Acme Widgets in 2025?").fits
    assert tier.recall("minimum lease payments of Acme Widgets in 2025").fits


@pytest.mark.parametrize(
    "query", ["What were Globex Corporation's dividends paid in 2022?", "贵州茅台的存货周转率是多少？"]
)
def test_what_does_not_fit_answers_nothing(tier, query):
    hits = tier.recall(query)
    assert hits and not hits.fits and not any(hit.answer for hit in hits)


def test_an_age_is_no_relation_and_a_judge_has_an_office():
    assert guess("How old is the chief financial officer of Acme?").best != "relation"
    assert asks_office("Who is the chief justice of Canada?")


def test_what_bids_is_no_part_of_a_name(tier):
    assert "no document names" not in tier.recall("Compare Acme Widgets' dividends paid of 2022 and 2021")[0].reason
