"""Tables as Markdown, HTML and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from html import escape

from h3cold.schemas.document import ParsedDocument
from h3cold.schemas.page import Cell, Table


def table_markdown(table: Table) -> str:
    """A pipe table; HTML where a cell spans, or where more than one row is header: Markdown cannot say that."""
    deep = table.header_rows()
    if deep > 1 or any(c.rowspan > 1 or c.colspan > 1 for c in table.cells):
        return table_html(table)
    rows = [[_cell_markdown(text) for text in row] for row in table.grid()]
    head = rows.pop(0) if deep else [""] * table.cols
    lines = [head, ["---"] * table.cols, *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell_markdown(text: str) -> str:
    return "<br>".join(part.strip() for part in escape_markdown(text).splitlines()).replace("|", "\\|")


def table_html(table: Table) -> str:
    """A `<table>` without styles; text escaped, spans kept, header rows in `<thead>`."""
    deep = table.header_rows()
    covered = {(c.row + i, c.col + j) for c in table.cells for i in range(c.rowspan) for j in range(c.colspan)}
    by_row: list[list[Cell | None]] = [[] for _ in range(table.rows)]
    at = {(c.row, c.col): c for c in table.cells}
    for row in range(table.rows):
        for col in range(table.cols):
            if (row, col) in at:
                by_row[row].append(at[row, col])
            elif (row, col) not in covered:
                by_row[row].append(None)
    lines = ["<table>"]
    for part, rows in (("thead", by_row[:deep]), ("tbody", by_row[deep:])):
        if rows:
            lines.append(f"<{part}>")
            lines.extend("<tr>" + "".join(_cell_html(c) for c in row) + "</tr>" for row in rows)
            lines.append(f"</{part}>")
    return "\n".join([*lines, "</table>"])


def _cell_html(cell: Cell | None) -> str:
    if cell is None:
        return "<td></td>"
    tag = "th" if cell.header else "td"
    spans = "".join(f' {name}="{n}"' for name, n in (("rowspan", cell.rowspan), ("colspan", cell.colspan)) if n > 1)
    text = "<br>".join(escape(line) for line in cell.text.splitlines())
    return f"<{tag}{spans}>{text}</{tag}>"


def table_csv(table: Table, *, skip: int = 0) -> str:
    """Comma-separated values (RFC 4180, lines end in a newline), one record a row, without the first `skip` rows.

    A heading over several columns stands in each of them; of other spans only the top-left position has the text.
    """
    grid = table.grid()
    for cell in table.cells:
        if cell.header:
            for col in range(cell.col, min(cell.col + cell.colspan, table.cols)):
                grid[cell.row][col] = cell.text
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([" ".join(text.split()) for text in row] for row in grid[skip:])
    return out.getvalue()


def render_csv(doc: ParsedDocument) -> Iterator[str]:
    """The document's tables in order, an empty line between two; one that goes on across pages is one table."""
    from h3cold.ingest.tables.continued import repeated_header  # it loads what reads PDFs: others do without

    last: Table | None = None
    for region in (r for page in doc.pages for r in page.regions):
        if region.table is None:
            continue
        goes_on = region.continues and last is not None and last.cols == region.table.cols
        if goes_on and last is not None:
            yield table_csv(region.table, skip=repeated_header(last, region.table))
        else:
            yield ("\n" if last is not None else "") + table_csv(region.table)
        last = region.table


def escape_markdown(text: str) -> str:
    """Text that a Markdown reader shows as it is: no emphasis, no code, no HTML."""
    for char in "\\`*<[":
        text = text.replace(char, "\\" + char)
    return text
