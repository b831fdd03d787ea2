"""Years, quarters and halves as people write them, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from h3cold.recall.relative import Now, relative_periods
from h3cold.recall.spans import parts_told
from h3cold.schemas.letters import plain_case


class Period(NamedTuple):
    """A fiscal period. `part` is "" (a year), "Q1".."Q4" or "H1"/"H2"; `text` as written in the question."""

    year: int
    part: str
    text: str

    @property
    def key(self) -> str:
        """As documents carry it: `FY2023`, `2023Q2`, `2023H1`."""
        return f"{self.year}{self.part}" if self.part else f"FY{self.year}"


ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
ORDINALS |= {c: i % 4 + 1 for i, c in enumerate("一二三四1234１２３４")}
_HAN_DIGITS = str.maketrans("〇零○一二三四五六七八九０１２３４５６７８９", "000" + "123456789" + "0123456789")
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_YEAR = r"(?P<y>(?:19|20)\d\d)"
_SHORT = r"(?P<s>\d\d)"
_PATTERNS = tuple(
    re.compile(p, re.IGNORECASE)
    for p in (
        rf"(?<![A-Za-z\d.])Q(?P<q>[1-4])\s*(?:of\s+|,\s*)?(?:FY|fiscal(?:\s+year)?)?\s*'?(?:{_YEAR}|{_SHORT})(?!\d)",
        rf"(?<![A-Za-z\d.])(?:FY\s*)?{_YEAR}\s*[-/ ]?\s*Q(?P<q>[1-4])(?![A-Za-z\d])",
        rf"(?<![A-Za-z\d.])(?P<q>[1-4])Q\s*'?(?:FY)?(?:{_YEAR}|{_SHORT})(?!\d)",
        rf"(?P<q>first|second|third|fourth|1st|2nd|3rd|4th)[\s-]+(?:fiscal\s+)?quarter"
        rf"(?:\s+(?:of|in|ended\s+\w+\s+\d+,?))?\s*(?:fiscal(?:\s+year)?|FY)?\s*{_YEAR}",
        rf"(?<![A-Za-z\d.])(?P<h>[12])H\s*'?(?:FY)?(?:{_YEAR}|{_SHORT})(?!\d)|(?<![A-Za-z\d.])H(?P<h2>[12])\s*'?(?:FY)?(?:(?P<y2>20\d\d)|(?P<s2>\d\d))(?!\d)",
        rf"(?P<h>first|second)[\s-]+half\s+(?:of\s+)?(?:fiscal\s+)?{_YEAR}",
        rf"{_YEAR}\s*(?:财年|会计年度|年度|年)?\s*(?:[第前]?\s*(?P<q>[一二三四1-4１-４])\s*季度?|Q(?P<q2>[1-4]))",
        rf"{_YEAR}\s*(?:财年|年度|年)?\s*(?:(?P<h1>上半年|半年度?|中期|中报)|(?P<h3>下半年))",
        r"(?<![\d.,])(?P<s>[0-3]\d)(?:财年|会计年度)",
        r"(?<![A-Za-z\d.])(?:FY|fiscal(?:\s+year)?s?)\s*-?'?(?P<s>\d\d)(?!\d)",
        r"(?<![\d.,第近去来前后满共约达续期限每为了])(?P<s>[0-3]\d)年(?:度|报|末|底)?(?![期内间来前后以多半龄])",
    )
)
_PLAIN = re.compile(r"(?<![\d.,$¥€£])(?:FY|fiscal(?:\s+year)?)?\s*((?:19|20)\d\d)(?![\d%]|[,.]\d)", re.IGNORECASE)
_MAX_SPAN = 12
_RANGE = re.compile(r"((?:19|20)\d\d)\s*年?\s*(?:[-–—~～至到]|to|through)\s*((?:19|20)\d\d)(?!\d)", re.IGNORECASE)
_HAN_YEAR = re.compile(r"[〇零○一二三四五六七八九]{4}(?=年|财年)|[０-９]{4}")
_HAN_SHORT = re.compile(
    r"(?<![〇零○一二三四五六七八九十百千万亿几数第近去来前后满共约达每])"
    r"(?:(?:[〇零○][一二三四五六七八九]|一[〇零○一三四五六七八九]|二[〇零○一二四五六七八九])(?=财?年(?![期内间来前以多半龄级]))"
    r"|[一二][二三](?=财年|年[度报末底]))"
)
"""一八年, 一五财年; 一二年 and 二三年 may be some years, but before 度, 报 or 末."""
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_MONTH = re.compile(
    rf"\b({_MONTHS})\b(?=\s+(?:\d\d?\b|of\b)?,?\s*(?:19|20)\d\d)|(?<!\d)(1[0-2]|0?[1-9])月", re.IGNORECASE
)
_WORDING = re.compile(
    rf"(?:\b(?:for|in|during|at|of)\s+)?(?:the\s+)?(?:(?:fiscal|financial|calendar)\s+)?(?:years?|quarters?|months)\s+end(?:ed|ing)"
    rf"\s+(?:on\s+)?(?:(?:{_MONTHS})\s+\d\d?,?|\d\d?\s+(?:{_MONTHS}),?)?"
    rf"|\b(?:as\s+(?:of|at)\s+)?(?:(?:{_MONTHS})\s+\d\d?|\d\d?\s+(?:{_MONTHS}))(?=,?\s+(?:19|20)\d\d)"
    r"|\b(?:fiscal|financial|calendar)(?:\s+years?)?(?=\W+(?:of\s+)?'?\d)|\bFY\s?-?'?(?=\d)|\byears?(?=\s+(?:19|20)\d\d)"
    r"|(?<=\d)\s*(?:财年|会计年度|年度|年末|年底|年)|(?<=[〇零○一二三四五六七八九]{4})(?:财年|会计年度|年度|年末|年)",
    re.IGNORECASE,
)
"""What people say around a year: it says when, not what."""


def find_periods(text: str, *, now: Now | None = None) -> list[Period]:
    """Every period in `text`, in order of appearance, each once.

    With `now` "last year" and 去年 become years, and "the past three years" and 近三年 the last ones. A range of at
    most 12 years stands for all of its years.
    """
    text = _HAN_YEAR.sub(lambda m: m.group().translate(_HAN_DIGITS), plain_case(text))
    text = _HAN_SHORT.sub(lambda m: m.group().translate(_HAN_DIGITS), text)
    found: dict[tuple[int, str], tuple[int, Period]] = {}
    taken: list[tuple[int, int]] = []
    for at, end, period in _specific(text):
        taken.append((at, end))
        found.setdefault((period.year, period.part), (at, period))
    for at, end, year, part in parts_told(text):
        if not any(a < end and at < b for a, b in taken):
            taken.append((at, end))
            found.setdefault((year, part), (at, Period(year, part, text[at:end].strip())))
    for m in _RANGE.finditer(text):
        first, last = int(m[1]), int(m[2])
        if first < last <= first + _MAX_SPAN:
            for year in range(first, last + 1):
                found.setdefault((year, ""), (m.start(), Period(year, "", m.group().strip())))
    for m in _PLAIN.finditer(text):
        if not any(a <= m.start(1) < b for a, b in taken):
            found.setdefault((int(m[1]), ""), (m.start(1), Period(int(m[1]), "", m.group().strip())))
    for at, year, part, said in relative_periods(text, now, {year for year, _ in found}):
        found.setdefault((year, part), (at, Period(year, part, said)))
    return [p for _, p in sorted(found.values(), key=lambda item: (item[0], item[1]))]


def without_wording(text: str, periods: Iterable[Period]) -> str:
    """`text` without the words that name these whole years: neither "for the year ended December 31" nor "FY12"."""
    text = _WORDING.sub(" ", text)
    for said in {p.text for p in periods if not p.part}:
        text = text.replace(said, " ")
    return text


def same_month(asked: str, said: str) -> bool:
    """Whether two texts speak of one month ("June 2019", 2019年6月); True where either speaks of none."""
    one, other = _months(asked), _months(said)
    return not one or not other or bool(one & other)


def _months(text: str) -> set[int]:
    names = _MONTHS.split("|")
    return {names.index(name.lower()) + 1 if name else int(number) for name, number in _MONTH.findall(plain_case(text))}


def _specific(text: str) -> Iterator[tuple[int, int, Period]]:
    for pattern in _PATTERNS:
        for m in pattern.finditer(text):
            g = m.groupdict()
            year = g.get("y") or g.get("y2")
            short = g.get("s") or g.get("s2")
            if year is None and short is None:
                continue
            number = int(year) if year else 2000 + int(short or 0) - (100 if int(short or 0) > 60 else 0)
            yield m.start(), m.end(), Period(number, _part(g), m.group().strip())


def _part(g: dict[str, str | None]) -> str:
    quarter = g.get("q") or g.get("q2")
    if quarter:
        return f"Q{ORDINALS[quarter.lower()]}"
    half = g.get("h") or g.get("h2")
    if half:
        return f"H{ORDINALS[half.lower()]}"
    if g.get("h1"):
        return "H1"
    return "H2" if g.get("h3") else ""
