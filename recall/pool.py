"""Candidates: by words and by meaning, over the whole store and within the documents that the question names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from h3cold.ingest.store.reader import ColdStore
from h3cold.recall.catalog import Evidence
from h3cold.recall.corpus import EXACT, Corpus, rows_of_documents, rows_on
from h3cold.recall.filters import KINDS
from h3cold.recall.languages import Meaning, nearest_evenly
from h3cold.recall.rank import Pool
from h3cold.recall.understand import Question
from h3cold.recall.words import Bools, Floats, Ints, best_rows, bm25, numbers_of

NAMED = 0.5
"""Name evidence from which a document counts as named by the question."""

ROUTED_DOCUMENTS = 24
"""Documents that are searched on their own, at most; a name that many share routes to none."""


class Found(NamedTuple):
    """BM25 and inner product by row, of what the searches brought."""

    lexical: dict[int, float]
    dense: dict[int, float]


def gather(
    store: ColdStore,
    corpus: Corpus,
    index: Any,
    question: Question,
    meaning: Meaning | None,
    evidence: Evidence,
    *,
    limit: int,
    mask: Bools | None = None,
    structural: bool = False,
) -> Found:
    """Up to `limit` candidates of each search; `meaning` is the embedded question, None for words only.

    Beside the whole store, the documents that the question names are searched on their own, the pages that it names
    in all of them, and with `structural` the tables, figures and formulas.
    """
    scores = bm25(corpus.words, question.terms)
    found = Found({}, {})
    _search(found, index, meaning, scores, limit=limit, mask=mask)
    routed = named_documents(evidence)
    if len(routed):
        rows = rows_of_documents(corpus, routed)
        rows = rows if mask is None else rows[mask[rows]]
        if len(rows) <= EXACT:
            _search_among(found, store, corpus, index, meaning, scores, rows, limit=limit // 2)
        else:
            chosen = np.zeros(len(corpus), np.bool_)
            chosen[rows] = True
            _search(found, index, meaning, scores, limit=limit // 2, mask=chosen)
    if question.pages:
        there = rows_on(corpus, question.pages)
        _search(found, index, meaning, scores, limit=limit // 2, mask=there if mask is None else there & mask)
    if structural:
        tables = corpus.kind != KINDS.index("passage")
        _search(found, index, meaning, scores, limit=limit // 2, mask=tables if mask is None else tables & mask)
    return found


def _search(
    found: Found, index: Any, meaning: Meaning | None, scores: Floats, *, limit: int, mask: Bools | None
) -> None:
    """Put the best by words (`scores` [n]) and by meaning in."""
    if mask is not None and not mask.any():
        return
    _put(found.lexical, *best_rows(scores, limit=limit, among=mask))
    if meaning is not None:
        _put(found.dense, *nearest_evenly(index, meaning, limit=limit, mask=mask))


def _search_among(
    found: Found, store: ColdStore, corpus: Corpus, index: Any, meaning: Meaning | None, scores: Floats, rows: Ints, *,
    limit: int,
) -> None:  # fmt: skip
    """The same among a few `rows`, of which every vector is compared."""
    best, score = best_rows(scores[rows], limit=limit)
    _put(found.lexical, rows[best], score)
    if meaning is not None:
        products = _products(vectors_of(store, corpus, index, rows), meaning) - meaning.level[meaning.of[rows]]
        best = np.argsort(-products, kind="stable")[:limit]
        _put(found.dense, rows[best], products[best])


def _products(vectors: Floats, meaning: Meaning) -> Floats:
    """Inner products with the question, in this thread."""
    return np.asarray(np.einsum("ij,j->i", vectors, meaning.vector), dtype=np.float32)


def _put(found: dict[int, float], rows: Ints, scores: Floats) -> None:
    found.update(zip(rows.tolist(), scores.tolist(), strict=True))


def best_documents(corpus: Corpus, found: Found, *, count: int) -> list[int]:
    """Documents with the most evidence: the reciprocal ranks of their blocks in either search, summed."""
    sums: Counter[int] = Counter()
    for scores in (found.lexical, found.dense):
        for place, row in enumerate(sorted(scores, key=lambda r: -scores[r])):
            sums[int(corpus.document[row])] += 1 / (10 + place)  # type: ignore[assignment]
    return [d for d, _ in sums.most_common(count)]


def pool_of(
    store: ColdStore, corpus: Corpus, index: Any, found: Found, meaning: Meaning | None, extra: Iterable[int] = ()
) -> Pool:
    """What was found and the `extra` rows, every inner product filled in.

    A block that the word search did not bring gets half of the least score that it did: it has fewer of the words.
    """
    rows = np.array(sorted({*found.lexical, *found.dense, *extra}), dtype=np.int64)
    dense = dict(found.dense)
    if meaning is not None:
        missing = np.array([r for r in rows.tolist() if r not in dense], dtype=np.int64)
        products = _products(vectors_of(store, corpus, index, missing), meaning) - meaning.level[meaning.of[missing]]
        dense.update(zip(missing.tolist(), products.tolist(), strict=True))
    floor = min(found.lexical.values(), default=0.0) * 0.5
    return Pool(
        rows,
        np.array([found.lexical.get(r, floor) for r in rows.tolist()], np.float32),
        np.array([dense.get(r, 0.0) for r in rows.tolist()], np.float32),
    )


def named_documents(evidence: Evidence) -> Ints:
    """Documents that the question names, of its period where it gives one; none if it names none, or too many."""
    nothing = np.empty(0, np.int64)
    if not len(evidence.name) or evidence.name.max() < NAMED:
        return nothing
    named = evidence.name >= 0.85 * evidence.name.max()
    best = evidence.period[named].max()
    if best > 0:
        named &= evidence.period >= 0.5 * best
    return np.flatnonzero(named) if named.sum() <= ROUTED_DOCUMENTS else nothing


def vectors_of(store: ColdStore, corpus: Corpus, index: Any, rows: Ints) -> Floats:
    """The stored vectors of `rows` [rows, d].

    Raises:
        StoreError: the table cannot be read.
    """
    if not len(rows):
        return np.empty((0, index.d), np.float32)
    import faiss

    if not isinstance(index, faiss.IndexIVFPQ):
        return np.asarray(index.reconstruct_batch(rows), dtype=np.float32)
    table = store.table("blocks")._take_rows(corpus.rowid[rows].tolist(), columns=["vector"])
    flat = table["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat.reshape(len(rows), -1), dtype=np.float32)


def about(corpus: Corpus, document: int) -> Ints:
    """Numbers of the tokens that stand before the text of each of a document's blocks."""
    known = corpus.about.get(document)
    if known is None:
        row = corpus.documents[document]
        tokens = (t for key in ("title", "company", "period", "doctype") for t in _tokens(row[key] or ""))
        known = corpus.about[document] = numbers_of(corpus.words, tokens)
    return known


@lru_cache(maxsize=1 << 16)
def _tokens(text: str) -> frozenset[str]:
    from h3cold.ingest.tokens import lexical

    return frozenset(lexical(text))
