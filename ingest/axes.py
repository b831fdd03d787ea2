"""Charts known by their axes: scales of short strokes along two sides, whatever is drawn between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from h3cold.ingest.clusters import merged, touch
from h3cold.ingest.page_facts import Line, PageFacts, Rule
from h3cold.schemas.geometry import BBox, union
from h3cold.schemas.page import Region

SHORT, LONG = (1.5, 9.0), 36.0
"""Lengths in points of a scale's strokes and of the axis that they stand on."""

FEWEST = 3
"""Strokes of one scale."""

DASHES = 4
"""Short strokes on one line from which they are a dashed rule."""

TITLE = 2.5
"""Distance of an axis' title from what is known of the chart, as a multiple of its size."""

_Scale = tuple[float, float, BBox]
"""First and last place along an axis, and the box of axis and strokes."""


def plots(facts: PageFacts) -> list[BBox]:
    """Boxes around pairs of axes, upright and level, each with its scale."""
    rules = [r for r in facts.rules if max(abs(r.x1 - r.x0), abs(r.y1 - r.y0)) > SHORT[0]]
    if len(rules) < 2 * FEWEST + 2:
        return []
    level = _scales([(r.x0, r.y0, r.x1, r.y1) for r in rules if not r.horizontal], [r for r in rules if r.horizontal])
    if not level:
        return []
    flipped = [(r.y0, r.x0, r.y1, r.x1) for r in rules if r.horizontal]
    upright = _scales(flipped, [Rule(r.y0, r.x0, r.y1, r.x1, r.width) for r in rules if not r.horizontal])
    out = []
    for first, last, box in level:
        for top, foot, turned in upright:
            side = (turned[1], turned[0], turned[3], turned[2])
            beside = side[0] - 40 < last and side[2] + 40 > first and not first + 10 < side[0] < last - 10
            below = box[1] - 40 < foot and box[3] + 40 > top and not top + 10 < box[1] < foot - 10
            if beside and below:
                out.append(union((box, side)))
    return merged(out, 0.0)


def _scales(strokes: Sequence[BBox], axes: Sequence[Rule]) -> list[_Scale]:
    """Groups of upright strokes of one height that stand on a level axis along most of it."""
    groups: defaultdict[tuple[int, int], list[BBox]] = defaultdict(list)
    at: defaultdict[int, int] = defaultdict(int)
    for x0, y0, x1, y1 in strokes:
        top, foot = min(y0, y1), max(y0, y1)
        if SHORT[0] < foot - top < SHORT[1]:
            groups[round(top), round(foot)].append((x0, top, x1, foot))
            at[round(x0)] += 1
    out: list[_Scale] = []
    for group in groups.values():
        places = sorted({round(box[0]) for box in group})
        if len(places) < FEWEST or places[-1] - places[0] < LONG or max(at[p] for p in places) > DASHES:
            continue
        top, foot = group[0][1], group[0][3]
        for axis in axes:
            left, right = min(axis.x0, axis.x1), max(axis.x0, axis.x1)
            if min(abs(axis.y0 - top), abs(axis.y0 - foot)) < 1.5 and left - 3 < places[0] and right + 3 > places[-1]:
                out.append((places[0], places[-1], (left, min(axis.y0, top), right, max(axis.y0, foot))))
                break
    return out


def axis_titles(lines: Sequence[Line], chart: BBox) -> set[int]:
    """Indices of the lines that name a level axis: short ones below its numbers or over the chart, at its middle."""
    out: set[int] = set()
    grown = chart
    wide = chart[2] - chart[0]
    for _ in range(3):
        for i, line in enumerate(lines):
            x0, y0, x1, y1 = line.bbox
            if i in out or not (chart[0] - 12 < x0 and x1 < chart[2] + 12 and x1 - x0 < 0.7 * wide):
                continue
            gap = max(y0 - grown[3], grown[1] - y1)
            if gap < 0.5 * TITLE * line.size or (gap < TITLE * line.size and _is_middle(line.bbox, chart)):
                out.add(i)
        grown = union([chart, *(lines[i].bbox for i in out)])
    return out


def _is_middle(box: BBox, chart: BBox) -> bool:
    return abs(box[0] + box[2] - chart[0] - chart[2]) < 0.12 * (chart[2] - chart[0])


def with_turned(regions: Sequence[Region], lines: Sequence[Line]) -> tuple[list[Region], set[int]]:
    """The regions with what is written up and down figures' sides in them, and which lines (by identity) that is."""
    out = list(regions)
    held: set[int] = set()
    for k, region in enumerate(out):
        if region.kind != "figure":
            continue
        box, said = region.bbox, []
        for _ in range(3):
            for line in lines:
                _, y0, _, y1 = line.bbox
                within = box[1] - 12 < y0 and y1 < box[3] + 12 and y1 - y0 < 0.95 * (box[3] - box[1])
                if id(line) not in held and within and touch(line.bbox, box, TITLE * line.size):
                    held.add(id(line))
                    said.append(line)
                    box = union((box, line.bbox))
        if said:
            said.sort(key=lambda line: (round(line.bbox[0]), -line.bbox[3]))
            text = "\n".join([*([region.text] if region.text else []), *(line.text.strip() for line in said)])
            out[k] = replace(region, bbox=box, text=text)
    return out, held
