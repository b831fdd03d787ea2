"""Pages and documents that are lost on the way, and what is made of a whole corpus."""

import json
import shutil
import time
from dataclasses import replace
from typing import ClassVar

import pytest
from in_process import InProcess
from pdfs import pdf

from h3cold.h3bridge.monitor import report
from h3cold.ingest import jobs, pipeline
from h3cold.ingest.compress.documents import open_documents
from h3cold.ingest.live import read_live
from h3cold.ingest.pipeline import build
from h3cold.ingest.stages import Reading
from h3cold.ingest.store import ColdStore
from h3cold.ingest.worker_tasks import Failure, Result, part
from h3cold.schemas.config import parse_config
from h3cold.schemas.errors import StoreError
from h3cold.schemas.summary import DocumentCounts


@pytest.fixture
def folder(tmp_path):
    pdf(tmp_path / "in" / "acme.pdf", "Acme Holdings rose.", "A second page about revenue.", table=True)
    pdf(tmp_path / "in" / "sub" / "bolt.pdf", "Bolt Systems fell.")
    return tmp_path / "in"


@pytest.fixture
def parsed(monkeypatch):
    monkeypatch.setattr(jobs, "Pool", InProcess)
    InProcess.parsed.clear()
    return InProcess.parsed


class Lossy(InProcess):
    """A pool in which the process is lost at page 2 of every file, each time; `read` collects the tasks' pages."""

    read: ClassVar[list[tuple[str, int, int]]] = []
    failure: ClassVar[Failure] = Failure("crash", "the worker process crashed (SIGSEGV)", 2)

    def submit(self, task):
        if not isinstance(task.payload, Reading) or not task.first <= 2 <= task.last:
            super().submit(task)
            return
        self.read.append((task.source, task.first, task.last))
        parted = part(replace(task, tries=1), self.failure)
        self.tasks.extend([*parted.failed, *parted.again])

    def next(self):
        if isinstance(self.tasks[0], Result):
            return self.tasks.popleft()
        if isinstance(self.tasks[0].payload, Reading) and self.tasks[0].first == 2 == self.tasks[0].last:
            return Result(self.tasks.popleft(), None, self.failure)
        return super().next()


@pytest.fixture
def lossy(folder, monkeypatch):
    monkeypatch.setattr(jobs, "Pool", Lossy)
    pdf(folder / "three.pdf", "First words.", "Second words.", "Third words.")
    Lossy.read.clear()
    return folder


def test_a_page_that_kills_its_process_costs_that_page(lossy, tmp_path):
    summary = build(lossy, tmp_path / "s")
    lost = [(f.source, f.page) for f in summary.failures]
    assert lost == [("acme.pdf", 2), ("three.pdf", 2)]
    assert all("SIGSEGV" in f.reason for f in summary.failures)
    assert summary.documents == DocumentCounts(added=3)
    store = ColdStore.open(tmp_path / "s")
    text = " ".join(store.table("blocks").to_table(columns=["text"])["text"].to_pylist())
    assert "First words." in text
    assert "Third words." in text
    assert "Second words." not in text
    assert store.verify() == []


def test_a_lost_page_is_read_again_by_the_next_two_builds_and_then_left(lossy, tmp_path):
    plain = {"cold_storage": {"knowledge_graph_enabled": False}}
    config = parse_config(plain)
    for reads, then in ((1, "the next build reads it again"), (2, "the next build"), (3, "not read again with these")):
        summary = build(lossy, tmp_path / "s", config)
        assert all(f"(read {reads} time" in f.reason and then in f.reason for f in summary.failures)
        assert {f.page for f in summary.failures} == {2}
    # whole windows first, then that page alone: the others are on record
    alone = [("acme.pdf", 2, 2), ("three.pdf", 2, 2)]
    assert Lossy.read == [*((name, 1, 48) for name in ("acme.pdf", "sub/bolt.pdf", "three.pdf")), *alone, *alone]
    assert report(ColdStore.open(tmp_path / "s"))["failures"][0]["reason"].endswith("with these limits)")
    kept = build(lossy, tmp_path / "s", config)
    assert (kept.snapshot, kept.failures, len(Lossy.read)) == (summary.snapshot, summary.failures, 7)
    assert list((tmp_path / "s" / "meta" / "ledger").iterdir()) == []
    build(lossy, tmp_path / "s", parse_config({**plain, "ingest": {"page_seconds": 300}}))
    assert len(Lossy.read) == 9, "with other limits it is another matter"


def test_a_lost_page_that_can_be_read_later_makes_the_document_whole(lossy, tmp_path, monkeypatch):
    monkeypatch.setattr(Lossy, "failure", Failure("timeout", "took longer than 120 s", 2))
    build(lossy, tmp_path / "s")
    monkeypatch.setattr(jobs, "Pool", InProcess)
    InProcess.parsed.clear()
    summary = build(lossy, tmp_path / "s")
    assert (summary.documents, summary.failures) == (DocumentCounts(unchanged=3), ())
    assert InProcess.parsed == {"acme.pdf", "three.pdf"}
    store = ColdStore.open(tmp_path / "s")
    assert store.verify() == []
    build(lossy, tmp_path / "clean")
    clean = ColdStore.open(tmp_path / "clean")
    columns = ["id", "text", "pages"]
    assert (store.table("blocks").to_table(columns=columns).sort_by("id")
            == clean.table("blocks").to_table(columns=columns).sort_by("id"))  # fmt: skip
    InProcess.parsed.clear()
    assert build(lossy, tmp_path / "s").snapshot == summary.snapshot
    assert InProcess.parsed == set()


class Deadly(InProcess):
    """A pool in which no page of a file survives."""

    def next(self):
        task = self.tasks.popleft()
        assert isinstance(task.payload, Reading)
        return Result(task, None, Failure("timeout", "took longer than 1 s", task.first))


class Crashing(InProcess):
    """A pool whose process dies with the first page of every file."""

    def next(self):
        task = self.tasks.popleft()
        assert isinstance(task.payload, Reading)
        return Result(task, None, Failure("crash", "the worker process crashed (SIGKILL)", task.first))


def test_what_a_crash_kept_out_is_tried_again_by_the_next_build(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "Pool", Crashing)
    first = build(folder, tmp_path / "s")
    assert first.documents == DocumentCounts(failed=2)
    assert build(folder, tmp_path / "s").snapshot == first.snapshot, "the same failures are no news"
    monkeypatch.setattr(jobs, "Pool", InProcess)
    again = build(folder, tmp_path / "s")
    assert (again.documents, again.failures) == (DocumentCounts(added=2), ())


def test_a_document_of_which_no_page_can_be_read_has_failed(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "Pool", Deadly)
    summary = build(folder, tmp_path / "s")
    assert [(f.source, f.page, f.reason) for f in summary.failures] == [
        ("acme.pdf", 1, "took longer than 1 s (read 1 time; the next build reads it again)"),
        ("sub/bolt.pdf", 1, "took longer than 1 s (read 1 time; the next build reads it again)"),
    ]
    assert summary.documents == DocumentCounts(failed=2)
    store = ColdStore.open(tmp_path / "s")
    assert (store.count("documents"), store.count("blocks"), store.verify()) == (0, 0, [])
    for reads in (2, 3):
        summary = build(folder, tmp_path / "s")
        assert all(f"(read {reads} times; " in f.reason for f in summary.failures)
    monkeypatch.setattr(jobs, "Pool", InProcess)
    left = build(folder, tmp_path / "s")
    assert (left.documents, left.failures) == (DocumentCounts(failed=2), summary.failures), "the limits are the same"
    more = parse_config({"ingest": {"page_seconds": 300}})
    assert build(folder, tmp_path / "s", more).documents == DocumentCounts(added=2)


def test_document_vectors_come_with_enough_documents_and_follow_them(tmp_path, parsed):
    words = [
        f"{a}{b}" for a in ("river", "boat", "stone", "glass", "lamp") for b in ("", "man", "house", "way", "work")
    ]
    for i in range(6):
        text = [" ".join(words[(i * 5 + j + k) % 25] for k in range(10)) for j in range(12)]
        pdf(tmp_path / "in" / f"{i}.pdf", *text)
    config = parse_config({"cold_storage": {"knowledge_graph_enabled": False}})
    build(tmp_path / "in", tmp_path / "s", config)
    store = ColdStore.open(tmp_path / "s")
    index = open_documents(store.index_path("documents"), None)
    assert (list(index.ids), index.codes.shape[1]) == (sorted(store.documents()), 1024)
    assert store.index_path("doc2vec").exists() and store.index_path("trees").exists()
    assert store.manifest.models["summaries"].startswith("off: 400 blocks are needed")
    assert store.count("tokens") == store.count("blocks")
    (tmp_path / "in" / "0.pdf").unlink()
    build(tmp_path / "in", tmp_path / "s", config)
    store = ColdStore.open(tmp_path / "s")
    assert list(open_documents(store.index_path("documents"), None).ids) == sorted(store.documents())
    assert store.verify() == []
    (tmp_path / "in" / "1.pdf").unlink()
    build(tmp_path / "in", tmp_path / "s", config)
    store = ColdStore.open(tmp_path / "s")
    assert "off: document vectors need 5 documents" in store.manifest.models["documents"]
    assert "documents" not in store.manifest.index


def test_pictures_get_vectors_where_weights_are_given(folder, tmp_path, parsed):
    """With a small open_clip model of random weights: the plumbing, not the quality."""
    import open_clip
    import torch

    vision = {"image_size": 32, "layers": 1, "width": 64, "patch_size": 16}
    text = {"context_length": 16, "vocab_size": 49408, "width": 32, "heads": 2, "layers": 1}
    (tmp_path / "arch").mkdir()
    tiny = {"embed_dim": 24, "vision_cfg": vision, "text_cfg": text}
    (tmp_path / "arch" / "tiny-store-clip.json").write_text(json.dumps(tiny))
    open_clip.add_model_config(tmp_path / "arch")
    torch.save(open_clip.create_model("tiny-store-clip").state_dict(), tmp_path / "tiny.pt")
    build(folder, tmp_path / "s")
    assert [r["vector"] for r in ColdStore.open(tmp_path / "s").table("images").to_table().to_pylist()] == [None]
    config = parse_config({"ingest": {"clip": f"tiny-store-clip:{tmp_path}/tiny.pt"}})
    assert build(folder, tmp_path / "s", config).documents == DocumentCounts(unchanged=2)
    store = ColdStore.open(tmp_path / "s")
    vectors = [r["vector"] for r in store.table("images").to_table().to_pylist()]
    assert [len(v) for v in vectors] == [24]
    assert sum(x * x for x in vectors[0]) == pytest.approx(1.0, abs=1e-4)
    assert store.verify() == []
    status = json.loads((tmp_path / "s" / "meta" / "ocr_status.json").read_text())
    assert "image vectors by tiny-store-clip" in status["images"]["vectors"]
    parsed.clear()
    assert build(folder, tmp_path / "s", config).snapshot == 2
    assert parsed == set()


@pytest.mark.parametrize("lost", ["index", "tables/pages.lance"])
def test_what_is_lost_of_a_store_is_made_again(tmp_path, monkeypatch, lost):
    monkeypatch.setattr(jobs, "Pool", InProcess)
    pdf(tmp_path / "in" / "rain.pdf", "Rain fell on the river all night.")
    build(tmp_path / "in", tmp_path / "s")
    shutil.rmtree(tmp_path / "s" / lost)
    summary = build(tmp_path / "in", tmp_path / "s")
    assert (summary.snapshot, summary.documents.unchanged) == (2, 1)
    assert ColdStore.open(tmp_path / "s").verify() == []
    assert build(tmp_path / "in", tmp_path / "s").snapshot == 2


@pytest.mark.parametrize("lost", ["blocks.lance/_indices/*/page_data.lance", "sources.lance/data/*.lance"])
def test_a_damaged_store_can_be_built_anew(tmp_path, monkeypatch, lost):
    monkeypatch.setattr(jobs, "Pool", InProcess)
    pdf(tmp_path / "in" / "rain.pdf", "Rain fell on the river all night.")
    build(tmp_path / "in", tmp_path / "s")
    for file in (tmp_path / "s" / "tables").glob(lost):
        file.unlink()
    with pytest.raises((StoreError, OSError, ValueError)):
        build(tmp_path / "in", tmp_path / "s")
    assert build(tmp_path / "in", tmp_path / "s", rebuild=True).snapshot == 2
    assert ColdStore.open(tmp_path / "s").verify() == []


def test_a_file_that_changes_after_the_scan_fails_and_is_read_next_time(folder, tmp_path, parsed, monkeypatch):
    real = pipeline.scan

    def scan_then_edit(root, known):
        found = real(root, known)
        pdf(folder / "acme.pdf", "Rain fell on the river all night.")
        return found

    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "scan", scan_then_edit)
        summary = build(folder, tmp_path / "s")
    assert [(f.source, "changed while" in f.reason) for f in summary.failures] == [("acme.pdf", True)]
    time.sleep(0.01)
    again = build(folder, tmp_path / "s")
    assert again.failures == ()
    assert len(ColdStore.open(tmp_path / "s").documents()) == 2


def test_the_state_of_a_build_says_what_its_summary_does(folder, tmp_path, parsed):
    """A renamed file has its pages in the store; one that failed before is no less missing."""
    (folder / "broken.pdf").write_bytes(b"no pdf")
    build(folder, tmp_path / "s")
    (folder / "acme.pdf").rename(folder / "zenith.pdf")
    summary = build(folder, tmp_path / "s")
    state = read_live(tmp_path / "s")
    assert (summary.documents.failed, state["failed"]) == (1, 1)
    assert state["last_failures"][0]["source"] == "broken.pdf"
    assert state["files"] == {"done": 1, "total": 1}
    assert state["pages"] == {"read": 2, "indexed": 2, "expected": 2, "exact": True}
