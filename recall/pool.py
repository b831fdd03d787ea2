"""Candidates: by words and by meaning, over the whole store and within the documents that the question names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from h3cold.ingest.store.reader import ColdStore
from h3cold.recall.beside import Beside
from h3cold.recall.catalog import Evidence
from h3cold.recall.corpus import EXACT, Corpus, rows_of_documents, rows_on
from h3cold.recall.languages import Meaning, leveled, nearest_evenly
from h3cold.recall.lists import ListIndex
from h3cold.recall.rank import Pool
from h3cold.recall.understand import Question, tokens_of
from h3cold.recall.words import Bools, Floats, Ints, best_rows, bm25, done_with, numbers_of

NAMED = 0.5
"""Name evidence from which a document counts as named by the question."""

DEEPER = 4
"""Times as many blocks that one search brings where tables, figures and formulas are wanted on their own, too."""

ROUTED_DOCUMENTS = 24
"""Documents that are searched on their own, at most; a name that many share routes to none."""


class Found(NamedTuple):
    """BM25 and inner product by row, of what the searches brought.

    `seen` are rows, ascending, whose inner products with the question are known, though no search by meaning told them.
    """

    lexical: dict[int, float]
    dense: dict[int, float]
    seen: tuple[Ints, Floats] | None = None


def gather(
    store: ColdStore,
    corpus: Corpus,
    index: Any,
    question: Question,
    meaning: Callable[[], Meaning | None],
    evidence: Evidence,
    *,
    limit: int,
    mask: Bools | None = None,
    structural: bool = False,
    meanwhile: Callable[[Iterable[int]], None] | None = None,
    beside: Beside | None = None,
) -> Found:
    """Up to `limit` candidates of each search; `meaning` gives the embedded question, None for words only.

    Beside the whole store, the documents that the question names are searched on their own, the pages that it names
    in all of them, and with `structural` the tables, figures and formulas. The thread that embeds the question goes on
    with the search by meaning (`beside`); this one searches by words at the same time, and `meanwhile` the rows that it
    found may be looked at.
    """
    searches = list(_searches(corpus, question, evidence, limit=limit, mask=mask, structural=structural))

    def by_words(scores: Floats) -> dict[int, float]:
        def among(rows: Ints, limit: int) -> tuple[Ints, Floats]:
            best, found = best_rows(scores[rows], limit=limit)
            return rows[best], found

        return _bring(searches, lambda limit, mask: best_rows(scores, limit=limit, among=mask), among)

    def by_meaning() -> dict[int, float]:
        known = meaning()
        if known is None:
            return {}

        def among(rows: Ints, limit: int) -> tuple[Ints, Floats]:
            products = scores_of(store, corpus, index, known, rows)
            best = np.argsort(-products, kind="stable")[:limit]
            return rows[best], products[best]

        return _bring(searches, lambda limit, mask: nearest_evenly(index, known, limit=limit, mask=mask), among)

    dense = by_meaning if beside is None else beside.then(by_meaning)
    scores = bm25(corpus.words, question.terms)
    lexical = by_words(scores)
    early = None
    if meanwhile is not None:
        meanwhile(lexical)
        if beside is not None and isinstance(index, ListIndex):
            rows = np.array(sorted(lexical), np.int64)
            early = rows, vectors_of(store, corpus, index, rows)  # read before the question's own is there
    done_with(corpus.words, scores)
    nearest = dense()
    seen = None if early is None or beside is None else (early[0], _products(early[1], beside()[: index.d]))
    return Found(lexical, nearest, seen)


class _Search(NamedTuple):
    """One search: the best `limit` among the rows of `mask` (None = all), and of these the best `kinds` in `some`.

    With `rows` those few alone, every one compared.
    """

    limit: int
    mask: Bools | None
    rows: Ints | None = None
    some: Bools | None = None
    kinds: int = 0


def _searches(
    corpus: Corpus, question: Question, evidence: Evidence, *, limit: int, mask: Bools | None, structural: bool
) -> Iterator[_Search]:
    if mask is None or mask.any():
        yield _Search(limit, mask, some=corpus.structural if structural else None, kinds=limit // 2)
    routed = named_documents(evidence)
    if len(routed):
        rows = rows_of_documents(corpus, routed)
        rows = rows if mask is None else rows[mask[rows]]
        if len(rows) <= EXACT:
            yield _Search(limit // 2, None, rows=rows)
        else:
            chosen = np.zeros(len(corpus), np.bool_)
            chosen[rows] = True
            yield _Search(limit // 2, chosen)
    if question.pages:
        there = rows_on(corpus, question.pages)
        there = there if mask is None else there & mask
        if there.any():
            yield _Search(limit // 2, there)


def _bring(
    searches: Iterable[_Search],
    best: Callable[[int, Bools | None], tuple[Ints, Floats]],
    among: Callable[[Ints, int], tuple[Ints, Floats]],
) -> dict[int, float]:
    """What the searches find, by row: `best(limit, mask)` of the store, `among(rows, limit)` of a few."""
    found: dict[int, float] = {}
    for search in searches:
        if search.rows is None:
            _take(found, best, search)
        else:
            _put(found, *among(search.rows, search.limit))
    return found


def _take(found: dict[int, float], best: Callable[[int, Bools | None], tuple[Ints, Floats]], search: _Search) -> None:
    """Put in what a search of the store brings. One that goes deeper mostly holds the best of `some`, too."""
    if search.some is None:
        _put(found, *best(search.limit, search.mask))
        return
    rows, scores = best(DEEPER * search.limit, search.mask)
    _put(found, rows[: search.limit], scores[: search.limit])
    place = np.flatnonzero(search.some[rows])[: search.kinds]
    if len(place) == search.kinds or len(rows) < DEEPER * search.limit:
        _put(found, rows[place], scores[place])
    else:
        own = search.some if search.mask is None else search.some & search.mask
        if own.any():
            _put(found, *best(search.kinds, own))


def scores_of(
    store: ColdStore, corpus: Corpus, index: Any, meaning: Meaning, rows: Ints, seen: tuple[Ints, Floats] | None = None
) -> Floats:
    """Scores by meaning of these rows; of those `seen` (see `Found`) the products are known.

    Raises:
        StoreError: the table of vectors cannot be read.
    """
    if meaning.scores is not None:
        return meaning.scores[rows]
    if seen is None or not len(seen[0]):
        products = _products(vectors_of(store, corpus, index, rows), meaning.vector)
    else:
        known, told = seen
        at = np.minimum(np.searchsorted(known, rows), len(known) - 1)
        products, new = told[at], known[at] != rows
        if new.any():
            products[new] = _products(vectors_of(store, corpus, index, rows[new]), meaning.vector)
    of = None if meaning.centres is None else meaning.centres.of[rows]
    return np.asarray(leveled(products, meaning.level, of), dtype=np.float32)


def _products(vectors: Floats, vector: Floats) -> Floats:
    return np.einsum("ij,j->i", vectors, vector)  # which stays in this thread


def _put(found: dict[int, float], rows: Ints, scores: Floats) -> None:
    found.update(zip(rows.tolist(), scores.tolist(), strict=True))


def drop(found: Found, unwanted: Bools) -> None:
    """Take out the `unwanted` rows."""
    for scores in (found.lexical, found.dense):
        for row in [row for row in scores if unwanted[row]]:
            del scores[row]


def best_documents(corpus: Corpus, found: Found, *, count: int) -> list[int]:
    """Documents with the most evidence: the reciprocal ranks of their blocks in either search, summed."""
    sums: Counter[int] = Counter()
    for scores in (found.lexical, found.dense):
        rows = sorted(scores, key=scores.__getitem__, reverse=True)
        for place, document in enumerate(corpus.document[rows].tolist()):
            sums[document] += 1 / (10 + place)  # type: ignore[assignment]
    return [d for d, _ in sums.most_common(count)]


def pool_of(
    store: ColdStore, corpus: Corpus, index: Any, found: Found, meaning: Meaning | None, extra: Iterable[int] = ()
) -> Pool:
    """What was found and the `extra` rows, every inner product filled in.

    A block that the word search did not bring gets half of the least score that it did: it has fewer of the words.
    """
    by_word, by_meaning = (_columns(scores) for scores in (found.lexical, found.dense))
    rows = np.sort(np.concatenate([by_word[0], by_meaning[0], np.fromiter(extra, np.int64)]))
    rows = rows[np.append(True, rows[1:] != rows[:-1])[: len(rows)]]
    floor = float(by_word[1].min()) * 0.5 if len(by_word[1]) else 0.0
    lexical, dense = np.full(len(rows), floor, np.float32), np.zeros(len(rows), np.float32)
    lexical[np.searchsorted(rows, by_word[0])] = by_word[1]
    place = np.searchsorted(rows, by_meaning[0])
    dense[place] = by_meaning[1]
    if meaning is not None:
        missing = np.ones(len(rows), np.bool_)
        missing[place] = False
        dense[missing] = scores_of(store, corpus, index, meaning, rows[missing], found.seen)
    return Pool(rows, lexical, dense)


def _columns(scores: Mapping[int, float]) -> tuple[Ints, Floats]:
    """Rows, ascending, and their scores."""
    rows, values = np.fromiter(scores.keys(), np.int64), np.fromiter(scores.values(), np.float32)
    order = np.argsort(rows)
    return rows[order], values[order]


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
    if not isinstance(index, ListIndex) or index.whole:
        return np.asarray(index.reconstruct_batch(rows), dtype=np.float32)
    table = store.take("blocks", corpus.rowid[rows].tolist(), ["vector"])
    flat = table["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat.reshape(len(rows), -1), dtype=np.float32)


def about(corpus: Corpus, document: int) -> Ints:
    """Numbers of the tokens that stand before the text of each of a document's blocks."""
    known = corpus.about.get(document)
    if known is None:
        row = corpus.documents[document]
        tokens = (t for key in ("title", "company", "period", "doctype") for t in tokens_of(row[key] or ""))
        known = corpus.about[document] = numbers_of(corpus.words, tokens)
    return known
