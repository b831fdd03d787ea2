"""A server beside a store that changes: newer and older snapshots, a store made anew or gone."""

import json
import shutil
import time
from dataclasses import replace

from h3cold.ingest.store.manifest import publish_manifest
from h3cold.recall import ColdTier
from h3cold.recall.older import Older
from h3cold.recall.serve import answer
from h3cold.recall.server import RecallServer


def test_a_newer_snapshot_is_taken_up(made, tmp_path, monkeypatch):
    shutil.copytree(made.store, tmp_path / "store")
    monkeypatch.setattr("h3cold.recall.server.LOOK", 0.05)
    taken = []
    with ColdTier.open(tmp_path / "store") as tier, RecallServer(tier, "127.0.0.1", 0, taken.append):
        before = tier.status()["snapshot"]
        publish_manifest(tmp_path / "store", replace(tier.store.manifest, snapshot=before + 1))
        until = time.monotonic() + 20
        while not taken and time.monotonic() < until:
            time.sleep(0.05)
        assert taken == [before + 1]
        assert tier.status()["snapshot"] == before + 1
        assert answer(tier, "GET", "/recall?query=steel").status == 200


def test_an_older_snapshot_is_asked_by_number_or_time(made, tmp_path):
    shutil.copytree(made.store, tmp_path / "store")
    with ColdTier.open(tmp_path / "store") as tier:
        first = tier.store.manifest
    later = replace(first, snapshot=first.snapshot + 1, created="2027-01-01T00:00:00+00:00")
    publish_manifest(tmp_path / "store", later)
    older = Older()
    with ColdTier.open(tmp_path / "store") as tier:
        now = answer(tier, "GET", "/recall?query=steel", older=older)
        for as_of in (first.snapshot, f"{first.snapshot}", "2026-12-31", None, later.snapshot):
            body = json.dumps({"query": "steel", "as_of": as_of}).encode()
            assert answer(tier, "POST", "/recall", body, older=older) == now
        assert older.at(tier, "2026-12-31").store.manifest == first and older.at(tier, "2027-02-01") is tier
        assert answer(tier, "GET", f"/recall?query=steel&as_of={first.snapshot}") == now
        for as_of, status, told in (
            (99, 404, "99"), ("2001-01-01", 404, "no snapshot as old"), ("soon", 400, "a snapshot's number or a time"),
            (True, 400, "number or a time"), ([1], 400, "number or a time"), ("", 400, "number or a time"),
        ):  # fmt: skip
            got = answer(tier, "POST", "/recall", json.dumps({"query": "steel", "as_of": as_of}).encode(), older=older)
            assert got.status == status and told in got.body["error"]


def test_an_older_snapshot_that_was_given_up_is_answered_no_more(made, tmp_path):
    shutil.copytree(made.store, tmp_path / "store")
    with ColdTier.open(tmp_path / "store") as tier:
        first = tier.store.manifest
    for more in (1, 2):
        later = replace(first, snapshot=first.snapshot + more, created=f"2027-01-0{more}T00:00:00+00:00")
        publish_manifest(tmp_path / "store", later)
    older = Older()
    with ColdTier.open(tmp_path / "store") as tier:

        def status(as_of):
            return answer(tier, "GET", f"/recall?query=steel&as_of={as_of}", older=older).status

        assert [status(first.snapshot), status(first.snapshot + 1)] == [200, 200]
        other = replace(first, created="2027-01-01T12:00:00+00:00")  # of a store made anew, with numbers of its own
        publish_manifest(tmp_path / "store", other)
        publish_manifest(tmp_path / "store", later)
        assert older.at(tier, first.snapshot).store.manifest == other
        (tmp_path / "store" / "meta" / "manifests" / f"{first.snapshot}.json").unlink()
        assert [status(first.snapshot), status(first.snapshot + 1)] == [404, 200]


def test_a_store_made_anew_is_taken_up_and_one_that_is_gone_is_not_well(made, tmp_path):
    shutil.copytree(made.store, tmp_path / "store")
    with ColdTier.open(tmp_path / "store") as tier:
        assert answer(tier, "GET", "/healthz").status == 200
        shutil.rmtree(tmp_path / "store")
        gone = answer(tier, "GET", "/healthz")
        assert gone.status == 503 and "no cold store here" in gone.body["error"]
        shutil.copytree(made.store, tmp_path / "store")
        anew = replace(tier.store.manifest, created="2027-01-01T00:00:00+00:00")
        publish_manifest(tmp_path / "store", anew)
        assert tier.refresh() and tier.status()["created"] == anew.created
        assert not tier.refresh()
        assert answer(tier, "GET", "/healthz").status == answer(tier, "GET", "/recall?query=steel").status == 200
        shutil.rmtree(tmp_path / "store" / "tables" / "blocks.lance")
        unread = answer(tier, "GET", "/healthz")
        assert unread.status == 503 and "--verify" in unread.body["error"]
