"""Whether what stands on both sides of a gutter is columns of text, or the halves of rows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from h3cold.ingest.clusters import any_level

if TYPE_CHECKING:
    from h3cold.ingest.order import Item


def mid_height(item: Item) -> float:
    """The height at which the middle of an item is."""
    return (item.bbox[1] + item.bbox[3]) / 2


def is_rows(items: Sequence[Item], left: list[int], right: list[int]) -> bool:
    """Whether the two sides are halves of rows (number and text, label and value), not columns."""
    if any(items[i].solid for i in (*left, *right)):
        beside = sum(_any_beside(items, i, right if i in left else left) for i in (*left, *right) if items[i].solid)
        left, right = ([i for i in side if not items[i].solid] for side in (left, right))
        if beside or min(len(left), len(right)) < 4:
            return False
    if len(left) > 5 and min([sum([items[i].entry for i in side]) / len(side) for side in (left, right)]) >= 0.4:
        return False  # an index in columns
    if headed_apart(items, left, right):
        return False
    if len(left) + len(right) <= 8 and not any_level([items[i].bbox for i in left], [items[i].bbox for i in right]):
        return True  # no columns: lines in the middle or at the right, others between them
    rows_left, rows_right = _baselines(items, left), _baselines(items, right)
    if min(rows_left, rows_right) == 1 and max(rows_left, rows_right) <= 2:
        return True
    letters = min(sum([items[i].chars for i in left]) / rows_left, sum([items[i].chars for i in right]) / rows_right)
    fewest = min(rows_left, rows_right)
    if fewest <= 2 and letters < 25:
        return True  # too little to be columns
    few, many = (left, right) if rows_left <= rows_right else (right, left)
    middles = sorted([mid_height(items[i]) for i in many])
    aligned = sum([_any_near(middles, mid_height(items[i]), 0.35 * items[i].size) for i in few])
    if aligned < (0.75 if letters >= 6 else 0.5) * len(few):  # figures under a head of several lines
        return False
    level = sum([_any_near(middles, mid_height(items[i]), 0.15 * items[i].size) for i in few])
    if letters >= 10 and fewest > 4 and (level < 0.5 * len(few) or _differently_set(items, left, right)):
        return False  # lines set closely are level by chance
    return letters < 14 or (fewest <= 2 and letters < 40) or sum(items[i].label for i in left) > 0.4 * len(left)


def headed_apart(items: Sequence[Item], left: Sequence[int], right: Sequence[int]) -> bool:
    """Whether both sides have headings of one size within them, flush with their lines, each at its own height: lists
    in columns.
    """
    sizes = [items[i].size for i in left], [items[i].size for i in right]
    usual = sorted(sizes[0] + sizes[1])[(len(left) + len(right)) // 2]
    if not all(max(own[1:], default=0.0) > 1.15 * usual for own in sizes):
        return False
    heads: list[list[Item]] = []
    for side in (left, right):
        edge = min(items[i].bbox[0] for i in side) + usual
        loud = (items[i] for i in side[1:] if items[i].size > 1.15 * usual and items[i].chars > 3)
        heads.append([item for item in loud if item.bbox[0] < edge])
    pairs = [(a, b) for a in heads[0] for b in heads[1]]
    alike = any(abs(a.size - b.size) < 0.03 * a.size for a, b in pairs)
    return alike and not any(abs(mid_height(a) - mid_height(b)) < usual for a, b in pairs)


def _any_beside(items: Sequence[Item], solid: int, others: Sequence[int]) -> bool:
    """Whether anything of the other side stands beside an element that is never cut."""
    top, bottom = items[solid].bbox[1], items[solid].bbox[3]
    return any(top < mid_height(items[i]) < bottom for i in others)


def _differently_set(items: Sequence[Item], left: Sequence[int], right: Sequence[int]) -> bool:
    """Whether lines that follow each other are further apart on one side than on the other, but not twice as far."""
    pitches = []
    for side in (left, right):
        feet = sorted(items[i].bbox[3] for i in side)
        steps = sorted(b - a for a, b in pairwise(feet) if 0.8 < (b - a) / items[side[0]].size < 1.9)
        if len(steps) < 3:
            return False
        pitches.append(steps[len(steps) // 2])
    return 1.07 * min(pitches) < max(pitches) < 1.7 * min(pitches)


def _baselines(items: Sequence[Item], ids: list[int]) -> int:
    return len({round(items[i].bbox[3] / 3) for i in ids})


def _any_near(places: Sequence[float], place: float, reach: float) -> bool:
    n = bisect_left(places, place - reach)
    return n < len(places) and places[n] < place + reach
