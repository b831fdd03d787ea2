"""Dates and periods as printed, and the days that they span: "six months ended June 30, 2023", 2023年1-6月, 3Q23."""
# ruff: noqa: E501  (a pattern is read as one piece, however long)

from __future__ import annotations

import re
import unicodedata
from calendar import month_abbr, monthrange
from datetime import date, timedelta

_NAMED = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan\.?|Feb\.?|Mar\.?|Apr\.?|Jun\.?|Jul\.?|Aug\.?|Sept?\.?|Oct\.?|Nov\.?|Dec\.?)"
)
_Y = r"(?:18|19|20)\d\d"
_DAY_EN = rf"(?:{_NAMED}\s{{1,2}}\d{{1,2}}(?:st|nd|rd|th)?,?\s{{1,2}}{_Y}|\d{{1,2}}(?:st|nd|rd|th)?\s{_NAMED},?\s{_Y}|{_NAMED},?\s{_Y})"
_COUNT = r"(?:[Tt]hree|[Ss]ix|[Nn]ine|[Tt]welve|3|6|9|12)"
_WEEKS = r"(?:[Tt]hirteen|[Tt]wenty[- ]six|[Tt]hirty[- ]nine|[Ff]ifty[- ](?:two|three)|13|14|26|27|39|40|52|53)"
_FISCAL = r"(?:(?:[Ff]iscal|[Cc]alendar|FY)\s?(?:[Yy]ear\s)?)?"
_ORDINAL = r"(?:[Ff]irst|[Ss]econd|[Tt]hird|[Ff]ourth|1st|2nd|3rd|4th)"
_TO = r"\s?(?:to|through|until|till|[-–—])\s?"
_ZH_DAY = r"\d{1,2}\s?月\s?\d{1,2}\s?[日号]"
_ZH_TO = r"\s?(?:[-—–－~～至到])\s?"

PERIODS: tuple[str, ...] = (
    # English
    rf"\b(?:{_COUNT}[-\s][Mm]onths?(?:\s[Pp]eriods?)?|{_WEEKS}[-\s][Ww]eeks?(?:\s[Pp]eriods?)?|(?:[Ff]iscal\s)?[Qq]uarter(?:ly\s[Pp]eriod)?"
    rf"|(?:[Ff]iscal\s)?[Hh]alf(?:[-\s][Yy]ear)?|(?:[Ff]iscal\s)?[Yy]ears?)\s(?:then\s)?[Ee]nd(?:ed|ing)\s(?:on\s)?{_DAY_EN}",
    rf"\b{_ORDINAL}[\s-](?:[Ff]iscal\s)?(?:[Qq]uarter|[Hh]alf)\s(?:of\s)?(?:the\s)?{_FISCAL}{_Y}\b",
    rf"\b(?:[Ff]iscal\s(?:[Yy]ear\s)?)?{_Y}\s{_ORDINAL}[\s-](?:[Qq]uarter|[Hh]alf)\b",
    rf"\b(?:[Ff]irst|[Ll]ast)\s(?:[Tt]wo|[Tt]hree|[Ff]our|[Ff]ive|[Ss]ix|[Ss]even|[Ee]ight|[Nn]ine|[Tt]en|[Ee]leven|\d{{1,2}})\s(?:[Mm]onths|[Qq]uarters)\sof\s(?:the\s)?{_FISCAL}{_Y}\b",
    rf"\b(?:Q[1-4]|H[12]|[1-4]Q|[12]H)\s?(?:FY\s?|of\s)?(?:{_Y}|[’']?\d\d)\b",
    r"(?<![A-Za-z\d])(?:19|20)\d\d\s?(?:Q[1-4]|H[12])(?![A-Za-z\d])",
    rf"\bFY\s?(?:{_Y}|[’']?\d\d)\b",
    rf"\b{_NAMED}(?:\s\d{{1,2}})?(?:,?\s{_Y})?{_TO}{_DAY_EN}\b",
    rf"\b\d{{1,2}}\s{_NAMED}(?:\s{_Y})?{_TO}\d{{1,2}}\s{_NAMED}\s{_Y}\b",
    r"\b(?<=[Ff]rom )(?:19|20)\d\d\s(?:to|through|until|till)\s(?:19|20)\d\d\b",
    # Chinese
    rf"(?:截至|截止)?{_Y}\s?年\s?{_ZH_DAY}止的?(?:[一二三四六九十]{{1,2}}|\d{{1,2}})个月(?:期间)?",
    rf"{_Y}\s?年\s?{_ZH_DAY}(?:起)?{_ZH_TO}(?:{_Y}\s?年\s?)?{_ZH_DAY}(?:止|期间)?",
    rf"(?<!\d){_Y}\s?年\s?\d{{1,2}}\s?月?(?:份)?{_ZH_TO}(?:{_Y}\s?年\s?)?\d{{1,2}}\s?月(?!\s?\d{{1,2}}\s?[日号])(?:份|末|底)?",
    rf"(?<!\d){_Y}\s?年{_ZH_TO}{_Y}\s?年(?:度)?",
    rf"(?<!\d){_Y}\s?年(?:度)?(?:[前头首](?:[一二两三四五六七八九十]|\d{{1,2}})个?(?:季度|月)|半年度?|中期|全年|第?[一二三四1-4]季度?|[Qq][1-4]|[Hh][12])",
)
"""What a period looks like, beyond a plain day, month or year."""

_NUMBERS = {w: i for i, w in enumerate(
    ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen"), 1)}  # fmt: skip
_NUMBERS |= {
    "twenty six": 26,
    "thirty nine": 39,
    "fifty two": 52,
    "fifty three": 53,
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
}
_HAN = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "○": 0, "两": 2}
_MONTHS = {m.casefold(): i for i, m in enumerate(month_abbr) if m}
_YEAR = re.compile(r"(?<!\d)(?:18|19|20)\d\d(?!\d)")
_SHORT = re.compile(r"(?<![a-z\d])(?:(?:[qh][1-4]|[1-4][qh])\s?(?:fy\s?)?|fy\s?)['’]?(\d\d)(?!\d)")
_SPAN = re.compile(
    r"(?<![a-z\d])(three|six|nine|twelve|thirteen|fourteen|twenty[- ]six|thirty[- ]nine|fifty[- ](?:two|three)|\d{1,2})[-\s](months?|weeks?)(?:\speriods?)?\s(?:then\s)?end(?:ed|ing)\s(?:on\s)?(.+)"
)
_ENDED = re.compile(r"(quarter|half|year)(?:s|ly\speriod|[-\s]year)?\s(?:then\s)?end(?:ed|ing)\s(?:on\s)?(.+)")
_ZH_ENDED = re.compile(r"(.+?日)止的?(\d{1,2}|[一二三四五六七八九十]{1,2})个月")
_FIRST = re.compile(r"(first|last)\s(\w+)\s(months|quarters)\sof\s")
_ZH_FIRST = re.compile(r"[前头首](\d{1,2}|[一二两三四五六七八九十])个?(季度|月)")
_RANGE = re.compile(r"\s?(?:\b(?:to|through|until|till)\b|起?[-—–－~～至到])\s?")
_QUARTER = re.compile(
    r"(?:q|quarter\s)([1-4])(?!\d)|(?<!\d)([1-4])\s?q|\b(first|second|third|fourth|1st|2nd|3rd|4th)[\s-](?:fiscal\s)?quarter|第?([一二三四1-4])季"
)
_HALF = re.compile(r"(?<![a-z])h([12])(?!\d{3})|(?<!\d)([12])h|\b(first|second)[\s-]half\b|(上半年|半年|中期|下半年)")


def period(text: str) -> tuple[str, str] | None:
    """First and last day (ISO 8601) of a printed date or period; None where it names no year.

    "March 3, 2022" is a day, 2023年5月 a month, "Q2 2021" a quarter, "six months ended June 30, 2023" those six months;
    "fiscal 2020" is taken for the calendar year. What a range leaves out its other end says ("January to June 2023").
    """
    low = unicodedata.normalize("NFKC", text).casefold()[:200]
    low = re.sub("[〇○零一二三四五六七八九]{4}(?=年)", lambda m: "".join(str(_HAN[c]) for c in m.group()), low)
    low = re.sub("[一二三四五六七八九十]{1,3}(?=[月日])", lambda m: str(_number(m.group())), low)
    found = _between(low) or _simple(low)
    if found is None or found[0] > found[1]:
        found = _simple(low)
    return (found[0].isoformat(), found[1].isoformat()) if found is not None else None


def _number(text: str) -> int:
    """A small number in digits, English or Chinese; 0 where it is none."""
    if text.isdecimal():
        return int(text)
    if text in _NUMBERS or text.replace("-", " ") in _NUMBERS:
        return _NUMBERS.get(text) or _NUMBERS[text.replace("-", " ")]
    if text[:1].isdigit() and text[1:] in ("st", "nd", "rd", "th"):
        return int(text[0])
    tens, ten, ones = text.partition("十")
    if not all(c in _HAN for c in tens + ones):
        return 0
    return (_HAN.get(tens, 1) * 10 if ten else 0) + (_HAN.get(ones if ten else tens, 0))


def _between(low: str) -> tuple[date, date] | None:
    """The days of a range, of a number of months up to a day, or from a year's beginning on."""
    if match := _SPAN.search(low):
        many, end = _number(match.group(1)), _simple(match.group(3))
        if many and end is not None:
            first = end[1] - timedelta(weeks=many) + timedelta(1) if match.group(2)[0] == "w" else _back(end[1], many)
            return first, end[1]
    if match := _ENDED.search(low):
        end = _simple(match.group(2))
        if end is not None:
            return _back(end[1], {"quarter": 3, "half": 6, "year": 12}[match.group(1)]), end[1]
    if match := _ZH_ENDED.search(low):
        end = _simple(match.group(1))
        if end is not None and (many := _number(match.group(2))):
            return _back(end[1], many), end[1]
    year = _YEAR.search(low)
    if year is None:
        return None
    match = _FIRST.search(low)
    words = (match.group(2), match.group(3), match.group(1) == "last") if match else None
    if words is None and (found := _ZH_FIRST.search(low)):
        words = (found.group(1), "quarters" if found.group(2) == "季度" else "months", False)
    if words is not None and 0 < (many := _number(words[0]) * (3 if words[1] == "quarters" else 1)) <= 12:
        y = int(year.group())
        return (date(y, 13 - many, 1), date(y, 12, 31)) if words[2] else (date(y, 1, 1), _last(y, many))
    return _range(low, year.group())


def _range(low: str, year: str) -> tuple[date, date] | None:
    if re.search(r"(?:18|19|20)\d\d-\d{1,2}(?:-\d|$)|\b(?:q|h|quarter|half)", low):
        return None
    cut = _RANGE.search(low)
    if cut is None or not cut.start():
        return None
    left, right = low[: cut.start()], low[cut.end() :]
    if not re.search(r"\d|" + "|".join(_MONTHS), left) or not re.search(r"\d", right):
        return None
    if "月" in right and "月" not in left and "年" in left and not left.endswith("年"):
        left += "月"  # 2023年1-6月
    if not _YEAR.search(right):
        right = f"{year}年{right}" if "月" in right or "年" in right else f"{right}, {year}"
    if not _YEAR.search(left):
        left = f"{left}, {_YEAR.search(right).group()}"  # type: ignore[union-attr]
    first, last = _simple(left), _simple(right)
    return (first[0], last[1]) if first is not None and last is not None else None


def _back(last: date, months: int) -> date:
    """The day on which the months that end on a day begin."""
    whole = last.day == monthrange(last.year, last.month)[1]
    at = last.year * 12 + last.month - 1 - months + (1 if whole else 0)
    year, month = divmod(at, 12)
    if whole:
        return date(year, month + 1, 1)
    return date(year, month + 1, min(last.day, monthrange(year, month + 1)[1])) + timedelta(1)


def _last(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1])


def _simple(low: str) -> tuple[date, date] | None:
    """A day, month, quarter, half or year."""
    found = _YEAR.search(low)
    short = _SHORT.search(low) if found is None else None
    if found is None and short is None:
        return None
    year = int(found.group()) if found is not None else 2000 + int(short.group(1))  # type: ignore[union-attr]
    numeric = re.search(r"(?:18|19|20)\d\d[-/.年]\s?(\d{1,2})(?:[-/.月]\s?(\d{1,2}))?(?!\d|\s?季)", low)
    named = re.search(r"\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?", low)
    month = day = 0
    if named:
        month = _MONTHS[named.group(1)]
        rest = low.replace(found.group(), "", 1) if found is not None else low
        near = re.search(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?(?!\d)", rest)
        day = int(near.group(1)) if near else 0
    elif numeric:
        month, day = int(numeric.group(1)), int(numeric.group(2) or 0)
    if not 1 <= month <= 12:
        if part := _QUARTER.search(low):
            quarter = _number(next(g for g in part.groups() if g))
            return date(year, 3 * quarter - 2, 1), _last(year, 3 * quarter)
        if part := _HALF.search(low):
            late = next(g for g in part.groups() if g) in ("2", "second", "下半年")
            return date(year, 7 if late else 1, 1), _last(year, 12 if late else 6)
        return date(year, 1, 1), _last(year, 12)
    if 1 <= day <= monthrange(year, month)[1]:
        return date(year, month, day), date(year, month, day)
    return date(year, month, 1), _last(year, month)
