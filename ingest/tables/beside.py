"""Running text that is wrapped around a table: a narrow column of lines that keep no row with it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from h3cold.ingest.tables.columns import Column, find_columns, hits
from h3cold.ingest.tables.rows import Atom, Row, Seg

FEWEST = 6
"""Lines that a column must have to be told from labels."""


def text_beside(band: Sequence[Row], atoms: Sequence[Atom]) -> set[int]:
    """Ids of those `atoms` that are text beside the table of `band`, left or right of it; empty where there is none.

    Such lines follow each other at one distance, are sentences, and do not stand at the heights of the rows.
    """
    if len(band) < FEWEST:
        return set()
    columns = find_columns(band)
    if len(columns) < 3:
        return set()
    for k in (0, len(columns) - 1):
        lines = [s for row in band for s in row.segs if hits(s, columns) == [k]]
        pitch = _pitch(lines)
        if pitch and not _in_rows(lines, [s for row in band for s in row.segs if s not in lines]):
            return _column_of(columns[k], lines, pitch, atoms)
    return set()


def _pitch(lines: Sequence[Seg]) -> float:
    """The distance of the lines where they are wordy and evenly spaced, else 0."""
    if len(lines) < FEWEST or sum(len(s.atoms) for s in lines) < 3 * len(lines):
        return 0.0
    if sum(s.figure for s in lines) > 0.1 * len(lines):
        return 0.0
    steps = sorted(b.y1 - a.y1 for a, b in itertools.pairwise(sorted(lines, key=lambda s: s.y1)))
    middle = steps[len(steps) // 2]
    even = sum(abs(s - middle) < 0.08 * middle for s in steps)
    return middle if even >= 0.75 * len(steps) else 0.0


def _in_rows(lines: Sequence[Seg], others: Sequence[Seg]) -> bool:
    """Whether most lines have something of the table at the same height, a constant offset of the fonts aside."""
    offsets: dict[int, int] = {}
    for line in lines:
        near = min((o.y1 - line.y1 for o in others), key=abs, default=99.0)
        if abs(near) < 0.6 * (line.y1 - line.y0):
            offsets[round(near)] = offsets.get(round(near), 0) + 1
    return any(n + offsets.get(k + 1, 0) >= 0.6 * len(lines) for k, n in offsets.items())


def _column_of(column: Column, lines: Sequence[Seg], pitch: float, atoms: Sequence[Atom]) -> set[int]:
    """The column's words, with those of the lines that follow above and below at the same distance."""
    top, bottom = min(s.y1 for s in lines), max(s.y1 for s in lines)
    mine = sorted((a for a in atoms if a.x0 >= column.x0 - 3 and a.x1 <= column.x1 + 0.15 * (column.x1 - column.x0)),
                  key=lambda a: a.y1)  # fmt: skip
    for a in mine:
        if bottom < a.y1 <= bottom + 1.15 * pitch:
            bottom = a.y1
    for a in reversed(mine):
        if top - 1.15 * pitch <= a.y1 < top:
            top = a.y1
    return {id(a) for a in mine if top - 1 <= a.y1 <= bottom + 1}
