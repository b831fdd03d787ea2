"""The store itself: what goes in comes out, snapshots stand, one writer, nothing half-written is ever seen."""

import datetime
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from h3cold.ingest.store import retention
from h3cold.ingest.store.arrays import map_arrays
from h3cold.ingest.store.indexes import build_blocks_index, read_ids, read_index
from h3cold.ingest.store.make import source_row
from h3cold.ingest.store.manifest import history
from h3cold.ingest.store.reader import ColdStore
from h3cold.ingest.store.rows import DocumentRows, rounded_block, row_mention, row_relation
from h3cold.ingest.store.words import rows_with
from h3cold.ingest.store.writer import open_writer
from h3cold.schemas.block import Block, block_id
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.errors import CorruptionError, DocumentError, StoreBusyError, StoreError, StoreVersionError
from h3cold.schemas.geometry import PageBox
from h3cold.schemas.graph import Mention, Relation
from h3cold.schemas.manifest import STORE_VERSION, Manifest
from h3cold.schemas.page import Cell, Page, Region, Table

A, B, C = "a" * 32, "b" * 32, "c" * 32
DIM = 16


def table_block(document, position):
    cells = (
        Cell(0, 0, "应收账款", (10.123, 20, 30, 40), colspan=2, header=True),
        Cell(1, 0, "1,234", (10, 40, 20, 50)),
    )
    boxes = (PageBox(2, (10.123, 20.456, 30, 40), 0, 4), PageBox(3, (1, 2, 3, 4), 4, 9))
    return Block(block_id(document, position), document, position, "table", "应收账款\n1,234", ("一、", "'2'"), boxes,
                 "zh", "表 1", Table(2, 2, cells), "g1", 1, 2, 7)  # fmt: skip


def passage(document, position, text="Revenue rose."):
    return Block(block_id(document, position), document, position, "passage", text, (), (PageBox(1, (0, 0, 9, 9)),))


def document(name, blocks, **extra):
    vectors = np.random.default_rng(len(blocks)).normal(size=(len(blocks), DIM)).astype(np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    page = Page(1, 595, 842, 0, "text", "geometry", (Region("text", (0, 0, 9, 9), "x", 0),))
    return DocumentRows(
        id=name,
        info=DocumentInfo(title=f"T {name[0]}", authors=("李四", "O'Neil")),
        stages={"parse": "p"},
        pages=[page],
        blocks=[rounded_block(b) for b in blocks],
        indexed=[b.text for b in blocks],
        tokens_text=[b.text.lower() for b in blocks],
        vectors=vectors,
        page_count=1,
        **extra,
    )


def publish(writer, **options):
    writer.flush()
    rows = [source_row(f"{d[0]}.pdf", f"{d[0]}.pdf".encode(), document=d) for d in sorted(writer.stages())]
    writer.replace("sources", rows)
    writer.set_sources({row["document"]: [row["source"]] for row in rows})
    writer.index_tables()
    index = build_blocks_index(writer.path, writer.table("blocks"), snapshot=writer.number(), kind="Flat")
    return writer.publish(root="/r", config="", models={}, index=index, **{"keep_days": 1.0, **options})


def store_with(path, *documents, **options):
    with open_writer(path, text_dimension=DIM) as writer:
        for rows in documents:
            writer.add(rows)
        publish(writer, **options)
    return ColdStore.open(path)


def ids(store):
    return sorted(store.table("blocks").to_table(columns=["id"])["id"].to_pylist())


def test_what_goes_in_comes_out(tmp_path):
    block = table_block(A, 1)
    mention = Mention("e1", A, block.id, "ORG", "华为", 0, 2, 2, (1.0, 2.0, 3.0, 4.0))
    relation = Relation("r1", "owns", "e1", "e2", A, block.id, 2, 0, 4, 0.9, "51%", "2023")
    image = {
        "block": block.id,
        "document": A,
        "page": 2,
        "bbox": [1.0, 2.0, 3.0, 4.0],
        "png": b"\x89PNG",
        "vector": None,
    }
    rows = document(A, [passage(A, 0), block], images=[image], mentions=[mention], relations=[relation])
    store = store_with(tmp_path / "s", rows)
    assert store.blocks([block.id, block_id(A, 0)]) == [rounded_block(block), passage(A, 0)]
    assert store.image(block.id) == b"\x89PNG"
    assert store.image(block_id(A, 0)) is None
    assert [row_mention(r) for r in store.table("mentions").to_table().to_pylist()] == [mention]
    assert [row_relation(r) for r in store.table("relations").to_table().to_pylist()] == [relation]
    assert store.documents()[A]["sources"] == ["a.pdf"]
    assert store.documents()[A]["authors"] == ["李四", "O'Neil"]
    assert str(store.source_path(A)) == "/r/a.pdf"
    assert store.table("pages").to_table().num_rows == 1
    assert store.manifest.counts["blocks"] == 2


def test_the_index_of_words_has_our_tokens_and_nothing_else(tmp_path):
    store = store_with(tmp_path / "s", document(A, [passage(A, 0, "应收 账款 the"), passage(A, 1, "ÉTÉ naïve")]))
    for word, expected in (("账款", [0]), ("the", [0]), ("naïve", [1]), ("naive", []), ("账", [])):
        arrays, _ = map_arrays(store.index_path("blocks.words"))
        assert arrays["position"][rows_with(arrays, word)].tolist() == expected, word


def test_a_document_is_replaced_and_removed_with_all_its_rows(tmp_path):
    mention = Mention("e1", A, block_id(A, 0), "ORG", "x", 0, 1, 1, (0.0, 0.0, 1.0, 1.0))
    store_with(
        tmp_path / "s", document(A, [passage(A, i) for i in range(5)], mentions=[mention]), document(B, [passage(B, 0)])
    )
    store = store_with(tmp_path / "s", document(A, [passage(A, 0, "new")]))
    assert ids(store) == [block_id(A, 0), block_id(B, 0)]
    assert store.count("mentions") == 0
    with open_writer(tmp_path / "s", text_dimension=DIM) as writer:
        writer.remove([A])
        publish(writer)
    store = ColdStore.open(tmp_path / "s")
    assert ids(store) == [block_id(B, 0)]
    assert list(store.documents()) == [B]
    assert store.count("pages") == 1
    index_ids = read_ids(store.index_path("blocks.ids"))
    assert index_ids == [block_id(B, 0)]
    assert read_index(store.index_path("blocks"), index_ids).ntotal == 1


def test_a_reader_keeps_its_snapshot(tmp_path):
    old = store_with(tmp_path / "s", document(A, [passage(A, 0)]))
    new = store_with(tmp_path / "s", document(B, [passage(B, 0)]))
    assert (old.manifest.snapshot, old.latest(), new.manifest.snapshot) == (1, 2, 2)
    assert ids(old) == [block_id(A, 0)]  # opened only now
    assert ids(ColdStore.open(tmp_path / "s", 1)) == [block_id(A, 0)]
    assert ids(new) == [block_id(A, 0), block_id(B, 0)]
    with pytest.raises(StoreError, match="no snapshot 7; at hand: 1, 2"):
        ColdStore.open(tmp_path / "s", 7)


def test_unpublished_work_is_not_seen_and_is_gone_on_with(tmp_path):
    store_with(tmp_path / "s", document(A, [passage(A, 0)]))
    with open_writer(tmp_path / "s", text_dimension=DIM) as writer:
        writer.add(document(B, [passage(B, 0)]))
        writer.flush()
        writer.add(document(C, [passage(C, 0)]))  # never flushed: lost with its writer
    assert ids(ColdStore.open(tmp_path / "s")) == [block_id(A, 0)]
    with open_writer(tmp_path / "s", text_dimension=DIM) as writer:
        assert writer.resumed
        assert sorted(writer.stages()) == [A, B]
        publish(writer)
    assert ids(ColdStore.open(tmp_path / "s")) == [block_id(A, 0), block_id(B, 0)]


def test_rows_written_after_the_last_checkpoint_are_set_aside(tmp_path):
    store_with(tmp_path / "s", document(A, [passage(A, 0)]))
    with open_writer(tmp_path / "s", text_dimension=DIM) as writer:  # dies between two tables' appends
        tables = document(B, [passage(B, 0)]).tables()
        import pyarrow as pa

        writer._tables.append("blocks", pa.Table.from_pylist(tables["blocks"], schema=writer._tables.schemas["blocks"]))
    with open_writer(tmp_path / "s", text_dimension=DIM) as writer:
        assert writer.table("blocks").count_rows() == 1
        writer.add(document(C, [passage(C, 0)]))
        publish(writer)
    assert ids(ColdStore.open(tmp_path / "s")) == [block_id(A, 0), block_id(C, 0)]


def test_vectors_of_another_size_empty_their_table_while_readers_go_on(tmp_path):
    old = store_with(tmp_path / "s", replace(document(A, [passage(A, 0)]), stages={"parse": "1", "blocks": "2"}))
    with open_writer(tmp_path / "s", text_dimension=8) as writer:
        assert writer.stages() == {A: {"parse": "1"}}
        assert (writer.table("blocks").count_rows(), writer.table("documents").count_rows()) == (0, 1)
    with open_writer(tmp_path / "s", text_dimension=8) as writer:
        assert writer.resumed
        assert writer.stages() == {A: {"parse": "1"}}
    assert ids(old) == [block_id(A, 0)]


def test_a_second_writer_is_told_who_is_writing(tmp_path):
    with open_writer(tmp_path / "s", text_dimension=DIM):
        code = (
            "import sys\nfrom h3cold.ingest.store.writer import open_writer\n"
            "from h3cold.schemas.errors import StoreBusyError\n"
            "try:\n open_writer(sys.argv[1], text_dimension=16)\nexcept StoreBusyError as e:\n print(e)"
        )
        out = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "s")], capture_output=True, text=True, check=True
        )
        import os

        assert f"process {os.getpid()} on" in out.stdout
        with pytest.raises(StoreBusyError):
            open_writer(tmp_path / "s", text_dimension=DIM)
    open_writer(tmp_path / "s", text_dimension=DIM).close()


def test_other_schema_versions_are_refused(tmp_path):
    store_with(tmp_path / "s", document(A, [passage(A, 0)]))
    path = tmp_path / "s" / "manifest.json"
    path.write_text(path.read_text().replace(f'"schema_version": {STORE_VERSION}', '"schema_version": 99'))
    for use in (lambda: ColdStore.open(tmp_path / "s"), lambda: open_writer(tmp_path / "s", text_dimension=DIM)):
        with pytest.raises(StoreVersionError, match="schema version 99"):
            use()


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", f'{{"schema_version": {STORE_VERSION}}}', "\x00" * 40])
def test_a_damaged_manifest_is_named(tmp_path, content):
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(StoreError, match=r"manifest\.json: the manifest is damaged"):
        ColdStore.open(tmp_path)


def test_no_store_no_table_no_block_are_named(tmp_path):
    with pytest.raises(StoreError, match="no cold store here"):
        ColdStore.open(tmp_path)
    store = store_with(tmp_path / "s", document(A, [passage(A, 0)]))
    with pytest.raises(StoreError, match="no table 'cats'"):
        store.table("cats")
    with pytest.raises(CorruptionError, match="has no block nope"):
        store.blocks(["nope"])
    with pytest.raises(StoreError, match="no index 'nope'"):
        store.index_path("nope")
    with pytest.raises(StoreError, match="no document x'y"):
        store.source_path("x'y")


def test_a_store_that_cannot_be_written_says_so_in_one_line(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be written") as error:
        open_writer(tmp_path / "file", text_dimension=DIM)
    assert "\n" not in str(error.value)


def test_a_row_that_cannot_be_stored_is_its_documents_failure(tmp_path):
    with open_writer(tmp_path / "s", text_dimension=DIM) as writer:
        with pytest.raises(DocumentError, match="cannot be stored"):
            writer.add(document(A, [passage(A, 0, "lone \ud800 surrogate")]))
        writer.add(document(B, [passage(B, 0)]))
        publish(writer)
    assert ids(ColdStore.open(tmp_path / "s")) == [block_id(B, 0)]


def test_clean_up_keeps_what_kept_snapshots_name(tmp_path):
    path = tmp_path / "s"
    store_with(path, document(A, [passage(A, 0)]))
    kept = store_with(path, document(B, [passage(B, 0)]))
    store_with(path, document(C, [passage(C, 0)]), keep_days=0)
    assert [m.snapshot for m in history(path)] == [3]
    assert sorted(p.name for p in (path / "index").iterdir()) == ["3"]
    assert sorted(p.stem for p in (path / "meta" / "manifests").iterdir()) == ["3"]
    fresh = ColdStore.open(path)
    assert len(ids(fresh)) == 3
    assert [v["version"] for v in fresh.table("blocks").versions()] == [fresh.manifest.tables["blocks"]]
    with pytest.raises(CorruptionError, match="does not open"):
        kept.table("blocks")


def test_age_counts_from_replacement():
    def at(n, day):
        return Manifest(1, n, f"2026-01-{day:02d}T00:00:00+00:00", "", "")

    now = datetime.datetime(2026, 1, 20, tzinfo=datetime.UTC)
    shots = [at(1, 1), at(2, 10), at(3, 15), at(4, 19)]
    assert [m.snapshot for m in retention.kept_snapshots(shots, keep_days=7, now=now)] == [2, 3, 4]
    assert [m.snapshot for m in retention.kept_snapshots(shots, keep_days=0, now=now)] == [4]
    for most, kept in ((1, [4]), (2, [3, 4]), (9, [2, 3, 4]), (0, [2, 3, 4])):
        assert [m.snapshot for m in retention.kept_snapshots(shots, keep_days=7, now=now, keep_snapshots=most)] == kept
    back = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)  # a clock that went backwards removes nothing
    assert len(retention.kept_snapshots(shots, keep_days=7, now=back)) == 4


def test_many_appends_are_merged(tmp_path):
    with open_writer(tmp_path / "s", text_dimension=DIM) as writer:
        names = [f"{i:032x}" for i in range(30)]
        for name in names:
            writer.add(document(name, [passage(name, 0)]))
            writer.flush()
        publish(writer)
    store = ColdStore.open(tmp_path / "s")
    assert len(store.table("blocks").get_fragments()) == 1
    assert ids(store) == [block_id(n, 0) for n in names]
    assert len(store.blocks([block_id(n, 0) for n in names])) == 30


def test_a_clock_that_goes_back_makes_no_snapshot_older_than_the_last(tmp_path):
    store_with(tmp_path / "s", document(A, [passage(A, 0)]))
    with open_writer(tmp_path / "s", text_dimension=DIM) as writer:
        writer.base = replace(writer.base, created="2999-01-01T00:00:00+00:00")
        writer.add(document(B, [passage(B, 0)]))
        assert publish(writer).created == writer.base.created == "2999-01-01T00:00:00+00:00"


def test_an_index_that_disagrees_with_its_ids_is_refused(tmp_path):
    store = store_with(tmp_path / "s", document(A, [passage(A, 0)]))
    with pytest.raises(CorruptionError, match="1 rows for 2 ids"):
        read_index(store.index_path("blocks"), ["x", "y"])
    path = store.index_path("blocks")
    path.write_bytes(b"junk")
    with pytest.raises(CorruptionError, match="not what was written"):
        store.index_path("blocks")
    with pytest.raises(CorruptionError, match="does not load"):
        read_index(path, ["x"])
