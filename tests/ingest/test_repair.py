"""What is damaged is found, told whose it is, and mended where it is derived."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from in_process import InProcess
from pdfs import pdf
from test_pipeline import rows

from h3cold.ingest import jobs
from h3cold.ingest.pipeline import build
from h3cold.ingest.repair import repair
from h3cold.ingest.store import ColdStore, indexes
from h3cold.ingest.store.arrays import map_arrays, write_arrays
from h3cold.ingest.store.files import seal
from h3cold.ingest.store.manifest import publish_manifest, read_manifest
from h3cold.ingest.store.verify import needed_files
from h3cold.schemas.config import Config, Hbf
from h3cold.schemas.errors import CorruptionError, StoreError, StoreVersionError


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder and a store of two snapshots."""
    base = tmp_path_factory.mktemp("repair")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "Pool", InProcess)
        pdf(base / "in" / "acme.pdf", "Acme Holdings Limited acquired Bolt Systems Inc. in 2021.", table=True)
        build(base / "in", base / "s")
        pdf(base / "in" / "rain.pdf", "Rain fell on the river all night.")
        build(base / "in", base / "s")
    return base


@pytest.fixture
def store(made, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "Pool", InProcess)
    shutil.copytree(made / "s", tmp_path / "s")
    return tmp_path / "s"


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 16
    path.write_bytes(data)


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def newest(store, pattern):
    return max(store.glob(pattern), key=lambda p: (p.stat().st_mtime_ns, p.name))


DERIVED = {
    "vectors": "index/2/blocks.faiss",
    "ids": "index/2/blocks.ids",
    "words": "index/2/blocks.words",
    "said": "index/2/blocks.said",
    "graph": "index/*/graph",
    "lookup": "tables/mentions.lance/_indices/*/page_data.lance",
    "copy": "meta/manifests/2.json",
    "manifest": "manifest.json",
    "checksums": "meta/checksums.json",
}


SPOILT = [*((flip, what) for what in DERIVED), (cut, "words"), (Path.unlink, "vectors"), (Path.unlink, "checksums")]


@pytest.mark.parametrize(("spoil", "what"), SPOILT, ids=[f"{what}-{spoil.__name__}" for spoil, what in SPOILT])
def test_what_is_derived_is_found_damaged_and_made_anew(made, store, what, spoil):
    before = rows(ColdStore.open(store))
    spoil(newest(store, DERIVED[what]))
    try:
        problems = ColdStore.open(store).verify()
    except StoreError as e:
        problems = [str(e)]
    assert problems
    assert repair(store)
    healed = ColdStore.open(store)
    assert healed.verify() == []
    assert rows(healed) == before
    assert repair(store) == []


def other_name(path):
    """Of one of the arrays that the file holds, its header staying as long as it was."""
    data = path.read_bytes()
    name = next(
        n for n in (b"of_edge", b"said_at", b"name_at", b"keys", b"codes", b"ids", b"rowid") if b'"%s"' % n in data
    )
    path.write_bytes(data.replace(b'"%s"' % name, b'"%s"' % name[::-1]))


ROLES = {"said": "blocks.said", "words": "blocks.words", "vectors": "blocks"}
WITHOUT_RECORD = [
    (flip, "said"), (cut, "said"), (cut, "statements"), (other_name, "statements"), (other_name, "words"),
    (other_name, "graph"), (cut, "vectors"),
]  # fmt: skip


@pytest.mark.parametrize(("spoil", "what"), WITHOUT_RECORD, ids=[f"{w}-{s.__name__}" for s, w in WITHOUT_RECORD])
def test_what_is_derived_is_made_anew_though_the_checksums_are_lost_too(store, what, spoil):
    before = rows(ColdStore.open(store))
    index = read_manifest(store).index
    spoil(store / index[ROLES.get(what, what)])
    (store / "meta" / "checksums.json").unlink()
    found = [line for line in ColdStore.open(store).verify() if not line.startswith("meta/")]
    assert found and all(line.startswith("index ") and "--rebuild" not in line for line in found)
    assert repair(store)[-1].startswith("index: made anew")
    healed = ColdStore.open(store)
    assert healed.verify() == []
    assert rows(healed) == before


def test_a_number_of_an_index_that_nothing_can_check_is_not_believed(store):
    """The vectors of sentences have no digest but that of their file."""
    path = store / read_manifest(store).index["statements"]
    arrays, notes = map_arrays(path)
    codes = arrays["codes"].copy()
    write_arrays(path, arrays | {"codes": -codes}, notes)
    (store / "meta" / "checksums.json").unlink()
    repair(store)
    healed = ColdStore.open(store)
    assert healed.verify() == []
    assert (map_arrays(healed.index_path("statements"))[0]["codes"] == codes).all()


def killed(*_, **__):
    raise KeyboardInterrupt


@pytest.mark.parametrize("step", ["h3cold.ingest.repair._publish_anew", "h3cold.ingest.store.writer.publish_manifest"])
def test_a_repair_that_was_interrupted_leaves_no_index_believed(store, monkeypatch, step):
    path = store / read_manifest(store).index["statements"]
    arrays, notes = map_arrays(path)
    codes = arrays["codes"].copy()
    write_arrays(path, arrays | {"codes": -codes}, notes)
    (store / "meta" / "checksums.json").unlink()
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(step, killed)
        repair(store)
    assert any("whether the indexes hold cannot be told" in line for line in ColdStore.open(store).verify())
    assert repair(store)[-1].startswith("index: made anew")
    healed = ColdStore.open(store)
    assert healed.verify() == []
    assert (map_arrays(healed.index_path("statements"))[0]["codes"] == codes).all()


def test_a_model_of_documents_that_nothing_can_check_is_learned_anew(tmp_path, monkeypatch):
    """A build keeps it, under its former name, as long as most documents stay; that would never be believed again."""
    monkeypatch.setattr(jobs, "Pool", InProcess)
    for number in range(5):
        lines = [" ".join(f"{word}{number}" for word in ["tide", "harbour", "vessel", "anchor", "keel", "cargo"])] * 9
        pdf(tmp_path / "in" / f"{number}.pdf", "\n".join(lines))
    build(tmp_path / "in", tmp_path / "s")
    model = read_manifest(tmp_path / "s").index["doc2vec"]
    (tmp_path / "s" / "meta" / "checksums.json").write_text("{")
    shutil.copytree(tmp_path / "s", tmp_path / "interrupted")
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("h3cold.ingest.repair._publish_anew", killed)
        repair(tmp_path / "interrupted")
    for store in (tmp_path / "s", tmp_path / "interrupted"):
        assert repair(store)[-1].startswith("index: made anew")
        healed = ColdStore.open(store)
        assert healed.verify() == [] and healed.manifest.index["doc2vec"] != model
        assert repair(store) == []


@pytest.mark.parametrize("name", ["statements", "blocks.said"])
def test_a_repair_gives_a_store_of_an_older_version_the_indexes_that_there_are_now(store, name):
    before = read_manifest(store)
    had = {n: a.tolist() for n, a in map_arrays(store / before.index[name])[0].items()}
    index = {role: file for role, file in before.index.items() if role != name}
    publish_manifest(store, replace(before, index=index))
    (store / index["blocks.words"]).unlink()
    repair(store)
    healed = ColdStore.open(store)
    assert healed.verify() == []
    assert {n: a.tolist() for n, a in map_arrays(healed.index_path(name))[0].items()} == had


@pytest.mark.parametrize(("table", "spoil"), [("blocks", flip), ("documents", cut), ("relations", flip)])
def test_damaged_rows_are_never_read_nor_guessed(made, store, table, spoil):
    spoil(newest(store, f"tables/{table}.lance/data/*"))
    found = ColdStore.open(store).verify()
    assert any(line.endswith("this snapshot needs it") for line in found)
    with pytest.raises(CorruptionError, match=r"not what was written.*--rebuild"):
        ColdStore.open(store).table(table)
    repair(store)
    assert ColdStore.open(store).verify()
    build(made / "in", store, rebuild=True)
    assert rows(ColdStore.open(store)) == rows(ColdStore.open(made / "s"))
    repair(store)
    assert ColdStore.open(store).verify() == []


@pytest.mark.parametrize("table", ["documents", "pages"])
def test_a_build_does_not_go_on_from_damaged_rows(made, store, table):
    """They would be written anew, with a checksum of their own: it reads the files again instead."""
    flip(newest(store, f"tables/{table}.lance/data/*"))
    build(made / "in", store)
    assert rows(ColdStore.open(store)) == rows(ColdStore.open(made / "s"))
    repair(store)
    assert ColdStore.open(store).verify() == []


def test_an_older_snapshot_s_damage_is_told_as_such_and_given_up(store):
    flip(store / "index" / "1" / "blocks.faiss")
    assert [line.split("; ")[1] for line in ColdStore.open(store).verify()] == [
        "snapshot 1 needs it, which is not this one"
    ]
    assert repair(store)[0] == "snapshot 1: damaged, and not the current one; given up"
    assert ColdStore.open(store).verify() == []
    assert read_manifest(store).snapshot == 2
    with pytest.raises(StoreError, match="no snapshot 1"):
        ColdStore.open(store, 1)


@pytest.mark.parametrize("file", ["index/1/told", "index/1/blocks.words"])
def test_what_an_older_snapshot_lacks_is_told_and_it_is_given_up(store, file):
    kept = needed_files(store, read_manifest(store))
    lost = next(p for p in sorted(store.glob(file)) if p.relative_to(store).as_posix() not in kept)
    lost.unlink()
    (told,) = ColdStore.open(store).verify()
    assert told.endswith(": missing; snapshot 1 needs it, which is not this one")
    assert repair(store) == ["snapshot 1: damaged, and not the current one; given up"]
    assert ColdStore.open(store).verify() == []


def test_vectors_are_indexed_anew_as_they_were(tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "Pool", InProcess)
    monkeypatch.setattr(indexes, "TRAIN", 1)
    folder, kept = tmp_path / "in", tmp_path / "s"
    for i in range(20):
        pdf(folder / f"{i}.pdf", f"Rain fell on {i} rivers all night, and on {i + 7} hills.")
    build(folder, kept, Config(hbf=Hbf(ann_index_type="IVF")))
    before = read_manifest(kept)
    assert "blocks.codes" in before.index
    (kept / before.index["blocks.codes"]).unlink()
    assert repair(kept)
    assert read_manifest(kept).index.keys() == before.index.keys()


def test_a_manifest_whose_bit_flipped_is_not_believed(store):
    path = store / "manifest.json"
    path.write_text(path.read_text().replace('"blocks": 3', '"blocks": 2'))
    with pytest.raises(StoreError, match=r"is not what was written.*--repair"):
        ColdStore.open(store)


@pytest.mark.parametrize("content", ["{", '{"schema_version": 1, "snapshot": 2}'])
def test_a_rebuild_needs_no_manifest(made, store, content):
    (store / "manifest.json").write_text(content)
    with pytest.raises(StoreError):
        build(made / "in", store)
    summary = build(made / "in", store, rebuild=True)
    assert (summary.snapshot, summary.documents.added) == (3, 2)
    assert ColdStore.open(store).verify() == []


def test_a_store_of_another_version_is_refused_by_its_version(store):
    record = json.loads((store / "manifest.json").read_text())
    del record["digest"]
    (store / "manifest.json").write_text(json.dumps(seal({**record, "schema_version": 99})))
    with pytest.raises(StoreVersionError, match=r"version 99.*--rebuild"):
        ColdStore.open(store)


@pytest.mark.parametrize("part", [0, 10, 200])
def test_a_torn_version_that_a_crash_left_behind_is_dropped(made, store, part):
    """A power cut in the middle of an append: the newest version of a table is a piece of a file."""
    for name in ("blocks", "documents", "pages"):
        versions = store / "tables" / f"{name}.lance" / "_versions"
        whole = min(versions.glob("*.manifest"))
        (versions / f"{int(whole.stem) - 1}.manifest").write_bytes(whole.read_bytes()[:part])
    pdf(made / "in" / "new.pdf", "Something new.")
    try:
        summary = build(made / "in", store, Config())
    finally:
        (made / "in" / "new.pdf").unlink()
    assert summary.documents.added == 1
    assert ColdStore.open(store).verify() == []


@pytest.mark.parametrize("which", [min, max])
def test_a_damaged_record_of_any_version_can_be_built_over(made, store, which):
    """Lance reads the records of all versions when it cleans up, and that of the newest when it overwrites."""
    path = which((store / "tables" / "pages.lance" / "_versions").glob("*.manifest"), key=lambda p: p.name)
    data = bytearray(path.read_bytes())
    data[-2] ^= 4  # of the magic number at its end
    path.write_bytes(data)
    with pytest.raises(StoreError, match=r"--rebuild"):
        ColdStore.open(store, 2 if which is min else 1).table("pages")  # names count down
    build(made / "in", store, rebuild=True)
    repair(store)
    assert ColdStore.open(store).verify() == []
