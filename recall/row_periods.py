"""Rows of a table that are told by when: those labelled with a period, and those of a label that stands but once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from h3cold.recall.months import days_in, named_months
from h3cold.recall.periods import ORDINALS
from h3cold.recall.table_columns import Column, Sheet, columns_of
from h3cold.recall.table_rows import Row
from h3cold.recall.understand import Question

_BARE_YEAR = re.compile(r"^\s*(?:FY\s?)?((?:19|20)\d\d)\s*(?:年度?)?\s*$", re.IGNORECASE)
_DIGIT = re.compile(r"\d")

MOST_YEARS = 24
"""Rows of years that a label stands above or beside, at most."""

_QUARTER = re.compile(
    r"(?<![A-Za-z\d])Q(?P<a>[1-4])(?!\d)|(?<![\d.,])(?P<b>[1-4])Q(?![A-Za-z])"
    r"|\b(?P<c>1st|2nd|3rd|4th|first|second|third|fourth)[\s-]+(?:fiscal\s+)?(?:quarter|qtr|Q)(?![a-z])\.?"
    r"|(?:第\s*)?(?P<d>[一二三四1-4])\s*季度?",
    re.IGNORECASE,
)
_HALF = re.compile(
    r"(?<![A-Za-z\d])H(?P<a>[12])(?!\d)|(?<![\d.,])(?P<b>[12])H(?![A-Za-z])"
    r"|\b(?P<c>1st|2nd|first|second)[\s-]+half\b|(?P<d>上|下)半年",
    re.IGNORECASE,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_YEAR = r"(?:(?:19|20)\d\d|['’]\d\d|(?<=-)\d\d)(?!\d)"
_MONTH = re.compile(
    rf"\b(?P<a>{_NAME})(?=[\s,/–-]*(?:of\s+)?(?:FY\s*)?{_YEAR})|(?<=\d\d)[\s,/–-]*(?P<b>{_NAME})(?!\s*\d{{1,2}}\b)"
    r"|(?<![\d至-])(?P<c>1[0-2]|0?[1-9])\s*月(?:份)?(?!\s*\d{1,2}\s*日)"
    r"|(?<=(?:19|20)\d\d[-/.])(?P<d>1[0-2]|0?[1-9])(?![-/.]?\d)",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"(?<!\d)((?:19|20)\d\d)(?!\d)|\bFY\s?['’]?(\d\d)(?!\d)|['’](\d\d)(?!\d)|(?<=[A-Za-z]-)(\d\d)(?!\d)"
    r"|(?<=[1-4]Q)(\d\d)(?!\d)|(?<!\d)([0-3]\d)(?=财?年)",
    re.IGNORECASE,
)
_ONE_MONTH = re.compile(
    rf"(?P<m>1[0-2]|0?[1-9]|{_NAME})[\s/]*0?1\s*[,/]?\s*(?:(?:19|20)?\d\d)?\s*(?:to|through|and|[-–—])\s*(?:(?P=m)[\s/]*)?"
    r"(?:2[89]|3[01])\s*[,/]?\s*(?P<y>(?:19|20)?\d\d)",
    re.IGNORECASE,
)
"""A month told by its days: "between 1/1/2019 and 1/31/2019", "January 1 – 31, 2019"."""
_SLASHED = re.compile(r"(?<![\d/])(1[0-2]|0?[1-9])/(?:3[01]|[12]\d|0?[1-9])/(?:\d\d)?\d\d(?!\d)")
_DAY_OF = re.compile(rf"\d\s*(?:of\s+)?{_NAME}|\bend of|月份?[末底]", re.IGNORECASE)
_AROUND = re.compile(
    r"\b(?:FY(?![a-z])|(?:fiscal|year|total|ttl|subtotal)\b)|财年|会计年度|年度|年末|年份?|合计|总计|小计|[\s,./()（）–-]",
    re.IGNORECASE,
)
"""What may stand about the period that a row is labelled with."""


class When(NamedTuple):
    """What a label or a question says of when: its years and its parts of a year ("Q3", "H1", "M8")."""

    years: frozenset[int]
    parts: frozenset[str]


@lru_cache(maxsize=1 << 12)
def parts_said(text: str) -> frozenset[str]:
    """The quarters, halves and months that a text says: "Q3" of 3Q, 3rd quarter and 第三季度, "M8" of Aug-2015 and 8月.

    A month's name counts beside a year only: "may" is a word, too.
    """
    return frozenset(part for part, _, _ in _parts(text))


@lru_cache(maxsize=1 << 8)
def part_words(text: str) -> frozenset[str]:
    """The search tokens of the quarters, halves and months that a text says."""
    from h3cold.ingest.tokens import lexical

    return frozenset(token for _, start, end in _parts(text) for token in lexical(text[start:end]))


def _parts(text: str) -> Iterator[tuple[str, int, int]]:
    for kind, pattern in (("Q", _QUARTER), ("H", _HALF)):
        for m in pattern.finditer(text):
            said = next(group for group in m.groups() if group).lower()
            yield f"{kind}{ORDINALS.get(said) or (1 if said == '上' else 2)}", m.start(), m.end()
    for m in _ONE_MONTH.finditer(text):
        yield _month(m["m"]), m.start(), m.end()
    for m in _MONTH.finditer(text):
        yield _month(next(group for group in m.groups() if group)), m.start(), m.end()


def _month(said: str) -> str:
    return f"M{int(said) if said.isdigit() else _MONTHS.index(said[:3].lower()) + 1}"


def _year(digits: str) -> int:
    return int(digits) if len(digits) > 2 else 2000 + int(digits)


@lru_cache(maxsize=1 << 12)
def _labelled(label: str) -> When | None:
    """The period that a label is, and no more: FY2015, "FY15 3rd Q TTL", Aug-2015, 2015年8月. None where it is more."""
    if not (_DIGIT.search(label) or "季" in label or "uarter" in label):
        return None
    if days := _ONE_MONTH.fullmatch(label.strip()):
        return When(frozenset({_year(days["y"])}), frozenset({_month(days["m"])}))
    rest, years, parts = list(label), set(), set()
    for m in _WHOLE.finditer(label):
        years.add(_year(next(filter(None, m.groups()))))
        rest[m.start() : m.end()] = " " * len(m.group())
    for part, start, end in _parts(label):
        parts.add(part)
        rest[start:end] = " " * (end - start)
    if not (years or parts) or _AROUND.sub("", "".join(rest)):
        return None
    return When(frozenset(years), frozenset(parts))


def row_of_period(sheet: Sheet, question: Question) -> Row | None:
    """The one row that is labelled with the period asked for: with its year where no column is headed by one.

    A quarter, half or month is that however it is written. Rows of a year alone count where no part of one is asked
    for, or no row is of any.
    """
    years = frozenset(question.years)
    if not years or any(str(y) in step for y in years for path in sheet.paths for step in path):
        return None
    grid, parts = sheet.grid, parts_said(question.text)
    dated = [(n, said) for n in range(sheet.heads, len(grid)) if (said := _labelled(grid[n][0])) is not None]
    dated = [(n, said) for n, said in dated if len(said.years) == 1 and said.years <= years]
    if parts and not any(said.parts for _, said in dated):
        parts = frozenset()
    found = [n for n, said in dated if said.parts == parts]
    return Row(found[0], " ".join(grid[found[0]][0].split()), 0, "", False) if len(found) == 1 else None


def in_months(told: Sequence[Column], cells: Sequence[str], above: Iterable[str], question: Question) -> bool:
    """Whether a row's columns are of the months that a question names; True where it names none, or a day
    (a balance of the end of one may stand under another saying).

    Heads, cells of the row, or what stands above the table say so.
    """
    asked = {part for part in parts_said(question.text) if part.startswith("M")}
    if not asked or days_in(question.text) or _DAY_OF.search(question.text):
        return True
    said = " ; ".join((*(c.name for c in told), *cells, *above))
    months = {f"M{month}" for month in _months_in(said)} | parts_said(said)
    return bool(asked & months)


def _months_in(text: str) -> set[int]:
    """The months that a text names, or names days of."""
    return {*named_months(text), *(month for _, month, _ in days_in(text)), *map(int, _SLASHED.findall(text))}


def is_period(label: str) -> bool:
    """Whether a label is a period and no more."""
    return _labelled(label) is not None


class Spell(NamedTuple):
    """Rows of one label, each of a year: the column in which the years stand, and the rows by year, as they come."""

    col: int
    rows: dict[int, int]


def spell_of(sheet: Sheet, row: Row) -> Spell | None:
    """The rows of a label that is told once, beside the first of several years or above them; None where it is not.

    They end at the next label; below a row that has but a label, at the next one after those that go on with it (a
    name, then in several lines what the person is).
    """
    grid, heads = sheet.grid, sheet.heads
    below = [row.number]
    begun = not row.empty
    for number in range(row.number + 1, min(len(grid), row.number + MOST_YEARS)):
        labelled = bool(grid[number][row.col].strip()) and grid[number][row.col] != grid[row.number][row.col]
        if labelled and begun:
            break
        begun = begun or any(text.strip() for col, text in enumerate(grid[number]) if col != row.col)
        below.append(number)
    for col in range(len(grid[heads]) if heads < len(grid) else 0):
        told = [(found[1], n) for n in below if col != row.col and (found := _BARE_YEAR.match(grid[n][col]))]
        if len(told) > 1 and len(told) == sum(bool(grid[n][col].strip()) for n in below):
            return Spell(col, {int(y): n for y, n in reversed(told)})
    return None


def in_spell(spell: Spell, row: Row, question: Question) -> tuple[Row, Question]:
    """The row of the first year that is asked for, else of the first that there is, and the question without years."""
    year = next((y for y in question.years if y in spell.rows), None)
    number = min(spell.rows.values()) if year is None else spell.rows[year]
    row = row._replace(number=number, empty=False, paired=False)
    return row, question if year is None else replace(question, periods=())


def in_years(sheet: Sheet, spell: Spell, row: Row, told: Sequence[Column], years: Sequence[int]) -> list[Column]:
    """The columns that are `told` of one year of a spell in each of several years, which stands above their heads."""
    places = {c.place for c in told}
    every = ((year, columns_of(sheet, row._replace(number=spell.rows[year]))) for year in years)
    return [c._replace(path=(str(year), *c.path)) for year, found in every for c in found if c.place in places]
