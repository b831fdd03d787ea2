"""Fonts, line breaking and justification for Latin and Chinese text."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

import pymupdf

CLOSING = "，。；：、！？）》」』”’〕%％"
OPENING = "（《「『“‘〔"
_PIECES = re.compile(
    r"\s+|[\u2e80-\ua4cf\uf900-\ufaff\ufe30-\uffef“”‘’]|[^\s\u2e80-\ua4cf\uf900-\ufaff\ufe30-\uffef“”‘’]+"
)


class Style(NamedTuple):
    """How a run of text is set: MuPDF font name, size and line distance in points, `heavy` = stroked outline."""

    font: str
    size: float
    leading: float
    heavy: bool = False
    color: tuple[float, float, float] = (0.0, 0.0, 0.0)


@functools.cache
def font(name: str) -> pymupdf.Font:
    """MuPDF's built-in font: "tiro", "tibo", "tiit" (Times), "helv", "hebo" (Helvetica), "cjk", ..."""
    return pymupdf.Font(name)


@functools.cache
def _advance(name: str, char: str) -> float:
    return font(name).text_length(char, fontsize=1000) / 1000


def width(text: str, style: Style) -> float:
    """Set width in points."""
    return style.size * sum(_advance(style.font, char) for char in text)


def _units(text: str) -> list[str]:
    """Pieces that are never broken: words with their blank, Han characters with the punctuation that clings."""
    out: list[str] = []
    for piece in _PIECES.findall(text):
        if piece.isspace():
            if out:
                out[-1] += " "
        elif out and (piece[0] in CLOSING or out[-1][-1] in OPENING):
            out[-1] += piece
        else:
            out.append(piece)
    return out


def wrap(text: str, style: Style, room: float, *, first: float = 0.0) -> list[str]:
    """Break `text` into lines of at most `room` points, the first shorter by `first`; blanks at ends are kept off."""
    units = _units(text) if style.font == "cjk" else re.findall(r"\S+\s*", text)
    lines: list[str] = []
    line = ""
    for unit in units:
        limit = room - (0.0 if lines else first)
        if line and width((line + unit).rstrip(), style) > limit:
            lines.append(line)
            line = ""
        line += unit
    if line:
        lines.append(line)
    return lines


def draw(page: pymupdf.Page, x: float, baseline: float, text: str, style: Style) -> None:
    """Set one line with its left end at `x`."""
    _write(page, [(x, baseline, text)], style)


def draw_justified(page: pymupdf.Page, x: float, baseline: float, text: str, style: Style, room: float) -> None:
    """Set one line stretched to `room` points by wider blanks."""
    words = text.split()
    gap = (room - sum(width(w, style) for w in words)) / max(1, len(words) - 1)
    runs = []
    for word in words:
        runs.append((x, baseline, word))
        x += width(word, style) + gap
    _write(page, runs, style)


def _write(page: pymupdf.Page, runs: list[tuple[float, float, str]], style: Style) -> None:
    writer = pymupdf.TextWriter(page.rect)
    for x, y, text in runs:
        writer.append((x, y), text, font=font(style.font), fontsize=style.size)
    writer.write_text(page, color=style.color, render_mode=2 if style.heavy else 0)
