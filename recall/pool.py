"""Candidates: by words and by meaning, over the whole store and within the documents that the question names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from h3cold.ingest.store.reader import ColdStore
from h3cold.recall.catalog import Evidence
from h3cold.recall.corpus import EXACT, Corpus, rows_of_documents, rows_on
from h3cold.recall.filters import KINDS
from h3cold.recall.languages import Meaning, leveled, nearest_evenly
from h3cold.recall.rank import Pool
from h3cold.recall.understand import Question
from h3cold.recall.words import Bools, Floats, Ints, best_rows, bm25, numbers_of

NAMED = 0.5
"""Name evidence from which a document counts as named by the question."""

DEEPER = 4
"""Times as many blocks that one search brings where tables, figures and formulas are wanted on their own, too."""

ROUTED_DOCUMENTS = 24
"""Documents that are searched on their own, at most; a name that many share routes to none."""


class Found(NamedTuple):
    """BM25 and inner product by row, of what the searches brought.

    `seen` are rows, ascending, whose vectors [rows, d] were read before the question's own was there.
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
    meanwhile: Callable[[Found], None] | None = None,
) -> Found:
    """Up to `limit` candidates of each search; `meaning()` is the embedded question, None for words only.

    Beside the whole store, the documents that the question names are searched on their own, the pages that it names
    in all of them, and with `structural` the tables, figures and formulas. Words come first: the question is embedded
    beside them, and `meanwhile` what they found may be looked at.
    """
    searches = list(_searches(corpus, question, evidence, limit=limit, mask=mask, structural=structural))
    scores = bm25(corpus.words, question.terms)
    found = Found({}, {})

    def by_words(limit: int, mask: Bools | None) -> tuple[Ints, Floats]:
        return best_rows(scores, limit=limit, among=mask)

    for search in searches:
        if search.rows is not None:
            best, score = best_rows(scores[search.rows], limit=search.limit)
            _put(found.lexical, search.rows[best], score)
        else:
            _take(found.lexical, by_words, search)
    if meanwhile is not None:
        meanwhile(found)
        if _keeps_apart(index):
            rows = np.array(sorted(found.lexical), np.int64)
            found = found._replace(seen=(rows, vectors_of(store, corpus, index, rows)))
    known = meaning()
    if known is None:
        return found

    def by_meaning(limit: int, mask: Bools | None) -> tuple[Ints, Floats]:
        return nearest_evenly(index, known, limit=limit, mask=mask)

    for search in searches:
        if search.rows is not None:
            products = scores_of(store, corpus, index, known, search.rows)
            best = np.argsort(-products, kind="stable")[: search.limit]
            _put(found.dense, search.rows[best], products[best])
        else:
            _take(found.dense, by_meaning, search)
    return found


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
        some = corpus.kind != KINDS.index("passage") if structural else None
        yield _Search(limit, mask, some=some, kinds=limit // 2)
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
    """Scores by meaning of these rows; of those `seen` (see `Found`) no vectors are read.

    Raises:
        StoreError: the table of vectors cannot be read.
    """
    if meaning.scores is not None:
        return meaning.scores[rows]
    # By einsum, which stays in this thread.
    products = np.einsum("ij,j->i", _vectors(store, corpus, index, rows, seen), meaning.vector)
    of = None if meaning.centres is None else meaning.centres.of[rows]
    return np.asarray(leveled(products, meaning.level, of), dtype=np.float32)


def _vectors(store: ColdStore, corpus: Corpus, index: Any, rows: Ints, seen: tuple[Ints, Floats] | None) -> Floats:
    if seen is None or not len(seen[0]):
        return vectors_of(store, corpus, index, rows)
    known, vectors = seen
    at = np.minimum(np.searchsorted(known, rows), len(known) - 1)
    there = known[at] == rows
    out = vectors[at]
    if not there.all():
        out[~there] = vectors_of(store, corpus, index, rows[~there])
    return out


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
        for place, row in enumerate(sorted(scores, key=lambda r: -scores[r])):
            sums[int(corpus.document[row])] += 1 / (10 + place)  # type: ignore[assignment]
    return [d for d, _ in sums.most_common(count)]


def pool_of(
    store: ColdStore, corpus: Corpus, index: Any, found: Found, meaning: Meaning | None, extra: Iterable[int] = ()
) -> Pool:
    """What was found and the `extra` rows, every inner product filled in.

    A block that the word search did not bring gets half of the least score that it did: it has fewer of the words.
    """
    by_word, by_meaning = (_columns(scores) for scores in (found.lexical, found.dense))
    rows = np.unique(np.concatenate([by_word[0], by_meaning[0], np.fromiter(extra, np.int64)]))
    floor = float(by_word[1].min()) * 0.5 if len(by_word[1]) else 0.0
    lexical, dense = np.full(len(rows), floor, np.float32), np.zeros(len(rows), np.float32)
    lexical[np.searchsorted(rows, by_word[0])] = by_word[1]
    place = np.searchsorted(rows, by_meaning[0])
    dense[place] = by_meaning[1]
    if meaning is not None:
        missing = np.delete(np.arange(len(rows)), place)
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
    import faiss

    if not isinstance(index, faiss.IndexIVFPQ):
        return np.asarray(index.reconstruct_batch(rows), dtype=np.float32)
    table = store.table("blocks")._take_rows(corpus.rowid[rows].tolist(), columns=["vector"])
    flat = table["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat.reshape(len(rows), -1), dtype=np.float32)


def _keeps_apart(index: Any) -> bool:
    """Whether vectors are read one by one, which takes a question longer than what it does with them."""
    import faiss

    return isinstance(index, faiss.IndexIVF)


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
