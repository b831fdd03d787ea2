"""Fonts, line breaking and justification for Latin and Chinese text."""

from __future__ import annotations

import functools
import itertools
import re
from typing import NamedTuple

import pymupdf

Point = tuple[float, float]
Box = tuple[float, float, float, float]
Color = tuple[float, float, float]

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


class Pen:
    """Writes on one page; everything is kept until `lift`, lines and boxes under the text."""

    def __init__(self, page: pymupdf.Page) -> None:
        self._page = page
        self._shape = page.new_shape()
        self._runs: list[tuple[float, float, str, Style]] = []

    def draw(self, x: float, baseline: float, text: str, style: Style) -> None:
        """Set one line with its left end at `x`."""
        self._runs.append((x, baseline, text, style))

    def justified(self, x: float, baseline: float, text: str, style: Style, room: float) -> None:
        """Set one line stretched to `room` points by wider blanks."""
        words = text.split()
        gap = (room - sum(width(w, style) for w in words)) / max(1, len(words) - 1)
        for word in words:
            self.draw(x, baseline, word, style)
            x += width(word, style) + gap

    def line(self, a: Point, b: Point, *, thick: float = 1.0, color: Color = (0.0, 0.0, 0.0)) -> None:
        """A straight line, `thick` points wide."""
        self._shape.draw_line(a, b)
        self._shape.finish(width=thick, color=color)

    def box(
        self, box: Box, *, thick: float = 0.0, color: Color | None = None, fill: Color | None = None, radius: float = 0
    ) -> None:
        """A rectangle, its corners rounded by `radius` (share of the shorter side)."""
        self._shape.draw_rect(pymupdf.Rect(box), radius=radius or None)
        self._shape.finish(width=thick, color=color, fill=fill)

    def polygon(self, points: list[Point], *, fill: Color) -> None:
        """A filled outline."""
        self._shape.draw_polyline([*points, points[0]])
        self._shape.finish(width=0.3, color=fill, fill=fill)

    def lift(self) -> None:
        """Write what was drawn; runs that follow each other in one colour go together."""
        self._shape.commit()
        for (color, heavy), runs in itertools.groupby(self._runs, key=lambda r: (r[3].color, r[3].heavy)):
            writer = pymupdf.TextWriter(self._page.rect)
            for x, y, text, style in runs:
                writer.append((x, y), text, font=font(style.font), fontsize=style.size)
            writer.write_text(self._page, color=color, render_mode=2 if heavy else 0)
