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
    if _are_marks(items, left, right):
        return True
    if True in [items[i].solid for i in (*left, *right)]:
        beside = sum(_any_beside(items, i, right if i in left else left) for i in (*left, *right) if items[i].solid)
        left, right = ([i for i in side if not items[i].solid] for side in (left, right))
        if beside or min(len(left), len(right)) < 4:
            return False
    if len(left) > 5 and min([sum([items[i].entry for i in side]) / len(side) for side in (left, right)]) >= 0.4:
        return False  # an index in columns
    if headed_apart(items, left, right):
        return False
    if is_form(items, left, right):
        return True
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
    if _level(items, few, middles, 0.35) < (0.75 if letters >= 6 else 0.5) * len(few):
        return False  # figures under a head of several lines
    chance = letters >= 10 and fewest > 4  # lines set closely are level by it
    if chance and (_level(items, few, middles, 0.15) < 0.5 * len(few) or _differently_set(items, left, right)):
        return False
    return letters < 14 or (fewest <= 2 and letters < 40) or sum(items[i].label for i in left) > 0.4 * len(left)


def _are_marks(items: Sequence[Item], left: Sequence[int], right: Sequence[int]) -> bool:
    """Whether the left side is nothing but bullets and numbers, each level with what it opens."""
    for i in left:
        item = items[i]
        if item.chars > 1 or item.solid or item.bbox[2] - item.bbox[0] > 2 * item.size:
            return False
    middles = sorted([mid_height(items[i]) for i in right if not items[i].solid])
    return _level(items, left, middles, 0.35) == len(left)


def is_form(items: Sequence[Item], left: Sequence[int], right: Sequence[int]) -> bool:
    """Whether the right side is short answers, each level with a question's first line or with its middle."""
    if sum([items[i].label for i in left]) == 0:  # as nearly everywhere
        return False
    questions, answers = _blocks(items, left), _blocks(items, right)
    if len(answers) < 3 or len(questions) < len(answers):
        return False
    if sum(items[i].chars for i in right) > 30 * len(answers):
        return False
    asking = 0
    for answer in answers:
        size = items[answer[0]].size
        top, foot = items[answer[0]].bbox[1], items[answer[-1]].bbox[3]
        beside = [q for q in questions if items[q[0]].bbox[1] < foot and items[q[-1]].bbox[3] > top]
        if len(beside) != 1:
            return False
        first, last = items[beside[0][0]], items[beside[0][-1]]
        off = min(abs(first.bbox[1] - top), abs(first.bbox[1] + last.bbox[3] - top - foot) / 2)
        if off > 0.35 * size:
            return False
        asking += last.label
    return asking >= 0.5 * len(answers)


def _blocks(items: Sequence[Item], ids: Sequence[int]) -> list[list[int]]:
    """Items of one side by the gaps between them: closely set lines together."""
    todo = sorted(ids, key=lambda i: items[i].bbox[1])
    gaps = [items[b].bbox[1] - items[a].bbox[3] for a, b in pairwise(todo)]
    if not gaps:
        return [todo]
    usual = min(gaps) + 0.35 * items[todo[0]].size
    out = [todo[:1]]
    for i, gap in zip(todo[1:], gaps, strict=True):
        if gap > usual:
            out.append([])
        out[-1].append(i)
    return out


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


def _level(items: Sequence[Item], ids: Sequence[int], middles: Sequence[float], off: float) -> int:
    """How many of the items are level with one of the `middles`, give or take `off` of their size."""
    return sum([_any_near(middles, mid_height(items[i]), off * items[i].size) for i in ids])


def _any_near(places: Sequence[float], place: float, reach: float) -> bool:
    n = bisect_left(places, place - reach)
    return n < len(places) and places[n] < place + reach
