"""Document vectors learned from the store's own corpus: PV-DBOW (Le & Mikolov, 2014, arXiv:1405.4053), 1024-d.

Bounded: a document gives at most `WORDS` words, spread evenly over it, passes get fewer as the corpus grows, and of
more than `TAUGHT` documents those first by id, a random choice as ids are hashes, teach the model.
Repeatable: one thread, fixed seeds, and a document's vector does not depend on what was asked before.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
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
_NEGATIVE = 5
_SAMPLE = 1e-4
_CERTAIN = 6  # word2vec leaves alone what is decided
_STEP = 16


def too_small(documents: Mapping[str, Sequence[str]]) -> str:
    """Why this corpus cannot teach a model, or "" if it can. Documents are lists of lexical tokens by id."""
    usable = sum(len(_words(tokens)) >= MIN_WORDS for tokens in documents.values())
    if usable >= MIN_DOCUMENTS:
        return ""
    return f"document vectors need {MIN_DOCUMENTS} documents of {MIN_WORDS} words or more; here are {usable}"


class DocumentModel:
    """Gives documents their vectors. Made by `train` or `load`.

    Inferred here and not by gensim: that starts from Python's own hash of the words, another one in each process, and
    to import it takes longer than to infer the vectors of hundreds of documents.
    """

    dimension = DIMENSION

    def __init__(
        self,
        words: Sequence[str],
        counts: npt.NDArray[np.int64],
        outputs: npt.NDArray[np.int8],
        scales: npt.NDArray[np.float32],
    ) -> None:
        self._words, self._counts, self._codes, self._scales = list(words), counts, outputs, scales
        self._place = {word: row for row, word in enumerate(self._words)}
        share = counts / counts.sum()
        self._kept = np.minimum((np.sqrt(share / _SAMPLE) + 1) * (_SAMPLE / share), 1.0)  # as word2vec thins out
        self._drawn = np.cumsum(counts**0.75)
        self._drawn /= self._drawn[-1]

    def vectors(self, documents: Sequence[Sequence[str]]) -> Vectors:
        """Unit vectors, float32 [len(documents), 1024]; zero for a document without a known word."""
        out = np.zeros((len(documents), DIMENSION), np.float32)
        for row, tokens in enumerate(documents):
            words = [self._place[w] for w in _words(tokens) if w in self._place]
            if words:
                vector = self._infer(np.array(words), _stable_hash(" ".join(self._words[w] for w in words)))
                out[row] = vector / max(float(np.linalg.norm(vector)), 1e-12)
        return out

    def _infer(self, words: npt.NDArray[np.int64], seed: int) -> Vectors:
        """Gradient descent on the vector alone, against `_NEGATIVE` drawn words for each of the document's.

        Steps of `_STEP` words at once; einsum and not BLAS, whose sums depend on the number of threads.
        """
        draw = np.random.default_rng(seed)
        vector: Vectors = (draw.random(DIMENSION, dtype=np.float32) - np.float32(0.5)) / np.float32(DIMENSION)
        for rate in np.linspace(_RATE, _RATE / 250, _ASKED, dtype=np.float32):
            left = words[draw.random(len(words)) < self._kept[words]]
            others = np.searchsorted(self._drawn, draw.random((len(left), _NEGATIVE)))
            for start in range(0, len(left), _STEP):
                own = left[start : start + _STEP, None]
                targets = np.hstack([own, others[start : start + _STEP]])
                rows = self._codes[targets.ravel()] * self._scales[targets.ravel(), None]  # all as floats: 120 MB
                near = np.einsum("ij,j->i", rows, vector)
                wanted = np.zeros(targets.shape, np.float32)
                wanted[:, 0] = 1
                error = (wanted.ravel() - 1 / (1 + np.exp(-near))) * rate
                used = np.abs(near) < _CERTAIN
                used &= np.hstack([np.ones_like(own, np.bool_), targets[:, 1:] != own]).ravel()
                vector += np.einsum("ij,i->j", rows, np.where(used, error, np.float32(0)))
        return vector

    def save(self, path: Path) -> None:
        """Write the model to one `.npz` file (no pickle: a store may come from someone else)."""
        with path.open("wb") as f:
            np.savez(
                f,
                words=np.frombuffer("\n".join(self._words).encode(), np.uint8),
                counts=self._counts,
                outputs=self._codes,
                scales=self._scales,
            )


def train(documents: Mapping[str, Sequence[str]]) -> DocumentModel:
    """Learn from all documents (lexical tokens by document id); the order of the mapping does not matter.

    Raises:
        ModelError: the corpus is too small; see `too_small`.
    """
    from gensim.models.doc2vec import Doc2Vec, TaggedDocument

    reason = too_small(documents)
    if reason:
        raise ModelError(reason)
    corpus = [TaggedDocument(_words(documents[name]), [row]) for row, name in enumerate(sorted(documents)[:TAUGHT])]
    total = sum(len(document.words) for document in corpus)
    model = Doc2Vec(
        vector_size=DIMENSION,
        dm=0,
        negative=_NEGATIVE,
        sample=_SAMPLE,
        min_count=2,
        max_final_vocab=_VOCABULARY,
        alpha=_RATE,
        epochs=min(20, max(2, _BUDGET // total)),
        seed=_SEED,
        workers=1,
    )
    model.build_vocab(corpus)
    model.train(corpus, total_examples=model.corpus_count, epochs=model.epochs)
    words = list(model.wv.index_to_key)
    counts = np.array([model.wv.get_vecattr(word, "count") for word in words], np.int64)
    scales = np.maximum(np.abs(model.syn1neg).max(axis=1), 1e-12) / 127
    codes = np.rint(model.syn1neg / scales[:, None]).astype(np.int8)  # a quarter of the bytes, and as good
    return DocumentModel(words, counts, codes, scales.astype(np.float32))


def load(path: Path) -> DocumentModel:
    """Read what `save` wrote.

    Raises:
        ModelError: the file is missing or not such a model.
    """
    try:
        with np.load(path, allow_pickle=False) as data:
            words = data["words"].tobytes().decode().split("\n")
            return DocumentModel(words, data["counts"], data["outputs"], data["scales"])
    except (OSError, KeyError, ValueError, EOFError, BadZipFile) as e:
        raise ModelError(f"{path}: cannot read the document model ({e}); see h3-monitor --verify --repair") from e


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
