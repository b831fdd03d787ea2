"""Rows that a question tells by a number or a day in them, or by what stands beside their label; rows of contents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from h3cold.recall.cells import sort_of
from h3cold.recall.months import days_in
from h3cold.recall.table_columns import Column, Sheet, columns_of
from h3cold.recall.table_rows import Row
from h3cold.recall.understand import Question, tokens_of

ENOUGH = 2
"""Words of a cell that a question has to say for the cell to tell the row."""

_SECTION = re.compile(r"(?:[A-Z]|\d{1,2})(?:\.\d{1,2})+\.?")
_WORDS = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+)?\.?")
_YEAR = re.compile(r"(?:19|20)\d\d")


def keyed_row(sheet: Sheet, question: Question) -> Row | None:
    """The one row that holds the number asked for under its head ("week 51", 第51周), or the day; None where none does.

    Where a column holds years, it is that of the year asked for.
    """
    text, grid = question.text.casefold(), sheet.grid
    rows, label, col = set(range(sheet.heads, len(grid))), list[str](), -1
    for place, path in enumerate(sheet.paths):
        cells = {n: " ".join(grid[n][place].split()) for n in rows}
        head = path[-1] if path else ""
        days = {n: days_in(cell) for n, cell in cells.items()} if days_in(question.text) else {}
        if dated := {n for n, own in days.items() if own and own & days_in(question.text)}:
            rows, col = dated, place if col < 0 else col
            label.append(cells[min(dated)])
        elif number := _number_of(head, text):
            same = {n for n, cell in cells.items() if cell == number}
            if same:
                rows, col = same, place if col < 0 else col
                label.append(f"{head} {number}")
        elif question.years and all(_YEAR.fullmatch(cell) for cell in cells.values() if cell):
            rows = {n for n, cell in cells.items() if cell in map(str, question.years)} or rows
    return Row(min(rows), ", ".join(label), col, "", False) if label and len(rows) == 1 else None


@lru_cache(maxsize=1 << 12)
def _number_of(head: str, text: str) -> str:
    """The number that a text, in small letters, says with a head: "week 51", 第51周; "" for none."""
    word = head.strip().rstrip(".").casefold()
    if not word or not _WORDS.fullmatch(word):
        return ""
    word = re.escape(word)
    before = rf"(?<!\w){word}s?\.?\s*(?:no\.?|number|nr\.?|#|of|is|=|:|：|为|是)?\s*(\d+)(?![\d.,]*\d)"
    found = re.search(rf"{before}|第\s*(\d+)\s*个?{word}", text)
    return (found[1] or found[2]) if found else ""


def row_beside(sheet: Sheet, rows: Sequence[Row], question: Question) -> tuple[Row, Column] | None:
    """The one row beside whose label a cell stands that the question says whole, and that cell's column."""
    words, found = frozenset(question.words), list[tuple[int, Row, Column]]()
    for row in rows:
        for column in columns_of(sheet, row):
            said = tokens_of(column.value) if sort_of(column.value) == "words" else frozenset()
            if len(said) >= ENOUGH and said <= words:
                found.append((len(said), row, column))
    most = max((size for size, _, _ in found), default=0)
    best = [(row, column) for size, row, column in found if size == most]
    return best[0] if len({row.number for row, _ in best}) == 1 else None


def lists_contents(sheet: Sheet) -> bool:
    """Whether rows are numbered sections with their pages, as of a table of contents: they say where, not what."""
    rows = [[cell.strip() for cell in row if cell.strip()] for row in sheet.grid[sheet.heads :]]
    pages = [int(row[-1]) for row in rows if len(row) > 1 and row[-1].isdecimal()]
    numbered = sum(bool(row[1:] and _SECTION.fullmatch(row[0])) for row in rows)
    return 2 * numbered > len(rows) > 0 and len(pages) == len(rows) and pages == sorted(pages)
