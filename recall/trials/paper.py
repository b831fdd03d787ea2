"""A plain typesetter: headings, paragraphs, tables and bar charts down a page, and on which page each fact came."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pymupdf

WIDTH, HEIGHT = 595.0, 842.0
LEFT, RIGHT, TOP, FLOOR = 64.0, 531.0, 72.0, 770.0
STAMP = "D:20240401090000Z"
"""The one date in the metadata, so that a file is the same on every run."""


_RUNS = re.compile(r"[\x20-\x7e]+|[^\x20-\x7e]+")


@lru_cache(maxsize=1 << 16)
def _wide(text: str, font: str, size: float) -> float:
    """Points that a text takes. Latin letters and figures within Chinese are set in Helvetica, as printers do."""
    import pymupdf

    runs = [text] if font != "china-s" else _RUNS.findall(text)
    return float(sum(pymupdf.get_text_length(run, fontname=_face(run, font), fontsize=size) for run in runs))


def _face(run: str, font: str) -> str:
    return "helv" if font == "china-s" and run.isascii() else font


class Paper:
    """One document being set. `facts` maps a key to the 1-based pages that state it.

    Args:
        chinese: set in the Chinese font that PDF readers carry; else in Times and Helvetica.
        running: header and footer of a 1-based page number.
    """

    def __init__(self, *, chinese: bool, running: Callable[[int], tuple[str, str]]) -> None:
        import pymupdf

        self.body, self.bold = ("china-s", "china-s") if chinese else ("tiro", "tibo")
        self.chinese, self.running = chinese, running
        self.doc: pymupdf.Document = pymupdf.open()
        self.outline: list[list[Any]] = []
        self.facts: defaultdict[str, set[int]] = defaultdict(set)
        self.drawing: Any = None
        self.open_page()

    def open_page(self) -> None:
        """Go on to a new page."""
        self._commit()
        page = self.doc.new_page(width=WIDTH, height=HEIGHT)
        self.drawing = page.new_shape()
        self.y = TOP
        head, foot = self.running(self.doc.page_count)
        self._put(LEFT, 44, head, self.body, 8)
        self._put((LEFT + RIGHT - _wide(foot, self.body, 8)) / 2, 806, foot, self.body, 8)

    def _commit(self) -> None:
        """Write what was drawn to its page at once: text set piece by piece costs a rewritten stream each time."""
        if self.drawing is not None:
            self.drawing.commit()

    def _put(self, x: float, y: float, text: str, font: str, size: float) -> None:
        for run in [text] if font != "china-s" else _RUNS.findall(text):
            if run:
                self.drawing.insert_text((x, y), run, fontname=_face(run, font), fontsize=size)
                x += _wide(run, font, size)

    def need(self, height: float) -> None:
        """A new page where less than `height` points are left."""
        if self.y + height > FLOOR:
            self.open_page()

    def fact(self, *keys: str) -> None:
        """What was set last stands on this page."""
        for key in keys:
            self.facts[key].add(self.doc.page_count)

    def heading(self, text: str, level: int = 1) -> None:
        """A heading of level 1 (outermost) to 3."""
        size = (14.0, 12.0, 10.5)[level - 1]
        self.y += size * 0.8
        self.need(size * 1.4 + 60)
        for line in self._wrapped(text, self.bold, size):
            self.y += size * 1.35
            self._put(LEFT, self.y, line, self.bold, size)
        self.y += 6
        self.outline.append([level, text, self.doc.page_count])

    def line(self, text: str, *, size: float = 10.5, centred: bool = False) -> None:
        """One line on its own."""
        self.need(size * 1.5)
        self.y += size * 1.4
        x = (LEFT + RIGHT - _wide(text, self.bold, size)) / 2 if centred else LEFT
        self._put(x, self.y, text, self.bold if centred else self.body, size)

    def text(self, text: str, *facts: str, size: float = 10.0, whole: bool = True) -> list[tuple[int, str]]:
        """A paragraph, the facts it states, and whether it stays on one page; its lines with their pages."""
        lines = self._wrapped(text, self.body, size, indent=2 * size if self.chinese else 0.0)
        leading = size * (1.5 if self.chinese else 1.3)
        self.need(leading * (min(len(lines), 40) if whole else min(len(lines), 2)))
        out = []
        for i, line in enumerate(lines):
            self.need(leading)
            self.y += leading
            self._put(LEFT + (2 * size if self.chinese and i == 0 else 0.0), self.y, line, self.body, size)
            out.append((self.doc.page_count, line))
        self.fact(*facts)
        self.y += 5
        return out

    def _wrapped(self, text: str, font: str, size: float, *, indent: float = 0.0) -> list[str]:
        lines, now, wide, room = [], "", 0.0, RIGHT - LEFT - indent
        for piece in _pieces(text):
            if now and wide + _wide(piece.rstrip(), font, size) > room and piece not in "，。；：、）":
                lines.append(now.rstrip())
                now, wide, room = "", 0.0, RIGHT - LEFT
                piece = piece.lstrip()
            now += piece
            wide += _wide(piece, font, size)
        return [*lines, now.rstrip()] if now.strip() else lines

    def table(
        self, caption: str, header: Sequence[str], rows: Iterable[Sequence[str]], *, facts: Iterable[str] = (),
        label: float = 0.46, rules: bool = True,
    ) -> None:  # fmt: skip
        """A table that stays on one page: labels left, figures set right; a row of one cell is a section's name."""
        rows, size, leading = list(rows), 9.0, 13.0
        self.need(leading * (len(rows) + 3))
        self.y += leading
        self._put(LEFT, self.y, caption, self.bold, 9.5)
        self.y += 4
        first = (RIGHT - LEFT) * label
        slot = (RIGHT - LEFT - first) / max(len(header) - 1, 1)
        self._rule(self.y)
        for number, row in enumerate((header, *rows)):
            self.y += leading
            font = self.bold if number == 0 or len(row) == 1 else self.body
            for column, cell in enumerate(row):
                if column == 0:
                    self._put(LEFT + (0 if number == 0 or len(row) == 1 else 6), self.y, cell, font, size)
                else:
                    x = LEFT + first + slot * column - _wide(cell, font, size) - 4
                    self._put(x, self.y, cell, font, size)
            if number == 0 or (rules and number == len(rows)):
                self._rule(self.y + 4)
                self.y += 2
        self.y += 10
        self.fact(*facts)

    def _rule(self, y: float) -> None:
        self.drawing.draw_line((LEFT, y), (RIGHT, y))
        self.drawing.finish(width=0.6)

    def chart(self, caption: str, names: Sequence[str], values: Sequence[float], *, facts: Iterable[str] = ()) -> None:
        """Bars with their names and values, the caption below."""
        tall = 130.0
        self.need(tall + 50)
        base, slot, peak = self.y + tall, (RIGHT - LEFT - 40) / len(names), max(values)
        self.drawing.draw_line((LEFT + 20, base), (RIGHT - 20, base))
        self.drawing.finish(width=0.8)
        for i, (name, value) in enumerate(zip(names, values, strict=True)):
            x, high = LEFT + 20 + slot * (i + 0.2), (tall - 20) * value / peak
            self.drawing.draw_rect((x, base - high, x + slot * 0.6, base))
            self.drawing.finish(color=None, fill=(0.2, 0.4, 0.62))
            self._put(x, base - high - 3, f"{value:,.0f}", self.body, 8)
            self._put(x, base + 11, name, self.body, 8)
        self.y = base + 28
        self._put(LEFT, self.y, caption, self.bold, 9.5)
        self.y += 12
        self.fact(*facts)

    def finish(self, title: str) -> bytes:
        """The file's bytes, the same on every run."""
        self._commit()
        self.doc.set_toc(self.outline)
        self.doc.set_metadata({"title": title, "creationDate": STAMP, "modDate": STAMP})
        data: bytes = self.doc.tobytes(garbage=3, deflate=True, no_new_id=True)
        self.doc.close()
        return data


def _pieces(text: str) -> list[str]:
    """What a line may be broken between: words with the blank after them, single Han characters."""
    out, word = [], ""
    for char in text:
        if "\u2e80" <= char <= "\uffef" or char in "“”《》":
            out += [word, char] if word else [char]
            word = ""
        else:
            word += char
            if char == " ":
                out.append(word)
                word = ""
    return [*out, word] if word else out
