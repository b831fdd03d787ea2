"""An index of plain vectors is read as FAISS wrote it, and left to FAISS where it is anything else."""

import faiss
import numpy as np
import pytest

from h3cold.recall.corpus import nearest, plain_vectors
from h3cold.recall.flat import FlatVectors, read_flat

VECTORS = np.random.default_rng(5).standard_normal((300, 24)).astype(np.float32)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "blocks.faiss"


def write(index, path, vectors=VECTORS):
    index.add(vectors)
    faiss.write_index(index, str(path))


@pytest.mark.parametrize("rows", [0, 1, 300])
def test_what_faiss_wrote_is_read(path, rows):
    write(faiss.IndexFlatIP(24), path, VECTORS[:rows])
    found = read_flat(path, rows)
    assert (found.vectors == VECTORS[:rows]).all() and (found.d, found.ntotal) == (24, rows)
    assert found.vectors.__array_interface__["data"][0] % 64 == 0 or not rows
    assert nearest(FlatVectors(VECTORS[:0]), VECTORS[0], limit=3)[0].tolist() == []
    if rows:
        assert (plain_vectors(found) == plain_vectors(faiss.read_index(str(path)))).all()
        picked = np.array([rows - 1, 0])
        assert (found.reconstruct_batch(picked) == VECTORS[picked]).all()


def test_another_kind_another_size_and_what_is_cut_off_are_left_to_faiss(path):
    write(faiss.IndexFlatL2(24), path)
    assert read_flat(path, 300) is None
    write(faiss.IndexFlatIP(24), path)
    assert read_flat(path, 299) is None
    data = path.read_bytes()
    for spoilt in (data[:-1], data + b"\0", data[:30], b""):
        path.write_bytes(spoilt)
        assert read_flat(path, 300) is None
