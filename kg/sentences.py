"""Cuts a text into sentences of bounded length, without a model."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 1500
"""Characters; a longer run (a list without stops, OCR noise) is cut at a blank, or hard where there is none."""

_END = re.compile(r"[.!?][\"”’)]{0,2}(?=\s{1,20}[\"“(]{0,2}[A-Z0-9])|[。！？；][”」』）]{0,2}|\n{2,}")
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|Inc|Corp|Co|Ltd|No|Nos|vs?|Sec|Art|Fig|Vol|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?"
    r"|Oct|Nov|Dec|approx|etc|U\.S|U\.K|e\.g|i\.e|Hon|Gen|Rep|Sen|Gov|Messrs|Bros|cf|al)|\b[A-Z]|\.[A-Z])\.$"
)


def sentences(text: str, *, whole: bool = False) -> Iterator[tuple[int, int]]:
    """(start, end) of each sentence, trimmed of blanks; none is longer than `LONGEST`.

    A Chinese semicolon ends one, unless `whole` sentences are asked for.
    """
    start = 0
    for match in _END.finditer(text):
        if whole and match.group().startswith("；"):
            continue
        if match.group().startswith(".") and _ABBREVIATION.search(
            text, max(start, match.start() - 8), match.start() + 1
        ):
            continue
        yield from _pieces(text, start, match.end())
        start = match.end()
    yield from _pieces(text, start, len(text))


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > LONGEST:
        blank = text.rfind(" ", start, start + LONGEST)
        cut = blank if blank > start else start + LONGEST
        yield from _trimmed(text, start, cut)
        start = cut
    yield from _trimmed(text, start, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end
