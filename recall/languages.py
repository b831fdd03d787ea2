"""Meaning across languages: e5 lays texts of the question's own language closer to it than what answers in another.

Each language's blocks lie around a centre of their own, so what counts is how much closer than that centre a block is:
score(q, p) = q·p - q·mean(language of p). Within one language this changes no order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from h3cold.recall.corpus import Corpus, nearest
from h3cold.recall.words import Bools, Floats, Ints

ENOUGH = 5
"""Blocks from which a language has a centre of its own; those of rarer ones are held to the centre of all blocks."""

SAMPLE = 1024
"""Blocks of a language that its centre is worked out from, at most, spread evenly over the store."""


class Centres(NamedTuple):
    """`means` [m, d] are the centres, `of` [n] says which one each row belongs to."""

    means: Floats
    of: Ints


class Meaning(NamedTuple):
    """A question embedded as `vector` [d]; `level` [m] is how close it is to each centre, `of` as in `Centres`."""

    vector: Floats
    level: Floats
    of: Ints


def find_centres(corpus: Corpus, vectors: Callable[[Ints], Floats]) -> Centres | None:
    """The centre of each language with enough blocks; None where there are not two such. `vectors(rows)` is [rows, d].

    Raises:
        StoreError: the vectors cannot be read.
    """
    counts = np.bincount(corpus.language, minlength=1)
    known = np.flatnonzero(counts >= ENOUGH)
    if len(known) < 2:
        return None
    of = np.full(len(corpus), len(known), np.int64)
    means = []
    for place, code in enumerate(known):
        rows = np.flatnonzero(corpus.language == code)
        of[rows] = place
        means.append(vectors(rows[:: -(-len(rows) // SAMPLE)]).mean(axis=0))
    means.append(np.average(means, axis=0, weights=counts[known]))
    return Centres(np.stack(means).astype(np.float32), of)


def meaning_of(vector: Floats, centres: Centres | None, rows: int) -> Meaning:
    """An embedded question over a corpus of so many rows, measured from the centres where there are any."""
    if centres is None:
        return Meaning(vector, np.zeros(1, np.float32), np.zeros(rows, np.int64))
    return Meaning(vector, centres.means @ vector, centres.of)


def nearest_evenly(index: Any, meaning: Meaning, *, limit: int, mask: Bools | None) -> tuple[Ints, Floats]:
    """Rows and scores, best first, of the blocks that stand out most from their language's centre."""
    if len(meaning.level) == 1:
        return nearest(index, meaning.vector, limit=limit, mask=mask)
    rows, scores = [np.empty(0, np.int64)], [np.empty(0, np.float32)]
    for place, level in enumerate(meaning.level):
        own = meaning.of == place if mask is None else mask & (meaning.of == place)
        if own.any():
            found, products = nearest(index, meaning.vector, limit=limit, mask=own)
            rows.append(found)
            scores.append(products - level)
    every, score = np.concatenate(rows), np.concatenate(scores)
    best = np.argsort(-score, kind="stable")[:limit]
    return every[best], score[best]
