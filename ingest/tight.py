"""Blanks between words that are set so tight that MuPDF sees none.

Headings are set with less room between their letters than the font asks for. A blank that was made by moving on, not
by a character, is then hardly wider than nothing, though far wider than the gaps around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import pymupdf

from h3cold.ingest.page_facts import Line, PageFacts, sizes_of

LARGE = 1.15
"""Size, as a multiple of the usual one of a page, from which text may be set tight."""

TIGHT, WIDER = 0.02, 0.12
"""How far letters overlap, and how much wider than that the gap between words is, as shares of the font's size."""

TEXT = 0
"""MuPDF's number for a block of text."""

_LONG = re.compile(r"[A-Za-z]{10,}")


def part_words(textpage: Any, facts: PageFacts) -> None:
    """Put blanks into large lines of one long "word" where their letters show them. Letter by letter, but few lines."""
    if not facts.lines:
        return
    sizes = sizes_of(facts.lines)
    large = LARGE * sorted(sizes)[len(sizes) // 2]
    if max(sizes) < large:
        return
    wanted = {
        (round(line.bbox[0]), round(line.bbox[1])): k
        for k, (line, size) in enumerate(zip(facts.lines, sizes, strict=True))
        if size >= large and len(line.spans) == 1 and _LONG.fullmatch(line.text.strip())
    }
    for block in _blocks_with(textpage, [y for _, y in wanted]) if wanted else ():
        for line in block:
            box = line.m_internal.bbox
            k = wanted.get((round(box.x0), round(box.y0)))
            if k is None:
                continue
            chars = list(_letters(line))
            if "".join([c for c, _, _ in chars]) == facts.lines[k].text:
                facts.lines[k] = _said(facts.lines[k], _parted(chars, facts.lines[k].size))


def _blocks_with(textpage: Any, tops: Sequence[int]) -> Iterator[pymupdf.mupdf.FzStextBlock]:
    """The blocks of text that reach over one of these heights."""
    block = textpage.this.m_internal.first_block  # the iterator over all that a page has takes ten times as long
    while block:
        if block.type == TEXT:
            top, foot = block.bbox.y0 - 1, block.bbox.y1 + 1
            if any(top < y < foot for y in tops):
                yield pymupdf.mupdf.FzStextBlock(block)
        block = block.next


def _letters(line: Any) -> Iterator[tuple[str, float, float]]:
    """A line's characters with their left and right edge."""
    char = line.m_internal.first_char  # the iterator over a line takes ten times as long
    while char:
        quad = char.quad
        yield chr(char.c), quad.ll.x, quad.lr.x
        char = char.next


def _parted(chars: list[tuple[str, float, float]], size: float) -> str:
    gaps = [b[1] - a[2] for a, b in pairwise(chars) if not (a[0].isspace() or b[0].isspace())]
    usual = sorted(gaps)[len(gaps) // 2] if gaps else 0.0
    if usual > -TIGHT * size:
        return "".join([c for c, _, _ in chars])
    out = chars[0][0]
    for a, b in pairwise(chars):
        apart = b[1] - a[2] > usual + WIDER * size and not (a[0].isspace() or b[0].isspace())
        out += " " + b[0] if apart else b[0]
    return out


def _said(line: Line, text: str) -> Line:
    return line._replace(text=text, spans=(line.spans[0]._replace(text=text),))
