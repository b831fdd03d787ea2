from __future__ import annotations

import pymupdf
from pdf_pages import LOREM, put, wrapped

from h3cold.ingest.axes import plots
from h3cold.ingest.page_facts import read_page
from h3cold.ingest.parse import parse_document


def stairs(page: pymupdf.Page) -> None:
    """A step curve in a frame with scales and their names, all of it level and upright strokes."""
    page.draw_rect((120, 100, 420, 300))
    for k in range(6):
        x, y = 130 + 56 * k, 290 - 36 * k
        page.draw_line((x, 300), (x, 305))
        page.insert_text((x - 5, 318), str(5 * k), fontsize=9)
        page.draw_line((115, y), (120, y))
        page.insert_text((108, y + 8), f"0.{k}0", fontsize=9, rotate=90)
        page.draw_line((x, y), (x + 20, y), width=1.4)
        if k < 5:
            page.draw_line((x + 20, y), (x + 20, y - 36), width=1.4)
    page.insert_text((225, 345), "Years since then", fontsize=9)
    page.insert_text((90, 230), "Share of all", fontsize=9, rotate=90)
    put(page, 60, 400, wrapped(LOREM * 2, 90))


def test_a_chart_of_level_strokes_is_one_figure_with_its_labels(tmp_path) -> None:
    doc = pymupdf.open()
    stairs(doc.new_page())
    doc.save(tmp_path / "stairs.pdf")
    regions = parse_document(tmp_path / "stairs.pdf").pages[0].regions
    assert [r.kind for r in regions] == ["figure", "text"]
    said = regions[0].text.split("\n")
    assert "Years since then" in said and "Share of all" in said and "0.30" in said and "25" in said
    assert regions[1].text.startswith("The committee reviewed")


def test_boxes_to_check_and_dashed_rules_are_no_axes() -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    for row in range(8):
        for col in range(5):
            x, y = 80 + 80 * col, 100 + 30 * row
            page.draw_rect((x, y, x + 8, y + 8))
        for dash in range(60):
            page.draw_line((70 + 7 * dash, 112 + 30 * row), (74 + 7 * dash, 112 + 30 * row))
    page.draw_line((70, 90), (70, 340))
    page.draw_line((70, 340), (490, 340))
    assert plots(read_page(page)) == []
