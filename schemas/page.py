"""What parsing makes of a file: regions on pages, tables with cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from h3cold.schemas.geometry import BBox

RegionKind = Literal[
    "title", "heading", "text", "list", "table", "figure", "caption", "formula", "footnote", "header", "footer"
]
FURNITURE: frozenset[RegionKind] = frozenset({"header", "footer"})
"""Kinds that are kept on the page but never enter a block."""

PageSource = Literal["text", "ocr", "mixed"]
Route = Literal["geometry", "ocr", "mixed", "layout", "blank", "failed"]

QUIET = MappingProxyType({"quiet": True})
"""Metadata of a field that JSON leaves out while it has its default."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One table cell; `row` and `col` are 0-based, `bbox` in points of its page.

    `page` (1-based) is told in a table that was put together from several pages; else 0, its region's or block's.
    """

    row: int
    col: int
    text: str
    bbox: BBox
    rowspan: int = 1
    colspan: int = 1
    header: bool = False
    page: int = field(default=0, metadata=QUIET)


@dataclass(frozen=True, slots=True)
class Table:
    """A grid of `rows` x `cols`; a position that no cell covers is empty."""

    rows: int
    cols: int
    cells: tuple[Cell, ...]

    def grid(self) -> list[list[str]]:
        """Cell text by [row][col]; a spanning cell's text stands in its top-left position only."""
        out = [[""] * self.cols for _ in range(self.rows)]
        for cell in self.cells:
            out[cell.row][cell.col] = cell.text
        return out

    def header_rows(self) -> int:
        """Number of leading rows that consist of header cells."""
        others = min((c.row for c in self.cells if c.text and not c.header), default=self.rows)
        headed = {c.row for c in self.cells if c.header}
        count = 0
        while count < others and count in headed:
            count += 1
        return count


@dataclass(frozen=True, slots=True)
class Region:
    """One layout element.

    `order` is the 0-based reading order on the page, `level` 1.. for headings only, `table` for tables only.
    A list's items stand one a line in `text`. `confidence` is OCR's, 0..1, None for born-digital text.
    `continues` marks a table or text that goes on from the page before, and text that goes on from another column
    or beyond what stands in its midst.
    """

    kind: RegionKind
    bbox: BBox
    text: str
    order: int
    level: int | None = None
    table: Table | None = None
    confidence: float | None = None
    continues: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """One page as displayed; `number` is 1-based, `width` and `height` in points.

    `route` says how the page was read and `reasons` why; `failure` is set when route is "failed".
    `ocr_engine` and `ocr_confidence` (0..1) are set when any of it was OCRed.
    """

    number: int
    width: float
    height: float
    rotation: int
    source: PageSource
    route: Route
    regions: tuple[Region, ...]
    reasons: tuple[str, ...] = ()
    ocr_engine: str | None = None
    ocr_confidence: float | None = None
    failure: str | None = None
