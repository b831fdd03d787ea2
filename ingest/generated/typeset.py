"""A small typesetter: text flows over columns and pages, and everything set is recorded as the truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import pymupdf

from h3cold.ingest.generated.lettering import Pen, Style, width, wrap
from h3cold.ingest.generated.truth import BBox, TruthPage, TruthRegion

STAMP = "D:20240401090000Z"
"""The one date in every file's metadata, so that the bytes never change."""


class Book(NamedTuple):
    """The styles of one document. `headings` outermost first; `indent` is the first line's, in points."""

    title: Style
    headings: tuple[Style, ...]
    body: Style
    small: Style
    table: Style
    table_head: Style
    running: Style
    indent: float = 0.0
    gap: float = 6.0
    justify: bool = False


class Sheet:
    """Sets regions one after the other on pages that it adds as it needs them.

    `running` gives, for a 1-based page number, the header and the footer ("" = none); with `sides` both stand at the
    outer edge, left on even pages and right on odd ones.
    """

    def __init__(
        self,
        book: Book,
        *,
        size: tuple[float, float] = (595.0, 842.0),
        margins: tuple[float, float, float, float] = (72.0, 80.0, 72.0, 76.0),
        running: Callable[[int], tuple[str, str]] = lambda number: ("", ""),
        sides: bool = False,
    ) -> None:
        self.book, self.size, self.margins, self.running, self.sides = book, size, margins, running, sides
        self.doc = pymupdf.open()
        self.outline: list[tuple[int, str, int]] = []
        self.pages: list[TruthPage] = []
        self._body: list[TruthRegion] = []
        self._notes: list[TruthRegion] = []
        self._columns: list[tuple[float, float]] = []
        self.open_page()

    # --- pages and columns -------------------------------------------------------------------------------------

    @property
    def number(self) -> int:
        """1-based number of the page being set."""
        return self.doc.page_count

    @property
    def x0(self) -> float:
        """Left edge of the current column."""
        return self._columns[self._column][0]

    @property
    def x1(self) -> float:
        """Right edge of the current column."""
        return self._columns[self._column][1]

    @property
    def room(self) -> float:
        """Width of the current column."""
        return self.x1 - self.x0

    def open_page(self) -> None:
        """Start a page; the one before is closed."""
        if self.doc.page_count:
            self._close_page()
        self.pen = Pen(self.doc.new_page(width=self.size[0], height=self.size[1]))
        if len(self._columns) < 2:
            self._columns = [(self.margins[0], self.size[0] - self.margins[2])]
        self._column = 0
        self.y = self._top = self.margins[1]
        self.floor = self._lowest = self.size[1] - self.margins[3]

    def _close_page(self) -> None:
        head, foot = self.running(self.number)
        style = self.book.running
        header: list[TruthRegion] = []
        footer: list[TruthRegion] = []
        left, right = self.margins[0], self.size[0] - self.margins[2]
        if head:
            y = self.margins[1] - 30
            x = right - width(head, style) if self.sides and self.number % 2 else left
            self.pen.draw(x, y, head, style)
            self.pen.line((left, y + 6), (right, y + 6), thick=0.5, color=(0.4, 0.4, 0.4))
            header.append(TruthRegion("header", head, self._line_box(x, y, head, style)))
        if foot:
            y = self.size[1] - 40
            outer = right - width(foot, style) if self.number % 2 else left
            x = outer if self.sides else (left + right - width(foot, style)) / 2
            self.pen.draw(x, y, foot, style)
            footer.append(TruthRegion("footer", foot, self._line_box(x, y, foot, style)))
        self.pen.lift()
        regions = (*header, *self._body, *self._notes, *footer)
        self.pages.append(TruthPage(self.number, *self.size, regions))
        self._body, self._notes = [], []

    @staticmethod
    def _line_box(x: float, y: float, text: str, style: Style) -> BBox:
        return (x, y - style.size, x + width(text, style), y + 0.25 * style.size)

    def columns(self, count: int, *, gap: float = 22.0, height: float | None = None) -> None:
        """Go on in `count` columns, on this page no deeper than `height` points."""
        left, right = self.margins[0], self.size[0] - self.margins[2]
        wide = (right - left - gap * (count - 1)) / count
        self._columns = [(left + i * (wide + gap), left + i * (wide + gap) + wide) for i in range(count)]
        self._column, self._top = 0, self.y
        if height is not None:
            self.floor = min(self.floor, self.y + height)

    def one_column(self) -> None:
        """Back to the full width, below the columns."""
        if len(self._columns) > 1:
            self.y = self.floor + 8 if self._column else self.y
        self._columns = [(self.margins[0], self.size[0] - self.margins[2])]
        self._column, self.floor = 0, self._lowest

    def need(self, height: float) -> bool:
        """Make sure that `height` points are left; True when that took a new column or page."""
        if self.y + height <= self.floor + 0.01:
            return False
        self.advance()
        return True

    def advance(self) -> None:
        """On to the next column, or page after the last."""
        if self._column + 1 < len(self._columns):
            self._column += 1
            self.y = self._top
        else:
            self.open_page()

    def space(self, height: float) -> None:
        """Leave white space, none at the top of a column."""
        if self.y > self._top:
            self.y += height

    def add(self, region: TruthRegion) -> None:
        """Record what was set."""
        self._body.append(region)

    # --- text --------------------------------------------------------------------------------------------------

    def text(
        self,
        text: str,
        *,
        style: Style | None = None,
        kind: str = "text",
        align: str = "left",
        indent: float | None = None,
        level: int | None = None,
    ) -> None:
        """Set a paragraph; it goes on in the next column or page where it must, two lines at least on each side."""
        style = style or self.book.body
        first = (self.book.indent if kind == "text" and align == "left" else 0.0) if indent is None else indent
        lines = wrap(text, style, self.room, first=first)
        part: list[str] = []
        top = None
        continues = False
        self.need(style.leading * min(2, len(lines)))
        for i, line in enumerate(lines):
            ends_page = self.y + style.leading > self.floor + 0.01
            widow = i == len(lines) - 2 and len(part) > 1 and self.y + 2 * style.leading > self.floor + 0.01
            if (ends_page or widow) and part:
                self._record(kind, part, top or 0.0, style, level, continues)
                part, continues, top = [], True, None
                self.advance()
            top = self.y if top is None else top
            self._set_line(line.rstrip(), style, align, first if i == 0 else 0.0, last=i == len(lines) - 1)
            part.append(line)
            self.y += style.leading
        self._record(kind, part, top or 0.0, style, level, continues)
        self.space(self.book.gap)

    def _set_line(self, line: str, style: Style, align: str, shift: float, *, last: bool) -> None:
        free = self.room - width(line, style)
        x = self.x0 + {"left": shift, "center": free / 2, "right": free}[align]
        base = self.y + 0.5 * style.leading + 0.35 * style.size
        if self.book.justify and align == "left" and not last and " " in line and style == self.book.body:
            self.pen.justified(x, base, line, style, self.room - shift)
        else:
            self.pen.draw(x, base, line, style)

    def _record(
        self, kind: str, lines: Sequence[str], top: float, style: Style, level: int | None, continues: bool
    ) -> None:
        box = (self.x0, top, self.x1, self.y)
        self.add(TruthRegion(kind, "".join(lines).strip(), box, level=level, continues=continues))

    def heading(self, text: str, level: int) -> None:
        """Set a heading with room for some text below it."""
        style = self.book.headings[level - 1]
        lines = wrap(text, style, self.room)
        self.space(style.size * 0.9)
        self.need(style.leading * len(lines) + 3 * self.book.body.leading)
        self.outline.append((level, text, self.number))
        self.text(text, style=style, kind="heading", level=level)

    def title(self, text: str, *, align: str = "center") -> None:
        """Set the document's title."""
        self.text(text, style=self.book.title, kind="title", align=align)

    def items(self, items: Sequence[str], *, marks: Sequence[str] | str = "•", hang: float = 16.0) -> None:
        """Set a list, its marks hanging left; items stay whole."""
        style = self.book.body
        top, continues = self.y, False
        done: list[str] = []
        for i, item in enumerate(items):
            lines = wrap(item, style, self.room - hang)
            if self.y + style.leading * len(lines) > self.floor:
                if done:
                    self.add(TruthRegion("list", "\n".join(done), (self.x0, top, self.x1, self.y), continues=continues))
                    done, continues = [], True
                self.advance()
                top = self.y
            mark = marks if isinstance(marks, str) else marks[i]
            for j, line in enumerate(lines):
                base = self.y + 0.5 * style.leading + 0.35 * style.size
                if j == 0:
                    self.pen.draw(self.x0 + 2, base, mark, style)
                self.pen.draw(self.x0 + hang, base, line.rstrip(), style)
                self.y += style.leading
            done.append(f"{mark} {item}")
            self.y += 2
        self.add(TruthRegion("list", "\n".join(done), (self.x0, top, self.x1, self.y), continues=continues))
        self.space(self.book.gap)

    def boxed(self, paragraphs: Sequence[str], *, tint: tuple[float, float, float] = (0.93, 0.95, 0.98)) -> None:
        """Set paragraphs in a tinted box of the column's width; it stays whole."""
        style, pad = self.book.small, 8.0
        wrapped = [wrap(text, style, self.room - 2 * pad) for text in paragraphs]
        height = 2 * pad + style.leading * sum(map(len, wrapped)) + self.book.gap * (len(wrapped) - 1)
        self.space(4)
        self.need(height)
        self.pen.box((self.x0, self.y, self.x1, self.y + height), fill=tint)
        y = self.y + pad
        for text, lines in zip(paragraphs, wrapped, strict=True):
            top = y
            for line in lines:
                self.pen.draw(self.x0 + pad, y + 0.5 * style.leading + 0.35 * style.size, line.rstrip(), style)
                y += style.leading
            self.add(TruthRegion("text", text, (self.x0 + pad, top, self.x1 - pad, y)))
            y += self.book.gap
        self.y += height
        self.space(self.book.gap + 4)

    def footnotes(self, *notes: str) -> None:
        """Set this page's notes at its foot; once a page, before the text has come down that far."""
        style = self.book.small
        left, right = self.margins[0], self.size[0] - self.margins[2]
        wrapped = [wrap(note, style, right - left) for note in notes]
        y = self._lowest - style.leading * sum(map(len, wrapped))
        if self._notes or self.y > y - 8:
            raise ValueError(f"no room for footnotes on page {self.number}: {notes[0][:40]}")
        self.floor = min(self.floor, y - 8)
        self.pen.line((left, y - 4), (left + 120, y - 4), thick=0.5)
        for note, lines in zip(notes, wrapped, strict=True):
            top = y
            for line in lines:
                self.pen.draw(left, y + 0.5 * style.leading + 0.35 * style.size, line.rstrip(), style)
                y += style.leading
            self._notes.append(TruthRegion("footnote", note, (left, top, right, y)))

    def finish(self, *, title: str, author: str = "", outline: bool = False) -> tuple[bytes, tuple[TruthPage, ...]]:
        """Close the last page; the file's bytes, the same on every run, and its truth."""
        self._close_page()
        return finish_file(self.doc, title=title, author=author, outline=self.outline if outline else ()), tuple(
            self.pages
        )


def finish_file(
    doc: pymupdf.Document, *, title: str, author: str = "", outline: Sequence[tuple[int, str, int]] = ()
) -> bytes:
    """Fonts cut down to what is used, fixed metadata, no random file id."""
    if outline:
        doc.set_toc([list(entry) for entry in outline])
    doc.set_metadata({"title": title, "author": author, "creationDate": STAMP, "modDate": STAMP})
    doc.subset_fonts()
    return doc.tobytes(garbage=4, deflate=True, no_new_id=True)
