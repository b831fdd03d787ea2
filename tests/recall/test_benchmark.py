"""The benchmark's own arithmetic, its readers, and a run on the small store's documents."""

import json
from pathlib import Path

import pytest

from h3cold.recall import benchmark_relation
from h3cold.recall.baseline import PageText, bm25, rank, words
from h3cold.recall.benchmark import baseline, measure, run
from h3cold.recall.benchmark_latency import copied_id, copied_name, measure_latency
from h3cold.recall.benchmark_start import copy_with_graph
from h3cold.recall.cold_tier import ColdTier
from h3cold.recall.measures import Came, Found, interval, summary, where
from h3cold.recall.questions import Case, mmlongbench, read_jsonl, uda_feta, uda_fin, uda_tat
from h3cold.schemas.errors import UsageError

CASE = Case("1", "q", "b.pdf", (4, 5))


def test_ranks_of_page_document_and_structure():
    ranking = [Came("x/a.pdf", (4,)), Came("x/b.pdf", (1,)), Came("x/b.pdf", (3, 4), "table", "Net sales | 5")]
    assert where(CASE, ranking) == Found(2, 1, None, 2, None, 2)
    rough = where(CASE._replace(slack=3), ranking)
    assert (rough.page, rough.exact) == (1, 2)
    assert where(CASE, [Came("ab.pdf", (4,))]) == Found(None, None, None, None)
    assert where(CASE._replace(holds="table:net SALES"), ranking).held == 2
    assert where(CASE._replace(holds="figure:net sales"), ranking).held is None
    assert where(CASE, [Came("b.pdf", (6,))]) == Found(None, 0, None, 0)
    answered = [ranking[2]._replace(row="Net sales, total")]
    labelled = CASE._replace(holds="table:net sales", row="net sales")
    assert where(labelled, answered).row == 0 and where(labelled, ranking).row is None


def test_summary():
    near = CASE._replace(slack=1)
    rough = summary([near], [where(near, [Came("b.pdf", (6,))])])
    assert rough["page recall@1"] == rough["page ±1 recall@1 of rough labels (1)"] == 1.0
    assert rough["exact page recall@10 of rough labels (1)"] == 0.0
    found = [where(CASE, [Came("b.pdf", (4,))]), where(CASE, [Came("a.pdf", (4,)), Came("b.pdf", (5,))]),
             where(CASE, [])]  # fmt: skip
    figures = summary([CASE, CASE._replace(kind="en+table"), CASE._replace(kind="en")], found)
    assert figures["page recall@1"] == pytest.approx(1 / 3, abs=1e-4)
    assert figures["page recall@5"] == pytest.approx(2 / 3, abs=1e-4)
    assert figures["document@1"] == pytest.approx(1 / 3, abs=1e-4)
    assert figures["mrr"] == pytest.approx(0.5)
    assert figures["page recall@5 en (2)"] == 0.5 and figures["page recall@5 en+table (1)"] == 1
    assert summary([], []) == {"questions": 0}


def test_an_interval_narrows_with_more_answers():
    assert interval([1.0] * 10) == 0
    assert 0 < interval([0.0, 1.0] * 200) < interval([0.0, 1.0] * 5) <= 0.5


def test_plain_bm25_ranks_by_rare_words():
    index = bm25(["the steel price", "the steel price rose and the steel rail", "应收账款周转率", "nothing"])
    assert rank(index, "steel rail")[0] == 1
    assert rank(index, "应收账款") == [2]
    assert rank(index, "zebra") == []
    assert words("Net Sales, 3.5% 收入增") == ["net", "sales", "3.5", "收入", "入增"]


def test_questions_from_a_file(tmp_path):
    path = tmp_path / "q.jsonl"
    first = '{"query": "steel", "source": "a.pdf", "page": 2}\n'
    path.write_text(first + '\n{"query": "钢", "source": "b.pdf", "pages": [1, 3]}\n', encoding="utf-8")
    assert [(c.query, c.pages) for c in read_jsonl(path)] == [("steel", (2,)), ("钢", (1, 3))]
    path.write_text(first + '{"query": "x"}\n', encoding="utf-8")
    with pytest.raises(UsageError, match="line 2"):
        read_jsonl(path)
    with pytest.raises(UsageError, match="nowhere"):
        read_jsonl(tmp_path / "nowhere.jsonl")


def test_questions_of_the_public_sets(tmp_path):
    qa = tmp_path / "dataset" / "qa"
    extended = tmp_path / "dataset" / "extended_qa_info_bench"
    qa.mkdir(parents=True)
    extended.mkdir()
    (qa / "fin_qa.csv").write_text(
        "doc_name|q_uid|question|answer_1|answer_2\nGS_2016|GS/2016/page_79.pdf-3|what?|1|1\nADI_2009|ADI/2009/page_4.pdf-1|how?|2|2\n",
        encoding="utf-8",
    )
    assert [(c.source, c.pages, c.slack) for c in uda_fin(tmp_path)] == [
        ("GS_2016.pdf", (79,), 0),
        ("ADI_2009.pdf", (4,), 1),
    ]
    (qa / "tat_qa.csv").write_text(
        "doc_name|q_uid|question|answer|answer_scale|answer_type\n"
        "acme|a|sales?|['$ 93,662']|thousand|span\nacme|b|sum?|['9']||arithmetic\nacme|c|diff?|['1']||arithmetic\n",
        encoding="utf-8",
    )
    facts = {"acme": [{"q_uid": "b", "facts": ["245,817", "338,317"]}]}
    (extended / "bench_tat_qa.json").write_text(json.dumps(facts), encoding="utf-8")
    pages = [PageText("d/acme.pdf", 1, "net sales $93,662"), PageText("d/acme.pdf", 2, "245,817 and 338,317"),
             PageText("d/other.pdf", 1, "93,662")]  # fmt: skip
    assert [(c.id, c.pages) for c in uda_tat(tmp_path, pages)] == [("a", (1,)), ("b", (2,))]
    (qa / "feta_qa.csv").write_text(
        "doc_name|q_uid|question|answer|doc_url\nacme|7|Who led Acme?|Iris Stone led Acme from 1999.|u\n"
        "acme|8|When?|In 2001.|u\nacme|9|Which film?|It was Midnight.|u\n",
        encoding="utf-8",
    )
    cells = {"table_array": [["year", "2001"]], "highlighted_cell_ids": [[0, 1]]}
    (extended / "bench_feta_qa.json").write_text(json.dumps({"acme": [{"q_uid": 8, "evidence": cells}]}), "utf-8")
    wiki = [PageText("w/acme.pdf", 1, "Iris Stone, 1999"), PageText("w/acme.pdf", 2, "year 2001")]
    assert [(c.id, c.pages) for c in uda_feta(tmp_path, wiki)] == [("7", (1,)), ("8", (2,))]
    evidence = {"evidence_pages": "[3, 5]", "evidence_sources": "['Pure-text (Plain-text)', 'Table']"}
    questions = [{"question": "q", "doc_id": "x.pdf", **evidence}]
    (tmp_path / "questions.json").write_text(json.dumps(questions), encoding="utf-8")
    assert mmlongbench(tmp_path) == [Case("0", "q", "x.pdf", (3, 5), kind="pure-text+table")]


def test_measuring_a_store(tier, tmp_path):
    cases = [
        Case("a", "对比2022与2023年应收账款周转率", "huaxin.pdf", (2,)),
        Case("b", "Acme risk factors 2022", "acme_2022.pdf", (2,)),
        Case("c", "what does no document say about zebras", "huaxin.pdf", (99,)),
    ]
    figures = measure(tier, cases, dump=tmp_path / "dump.jsonl")
    assert figures["page recall@1"] == pytest.approx(2 / 3, abs=1e-4) and figures["p99 ms"] >= figures["p50 ms"] > 0
    lines = [json.loads(line) for line in (tmp_path / "dump.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["found"] for line in lines] == [0, 0, None]
    pages = [PageText("huaxin.pdf", 2, "应收账款周转率 2022 2023"), PageText("acme_2022.pdf", 2, "risk factors steel")]
    assert baseline(pages, cases)["page recall@1"] == pytest.approx(2 / 3, abs=1e-4)


def test_latency_is_measured_on_copies_that_are_a_whole_store(tier, tmp_path):
    figures = measure_latency([tier.path], tmp_path / "s", ["Acme net sales in 2018", "钢材价格"], blocks=100)
    original = tier.status()["counts"]["blocks"]
    assert 100 <= figures["blocks"] < 100 + original
    assert figures["embedding p50 ms"] > 0 and figures["search p99 cpu ms"] > 0 and figures["open s"] > 0
    with ColdTier.open(tmp_path / "s") as copies:
        problems = copies.store.verify()
        assert all("sources and documents" in line or "documents says" in line or "mani" in line for line in problems)
        first = copies.recall("dividends paid by Acme in 2018", top=1)[0]
        assert first.text == tier.recall("dividends paid by Acme in 2018", top=1)[0].text
        rows = copies.store.table("blocks").to_table(columns=["id", "tokens_text"]).to_pylist()
        assert len({row["tokens_text"] for row in rows}) > 0.9 * len(rows) and len({row["id"] for row in rows}) == len(
            rows
        )
    assert measure_latency([tier.path], tmp_path / "s", ["steel"], blocks=100)["blocks"] == figures["blocks"]


def test_a_store_of_many_pages_has_the_graph_of_each_copy(tier, tmp_path):
    copy_with_graph(tier.path, tmp_path / "s", copies=3)
    with ColdTier.open(tmp_path / "s") as copies:
        counts = copies.status()["counts"]
        assert {counts[n] / tier.status()["counts"][n] for n in ("blocks", "entities", "mentions", "relations")} == {3}
        asked, first = "Who owns Beta Gears?", tier.recall("Who owns Beta Gears?", top=1)[0]
        hits = copies.recall(f"{asked[:-1]} {copied_name(2)}?", top=3)
        assert hits[0].block == copied_id(first.block, 2) and "→ Beta Gears Ltd, p. 3" in first.reason
        assert f"→ Beta Gears Ltd {copied_name(2)}, p. 3" in hits[0].reason


def test_a_wrong_number_of_blocks_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("H3_BENCH_BLOCKS", "many")
    with pytest.raises(UsageError, match="H3_BENCH_BLOCKS is 'many'"):
        run(tmp_path, ["latency"])


def test_unknown_set_or_folder(tmp_path):
    with pytest.raises(UsageError, match="uda_fin"):
        run(tmp_path, ["nope"])
    with pytest.raises(UsageError, match="no such folder"):
        run(tmp_path, ["mmlongbench"])


def test_paraphrased_questions_are_asked_of_documents_that_there_are():
    names = {t.name for t in benchmark_relation.load()[0]}
    questions = benchmark_relation.ask()
    assert len(questions) > 50 and all(set(q.names) <= names for q in questions)
    with pytest.raises(UsageError, match="paraphrased"):
        benchmark_relation.run(Path(), ["nonsense"])
