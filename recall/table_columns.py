"""The columns of a table's row by name, and those that a question asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from h3cold.recall.cells import is_number, says_nothing
from h3cold.recall.head_words import is_whole, led_to
from h3cold.recall.heads_said import head_tokens, heads_joined, over_all
from h3cold.recall.periods import YEAR, Period, find_periods
from h3cold.recall.table_rows import SUMS, Row, tells_sum
from h3cold.recall.understand import Question, tokens_of
from h3cold.recall.wishes import Wish, is_change, is_reason, is_share, moments
from h3cold.schemas.page import Table

NAMED = 0.5
"""Share of a head's own words that the question must hold for the column to be asked for."""

MOST_HEADS = 8
"""Rows that a head has at most."""

_SIGN = re.compile(r"^(?:[$¥€£￥]|US\$|HK\$|RMB|[(（])$")
_CLOSING = re.compile(r"^[%％)）]+$")
_TOTAL = re.compile("总(?![经裁监理部会])")
_NOTE = re.compile(r"^(?:附注|注释|注|notes?|ref(?:erence)?\.?|no\.)$", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_DATE = re.compile(
    r"(?:19|20)\d\d|\d{1,2}(?=\s*月)|(?<=月)\s*\d{1,2}(?=\s*日)|\d{1,2}\s*[-–—至]\s*\d{1,2}\s*月|(?<=前)\s*\d{1,2}(?=\s*名)"
    r"|(?:january|february|march|april|may|june|july|august|september|october|november|december|[a-z]{3}\.)\s+\d{1,2}(?!\d)"
    r"|\bQ[1-4]\b|\([1-9a-z]\)",
    re.IGNORECASE,
)


class Sheet(NamedTuple):
    """A table as it is read: its texts by row and column, the rows of its head, what stands above each column.

    `inner` is what was found of rows below: whether they head columns.
    """

    table: Table
    grid: list[list[str]]
    heads: int
    paths: list[tuple[str, ...]]
    inner: dict[int, bool]


class Column(NamedTuple):
    """What stands in a row under one head: the head's steps from the top (none: no head), its place, the value."""

    path: tuple[str, ...]
    place: int
    value: str

    @property
    def name(self) -> str:
        """The head as it is told, else "column N", N from 1."""
        return " > ".join(self.path) or f"column {self.place + 1}"


def sheet_of(table: Table) -> Sheet:
    """A table made out once for all that is asked of it."""
    grid = table.grid()
    heads = _deep(table, grid)
    return Sheet(table, grid, heads, _head_paths(table, heads), {})


def _deep(table: Table, grid: Sequence[Sequence[str]]) -> int:
    """Rows of the head: those marked, and the rows below them that have neither an amount nor a label of their own.

    Where none is marked, the first rows if they could be one: years and words in several columns, no amounts.
    """
    marked = table.header_rows()
    marked = next((n for n in range(1, marked) if grid[n][0].strip() and not _could_head(grid[n])), marked)
    heads = marked
    while (
        heads < min(len(grid) - 1, MOST_HEADS) and _could_head(grid[heads]) and not (marked and grid[heads][0].strip())
    ):
        heads += 1
    return heads if heads < len(grid) and (marked or heads == 1 or any(map(_amounts, grid[heads:]))) else marked


def _could_head(row: Sequence[str]) -> bool:
    """Whether a row could head columns: words, years or dates beside one another, no amounts."""
    plain = [text.strip() for text in row]
    if not any(plain[1:]):
        return False
    for text in plain:
        if _DIGIT.search(text) and _DIGIT.search(_undated(text)):
            return False
    return len(set(filter(None, plain))) > 1 - (not plain[0])


@lru_cache(maxsize=1 << 12)
def _undated(text: str) -> str:
    return _DATE.sub("", text)


def _amounts(row: Sequence[str]) -> bool:
    return any(is_number(text) for text in row)


def _head_paths(table: Table, heads: int) -> list[tuple[str, ...]]:
    """What stands above each column, from the top down; a head over several columns is above each of them."""
    paths: list[list[str]] = [[] for _ in range(table.cols)]
    for cell in sorted((c for c in table.cells if c.row < heads and c.text.strip()), key=lambda c: c.row):
        text = " ".join(cell.text.split())
        for path in paths[cell.col : cell.col + cell.colspan]:
            if text not in path[-1:]:
                path.append(text)
    return [tuple(path) for path in paths]


def _paths_at(sheet: Sheet, row: int) -> list[tuple[str, ...]]:
    """What stands above each column of a row: a head among the rows above counts for the columns that it names.

    One right below the table's head goes on with it: units, or the lower half of the heads.
    """
    inner = next((n for n in range(row - 1, sheet.heads - 1, -1) if _heads_columns(sheet, n)), None)
    if inner is None:
        return sheet.paths
    paths = list(sheet.paths)
    for cell in sheet.table.cells:
        if cell.row == inner and cell.text.strip():
            for col in range(cell.col, min(cell.col + cell.colspan, len(paths))):
                text = " ".join(cell.text.split())
                over = paths[col] if inner == sheet.heads else ()
                paths[col] = over if text in over else (*over, text)
    return paths


def _heads_columns(sheet: Sheet, number: int) -> bool:
    """Whether a row below the head heads columns: years or dates beside each other, or words in three columns."""
    known = sheet.inner.get(number)
    if known is None:
        known = sheet.inner[number] = _inner_head(sheet.grid[number])
    return known


def _inner_head(row: Sequence[str]) -> bool:
    if not _could_head(row):
        return False
    dated = sum(bool(YEAR.search(t) or moments(t)) for t in row[1:])
    return sum(map(bool, map(str.strip, row))) > 2 or dated > 1 or (dated > 0 and not row[0].strip())


def columns_of(sheet: Sheet, row: Row) -> list[Column]:
    """What stands beside a row's label, each with its head; signs that have a column of their own join their amount."""
    paths = _paths_at(sheet, row.number)
    out: list[Column] = []
    sign: Column | None = None
    for col, text in enumerate(sheet.grid[row.number]):
        value = " ".join(text.split())
        if col == row.col or not value or (col < row.col and (row.paired or not is_number(value))):
            continue
        if row.paired and out and not is_number(value) and not says_nothing(value):
            break  # the next label
        path = paths[col]
        if _SIGN.match(value):
            sign = Column(path, col, value)
            continue
        if sign is not None:
            path, value, sign = path or sign.path, f"{sign.value} {value}", None
        if out and (_CLOSING.match(value) or (path and out[-1].path == path)):
            out[-1] = out[-1]._replace(value=f"{out[-1].value} {value}")
            continue
        out.append(Column(path, col, value))
    return out


@lru_cache(maxsize=1 << 10)
def year_told(period: str | None) -> int | None:
    """The year of a document's period ("FY2023", "2018Q1"), None where it has none."""
    found = find_periods(period or "")
    return found[0].year if found else None


def years_of(path: Sequence[str], year: int | None) -> frozenset[int]:
    """The years that a head speaks of; `year` is that of the document, for "本期" and "prior year"."""
    text = " ".join(path)
    found: set[int] | frozenset[int] = _years_told(text)
    if not found and year is not None and not is_change(text):
        when = moments(text)
        found = {year - 1} if "before" in when or "start" in when else {year} if "this" in when else set()
    return frozenset(found)


@lru_cache(maxsize=1 << 12)
def _years_told(text: str) -> frozenset[int]:
    """The years that stand in a head; many tables have the same."""
    return frozenset({int(y) for y in YEAR.findall(text)} or {p.year for p in _periods_told(text)})


@lru_cache(maxsize=1 << 12)
def _periods_told(text: str) -> tuple[Period, ...]:
    return tuple(find_periods(text))


def asked_columns(
    columns: Sequence[Column], question: Question, wish: Wish, *, year: int | None, label: str
) -> list[Column]:
    """Of a row's columns those that the question names, by period, by change, by their heads' words; else none."""
    if wish.reason and (told := [c for c in columns if is_reason(c.name) and not says_nothing(c.value)]):
        return told
    if joined := heads_joined(_dated(columns, question, wish, year) or columns, question.text, tokens_of(label)):
        return joined
    whole = _named(columns, question, tokens_of(label), least=1.0)
    if whole and not any(is_change(" ".join(c.path)) for c in whole):
        columns = whole
    if wish.change:
        changes = [c for c in columns if is_change(" ".join(c.path))]
        rates = [c for c in changes if is_share(c.name) or c.value.endswith(("%", "％"))]
        if changes:
            return rates if wish.share and rates else changes
    if len(whole) == 1 and not wish.share and head_tokens(whole[0].path) <= SUMS:
        return whole
    plain = [c for c in columns if not is_change(" ".join(c.path))]
    chosen = _dated(plain, question, wish, year) or _momentary(plain, wish)
    named = _named(chosen or columns, question, tokens_of(label))
    chosen = named or chosen
    if wish.share:
        rates = [c for c in chosen or columns if is_share(c.name) or c.value.endswith(("%", "％"))]
        chosen = rates if 0 < len(rates) < len(chosen or columns) else chosen
    return chosen


def met(chosen: Sequence[Column], question: Question, wish: Wish, year: int | None) -> bool:
    """Whether columns are those of the change, else of the years, else of the share that is asked for."""
    if wish.reason and all(is_reason(c.name) for c in chosen):
        return True
    if wish.change:
        return any(is_change(" ".join(c.path)) for c in chosen)
    if question.years:
        return set(question.years) <= frozenset().union(*(years_of(c.path, year) for c in chosen))
    return not wish.share or any(is_share(c.name) or c.value.endswith(("%", "％")) for c in chosen)


def _dated(columns: Sequence[Column], question: Question, wish: Wish, year: int | None) -> list[Column]:
    asked = set(question.years)
    if wish.change and len(asked) == 1:
        asked |= {y - 1 for y in asked}
    found = [c for c in columns if asked & years_of(c.path, year)]
    if "before" not in wish.moments and "start" not in wish.moments:
        parts = {p.part for p in question.periods if p.part}
        exact = [c for c in found if parts & {p.part for p in _periods_told(" ".join(c.path))}]
        return exact or found
    return [c for c in found if wish.moments & moments(" ".join(c.path))] or found


def _momentary(columns: Sequence[Column], wish: Wish) -> list[Column]:
    """Columns of the time that is named without a date: of all that the most is said of."""
    wanted = set(wish.moments)
    wanted |= {"start"} if {"before", "end"} <= wanted else set()
    scores = [len(wanted & moments(" ".join(c.path))) for c in columns]
    best = max(scores, default=0)
    return [c for c, score in zip(columns, scores, strict=True) if score == best] if best else []


def _named(
    columns: Sequence[Column], question: Question, label: frozenset[str], *, least: float = NAMED
) -> list[Column]:
    """Columns whose heads the question's words name, beyond those that name the row or stand over all of them.

    A long head counts, too, that says all that the best one does and more: "combined response rate" asks for none of
    students' response rates beside "Combined school participation and student response rate".
    """
    over = over_all([c.path for c in columns])
    heads = [head_tokens(tuple([step for step in c.path if step not in over])) for c in columns]
    shared = frozenset.intersection(*heads) if len(heads) > 1 else frozenset()
    every = frozenset[str]().union(*heads) - shared
    if not every:
        return []
    own = frozenset(question.words) - label - {str(y) for y in question.years}
    above = head_tokens(over)
    known = label | above
    forms = [form for unit in question.units for form in unit.forms if form <= every and not unit.words <= known]
    scores, saying = [], []
    for head, column in zip(heads, columns, strict=True):
        telling = head - shared
        said = (telling & own).union(*(form for form in forms if form <= telling))
        said = said - above if is_whole(column.path) else said  # "JAL total" under "JAL" is no more of it than others
        saying.append(said)
        last = head_tokens(column.path[-1:]) - shared
        enough = len(said) >= least * len(telling) or (len(column.path) > 1 and bool(last) and last <= said)
        scores.append(len(said) / len(telling) * len(said) if telling and enough else 0.0)
    best = max(scores, default=0.0)
    found = [c for c, score in zip(columns, scores, strict=True) if score == best] if best else []
    if best and least < 1.0:
        more = [said for said in saying if said > saying[scores.index(best)]]
        most = max(more, key=len, default=None)
        found = [c for c, said in zip(columns, saying, strict=True) if said == most] or found
    if len(found) > 1 and (tells_sum(question.text) or _TOTAL.search(question.text)):  # the sum before a part
        sums = [c for c in found if any(map(tells_sum, c.path))]
        return sums or [c for c in columns if head_tokens(c.path) and head_tokens(c.path) <= SUMS] or found
    return found


def without_notes(columns: Sequence[Column]) -> list[Column]:
    """The columns that say something of themselves: no numbers of notes, no dashes alone where others have more."""
    kept = [c for c in columns if not (c.path and _NOTE.match(c.path[-1].strip()))]
    return [c for c in kept if not says_nothing(c.value)] or kept or list(columns)


def narrowed(columns: Sequence[Column], question: Question, label: str) -> list[Column]:
    """Of columns that answer alike those that the question leads to, else the sums of the others, else all of them.

    Sums only where the question says no part of another's head; `label` is the row's, whose words tell no column.
    """
    if len(heads_joined(columns, question.text, tokens_of(label))) == len(columns):
        return list(columns)
    words = frozenset(question.words) - tokens_of(label) - {str(y) for y in question.years}
    led = [columns[n] for n in led_to([c.path for c in columns], words, question.text)] or list(columns)
    sums = [c for c in led if is_whole(c.path)]
    heads = [head_tokens(c.path) for c in led] if sums else []
    telling = frozenset[str]().union(*heads) - frozenset.intersection(*heads) if heads else words
    return sums if sums and telling.isdisjoint(words - SUMS) else led
