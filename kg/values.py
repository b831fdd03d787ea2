"""Money, shares, dates and periods, laws, cases, contracts and measures, in English and Chinese, by pattern.

Every quantifier is bounded, so that a text without a blank or full of digits costs linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from h3cold.kg.lexicon import Lexicon
from h3cold.kg.names import read_lines
from h3cold.kg.spans import Span
from h3cold.kg.value_forms import PATTERNS

_COMPILED = tuple((type, weight, re.compile(pattern)) for type, weight, pattern in PATTERNS)
_LAW_TITLE = re.compile(
    r"(?:法|条例|规定|办法|准则|规则|细则|指引|法典)(?:[（(].{0,30}[)）])?》?$|\bAct(?: of \d{4})?$|^Regulation"
)
_UPPER = re.compile(r"[A-Z]{4}")
_LEADING = re.compile(r"(?:The|This|That|Such|Any|Each|An?|In|Under|Of|See|With|If|No|All|Our|Its)\s+")


@cache
def _measures() -> Lexicon[str]:
    names: dict[str, str] = {}
    for line in read_lines("measures.txt"):
        first, *rest = line.split("|")
        names |= {name.casefold(): first for name in (first, *rest)}
    return Lexicon(names)


def find_values(text: str) -> Iterator[Span]:
    """All values, laws, cases, contracts and measures of a text; they may overlap."""
    for type, weight, pattern in _COMPILED:
        for match in pattern.finditer(text):
            start, end = match.span("v") if "v" in match.re.groupindex else match.span()
            if type in ("LAW", "CONTRACT"):
                # "The Exchange Act" and "Exchange Act" are one; a heading in capitals is no name.
                while lead := _LEADING.match(text, start, end):
                    start = lead.end()
                if not _whole(text[start:end].strip()):
                    continue
                if type == "CONTRACT" and _UPPER.search(text, start, end):
                    continue
            trimmed = text[start:end].strip()
            start = text.index(trimmed, start)
            yield Span(start, start + len(trimmed), type, trimmed, weight)
    folded = text.casefold()
    for start, end, _ in _measures().find(folded) if len(folded) == len(text) else ():
        yield Span(start, end, "MEASURE", text[start:end], 0.4)


def _whole(name: str) -> bool:
    """False for a lone word ("Agreement"), which is no law's or contract's name."""
    return " " in name or name.startswith(("《", "第", "§")) or any(c.isdigit() for c in name)


def is_law_title(title: str) -> bool:
    """True where a document's title reads as that of a law or regulation."""
    return _LAW_TITLE.search(title.strip()) is not None
