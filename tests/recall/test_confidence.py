"""Does recall say when nothing fits?"""

import json

import pytest

from h3cold.recall.benchmark import nothing_figures
from h3cold.recall.cli import main
from h3cold.recall.understand import understand


@pytest.mark.parametrize(
    "query",
    ["recipe for pancakes", "how to train a puppy not to bite", "lyrics of a love song about the moon"],
)
def test_what_the_documents_say_nothing_about_is_told(tier, query):
    hits = tier.recall(query)
    assert hits and not hits.fits and 0 <= hits.confidence < 0.2
    assert all(hit.reason.startswith("nothing fits well (") for hit in hits)


@pytest.mark.parametrize(
    "query",
    [
        "What risks does the price of steel bring for Acme in 2022?",
        "Acme net cash provided by operating activities 2022",
        "Who owns Beta Gears?",
        "华信科技的应收账款周转率",
        "minimum lease payments",
    ],
)
def test_answers_are_not_taken_for_misses(tier, query):
    hits = tier.recall(query)
    assert hits.fits and "nothing fits" not in hits[0].reason


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("Who is the CEO of Tesla?", "Tesla"),
        ("What was Tesla's net cash provided by operating activities in 2022?", "Tesla"),
        ("who owns globex", "globex"),
        ("WHO OWNS GLOBEX?", "globex"),
        ("谁控股GLOBEX？", "GLOBEX"),
        ("Does Acme own Tesla?", "Tesla"),
        ("艾克米公司是否控股宁德时代？", "宁德时代"),
        ("TSLA net cash provided by operating activities", "TSLA"),
        ("华为的董事长是谁", "华为"),
        ("宁德时代2023年的应收账款周转率", "宁德时代"),
        ("招商银行的应收账款周转率", "招商银行"),
        ("北冥电网有限公司的控股股东是谁？", "北冥电网有限公司"),
    ],
)
def test_a_question_about_somebody_whom_no_document_names_is_told(tier, query, name):
    hits = tier.recall(query)
    assert hits and not hits.fits and f"no document names {name};" in hits[0].reason
    assert "—" not in hits[0].reason  # no edge of others


def test_whom_the_graph_knows_without_an_edge_of_the_kind_is_told(tier):
    for query in ("Who is the CEO of Beta Gears?", "Does Acme own 华信科技?"):
        hits = tier.recall(query, intent="relation")
        assert "the graph knows no such edge of" in hits[0].reason and "no document names" not in hits[0].reason
        assert all(hit.intent != "relation" and "—" not in hit.reason for hit in hits)
    reason = tier.recall("What speed did the machine reach?", top=1)[0].reason
    assert "text + structure + relation" in reason and "graph" not in reason


@pytest.mark.parametrize(
    "query",
    [
        "Who owns Beta Gears?",
        "Does Acme own Beta Gears?",
        "艾克米公司2022年的净销售额",
        "华信科技的应收账款周转率",
        "CAPEX in 2022",
        "PP&E purchases",
    ],
)
def test_who_is_known_by_any_name_is_no_stranger(tier, query):
    assert "no document names" not in tier.recall(query)[0].reason


def test_a_word_for_a_chart_is_none_that_the_chart_says(tier):
    plain = tier.recall("minimum lease payments", intent="structure").confidence
    assert tier.recall("bar chart of minimum lease payments", intent="structure").confidence > 0.9 * plain > 0.2


def test_nothing_found_has_no_confidence(tier):
    hits = tier.recall("steel", where={"company": "nobody"})
    assert hits == [] and hits.confidence == 0 and not hits.fits


def test_the_command_says_it_too(capsys, made):
    assert main(["recipe for pancakes", "--store", str(made.store)]) == 0
    assert "Nothing fits well (confidence 0." in capsys.readouterr().out
    assert main(["price of steel", "--store", str(made.store), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["confidence"] > 0.2


def test_a_question_in_another_language_that_shares_nothing_with_its_hits_is_told(tier):
    chinese = tier.recall("不放鸡蛋怎么做松饼？", where={"language": "en"})
    assert chinese and not chinese.fits
    assert tier.recall("Acme 2022年净销售额", where={"language": "en"}).fits


@pytest.mark.parametrize(
    ("query", "fits"),
    [
        ("Who owns Beta Gears?", True),  # an edge says so
        ("Who owns Acme?", False),  # Acme owns another, and nothing says who owns it
        ("What did Acme buy in 2019?", False),  # its edge is of 2022
        ("Zenith Holdings, Inc. 2022 net sales", False),
        ("2022年600841的净销售额", False),
        ("Acme net sales in 2051", False),
        ("轨道交通信号系统的院长是谁", False),  # no hit says the office
    ],
)
def test_what_is_said_of_others_or_of_other_years_does_not_fit(tier, query, fits):
    assert tier.recall(query).fits == fits


def test_the_figure_of_what_is_called_nothing(made):
    english, chinese = nothing_figures("made", made.store).values()
    assert english > 0.7 and chinese > 0.7


def test_a_question_for_a_buyer_is_answered_by_any_word_for_it():
    for text in ("Who bought Galley & Co?", "Which firm took over Galley?", "谁收购了青岚光电"):
        forms = {token for unit in understand(text).units for form in unit.forms for token in form}
        assert {"sold", "出售"} <= forms
    assert not any("sold" in form for unit in understand("shares purchased in 2019").units for form in unit.forms)


def test_a_word_that_no_document_of_a_large_store_says_is_told(tier, monkeypatch):
    query = "rise in the price of steel for zebrafish"
    assert tier.recall(query).fits
    monkeypatch.setattr("h3cold.recall.unheard.LARGE", 1)
    assert not tier.recall(query).fits
    assert tier.recall("rise in the price of steel, or an interruptoin of supply").fits  # misspelt
