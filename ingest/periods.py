"""Dates and reporting periods as documents write them, in English and Chinese, brought to one form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date

from h3cold.schemas.letters import plain_case

_NAMES = """
january jan, february feb, march mar, april apr, may, june jun, july jul, august aug, september sept sep, october oct,
november nov, december dec
"""
MONTHS = {name: n + 1 for n, names in enumerate(_NAMES.split(",")) for name in names.split()}
_MONTH = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\.?"
_DATE = re.compile(
    rf"\b(?P<m1>{_MONTH})\s+(?:\d{{1,2}}\s?[-–—]\s?)?(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\s*,?\s+(?P<y1>(?:19|20)\d\d)\b"
    rf"|(?<!\d\.)\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(?P<m2>{_MONTH}),?\s+(?P<y2>(?:19|20)\d\d)\b"
    r"|(?<!\d\.)\b(?P<y3>(?:19|20)\d\d)[-/.](?P<m3>\d{1,2})[-/.](?P<d3>\d{1,2})\b(?!\.\d)"
    r"|(?P<y4>(?:19|20)\d\d)\s*[年년]\s*(?P<m4>\d{1,2})\s*[月월]\s*(?P<d4>\d{1,2})\s*[日일]"
    r"|(?<![\d/.-])(?P<m5>\d{1,2})(?P<s>[/.-])(?P<d5>\d{1,2})(?P=s)(?P<y5>(?:19|20)\d\d)(?![\d/]|\.\d)"
)
_FIGURES = re.compile(r"\d[/.-]\d{1,2}[/.-](?:19|20)\d\d")
_YEAR_FIGURES = re.compile(r"(?:19|20)\d\d")
"""What a text with a date in figures, and with any date, has at least: found far sooner than the dates are."""

BEFORE, AFTER = 64, 32
"""Letters before and after a year within which the whole of a date or period stands."""

_VERSION = re.compile(r"(?:\bv(?:er(?:sion)?)?\.?|版本号?)\s*$")
"""What stands before three numbers with points between them that are no date."""

_RECEIVED = re.compile(
    rf"(?:\b(?:received|revised|submitted|retrieved|accessed)\b|收稿|修回|访问)(?:日期|on\b|in\b|[:：\s]){{0,4}}"
    rf"(?:\d{{1,2}}\s+{_MONTH},?|{_MONTH}\s+\d{{1,2}},?|(?=(?:19|20)\d\d[年/.-]\d))\s*(?:19|20)\d\d(?:[年/.-]\s?\d{{1,2}}[月/.-]\s?\d{{1,2}}日?)?"
)
"""A day on which a paper came in, or a page was looked at, which is not the document's."""

_SPAN = re.compile(r"\s*(?:to|through|until|till|[-–—~～至到])\s*(?=[\w(])")

_DAY_FIRST = re.compile(rf"\b(?:\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?{_MONTH},?\s+(?:19|20)\d\d\b")
_MONTH_FIRST = re.compile(rf"\b{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?\s*,?\s+(?:19|20)\d\d\b")
"""How dates in words show whether 05/10/2015 is in May or in October."""

_HAN_DIGITS = str.maketrans("〇○零一二三四五六七八九", "000123456789")
_HAN_YEAR = re.compile(r"[〇○零一二三四五六七八九]{4}(?=\s*年)")
_HAN_NUMBER = "(?=[一二三四五六七八九十])[一二三四五六七八九]?十?[一二三四五六七八九]?"
_HAN_DAY = re.compile(rf"(?<=\d)年\s*({_HAN_NUMBER})月\s*({_HAN_NUMBER})[日号]")
_YEAR_END = re.compile(r"years?\s+end(?:ed|ing)")
_QUARTER_END = re.compile(r"(?:quarter(?:ly)?(?:\s+period)?|three\s+months)\s+end(?:ed|ing)")
_HALF_END = re.compile(r"(?:six\s+months|half[\s-]year)\s+end(?:ed|ing)")
MOST_BEFORE = 24
"""Letters before a date that stands alone: a place, a weekday, "of"."""

_WITHIN = re.compile(
    r"\b(?:ended|ending|until|since|from|before|after|by|at|and|born|in|to|through|pages?|meeting)\b|\d"
    r"|[至到于自截]|会议|以前|生效|施行|成立"
)
_UP_TO = re.compile(r"[至到于自截由从—–~～-]\s*$")
"""What makes it the end of a sentence, or of a span."""

OPENING = 600
"""Letters at the start in which a date is the document's own even within a sentence ("dated as of …")."""

_LABEL = re.compile(
    r"(?:\b(?:date of (?:publication|issue|report|this (?:report|notice|letter))|publication date|issue date|date filed"
    r"|published(?: online)?(?: on)?|issued(?: on)?|released?(?: on)?|dated(?: as of)?"
    r"|(?:made|entered into) (?:on|as of)"
    r")\b|(?:^|\n)\s*dated?\b(?!\s+of\b))[:\s]{0,3}"
    r"|(?:披露|签署|签订|发布|公布|印发|报告|公告|落款|填报|编制)(?:日期|时间|于|日)[:：\s]{0,3}|日\s*期[:：]\s*"
)
"""What stands right before the date of a document."""

_QUARTER = re.compile(
    r"\bq(?P<q1>[1-4])[\s,'’-]*(?:of\s+)?(?P<y1>(?:19|20)\d\d)\b|\b(?P<y2>(?:19|20)\d\d)[\s,-]*q(?P<q2>[1-4])\b"
    r"|\b(?P<q3>first|second|third|fourth)[\s-]+quarter(?:\s+of)?(?:\s+fiscal)?(?:\s+year)?,?\s+(?P<y3>(?:19|20)\d\d)\b"
    r"|(?P<y4>(?:19|20)\d\d)\s*年\s*(?:度)?\s*第?(?P<q4>[一二三四1-4])季度?"
)
_HALF = re.compile(r"(?P<y>(?:19|20)\d\d)\s*年?\s*(?:半年度|中期|上半年)|\bh(?P<h>[12])\s*(?P<y2>(?:19|20)\d\d)\b")
_YEAR = re.compile(
    r"\b(?P<y1>(?:19|20)\d\d)\s+(?:annual\s+report|form\s+10-?k|10-?k)\b"
    r"|annual\s+report(?:\s+(?:for|on|of))?(?:\s+form\s+10-?k)?(?:\s+for)?(?:\s+the)?(?:\s+fiscal)?(?:\s+year)?\s*[-–—:]?\s*"
    r"(?P<y2>(?:19|20)\d\d)\b|\b(?:(?:fiscal|calendar)(?:\s+year)?|fy)\s*[-–—:]?\s*(?P<y3>(?:19|20)\d\d)\b"
    r"|(?P<y4>(?:19|20)\d\d)\s*年?\s*(?:年度报告|年报|年度)"
)
_QUARTERS = ("quarter", "年", "q1", "q2", "q3", "q4")
_HALVES = ("半年", "中期", "h1", "h2")
_YEARS = re.compile(r"annual\s+report|10-?k|f(?:iscal(?:\s+year)?|y)\s*[-–—:]?\s*(?:19|20)|calendar|年报|年度")
_ENDS = re.compile(r"\send(?:ed|ing)")
"""What a text has in small letters where it names such a period, or where one ends."""

_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "一": 1, "二": 2, "三": 3, "四": 4}


def plain_years(text: str) -> str:
    """Chinese years and days in figures: 二〇二三年 -> 2023年, 2023年六月十五日 -> 2023年6月15日."""
    if "年" not in text:
        return text
    text = _HAN_YEAR.sub(lambda m: m[0].translate(_HAN_DIGITS), text)
    return _HAN_DAY.sub(lambda m: f"年{_small(m[1])}月{_small(m[2])}日", text)


def _small(number: str) -> int:
    """A Chinese number below a hundred: 十五 -> 15, 二十 -> 20."""
    tens, ten, ones = number.rpartition("十")
    one = int(ones.translate(_HAN_DIGITS) or 0)
    return one + (10 * int(tens.translate(_HAN_DIGITS) or 1) if ten else 0)


def _lowered(text: str) -> str:
    """A text as all patterns here have it, letter for letter: in small letters, which are found far sooner."""
    return plain_case(text).lower()


def _near_years(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """What is found of a pattern that has a year in it, or has one follow: it is looked for around years alone."""
    spans: list[tuple[int, int]] = []
    for year in _YEAR_FIGURES.finditer(text):
        start, end = max(0, year.start() - BEFORE), year.end() + AFTER
        if spans and start <= spans[-1][1]:
            start = spans.pop()[0]
        spans.append((start, end))
    for start, end in spans:
        yield from pattern.finditer(text, start, end)


def day_comes_first(text: str) -> bool:
    """Whether a text writes the day before the month: its dates in words do, or figures above twelve stand first."""
    text = _lowered(text)
    if any(_near_years(_DAY_FIRST, text)):
        return not any(_near_years(_MONTH_FIRST, text))
    if not _FIGURES.search(text):
        return False
    figures = [(int(m["m5"]), int(m["d5"]), m["s"]) for m in _dates(text) if m["m5"]]
    return any(a > 12 for a, _, _ in figures) or (
        bool(figures) and figures[0][2] == "." and not any(b > 12 for _, b, _ in figures)
    )


def find_date(text: str, *, day_first: bool = False) -> str:
    """The first full date in a text as YYYY-MM-DD; empty if there is none.

    `day_first` tells what 05/10/2015 means where the figures leave it open (see `day_comes_first`).
    """
    text = _lowered(text)
    for found in _dates(text):
        part = {k[0]: v for k, v in found.groupdict().items() if v and k != "s"}
        month = int(part["m"]) if part["m"].isdecimal() else MONTHS[part["m"].rstrip(".")]
        day = int(part["d"])
        if found["m5"] and day <= 12 and (day_first or month > 12):
            month, day = day, month
        if _SPAN.match(text, found.end()) and _DATE.search(text[found.end() : found.end() + 30]):
            continue  # where a span begins that ends with the next date
        if said := iso_date(int(part["y"]), month, day):
            return said
    return ""


def without_received(text: str) -> str:
    """A text without the days on which a paper was received or revised, or a page was retrieved."""
    kept, at = [], 0
    for found in _near_years(_RECEIVED, _lowered(text)):
        kept.append(text[at : found.start()])
        at = found.end()
    return "".join([*kept, text[at:]])


def names_month(text: str, year: int, month: int) -> bool:
    """Whether a text names this month, with or without a day."""
    names = "|".join(name for name, number in MONTHS.items() if number == month)
    return bool(
        re.search(rf"\b(?:{names})\.?,?\s(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s+)?{year}\b", text, re.IGNORECASE)
        or re.search(rf"(?<!\d){year}\s*[年/.-]\s*0?{month}(?!\d)", text)
        or re.search(rf"(?<!\d)0?{month}[/.-](?:\d{{1,2}}[/.-])?{year}(?!\d)", text)
    )


def lone_date(text: str, *, day_first: bool = False, closing: bool = False) -> str:
    """The date that is all a text says but for a place or what the date is of: "Bern, 3 May 2019", "of 12 May 2016";
    with `closing` also one in Chinese that ends a signature, without a full stop. Empty for other texts.
    """
    text = _lowered(text).strip()
    found = next((m for m in _dates(text[-60:]) if not text[-60:][m.end() :].strip(" .)）")), None)
    if found is None:
        return ""
    before = text[: len(text) - len(text[-60:]) + found.start()]
    alone = len(before) <= MOST_BEFORE and not _WITHIN.search(before)
    if not alone and not (closing and found["m4"] and not _UP_TO.search(before)):
        return ""
    return find_date(text[len(before) :], day_first=day_first)


def iso_date(year: int, month: int, day: int) -> str:
    """A day of the calendar as YYYY-MM-DD; empty if there is none such, as 30 February."""
    with suppress(ValueError):
        return date(year, month, day).isoformat()
    return ""


def _dates(text: str) -> Iterator[re.Match[str]]:
    """What looks like a date and is no number of a version."""
    for found in _near_years(_DATE, text):
        if not (found["s"] == "." and _VERSION.search(text, max(0, found.start() - 12), found.start())):
            yield found


def find_labelled_date(text: str, *, day_first: bool = False) -> str:
    """The first full date that a text calls its own: published, issued, dated, signed, 披露日期; empty if none is."""
    text = _lowered(text)
    for found in _near_years(_LABEL, text):
        within = text[: found.start()].rpartition("\n")[2].strip()
        if within and found.start() > OPENING and not found[0].endswith((":", "：")):
            continue  # of something that the text speaks of
        if said := find_date(text[found.start() : found.end() + 24], day_first=day_first):
            return said
    return ""


def find_period(text: str, *, day_first: bool = False) -> tuple[str, str]:
    """The reporting period a text names first, and its last day: ("FY2023", "2023-12-31").

    Forms: FY2023, 2023Q2, 2023H1. The day is empty where only the period is named; both are where none is.
    `day_first` as in `find_date`.
    """
    text = _lowered(text)
    ends = _ENDS.search(text) is not None  # words are looked for before patterns are: most texts have none of them
    for pattern, form in ((_YEAR_END, _fiscal), (_QUARTER_END, _quarter_of), (_HALF_END, _half_of)):
        for found in pattern.finditer(text) if ends else ():
            if end := find_date(text[found.start() : found.end() + 60], day_first=day_first):
                return form(end), end
    quarter = next(_near_years(_QUARTER, text), None) if any(word in text for word in _QUARTERS) else None
    if quarter:
        part = {k[0]: v for k, v in quarter.groupdict().items() if v}
        number = _ORDINALS.get(part["q"]) or int(part["q"])
        return f"{part['y']}Q{number}", ""
    half = next(_near_years(_HALF, text), None) if any(word in text for word in _HALVES) else None
    if half:
        return f"{half['y'] or half['y2']}H{half['h'] or 1}", ""
    return find_year(text), ""


def find_end(text: str, period: str) -> str:
    """The last day of the fiscal year `period` (FY2023) as a text names it first; empty where it does not."""
    text = _lowered(text)
    if not _ENDS.search(text):
        return ""
    ends = (find_date(text[m.start() : m.end() + 60]) for m in _YEAR_END.finditer(text))
    return next((end for end in ends if end and _fiscal(end) == period), "")


def find_year(text: str) -> str:
    """The first year that is named as a year of reporting ("2023 Annual Report"), as FY2023; empty if none is."""
    text = _lowered(text)
    year = next(_near_years(_YEAR, text), None) if _YEARS.search(text) else None
    return "FY" + next(v for v in year.groupdict().values() if v) if year else ""


def _fiscal(end: str) -> str:
    """Named for the year it ends in, as companies do; one that ends in the first days of January is the last year's."""
    year, month, day = end.split("-")
    return f"FY{int(year) - 1}" if month == "01" and int(day) <= 7 else f"FY{year}"


def _quarter_of(end: str) -> str:
    return f"{end[:4]}Q{(int(end[5:7]) + 2) // 3}"


def _half_of(end: str) -> str:
    return f"{end[:4]}H{1 if int(end[5:7]) <= 6 else 2}"
