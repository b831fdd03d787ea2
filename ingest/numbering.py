"""How headings are numbered, and which scheme of numbers encloses which."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_HAN = "[一二三四五六七八九十百零〇\\d]+"
_SCHEMES: tuple[tuple[str, re.Pattern[str], int], ...] = (
    ("part", re.compile(r"(?:PART|TITLE|Part|Title)\s+(?:[IVX]+|\d+|ONE|TWO|THREE)\b"), 1),
    ("part", re.compile(rf"第{_HAN}[编篇部](?![分门])"), 1),
    ("chapter", re.compile(r"CHAPTER\s+(?:[IVXLC]+|\d+)\b", re.IGNORECASE), 2),
    ("chapter", re.compile(rf"第{_HAN}章"), 2),
    ("appendix", re.compile(r"(?:APPENDIX|ANNEX|SCHEDULE|EXHIBIT)\s+(?:[IVXLC]+|\d+|[A-Z])\b", re.IGNORECASE), 2),
    ("appendix", re.compile(r"(?:附录|附件)\s*[\dA-Z一二三四五六七八九十]+"), 2),
    ("item", re.compile(r"ITEM\s+\d{1,2}[A-C]?\b", re.IGNORECASE), 2),
    ("article", re.compile(r"ARTICLE\s+(?:[IVXLC]+|\d+)\b", re.IGNORECASE), 2),
    ("jie", re.compile(rf"第{_HAN}节"), 3),
    ("section", re.compile(r"(?:SECTION|Section|§)\s*(?:\d+(?:\.\d+)*|[A-Z]\b)"), 3),
    ("note", re.compile(r"NOTE\s+\d{1,2}\b", re.IGNORECASE), 3),
    ("tiao", re.compile(rf"第{_HAN}条"), 4),
    ("han", re.compile(r"[一二三四五六七八九十]{1,3}[、．.]"), 4),
    ("(han)", re.compile(r"[（(][一二三四五六七八九十]{1,3}[)）]"), 5),
    ("(1)", re.compile(r"[（(]\d{1,2}[)）]"), 7),
)
_DECIMAL = re.compile(
    r"(\d{1,2}(?:\.\d{1,2}){0,4})(?:[、．]|\.?(?=\s|[\u4e00-\u9fff\uac00-\ud7a3]))(?!\s*(?:%|\d|[年月日]))"
)
_APPENDED = re.compile(r"[A-Z](?:\.\d{1,2}){1,3}\.?\s+\S")
_ROMAN = re.compile(r"[IVX]{1,5}\.\s+\S")
_LETTER = re.compile(r"[A-Z]\.\s+\S")

_NUMBER = re.compile(
    r"(?:(?i:part|title|chapter|appendix|annex|schedule|exhibit|item|article|section|note|§)\s*)?"
    r"(?:\d{1,2}(?:\.\d{1,2}){0,4}[A-C]?|[IVXLC]+|[A-Z](?:\.\d{1,2}){0,3})[.:)]?\s+(?=\S)"
    rf"|第{_HAN}[编篇部章节条]\s*|(?:附录|附件)\s*[\dA-Z一二三四五六七八九十]+\s*|[（(]?[一二三四五六七八九十\d]{{1,3}}[、．)）]\s*"
)

_FIXED = {"part": 0, "chapter": 1, "item": 2, "jie": 2, "tiao": 4}
"""Schemes that always stand in this order."""

_UNDER = {"(han)": "han", "(1)": "1", **{".".join("1" * n): ".".join("1" * (n - 1)) for n in range(2, 6)}}
"""Schemes that always stand right below another where the document has that."""


@lru_cache(maxsize=1024)  # asked several times of every heading, and of what may be one
def scheme(text: str) -> str | None:
    """The scheme that a heading's number belongs to (`item`, `1.1`, `han`, …); None where it has no number."""
    for name, pattern, _ in _SCHEMES:
        if pattern.match(text):
            return name
    decimal = _DECIMAL.match(text)
    if decimal:
        return ".".join("1" for _ in decimal[1].split("."))
    if _APPENDED.match(text):
        return ".".join("1" for _ in text.split()[0].rstrip(".").split("."))
    if _ROMAN.match(text):
        return "roman"
    return "letter" if _LETTER.match(text) else None


def numbering(text: str) -> int | None:
    """Rank of a heading's numbering in most documents, 1 the highest; None without one. `2.1.3` ranks by its parts."""
    name = scheme(text)
    if name is None:
        return None
    fixed = next((rank for known, _, rank in _SCHEMES if known == name), None)
    if fixed is not None:
        return fixed
    return {"roman": 2, "letter": 3}.get(name) or 2 + name.count(".")


def nesting(names: Iterable[str]) -> list[str]:
    """The schemes of one document, the enclosing first, from those of its headings in order.

    A scheme that turns up first under another stands below it: `1.` under `第一条` in a contract, `Article` under
    `Section` in one law and above it in the next. Appendices are left out: they stand beside what the rest is made of.
    """
    order: list[str] = []
    last = ""
    for name in names:
        if name == "appendix":
            last = ""
            continue
        if name not in order:
            order.insert(_place(name, last, order), name)
        last = name
    return order


def _place(name: str, last: str, order: list[str]) -> int:
    if name in _FIXED:
        above = [i for i, n in enumerate(order) if _FIXED.get(n, 9) <= _FIXED[name]]
        return max(above) + 1 if above else 0
    below = [i for i, n in enumerate(order) if _UNDER.get(n) == name]
    if below:
        return below[0]
    if _UNDER.get(name) in order:
        return order.index(_UNDER[name]) + 1
    return order.index(last) + 1 if last in order else len(order)


def unnumbered(text: str) -> str:
    """A heading without its number: outlines often leave it out."""
    found = _NUMBER.match(text)
    return text[found.end() :] if found else text
