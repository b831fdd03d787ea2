"""Older snapshots: a reader keeps its own, goes on when it is told to, and can go back."""

import datetime
import json
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from h3cold.ingest.embed import open_embedder
from h3cold.ingest.store.as_of import resolve
from h3cold.ingest.store.indexes import build_blocks_index
from h3cold.ingest.store.make import source_row
from h3cold.ingest.store.manifest import publish_manifest, read_manifest
from h3cold.ingest.store.reader import ColdStore
from h3cold.ingest.store.writer import open_writer
from h3cold.recall import ColdTier, like, opening
from h3cold.recall.cli import main
from h3cold.recall.serve import answer
from h3cold.schemas.errors import StoreError, UsageError

QUESTION = "应收账款周转率"


def publish_without(path, source):
    """The next snapshot, which no longer has the document `source`."""
    store = ColdStore.open(path)
    names = {d: row["source"] for d, row in store.documents().items() if row["source"] != source}
    dimension = store.table("blocks").schema.field("vector").type.list_size
    with open_writer(path, text_dimension=dimension) as writer:
        writer.remove(set(store.documents()) - set(names))
        writer.flush()
        writer.replace("sources", [source_row(s, s.encode(), document=d) for d, s in names.items()])
        writer.set_sources({d: [s] for d, s in names.items()})
        writer.index_tables()
        index = build_blocks_index(writer.path, writer.table("blocks"), snapshot=writer.number(), kind="Flat")
        old = store.manifest
        writer.publish(root=old.root, config="", models=old.models, index=index, keep_days=7)


@pytest.fixture
def two(made, tmp_path):
    """Snapshot 1, of the year 2020, has what snapshot 2 has not."""
    path = tmp_path / "h3_cold"
    shutil.copytree(made.store, path)
    publish_manifest(path, replace(read_manifest(path), created="2020-06-01T12:00:00+00:00"))
    before = ColdTier.open(path)
    publish_without(path, "huaxin.pdf")
    return path, before


def found(tier):
    return {hit.source for hit in tier.recall(QUESTION, top=5)}


def test_a_reader_keeps_its_snapshot_until_it_refreshes(two):
    path, before = two
    with before, ColdTier.open(path) as after:
        assert "huaxin.pdf" in found(before)
        assert "huaxin.pdf" not in found(after)
        hit = before.recall(QUESTION, top=1)[0]
        assert before.refresh() is True
        assert "huaxin.pdf" not in found(before)
        assert before.refresh() is False
        assert hit.source == "huaxin.pdf" and hit.image()[:4] == b"\x89PNG"


@pytest.mark.parametrize(
    "when", [1, "1", "2020-06-01", datetime.date(2020, 6, 1), "2020-06-01T12:00:00Z", "2024-02-29T00:00"]
)
def test_an_older_snapshot_by_number_or_time(two, when):
    path, before = two
    with before, ColdTier.open(path, as_of=when) as tier:
        assert tier.status()["snapshot"] == 1
        assert "huaxin.pdf" in found(tier)


def test_now_is_the_current_one(two):
    path, before = two
    before.close()
    now = datetime.datetime.now() + datetime.timedelta(hours=1)
    assert [resolve(path, when) for when in (None, 2, now, now.isoformat(), "9999-01-01")] == [None, 2, 2, 2, 2]


def test_what_there_is_not(two, capsys):
    path, before = two
    before.close()
    with pytest.raises(StoreError, match=r"no snapshot as old as 2019-01-01 is kept; the oldest is 1 of 2020-06-01"):
        ColdTier.open(path, as_of="2019-01-01")
    with pytest.raises(UsageError, match="a snapshot's number or a time"):
        ColdTier.open(path, as_of="yesterday")
    for when in ("7", "2019-01-01", "yesterday"):
        assert main([QUESTION, "--store", str(path), "--as-of", when]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_the_command_asks_an_older_snapshot(two, capsys):
    path, before = two
    before.close()
    for arguments, expected in (([], False), (["--as-of", "1"], True), (["--as-of", "2020-07-01"], True)):
        assert main([QUESTION, "--store", str(path), "--json", *arguments]) == 0
        hits = json.loads(capsys.readouterr().out)["hits"]
        assert ("huaxin.pdf" in {h["source"] for h in hits}) is expected


class Marked:
    """A model that says of each text that it embeds by which one that was."""

    def __init__(self, mark, told):
        self.mark, self.told, self.model = mark, told, open_embedder()

    def queries(self, texts):
        self.told.append(self.mark)
        return self.model.queries(texts)


class InSteps(ColdTier):
    """A tier that, once it has `steps`, waits after each thing that it sets until it may go on."""

    steps = None

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if self.steps is not None:
            reached, go = self.steps
            reached.release()
            assert go.acquire(timeout=60)


def test_a_question_is_embedded_by_its_snapshots_model_however_far_a_refresh_is(made, tmp_path, monkeypatch):
    shutil.copytree(made.store, path := tmp_path / "h3_cold")
    told = []
    monkeypatch.setattr(opening, "_embedder", lambda models: (Marked(models.get("mark", "old"), told), ""))
    with InSteps.open(path) as tier, ThreadPoolExecutor(1) as other:
        now = read_manifest(path)
        publish_manifest(path, replace(now, snapshot=now.snapshot + 1, models={**now.models, "mark": "new"}))
        reached, go = threading.Semaphore(0), threading.Semaphore(0)
        tier.__dict__["steps"] = reached, go
        refreshed, met = other.submit(tier.refresh), []
        while not refreshed.done():
            if reached.acquire(timeout=0.05):
                told.clear()
                snapshot, asked = tier.prepare("price of steel")
                asked.vector()
                met.append((snapshot.store.manifest.models.get("mark", "old"), *told))
                go.release()
        del tier.__dict__["steps"]
        assert refreshed.result() and ("new", "new") in met and all(of == by for of, by in met)


def test_a_request_is_of_one_snapshot_though_the_tier_goes_on_meanwhile(two, monkeypatch):
    _, before = two
    with before:
        hit = before.recall(QUESTION, top=1)[0]
        first = answer(before, "GET", f"/blocks/{hit.block}?context=page")

        def going_on(block):
            found = ColdTier.block(before, block)
            before.refresh()
            return found

        monkeypatch.setattr(before, "block", going_on)
        assert first.status == 200 and answer(before, "GET", f"/blocks/{hit.block}?context=page") == first
        assert before.status()["snapshot"] == 2


def test_documents_are_of_one_snapshot_though_the_tier_goes_on_meanwhile(two, monkeypatch):
    _, before = two
    with before:
        first, real = before.documents_like(QUESTION), like.documents_like

        def going_on(*given, **named):
            before.refresh()
            return real(*given, **named)

        monkeypatch.setattr(like, "documents_like", going_on)
        assert first and before.documents_like(QUESTION) == first
        assert before.status()["snapshot"] == 2
