"""What `h3-benchmark compression` measures, on made stores and made vectors."""

from dataclasses import replace

import numpy as np
import pytest
import toy_blocks
from toy_blocks import Toy, blocks

from h3cold.ingest.compress import lists, training
from h3cold.ingest.compress import summaries as stage
from h3cold.ingest.store.make import make_store
from h3cold.kg.extract import extract
from h3cold.kg.linking import link
from h3cold.recall import benchmark_compression as measured
from h3cold.recall import opening
from h3cold.recall.benchmark_documents import measure_documents
from h3cold.recall.questions import Case
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.errors import UsageError
from h3cold.schemas.geometry import PageBox


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setattr(stage, "LEAST", 60)
    monkeypatch.setattr(stage, "LEAST_PAIRS", 20)
    monkeypatch.setattr(training, "STEPS", 2)
    monkeypatch.setattr(opening, "_embedder", lambda models: (Toy(), ""))
    monkeypatch.setattr(measured, "NARROWER", (8,))
    return make_store(tmp_path / "s", blocks(4), embedder=Toy())


def test_bytes_and_recall_of_each_mode_are_told(store):
    source = sorted(row["source"] for row in store.documents().values())[0]
    found = measured.measure_store(store.path, [Case("1", "0x1 0x2 0x3", source, (1,))])
    assert found["bytes of summaries"] == 96 * 48 and found["bytes of full vectors"] == 96 * 48 * 2
    assert found["resident, summaries"] == found["bytes of summaries"] + found["of these to search with"]
    assert found["of these to search with"] < found["bytes of the network"]
    tops, leaves = found["bytes of a document's top, most"], found["bytes of a document's blocks, most"]
    assert found["bytes of tree tops"] / 4 < tops < 2048 and 24 * 48 < leaves < 24 * (48 + 160)
    assert found["bytes of a document's chapters and sections, median"] < found["bytes of trees, all levels"] / 4
    assert found["descent: bytes read a question"] > 0 and found["full: recall@5"] == 1
    assert {"PCA 8: variance kept", "PCA 8: recall@5 lost, points", "summaries: p50 ms"} <= set(found)


def test_questions_about_relations_are_measured_too(store, tmp_path, monkeypatch):
    monkeypatch.setattr(toy_blocks, "SIZE", 160)  # wider than a summary, as real vectors are
    monkeypatch.setattr(Toy, "dimension", 160)
    many = blocks(4)
    text = "Orion Media, Inc. is a wholly-owned subsidiary of Vega Holdings, Inc. It prints maps."
    many[0] = replace(many[0], text=text, boxes=(PageBox(1, (0.0, 0.0, 9.0, 9.0), 0, len(text)),))
    said = extract(many[:1], info=DocumentInfo("a.pdf", "en"))
    told = make_store(tmp_path / "told", many, embedder=Toy(), entities=link(said.mentions, said.relations),
                      relations=said.relations, mentions=said.mentions)  # fmt: skip
    source = told.documents()[many[0].document]["source"]
    found = measured.measure_store(told.path, [Case("1", "Who owns Orion Media?", source, (1,), intent="relation")])
    assert found["summaries: recall@5 without full vectors"] == found["full: recall@5"] == 1


def test_a_store_without_summaries_says_why(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "_embedder", lambda models: (Toy(), ""))
    small = make_store(tmp_path / "s", blocks(2), embedder=Toy())
    source = sorted(row["source"] for row in small.documents().values())[0]
    found = measured.measure_store(small.path, [Case("1", "0x1 0x2 0x3", source, (1,))])
    assert found["blocks"] == 48 and found["bytes of full vectors"] == 48 * 96 and "full: recall@5" in found
    assert any(name.startswith("no summaries: off: 400 blocks are needed") for name in found)
    assert not any(name.startswith(("summaries", "descent")) for name in found)


def test_documents_are_made_and_held_against_exact_search(tmp_path, monkeypatch):
    monkeypatch.setenv("H3_BENCH_DOCUMENTS", "900")
    few = measure_documents(tmp_path / "few")
    assert few["recall@10"] > 0.95 and "bytes a document" not in few, "compared one by one"
    monkeypatch.setattr(lists, "CODES", 16)
    monkeypatch.setattr("h3cold.ingest.compress.documents.LEAST", 900)
    monkeypatch.setattr("h3cold.ingest.compress.documents.LOOKED_AT", 300)
    many = measure_documents(tmp_path / "many")
    assert many["bytes a document"] == 12 and 0.5 < many["recall@10"] <= 1
    assert many["recall@10 by codes alone"] < many["recall@10"] and np.isfinite(many["p50 ms"])


@pytest.mark.parametrize("wished", ["many", "-3", "50", ""])
def test_a_number_of_documents_that_cannot_be_is_refused(tmp_path, monkeypatch, wished):
    monkeypatch.setenv("H3_BENCH_DOCUMENTS", wished)
    with pytest.raises(UsageError, match="H3_BENCH_DOCUMENTS"):
        measure_documents(tmp_path)
