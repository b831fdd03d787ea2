"""Pages with tables on them, drawn for the tests."""

from __future__ import annotations

import pymupdf

from h3cold.ingest.page_facts import PageFacts, read_page
from h3cold.ingest.tables import FoundTable, find_tables


def new_page(width: float = 612, height: float = 792) -> pymupdf.Page:
    return pymupdf.open().new_page(width=width, height=height)


def put(
    page: pymupdf.Page, x: float, y: float, text: str, *, right: bool = False, font: str = "helv", size: float = 10
):
    if right:
        x -= pymupdf.get_text_length(text, fontname=font, fontsize=size)
    page.insert_text((x, y), text, fontname=font, fontsize=size)


def reread(page: pymupdf.Page) -> PageFacts:
    """The page's facts after a round through a file, as the parser sees it."""
    with pymupdf.open(stream=page.parent.tobytes()) as doc:
        return read_page(doc[0])


def tables_of(page: pymupdf.Page) -> list[FoundTable]:
    return find_tables(reread(page))


def draw_grid(page: pymupdf.Page, xs: list[float], ys: list[float]) -> None:
    for y in ys:
        page.draw_line((xs[0], y), (xs[-1], y))
    for x in xs:
        page.draw_line((x, ys[0]), (x, ys[-1]))


def fill_grid(page: pymupdf.Page, xs: list[float], ys: list[float], rows: list[list[str]]) -> None:
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            put(page, xs[c] + 3, ys[r] + 12, text)
