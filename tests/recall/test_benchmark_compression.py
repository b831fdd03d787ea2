"""What `h3-benchmark compression` measures, on made stores and made vectors."""

import numpy as np
import pytest
from toy_blocks import Toy, blocks

from h3cold.ingest.compress import lists, training
from h3cold.ingest.compress import summaries as stage
from h3cold.ingest.store.make import make_store
from h3cold.recall import benchmark_compression as measured
from h3cold.recall import opening
from h3cold.recall.benchmark_documents import measure_documents
from h3cold.recall.questions import Case
from h3cold.schemas.errors import UsageError


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
