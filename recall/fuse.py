"""The last pass over an order: copies of one text collapse, and further blocks of a page give way to other pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import accumulate

import numpy as np

from h3cold.recall.words import Floats, Ints

COPY = 0.92
"""Jaccard overlap of search tokens from which two blocks are copies of one text."""

SAME_PAGE = 0.06
"""What each earlier block of its page takes from a block's score: its page is shown already."""


def distinct(
    scores: Floats, pages: Ints, alike: Callable[[Ints], tuple[Ints, Ints]], *, depth: int
) -> tuple[list[int], dict[int, list[int]]]:
    """The `depth` best candidates by falling score without copies, and each one's copies.

    Further blocks of a page that was shown already move down a little. `pages` are keys of document and page,
    `alike(candidates)` gives the places in these of pairs that are copies of one text, ascending, the better one first.
    """
    best = np.argsort(-scores, kind="stable")[:depth]
    earlier: defaultdict[int, list[int]] = defaultdict(list)
    for first, place in zip(*(at.tolist() for at in alike(best)), strict=True):
        earlier[place].append(first)
    kept: list[int] = []
    copies: dict[int, list[int]] = {}
    firsts: set[int] = set()
    for place, i in enumerate(best.tolist()):
        original = next((first for first in earlier[place] if first in firsts), None) if place in earlier else None
        if original is None:
            firsts.add(place)
            kept.append(i)
        else:
            copies.setdefault(int(best[original]), []).append(i)
    seen: dict[int, int] = {}
    lowered = {}
    for i, score, page in zip(kept, scores[kept].tolist(), pages[kept].tolist(), strict=True):
        before = seen.get(page, 0)
        lowered[i] = score - SAME_PAGE * before
        seen[page] = before + 1
    return sorted(kept, key=lambda i: -lowered[i]), copies


def worths(scores: Floats, pages: Ints) -> list[float]:
    """What candidates in order came in their places for: scores without what earlier blocks of a page take from them.

    One that was held before better ones is worth as much as the best of those.
    """
    seen: dict[int, int] = {}
    lowered = []
    for score, page in zip(scores.tolist(), pages.tolist(), strict=True):
        earlier = seen.get(page, 0)
        lowered.append(score - SAME_PAGE * earlier)
        seen[page] = earlier + 1
    return list(accumulate(reversed(lowered), max))[::-1]


def hold(kept: list[int], copies: dict[int, list[int]], one: int, *, place: int) -> list[int]:
    """`kept` with candidate `one`, or the one that it is a copy of, at `place` if it came later or not at all."""
    one = next((original for original, group in copies.items() if one in group), one)
    if one in kept[: place + 1]:
        return kept
    rest = [i for i in kept if i != one]
    return [*rest[:place], one, *rest[place:]]
