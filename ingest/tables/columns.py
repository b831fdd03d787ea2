"""Columns of a table without vertical rules: which segments stand below each other."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from h3cold.ingest.tables.rows import Row, Seg, make_seg

SLACK = 1.0
"""Points by which a segment may reach into the next column without being in it."""


class Column:
    """An x-interval and the rows that have a segment in it."""

    __slots__ = ("rows", "x0", "x1")

    def __init__(self, x0: float, x1: float, rows: set[int]) -> None:
        self.x0, self.x1, self.rows = x0, x1, rows

    def widen(self, seg: Seg) -> None:
        """Take in a segment's width."""
        if seg.x0 < self.x0:
            self.x0 = seg.x0
        if seg.x1 > self.x1:
            self.x1 = seg.x1


def hits(seg: Seg, columns: Sequence[Column]) -> list[int]:
    """Indices of the columns that a segment reaches into."""
    x0, _, x1, _, _ = seg
    slack = min(0.25 * (x1 - x0), SLACK)
    x0, x1 = x0 + slack, x1 - slack  # where it begins and ends for certain
    return [k for k, c in enumerate(columns) if x0 < c.x1 and x1 > c.x0]


def strays(row: Row, columns: Sequence[Column]) -> bool:
    """Whether no piece of a row ends, begins or is centred where a column is: the labels of what stands below. One
    piece alone may be the name of a table's next part.
    """
    if len(row.segs) == 1:
        return False
    near = 0.3 * row.size
    for s in row.segs:
        for c in columns:
            if min(abs(s.x0 - c.x0), abs(s.x1 - c.x1), abs(s.x0 + s.x1 - c.x0 - c.x1) / 2) < near:
                return False
    return True


def find_columns(rows: Sequence[Row]) -> list[Column]:
    """Columns of `rows`, left to right.

    Segments are taken narrow before wide, rows of figures before others. One that reaches into two columns joins
    them unless a row has something in both: then it spans them.
    """
    found: list[Column] = []
    order = []
    for k, row in enumerate(rows):
        words = not any(s.figure for s in row.segs[1:])
        order += [(words, s[2] - s[0], k, j, s) for j, s in enumerate(row.segs)]
    for _, wide, k, _, seg in sorted(order):
        slack = min(0.25 * wide, SLACK)
        x0, x1 = seg[0] + slack, seg[2] - slack
        over = [c for c in found if x0 < c.x1 and x1 > c.x0]
        if not over:
            found.append(Column(seg.x0, seg.x1, {k}))
        elif len(over) == 1:
            over[0].widen(seg)
            over[0].rows.add(k)
        elif not any(a.rows & b.rows for a in over for b in over if a is not b):
            rest = [c for c in found if all(c is not o for o in over)]
            joined = Column(min(seg.x0, *(c.x0 for c in over)), max(seg.x1, *(c.x1 for c in over)), {k})
            for c in over:
                joined.rows |= c.rows
            found = [*rest, joined]
    found.sort(key=lambda c: c.x0)
    return _without_strays(found, rows)


def _without_strays(columns: list[Column], rows: Sequence[Row]) -> list[Column]:
    """Join neighbours that no row has both of, where the gap between them is a blank or one is hardly used."""
    size = rows[0].size if rows else 10.0
    out: list[Column] = []
    for c in columns:
        if out:
            last = out[-1]
            few = min(len(last.rows), len(c.rows)) <= max(1, len(rows) // 10)
            if not last.rows & c.rows and (c.x0 - last.x1 < (2.5 if few else 0.5) * size):
                last.x1, last.rows = max(last.x1, c.x1), last.rows | c.rows
                continue
        out.append(c)
    return out


def split_runs(rows: Sequence[Row], columns: Sequence[Column]) -> list[Row]:
    """Cut segments that run over several columns where the blanks between their words fall between columns."""
    out = []
    for row in rows:
        segs = [p for s in row.segs for p in _pieces(s, columns)]
        out.append(row if len(segs) == len(row.segs) else row._replace(segs=tuple(segs)))
    return out


def _pieces(seg: Seg, columns: Sequence[Column]) -> list[Seg]:
    if len(seg.atoms) < 2:
        return [seg]
    over = hits(seg, columns)
    if len(over) < 2:
        return [seg]
    blank = min(b.x0 - a.x1 for a, b in itertools.pairwise(seg.atoms))
    cuts = []
    for a, b in itertools.pairwise(over):
        low, high = columns[a].x1, columns[b].x0
        best = None
        for i in range(1, len(seg.atoms)):
            left, right = seg.atoms[i - 1], seg.atoms[i]
            gap = right.x0 - left.x1
            figures = left.figure and right.figure
            wide = gap > 0.42 * right.size or (figures and gap > 0.15 * right.size)
            wide = wide or (len(over) > 2 and gap > max(1.15 * blank, 0.2 * right.size))
            if wide and left.x1 <= high + SLACK and right.x0 >= low - SLACK:
                best = i
                break
        if best is None:
            return [seg]
        cuts.append(best)
    if len(set(cuts)) < len(cuts):
        return [seg]
    edges = [0, *cuts, len(seg.atoms)]
    return [make_seg(seg.atoms[i:j]) for i, j in itertools.pairwise(edges)]
