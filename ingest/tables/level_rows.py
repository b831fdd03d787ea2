"""Rows of a ruled table without rules of their own: lines level with the cells beside them, and blank lines."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Container, Mapping, Sequence

from h3cold.ingest.tables.rows import Atom, Row, rows_of
from h3cold.ingest.tables.ruled import Grid


def own_rows(
    grid: Grid, rows_in: Mapping[int, Sequence[Row]], columns: Container[tuple[int, int]]
) -> set[tuple[int, int]]:
    """Bands in which a cell of several columns has one line level with each cell beside it: rules drawn there alone."""
    out: set[tuple[int, int]] = set()
    for n, rows in rows_in.items():
        r, c, tall, wide = grid.cells[n]
        if tall < 2 or (c, wide) not in columns or any(len(row.segs) < 2 for row in rows):
            continue
        if [bisect_right(grid.ys, (row.y0 + row.y1) / 2) - 1 for row in rows] == [*range(r, r + tall)]:
            out.add((r, tall))
    return out


def blank_lines(cells: Sequence[Sequence[Atom]]) -> list[float]:
    """Middles of the blank lines that run through all cells of a band of wrapped text: rows without a rule."""
    spans = sorted((a.y0, a.y1) for text in cells for a in text)
    out: list[float] = []
    low = spans[0][1]
    size = cells[0][0].size
    for y0, y1 in spans:
        if y0 - low > 0.7 * size:
            middle = (low + y0) / 2
            above = [text for text in cells if any(a.y1 < middle for a in text)]
            below = [text for text in cells if any(a.y0 > middle for a in text)]
            lone = above if len(above) == 1 else below if len(below) == 1 else []
            wrapped = any(text in above and text in below and _evenly_set(text) for text in lone)
            if above and below and max(len(above), len(below)) >= 2 and not wrapped:
                out.append(middle)
        low = max(low, y1)
    return out


def _evenly_set(text: Sequence[Atom]) -> bool:
    """Whether a cell's lines are at one distance: none of its gaps is a blank line."""
    middles = [(row.y0 + row.y1) / 2 for row in rows_of(list(text))]
    steps = [b - a for a, b in itertools.pairwise(middles)]
    return max(steps) < (1.15 * min(steps) if len(steps) > 1 else 2 * text[0].size)
