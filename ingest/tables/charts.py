"""Charts beside tables: what is written in them and at their edges is no row of a table."""

from __future__ import annotations

from collections.abc import Sequence

from h3cold.schemas.geometry import BBox, area, inside
from h3cold.schemas.page import Table


def drawn(box: BBox, table: Table, charts: Sequence[BBox], parts: Sequence[BBox]) -> bool:
    """Whether a table holds what is written in a chart or at its edges."""
    labels = any(_labels(box, b) for b in parts)
    return labels or any(inside(box, c) > 0.05 and _sparse(table) for c in charts)


def at(line: BBox, part: BBox, gap: float) -> bool:
    """Whether the middle of a line stands in a part of a drawing, or less than `gap` points from it."""
    x, y = (line[0] + line[2]) / 2, (line[1] + line[3]) / 2
    return part[0] - gap < x < part[2] + gap and part[1] - gap < y < part[3] + gap


def _sparse(table: Table) -> bool:
    """Whether most positions are empty, as when the labels of a chart are read as a table."""
    places = table.rows * table.cols
    texts = [c for c in table.cells if c.text]
    return len(texts) < 0.4 * places or sum(c.rowspan * c.colspan for c in texts) < 0.6 * places


def _labels(table: BBox, part: BBox) -> bool:
    """Whether a table is the labels of a row of bars or the words of a flow chart: around it or mostly within it."""
    return (inside(part, table) > 0.5 and area(part) > 0.15 * area(table)) or inside(table, part) > 0.3
