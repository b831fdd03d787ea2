"""Document vectors: alike documents are near, and the same corpus gives the same vectors, always."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest

from h3cold.ingest import document_vectors
from h3cold.ingest.embed import doc2vec
from h3cold.ingest.store import ColdStore
from h3cold.schemas.errors import ModelError

TOPICS = {
    "lease": "tenant landlord premises rent deposit repair insure sublet terminate notice covenant floor building term",
    "brew": "barley malt hop yeast ferment brewery bottle beer lager taste grain water kettle cellar",
    "ship": "vessel port cargo freight charter hull crew container voyage harbour tonnage anchor berth fuel",
}


def corpus(each: int = 5) -> dict[str, list[str]]:
    draw = random.Random(1)
    return {f"{t}{i}": draw.choices(words.split(), k=400) for t, words in TOPICS.items() for i in range(each)}


@pytest.fixture(scope="module")
def model() -> doc2vec.DocumentModel:
    return doc2vec.train(corpus())


def test_documents_of_a_topic_are_near(model) -> None:
    documents = corpus()
    vectors = model.vectors(list(documents.values()))
    assert vectors.shape == (15, 1024) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    similar = vectors @ vectors.T
    np.fill_diagonal(similar, -1)
    assert (similar.argmax(axis=1) // 5).tolist() == [i // 5 for i in range(15)]


def test_new_documents_find_their_topic(model) -> None:
    known = model.vectors(list(corpus().values()))
    new = model.vectors([["rent", "due", "from", "the", "tenant", "of", "the", "premises", "under", "notice"] * 5])
    assert (known @ new[0]).argmax() // 5 == 0


def test_vectors_are_the_same_in_any_order_and_process(model) -> None:
    shuffled = dict(reversed(corpus().items()))
    documents = list(corpus().values())
    expected = model.vectors(documents)
    assert np.array_equal(doc2vec.train(shuffled).vectors(documents[::-1])[::-1], expected)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from test_doc2vec import corpus; from h3cold.ingest.embed import "
        "doc2vec; c = corpus(); print(doc2vec.train(c).vectors([c['ship2']]).tobytes().hex())"
    )
    folder = __file__.rpartition("/")[0]
    run = subprocess.run([sys.executable, "-c", code, folder], check=True, capture_output=True, text=True)
    assert run.stdout.strip() == expected[12].tobytes().hex()


def test_saved_and_loaded_is_the_same(model, tmp_path) -> None:
    path = tmp_path / "documents.npz"
    model.save(path)
    documents = list(corpus().values())[:4]
    assert np.array_equal(doc2vec.load(path).vectors(documents), model.vectors(documents))


def test_long_documents_are_sampled_all_over() -> None:
    long = ["early"] * 5000 + ["late"] * 5000
    words = doc2vec._words(long)
    assert len(words) == doc2vec.WORDS and words.count("late") == words.count("early")


def test_unknown_words_give_zero(model) -> None:
    assert not model.vectors([["zzz"], []]).any()


def test_small_corpus_says_so() -> None:
    small = {"a": ["word"] * 100, "b": ["word"] * 10}
    assert "here are 1" in doc2vec.too_small(small)
    with pytest.raises(ModelError, match="need 5 documents"):
        doc2vec.train(small)
    assert doc2vec.too_small(corpus()) == ""


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04 nonsense"])
def test_broken_file_is_named(tmp_path, content) -> None:
    path = tmp_path / "documents.npz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelError, match=r"documents\.npz"):
        doc2vec.load(path)


@pytest.mark.parametrize("read", [1, 40, 10**6])
def test_words_are_read_in_portions_and_are_those_of_the_document(example_store, monkeypatch, read):
    monkeypatch.setattr(document_vectors, "READ", read)
    store = ColdStore.open(example_store)
    words = document_vectors.Words(store)
    rows = store.table("blocks").to_table(columns=["document", "position", "tokens_text"]).to_pylist()
    rows.sort(key=lambda row: (row["document"], row["position"]))
    for document in (*words, *reversed(list(words))):
        own = [token for row in rows if row["document"] == document for token in row["tokens_text"].split()]
        assert words[document] == own
    assert len(words) == store.count("documents")
    with pytest.raises(KeyError):
        words["0" * 32]
