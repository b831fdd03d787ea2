"""Meaning across languages: e5 lays texts of the question's own language closer to it than what answers in another.

Each language's blocks lie around a centre of their own, so what counts is how much closer than that centre a block is:
score(q, p) = q·p - q·mean(language of p). Within one language this changes no order. Blocks in another language than
their document (listings and references of a Chinese manual) have a centre of their own: they are embedded under its
headings, and so lie nearer to it than others of their language.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from h3cold.recall.corpus import Bits, Corpus, nearest, packed, plain_vectors
from h3cold.recall.lists import ListIndex, Lists
from h3cold.recall.summary_search import SummaryIndex
from h3cold.recall.words import Bools, Floats, Ints, product

Places = np.ndarray[Any, np.dtype[np.uint8]]

ENOUGH = 5
"""Blocks from which a language has a centre of its own; those of rarer ones are held to the centre of all blocks."""

MIXED = 0.001
"""Share of all blocks from which those of one language in documents of another have a centre of their own."""

SAMPLE = 1024
"""Blocks of a language that its centre is worked out from, at most, spread evenly over the store."""


class Centres(NamedTuple):
    """`means` [m, d] are the centres, `of` [n] says which one each row belongs to; `masks` [m] are those rows' bits.

    `lists` [m] are the lists of the index that hold such rows, none where the index has no lists.
    """

    means: Floats
    of: Places
    masks: tuple[Bits, ...]
    lists: tuple[Lists, ...] = ()


class Meaning(NamedTuple):
    """A question embedded as `vector` [d], over the index.

    `level` [m] is how close it is to each of the `centres`; `scores` [n] is every row's score where the index keeps
    all vectors as they are, since then no search is quicker than one product; `coarse` are the products with the
    centroids of the index's lists where each language's are searched.
    """

    vector: Floats
    level: Floats
    centres: Centres | None
    scores: Floats | None
    coarse: Floats | None = None


def find_centres(corpus: Corpus, vectors: Callable[[Ints], Floats], index: Any = None) -> Centres | None:
    """The centre of each language with enough blocks; None where there are not two such.

    `vectors(rows)` is [rows, d]; `index` is the one to be searched, if it may have lists.

    Raises:
        StoreError: the vectors cannot be read.
    """
    if len(corpus.languages) < 2:
        return None
    groups, mixed = _groups(corpus)
    counts = np.bincount(groups, minlength=1)
    least = np.where(mixed[: len(counts)], max(ENOUGH, MIXED * len(corpus)), ENOUGH)
    known = np.flatnonzero(counts >= least)
    if len(known) < 2:
        return None
    of = np.full(len(corpus), len(known), np.uint8)
    means = []
    for place, code in enumerate(known):
        rows = np.flatnonzero(groups == code)
        of[rows] = place
        means.append(vectors(rows[:: -(-len(rows) // SAMPLE)]).mean(axis=0))
    means.append(np.average(means, axis=0, weights=counts[known]))
    masks = tuple(packed(of == place) for place in range(len(means)))
    lists = tuple(index.lists_of(of == p, bits) for p, bits in enumerate(masks)) if isinstance(index, ListIndex) else ()
    return Centres(np.stack(means).astype(np.float32), of, masks, lists)


def _groups(corpus: Corpus) -> tuple[Ints, Bools]:
    """A number for each row's language in its document's, and which of the numbers are of two languages."""
    codes = {name: code for code, name in enumerate(corpus.languages)}
    size = len(codes)
    main = np.array([codes.get(row["language"], size) for row in corpus.documents], np.int64)[corpus.document]
    main = np.where(main < size, main, corpus.language)
    return corpus.language * size + main, np.repeat(np.arange(size), size) != np.tile(np.arange(size), size)


def meaning_of(vector: Floats, centres: Centres | None, index: Any) -> Meaning:
    """An embedded question over an index, measured from the centres where there are any."""
    coarse = product(index.centroids, vector) if centres is not None and isinstance(index, ListIndex) else None
    level = np.zeros(0, np.float32) if centres is None else centres.means @ vector
    if isinstance(index, SummaryIndex):
        products: Floats | None = index.scores(vector)
    else:
        vectors = plain_vectors(index)
        products = None if vectors is None else product(vectors, vector)
    scores = None if products is None else leveled(products, level, None if centres is None else centres.of)
    return Meaning(vector, level, centres, scores, coarse)


def leveled(products: Floats, level: Floats, of: Places | None) -> Floats:
    """Scores of rows by their inner products with the question: what lies over their centre's `level`."""
    return products if of is None else products - level[of]


def nearest_evenly(index: Any, meaning: Meaning, *, limit: int, mask: Bools | None) -> tuple[Ints, Floats]:
    """Rows and scores, best first, of the blocks that stand out most from their language's centre."""
    if meaning.scores is not None:
        return _best(meaning.scores, limit=limit, mask=mask)
    only = None if mask is None else packed(mask)
    if meaning.centres is None:
        return nearest(index, meaning.vector, limit=limit, bits=only)
    if isinstance(index, ListIndex) and meaning.coarse is not None:
        return _of_lists(index, meaning, meaning.centres, meaning.coarse, limit=limit, only=only)
    found = []
    for own, level in zip(meaning.centres.masks, meaning.level, strict=True):
        bits = own if only is None else own & only
        if bits.any():
            rows, products = nearest(index, meaning.vector, limit=limit, bits=bits)
            found.append((rows, products - level))
    return _merged(found, limit=limit)


def _of_lists(
    index: ListIndex, meaning: Meaning, centres: Centres, coarse: Floats, *, limit: int, only: Bits | None
) -> tuple[Ints, Floats]:
    """`nearest_evenly` of an index with lists, of which each language has its own share looked at."""
    query, first = meaning.vector, index.first(limit)
    found, together = [], []
    for lists, own, level in zip(centres.lists, centres.masks, meaning.level, strict=True):
        bits = lists.bits if only is None else own & only
        if not len(lists.numbers) or not (bits is None or bits.any()):
            continue
        numbers, near = index.chosen(lists, coarse)
        if bits is None and index.codes is not None:
            together.append((numbers, near - level))
        else:
            rows, products = index.among(query, numbers, near, limit=first, bits=bits)
            found.append((rows, products - level))
    if together:
        numbers, near = (np.concatenate(own) for own in zip(*together, strict=True))
        found.append(index.among(query, numbers, near, limit=first))
    rows, scores = found[0] if len(found) == 1 else _merged(found, limit=first)
    if index.codes is not None:
        scores = leveled(index.products(rows, query), meaning.level, centres.of[rows])
    return _merged([(rows, scores)], limit=limit)


def _merged(found: list[tuple[Ints, Floats]], *, limit: int) -> tuple[Ints, Floats]:
    """The best of what several searches found, best first."""
    rows = np.concatenate([np.empty(0, np.int64), *(own for own, _ in found)])
    scores = np.concatenate([np.empty(0, np.float32), *(own for _, own in found)])
    best = np.argsort(-scores, kind="stable")[:limit]
    return rows[best], scores[best]


def _best(scores: Floats, *, limit: int, mask: Bools | None) -> tuple[Ints, Floats]:
    rows = np.arange(len(scores)) if mask is None else np.flatnonzero(mask)
    found = scores if mask is None else scores[rows]
    if len(rows) > limit:
        kept = np.flatnonzero(found >= np.partition(found, len(rows) - limit)[len(rows) - limit])
        rows, found = rows[kept], found[kept]
    order = np.argsort(-found, kind="stable")[:limit]
    return rows[order], found[order]
