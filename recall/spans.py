"""Quarters and halves told by their days ("January to June 2023", 2023年1-6月), and whether two texts mean one.

The graph's edges are dated by the same reading (`kg.periods`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from h3cold.recall.periods import Period

_PARTS = {"01-01 03-31": "Q1", "04-01 06-30": "Q2", "07-01 09-30": "Q3", "10-01 12-31": "Q4",
          "01-01 06-30": "H1", "07-01 12-31": "H2"}  # fmt: skip
_DAYS = {part: tuple(days.split()) for days, part in _PARTS.items()}
_TOLD = re.compile(
    r"月|\b(?:months?|weeks?|end(?:ed|ing)|(?:jan|feb|mar|apr|may|ju[nl]|aug|sep|oct|nov|dec)[a-z]*)\b",
    re.IGNORECASE,
)
"""What a text has that tells a quarter or half by its days: all others are read without this."""


def parts_told(text: str) -> Iterator[tuple[int, int, int, str]]:
    """Start, end, year and part ("Q1".."Q4", "H1", "H2") of each span of days in `text` that is a quarter or half."""
    from h3cold.kg.periods import period

    if not _TOLD.search(text):
        return
    for pattern in _patterns():
        for m in pattern.finditer(text):
            days = period(m.group())
            if days is not None and days[0][:4] == days[1][:4] and (part := _PARTS.get(f"{days[0][5:]} {days[1][5:]}")):
                yield m.start(), m.end(), int(days[0][:4]), part


def same_part(periods: Sequence[Period], said: str) -> bool:
    """Whether a printed date or period meets a quarter or half of `periods`; True where either has none."""
    from h3cold.kg.periods import period

    asked = [(f"{p.year}-{_DAYS[p.part][0]}", f"{p.year}-{_DAYS[p.part][1]}") for p in periods if p.part]
    days = period(said) if asked and said else None
    if days is None or (days[0][5:], days[1][5:]) == ("01-01", "12-31"):
        return True
    return any(first <= days[1] and days[0] <= last for first, last in asked)


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    from h3cold.kg.periods import PERIODS

    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in PERIODS)
