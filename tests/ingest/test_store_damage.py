"""A store that a crash or a bad disk has been at: told, never guessed around."""

import json

import numpy as np
import pytest
from test_store import DIM, A, B, document, ids, passage, publish, store_with

from h3cold.ingest.repair import repair
from h3cold.ingest.store.arrays import map_arrays, write_arrays
from h3cold.ingest.store.checksums import Checksums
from h3cold.ingest.store.manifest import read_manifest
from h3cold.ingest.store.reader import ColdStore
from h3cold.ingest.store.writer import open_writer
from h3cold.schemas.block import block_id
from h3cold.schemas.errors import CorruptionError, StoreError


def test_the_manifest_is_replaced_last(tmp_path, monkeypatch):
    """A crash at publication leaves the former snapshot current, and the work to go on with."""
    from h3cold.ingest.store import writer as writing

    store_with(tmp_path / "s", document(A, [passage(A, 0)]))

    def die(store, manifest):
        raise KeyboardInterrupt

    with open_writer(tmp_path / "s", text_dimension=DIM) as writer:
        writer.add(document(B, [passage(B, 0)]))
        monkeypatch.setattr(writing, "publish_manifest", die)
        with pytest.raises(KeyboardInterrupt):
            publish(writer)
    monkeypatch.undo()
    assert ids(ColdStore.open(tmp_path / "s")) == [block_id(A, 0)]
    with open_writer(tmp_path / "s", text_dimension=DIM) as writer:
        assert sorted(writer.stages()) == [A, B]
        publish(writer)
    assert read_manifest(tmp_path / "s").snapshot == 2
    assert json.loads((tmp_path / "s" / "meta" / "manifests" / "2.json").read_text())["snapshot"] == 2


@pytest.mark.parametrize("pattern", ["_indices/*/page_lookup.lance", "_versions/*.manifest", "data/*.lance"])
def test_a_flipped_bit_is_told_before_lance_stumbles_over_it(tmp_path, pattern):
    store_with(tmp_path / "s", document("a", [passage("a", 0)]))
    for victim in (tmp_path / "s" / "tables" / "blocks.lance").glob(pattern):
        data = bytearray(victim.read_bytes())
        data[len(data) // 2] ^= 16
        victim.write_bytes(data)
    store = ColdStore.open(tmp_path / "s")
    with pytest.raises(CorruptionError, match="content is not what was written"):
        store.table("blocks")
    assert store.count("documents") == 1
    assert any("is not what was written" in line for line in store.verify())


def test_a_file_that_may_not_be_read_is_not_told_as_damaged(tmp_path, monkeypatch):
    """Who runs the tests may be allowed all, so that the system's refusal is played."""
    from h3cold.ingest.store import checksums

    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    store_with(tmp_path / "s", document("a", [passage("a", 0)]))
    monkeypatch.setattr(checksums, "file_digest", refuse)
    with pytest.raises(StoreError, match=r"blocks\.lance.*cannot be read: Permission denied") as error:
        ColdStore.open(tmp_path / "s").table("blocks")
    assert "--re" not in str(error.value) and not isinstance(error.value, CorruptionError)


def test_a_lost_manifest_of_which_there_is_a_record_can_be_put_back(tmp_path):
    whole = store_with(tmp_path / "s", document("a", [passage("a", 0)])).manifest
    (tmp_path / "s" / "manifest.json").unlink()
    with pytest.raises(StoreError, match=r"manifest\.json is gone; h3-monitor --store .* --verify --repair"):
        ColdStore.open(tmp_path / "s")
    repair(tmp_path / "s")
    assert read_manifest(tmp_path / "s").tables == whole.tables


def test_a_lost_file_of_an_index_is_named(tmp_path):
    store_with(tmp_path / "s", document("a", [passage("a", 0)]))
    next((tmp_path / "s" / "tables" / "blocks.lance" / "_indices").rglob("page_data.lance")).unlink()
    store = ColdStore.open(tmp_path / "s")
    with pytest.raises(CorruptionError, match=r"page_data\.lance is missing; see h3-monitor --verify --repair"):
        store.table("blocks")
    assert any("is missing" in line for line in store.verify())


def test_an_index_of_words_that_is_not_the_table_s_is_told(tmp_path):
    store = store_with(tmp_path / "s", document("a", [passage("a", 0, "one two"), passage("a", 1, "three four")]))
    assert store.verify() == []
    path = store.index_path("blocks.words")
    arrays, notes = map_arrays(path)
    for name in ("tokens", "rowid", "keys", "ids"):
        write_arrays(path, arrays | {name: np.flip(arrays[name])}, notes)
        (store.path / "meta" / "checksums.json").unlink()
        Checksums(store.path).save()
        assert any(line.startswith("index blocks.words: ") for line in ColdStore.open(store.path).verify()), name
