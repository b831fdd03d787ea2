"""Blocks that say the same: their tokens, as numbers in mapped arrays, are nearly the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from h3cold.ingest.store.words import taken
from h3cold.recall.words import ROUGH, Ints, Words

TOGETHER = 1 << 16
"""Words of bits that are compared at a time, when blocks are held against each other: they stay in the cache."""


def alike(words: Words, rows: Ints, without: Sequence[Ints], *, share: float) -> tuple[Ints, Ints]:
    """Pairs of the blocks, by place, that say the same: of all their tokens they share at least `share` (Jaccard).

    They come ascending, the lower place first. `without` are tokens of each block that do not count: of the document,
    which all its blocks carry.
    """
    n, tokens = len(rows), taken(words.tokens, rows)
    left_out = list(map(len, without))
    numbers, size = _numbered(np.concatenate([tokens.flat, *without]))
    matrix = np.zeros((n, -(-(size + 1) // 64) * 64), np.bool_)
    held, begins, flat = len(tokens.flat), np.arange(n) * matrix.shape[1], matrix.reshape(-1)
    flat[np.repeat(begins, np.diff(tokens.at)) + numbers[:held]] = True
    flat[np.repeat(begins, left_out) + numbers[held:]] = False
    bits = np.packbits(matrix, axis=1).view(np.uint64)  # counting bits takes one thread and less time than a product
    counts = np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
    # Who has much fewer tokens cannot share enough; of the forty best that leaves few pairs, or none.
    fewer = counts >= share * counts[:, None]
    places = np.arange(n)
    first, second = np.nonzero(fewer & fewer.T & (counts > 0) & (places[:, None] < places))
    step = max(1, TOGETHER // bits.shape[1])
    both = [
        np.bitwise_count(bits[first[i : i + step]] & bits[second[i : i + step]]).sum(axis=1, dtype=np.int64)
        for i in range(0, len(first), step)
    ]
    shared = np.concatenate([np.zeros(0, np.int64), *both])
    same = shared >= share * (counts[first] + counts[second] - shared)
    return first[same], second[same]


def _numbered(tokens: Ints) -> tuple[Ints, int]:
    """The same number, from 0, for the same token, and how many there are; in no order, which sorting would cost."""
    rough, places = tokens & (ROUGH - 1), np.arange(len(tokens), dtype=np.int32)
    last = np.empty(ROUGH, np.int32)  # half as much to be found in the cache
    last[rough] = places
    at = last[rough]  # the place of the last one that is taken for the same
    each = np.flatnonzero(at == places)
    last[rough[each]] = places[: len(each)]
    numbers, size = last[rough], len(each)
    others = np.flatnonzero(tokens[at] != tokens)
    different, which = np.unique(tokens[others], return_inverse=True)
    numbers[others] = size + which
    return numbers, size + len(different)
