"""Tables as lines of text, and split by rows with the header rows repeated in every part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from h3cold.ingest.pieces import Count, Item, measure
from h3cold.schemas.geometry import BBox, union
from h3cold.schemas.page import Cell, Region, Table


class Row(NamedTuple):
    """The cells that start in one row, their line of text and its tokens; `glued` to the row above by a span."""

    cells: tuple[Cell, ...]
    text: str
    tokens: int
    glued: bool = False


class TablePart(NamedTuple):
    """A piece of a table: `header` is repeated text (not the part's own), `body` the part's own rows."""

    header: str
    body: str
    table: Table
    bbox: BBox


def row_text(cells: Sequence[Cell]) -> str:
    """The cells of one row as "label | value | value"; empty positions are kept, but for those at the end."""
    if not cells:
        return ""
    texts = [""] * (max(c.col for c in cells) + 1)
    for cell in cells:
        texts[cell.col] = " ".join(cell.text.split())
    while texts and not texts[-1]:
        texts.pop()
    return " | ".join(texts)


def split_table(
    region: Region, *, count: Count, target: int, first: int = 0, last: int = 0, header: Sequence[Cell] = ()
) -> list[TablePart]:
    """Split a table region into parts of about `target` tokens, repeated header included.

    Args:
        first: tokens to leave free in the first part (a caption above).
        last: tokens to leave free in the last part (a caption below).
        header: header cells of an earlier piece of the same table, for one that goes on without its own.
    """
    table = region.table
    assert table is not None
    rows = _rows(table, count)
    own = table.header_rows()
    printed = [cell for row in rows[:own] for cell in row.cells]
    header = printed if own else _borrowed(header, region.bbox, table.cols)
    head = _header(header, count)
    if 2 * head.tokens > target:
        head, header, own = Row((), "", 0), (), 0
    room = target - head.tokens - max(first, last)
    groups = [g for group in _groups(rows[own:]) for g in _fitted(group, count, max(1, room))]
    bodies: list[list[Row]] = [[]]
    size = 0
    for group in groups:
        wanted = sum(r.tokens for r in group)
        if bodies[-1] and size + wanted > room:
            bodies.append([])
            size = 0
        bodies[-1].extend(group)
        size += wanted
    out = []
    for i, body in enumerate(bodies):
        shown = own if i == 0 else 0  # the header is the first part's own text, and repeated in the others
        cells = [c for r in body for c in r.cells]
        lines = [r.text for r in ([*rows[:shown], *body] if shown else body)]
        mine = [c.bbox for c in [*(header if shown else ()), *cells]]
        part = _table(header, body, table.cols)
        out.append(TablePart("" if shown else head.text, "\n".join(filter(None, lines)), part, _box(mine, region.bbox)))
    return out


def _rows(table: Table, count: Count) -> list[Row]:
    by_row: list[list[Cell]] = [[] for _ in range(table.rows)]
    glued = [False] * table.rows
    for cell in sorted(table.cells, key=lambda c: (c.row, c.col)):
        by_row[cell.row].append(cell)
        for r in range(cell.row + 1, min(table.rows, cell.row + cell.rowspan)):
            glued[r] = True
    texts = [row_text(cells) for cells in by_row]
    tokens = count([t + "\n" for t in texts]) if texts else []
    return [Row(tuple(c), t, n, g) for c, t, n, g in zip(by_row, texts, tokens, glued, strict=True)]


def _borrowed(header: Sequence[Cell], box: BBox, cols: int) -> list[Cell]:
    """Header cells printed on an earlier page: shown at no height along this piece's top edge."""
    if any(c.col + c.colspan > cols for c in header):
        return []
    return [replace(c, bbox=(c.bbox[0], box[1], c.bbox[2], box[1])) for c in header]


def _header(cells: Sequence[Cell], count: Count) -> Row:
    if not cells:
        return Row((), "", 0)
    rows = sorted({c.row for c in cells})
    text = "\n".join(filter(None, (row_text([c for c in cells if c.row == r]) for r in rows)))
    return Row(tuple(cells), text, count([text + "\n"])[0])


def _groups(rows: Sequence[Row]) -> list[list[Row]]:
    out: list[list[Row]] = []
    for i, row in enumerate(rows):
        if row.glued and i:
            out[-1].append(row)
        else:
            out.append([row])
    return out


def _fitted(group: list[Row], count: Count, room: int) -> list[list[Row]]:
    """Rows held together by spans stay so if they fit; a row that does not fit alone is cut between and in cells."""
    if sum(r.tokens for r in group) <= room:
        return [group]
    out: list[list[Row]] = []
    for row in group:
        out.extend([[row]] if row.tokens <= room else [[r] for r in _cut_row(row, count, room)])
    return out


def _cut_row(row: Row, count: Count, room: int) -> list[Row]:
    """One row as several, each with the next stretch of its text, in the order of the cells."""
    limit = max(1, room // 2)
    pieces: list[Cell] = []
    for cell in row.cells:
        text = " ".join(cell.text.split())
        item = Item(0, 0, Region("text", cell.bbox, text, 0))
        parts = measure([item], count, limit)[0] if text else []
        pieces.extend(replace(cell, text=text[p.start : p.end].strip()) for p in parts)
    out: list[Row] = []
    cells: list[Cell] = []
    for cell in pieces:
        trial = [*cells, cell]
        fits = not cells or (cell.col > cells[-1].col and count([_dense(trial) + "\n"])[0] <= room)
        if not fits:
            out.append(_row(cells, count))
            trial = [cell]
        cells = trial
    if cells:
        out.append(_row(cells, count))
    return out


def _dense(cells: Sequence[Cell]) -> str:
    """A cut row's text: no empty positions, which may be many and would eat up the room."""
    return " | ".join(" ".join(c.text.split()) for c in cells)


def _row(cells: Sequence[Cell], count: Count) -> Row:
    text = _dense(cells)
    return Row(tuple(cells), text, count([text + "\n"])[0])


def _table(header: Sequence[Cell], body: Sequence[Row], cols: int) -> Table:
    """The part's own grid: header rows first, rows numbered anew, spans cut to what is left of them."""
    numbers = {r: i for i, r in enumerate(sorted({c.row for c in header}))}
    deep = max((numbers[c.row] + c.rowspan for c in header), default=0)
    rows = max(deep, len(numbers)) + len(body)
    cells = [replace(c, row=numbers[c.row]) for c in header]
    for i, row in enumerate(body, start=rows - len(body)):
        cells.extend(replace(c, row=i, rowspan=min(c.rowspan, rows - i)) for c in row.cells)
    return Table(rows, cols, tuple(cells))


def _box(boxes: Sequence[BBox], whole: BBox) -> BBox:
    return union(boxes) if boxes else whole
