"""Years said from where the asker stands: "last year", 上年, "the year before", 近三年, "last quarter"."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple


class Now(NamedTuple):
    """Where documents stand in time: the newest year that they tell of, and the newest that is over.

    A report of a first quarter tells of a year that is not over: its last year is the one before. `parts` are the
    quarters and halves that the documents are of, as (year, "Q1").
    """

    year: int
    over: int
    parts: tuple[tuple[int, str], ...] = ()


_EN_YEAR = r"\s+(?:(?:fiscal|financial|calendar|reporting)\s+)?year(?!s|\w)"
_THIS = re.compile(rf"\b(?:this|current){_EN_YEAR}|今年|当年|本(?:会计|财政)?年度?|本财年", re.IGNORECASE)
_LAST = re.compile(
    rf"\b(?:last|past|latest|most\s+recent|newest){_EN_YEAR}|去年|最?近一(?:个(?:会计)?年度|年)|最新(?:一期|年度|一年)",
    re.IGNORECASE,
)
_PRIOR = re.compile(
    rf"\b(?:prior|previous|preceding){_EN_YEAR}|上(?:一个?|个)?(?:会计)?(?:年度?|财年)|\bprior[- ]year\b", re.IGNORECASE
)
"""The last year, too; but beside another year the one before that."""
_BEFORE = re.compile(
    r"\b(?:the\s+)?(?:year\s+(?:before|earlier|ago)(?:\s+last)?|two\s+years\s+ago)\b(?!\s+(?:the|its|his|her|their|it)\b)"
    r"|前年|前一年度?|上上年|上一?年的?前一年",
    re.IGNORECASE,
)
_QUARTER = re.compile(
    r"\b(?:last|latest|most\s+recent|this|current|past|prior|previous)\s+(?:fiscal\s+)?quarter(?!s|\w)"
    r"|(?:上|本|最近一?|最新)(?:一?个?)季度?(?![一-鿿]?度)",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"(?<![A-Za-z\d.])(?:Q(?P<q>[1-4])|(?P<q2>[1-4])Q|H(?P<h>[12])|(?P<h2>[12])H)(?![A-Za-z\d])"
    r"|\b(?P<q3>first|second|third|fourth)[\s-]quarter\b|\b(?P<h3>first|second)[\s-]half\b"
    r"|第?(?P<q4>[一二三四])季(?:度|报|末)|(?P<h4>上|下)半年",
    re.IGNORECASE,
)
"""A quarter or half without its year."""
_PARTS = {word: n for n, words in enumerate(("1 first 一 上", "2 second 二 下", "3 third 三", "4 fourth 四"), 1)
          for word in words.split()}  # fmt: skip
_SPAN = re.compile(
    r"\b(?:last|past|latest|most\s+recent|previous)\s+(?P<n>\d{1,2}|two|three|four|five|six|seven|eight|nine|ten)"
    r"\s+(?:fiscal\s+)?years\b|(?:最近|过去|近)(?P<h>\d{1,2}|[两二三四五六七八九十])(?:个(?:财年|会计年度)|年)",
    re.IGNORECASE,
)
_EVERY = (_THIS, _LAST, _PRIOR, _BEFORE, _QUARTER, _BARE, _SPAN)
_COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
_COUNTS |= {c: n for n, c in enumerate("二三四五六七八九十", 2)} | {"两": 2}
_MAX_SPAN = 12


def is_relative(text: str) -> bool:
    """Whether a text says a period from where its asker stands."""
    return any(pattern.search(text) for pattern in _EVERY)


def without_relative(text: str) -> str:
    """`text` without the words that say such periods."""
    for pattern in _EVERY:
        text = pattern.sub(" ", text)
    return text


def relative_periods(text: str, now: Now | None, years: Collection[int]) -> list[tuple[int, int, str, str]]:
    """Periods said so, as (start, year, part, as written), where `now` is known.

    去年, 上年, "last year" and "the prior year" are the newest year that is over, "this year" is the newest; where both
    are said, the last one is the one before this. A quarter or half beside them is of that year, one alone of the
    newest year that has a document of it. Beside `years` that the text names, "the prior year" is the one before them.
    """
    if now is None:
        return []
    if years:
        found = _PRIOR.search(text) or _BEFORE.search(text)
        return [(found.start(), max(years) - 1, "", found.group())] if found else []
    span = _SPAN.search(text)
    if span:
        number = (span["n"] or span["h"]).lower()
        count = min(_COUNTS.get(number) or int(number), _MAX_SPAN)
        return [(span.start(), year, "", span.group()) for year in range(now.over - count + 1, now.over + 1)]
    this, last, before = _THIS.search(text), _LAST.search(text) or _PRIOR.search(text), _BEFORE.search(text)
    over = min(now.over, now.year - 1) if this else now.over
    told = ((this, now.year), (last, over), (before, over - 1))
    bare = _BARE.search(text)
    if any(found for found, _ in told):
        part = _part(bare) if bare else ""
        return [(found.start(), year, part, found.group()) for found, year in told if found]
    quarter = _QUARTER.search(text)
    known = [(y, p) for y, p in now.parts if (quarter and p[0] == "Q") or (bare and p == _part(bare))]
    if bare and not known and now.parts:  # of documents of quarters, none of this one
        known = [(now.year, _part(bare))]
    said = quarter or bare
    return [(said.start(), *max(known), said.group())] if said and known else []


def _part(bare: re.Match[str]) -> str:
    for kind, groups in (("Q", ("q", "q2", "q3", "q4")), ("H", ("h", "h2", "h3", "h4"))):
        for group in groups:
            if bare[group]:
                return f"{kind}{_PARTS[bare[group].lower()]}"
    return ""
