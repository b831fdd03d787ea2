"""Codes of an index's lists: what they stand for, that FAISS reads them, and that wrong ones are noticed."""

import faiss
import numpy as np
import pytest

from h3cold.ingest.store import codes
from h3cold.ingest.store.arrays import map_arrays, write_arrays
from h3cold.ingest.store.codes import has_codes, open_codes, write_codes, wrong_list
from h3cold.ingest.store.indexes import make_index
from h3cold.schemas.errors import CorruptionError


@pytest.fixture(scope="module")
def vectors():
    draw = np.random.default_rng(4)
    out = draw.normal(size=(3_000, 16)).astype(np.float32) * np.linspace(0.2, 1, 16, dtype=np.float32)
    return (out / np.linalg.norm(out, axis=1, keepdims=True)).astype(np.float16).astype(np.float32)


@pytest.fixture(scope="module")
def index(vectors):
    return make_index(vectors, "IVF")


@pytest.fixture
def path(tmp_path, index):
    write_codes(tmp_path / "blocks.codes", index)
    return tmp_path / "blocks.codes"


def test_codes_lie_as_those_that_faiss_makes(path, index, vectors):
    """The same levels, the same lists: FAISS's own index of the vectors gives nearly the same products."""
    ours = open_codes(path, index)
    theirs = faiss.IndexIVFPQFastScan(index.quantizer, 16, index.nlist, 16, 4, faiss.METRIC_INNER_PRODUCT)
    theirs.by_residual, theirs.is_trained, theirs.nprobe = True, True, index.nlist
    faiss.copy_array_to_vector(faiss.vector_to_array(ours.pq.centroids), theirs.pq.centroids)
    theirs.add(vectors)
    ours.nprobe = index.nlist
    questions = vectors[::60]
    (told, rows), (known, same) = ours.search(questions, 10), theirs.search(questions, 10)
    assert np.mean([np.isin(a, b).mean() for a, b in zip(rows, same, strict=True)]) > 0.93
    assert np.allclose(told, known, atol=0.1)
    assert np.allclose(told, np.einsum("ij,ikj->ik", questions, vectors[rows]), atol=0.15)


def test_the_levels_lose_as_little_of_a_normal_distribution_as_any():
    """Each level is the mean of what falls to it, as Lloyd and Max have it."""
    numbers = np.random.default_rng(0).normal(size=400_000)
    own = codes._both()[codes._code_of_step()[np.clip(numbers * codes.FINE + 4 * codes.FINE, 0, 511).astype(int)]]
    assert ((numbers - own) ** 2).mean() == pytest.approx(0.0095, rel=0.03)
    assert all(abs(numbers[own == level].mean() - level) < 0.02 for level in codes._both())


def test_the_same_index_has_the_same_codes(path, index, tmp_path):
    write_codes(tmp_path / "again", index)
    assert path.read_bytes() == (tmp_path / "again").read_bytes()
    assert wrong_list(path, index, sample=20) is None


def test_only_lists_of_whole_vectors_have_codes(index):
    assert has_codes(index) and not has_codes(faiss.IndexFlatIP(16))
    assert not has_codes(faiss.index_factory(16, "IVF16,PQ4x8", faiss.METRIC_INNER_PRODUCT))
    assert not has_codes(faiss.index_factory(15, "IVF16,SQfp16", faiss.METRIC_INNER_PRODUCT))


def test_codes_of_another_index_are_refused(path, vectors):
    with pytest.raises(CorruptionError, match="another index"):
        open_codes(path, make_index(vectors[:2_900], "IVF"))


def test_damage_is_noticed(path, index):
    whole = path.read_bytes()
    arrays, notes = map_arrays(path)
    arrays = {name: np.array(array) for name, array in arrays.items()}
    wrong = {**arrays, "spread": arrays["spread"] * 2}
    write_arrays(path, wrong, notes)
    with pytest.raises(CorruptionError, match="what was written"):
        open_codes(path, index)
    arrays["codes"][:64] ^= 255
    write_arrays(path, arrays, notes)
    assert wrong_list(path, index, sample=index.nlist) == 0
    path.write_bytes(whole[:-100])
    with pytest.raises(CorruptionError):
        open_codes(path, index)
