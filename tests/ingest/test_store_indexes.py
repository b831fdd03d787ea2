"""FAISS indexes of every kind."""

import numpy as np
import pytest

from h3cold.ingest.store.indexes import make_index


@pytest.mark.parametrize("kind", ["auto", "Flat", "IVF", "IVF_PQ"])
def test_every_index_kind_finds_the_vector_itself(kind):
    vectors = np.random.default_rng(1).normal(size=(10_500, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    index = make_index(vectors, kind)
    assert (
        type(index).__name__
        == {"auto": "IndexFlatIP", "Flat": "IndexFlatIP", "IVF": "IndexIVFFlat", "IVF_PQ": "IndexIVFPQ"}[kind]
    )
    _, found = index.search(vectors[:200], 5)
    assert np.mean([i in row for i, row in enumerate(found)]) > 0.9


def test_too_few_vectors_for_ivf_are_scanned():
    assert type(make_index(np.eye(8, dtype=np.float32), "IVF_PQ")).__name__ == "IndexFlatIP"
    assert make_index(np.zeros((0, 8), dtype=np.float32), "auto").ntotal == 0
