"""What parsing makes of a file: regions on pages, tables with cells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

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


class _Draft:
    """A cell while it is made: a frozen object's fields are set by a call for each, which takes three times as long."""

    __slots__ = ("bbox", "col", "colspan", "header", "page", "row", "rowspan", "text")


def make_cells(told: Iterable[tuple[int, int, str, BBox, int, int, bool]], *, page: int = 0) -> tuple[Cell, ...]:
    """Cells from their fields but for the `page`, in a quarter of the time of `Cell`: tables have hundreds of them."""
    out: list[Any] = []
    for row, col, text, bbox, rowspan, colspan, header in told:
        cell: Any = _Draft()
        cell.row, cell.col, cell.text, cell.bbox = row, col, text, bbox
        cell.rowspan, cell.colspan, cell.header, cell.page = rowspan, colspan, header, page
        cell.__class__ = Cell
        out.append(cell)
    return tuple(out)


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
        others, headed, count = self.rows, set(), 0
        for cell in self.cells:
            if cell.header:
                headed.add(cell.row)
            elif cell.row < others and cell.text:
                others = cell.row
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

    `route` says how the page was read and `reasons` why; `failure` is set when route is "failed", and where OCR that
    the page needs was stopped or failed, so that only its doubtful text layer was read.
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
