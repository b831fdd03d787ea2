"""Tables of a page that has running text in columns elsewhere."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from table_pages import draw_grid, fill_grid, new_page, reread

from h3cold.ingest.order import line_item
from h3cold.ingest.parse import parse_document
from h3cold.ingest.solids import _tables


def test_a_table_above_text_in_columns_keeps_all_of_its_columns():
    page = new_page()
    xs, ys = [30.0, 120, 200, 380, 480, 580], [50.0 + 30 * k for k in range(6)]
    rows = [["Club", "League", "Venue", "City", "Area"]]
    rows += [[f"Club {k}", f"L{k}", f"Field of club {k} in the town", f"City {k}", f"Area {k}"] for k in range(4)]
    draw_grid(page, xs, ys)
    fill_grid(page, [x + 8 for x in xs], ys, rows)
    text = "The state ranks at or above the rest of the country in income and health by all the measures. " * 9
    for x in (30, 320):
        page.insert_textbox((x, 320, x + 250, 560), text, fontsize=9)
    facts = reread(page)
    # as columns of text are told apart: by the widest gaps, be they in a table
    parts: list[list[int]] = [[], [], [], []]
    for i, line in enumerate(facts.lines):
        x0, y0, *_ = line.bbox
        parts[(x0 > 470) if y0 < 300 else 2 + (x0 > 300)].append(i)
    (table,) = _tables(facts, [line_item(line) for line in facts.lines], parts)
    assert table.table.grid() == rows


@pytest.mark.parametrize(("caption", "kind"), [("Figure 5: Its parts", "figure"), ("Table 5: Its parts", "table")])
def test_boxes_that_are_mostly_empty_over_a_figures_name_are_a_figure(tmp_path: Path, caption: str, kind: str) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    for k in range(7):
        page.draw_line((100, 100 + 30 * k), (500, 100 + 30 * k))
    for k in range(6):
        page.draw_line((100 + 80 * k, 100), (100 + 80 * k, 280))
    for row, col, text in ((0, 0, "Related"), (1, 1, "Core"), (2, 2, "Labels"), (3, 3, "Legend"), (5, 1, "Shades")):
        page.insert_text((105 + 80 * col, 120 + 30 * row), text)
    page.insert_text((200, 300), caption)
    doc.save(tmp_path / "boxes.pdf")
    regions = parse_document(tmp_path / "boxes.pdf").pages[0].regions
    assert [r.kind for r in regions] == [kind, "caption"] and "Legend" in regions[0].text
