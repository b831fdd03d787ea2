"""Builds that are killed, at any moment, and folders that go through anything: the same rows come out in the end."""

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from in_process import InProcess

from h3cold.ingest import benchmark_faults, jobs, pipeline
from h3cold.ingest.pipeline import build
from h3cold.ingest.store import ColdStore
from h3cold.ingest.store.manifest import publish_manifest, read_manifest
from h3cold.recall import ColdTier
from h3cold.schemas.config import parse_config

CONFIG = parse_config({"cold_storage": {"knowledge_graph_enabled": False}})
TEXTS = [
    "Rain fell on the river all night.",
    "The boats stayed in until noon.",
    "A lamp burned in the window.",
    "Glass and stone, said the mason.",
    "应收账款周转率上升。",
]


def pdf(path, *texts):
    path.parent.mkdir(parents=True, exist_ok=True)
    doc = pymupdf.open()
    for text in texts:
        doc.new_page().insert_text((72, 90), text, fontsize=11, fontname="china-s")
    doc.save(path, no_new_id=True)
    doc.close()


def rows(path):
    """All rows of a store but for file times, in an order of their own."""
    store = ColdStore.open(path)
    out = {}
    for name in store.manifest.tables:
        found = [{k: v for k, v in r.items() if k != "mtime_ns"} for r in store.table(name).to_table().to_pylist()]
        out[name] = sorted(found, key=lambda row: json.dumps(row, default=repr, sort_keys=True))
    return out


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    """A folder, an earlier state of it as a store, and the rows that a clean build gives."""
    base = tmp_path_factory.mktemp("clean")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "Pool", InProcess)
        for i in range(3):
            pdf(base / "in" / f"old{i}.pdf", TEXTS[i], f"Old {TEXTS[i]}")
        build(base / "in", base / "before", CONFIG)
        (base / "in" / "old0.pdf").unlink()
        pdf(base / "in" / "old1.pdf", "It was changed.")
        for i in range(5):
            pdf(base / "in" / f"new{i}.pdf", *TEXTS[i:])
        build(base / "in", base / "after", CONFIG)
    return base


def test_whatever_is_done_to_a_store_it_loses_nothing_and_tells_nothing_wrong():
    """A sample of what `h3-benchmark store` tries: kills, power cuts, full disks, damaged files."""
    print("seed", seed := int.from_bytes(os.urandom(2)))  # another sample each time, which a failure shows
    figures = benchmark_faults.run(kills=2, damages=1, full=1, seed=seed)
    tried = {name.removesuffix(" tried"): n for name, n in figures.items() if name.endswith(" tried")}
    assert {fault: figures[f"{fault} survived"] for fault in tried} == tried
    assert {fault: tried[fault] for fault in ("kill -9", "power loss", "full disk", "damage")} == {
        "kill -9": 1, "power loss": 1, "full disk": 1, "damage": 1,
    }  # fmt: skip
    assert (figures["documents lost"], figures["wrong answers after a fault"]) == (0, 0)


def test_a_clock_that_goes_backwards_harms_nothing(clean, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "Pool", InProcess)
    store = tmp_path / "s"
    shutil.copytree(clean / "before", store)
    publish_manifest(store, replace(read_manifest(store), created="2099-01-01T00:00:00+00:00"))
    build(clean / "in", store, CONFIG)
    now = ColdStore.open(store)
    assert (now.manifest.snapshot, now.verify()) == (2, [])
    assert rows(store) == rows(clean / "after")
    assert ColdStore.open(store, 1).verify() == []


def test_a_file_that_vanishes_after_the_scan_fails_alone(clean, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "Pool", InProcess)
    shutil.copytree(clean / "in", tmp_path / "in")
    real = pipeline.scan

    def scan_then_lose(root, known):
        found = real(root, known)
        (tmp_path / "in" / "new0.pdf").unlink()
        return found

    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "scan", scan_then_lose)
        summary = build(tmp_path / "in", tmp_path / "s", CONFIG)
    assert [f.source for f in summary.failures] == ["new0.pdf"]
    again = build(tmp_path / "in", tmp_path / "s", CONFIG)
    assert (again.failures, again.documents.failed) == ((), 0)
    assert ColdStore.open(tmp_path / "s").verify() == []


STEPS = ["sync_new", "replace", "set_sources", "index_tables", "build_blocks_index", "publish_manifest", "clean_up"]


@pytest.mark.parametrize(("when", "step"), [*(("before", step) for step in STEPS), ("after", STEPS[-1])])
def test_death_at_every_step_of_a_publication(clean, tmp_path, monkeypatch, step, when):
    """The process dies right before each step, or after the last; nothing is cleaned up behind it."""
    from h3cold.ingest import publication
    from h3cold.ingest.store import checksums, writer

    monkeypatch.setattr(jobs, "Pool", InProcess)
    store = tmp_path / "s"
    subprocess.run(["cp", "-a", str(clean / "before"), str(store)], check=True)
    where = {
        "sync_new": checksums.Checksums,
        "publish_manifest": writer,
        "clean_up": writer,
        "build_blocks_index": publication,
    }.get(step, writer.StoreWriter)
    real = getattr(where, step)

    class DiedError(BaseException):
        """Not an Exception: nothing may catch it."""

    def dying(*args, **options):
        if when == "before":
            raise DiedError
        real(*args, **options)
        raise DiedError

    with monkeypatch.context() as patch, pytest.raises(DiedError):
        patch.setattr(where, step, dying)
        build(clean / "in", store, CONFIG)
    published = ColdStore.open(store)
    assert published.verify() == []
    assert published.manifest.snapshot == (2 if step == "clean_up" else 1)
    build(clean / "in", store, CONFIG)
    assert rows(store) == rows(clean / "after")
    assert ColdStore.open(store).verify() == []


def answers(path):
    """What recall brings for the texts there are, with scores: all but the time it took."""
    tier = ColdTier.open(path)
    found = [tier.recall(query, top=3, intent="text") for query in ("rain on the river", TEXTS[1])]
    return [[(h.source, h.page, h.text, round(h.score, 6)) for h in hits] for hits in found]


NAMES = st.sampled_from(["a.pdf", "b.pdf", "sub/c.pdf", "sub/d.pdf"])


class Folder(RuleBasedStateMachine):
    """Whatever happens to a folder between builds, incremental equals from scratch."""

    @initialize()
    def begin(self):
        import tempfile

        self.base = Path(tempfile.mkdtemp(prefix="h3-state-"))
        self.folder, self.store = self.base / "in", self.base / "s"
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(jobs, "Pool", InProcess)
        self.write("a.pdf", 0)
        self.stale = True

    def files(self):
        return sorted(self.folder.rglob("*.pdf"))

    def write(self, name, text):
        pdf(self.folder / name, TEXTS[text])
        self.stale = True

    @rule(name=NAMES, text=st.integers(0, 2))
    def put(self, name, text):
        self.write(name, text)

    @rule(name=NAMES)
    def put_junk(self, name):
        (self.folder / name).parent.mkdir(exist_ok=True)
        (self.folder / name).write_bytes(b"%PDF-1.7 but no more")
        self.stale = True

    @precondition(lambda self: len(self.files()) > 1)
    @rule(pick=st.randoms(use_true_random=False))
    def delete(self, pick):
        pick.choice(self.files()).unlink()
        self.stale = True

    @rule(pick=st.randoms(use_true_random=False), name=NAMES)
    def rename(self, pick, name):
        (self.folder / name).parent.mkdir(exist_ok=True)
        pick.choice(self.files()).replace(self.folder / name)
        self.stale = True

    @rule(pick=st.randoms(use_true_random=False), name=NAMES)
    def copy(self, pick, name):
        data = pick.choice(self.files()).read_bytes()
        (self.folder / name).parent.mkdir(exist_ok=True)
        (self.folder / name).write_bytes(data)
        self.stale = True

    @precondition(lambda self: self.stale)
    @rule(after=st.integers(0, 3))
    def build_and_die(self, after):
        """The build dies when it has taken this many results."""
        real = jobs.run_documents

        class DiedError(BaseException):
            pass

        def dying(*args):
            for i, event in enumerate(real(*args)):
                if i == after:
                    raise DiedError
                yield event

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pipeline, "run_documents", dying)
            patch.setattr(pipeline, "AHEAD", 0)
            try:
                build(self.folder, self.store, CONFIG)
            except DiedError:
                return
        self.stale = False

    @precondition(lambda self: self.stale)
    @rule()
    def build_now(self):
        build(self.folder, self.store, CONFIG)
        self.stale = False

    @invariant()
    def same_as_from_scratch(self):
        if self.stale or not hasattr(self, "base"):
            return
        if getattr(self, "checked", None) == (snapshot := ColdStore.open(self.store).manifest.snapshot):
            return
        self.checked = snapshot
        shutil.rmtree(self.base / "scratch", ignore_errors=True)
        build(self.folder, self.base / "scratch", CONFIG)
        assert rows(self.store) == rows(self.base / "scratch")
        assert answers(self.store) == answers(self.base / "scratch")
        assert ColdStore.open(self.store).verify() == []

    def teardown(self):
        if hasattr(self, "base"):
            if self.stale:
                build(self.folder, self.store, CONFIG)
                self.stale = False
                self.same_as_from_scratch()
            self.patch.undo()
            shutil.rmtree(self.base)


TestFolder = Folder.TestCase
TestFolder.settings = settings(
    max_examples=2,
    stateful_step_count=7,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
