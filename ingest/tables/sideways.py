"""Tables printed beside each other under one set of rules: the header says the same again and again."""

from __future__ import annotations

from h3cold.ingest.tables.rows import numeric
from h3cold.schemas.page import Cell, Table


def split_sideways(table: Table) -> list[Table]:
    """The tables that `table` is made of: as many as its header repeats itself from left to right.

    A repetition has two columns at least, the first of them one of labels or keys that differ from those of the
    first repetition, and no cell reaches from one into the next.
    """
    head = table.header_rows()
    if table.cols < 4:
        return [table]
    middle = _second_labels(table, head)
    if middle:
        return [_part(table, 0, middle), _part(table, middle, table.cols - middle)]
    if not head:
        return [table]
    for width in range(2, table.cols // 2 + 1):
        if table.cols % width == 0 and _repeats(table, head, width):
            return [_part(table, start, width) for start in range(0, table.cols, width)]
    return [table]


def _second_labels(table: Table, head: int) -> int:
    """The column at which the row labels of the first column come again, 0 if none does."""
    grid = table.grid()[head:]
    labels = [row[0] for row in grid if row[0]]
    if len(labels) < 5 or sum(map(numeric, labels)) > 0.2 * len(labels):
        return 0
    for col in range(2, table.cols - 1):
        again = [row[col] for row in grid if row[col]]
        same = sum(row[col] == row[0] != "" for row in grid)
        crossed = any(c.col < col < c.col + c.colspan for c in table.cells)
        if (
            len(again) >= 5
            and same >= 0.5 * len(labels)
            and not crossed
            and sum(map(numeric, again)) < 0.2 * len(again)
        ):
            return col
    return 0


def _repeats(table: Table, head: int, width: int) -> bool:
    grid = table.grid()
    if any(c.col // width != (c.col + c.colspan - 1) // width for c in table.cells):
        return False
    pieces = [[row[s : s + width] for row in grid[:head]] for s in range(0, table.cols, width)]
    if any(p != pieces[0] for p in pieces) or not pieces[0][-1][0] or len(set(pieces[0][-1])) < width:
        return False
    keys = [[row[s] for row in grid[head:] if row[s]] for s in range(0, table.cols, width)]
    return all(len(set(k)) == len(k) >= 2 for k in keys) and all(not set(k) & set(keys[0]) for k in keys[1:])


def _part(table: Table, start: int, width: int) -> Table:
    cells = tuple(
        Cell(c.row, c.col - start, c.text, c.bbox, c.rowspan, c.colspan, c.header)
        for c in table.cells
        if start <= c.col < start + width
    )
    last = max((c.row + c.rowspan for c in cells if c.text), default=0)
    return Table(last, width, tuple(c for c in cells if c.row + c.rowspan <= last))
