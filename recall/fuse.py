"""The last pass over an order: copies of one text collapse, and further blocks of a page give way to other pages."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable

import numpy as np

from h3cold.recall.words import Bools, Floats, Ints

COPY = 0.92
"""Jaccard overlap of search tokens from which two blocks are copies of one text."""

SAME_PAGE = 0.06
"""What each earlier block of its page takes from a block's score: its page is shown already."""


def distinct(
    scores: Floats, pages: Ints, alike: Callable[[Ints], Bools], *, depth: int
) -> tuple[list[int], dict[int, list[int]]]:
    """The `depth` best candidates by falling score without copies, and each one's copies.

    Further blocks of a page that was shown already move down a little. `pages` are keys of document and page,
    `alike(candidates)` says [candidates, candidates] which of these are copies of one text.
    """
    best = np.argsort(-scores, kind="stable")[:depth]
    earlier: defaultdict[int, list[int]] = defaultdict(list)
    for place, first in zip(*(at.tolist() for at in np.nonzero(alike(best))), strict=True):
        if first < place:
            earlier[place].append(first)
    kept: list[int] = []
    copies: dict[int, list[int]] = {}
    firsts: set[int] = set()
    for place, i in enumerate(best.tolist()):
        original = next((first for first in earlier.get(place, ()) if first in firsts), None)
        if original is None:
            firsts.add(place)
            kept.append(i)
        else:
            copies.setdefault(int(best[original]), []).append(i)
    seen: Counter[int] = Counter()
    lowered = {}
    for i, score, page in zip(kept, scores[kept].tolist(), pages[kept].tolist(), strict=True):
        lowered[i] = score - SAME_PAGE * seen[page]
        seen[page] += 1
    return sorted(kept, key=lambda i: -lowered[i]), copies


def hold(kept: list[int], copies: dict[int, list[int]], one: int, *, place: int) -> list[int]:
    """`kept` with candidate `one`, or the one that it is a copy of, at `place` if it came later or not at all."""
    one = next((original for original, group in copies.items() if one in group), one)
    if one in kept[: place + 1]:
        return kept
    rest = [i for i in kept if i != one]
    return [*rest[:place], one, *rest[place:]]
