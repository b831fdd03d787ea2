"""Documents like a document, by their vectors; documents about what a question asks, by their passages and vectors."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from h3cold.ingest.compress.codes import KEPT
from h3cold.ingest.compress.documents import Documents, floats, nearest_documents, open_documents
from h3cold.recall.descent import Descent, Node, Reader, Trees, descend, open_trees, outline
from h3cold.recall.query import clean_query
from h3cold.recall.shared_words import ALIKE, SHOWN, bag_of, document_counts, likeness, row_with, spelt, telling
from h3cold.recall.words import Floats, Ints
from h3cold.schemas.errors import QueryError, StoreError

if TYPE_CHECKING:
    from h3cold.recall.search import Snapshot

COMPARED = 256
"""Documents that are held against one by their words: all of a small store, else those nearest by vectors."""

PASSAGES = 40
"""Hits whose documents are compared where documents are asked for."""

FUSED = 10
"""Rank that counts half of the first, where several orders are made one (Cormack et al., 2009, SIGIR)."""

SECOND = 0.25
"""Weight of Doc2Vec's order for a question, beside 1 for that of the passages."""


@dataclass(frozen=True, slots=True)
class DocumentHit:
    """A document that was found.

    `score` is for a document asked with how like it is by the words that both share, 0..1, else a sum of reciprocal
    ranks. `fits` is False where it is only the nearest there is: it shares little, or nothing fits the question.
    """

    rank: int
    score: float
    document: str
    source: str
    title: str
    reason: str
    fits: bool = True


class Passages(NamedTuple):
    """The documents of the blocks that answer a question, best first; whether these fit it."""

    documents: Sequence[str]
    fits: bool


class Coarse:
    """What a snapshot knows of whole documents.

    Each part is opened when it is first needed, so that a damaged one costs no more than what needs it: StoreError
    where a file cannot be read, CorruptionError where it is damaged.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The blocks' ids by row."""
        return tuple(i.decode("utf-8", "surrogatepass") for i in self._snapshot.corpus.ids.tolist())

    @cached_property
    def trees(self) -> Trees:
        """The trees of documents; StoreError where there are none."""
        return open_trees(self._snapshot.store, self.ids)

    @cached_property
    def embed(self) -> Callable[[str], Floats] | None:
        """Makes of a question a vector in the trees' space; None without a model at hand."""
        return _question_vectors(self._snapshot, self.ids, self.trees)

    @cached_property
    def documents(self) -> Documents | None:
        """The index of document vectors, where there is one."""
        store = self._snapshot.store
        index = store.manifest.index
        if "documents" not in index or "documents.ids" in index:  # the latter is an older version's
            return None
        lists = store.index_path("documents.lists") if "documents.lists" in index else None
        return open_documents(store.index_path("documents"), lists)

    @cached_property
    def counts(self) -> Ints:
        """In how many documents each word stands."""
        return document_counts(self._snapshot.corpus)

    @cached_property
    def model(self) -> Any:
        """The model of the index of document vectors."""
        from h3cold.ingest.embed.doc2vec import load

        return load(self._snapshot.store.index_path("doc2vec"))

    @property
    def status(self) -> str:
        """Why there are no document vectors."""
        return self._snapshot.store.manifest.models.get("documents", "")


def _question_vectors(snapshot: Snapshot, ids: Sequence[str], trees: Trees) -> Callable[[str], Floats] | None:
    embedder = snapshot.embedder
    if embedder is None:
        return None
    if "leaves" in trees.arrays:
        return lambda text: np.asarray(embedder.queries([text])[0], np.float32)
    from h3cold.recall.summary_search import SummaryEmbedder, open_summaries, summary_embedder

    own = embedder
    if not isinstance(embedder, SummaryEmbedder):
        own = summary_embedder(embedder, open_summaries(snapshot.store, ids))
    return lambda text: np.asarray(own.queries([text])[0][:KEPT], np.float32)


def outline_of(snapshot: Snapshot, coarse: Coarse, document: str) -> Node:
    """The tree of a document, given by id, source or path.

    Raises:
        StoreError: there is no such document, or it has no blocks.
    """
    found = outline(coarse.trees, _id(snapshot, document) or document)
    if found is None:
        raise StoreError(f"{snapshot.store.path}: no document {document!r} with blocks in this snapshot")
    return found


def descend_to(coarse: Coarse, text: str, *, top: int) -> Descent:
    """What a question leads to.

    Raises:
        StoreError: there is no embedding model at hand.
    """
    if coarse.embed is None:
        raise StoreError("no embedding model is at hand, without which nothing can be gone down to")
    return descend(coarse.trees, coarse.embed(text), coarse.ids, top=top)


def like_document(snapshot: Snapshot, coarse: Coarse, document: str, *, top: int) -> list[DocumentHit]:
    """Documents most like one of the snapshot, itself left out, by the words that they share.

    They are held against those nearest to it by vectors, where documents are many.
    """
    corpus = snapshot.corpus
    place = {row["id"]: i for i, row in enumerate(corpus.documents)}
    own = place.get(document)
    if own is None:
        return []
    near, why = _nearest(coarse, document, max(COMPARED, 4 * top)) if len(place) > COMPARED else (list(place), "")
    asked = bag_of(corpus, coarse.counts, own)
    found = [
        (*likeness(asked, bag_of(corpus, coarse.counts, place[d])), d) for d in near if d != document and d in place
    ]
    found.sort(key=lambda f: (-f[0], f[2]))
    out, said = [], dict[int, str]()
    for rank, (score, words, other) in enumerate(found[:top], 1):
        shared = ", ".join(_spelt(snapshot, words, own, said)) or "no word"
        reason = f"shares {shared}" if score >= ALIKE else f"nothing fits well, shares little: {shared}"
        out.append(_hit(snapshot, rank, other, score, f"{reason}{why}", fits=score >= ALIKE))
    return out


def _spelt(snapshot: Snapshot, words: Ints, document: int, said: dict[int, str]) -> list[str]:
    """The first of these words as a document writes them; `said` keeps what was looked up."""
    from h3cold.recall.hits import read_blocks

    out: list[str] = []
    for number, token in telling(snapshot.corpus, words):
        if number not in said:
            row = row_with(snapshot.corpus, number, document)
            block = None if row is None else read_blocks(snapshot.store, snapshot.corpus, [row])[row]
            said[number] = token if block is None else spelt(token, " ".join((block.captioned, *block.headings)))
        if said[number] and not any(said[number] in other or other in said[number] for other in out):
            out.append(said[number])
        if len(out) == SHOWN:
            break
    return out


def _nearest(coarse: Coarse, document: str, limit: int) -> tuple[list[str], str]:
    """Documents nearest to one by vectors, and by which where not by their own."""
    if coarse.documents is not None and document in coarse.documents.ids:
        index = coarse.documents
        row = index.ids.index(document)
        rows, _ = nearest_documents(index, floats(index.codes, index.scales, np.array([row]))[0], limit=limit + 1)
        return [index.ids[r] for r in rows.tolist()], ""
    if document not in coarse.trees.ids:
        return [], ""
    scales = coarse.trees.arrays["scales"]
    whole = _unit(Reader(coarse.trees).codes("tops", slice(None))[:, 0] * scales)
    scores = whole @ whole[coarse.trees.ids.index(document)]
    best = np.argsort(-scores, kind="stable")[: limit + 1].tolist()
    return [coarse.trees.ids[r] for r in best], f"; of those near by summaries, document vectors are {coarse.status}"


def like_question(snapshot: Snapshot, coarse: Coarse, text: str, passages: Passages, *, top: int) -> list[DocumentHit]:
    """Documents about what a question asks: in the order of its `passages`' documents, first of all.

    Doc2Vec's order comes second: it knows what a document is about as a whole, but a question has few words to go by.
    """
    orders = {"its passages": (1.0, list(dict.fromkeys(passages.documents)))}
    if coarse.documents is not None:
        from h3cold.ingest.tokens import lexical

        vector = coarse.model.vectors([lexical(text)])[0]
        if vector.any():
            rows, _ = nearest_documents(coarse.documents, vector, limit=4 * top)
            orders["document vectors"] = (SECOND, [coarse.documents.ids[r] for r in rows.tolist()])
    sums: dict[str, float] = {}
    for weight, order in orders.values():
        for place, document in enumerate(order):
            sums[document] = sums.get(document, 0.0) + weight * FUSED / (FUSED + place)
    best = sorted(sums, key=lambda d: (-sums[d], d))[:top]
    out = []
    for rank, document in enumerate(best, 1):
        near = [why for why, (_, order) in orders.items() if document in order[: 2 * top]]
        why = f"near by {' and '.join(near) or 'both orders together'}"
        out.append(_hit(snapshot, rank, document, sums[document], why, fits=passages.fits))
    return out


def _unit(vectors: Floats) -> Floats:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def _id(snapshot: Snapshot, name: str) -> str | None:
    """Id of a document given by id, by one of its sources, or by a path that leads to one."""
    rows = snapshot.corpus.documents
    for wanted in _sources(snapshot, name):
        for row in rows:
            if wanted == row["id"] or wanted in (row["source"], *row["sources"]):
                return str(row["id"])
    return None


def _sources(snapshot: Snapshot, name: str) -> Iterator[str]:
    """A name as it is given, then without "./" and the like, then as a path below the folder that was indexed."""
    yield name
    if not isinstance(name, str) or not name or "\0" in name:
        return
    yield os.path.normpath(name)
    root, path = snapshot.store.manifest.root, os.path.abspath(name)  # noqa: PTH100  (not resolved: a link may be meant)
    places = [(root, path)]
    with suppress(ValueError, OSError):  # a lone surrogate is in no file's name
        places.append((os.path.realpath(root), os.path.realpath(path)))
    for folder, file in places:
        if Path(file).is_relative_to(folder):
            yield Path(file).relative_to(folder).as_posix()


def _names_file(what: str) -> bool:
    """Whether this is spelt like a file's name, and no question."""
    if " " in what:  # a sentence may end in one, but hardly names a folder, too
        return what.lower().endswith(".pdf") and "/" in what
    return what.lower().endswith(".pdf") or what.startswith(("./", "../", "/", "~/"))


def documents_like(
    snapshot: Snapshot, coarse: Coarse, what: str, passages: Callable[[str], Passages], *, top: int
) -> list[DocumentHit]:
    """Documents like the one that `what` is the id, source or path of; else about what it asks.

    `passages(question)` are the blocks that answer it.

    Raises:
        QueryError: it is spelt like a file's name, and no document has it; it holds no word.
    """
    document = _id(snapshot, what)
    if document is not None:
        return like_document(snapshot, coarse, document, top=top)
    if _names_file(what.strip()):
        spelt = {row["source"].casefold(): row["source"] for row in snapshot.corpus.documents}
        near = difflib.get_close_matches(what.casefold(), spelt, n=1, cutoff=0.5)
        hint = f"; did you mean {spelt[near[0]]!r}?" if near else "; give its source, as hits have it, or a question"
        raise QueryError(f"no document {what!r} in {snapshot.store.path}{hint}")
    text = clean_query(what)
    return like_question(snapshot, coarse, text, passages(text), top=top)


def _hit(snapshot: Snapshot, rank: int, document: str, score: float, reason: str, *, fits: bool) -> DocumentHit:
    row = next(row for row in snapshot.corpus.documents if row["id"] == document)
    return DocumentHit(rank, round(float(score), 4), document, row["source"], row["title"] or "", reason, fits)
