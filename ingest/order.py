"""Reading order: a page is cut at its gutters, column by column, until each part is one column.

A gutter is a strip that no text of a band crosses. What crosses it (a heading or a table over both columns) ends the
band; bands are read top to bottom, and in each the left part before the right one. This is the XY-cut of Nagy and Seth
(1984) with the vertical cuts first and within bands, so that wide elements hide no columns above and below.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from h3cold.ingest.halves import is_rows, mid_height
from h3cold.ingest.page_facts import Line, PageFacts
from h3cold.ingest.script import han_count
from h3cold.schemas.geometry import BBox, union

NARROWEST = 5.0
"""Narrowest gutter, in points."""

OVERLONG = 4.0
"""How far, in points, a line may run past the middle of a gutter without lying across it."""

CANDIDATES = 12
"""Gutters looked at closely in one part of a page."""

BESIDE = 0.4
"""Share of its height by which a line, closely set, may reach up into the one above."""

_ENTRY = re.compile(r"^[^\d,]{2,60}(?:,\s?\d{1,3}(?:[-–]\d{1,3})?)+$")

LABEL = re.compile(r"\s*[^\W\d][^:：.。,，;；]{0,24}[:：](?!\d\d\b|//)")
"""How a line opens that gives a value with its name."""

_Place = tuple[int, float, float, float, float, float]  # index, left, right, middle, how near is level, left + right
_NO_ASCII_LETTERS = b"0123456789 .,$%()-"


class Item(NamedTuple):
    """Something to be put in order. `chars` is the number of letters in it (a Han character counts two).

    `solid` marks an element that is never cut or joined with a neighbour: a table, a picture. `label` marks text
    that asks, or opens with a name and a colon, as the left half of a form does; `bold` a line that is bold throughout;
    `entry` one of an index: words, a comma and pages.
    """

    bbox: BBox
    size: float
    chars: int
    solid: bool = False
    label: bool = False
    bold: bool = False
    entry: bool = False


def line_item(line: Line) -> Item:
    """A text line as something to be put in order."""
    text, spans = line.text, line.spans
    bold = spans[0].bold and (len(spans) == 1 or all(s.bold for s in spans))
    entry = text[-1:].isdigit() and _ENTRY.search(text) is not None
    label = text[-1:] in ":：?？ " and text.rstrip()[-1:] in ":：?？"
    label = label or ((":" in text or "：" in text) and LABEL.match(text) is not None)
    return tuple.__new__(Item, (line.bbox, line.size, _letters(text), False, label, bold, entry))


def line_items(facts: PageFacts) -> list[Item]:
    """The page's lines as things to be put in order; they are asked for more than once."""
    if facts.items is None or facts.items[0] is not facts.lines:
        facts.items = (facts.lines, [line_item(line) for line in facts.lines])
    return facts.items[1]


def _letters(text: str) -> int:
    if text.isascii():  # ten times as fast
        return len(text.encode().translate(None, _NO_ASCII_LETTERS))
    plain = text.encode("ascii", "ignore")
    others = len(text) - len(plain) - sum(map(text.count, "–—\u00a0")) + han_count(text)
    return len(plain.translate(None, _NO_ASCII_LETTERS)) + others


def columns(items: Sequence[Item], *, rtl: bool = False) -> list[list[int]]:
    """Indices of `items`, column after column in reading order; top to bottom within each.

    Neighbours on one baseline that are no columns (cells of a table, a number and its text) stay in one part.
    `rtl` reads the right column first.
    """
    return [list(part) for part in _columns(tuple(items), rtl)]


def any_beside(items: Sequence[Item]) -> bool:
    """Whether anything reaches down beside what is below it: without that, top to bottom is the only order."""
    bottom = float("-inf")
    for _, y0, _, y1 in sorted([item.bbox for item in items], key=lambda b: b[1]):
        if y0 < bottom - BESIDE * (y1 - y0):
            return True
        bottom = max(bottom, y1)
    return False


@lru_cache(maxsize=2)  # a page without tables and figures is asked for twice
def _columns(items: tuple[Item, ...], rtl: bool) -> list[list[int]]:
    out: list[list[int]] = []
    _split(items, sorted(range(len(items)), key=lambda i: (items[i].bbox[1], items[i].bbox[0])), out, rtl, 0)
    return out


def _split(items: Sequence[Item], ids: list[int], out: list[list[int]], rtl: bool, depth: int) -> None:
    """Append the parts of `ids` (sorted by top edge) to `out`."""
    bands = _bands(items, ids) if len(ids) > 2 and depth < 40 else []
    if not bands:
        if ids:
            out.append(ids)
        return
    taken: set[int] = set()
    tops = []
    for left, right in bands:
        taken.update(left, right)
        tops.append(min(items[left[0]].bbox[1], items[right[0]].bbox[1]))
    rest = [i for i in ids if i not in taken]
    for (left, right), top in zip(bands, tops, strict=True):
        above = [i for i in rest if mid_height(items[i]) < top]
        if above:
            _split(items, above, out, rtl, depth + 1)
            gone = set(above)
            rest = [i for i in rest if i not in gone]
        for side in (right, left) if rtl else (left, right):
            _split(items, side, out, rtl, depth + 1)
    if rest:
        _split(items, rest, out, rtl, depth + 1)


def _bands(items: Sequence[Item], ids: list[int]) -> list[tuple[list[int], list[int]]]:
    """The bands that the best gutter divides, top to bottom, as (left, right); none if the part is one column."""
    best: list[tuple[list[int], list[int]]] = []
    best_score = 0.0
    boxes = [items[i][0] for i in ids]
    places = [(i, a, c, (b + d) / 2, 0.3 * (d - b), a + c) for i, (a, b, c, d) in zip(ids, boxes, strict=True)]
    for x in _valleys(boxes):
        bands = [_peeled(items, left, right) for left, right in _runs(items, places, x)]
        level = [(left, right, shared) for left, right in bands if (shared := _side_by_side(items, left, right)) > 0]
        if sum([shared for _, _, shared in level]) <= best_score:
            continue  # even if none of them are rows
        found = [band for band in level if not is_rows(items, band[0], band[1])]
        score = sum([shared for _, _, shared in found])
        if score > best_score * 1.02:
            best, best_score = [(left, right) for left, right, _ in found], score
    return best


def _valleys(boxes: Sequence[BBox]) -> list[float]:
    """x positions that few items cross and that have items on both sides, the least crossed first."""
    x0 = min([box[0] for box in boxes])
    width = int(max([box[2] for box in boxes]) - x0) + 2
    steps: defaultdict[int, int] = defaultdict(int)
    for left, _, right, _ in boxes:
        steps[int(left - x0)] += 1
        steps[int(right - x0) + 1] -= 1
    cover: list[tuple[int, int]] = []  # (offset, how many lie over it from there on)
    now = 0
    for offset in sorted(steps):
        if steps[offset]:
            now += steps[offset]
            cover.append((offset, now))
    peak = max((level for _, level in cover), default=0)
    runs: list[tuple[int, int, float]] = []  # (crossings, -width, x)
    for (_, before), (start, level), (end, after) in zip(cover, cover[1:], cover[2:], strict=False):
        # a local minimum: lower than what stands before and after it
        if end < width and level < before and after > level and level <= 0.6 * peak:
            runs.append((level, start - end, x0 + (start + end) / 2))
    runs = sorted([r for r in runs if -r[1] >= NARROWEST - 2])
    return [x for _, _, x in runs[:CANDIDATES]]


def _runs(items: Sequence[Item], places: Sequence[_Place], x: float) -> list[tuple[list[int], list[int]]]:
    """Maximal bands of items that nothing crosses at `x`, as (left, right), each with items on both sides.

    What stands on one line with something that crosses goes with it.
    """
    left, right, twice = x - OVERLONG, x + OVERLONG, 2 * x  # a line a little too long for its column does not cross
    cuts = sorted([middle for _, x0, x1, middle, _, _ in places if x0 < left and x1 > right])
    if not cuts:
        sides = [p[0] for p in places if p[5] <= twice], [p[0] for p in places if p[5] > twice]
        return [sides] if sides[0] and sides[1] else []
    last = len(cuts)
    bands: list[tuple[list[int], list[int]]] = [([], []) for _ in range(last + 1)]
    for i, x0, x1, middle, reach, edges in places:
        if x0 < left and x1 > right:
            continue
        n = bisect_right(cuts, middle)
        if (n and middle - cuts[n - 1] < reach) or (n < last and cuts[n] - middle < reach):
            continue
        bands[n][0 if edges <= twice else 1].append(i)
    for one, other in bands[:-1]:  # the others end at something that lies across
        if one and other:
            _end_at_heading(items, one, other)
    return [band for band in bands if band[0] and band[1]]


def _end_at_heading(items: Sequence[Item], left: list[int], right: list[int]) -> None:
    """Take from a band the headings at its foot, beside which nothing stands: they belong to what lies across.

    Such a heading is larger or bolder than the columns and has free space over it; below it come only more of its
    kind and lines too short to fill the column.
    """
    for side, other in ((left, right), (right, left)):
        if not side or not other:
            continue
        bottom = max([items[i].bbox[3] for i in other])
        if items[side[-1]].bbox[1] < bottom:
            continue  # something stands beside all of it
        usual = sorted(items[i].size for i in (*left, *right))[(len(left) + len(right)) // 2]
        bold = sum(items[i].bold for i in (*left, *right)) * 2 > len(left) + len(right)
        widths = sorted(items[i].bbox[2] - items[i].bbox[0] for i in side)
        short = 0.7 * widths[int(0.9 * (len(widths) - 1))]
        cut = len(side)
        for k in range(len(side) - 1, 0, -1):
            item = items[side[k]]
            loud = not item.solid and (item.size > 1.1 * usual or (item.bold and not bold))
            if item.bbox[1] < bottom or item.solid or not (loud or item.bbox[2] - item.bbox[0] < short):
                break
            above = max(items[i].bbox[3] for i in side[:k])
            if loud and item.bbox[1] - max(above, bottom) > 0.4 * usual:
                cut = k
        del side[cut:]


def _peeled(items: Sequence[Item], left: list[int], right: list[int]) -> tuple[list[int], list[int]]:
    """The band without centred lines above its columns that happen to part at the gutter (authors, addresses)."""
    most = min(4, len(left) - 1, len(right) - 1)
    peel = 0
    for k in range(1, most + 1):
        a, b = items[left[k - 1]], items[right[k - 1]]
        if abs(mid_height(a) - mid_height(b)) >= 0.35 * min(a.size, b.size) or a.solid or b.solid:
            break
        below = min(items[left[k]].bbox[1], items[right[k]].bbox[1])
        rest = union(items[i].bbox for i in left[k:])
        aligned = abs(a.bbox[0] - rest[0]) < a.size or abs(a.bbox[0] + a.bbox[2] - rest[0] - rest[2]) < 2 * a.size
        if not aligned and below - a.bbox[3] > 0.5 * a.size:
            peel = k
    return left[peel:], right[peel:]


def _side_by_side(items: Sequence[Item], left: list[int], right: list[int]) -> float:
    """Height (points) over which both sides, sorted by top edge, hold something; 0 where the gap between them is too
    narrow.
    """
    lefts, rights = [items[i][0] for i in left], [items[i][0] for i in right]
    ends = sorted([box[2] for box in lefts])
    starts = sorted([box[0] for box in rights], reverse=True)
    # one line in twenty may be too long for its column
    gap = starts[int(0.95 * (len(starts) - 1))] - ends[int(0.95 * (len(ends) - 1))]
    size = min(max([items[i][1] for i in left]), max([items[i][1] for i in right]))
    if gap < max(NARROWEST, 0.5 * size):
        return 0.0
    top = max(lefts[0][1], rights[0][1])
    bottom = min(max([box[3] for box in lefts]), max([box[3] for box in rights]))
    return bottom - top
