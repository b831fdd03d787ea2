"""Document vectors learned from the store's own corpus: PV-DBOW (Le & Mikolov, 2014, arXiv:1405.4053), 1024-d.

Bounded: a document gives at most `WORDS` words, spread evenly over it, passes get fewer as the corpus grows, and of
more than `TAUGHT` documents those first by id, a random choice as ids are hashes, teach the model.
Repeatable: one thread, fixed seeds, and a document's vector does not depend on what was asked before.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from h3cold.ingest.embed import Vectors
from h3cold.schemas.errors import ModelError

DIMENSION = 1024
WORDS = 2000
TAUGHT = 4000
MIN_DOCUMENTS = 5
MIN_WORDS = 50

_WINDOW = 200  # words taken at a place of a long document
_SEED = 20261129
_RATE = 0.05
_VOCABULARY = 30_000
_BUDGET = 8_000_000  # words trained on in all passes together
_ASKED = 10  # passes over a document that is asked for


def too_small(documents: Mapping[str, Sequence[str]]) -> str:
    """Why this corpus cannot teach a model, or "" if it can. Documents are lists of lexical tokens by id."""
    usable = sum(len(_words(tokens)) >= MIN_WORDS for tokens in documents.values())
    if usable >= MIN_DOCUMENTS:
        return ""
    return f"document vectors need {MIN_DOCUMENTS} documents of {MIN_WORDS} words or more; here are {usable}"


class DocumentModel:
    """Gives documents their vectors. Made by `train` or `load`."""

    dimension = DIMENSION

    def __init__(self, words: Sequence[str], counts: npt.NDArray[np.int64], outputs: npt.NDArray[np.float16]) -> None:
        self._words, self._counts, self._outputs = list(words), counts, outputs
        self._model = _blank(epochs=_ASKED)
        self._model.build_vocab_from_freq(dict(zip(self._words, counts.tolist(), strict=True)), corpus_count=1)
        place = [self._model.wv.key_to_index[word] for word in self._words]
        self._model.syn1neg[place] = outputs

    def vectors(self, documents: Sequence[Sequence[str]]) -> Vectors:
        """Unit vectors, float32 [len(documents), 1024]; zero for a document without a known word."""
        out = np.zeros((len(documents), DIMENSION), np.float32)
        for row, tokens in enumerate(documents):
            words = [w for w in _words(tokens) if w in self._model.wv.key_to_index]
            if words:
                vector = self._infer(words)
                out[row] = vector / max(float(np.linalg.norm(vector)), 1e-12)
        return out

    def _infer(self, words: list[str]) -> Vectors:
        # As gensim's `infer_vector`, which starts from Python's own hash of the words: another one in each process.
        from gensim.models.doc2vec import train_document_dbow

        start = np.random.default_rng(_stable_hash(" ".join(words))).random((1, DIMENSION), dtype=np.float32)
        vector: Vectors = (start - np.float32(0.5)) / np.float32(DIMENSION)
        self._model.random.seed(_SEED)  # else the draw of negative words goes on from call to call
        scratch, free = np.zeros(DIMENSION, np.float32), np.ones(1, np.float32)
        for rate in np.linspace(_RATE, _RATE / 250, _ASKED).tolist():
            train_document_dbow(
                self._model,
                words,
                [0],
                rate,
                scratch,
                learn_words=False,
                learn_hidden=False,
                doctag_vectors=vector,
                doctags_lockf=free,
            )
        return vector[0]

    def save(self, path: Path) -> None:
        """Write the model to one `.npz` file (no pickle: a store may come from someone else)."""
        with path.open("wb") as f:
            np.savez(f, words=np.array("\n".join(self._words)), counts=self._counts, outputs=self._outputs)


def train(documents: Mapping[str, Sequence[str]]) -> DocumentModel:
    """Learn from all documents (lexical tokens by document id); the order of the mapping does not matter.

    Raises:
        ModelError: the corpus is too small; see `too_small`.
    """
    from gensim.models.doc2vec import TaggedDocument

    reason = too_small(documents)
    if reason:
        raise ModelError(reason)
    corpus = [TaggedDocument(_words(documents[name]), [row]) for row, name in enumerate(sorted(documents)[:TAUGHT])]
    total = sum(len(document.words) for document in corpus)
    model = _blank(epochs=min(20, max(2, _BUDGET // total)))
    model.build_vocab(corpus)
    model.train(corpus, total_examples=model.corpus_count, epochs=model.epochs)
    words = list(model.wv.index_to_key)
    counts = np.array([model.wv.get_vecattr(word, "count") for word in words], np.int64)
    return DocumentModel(words, counts, model.syn1neg.astype(np.float16))


def load(path: Path) -> DocumentModel:
    """Read what `save` wrote.

    Raises:
        ModelError: the file is missing or not such a model.
    """
    try:
        with np.load(path, allow_pickle=False) as data:
            return DocumentModel(str(data["words"]).split("\n"), data["counts"], data["outputs"])
    except (OSError, KeyError, ValueError, EOFError, BadZipFile) as e:
        raise ModelError(f"{path}: cannot read the document model ({e}); index again with --rebuild") from e


def _blank(*, epochs: int) -> Any:
    from gensim.models.doc2vec import Doc2Vec

    return Doc2Vec(
        vector_size=DIMENSION,
        dm=0,
        negative=5,
        sample=1e-4,
        min_count=2,
        max_final_vocab=_VOCABULARY,
        alpha=_RATE,
        epochs=epochs,
        seed=_SEED,
        workers=1,
    )


def _stable_hash(text: str) -> int:
    # Python's own differs from process to process.
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def _words(tokens: Sequence[str]) -> list[str]:
    # Figures tell documents apart but say nothing on what they are about; years do.
    words = [t for t in tokens if not t[0].isdigit() or (len(t) == 4 and t.isdigit() and t[:2] in ("19", "20"))]
    if len(words) <= WORDS:
        return words
    places = WORDS // _WINDOW
    starts = np.linspace(0, len(words) - _WINDOW, places).astype(int)
    return [word for start in starts for word in words[start : start + _WINDOW]]
