"""The header of a grid that has none inside: lines of words right above it, each over a column of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from h3cold.ingest.tables.cells import join_text, reading_order
from h3cold.ingest.tables.grids import slot
from h3cold.ingest.tables.rows import Atom, Row, numeric, rows_of
from h3cold.schemas.page import Cell, Table

MOST = 3
"""Lines of a header above a grid, at most."""

COVERED = 0.7
"""Share of the columns that its words must stand over."""


def headed(table: Table, used: list[Atom], atoms: Sequence[Atom]) -> tuple[Table, list[Atom]]:
    """The table of a grid with the header that stands right above it, and all of its words.

    Only one of four columns and more that begins with figures has its header there; a line that lies over the edge of
    a column is no part of it.
    """
    if table.cols < 4 or any(c.header for c in table.cells):
        return table, used
    first = [c for c in table.cells if c.row == 0 and c.text]
    if sum(numeric(c.text) for c in first) < 0.3 * len(first) or any(c.colspan > 1 for c in first):
        return table, used
    edges = _edges(table)
    if edges is None:
        return table, used
    top = min(c.bbox[1] for c in table.cells)
    held: list[Row] = []
    for row in _above(edges, top, atoms):
        if len(held) == MOST or not _over_columns(row, edges):
            break
        held.insert(0, row)
    texts: dict[int, list[Atom]] = {}
    for row in held:
        for seg in row.segs:
            texts.setdefault(slot(edges, (seg.x0 + seg.x1) / 2), []).extend(seg.atoms)
    if len(texts) < COVERED * table.cols or not any(len(row.segs) >= 0.5 * table.cols for row in held):
        return table, used
    y0 = min(row.y0 for row in held)
    head = [
        Cell(0, c, join_text(reading_order(texts.get(c, []))), (edges[c], y0, edges[c + 1], top), header=True)
        for c in range(table.cols)
    ]
    cells = (*head, *(replace(c, row=c.row + 1) for c in table.cells))
    return Table(table.rows + 1, table.cols, cells), [*used, *(a for own in texts.values() for a in own)]


def _edges(table: Table) -> list[float] | None:
    """Where the columns begin, and the last one ends; None where one has no cell of its own."""
    starts = {c.col: c.bbox[0] for c in table.cells if c.colspan == 1}
    ends = {c.col: c.bbox[2] for c in table.cells if c.colspan == 1}
    if len(starts) < table.cols:
        return None
    return [*(starts[c] for c in range(table.cols)), ends[table.cols - 1]]


def _above(edges: Sequence[float], top: float, atoms: Sequence[Atom]) -> list[Row]:
    """Lines above a grid without a gap between them, the lowest first, as far as all of them are words."""
    near = [a for a in atoms if a.x1 > edges[0] and a.x0 < edges[-1] and top - 8 * a.size < a.y0 and a.y1 < top + 2]
    out: list[Row] = []
    for row in reversed(rows_of(near)):
        figures = sum(s.figure and s.text not in "%" and not _is_year(s.text) for s in row.segs)
        if top - row.y1 > 0.8 * row.size or figures > 0:
            break
        out.append(row)
        top = row.y0
    return out


def _over_columns(row: Row, edges: Sequence[float]) -> bool:
    """Whether each of a line's words stands over a column, two of them over different ones."""
    places = [slot(edges, (s.x0 + s.x1) / 2) for s in row.segs]
    if -1 in places or len(set(places)) < len(places):
        return False
    return all(s.x0 > edges[c] - 4 and s.x1 < edges[c + 1] + 4 for s, c in zip(row.segs, places, strict=True))


def _is_year(text: str) -> bool:
    return len(text) == 4 and text.isdigit() and text[:2] in ("19", "20")
