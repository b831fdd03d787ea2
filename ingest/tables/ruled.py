"""Grids of ruling lines: which rules meet, and what cells they enclose."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple

from h3cold.ingest.page_facts import PageFacts
from h3cold.ingest.tables.rows import HRule, VRule, turn_box
from h3cold.schemas.geometry import BBox, union

SNAP = 3.0
"""Points within which two parallel rules are one, and a rule's end meets another rule."""

REACH = 6.0
"""Points that a vertical rule may stop short of a horizontal one and still belong to it: rows of rules with gaps."""

MAX_RULES = 3000
"""Rules a direction beyond which the shortest are left out: no table has so many, hatching and maps do."""

MAX_CELLS = 20_000


class Grid(NamedTuple):
    """Cells between rules: `cells` are (row, col, rowspan, colspan) over the lines at `xs` and `ys`."""

    bbox: BBox
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    cells: tuple[tuple[int, int, int, int], ...]


def rules_of(facts: PageFacts, direction: tuple[float, float]) -> tuple[list[HRule], list[VRule]]:
    """The page's rules and the edges of its coloured boxes, turned upright, collinear pieces joined."""
    horizontal: list[HRule] = []
    vertical: list[VRule] = []
    upright = direction[0] == 1
    new = tuple.__new__
    for r in facts.rules:
        x0, y0, x1, y1 = r[:4] if upright else turn_box(r[:4], direction)
        if x1 - x0 >= y1 - y0:
            horizontal.append(new(HRule, ((y0 + y1) / 2, x0, x1)))
        else:
            vertical.append(new(VRule, ((x0 + x1) / 2, y0, y1)))
    for x0, y0, x1, y1 in _unframed(_shades(facts, direction), horizontal, vertical):
        horizontal += [HRule(y0, x0, x1), HRule(y1, x0, x1)]
        vertical += [VRule(x0, y0, y1), VRule(x1, y0, y1)]
    return [new(HRule, r) for r in _merged(horizontal)], [new(VRule, r) for r in _merged(vertical)]


def _unframed(shades: list[BBox], horizontal: list[HRule], vertical: list[VRule]) -> list[BBox]:
    """Without the shades that fill a ruled cell, all of it or all but a margin: the rules say where it ends."""
    if len(shades) * (len(horizontal) + len(vertical)) > 100 * MAX_RULES:
        return shades
    out: list[BBox] = []
    for x0, y0, x1, y1 in shades:
        ys = [y for y, left, right in horizontal if left <= x0 + SNAP and right >= x1 - SNAP]
        above = bool(ys) and any(-2 < y0 - y < 8 for y in ys)
        below = above and any(-2 < y - y1 < 8 for y in ys)
        xs = [x for x, top, foot in vertical if top <= y0 + SNAP and foot >= y1 - SNAP] if below else []
        if not (above and below and any(-2 < x0 - x < 8 for x in xs) and any(-2 < x - x1 < 8 for x in xs)):
            out.append((x0, y0, x1, y1))
    return out


def _shades(facts: PageFacts, direction: tuple[float, float]) -> list[BBox]:
    """Coloured boxes as they are seen: pieces of one colour that touch, or lie in each other, are one box."""
    page = facts.width * facts.height
    colours: dict[tuple[float, ...], list[BBox]] = {}
    for fill in facts.fills if len(facts.fills) <= MAX_RULES else ():
        box, colour = fill
        if colour and min(colour) > 0.97:
            continue
        x0, y0, x1, y1 = box = turn_box(box, direction)
        if (x1 - x0) * (y1 - y0) <= 0.5 * page:
            colours.setdefault(colour, []).append(box)
    out: list[BBox] = []
    for boxes in colours.values():
        for axis in (1, 0):
            boxes = _stacked(boxes, axis)
        out += _outermost(boxes)
    return [b for b in out if b[3] - b[1] >= 5 and b[2] - b[0] >= 5]


def _stacked(boxes: list[BBox], axis: int) -> list[BBox]:
    """Join boxes of equal extent across `axis` (0 = x, 1 = y) that follow each other along it without a gap."""
    groups: dict[tuple[int, int], list[BBox]] = {}
    for b in boxes:
        groups.setdefault((round(b[1 - axis] / 2), round(b[3 - axis] / 2)), []).append(b)
    out: list[BBox] = []
    for group in groups.values():
        group.sort(key=lambda b: b[axis])
        for k, b in enumerate(group):
            if k and b[axis] <= out[-1][axis + 2] + 0.75:
                out[-1] = union((out[-1], b))
            else:
                out.append(b)
    return out


def _outermost(boxes: list[BBox]) -> list[BBox]:
    kept: list[BBox] = []
    for b in sorted(boxes, key=lambda b: (b[0] - b[2]) * (b[3] - b[1])):
        if not any(k[0] - 1 <= b[0] and k[1] - 1 <= b[1] and b[2] <= k[2] + 1 and b[3] <= k[3] + 1 for k in kept[:300]):
            kept.append(b)
    return kept


_start = itemgetter(1)


def _merged(lines: Iterable[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """(position, start, end) of parallel lines, with overlapping and touching collinear ones made one."""
    found = sorted(lines)
    if len(found) > 4 * MAX_RULES:
        found = sorted(sorted(found, key=lambda r: r[1] - r[2])[: 4 * MAX_RULES])
    out: list[tuple[float, float, float]] = []
    k = 0
    last = len(found)
    while k < last:
        start, first = k, found[k][0]
        while k < last and found[k][0] - first <= 1.0:
            k += 1
        if k - start == 1:
            out.append(found[start])
            continue
        level = found[start:k]
        position = sum([r[0] for r in level]) / (k - start)
        level.sort(key=_start)
        _, low, high = level[0]
        for _, a, b in level[1:]:
            if a <= high + SNAP:
                high = b if b > high else high
            else:
                out.append((position, low, high))
                low, high = a, b
        out.append((position, low, high))
    out = [r for r in out if r[2] - r[1] >= 4.0]
    if len(out) > MAX_RULES:
        out = sorted(sorted(out, key=lambda r: r[1] - r[2])[:MAX_RULES])
    return out


def stacks(hrules: Sequence[HRule], width: float) -> list[BBox]:
    """Boxes between three or more rules of one length above each other: tables with rules across only."""
    groups: dict[tuple[int, int], list[HRule]] = {}
    for r in hrules:
        if r.x1 - r.x0 > 0.25 * width:
            groups.setdefault((round(r.x0 / 4), round(r.x1 / 4)), []).append(r)
    out: list[BBox] = []
    for group in groups.values():
        ys = sorted(r.y for r in group)
        if len(ys) >= 3 and ys[-1] - ys[0] > 20:
            out.append((group[0].x0, ys[0], group[0].x1, ys[-1]))
    return out


def wide_rules(hrules: Sequence[HRule], x0: float, x1: float, y0: float, y1: float) -> list[float]:
    """Heights of the rules between `y0` and `y1` that run over at least nine tenths of `x0`..`x1`."""
    spans: dict[int, list[HRule]] = {}
    for r in [r for r in hrules if y0 <= r[0] <= y1 and r[2] > x0 and r[1] < x1]:
        spans.setdefault(round(r[0] / 2), []).append(r)
    out = []
    for group in spans.values():
        length = sum([min(r.x1, x1) - max(r.x0, x0) for r in group])
        if length >= 0.9 * (x1 - x0):
            out.append(group[0].y)
    return sorted(out)


def find_grids(horizontal: list[HRule], vertical: list[VRule]) -> list[Grid]:
    """Every group of rules that meet, as a grid, where they enclose at least two cells."""
    if len(horizontal) < 2 or len(vertical) < 2:
        return []
    h = sorted(horizontal)
    ys = [r.y for r in h]
    parent = list(range(len(h) + len(vertical)))

    def root(k: int) -> int:
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    for j, v in enumerate(vertical):
        for k in range(bisect_left(ys, v.y0 - REACH), bisect_right(ys, v.y1 + REACH)):
            if h[k].x0 - SNAP <= v.x <= h[k].x1 + SNAP:
                parent[root(len(h) + j)] = root(k)
    groups: dict[int, tuple[list[HRule], list[VRule]]] = {}
    for k, rule in enumerate(h):
        groups.setdefault(root(k), ([], []))[0].append(rule)
    for j, v in enumerate(vertical):
        groups.setdefault(root(len(h) + j), ([], []))[1].append(v)
    grids = (_grid(hs, vs) for hs, vs in groups.values() if len(hs) >= 2 and len(vs) >= 2)
    return sorted((g for g in grids if g is not None), key=lambda g: (g.bbox[1], g.bbox[0]))


def _levels(values: Iterable[float]) -> list[float]:
    """Positions with those closer than SNAP made one."""
    out: list[list[float]] = []
    for v in sorted(values):
        if out and v - out[-1][-1] <= SNAP and v - out[-1][0] <= 2 * SNAP:
            out[-1].append(v)
        else:
            out.append([v])
    return [sum(g) / len(g) for g in out]


def _open_end(ends: list[float], edge: float, side: int) -> list[float]:
    """Where at least two rules, and half of them, end together beyond the outermost rule that crosses them."""
    beyond = [e for e in ends if (e - edge) * side > 8]
    if len(beyond) < 2 or len(beyond) * 2 < len(ends):
        return []
    far = max(beyond, key=lambda e: e * side)
    return [far] if sum(abs(e - far) <= SNAP for e in beyond) >= max(2, len(beyond) / 2) else []


def _nearest(levels: list[float], value: float) -> int:
    k = bisect_left(levels, value)
    if k == len(levels) or (k and value - levels[k - 1] < levels[k] - value):
        return k - 1
    return k


def _grid(hs: list[HRule], vs: list[VRule]) -> Grid | None:
    ys, xs = _levels(r.y for r in hs), _levels(r.x for r in vs)
    # A table open at its sides: the rules run on beyond the outermost ones that cross them.
    sides = (_open_end([r.x0 for r in hs], xs[0], -1), _open_end([r.x1 for r in hs], xs[-1], 1))
    xs = [*sides[0], *xs, *sides[1]]
    ends = (_open_end([v.y0 for v in vs], ys[0], -1), _open_end([v.y1 for v in vs], ys[-1], 1))
    ys = [*ends[0], *ys, *ends[1]]
    rows, cols = len(ys) - 1, len(xs) - 1
    if rows < 1 or cols < 1 or not 2 <= rows * cols <= MAX_CELLS:
        return None
    # above[r][c]: a rule runs along the top of (r, c); left[r][c] the same along its left side
    above = [[0.0] * cols for _ in range(rows + 1)]
    left = [[0.0] * (cols + 1) for _ in range(rows)]
    for rule in hs:
        row = above[_nearest(ys, rule.y)]
        for c in range(max(0, bisect_right(xs, rule.x0) - 1), cols):
            if xs[c] > rule.x1:
                break
            row[c] += max(0.0, min(rule.x1 + SNAP, xs[c + 1]) - max(rule.x0 - SNAP, xs[c]))
    for line in vs:
        k = _nearest(xs, line.x)
        for r in range(max(0, bisect_right(ys, line.y0) - 1), rows):
            if ys[r] > line.y1:
                break
            left[r][k] += max(0.0, min(line.y1 + SNAP, ys[r + 1]) - max(line.y0 - SNAP, ys[r]))
    open_above = [[above[r][c] < 0.6 * (xs[c + 1] - xs[c]) for c in range(cols)] for r in range(rows)]
    open_left = [[left[r][c] < 0.6 * (ys[r + 1] - ys[r]) for c in range(cols)] for r in range(rows)]
    cells = _rectangles(rows, cols, open_above, open_left)
    if len(cells) < 2:
        return None
    return Grid((xs[0], ys[0], xs[-1], ys[-1]), tuple(xs), tuple(ys), tuple(cells))


def _rectangles(
    rows: int, cols: int, open_above: list[list[bool]], open_left: list[list[bool]]
) -> list[tuple[int, int, int, int]]:
    """Cells as maximal rectangles without a rule inside, taken greedily from the top left."""
    taken = [[False] * cols for _ in range(rows)]
    out = []
    for r in range(rows):
        for c in range(cols):
            if taken[r][c]:
                continue
            wide = 1
            while c + wide < cols and open_left[r][c + wide] and not taken[r][c + wide]:
                wide += 1
            tall = 1
            while r + tall < rows and all(
                open_above[r + tall][k] and not taken[r + tall][k] and (k == c or open_left[r + tall][k])
                for k in range(c, c + wide)
            ):
                tall += 1
            for i in range(r, r + tall):
                taken[i][c : c + wide] = [True] * wide
            out.append((r, c, tall, wide))
    return out
