"""Tables: ruled, with a few lines only, or without any; they go on over pages with their header repeated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from h3cold.ingest.generated.lettering import Style, width, wrap
from h3cold.ingest.generated.truth import TruthRegion, TruthTable
from h3cold.ingest.generated.typeset import Sheet

Look = Literal["ruled", "lines", "statement"]
Spans = tuple[tuple[int, int, int, int], ...]
PAD = 4.0
INDENT = 10.0


class _Plan(NamedTuple):
    """A table before it is set: cells wrapped, heights and column edges known."""

    rows: Sequence[Sequence[str]]
    lines: list[list[list[str]]]
    heights: list[float]
    edges: list[float]
    spans: Spans
    head: int
    aligns: str
    look: Look
    totals: frozenset[int]


def set_table(
    sheet: Sheet,
    rows: Sequence[Sequence[str]],
    *,
    widths: Sequence[float],
    aligns: str,
    look: Look = "ruled",
    head: int = 1,
    spans: Spans = (),
    totals: Sequence[int] = (),
    caption: str = "",
) -> None:
    """Set a table; two leading blanks in a cell indent it, "$ " stands at the cell's left.

    Args:
        rows: cell text; "" where a span of another cell covers it.
        widths: of the columns, relative.
        aligns: "l", "c" or "r" for each column.
        head: header rows, repeated on a new page.
        spans: (row, col, rowspan, colspan).
        totals: rows under a line (look "statement").
    """
    share = sheet.room / sum(widths)
    edges = [0.0]
    for w in widths:
        edges.append(edges[-1] + w * share)
    plan = _plan(sheet, rows, edges, spans, head, aligns, look, frozenset(totals))
    style = sheet.book.table_head
    if caption:
        sheet.space(4)
        sheet.need(style.leading + sum(plan.heights[: head + 2]))
        sheet.text(caption, style=style, kind="caption", align="left")
    sheet.need(sum(plan.heights[: head + 2]))
    first, continues = head, False
    while first < len(rows):
        last, height = first, sum(plan.heights[:head])
        while last < len(rows) and sheet.y + height + plan.heights[last] <= sheet.floor:
            height += plan.heights[last]
            last += 1
        _set_part(sheet, plan, [*range(head), *range(first, last)], continues=continues)
        first, continues = last, True
        if first < len(rows):
            sheet.advance()
    sheet.space(10)


def _plan(
    sheet: Sheet, rows: Sequence[Sequence[str]], edges: list[float], spans: Spans, head: int, aligns: str, look: Look,
    totals: frozenset[int],
) -> _Plan:  # fmt: skip
    lines: list[list[list[str]]] = []
    heights = []
    wide = {(r, c): (rs, cs) for r, c, rs, cs in spans}
    for r, row in enumerate(rows):
        style = sheet.book.table_head if r < head else sheet.book.table
        cells, tallest = [], 1
        for c, cell in enumerate(row):
            rowspan, colspan = wide.get((r, c), (1, 1))
            room = edges[c + colspan] - edges[c] - 2 * PAD - _indent(cell)
            cells.append(wrap(cell.strip(), style, room))
            if rowspan == 1:
                tallest = max(tallest, len(cells[-1]))
        lines.append(cells)
        heights.append(tallest * style.leading + (6.0 if look == "ruled" else 3.0))
    return _Plan(rows, lines, heights, edges, spans, head, aligns, look, totals)


def _indent(cell: str) -> float:
    return INDENT * ((len(cell) - len(cell.lstrip())) // 2)


def _set_part(sheet: Sheet, plan: _Plan, picked: list[int], *, continues: bool) -> None:
    top = sheet.y
    ys = [top]
    for r in picked:
        ys.append(ys[-1] + plan.heights[r])
    at = {r: i for i, r in enumerate(picked)}
    spans = tuple((at[r], c, rs, cs) for r, c, rs, cs in plan.spans if r in at)
    covered = {(r + i, c + j) for r, c, rs, cs in spans for i in range(rs) for j in range(cs) if i or j}
    size = {(r, c): (rs, cs) for r, c, rs, cs in spans}
    for i, r in enumerate(picked):
        style = sheet.book.table_head if r < plan.head else sheet.book.table
        for c in range(len(plan.rows[r])):
            if (i, c) in covered:
                continue
            rs, cs = size.get((i, c), (1, 1))
            box = (sheet.x0 + plan.edges[c], ys[i], sheet.x0 + plan.edges[c + cs], ys[i + rs])
            if plan.look == "ruled":
                fill = (0.9, 0.92, 0.95) if r < plan.head else None
                sheet.pen.box(box, thick=0.6, color=(0.3, 0.3, 0.3), fill=fill)
            _set_cell(sheet, plan, r, c, box, style, spanning=cs > 1)
    _rules(sheet, plan, picked, ys)
    sheet.y = ys[-1]
    texts = tuple(tuple(cell.strip() for cell in plan.rows[r]) for r in picked)
    table = TruthTable(texts, plan.head, spans)
    sheet.add(TruthRegion("table", "", (sheet.x0, top, sheet.x1, sheet.y), table=table, continues=continues))


def _set_cell(
    sheet: Sheet, plan: _Plan, r: int, c: int, box: tuple[float, float, float, float], style: Style, *, spanning: bool
) -> None:
    align = plan.aligns[c] if r >= plan.head else ("c" if spanning or plan.aligns[c] != "l" else "l")
    if r < plan.head and plan.look == "statement" and not spanning:
        align = plan.aligns[c]
    x0, x1 = box[0] + PAD + _indent(plan.rows[r][c]), box[2] - PAD
    lines = [line.rstrip() for line in plan.lines[r][c]]
    y = (box[1] + box[3] - style.leading * len(lines)) / 2
    for line in lines:
        base = y + 0.5 * style.leading + 0.35 * style.size
        if plan.look == "statement" and line.startswith("$ "):
            sheet.pen.draw(x0 + 12, base, "$", style)
            line = line[2:]
        free = x1 - x0 - width(line, style)
        # a closing bracket hangs right of the digits, as accountants set it
        hang = width(")", style) if align == "r" and line.endswith(")") and plan.look == "statement" else 0.0
        sheet.pen.draw(x0 + {"l": 0.0, "c": free / 2, "r": free + hang}[align], base, line, style)
        y += style.leading


def _rules(sheet: Sheet, plan: _Plan, picked: list[int], ys: list[float]) -> None:
    left, right = sheet.x0, sheet.x1
    if plan.look == "lines":
        for y, thick in ((ys[0], 1.0), (ys[plan.head], 0.5), (ys[-1], 1.0)):
            sheet.pen.line((left, y), (right, y), thick=thick)
    if plan.look == "statement":
        for i, r in enumerate(picked):
            if r in plan.totals:
                for c in range(1, len(plan.edges) - 1):
                    x0, x1 = left + plan.edges[c] + 14, left + plan.edges[c + 1] - 2
                    sheet.pen.line((x0, ys[i] + 0.5), (x1, ys[i] + 0.5), thick=0.5)
