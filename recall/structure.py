"""What a table says to a question: the row and the columns that answer it, and a split table made whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from h3cold.recall.cells import DIGITS, sort_of
from h3cold.recall.extremes import columns_asked, extreme_period, extreme_row
from h3cold.recall.months import month_words, of_months
from h3cold.recall.no_answer import heads_a_column, says_no_more, speaks_of, telling
from h3cold.recall.row_groups import label_of, under_asked, with_groups
from h3cold.recall.row_keys import keyed_row, lists_contents, row_beside
from h3cold.recall.row_periods import in_months, in_spell, in_years, is_period, row_of_period, spell_of
from h3cold.recall.row_subjects import about_named
from h3cold.recall.table_columns import (
    Column,
    columns_of,
    met,
    narrowed,
    sheet_of,
    without_notes,
    years_of,
)
from h3cold.recall.table_rows import EMPTY, Row, is_sum, named_row, rows_of
from h3cold.recall.table_units import unit_of
from h3cold.recall.understand import Question, tokens_of
from h3cold.recall.wishes import asks_amount, asks_number, speaks_of_change, superlatives, wish_of, wish_words
from h3cold.schemas.block import Block
from h3cold.schemas.hit import Answer
from h3cold.schemas.page import Cell, Table, make_cells

_GOES_ON = re.compile(r"[\s(（—–-]*(?:continued|cont['’]?d\.?|续表?|續)[)）]?\s*$", re.IGNORECASE)


_BY = re.compile(r"\bby\b|分(?:产品|地区|行业|客户|部|季度|类)|各|构成", re.IGNORECASE)
"""Asks for the rows beside a sum, not for the sum."""

EXTREME = 0.5
"""How well a row fits at least that is the largest or smallest where that is asked for."""

OPEN, MISSED = 0.8, 0.4
"""What a row's fit is worth where the question names no column, and where it has none of those that are named."""

ALIKE = 0.5
"""What a row's fit is worth where another has its label, and the question tells not under which heading."""

OTHERS = 0.7
"""What an answer is worth of the parent company alone where the question does not name it."""

_PARENT = re.compile(r"母公司|\bparent(?:\s+company)?\s+only\b|\bof (?:the )?(?:registrant|parent)\b", re.IGNORECASE)

CAPTIONS = 4
"""Lines of captions and units that may stand in a table's text above its head."""


class Told(NamedTuple):
    """What a table answers, None if nothing; `fit`, 0..1, is how much of the question that is.

    `elsewhen` says that the row is told by years, and neither of these nor of its document is one that is asked for;
    `page` is where the row stands in a table of several pages, 0 where its cells do not tell.
    """

    answer: Answer | None
    fit: float = 0.0
    elsewhen: bool = False
    page: int = 0


def answer_in(
    table: Table, question: Question, about: str = "", *, above: Sequence[str] = (), year: int | None = None
) -> Answer | None:
    """As `told_by`, without how well it fits."""
    return told_by(table, question, about, above=above, year=year).answer


def told_by(
    table: Table, question: Question, about: str = "", *, above: Sequence[str] = (), year: int | None = None,
    called: str = "",
) -> Told:  # fmt: skip
    """The row whose label the question names best, the columns that it asks for, what stands there and in which unit.

    Where no row is named: the one of a year that is asked for, that with the largest or the smallest value where that
    is asked for, that of the sum where the caption (`about`) or the heads name what is asked for, or the only one. All
    columns of the row where none is named. None where neither row nor column stands out.

    `above` are lines and headings that the table stands under, `year` is its document's, for "本期" and "prior year",
    `called` is what that is called.
    """
    wish, sheet, years = wish_of(question.text), sheet_of(table), question.years
    if lists_contents(sheet):
        return Told(None)
    heads, paths, asked = sheet.heads, sheet.paths, set(years)
    rows = with_groups(list(rows_of(table, sheet.grid, heads)), sheet.grid, table)
    said = tokens_of(about).union(*(tokens_of(step) for path in paths for step in path))
    context = said.union(*map(tokens_of, above))
    of_whom = about_named(sheet, rows, question, " ".join((about, *above)), called)
    if of_whom is not None:
        rows = [row for row in rows if row.number in of_whom.numbers]
    if wish.extreme and heads_a_column(superlatives(question.text), paths):
        wish = wish._replace(extreme=0)  # "maximum value"
    named = named_row(rows, question, context)
    of_period = row_of_period(sheet, question)
    if of_period is not None and named is not None:
        label = named.row.label
        if is_period(label) or (named.row.empty and not spell_of(sheet, named.row)):
            named = None  # another period, or a heading among rows of periods: that of the period says something
    alike = False
    if named is not None:
        best, alike = under_asked(rows, named.row, frozenset(question.words))
        named = named._replace(row=best)
    found = [] if named is None else [named.row]
    when = extreme_period(sheet, named.row, question, wish, year) if named is not None else []
    extreme = extreme_row(sheet, rows, question, wish, year) if wish.extreme and not when else []
    found = extreme or found
    if of_whom is not None and of_whom.row is not None and of_whom.row.number not in [row.number for row in found]:
        found = [of_whom.row]
    if not found and of_period is not None:
        found = [of_period]
        question = replace(question, periods=())  # the columns are of other things than years
    beside: Column | None = None
    if not found and (keyed := keyed_row(sheet, question)) is not None:
        found = [keyed]
        question = replace(question, periods=())
    elif not found and (told_beside := row_beside(sheet, rows, question)) is not None:
        found, beside = [told_beside[0]], told_beside[1]
    only = of_whom is not None and found == [of_whom.row]
    by_year = bool(found) and not extreme and named is None and beside is None and not only
    if not found and not _BY.search(question.text) and _measured(question, said):
        sums = [row for row in rows if is_sum(row.label) and not row.empty]
        found = sums if len(sums) == 1 else []
    if not found and table.rows == heads + 1 and not rows:
        found = [Row(heads, "", -1, "", False)]
    if not found:
        return Told(None)
    row = found[0]
    if of_whom is not None and row.number not in of_whom.numbers:
        return Told(None)
    if not wish.change and speaks_of_change(row.group):  # a change of it, and not what there is
        return Told(None)
    spell = spell_of(sheet, row) if not extreme and row.label else None
    if spell is not None:
        if row.empty and named is not None:  # it does say something: below it
            named = named._replace(score=named.score / EMPTY)
        row, question = in_spell(spell, row, question)
    every = columns_of(sheet, row)
    if spell is not None:
        every = [c for c in every if c.place != spell.col] or every
    label = f"{row.group} {row.label}"
    if speaks_of_change(row.label):  # "GDP growth" is the row, and no change of its
        wish = wish._replace(change=False)
    chosen = when or ([beside] if beside is not None else columns_asked(every, question, wish, year, label))
    told = chosen or without_notes(every)
    if not chosen and asks_number(question.text):
        told = [c for c in told if DIGITS.search(c.value)]
    if not told or (not chosen and not row.label):
        return Told(None)
    if by_year and not chosen and not speaks_of(said, telling(question) - tokens_of(row.label)):
        return Told(None)
    told = told if len(told) < 2 or _BY.search(question.text) else narrowed(told, question, label)
    unit = unit_of(told, every, row.label, row.group, [*_stub(paths), about, *above])
    if spell is not None and len(both := [y for y in years if y in spell.rows]) > 1:
        told = in_years(sheet, spell, row, told, both)
    if asks_amount(question.text) and all(sort_of(c.value) == "words" and not DIGITS.search(c.value) for c in told):
        return Told(None)
    if says_no_more(told, sheet, row, question) or not in_months(
        told, sheet.grid[row.number], (about, *above), question
    ):
        return Told(None)
    answer = Answer(label_of(row, rows), tuple(c.name for c in told), tuple(c.value for c in told), unit)
    idle = (wish_words(question.text) | context).union(*(tokens_of(c.name) for c in chosen))
    if of_months(every, question.text):
        idle |= month_words(question.text)
    fit = EXTREME if extreme else 0.0 if named is None else named.share(idle)
    if only and (asked_of := telling(question) - idle):
        fit = len(tokens_of(row.label) & asked_of) / len(asked_of)
    fit *= ALIKE if alike and not extreme else 1.0
    if by_year and chosen:
        fit = _share_said(chosen[0], question)
    asks = wish.change or wish.share or bool(wish.moments) or bool(question.years)
    there = 1.0 if chosen and met(chosen, question, wish, year) else OPEN if not asks else MISSED
    parent = _names_parent(" ".join((about, *above))) and not _names_parent(question.text)
    elsewhen = (
        _elsewhen(table, every, question, year) if spell is None else bool(asked) and asked.isdisjoint(spell.rows)
    )
    page = next((cell.page for cell in table.cells if cell.row == row.number and cell.page), 0)
    return Told(answer, fit * there * (OTHERS if parent else 1.0), elsewhen, page)


def _share_said(column: Column, question: Question) -> float:
    """How much of a column's head is asked for: all of "Grade > 9", not of "Public > 9–12"."""
    head = tokens_of(column.name)
    return len(head.intersection(question.words)) / len(head) if head else 0.0


def _names_parent(text: str) -> bool:
    plain = text.lower()
    return any(word in plain for word in ("母公司", "parent", "registrant")) and bool(_PARENT.search(text))


def _elsewhen(table: Table, columns: Sequence[Column], question: Question, year: int | None) -> bool:
    """Whether columns are of years, and none is asked for, and the table says no such year elsewhere."""
    if not question.years or year in question.years:
        return False
    told = frozenset[int]().union(*(years_of(c.path, year) for c in columns))
    return bool(told) and told.isdisjoint(question.years) and not years_in(table, question)


def lines_above(block: Block) -> list[str]:
    """What a table stands under, the nearest first: the lines above its head, and its headings."""
    lines = [line for line in block.text.splitlines()[:CAPTIONS] if " | " not in line]
    return [*reversed(lines), *reversed(block.headings)]


def _stub(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return paths[0] if paths else ()


def _measured(question: Question, said: frozenset[str]) -> bool:
    """Whether a caption or a column's head says an item that the question names, in any of its forms."""
    return any(form and form <= said for unit in question.units for form in (unit.words, *unit.forms))


def years_in(table: Table, question: Question) -> tuple[int, ...]:
    """The question's years that stand in the table's cells."""
    if not question.years:
        return ()
    text = " ".join([c.text for c in table.cells])
    return tuple(y for y in question.years if str(y) in text)


def whole(parts: Sequence[Block]) -> Table | None:
    """One table of all parts (in order), the header rows that later parts repeat left out.

    Cells have the box that they have on their own page, and tell which one that is.
    """
    placed = [(p.table, p.page) for p in parts if p.table is not None]
    if not placed:
        return None
    first = placed[0][0]
    header = [_head(row) for row in first.grid()[: first.header_rows()]]
    cells: list[Cell] = []
    rows = 0
    for table, page in placed:
        skip = 0
        if rows:
            grid = table.grid()
            while skip < min(len(header), table.rows) and _head(grid[skip]) == header[skip]:
                skip += 1
        down = rows - skip
        moved = [
            (c.row + down, c.col, c.text, c.bbox, c.rowspan, c.colspan, c.header) for c in table.cells if c.row >= skip
        ]
        cells += make_cells(moved, page=page)
        rows += table.rows - skip
    return Table(rows, max(t.cols for t, _ in placed), tuple(cells))


def joined_text(parts: Sequence[Block]) -> str:
    """The text of all parts of a table (in order), the head told once; nothing else that is said twice is left out."""
    return "\n".join([parts[0].text, *(further(parts[0], part) for part in parts[1:])]) if parts else ""


def further(first: Block, part: Block) -> str:
    """The text of a further part without the caption and head that it repeats of the `first`."""
    said, lines = first.text.splitlines(), part.text.splitlines()
    same = 0
    while same < min(len(said), len(lines) - 1) and _line(lines[same]) == _line(said[same]):
        same += 1
    deep = first.table.header_rows() if first.table is not None else 0
    if same < min(deep, len(lines) - 1):
        above = [_line(line) for line in said[: deep + CAPTIONS]]
        while same < min(deep, len(lines) - 1) and _line(lines[same]) in above:
            same += 1
    return "\n".join(lines[same:])


def _line(text: str) -> str:
    return " | ".join(_head(text.split(" | ")))


def _head(row: Sequence[str]) -> list[str]:
    """A header row as it is compared: without case, blanks and what says that it goes on."""
    return [" ".join(_ended(text).split()) for text in row]


def _ended(text: str) -> str:
    plain = text.casefold()
    if "cont" in plain or "续" in plain or "續" in plain:  # the pattern takes ten times as long
        return _GOES_ON.sub("", text).casefold()
    return plain
