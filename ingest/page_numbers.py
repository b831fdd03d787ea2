"""Lines that say which page they stand on, and texts that are the same from page to page but for such numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from h3cold.ingest.page_facts import Line

FEWEST_ENTRIES = 5
"""Numbers that end at one place and never fall from top to bottom, from which they are those of a table of contents."""

_PAGE_NUMBER = re.compile(
    r"\W{0,3}(?:(?:page|p\.|pg\.?|seite)\s*)?(?:[A-Z]{1,2}-)?(\d{1,4}|\d{1,2}-\d{1,3}|[ivxl]{1,6})(?:\s*(?:of|/|\|)\s*\d{1,4})?\W{0,3}"
    r"|[-—\s]*第?\s*(\d{1,4})\s*页?(?:\s*[,，/]?\s*共\s*\d+\s*页)?[-—\s]*",
    re.IGNORECASE,
)

_NAMES_PAGE = re.compile(
    r"(?:^|[\s|–—-])(?:page|pagina|página|seite|pg\.?|p\.)\s*\d{1,4}(?:\s*(?:of|/|de|von|di|sur)\s*\d{1,4})?\W*$"
    r"|第\s*\d{1,4}\s*页(?:\s*[,，/]?\s*共\s*\d{1,4}\s*页)?\W*$",
    re.IGNORECASE,
)

_DIGITS = re.compile(r"\d+")
_LEADERS = re.compile(r"(?:[.·…]\s?){5,}(?:\s*\d{1,4})?\s*$")


@lru_cache(maxsize=4096)
def page_number(text: str) -> int | None:
    """The number in a line that is nothing but a page number (0 for a roman one); None otherwise."""
    found = _PAGE_NUMBER.fullmatch(text.strip())
    if not found:
        return None
    number = found[1] or found[2]
    number = number.rpartition("-")[2]
    return int(number) if number.isdecimal() else 0


def names_page(text: str) -> bool:
    """Whether a line ends in its page's number, named as such: "Appendix A - Page 1 of 51"."""
    return text.rstrip()[-1:].isalnum() and _NAMES_PAGE.search(text) is not None


@lru_cache(maxsize=4096)
def same_text(text: str) -> str:
    """Text as it is compared from page to page: numbers aside, without blanks and case."""
    if page_number(text) is not None:
        return "#"
    return _DIGITS.sub("#", "".join(text.split()).casefold())


def agreeing(texts: Mapping[int, str], text: str, at: int, offsets: Collection[int]) -> int:
    """On how many pages, by number, a line says the same as on page `at`: its numbers are the same there, or go with
    the pages as page numbers do, whose distances from the pages they stand on are `offsets` (none: not known).

    Titles such as "Proposal 1" that open pages here and there have numbers that do neither.
    """
    own = [int(n) for n in _DIGITS.findall(text)]
    if not own:
        return len(texts)
    steps = [(0, 1, 2) if not offsets or n - at in offsets else (0,) for n in own]
    return sum(
        all(b - a in (k * (page - at) for k in by)
            for a, b, by in zip(own, map(int, _DIGITS.findall(other)), steps, strict=False))
        for page, other in texts.items()
    )  # fmt: skip


def contents_lines(lines: Sequence[Line], wanted: Sequence[int]) -> set[int]:
    """Which lines, of those at the indices `wanted`, are entries of a table of contents: lines that lead to a page's
    number, such numbers in a column, and what stands on one line with them.
    """
    columns: dict[int, list[int]] = {}
    for i, line in enumerate(lines):
        if (text := line.text)[:1].isdigit() and text.strip().isdecimal():
            columns.setdefault(round(line.bbox[2] / 3), []).append(i)
    out = {i for i in wanted if _leads(lines[i].text)}
    for column in columns.values():
        if len(column) < FEWEST_ENTRIES:
            continue
        column.sort(key=lambda i: lines[i].bbox[1])
        numbers = [int(lines[i].text) for i in column]
        if numbers[0] < numbers[-1] and all(a <= b for a, b in pairwise(numbers)):
            middles = [(lines[i].bbox[1] + lines[i].bbox[3]) / 2 for i in column]
            out.update(i for i in wanted if any(lines[i].bbox[1] < m < lines[i].bbox[3] for m in middles))
    return out


def _leads(text: str) -> bool:
    """Whether dots lead to the end of a line, or to a number there."""
    if "." not in text and "·" not in text and "…" not in text:
        return False
    maybe = text.rstrip()[-2:] in ("..", " .", "··", "……", "…") or ". ." in text or "...." in text
    return maybe and _LEADERS.search(text) is not None
