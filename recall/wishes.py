"""What a question asks of a table beside its words: a change, a share, the largest, this period or the one before."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_CHANGE = re.compile(
    r"\b(?:chang(?:e|es|ed)|increas(?:e|es|ed)|decreas(?:e|es|ed)|declin(?:e|es|ed)|grow(?:s|n|th)?|grew|fell|fall(?:s|en)?"
    r"|drop(?:s|ped)?|rise|rose|risen|year[- ]over[- ]year|yoy|variance)\b"
    r"|同比|环比|增减|增长|增加|下降|减少|上升|变动|变化|增幅|降幅|涨幅|增速|下滑",
    re.IGNORECASE,
)
_CHANGE_HEAD = re.compile(
    r"\b(?:(?:%\s*)?chang(?:e|es)|increase|decrease|growth|variance|chg)\b"
    r"|(?:增减|变动|变化|增长|同比|增幅|增速)(?!原因|说明|情况)",
    re.IGNORECASE,
)
_SHARE = re.compile(
    r"%|\b(?:percent(?:age)?s?|share of|proportion|fraction|rate of)\b"
    r"|占比|比例|比重|百分|幅度?|增速|增长率|占[^，。？?]{1,16}(?:多少|几)",
    re.IGNORECASE,
)
_SHARE_HEAD = re.compile(r"%|\bpercent|占比|比例|比重|百分", re.IGNORECASE)
_WHY = re.compile(r"\b(?:why|reasons?|what (?:caused|drove|led to))\b|原因|为什么|为何|为啥|缘何", re.IGNORECASE)
_REASON_HEAD = re.compile(r"原因|理由|说明$|\b(?:reasons?|explanations?|causes?|drivers?)\b", re.IGNORECASE)
_LARGEST = re.compile(r"\b(?:largest|highest|biggest|greatest|most|maximum|top)\b|最大|最高|最多|第一大", re.IGNORECASE)
_SMALLEST = re.compile(r"\b(?:smallest|lowest|least|fewest|minimum)\b|最小|最低|最少", re.IGNORECASE)
_NOT_A_SUPERLATIVE = re.compile(r"\bmost\s+recent|\bat (?:most|least)\b|\btop (?:of|\d+)\b|最近", re.IGNORECASE)

_AMOUNT = re.compile(
    r"\bhow much\b|\bdifference (?:in|between)\b(?! opinion)|\bamounts?\b|\bpercent|%|\bratio\b|\bmultiple of\b"
    r"|\bgrowth rate|\broi\b|\bchange in\b(?! (?:control|law|ownership|management|accounting))"
    r"|多少(?![个家名位人])|差额|相差|金额|百分|比率|比例|占比|增速|增长率|同比|环比",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(r"\bhow (?:many|old)\b|多少|几[个家名位人岁]", re.IGNORECASE)
_OUT_OF = re.compile(
    r"\b(?:the|this|that|these|those|which)\s+(?:\w+\s+){0,3}(?:tables?|charts?|figures?|graphs?|plots?)\b"
    r"|[该上下此本][图表]|[图表][中内里上]",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
_HAN_DIGITS = re.compile("(?<![第一二三四五六七八九十百])[二三四五六七八九十百千万亿两]")
_IN_WORDS = frozenset(
    ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "hundred", "half"]
)
_NUMBERED = tuple(
    "january february march april may june july august september october november december note notes item items"  # noqa: SIM905
    " level levels tier section sections".split()
)
"""What stands before a number that is no amount."""

_MOMENTS: tuple[tuple[frozenset[str], re.Pattern[str]], ...] = tuple(
    (frozenset(kinds.split()), re.compile(pattern, re.IGNORECASE))
    for kinds, pattern in (
        ("so-far", r"年初至|累计|\byear[- ]to[- ]date\b|\bytd\b"),
        ("before end", r"上年(?:度)?末|上期末|去年底|去年末"),
        ("before start", r"期初|年初|\bbeginning of\b|\bopening\b"),
        ("before", r"上(?:一)?(?:年|期)|去年|\b(?:prior|previous|preceding|last|year[- ]ago)\b"),
        ("this end", r"期末|年末|\b(?:end of|closing)\b"),
        ("this", r"本(?:报告)?(?:期|年|季)|当期|今年|\b(?:current|this) (?:year|period|quarter)\b"),
    )
)
"""What names a time without its date, the longer sayings first: each takes what it is said with out of the text."""


class Wish(NamedTuple):
    """Whether a `change`, a `share` or a `reason` is asked for, when, 1 the largest or -1 the smallest (`extreme`)."""

    change: bool
    share: bool
    extreme: int
    moments: frozenset[str]
    reason: bool = False


@lru_cache(maxsize=1 << 8)
def wish_of(text: str) -> Wish:
    """What a question asks of a table."""
    plain = _NOT_A_SUPERLATIVE.sub(" ", text)
    extreme = 1 if _LARGEST.search(plain) else -1 if _SMALLEST.search(plain) else 0
    return Wish(bool(_CHANGE.search(text)), bool(_SHARE.search(text)), extreme, moments(text), bool(_WHY.search(text)))


def superlatives(text: str) -> frozenset[str]:
    """What a question asks for the largest or smallest with, in small letters."""
    return frozenset(m.group().lower() for p in (_LARGEST, _SMALLEST) for m in p.finditer(text))


@lru_cache(maxsize=1 << 8)
def wish_words(text: str) -> frozenset[str]:
    """The search tokens of what a question says its wishes with: they say nothing of what it is about."""
    from h3cold.ingest.tokens import lexical

    patterns = (_CHANGE, _SHARE, _LARGEST, _SMALLEST, *(pattern for _, pattern in _MOMENTS))
    said = [found.group() for pattern in patterns for found in pattern.finditer(text)]
    return frozenset(token for part in said for token in lexical(part))


@lru_cache(maxsize=1 << 8)
def asks_amount(text: str) -> bool:
    """Whether a question is after an amount, or what is worked out from amounts; not how many there are of something,
    which may have to be counted."""
    return bool(_AMOUNT.search(text))


def asks_number(text: str) -> bool:
    """Whether a question is after an amount, or how many there are of something."""
    return asks_amount(text) or _HOW_MANY.search(text) is not None


def wants_itself(text: str) -> bool:
    """Whether a table or chart that a question names is wanted as such ("固定资产明细表"), nothing out of it."""
    return not asks_amount(text) and _OUT_OF.search(text) is None


def states_amount(text: str) -> bool:
    """Whether there is a number in a text beside those of dates, notes, levels and the like."""
    return (
        any(_is_amount(text, *found.span()) for found in _DIGITS.finditer(text))
        or not _IN_WORDS.isdisjoint(text.lower().split())
        or _HAN_DIGITS.search(text) is not None
    )


def _is_amount(text: str, start: int, end: int) -> bool:
    """Whether the digits there are of no year, day or month, no mark in brackets and not the number of a note."""
    if text[end : end + 1] in ("月", "日") or (text[start - 1 : start] == "(" and text[end : end + 1] == ")"):
        return False
    if end - start == 4 and text[start : start + 2] in ("19", "20"):
        return text[start - 1 : start] in tuple("$€£¥￥")
    return not text[max(0, start - 10) : start].rstrip().lower().endswith(_NUMBERED)


@lru_cache(maxsize=1 << 12)
def moments(text: str) -> frozenset[str]:
    """What a text says of when without a date: "this", "before", "start", "end", "so-far" (of the year)."""
    out: set[str] = set()
    for kinds, pattern in _MOMENTS:
        text, count = pattern.subn(" ", text)
        if count:
            out |= kinds
    return frozenset(out)


@lru_cache(maxsize=1 << 12)
def is_change(text: str) -> bool:
    """Whether a head is of a column of changes."""
    return bool(_CHANGE_HEAD.search(text))


@lru_cache(maxsize=1 << 12)
def is_share(text: str) -> bool:
    """Whether a head is of a column of shares or rates."""
    return bool(_SHARE_HEAD.search(text))


@lru_cache(maxsize=1 << 12)
def is_reason(text: str) -> bool:
    """Whether a head is of a column of reasons."""
    return bool(_REASON_HEAD.search(text))


@lru_cache(maxsize=1 << 12)
def speaks_of_change(text: str) -> bool:
    """Whether a text speaks of a change: "(Increase) decrease in operating assets"."""
    return bool(_CHANGE.search(text))
