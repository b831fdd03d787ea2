"""The sets that are made here: their questions' answers stand on the pages that they name."""

import json
from importlib.resources import as_file, files

import pymupdf
import pytest

from h3cold.recall.questions import read_jsonl
from h3cold.recall.trials.cmrc import make_cmrc
from h3cold.recall.trials.companies import accounts, companies, people, restated
from h3cold.recall.trials.filings import make_filings
from h3cold.recall.trials.items import items
from h3cold.recall.trials.report_en import money, set_report
from h3cold.recall.understand import HAN
from h3cold.schemas.errors import UsageError


def page_text(folder, source, number):
    with pymupdf.open(folder / source) as doc:
        return "".join(doc[number - 1].get_text().split())


def test_reports_state_their_facts_on_the_pages_that_are_named(tmp_path):
    english = companies()[0]
    paper = set_report(english, 2012)
    data = paper.finish("report")
    with pymupdf.open(stream=data) as doc:
        for item in items("income", "assets", "liabilities"):
            statement = max(paper.facts[item.key]) if item.key != "tax" else min(paper.facts[item.key])
            assert money(accounts(english.key, 2012)[item.key]) in doc[statement - 1].get_text()
        for office in ("chief", "finance", "chair", "auditor"):
            (page,) = paper.facts[office]
            assert people(english, 2012)[office] in doc[page - 1].get_text()


def test_filings_ask_in_both_languages_and_are_the_same_on_every_run(tmp_path):
    some = [companies()[0], companies()[10]]
    make_filings(tmp_path / "a", of=some, years=2)
    make_filings(tmp_path / "b", of=some, years=2)
    files = sorted(p.name for p in (tmp_path / "a").iterdir())
    assert len(files) == 5
    assert all((tmp_path / "a" / f).read_bytes() == (tmp_path / "b" / f).read_bytes() for f in files)
    cases = read_jsonl(tmp_path / "a" / "questions.jsonl")
    assert {c.kind.split("+")[1] for c in cases} == {"en", "zh"} and any(c.holds for c in cases)
    for case in cases:
        text = page_text(tmp_path / "a", case.source, case.pages[0])
        assert "".join(case.holds.partition(":")[2].split()) in text
    assert {c.kind.split("+")[0] for c in cases} == {"text", "structure", "crossed"}


def test_no_two_years_report_the_same_and_some_years_are_restated():
    for company in companies():
        sales = [accounts(company.key, year)["revenue"] for year in range(2010, 2020)]
        assert len(set(sales)) == len(sales)
        assert sum(accounts(company.key, 2012)[f"segment{i}"] for i in (1, 2, 3)) == sales[2]
    changed = [restated(c.key, y) != accounts(c.key, y) for c in companies() for y in range(2010, 2020)]
    assert 0.2 < sum(changed) / len(changed) < 0.5


@pytest.mark.parametrize("titled", [False, True])
def test_typeset_paragraphs(tmp_path, titled):
    long = "这是一个很长的段落，" * 120
    paragraphs = [{"context": f"第{i}段。{long}答案{i}号在此。", "qas": [{"id": str(i), "question": f"第{i}个在哪？",
                  "answers": [{"text": f"答案{i}号", "answer_start": 0}]}]} for i in range(23)]  # fmt: skip
    source = tmp_path / "squad.json"
    article = {"title": "条目之名", "paragraphs": paragraphs}
    source.write_text(json.dumps({"data": [article]}, ensure_ascii=False), encoding="utf-8")
    make_cmrc(source, tmp_path / "out", titled=titled)
    cases = read_jsonl(tmp_path / "out" / "questions.jsonl")
    assert ("条目之名" in page_text(tmp_path / "out", cases[0].source, 1)) == titled
    assert len(cases) == 23 and len({c.source for c in cases}) == 2
    for case in cases:
        assert f"答案{case.id}号" in "".join(page_text(tmp_path / "out", case.source, p) for p in case.pages)
    with pytest.raises(UsageError, match="SQuAD"):
        make_cmrc(tmp_path / "none.json", tmp_path / "out")


@pytest.mark.parametrize("name", ["chinese_over_uda", "english_over_cmrc"])
def test_questions_of_the_other_language_are_in_that_language(name):
    with as_file(files("h3cold.recall.trials").joinpath(f"{name}.jsonl")) as path:
        cases = read_jsonl(path)
    assert len(cases) > 20 and len({c.id for c in cases}) == len(cases)
    assert all(bool(HAN.search(c.query)) == name.startswith("chinese") for c in cases)


def test_questions_about_relations_are_whole():
    with as_file(files("h3cold.recall.trials").joinpath("relations_over_uda.jsonl")) as path:
        cases = read_jsonl(path)
    assert len(cases) > 30 and len({c.id for c in cases}) == len({c.query for c in cases}) == len(cases)
    assert {c.kind for c in cases} == {"relation", "trend"} and all(c.pages for c in cases)
