"""The unit that a table's values are in, as the table says it: thousands, 万元, %."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from h3cold.recall.cells import is_number
from h3cold.recall.label_text import BRACKETS
from h3cold.recall.periods import YEAR
from h3cold.recall.table_columns import Column

_HAN_UNIT = (
    r"(?:人民币|港|美|欧|日)?[十百千万亿]*(?:元|股|吨|人|户|家|次|倍|天|年|个|台|件|套|辆|公顷|亩|平方米|千瓦时|度"
    r"|公斤|千克|克|百分点)(?:[/／][^\s()（）|]{1,4})?"
)
_SCALE = r"(?:thousands?|millions?|billions?|trillions?|(?:\$|US\$)?\s*000['’]?s?)"
_MONEY = r"(?:USD|GBP|EUR|RMB|CNY|JPY|CHF|CAD|AUD|HKD|SGD|INR|(?:US|HK|A|C|S)?[$€£¥])"
_BRACKETED = re.compile(
    rf"[(（\[]\s*(?:单位[:：]\s*)?({_HAN_UNIT}|%|％|‰|(?:in\s+)?{_MONEY}?\s*{_SCALE}|{_MONEY}\s?(?:mn?|bn|k)|percent|days|times|tons?|tonnes|kg|km|years|months|shares"
    r"|in\s+(?:(?:rs\.?|lakh|crore|hundred|metric)s?\s*(?:of\s+)?)*(?:lakh|crore|rupee|tonne|ton|hectare|percent|dollar|euro|day|year)s?)\s*[)）\]]",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"(?<!编制)(?<!填报)(?<!主管)单位\s*[:：]\s*(?:人民币)?\s*([^\s|，,。；;（）()：:]{1,12})|(?:金额)?单位(?:均)?为\s*(?:人民币)?\s*([^\s|，,。；;（）()]{1,8})"
    rf"|\b(?:in|of)\s+((?:[A-Z]{{2,3}}\s+|US\$\s*|\$\s*)?{_SCALE})(?:\s+of\s+(?:US\s+|U\.S\.\s+)?(dollars|euros|yen|RMB|shares|units))?",
    re.IGNORECASE,
)
_PER_SHARE = re.compile(r"\bper\b|每股|[/／]股", re.IGNORECASE)
_BUT_PER_SHARE = re.compile(r"\bexcept\b[^)|]*\bper\b", re.IGNORECASE)
_UNIT_HEAD = re.compile(r"^(?:计量)?单位$|^units?$", re.IGNORECASE)


_MONEY_SCALE = re.compile(
    rf"(?<![A-Za-z])({_MONEY}\s?(?:in\s+)?(?:thousand|million|billion|trillion)s?)\b", re.IGNORECASE
)
"""A currency and its scale without a number between: "GBP million", no "GBP 120 million"."""

_CURRENCY = re.compile(rf"元|{_MONEY}|dollar|euro|yen|rupee", re.IGNORECASE)
_PERCENT = re.compile(r"[%％][\s)）]*$")
_PERCENT_HEAD = re.compile(r"^[%％]$|[(（]\s*[%％]\s*[)）]\s*$")
_OTHER = re.compile(
    r"年龄|性别|人数|员工(?:总)?数|户数|比例|占比|比重|率$|每股|倍数|次数|年份|日期"
    r"|\b(?:age|gender|sex|year|date|ratio|percent(?:age)?|meetings?|attend(?:ed|ance))\b"
    r"|\bper (?:\w+ )?share\b|\brates?$|\bheadcount\b|^%|%$"
    r"|\b(?:number|no\.?) of (?:employees|persons|people|staff|holders)\b",
    re.IGNORECASE,
)
"""Heads and labels of what has no unit of money: that of the table is not theirs."""

_SHARES = re.compile(
    r"股数|股份数|持股(?:数量)?$|\b(?:number|no\.) of (?:\w+ )?(?:shares|units|options)\b"
    r"|\bshares (?:held|owned|outstanding|beneficially)\b",
    re.IGNORECASE,
)


def unit_of(chosen: Sequence[Column], every: Sequence[Column], label: str, group: str, above: Sequence[str]) -> str:
    """The unit of the `chosen` values of a row, "" where none is told, they have several or are no numbers.

    What stands nearest counts: the value's own percent sign, a column of units, the column's head where that is one of
    shares, the row's label, the heads, the heading over the row, then `above`: the head's first cell, caption and lines
    above it, headings. What is said further off is none of ages, rates or numbers of people.
    """
    for column in every:
        if column.path and _UNIT_HEAD.match(column.path[-1].strip()):
            return column.value
    numbers = [c for c in chosen if is_number(c.value) or is_number(BRACKETS.sub("", c.value) or "-")]
    unsigned = [c for c in numbers if not _PERCENT.search(c.value)]  # a rate among amounts says what it is
    found = {_unit_of_one(c, every, label, group, above) for c in unsigned}
    if not unsigned:
        return "%" if numbers else ""
    return found.pop() if len(found) == 1 else ""


def _unit_of_one(column: Column, every: Sequence[Column], label: str, group: str, above: Sequence[str]) -> str:
    heads = [step.strip() for step in reversed(column.path)]
    if any(_PERCENT_HEAD.search(step) for step in heads[:1]):
        return "%"
    for text in (label, *heads, group):
        if found := _BRACKETED.search(text):
            return _plain(found[1])
    names = (label, *heads[:1])
    if any(map(_is_other, names)):
        return ""
    for text in (*reversed(heads), *above, *_over_years(column, every)):
        if unit := _said_in(text):
            if _BUT_PER_SHARE.search(text) and _PER_SHARE.search(f"{group} {label}"):
                return ""
            return "" if _CURRENCY.search(unit) and any(map(_is_of_shares, names)) else unit
    return ""


@lru_cache(maxsize=1 << 12)
def _said_in(text: str) -> str:
    """The unit that a head, a caption or a line above says; all tables of a report may stand under the same."""
    said = _SAID.search(text) or _BRACKETED.search(text) or _MONEY_SCALE.search(text)
    return _plain(" of ".join(part for part in said.groups() if part)) if said else ""


@lru_cache(maxsize=1 << 12)
def _is_other(name: str) -> bool:
    return bool(_OTHER.search(BRACKETS.sub(" ", name).strip()))


@lru_cache(maxsize=1 << 12)
def _is_of_shares(name: str) -> bool:
    return bool(_SHARES.search(BRACKETS.sub(" ", name).strip()))


def _over_years(column: Column, every: Sequence[Column]) -> list[str]:
    """Heads of other years beside a column of a year: a unit that slipped into one of them is that of all."""
    if not YEAR.search(" ".join(column.path)):
        return []
    return [step for other in every for step in other.path if YEAR.search(step) and _MONEY_SCALE.search(step)]


def _plain(text: str) -> str:
    return re.sub(r"^in\s+", "", " ".join(text.split()), flags=re.IGNORECASE)
