"""Vectors of the graph's sentences: made for new ones only, gone with their documents, the same as made at once."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from in_process import InProcess
from pdfs import pdf

from h3cold.ingest import jobs
from h3cold.ingest.embed import e5
from h3cold.ingest.pipeline import build
from h3cold.ingest.repair import repair
from h3cold.ingest.status import read_status
from h3cold.ingest.store import ColdStore
from h3cold.ingest.store.arrays import map_arrays, write_arrays
from h3cold.ingest.store.checksums import Checksums

SAID = [
    'Acme Holdings Limited ("Acme") acquired Bolt Systems Inc. in 2021.',
    "Jane Roe, chief executive officer of Acme Holdings Limited, resigned. ACME HOLDINGS LIMITED is based in Leeds.",
    "Borealis Foods Inc. acquired Tansley Mining Corp. for $3 million in 2019.",
    "ACME HOLDINGS LIMITED sued Larkspur Shipping Limited. ACME HOLDINGS LIMITED owns 51% of Quill Paper Inc.",
    "Borealis Foods Inc. acquired Tansley Mining Corp. for $3 million in 2019. Rain fell.",
]
MODEL = e5.E5()


def sentences(path):
    """Of each edge with a sentence its document and the sentence's vector, by the edge's id."""
    store = ColdStore.open(path)
    arrays, _ = map_arrays(store.index_path("statements"))
    graph, _ = map_arrays(store.index_path("graph"))
    rows = store.table("relations").scanner(columns=["id"], with_row_id=True).to_table()
    ids = dict(zip(rows["_rowid"].to_pylist(), rows["id"].to_pylist(), strict=True))
    out = {}
    for rowid, place in zip(graph["rowid"].tolist(), arrays["of_edge"].tolist(), strict=True):
        if place >= 0:
            said = arrays["digests"][place].tobytes(), arrays["codes"][place].tobytes(), float(arrays["scales"][place])
            out[ids[rowid]] = said
    assert len(set(out.values())) == len(arrays["digests"])  # none is left of what is gone
    assert set(out) == {r["id"] for r in store.table("relations").to_table().to_pylist() if r["type"] != "measure_of"}
    return out


def fill(folder, texts):
    shutil.rmtree(folder, ignore_errors=True)
    for i in sorted(texts):
        pdf(folder / f"{i}.pdf", SAID[i])


@pytest.fixture
def asked(monkeypatch):
    """Texts that were embedded as sentences: those that are no block's."""
    monkeypatch.setattr(jobs, "Pool", InProcess)
    seen = []
    real = e5.E5.passages

    def passages(self, texts):
        seen.extend(texts)
        return real(self, texts)

    monkeypatch.setattr(e5.E5, "passages", passages)
    return seen


STATES = st.lists(st.sets(st.integers(0, 4), min_size=1, max_size=4), min_size=2, max_size=3)


@settings(max_examples=2, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STATES)
def test_whatever_comes_and_goes_leaves_what_a_build_from_scratch_has(states):
    import tempfile

    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as base:
        patch.setattr(jobs, "Pool", InProcess)
        folder, store = Path(base) / "in", Path(base) / "s"
        for texts in states:
            fill(folder, texts)
            build(folder, store)
        build(folder, Path(base) / "scratch")
        assert sentences(store) == sentences(Path(base) / "scratch")
        assert ColdStore.open(store).verify() == []


def test_only_new_sentences_are_embedded_and_the_status_tells(tmp_path, asked):
    fill(tmp_path / "in", {0, 2})
    build(tmp_path / "in", tmp_path / "s")
    assert sorted(asked) == [
        "Acme Holdings Limited acquired Bolt Systems Inc.: it bought it and took it over (2021)",
        "Borealis Foods Inc. acquired Tansley Mining Corp.: it bought it and took it over ($3 million, 2019)",
    ]
    asked.clear()
    fill(tmp_path / "in", {0, 2, 4})
    build(tmp_path / "in", tmp_path / "s")  # says nothing new
    fill(tmp_path / "in", {2})
    build(tmp_path / "in", tmp_path / "s")
    assert asked == [] and len(sentences(tmp_path / "s")) == 1
    status = read_status(tmp_path / "s", ColdStore.open(tmp_path / "s").manifest.snapshot)["statements"]
    assert (status["statements"], status["edges"], status["left_out"]) == (1, 1, {}) and status["seconds"] >= 0


def test_vectors_are_the_model_s_but_for_rounding(tmp_path, asked):
    fill(tmp_path / "in", {0})
    build(tmp_path / "in", tmp_path / "s")
    arrays, _ = map_arrays(ColdStore.open(tmp_path / "s").index_path("statements"))
    made = arrays["codes"].astype(np.float32) * arrays["scales"][:, None]
    assert (made @ MODEL.passages(asked[:1])[0]).min() > 0.998


def test_a_damaged_or_foreign_index_is_told_and_made_anew(tmp_path, asked):
    fill(tmp_path / "in", {0, 2})
    build(tmp_path / "in", tmp_path / "s")
    clean = sentences(tmp_path / "s")
    file = ColdStore.open(tmp_path / "s").index_path("statements")
    arrays, notes = map_arrays(file)
    arrays = {name: np.array(array) for name, array in arrays.items()}
    write_arrays(file, arrays | {"of_edge": arrays["of_edge"][::-1]}, notes)
    (tmp_path / "s" / "meta" / "checksums.json").unlink()
    Checksums(tmp_path / "s").save()
    assert ColdStore.open(tmp_path / "s").verify() == ["index statements: its sentences are not those of the graph"]
    repair(tmp_path / "s")
    assert sentences(tmp_path / "s") == clean
    asked.clear()
    data = bytearray(newest := (file := ColdStore.open(tmp_path / "s").index_path("statements")).read_bytes())
    data[-5] ^= 64
    assert bytes(data) != newest
    file.write_bytes(data)
    repair(tmp_path / "s")
    assert sentences(tmp_path / "s") == clean and len(asked) == 2 and ColdStore.open(tmp_path / "s").verify() == []


@pytest.mark.parametrize("name", ["codes", "scales", "digests", "of_edge"])
def test_a_flipped_bit_is_told_and_made_anew_whatever_the_checksum_says(tmp_path, asked, name):
    fill(tmp_path / "in", {0, 2})
    build(tmp_path / "in", tmp_path / "s")
    clean = sentences(tmp_path / "s")
    arrays, notes = map_arrays(file := ColdStore.open(tmp_path / "s").index_path("statements"))
    flipped = bytearray(arrays[name].tobytes())
    flipped[0] ^= 1
    array = np.frombuffer(flipped, arrays[name].dtype).reshape(arrays[name].shape)
    write_arrays(file, {**arrays, name: array}, notes)
    (tmp_path / "s" / "meta" / "checksums.json").unlink()
    Checksums(tmp_path / "s").save()
    assert ColdStore.open(tmp_path / "s").verify() == ["index statements: its sentences are not those of the graph"]
    repair(tmp_path / "s")
    assert sentences(tmp_path / "s") == clean and ColdStore.open(tmp_path / "s").verify() == []
