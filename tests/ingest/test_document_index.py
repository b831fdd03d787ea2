"""The document index: 12 bytes a document, held against exact search; what a former index had is kept."""

from pathlib import Path

import numpy as np
import pytest

from h3cold.ingest.compress import documents, lists
from h3cold.ingest.compress.documents import index_documents, nearest_documents, open_documents
from h3cold.ingest.generated.vectors import made_vectors
from h3cold.schemas.errors import CorruptionError

COUNT = 10_200


def short(start, end):
    """Made vectors of 128 dimensions: what is learned takes a tenth of the time."""
    vectors = made_vectors(start, end, total=20_000)[:, :128]
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    store = tmp_path_factory.mktemp("documents")
    ids = [f"{i:032x}" for i in range(COUNT)]
    vectors = short(0, COUNT)
    files = index_documents(store, Path("index/1"), ids, lambda a, b: vectors[a:b])
    return store, ids, vectors, files


def opened(store, files):
    own = files.get("documents.lists")
    return open_documents(store / files["documents"], own and store / own)


def test_the_nearest_of_many_documents_are_found_by_twelve_bytes_each(many):
    store, ids, vectors, files = many
    index = opened(store, files)
    assert index.ids == tuple(ids)
    assert index.lists.codes.nbytes + index.lists.rows.nbytes == 12 * COUNT
    hits = 0
    for row in range(0, COUNT, 500):
        exact = np.argsort(-(vectors @ vectors[row]))[:10]
        found, scores = nearest_documents(index, vectors[row], limit=10)
        assert found[0] == row and abs(scores[0] - 1) < 5e-3 and (np.diff(scores) <= 0).all()
        hits += len(set(found.tolist()) & set(exact.tolist()))
    assert hits >= 0.8 * 210


def test_the_search_keeps_to_the_rows_asked_for(many):
    store, _, vectors, files = many
    mask = np.zeros(COUNT, bool)
    mask[5000:] = True
    found, _ = nearest_documents(opened(store, files), vectors[4999], limit=10, mask=mask)
    assert len(found) and found.min() >= 5000


def test_new_documents_join_the_lists_that_were_learned(many, monkeypatch):
    store, _, vectors, files = many
    former = opened(store, files)
    new = short(COUNT, COUNT + 300)
    old = np.concatenate([np.arange(0, COUNT, 2), np.full(300, -1)])
    kept = np.concatenate([vectors[::2], new, vectors[1::2]])
    old = np.concatenate([old, np.arange(1, COUNT, 2)])

    def forbidden(*_):
        raise AssertionError("learned anew")

    monkeypatch.setattr(documents, "learn", forbidden)
    names = [f"{i:032x}" for i in range(len(kept))]
    again = index_documents(store, Path("index/2"), names, lambda a, b: kept[a:b], former=former, old=old)
    index = opened(store, again)
    places, codes = lists.by_row(index.lists)
    then_places, then_codes = lists.by_row(former.lists)
    was = old >= 0
    assert np.array_equal(places[was], then_places[old[was]]) and np.array_equal(codes[was], then_codes[old[was]])
    for row in range(COUNT // 2, COUNT // 2 + 300, 50):
        assert nearest_documents(index, kept[row], limit=1)[0][0] == row


def test_few_documents_are_compared_one_by_one(tmp_path):
    vectors = made_vectors(0, 40, total=40)
    ids = [f"{i:032x}" for i in range(40)]
    files = index_documents(tmp_path, Path("index/1"), ids, lambda a, b: vectors[a:b])
    assert set(files) == {"documents"}
    index = opened(tmp_path, files)
    for row in (0, 17, 39):
        found, scores = nearest_documents(index, vectors[row], limit=40)
        exact = vectors @ vectors[row]
        assert sorted(found.tolist()) == list(range(40))
        assert np.abs(scores - exact[found]).max() < 5e-3


def test_a_file_that_is_none_is_refused(many, tmp_path):
    store, _, _, files = many
    broken = tmp_path / "documents.arrays"
    broken.write_bytes((store / files["documents"]).read_bytes()[:500])
    with pytest.raises(CorruptionError, match="--verify --repair"):
        open_documents(broken, None)
    with pytest.raises(CorruptionError, match="--verify --repair"):
        open_documents(store / files["documents.lists"], None)


def test_made_vectors_do_not_depend_on_how_they_are_cut():
    whole = made_vectors(0, 9000, total=9000)
    assert np.array_equal(whole[8000:8500], made_vectors(8000, 8500, total=9000))
    assert np.allclose(np.linalg.norm(whole, axis=1), 1, atol=1e-5)
