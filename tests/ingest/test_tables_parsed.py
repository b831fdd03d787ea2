"""Tables as they come out of whole pages: next to what runs there and to text of other directions."""

from __future__ import annotations

import pymupdf
from table_pages import draw_grid, put

from h3cold.ingest.parse import ParseOptions, parse_window
from h3cold.schemas.page import Page


def parsed(doc: pymupdf.Document) -> list[Page]:
    with pymupdf.open(stream=doc.tobytes()) as again:
        return parse_window(again, "drawn.pdf", 1, again.page_count, ParseOptions(ocr="off", layout="fast"))


def test_a_ruled_table_that_goes_on_over_pages_keeps_its_head_and_first_rows():
    doc = pymupdf.open()
    xs, ys = [50.0, 180, 310, 440, 560], [60.0, 86, *(86.0 + 24 * k for k in range(1, 25))]
    for p in range(6):
        page = doc.new_page(width=612, height=792)
        put(page, 50, 40, "Capital Asset Plan")
        draw_grid(page, xs, ys)
        for c, heading in enumerate(("Year", "Strategic\nGoal", "Measure", "Target")):
            for k, line in enumerate(heading.split("\n")):
                put(page, xs[c] + 4, ys[0] + 10 + 12 * k, line, font="hebo")
        for r in range(1, 25):
            for c, text in enumerate(
                ("2007", "Customer results" if r % 3 else "Finance", f"{p}.{r} rate", f"{r * 7 + p}")
            ):
                put(page, xs[c] + 4, ys[r] + 14, text)
    for n, page in enumerate(parsed(doc)):
        (table,) = [r.table for r in page.regions if r.table]
        assert table.grid()[0] == ["Year", "Strategic Goal", "Measure", "Target"]
        assert table.grid()[1] == ["2007", "Customer results", f"{n}.1 rate", f"{7 + n}"]
        assert [r.text for r in page.regions if r.kind == "header"] == ["Capital Asset Plan"]


def test_headings_written_upwards_are_in_the_table_and_nowhere_else():
    page = pymupdf.open().new_page(width=612, height=792)
    put(page, 72, 80, "The table compares who may do what, action by action, as it was decided last year.")
    xs, ys = [72.0, 300, 330, 360, 390], [100.0, 220, 240, 260, 280]
    draw_grid(page, xs, ys)
    put(page, 76, 114, "User action", font="hebo")
    for c, name in enumerate(("No Authority", "Administrator", "Monitor role")):
        page.insert_text((xs[c + 1] + 18, 214), name, rotate=90)
    for r, action in enumerate(("Analyze the cache", "Modify the cache", "Drop the cache")):
        put(page, 76, ys[r + 1] + 14, action)
        put(page, xs[r + 1] + 10, ys[r + 1] + 14, "X")
    (found,) = parsed(page.parent)
    (table,) = [r.table for r in found.regions if r.table]
    assert table.grid()[0] == ["User action", "No Authority", "Administrator", "Monitor role"]
    assert sum("Administrator" in r.text for r in found.regions) == 1
