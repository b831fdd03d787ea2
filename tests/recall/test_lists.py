"""An index with lists as recall searches it: by language, by codes, with filters."""

import shutil
from pathlib import Path

import faiss
import numpy as np
import pytest
from silent_model import SilentModel

from h3cold.ingest.store import indexes
from h3cold.ingest.store.checksums import Checksums
from h3cold.ingest.store.codes import open_codes, write_codes
from h3cold.ingest.store.indexes import make_index, read_index
from h3cold.ingest.store.make import make_store
from h3cold.ingest.store.reader import ColdStore
from h3cold.recall import ColdTier
from h3cold.recall.benchmark_latency import make_copies
from h3cold.recall.corpus import nearest, packed
from h3cold.recall.languages import find_centres, meaning_of, nearest_evenly
from h3cold.recall.lists import ListIndex, floats_of
from h3cold.schemas.block import Block, block_id
from h3cold.schemas.errors import CorruptionError
from h3cold.schemas.geometry import PageBox

SIZE = 11_000


class Rows:
    """As much of a corpus as centres are worked out from."""

    def __init__(self, language):
        self.language = language
        self.languages = tuple(f"l{n}" for n in range(int(language.max()) + 1))
        self.document = language
        self.documents = [{"language": name} for name in self.languages]

    def __len__(self):
        return len(self.language)


LANGUAGE = np.array([0] * 9_500 + [1] * 1_500)


@pytest.fixture(scope="module")
def vectors():
    random = np.random.default_rng(7)
    out = 4 * np.eye(16, dtype=np.float32)[LANGUAGE] + random.normal(0, 1, (SIZE, 16))
    return (out / np.linalg.norm(out, axis=1, keepdims=True)).astype(np.float16).astype(np.float32)


@pytest.fixture(scope="module")
def folder(vectors, tmp_path_factory):
    folder = tmp_path_factory.mktemp("lists")
    index = make_index(vectors, "IVF")
    faiss.write_index(index, str(folder / "blocks.faiss"))
    write_codes(folder / "blocks.codes", index)
    return folder


def opened(folder: Path, *, probes: int, by_codes: bool) -> ListIndex:
    index = read_index(folder / "blocks.faiss", range(SIZE), mapped=True)
    index.nprobe = probes
    return ListIndex(index, open_codes(folder / "blocks.codes", index) if by_codes else None)


@pytest.mark.parametrize("by_codes", [True, False])
def test_lists_are_searched_language_by_language(vectors, folder, by_codes):
    """With all lists looked at, an index of lists brings what a flat one does, the rarer language's blocks too."""
    random = np.random.default_rng(7)
    flat = make_index(vectors, "Flat")
    plain = find_centres(Rows(LANGUAGE), lambda rows: vectors[rows])
    found = {}
    for probes in (4, 400):
        lists = opened(folder, probes=probes, by_codes=by_codes)
        centres = find_centres(Rows(LANGUAGE), lists.reconstruct_batch, lists)
        assert len(centres.lists[1].numbers) < len(lists.centroids)
        shares, foreign = [], []
        for _ in range(20):
            question = vectors[random.integers(0, 9_500)] + random.normal(0, 0.1, 16).astype(np.float32)
            rows = nearest_evenly(lists, meaning_of(question, centres, lists), limit=20, mask=None)[0]
            exact = nearest_evenly(flat, meaning_of(question, plain, flat), limit=20, mask=None)[0]
            shares.append(len(set(rows.tolist()) & set(exact.tolist())) / 20)
            foreign.append(((rows >= 9_500).sum(), (exact >= 9_500).sum()))
        found[probes] = np.mean(shares)
        assert sum(f for f, _ in foreign) > 0.25 * sum(e for _, e in foreign) > 0
    assert found[400] > (0.95 if by_codes else 0.99) and found[4] < found[400]


@pytest.mark.parametrize("language", [LANGUAGE, np.zeros(SIZE, int)])
def test_codes_choose_but_scores_are_exact(vectors, folder, language):
    """With codes and without, filtered and not, the same rows come with the same scores, best first."""
    coded, bare = (opened(folder, probes=64, by_codes=by_codes) for by_codes in (True, False))
    centres = [find_centres(Rows(language), index.reconstruct_batch, index) for index in (coded, bare)]
    mask = np.arange(SIZE) % 7 == 0
    for question in vectors[::700] + np.float32(0.1):
        for only in (None, mask):
            (rows, scores), (known, same) = (
                nearest_evenly(index, meaning_of(question, own, index), limit=60, mask=only)
                for index, own in zip((coded, bare), centres, strict=True)
            )
            assert len(rows) == len(set(rows.tolist())) == 60 and (np.diff(scores) <= 0).all()
            assert np.isin(rows, known).mean() > 0.95
            level = np.zeros(SIZE) if centres[0] is None else (centres[0].means @ question)[centres[0].of]
            assert np.allclose(scores, vectors[rows] @ question - level[rows], atol=1e-5)
            assert only is None or only[rows].all()
            assert np.allclose(scores[:10], same[:10], atol=0.02)


def test_a_filter_that_leaves_few_rows_brings_them_all(vectors, folder):
    coded = opened(folder, probes=400, by_codes=True)
    mask = np.zeros(SIZE, np.bool_)
    mask[[5, 900, 10_900]] = True
    centres = find_centres(Rows(LANGUAGE), coded.reconstruct_batch, coded)
    found = nearest_evenly(coded, meaning_of(vectors[5], centres, coded), limit=20, mask=mask)
    assert sorted(found[0].tolist()) == [5, 900, 10_900] and found[0][0] == 5
    alone = nearest(coded, vectors[900], limit=20, bits=packed(mask))
    assert alone[0][0] == 900 and alone[1][0] == pytest.approx(1, abs=1e-3)


def test_vectors_by_row_are_those_of_the_index(vectors, folder):
    rows = np.array([0, 3, 10_999, 4_000])
    for index in (opened(folder, probes=8, by_codes=False), ListIndex(make_index(vectors, "IVF"))):
        assert np.array_equal(index.reconstruct_batch(rows), vectors[rows])
        assert index.reconstruct_batch(rows[:0]).shape == (0, 16)


def test_every_finite_half_float_is_the_float_that_it_was():
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    halves = halves[np.isfinite(halves)].reshape(-1, 4)
    assert np.array_equal(floats_of(halves), halves.astype(np.float32))


def test_an_index_whose_centroids_lie_otherwise_is_refused(vectors):
    index = faiss.index_factory(16, "IVF32_HNSW,SQfp16", faiss.METRIC_INNER_PRODUCT)
    index.train(vectors)
    index.add(vectors)
    with pytest.raises(CorruptionError, match="--rebuild"):
        ListIndex(index)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A store that is large, for what is called so here."""
    folder = tmp_path_factory.mktemp("large")
    box = PageBox(1, (0.0, 0.0, 9.0, 9.0))
    document = "0123456789abcdef"
    blocks = [Block(block_id(document, i), document, i, "passage", f"word{i}", (), (box,)) for i in range(10)]
    make_store(folder / "small", blocks, embedder=SilentModel())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(indexes, "FLAT_LIMIT", 100)
        patch.setattr(indexes, "TRAIN", 5)
        make_copies([folder / "small"], folder / "store", blocks=120)
    return folder / "store"


def test_a_large_store_has_codes_and_answers_without_them_where_they_are_damaged(large, tmp_path):
    assert not any("index" in fault for fault in ColdStore.open(large).verify())
    with ColdTier.open(large) as tier:
        assert not any("codes" in line for line in tier.status()["without"])
        index = tier._snapshot.index
        assert index.codes.ntotal == index.ntotal == 120
        rows = np.arange(0, 120, 6)
        known = [nearest(index, vector, limit=5) for vector in index.reconstruct_batch(rows)]
    store = tmp_path / "store"
    shutil.copytree(large, store)
    path = ColdStore.open(store).index_path("blocks.codes")
    content = bytearray(path.read_bytes())
    content[-200] ^= 1
    path.write_bytes(content)
    assert any("blocks.codes" in fault for fault in ColdStore.open(store).verify())
    with ColdTier.open(store) as tier:
        assert any("without codes" in line for line in tier.status()["without"])
        index = tier._snapshot.index
        assert index.codes is None
        for (_, scores), vector in zip(known, index.reconstruct_batch(rows), strict=True):
            assert np.allclose(nearest(index, vector, limit=5)[1], scores, atol=1e-3)
        assert len(tier.recall("word3"))


@pytest.mark.parametrize("place", [0, 7, 8, -1])
def test_what_a_large_store_has_of_its_vectors_is_held_against_the_table(large, tmp_path, place):
    shutil.copytree(large, store := tmp_path / "store")
    before = ColdStore.open(store).verify()
    path = ColdStore.open(store).index_path("blocks.rows")
    content = bytearray(path.read_bytes())
    content[place] ^= 4
    path.write_bytes(content)
    (store / "meta" / "checksums.json").unlink()
    Checksums(store).save()
    after = ColdStore.open(store).verify()
    assert set(after) - set(before) == {"index blocks.rows: what it has of vectors is not what the table has"}
