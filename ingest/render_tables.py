"""Tables as Markdown and as HTML."""

from __future__ import annotations

from html import escape

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


def escape_markdown(text: str) -> str:
    """Text that a Markdown reader shows as it is: no emphasis, no code, no HTML."""
    for char in "\\`*<[":
        text = text.replace(char, "\\" + char)
    return text
