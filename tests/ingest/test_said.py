"""The index of what blocks say: as the table says it, built upon the one before, and never believed when damaged."""

import numpy as np
import pytest
from test_store import A, B, C, document, passage, publish, store_with, table_block

from h3cold.ingest.store.arrays import map_arrays, write_arrays
from h3cold.ingest.store.checksums import Checksums
from h3cold.ingest.store.reader import ColdStore
from h3cold.ingest.store.rows import SAID
from h3cold.ingest.store.said import ROLE, build_said_index, open_said, read_said
from h3cold.ingest.store.writer import open_writer
from h3cold.schemas.errors import CorruptionError


def said_of(store):
    said = open_said(store.index_path(ROLE))
    return [read_said(said, row) for row in range(len(said.digests))]


def rows_of(store):
    return store.table("blocks").to_table(columns=list(SAID)).sort_by("id").to_pylist()


def test_it_says_what_the_table_does(tmp_path):
    odd = passage(B, 0, "a text of “quotes”\n\0 and 𠀀")
    store = store_with(tmp_path / "s", document(A, [table_block(A, 1), passage(A, 0)]), document(B, [odd]))
    assert said_of(store) == rows_of(store)
    assert len(said_of(store)) == 3
    assert store.verify() == []


def test_a_store_without_blocks_has_one_too(tmp_path):
    assert said_of(store_with(tmp_path / "s")) == []


def test_what_did_not_change_is_taken_over_and_the_rest_is_read(tmp_path):
    path = tmp_path / "s"
    store_with(path, document(A, [passage(A, 0, "one"), passage(A, 1, "two")]), document(C, [passage(C, 0, "three")]))
    before = ColdStore.open(path).manifest.index
    with open_writer(path, text_dimension=16) as writer:
        writer.remove([A])
        writer.add(document(A, [passage(A, 0, "one"), passage(A, 1, "another")]))
        writer.add(document(B, [table_block(B, 0)]))
        publish(writer)
        blocks = writer.table("blocks")
        anew = map_arrays(path / build_said_index(path, blocks, snapshot=8)[ROLE])[0]
        upon = map_arrays(path / build_said_index(path, blocks, snapshot=9, former=before)[ROLE])[0]
    assert {name: array.tolist() for name, array in upon.items()} == {n: a.tolist() for n, a in anew.items()}
    store = ColdStore.open(path)
    assert said_of(store) == rows_of(store)
    assert [row["text"] for row in said_of(store)] == ["one", "another", "应收账款\n1,234", "three"]


def test_damage_is_told_where_it_is_met(tmp_path):
    store = store_with(tmp_path / "s", document(A, [passage(A, n, f"text {n}") for n in range(3)]))
    path = store.index_path(ROLE)
    arrays, notes = map_arrays(path)
    for name, value in (("said", np.uint8(0)), ("digests", b"0" * 32), ("said_at", 1)):
        spoilt = arrays[name].copy()
        spoilt[1] = value
        write_arrays(path, arrays | {name: spoilt}, notes)
        with pytest.raises(CorruptionError, match="--verify --repair"):
            [read_said(open_said(path), row) for row in range(3)]
    write_arrays(path, {"said": arrays["said"]}, notes)
    with pytest.raises(CorruptionError, match="--verify --repair"):
        open_said(path)


def test_an_index_of_other_blocks_is_told(tmp_path):
    store = store_with(tmp_path / "s", document(A, [passage(A, 0, "one"), passage(A, 1, "two")]))
    path = store.index_path(ROLE)
    arrays, notes = map_arrays(path)
    write_arrays(path, arrays | {"digests": arrays["digests"][::-1]}, notes)
    (store.path / "meta" / "checksums.json").unlink()
    Checksums(store.path).save()
    assert [f"index {ROLE}: its blocks are not those of the table"] == ColdStore.open(store.path).verify()


def test_a_text_that_changed_is_told_though_no_checksum_is_left(tmp_path):
    store = store_with(tmp_path / "s", document(A, [passage(A, n, f"text {n}") for n in range(3)]))
    arrays, notes = map_arrays(store.index_path(ROLE))
    spoilt = arrays["said"].copy()
    spoilt[int(arrays["said_at"][1]) + 3] ^= 16
    write_arrays(store.index_path(ROLE), arrays | {"said": spoilt}, notes)
    (store.path / "meta" / "checksums.json").unlink()
    Checksums(store.path).save()
    assert ColdStore.open(store.path).verify() == [
        f"index {ROLE}: what it has for 1 of 3 blocks is not what was written"
    ]
