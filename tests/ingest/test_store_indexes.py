"""FAISS indexes of every kind."""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from h3cold.ingest.store import indexes
from h3cold.ingest.store.indexes import build_vectors_index, make_index, read_ids, read_index, updated_index


@pytest.mark.parametrize("kind", ["auto", "Flat", "IVF", "IVF_PQ"])
def test_every_index_kind_finds_the_vector_itself(kind):
    vectors = np.random.default_rng(1).normal(size=(10_500, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    index = make_index(vectors, kind)
    assert (
        type(index).__name__
        == {"auto": "IndexFlatIP", "Flat": "IndexFlatIP", "IVF": "IndexIVFScalarQuantizer", "IVF_PQ": "IndexIVFPQ"}[
            kind
        ]
    )
    _, found = index.search(vectors[:200], 5)
    assert np.mean([i in row for i, row in enumerate(found)]) > 0.9


def test_too_few_vectors_for_ivf_are_scanned():
    assert type(make_index(np.eye(8, dtype=np.float32), "IVF_PQ")).__name__ == "IndexFlatIP"
    assert make_index(np.zeros((0, 8), dtype=np.float32), "auto").ntotal == 0


class Vectors:
    """Stands in for a table of blocks: ids and vectors."""

    def __init__(self, vectors):
        self.vectors = vectors

    def to_table(self, columns):
        flat = np.concatenate(list(self.vectors.values())).astype(np.float16)
        vectors = pa.FixedSizeListArray.from_arrays(pa.array(flat), DIM)
        return pa.table({"id": list(self.vectors), "vector": vectors})


DIM = 8
CHANGES = st.lists(st.tuples(st.integers(0, 90), st.integers(0, 90), st.integers(0, 20)), min_size=1, max_size=4)


@pytest.mark.parametrize("kind", ["Flat", "IVF"])
@settings(max_examples=6, deadline=None)
@given(changes=CHANGES, seed=st.integers(0, 99))
def test_rows_and_ids_never_drift_apart(kind, changes, seed):
    """After any adds, removals and edits every vector stands under its own id, and is found as a scan of all does."""
    draw = np.random.default_rng(seed)

    def unit(n):
        vectors = draw.normal(size=(n, DIM))
        return list((vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16))

    names = iter(draw.permutation(100_000).astype(str))
    have = {next(names): vector for vector in unit(500)}
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(indexes, "TRAIN", 10)  # what is learned does not matter here, only whose it is
        files = build_vectors_index(Path(folder), Vectors(have), snapshot=1, kind=kind)
        for number, (added, removed, edited) in enumerate(changes, 2):
            for name in draw.choice(list(have), removed, replace=False):
                del have[name]
            have |= dict(zip(draw.choice(list(have), edited, replace=False), unit(edited), strict=True))
            have |= {next(names): vector for vector in unit(added)}
            files = build_vectors_index(Path(folder), Vectors(have), snapshot=number, kind=kind, former=files)
            ids = read_ids(Path(folder) / files["blocks.ids"])
            index = read_index(Path(folder) / files["blocks"], ids)
            matrix = np.stack([have[i] for i in sorted(have)]).astype(np.float32)
            assert ids == sorted(have)
            if kind == "IVF":
                assert type(index).__name__ == "IndexIVFScalarQuantizer"
                index.make_direct_map()
                index.nprobe = index.nlist
            assert np.array_equal(index.reconstruct_n(0, len(ids)), matrix)
            scores, _ = index.search(matrix, 5)
            assert np.allclose(scores, -np.sort(-(matrix @ matrix.T), axis=1)[:, :5], atol=1e-5)


def test_an_index_of_lists_is_changed_while_it_fits_and_learned_anew_when_it_does_not():
    draw = np.random.default_rng(3)
    vectors = draw.normal(size=(4_000, DIM)).astype(np.float32)
    ids = [f"{i:04}" for i in range(4_000)]
    index, rows = make_index(vectors[:2_000], "IVF"), indexes._rows(vectors[:2_000], taught=np.ones(2_000, bool))
    same, taught = updated_index(index, ids[:2_000], rows, ids[100:2_100], vectors[100:2_100], "IVF")
    assert (same.ntotal, taught["taught"].sum()) == (2_000, 1_900)
    assert np.array_equal(same.quantizer.reconstruct_n(0, same.nlist), index.quantizer.reconstruct_n(0, index.nlist))
    assert updated_index(index, ids[:2_000], rows, ids[1_200:3_200], vectors[1_200:3_200], "IVF") is None
    assert updated_index(index, ids[:2_000], rows, ids, vectors, "IVF") is None
    assert updated_index(index, ids[:2_000], rows, ids[:2_000], vectors[:2_000], "IVF_PQ") is None


def test_a_compressed_index_keeps_its_codes_under_their_ids(monkeypatch):
    monkeypatch.setattr(indexes, "TRAIN", 5)
    draw = np.random.default_rng(3)
    vectors = draw.normal(size=(1_600, DIM)).astype(np.float32)
    ids = [f"{i:04}" for i in range(1_600)]
    index, rows = make_index(vectors[:1_500], "IVF_PQ"), indexes._rows(vectors[:1_500], taught=np.ones(1_500, bool))
    moved, _ = updated_index(index, ids[:1_500], rows, ids[100:], vectors[100:], "IVF_PQ")
    index.make_direct_map()
    moved.make_direct_map()
    assert moved.ntotal == 1_500
    assert np.array_equal(moved.reconstruct_n(0, 1_400), index.reconstruct_n(100, 1_400))
