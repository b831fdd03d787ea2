"""Which leading rows of a table are its header."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple

from h3cold.ingest.page_facts import Fill, Line, PageFacts
from h3cold.ingest.tables.rows import Atom, is_bold, numeric, turn_box
from h3cold.schemas.geometry import BBox
from h3cold.schemas.page import Cell, Table

MAX_HEADER = 10
"""Visual rows that are looked at for a header."""

MOST_LOOKED_AT = 300_000
"""Pairs of cells and shadings beyond which colours are not compared."""

_YEAR = re.compile(
    r"^(?:FY\s?|CY\s?|Q[1-4]\s)?(?:19|20)\d\d(?:[-–/]\d{2,4})?(?:[AEFPaefp*†]|\s?\(\w+\))?年?度?$|^\d{1,2}/\d{1,2}/\d{2,4}$"
)


_DIGIT = re.compile(r"\d")


class Piece(NamedTuple):
    """Text in columns `first`..`last` of a row."""

    first: int
    last: int
    text: str
    bold: bool


def count_header(rows: Sequence[Sequence[Piece]], ruled_after: Sequence[bool]) -> int:
    """Number of leading rows that are header.

    `ruled_after[k]` says that a rule runs under all of row k. A table of figures has its header above the first
    row of figures (years and counted-off numbers are none); any other above the first rule, or in bold.
    """
    limit = min(len(rows), MAX_HEADER)
    for k in range(limit):
        values = [p for p in rows[k] if p.first > 0]
        if values and _figures(values) and not (k < 4 and _counting(values)):
            bold = _bold_above(rows[:k])
            if bold:
                return bold
            if 0 < k < 5 and ruled_after[k] and sum(ruled_after) <= 3 and not all(numeric(p.text) for p in values):
                return k + 1
            ruled = [j for j in range(k) if ruled_after[j]]
            if ruled:
                return _without_labels(rows, ruled[-1] + 1)
            return _without_labels(rows, k)
    if len(rows) < 2:
        return 0
    full = [r for r in rows[:8] if len(r) > 1]
    if len(full) > 2 and full[0] is rows[0] and all(r[0].bold and not any(p.bold for p in r[1:]) for r in full[:4]):
        return 0  # names in bold and what they stand for: the first row is as the others
    for k in range(min(limit, 4, len(rows) - 1)):
        if ruled_after[k]:
            return k + 1
    if rows[0] and all(p.bold for p in rows[0]) and not all(p.bold for r in rows[1:] for p in r):
        return 1
    return int(_over_digits(rows))


def _over_digits(rows: Sequence[Sequence[Piece]]) -> bool:
    """Whether the first row names all columns in words, and two of them and more hold digits in each row below."""
    if len(rows) < 5 or any(_DIGIT.search(p.text) for p in rows[0]):
        return False
    names = {p.first for p in rows[0] if p.first == p.last}
    if names != {p.first for row in rows for p in row}:
        return False
    held: dict[int, int] = {}
    for row in rows[1:]:
        for p in row:
            held[p.first] = held.get(p.first, 0) + (_DIGIT.search(p.text) is not None)
    return sum(n == len(rows) - 1 for column, n in held.items() if column > 0) >= 2


def crossing_lines(facts: PageFacts, direction: tuple[float, float]) -> list[Atom]:
    """Lines written in another direction, as the headings of narrow columns are, each as one word."""
    out = []
    for i, line in enumerate(facts.lines):
        if abs(line.dir[0] * direction[0] + line.dir[1] * direction[1]) < 0.1 and not line.hidden:
            box = turn_box(line.bbox, direction)
            out.append(Atom(*box, line.text.strip(), i, line.size, is_bold(line), False))
    return out


def upright_headings(facts: PageFacts, lines: Sequence[Line]) -> list[Line]:
    """Those of `lines` that run up or down between two upright rules no further apart than they are long."""
    uprights = [r for r in facts.rules if not r.horizontal]
    out = []
    for line in lines:
        x0, y0, x1, y1 = line.bbox
        near = [r.x0 for r in uprights if r.y0 < y0 + 3 and r.y1 > y1 - 3] if abs(line.dir[1]) > 0.9 else []
        room = max(y1 - y0, 4 * (x1 - x0))
        if any(x0 - room < x < x0 + 2 for x in near) and any(x1 - 2 < x < x1 + room for x in near):
            out.append(line)
    return out


def with_shaded_header(table: Table, fills: Sequence[Fill]) -> Table:
    """The table, where it has no header yet, with the leading rows that have a colour to themselves as its header."""
    if not fills or table.rows < 2 or table.header_rows() or len(fills) * len(table.cells) > MOST_LOOKED_AT:
        return table
    rows: list[list[BBox]] = [[] for _ in range(table.rows)]
    for c in table.cells:
        if c.text:
            rows[c.row].append(c.bbox)
    first = {_colour_behind(box, fills) for box in rows[0]}
    if len(first) != 1 or None in first:
        return table
    colours = ({_colour_behind(box, fills) for box in row} for row in rows[1:])  # row by row: looking is slow
    count = 1 + sum(1 for _ in itertools.takewhile(lambda c: c == first, colours))
    if count > 3 or any(c == first for c in colours):
        return table  # striped, or one colour all over
    cells = tuple(
        Cell(c.row, c.col, c.text, c.bbox, c.rowspan, c.colspan, header=c.row + c.rowspan <= count) for c in table.cells
    )
    return Table(table.rows, table.cols, cells) if count < table.rows else table


def _colour_behind(box: BBox, fills: Sequence[Fill]) -> tuple[float, ...] | None:
    """Colour of the smallest shading around the middle of a cell, None for white and none."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    around = [f for f in fills if f[0][0] < x < f[0][2] and f[0][1] < y < f[0][3]]
    if not around:
        return None
    shade = min(around, key=lambda f: (f.bbox[2] - f.bbox[0]) * (f.bbox[3] - f.bbox[1])).color
    return shade if min(shade, default=1.0) <= 0.97 else None


def _bold_above(rows: Sequence[Sequence[Piece]]) -> int:
    """Leading rows in bold where below them rows follow with a label and plain text: a body that begins in words."""
    count = sum(1 for _ in itertools.takewhile(lambda row: row and all(p.bold for p in row), rows))
    below = rows[count:]
    plain = all(len(r) > 1 and r[0].first == 0 and not any(p.bold for p in r[1:]) for r in below)
    return count if below and plain else 0


def _without_labels(rows: Sequence[Sequence[Piece]], count: int) -> int:
    """Rows up to `count`, less those at the end that hold a row label only: section headings above the figures."""
    while count > 0 and all(p.first == 0 == p.last for p in rows[count - 1]):
        count -= 1
    return count


def _figures(values: Sequence[Piece]) -> bool:
    return sum(numeric(p.text) for p in values) * 2 >= len(values)


def _counting(values: Sequence[Piece]) -> bool:
    """Years, dates, or whole numbers that rise by one: what columns are headed with."""
    figures = [p.text.strip() for p in values if numeric(p.text)]
    if all(_YEAR.match(t) for t in figures):
        return True
    whole = [int(t) for t in figures if t.isdecimal() and len(t) < 4]
    return len(whole) == len(figures) >= 3 and all(b - a == 1 for a, b in itertools.pairwise(whole))
