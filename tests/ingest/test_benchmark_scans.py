"""What the benchmark of scans counts as read."""

from __future__ import annotations

from h3cold.ingest.benchmark_scans import certain_share, page_text, terms_of
from h3cold.schemas.page import Cell, Page, Region, Table

BOX = (0.0, 0.0, 10.0, 10.0)


def test_terms_are_words_that_say_something_and_numbers():
    assert terms_of("What is the Market share of iOS 9 in Q3-2015, about 52% or 1,134,462?") == {
        "market", "share", "q3-2015", "52%", "1,134,462",
    }  # fmt: skip


def test_what_is_certain_is_counted_by_characters_and_cells_are_text():
    table = Table(1, 1, (Cell(0, 0, "forty", BOX),))
    regions = (
        Region("text", BOX, "x" * 30, 0, confidence=0.9),
        Region("text", BOX, "y" * 10, 1, confidence=0.3),
        Region("table", BOX, "", 2, table=table, confidence=0.9),
    )
    page = Page(1, 100, 100, 0, "ocr", "ocr", regions)
    assert certain_share(page) == 0.75
    assert "forty" in page_text(page).split()
    assert certain_share(Page(1, 100, 100, 0, "ocr", "ocr", ())) == 0.0
