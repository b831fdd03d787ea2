"""Columns headed by months, and the months that a question names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from h3cold.recall.understand import tokens_of

if TYPE_CHECKING:
    from h3cold.recall.table_columns import Column

_SHORT = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_YEAR = r"(?:(?:(?:19|20)\d\d|['’]?\d\d)年?)?"
_HAN = "一二三四五六七八九十"
_HEAD = re.compile(
    rf"{_YEAR}[\s,/–-]*(?:(?P<name>{_NAME})\b\.?|(?P<number>1[0-2]|0?[1-9]|十[一二]?|[{_HAN}])\s*月份?)[\s,/–-]*{_YEAR}",
    re.IGNORECASE,
)
_ASKED = re.compile(
    rf"(?P<at>\b(?:in|of|for|during|since|by|from|to|through|until|and|between)\s+)?\b(?P<name>{_NAME})\b"
    rf"|(?<![\d个])(?P<number>1[0-2]|0?[1-9]|十[一二]?|[{_HAN}])\s*月(?!\s*\d)",
    re.IGNORECASE,
)
_UP_TO = re.compile(r"\s*(?:to|through|until|[-–—~至到])\s*", re.IGNORECASE)


def of_months(columns: Sequence[Column], text: str) -> list[Column]:
    """The columns of the months that a question names; none where it names none, or not several are headed by one."""
    asked = months_asked(text)
    if not asked:
        return []
    months = list(map(headed_by_month, columns))
    if len(set(months) - {0}) < 2:
        return []
    return [c for c, month in zip(columns, months, strict=True) if month in asked]


def headed_by_month(column: Column) -> int:
    """The month that heads a column, from 1; 0 for none."""
    return next((month for step in reversed(column.path) if (month := _headed(step))), 0)


@lru_cache(maxsize=1 << 8)
def month_words(text: str) -> frozenset[str]:
    """The search tokens of the months that a text names."""
    return frozenset().union(*(tokens_of(found.group()) for found in _ASKED.finditer(text)))


def named_months(text: str) -> frozenset[int]:
    """The months whose names a text has, from 1, whatever they are there: of a table, "May" is no verb."""
    return frozenset(map(_month, _ASKED.finditer(text)))


@lru_cache(maxsize=1 << 12)
def _headed(step: str) -> int:
    """The month that a head is and no more, from 1; 0 for none."""
    found = _HEAD.fullmatch(step.strip())
    return _month(found) if found else 0


@lru_cache(maxsize=1 << 8)
def months_asked(text: str) -> frozenset[int]:
    """The months that a question names, all of them from one to another.

    In small letters, and where a sentence begins, a name counts behind a preposition only: "may" is a word, too.
    """
    out: set[int] = set()
    last, end = 0, 0
    for found in _ASKED.finditer(text):
        start = found.start("name") if found["name"] else found.start("number")
        if found["name"] and not found["at"] and (start == 0 or text[start].islower()):
            continue
        month = _month(found)
        if last and _UP_TO.fullmatch(text[end:start]):
            out.update(range(last + 1, month))
        out.add(month)
        last, end = month, found.end()
    return frozenset(out)


def _month(found: re.Match[str]) -> int:
    if found["name"]:
        return _SHORT.index(found["name"][:3].lower()) + 1
    said = found["number"]
    return int(said) if said.isdigit() else sum(_HAN.index(sign) + 1 for sign in said)


_DAY = re.compile(
    rf"(?<!\d)(?P<y>(?:19|20)\d\d)\s*[-/.年]\s*(?P<m>1[0-2]|0?[1-9])\s*[-/.月]\s*(?P<d>3[01]|[12]\d|0?[1-9])(?!\d)"
    rf"|(?<!\d)(?P<d1>3[01]|[12]\d|0?[1-9])\.\s?(?P<m1>1[0-2]|0?[1-9])\.\s?(?P<y1>(?:19|20)\d\d)(?!\d)"
    rf"|\b(?P<n2>{_NAME})\.?\s+(?P<d2>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?,?\s+(?P<y2>(?:19|20)\d\d)(?!\d)"
    rf"|(?<!\d)(?P<d3>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?\s+(?P<n3>{_NAME})\.?,?\s+(?P<y3>(?:19|20)\d\d)(?!\d)",
    re.IGNORECASE,
)


@lru_cache(maxsize=1 << 12)
def days_in(text: str) -> frozenset[tuple[int, int, int]]:
    """The days that a text names, as year, month and day: 24.02.2015, 2015-02-24, Feb 24, 2015, 2015年2月24日."""
    out = set()
    for found in _DAY.finditer(text):
        said = {key[0]: value for key, value in found.groupdict().items() if value}
        month = int(said["m"]) if "m" in said else _SHORT.index(said["n"][:3].lower()) + 1
        out.add((int(said["y"]), month, int(said["d"])))
    return frozenset(out)
