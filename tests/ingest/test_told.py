"""The index of what recall tells of documents and names says what the tables do, which answer where it is damaged."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
from test_store import A, B, C, document, passage, store_with

from h3cold.ingest.store.arrays import map_arrays, write_arrays
from h3cold.ingest.store.checksums import Checksums
from h3cold.ingest.store.graph import ROLE as GRAPH
from h3cold.ingest.store.graph import build_graph_index
from h3cold.ingest.store.manifest import publish_manifest
from h3cold.ingest.store.reader import ColdStore
from h3cold.ingest.store.told import ROLE, both_scripts, build_told, company_names, read_told
from h3cold.schemas.errors import CorruptionError
from h3cold.schemas.graph import Entity, Mention, Relation


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("told") / "s"
    said = passage(A, 0, "Acme owns Beta")
    mentions = [Mention(id, A, said.id, "ORG", name, at, at + 4, 1, (1.0, 2.0, 3.0, 4.0))
                for id, name, at in (("e1", "Acme", 0), ("e2", "Beta", 10))]  # fmt: skip
    relation = Relation("r1", "owns", "e1", "e2", A, said.id, 1, 0, 4, 0.9, "51%", "2023")
    first = document(A, [said], mentions=mentions, relations=[relation])
    made = store_with(path, document(B, [passage(B, 0)]), first, document(C, [passage(C, 0)]))
    index = build_told(path, made.table, snapshot=1) | build_graph_index(path, made.table, snapshot=1)
    publish_manifest(path, replace(made.manifest, index={**made.manifest.index, **index}))
    sums_anew(path)
    return ColdStore.open(path)


def sums_anew(path):
    (path / "meta" / "checksums.json").unlink(missing_ok=True)
    Checksums(path).save()


def without_index(store, path):
    shutil.copytree(store.path, path)
    index = {role: file for role, file in store.manifest.index.items() if role != ROLE}
    publish_manifest(path, replace(store.manifest, index=index))
    return ColdStore.open(path)


def test_it_says_what_the_table_of_documents_does(store, tmp_path):
    build = build_told(store.path, store.table, snapshot=7)
    told = read_told(store.path / build[ROLE])
    older = without_index(store, tmp_path / "older")
    assert older.told() is None
    assert told.documents == older.documents() == ColdStore.open(store.path).documents()
    assert list(told.documents) == sorted((A, B, C))


def test_names_of_companies_and_of_both_scripts():
    acme = Entity("a", "ORG", "Acme Widgets, Inc.", ("ACME", "阿珂"))
    rows = [(e.name, *e.aliases) for e in (acme, Entity("b", "ORG", "Beta Gears Ltd"), Entity("c", "ORG", "东方铁路"))]
    assert company_names(rows, {"ACME", "Nobody"}) == {"ACME": ("Acme Widgets, Inc.", "阿珂")}
    assert company_names([*rows, ("ACME", "Akme")], ["ACME"])["ACME"] == ("Acme Widgets, Inc.", "阿珂", "Akme")
    assert both_scripts(rows) == [rows[0]]


def test_a_damaged_one_is_told_by_verify_and_the_tables_answer(store, tmp_path):
    shutil.copytree(store.path, tmp_path / "s")
    own = ColdStore.open(tmp_path / "s")
    path = own.index_path(ROLE)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(CorruptionError, match="does not load"):
        read_told(path)
    assert ColdStore.open(own.path).documents() == store.documents()
    assert any(line.startswith(own.manifest.index[ROLE]) for line in own.verify())


def test_one_of_other_tables_is_told(store, tmp_path):
    shutil.copytree(store.path, tmp_path / "s")
    own = ColdStore.open(tmp_path / "s")
    for role, name in ((ROLE, "documents"), (GRAPH, "rowid")):
        path = own.index_path(role)
        arrays, notes = map_arrays(path)
        arrays = {n: a.copy() for n, a in arrays.items()}
        if role == ROLE:
            arrays[name] = np.frombuffer(arrays[name].tobytes().replace(b'"pages":', b'"pages": '), np.uint8)
        else:
            assert bytes(arrays["called"]) == b"AcmeBeta"
            arrays["called"] = np.frombuffer(b"ACMEBeta", np.uint8)
        write_arrays(path, arrays, notes)
        sums_anew(own.path)
        assert f"index {role}: its rows are not those of the tables" in ColdStore.open(own.path).verify()
