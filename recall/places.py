"""Where in a document a question points: "on page 12", "the cover page", "Figure 3", "附注七"."""

from __future__ import annotations

import re

LAST = -1
"""The last page, whichever number it has."""

MOST = 12
"""Pages that one question names, at most."""

_PAGES = re.compile(
    r"\b(?:pages?|pp?\.|pg\.?)\s*#?(?P<a>\d{1,4})\b(?:\s*(?P<to>-|–|to|through)\s*(?:pages?\s*)?(?P<b>\d{1,4})\b)?"
    r"(?P<more>(?:\s*(?:,|and|&)\s*(?:pages?\s*)?\d{1,4}\b)*)",
    re.IGNORECASE,
)
_PAGES_ZH = re.compile(r"第\s*(?P<a>\d{1,4})\s*(?:(?P<to>[-–~至到])\s*第?\s*(?P<b>\d{1,4})\s*)?页")
_FIRST = re.compile(r"\b(?:cover|title|front|first)[\s-]?page\b|\bon the cover\b|封面|首页|第一页|扉页", re.IGNORECASE)
_LAST = re.compile(r"\b(?:last|final)\s+page\b|最后一页|末页|尾页", re.IGNORECASE)
_NUMBERED = re.compile(
    r"\b(?i:table|figure|fig|exhibit|chart|schedule|item|note|section|appendix|annex|article|chapter|part)\.?\s*"
    r"(?=[\dA-Z])(?:\d{1,3}[A-Za-z]?|[IVX]+|[A-Z]\d*)(?:[.-]\d+)*(?![\w%])"
    r"|(?:表|图|附注|附表|附录|注释)\s*(?:\d{1,3}(?:[.-]\d+)*(?!\d|年)|[一二三四五六七八九十]+(?!年))"
)


def named_pages(text: str) -> tuple[int, ...]:
    """1-based pages that `text` names, `LAST` for the last one; each once."""
    out: dict[int, None] = {}
    for pattern in (_PAGES, _PAGES_ZH):
        for m in pattern.finditer(text):
            first, last = int(m["a"]), int(m["b"] or m["a"])
            out |= dict.fromkeys(range(first, last + 1) if first <= last < first + MOST else (first, last))
            if pattern is _PAGES:
                out |= dict.fromkeys(map(int, re.findall(r"\d+", m["more"])))
    if _FIRST.search(text):
        out[1] = None
    if _LAST.search(text):
        out[LAST] = None
    return tuple(p for p in out if p == LAST or p > 0)[:MOST]


def without_pages(text: str) -> str:
    """`text` without what names pages: it says where, not what."""
    for pattern in (_PAGES, _PAGES_ZH, _FIRST, _LAST):
        text = pattern.sub(" ", text)
    return text


def named_parts(text: str) -> tuple[str, ...]:
    """The numbered tables, figures, notes and sections that `text` names, as written: "Figure 3", "Item 7A"."""
    return tuple(dict.fromkeys(m.group().strip() for m in _NUMBERED.finditer(text)))
