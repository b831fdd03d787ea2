"""Older snapshots: a reader keeps its own, goes on when it is told to, and can go back."""

import datetime
import json
import shutil
from dataclasses import replace

import pytest

from h3cold.ingest.store.as_of import resolve
from h3cold.ingest.store.indexes import build_blocks_index
from h3cold.ingest.store.make import source_row
from h3cold.ingest.store.manifest import publish_manifest, read_manifest
from h3cold.ingest.store.reader import ColdStore
from h3cold.ingest.store.writer import open_writer
from h3cold.recall import ColdTier
from h3cold.recall.cli import main
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
