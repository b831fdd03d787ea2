"""Lines beside tables and figures: which of them are names and units, and which stay headings."""

from __future__ import annotations

from pathlib import Path

import pymupdf
from pdf_pages import LOREM, put, wrapped

from h3cold.ingest.parse import ParseOptions, parse_document

ROWS = [("Segment", "2010", "2009"), ("Gathering", "699,385", "680,072"), ("Storage", "433,002", "601,982")]


def table(page: pymupdf.Page, y: float) -> float:
    for line in (y, y + 15, y + 15 * len(ROWS) + 3):
        page.draw_line((60, line), (500, line))
    for n, row in enumerate(ROWS):
        for x, text in zip((60, 300, 440), row, strict=True):
            page.insert_text((x, y + 12 + 15 * n), text, fontsize=10)
    return y + 15 * len(ROWS) + 30


def bold(page: pymupdf.Page, y: float, text: str, size: float = 10) -> float:
    page.insert_text((60, y), text, fontsize=size, fontname="hebo")
    return y + 1.6 * size


def kinds(doc: pymupdf.Document, folder: Path) -> dict[str, str]:
    doc.save(folder / "f.pdf", no_new_id=True)
    parsed = parse_document(folder / "f.pdf", options=ParseOptions(ocr="off", layout="fast"))
    return {r.text: r.kind for p in parsed.pages for r in p.regions if r.table is None}


def test_units_and_labels_name_what_they_stand_next_to(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = bold(page, 80, "Results of the year", 16)
    y = put(page, 60, y + 8, wrapped(LOREM, 80))
    y = table(page, bold(page, y + 16, "Net sales by segment (in thousands)") - 8)
    y = put(page, 60, y, wrapped(LOREM, 80))
    y = bold(page, y + 20, "CONSOLIDATED STATEMENTS OF EARNINGS", 13)
    y = table(page, bold(page, y, "(in thousands of dollars)") - 8)
    for n, height in enumerate((40, 60, 80, 30)):
        page.draw_rect((100 + 80 * n, y + 90 - height, 140 + 80 * n, y + 90), fill=(0.2, 0.4, 0.6), color=None)
    bold(page, y + 106, "Chart: net sales of four years")
    found = kinds(doc, tmp_path)
    assert found["Net sales by segment (in thousands)"] == "caption"
    assert found["(in thousands of dollars)"] == "caption"
    assert found["Chart: net sales of four years"] == "caption"
    assert found["CONSOLIDATED STATEMENTS OF EARNINGS"] == "heading"


def test_a_type_that_stands_over_tables_only_is_that_of_their_names(tmp_path: Path) -> None:
    doc = pymupdf.open()
    for part, name in (("Sales", "Revenue by region"), ("Staff", "People by country"), ("Debt", "Loans by maturity")):
        page = doc.new_page()
        y = put(page, 60, bold(page, 80, f"{part} of the group", 16) + 8, wrapped(LOREM * 2, 80))
        table(page, bold(page, y + 16, name) - 8)
    found = kinds(doc, tmp_path)
    assert {found[n] for n in ("Revenue by region", "People by country", "Loans by maturity")} == {"caption"}
    assert found["Staff of the group"] == "heading"


def test_headings_over_text_and_tables_stay_headings(tmp_path: Path) -> None:
    doc = pymupdf.open()
    for part, name in (("Sales", "Revenue by region"), ("Staff", "People by country")):
        page = doc.new_page()
        y = put(page, 60, bold(page, 80, f"{part} of the group", 16) + 8, wrapped(LOREM, 80))
        y = table(page, bold(page, y + 16, name) - 8)
        put(page, 60, bold(page, y + 16, f"Outlook on {part}") + 4, wrapped(LOREM, 80))
    found = kinds(doc, tmp_path)
    assert found["Revenue by region"] == found["Outlook on Sales"] == "heading"


def test_brackets_under_a_name_and_over_a_table_qualify_it(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = put(page, 60, 80, wrapped(LOREM, 80))
    page.insert_text((60, y + 16), "Table 3: Area under crops", fontsize=10)
    page.insert_text((200, y + 30), "(As at the end of March)", fontsize=10)
    page.insert_text((400, y + 46), "(In 1000 ha)", fontsize=10)
    table(page, y + 50)
    page = doc.new_page()
    put(page, 60, put(page, 60, 80, ["(As at the end of March)"]) + 10, wrapped(LOREM, 80))
    found = kinds(doc, tmp_path)
    assert found["(In 1000 ha)"] == "caption"
    assert found["Table 3: Area under crops"] == "caption"
    parsed = parse_document(tmp_path / "f.pdf", options=ParseOptions(ocr="off", layout="fast"))
    told = [{r.text: r.kind for r in p.regions}.get("(As at the end of March)") for p in parsed.pages]
    assert told == ["caption", "text"]
    assert parsed.info.title != "(As at the end of March)"


def chart(doc: pymupdf.Document, *, source: bool, text_before: bool = True) -> None:
    page = doc.new_page()
    if text_before:
        put(page, 60, 80, wrapped(LOREM, 80))
    y = bold(page, 180, "Views of the alliance differ", 13)
    put(page, 60, y, "% who say that it should be kept", size=9)
    for n, width in enumerate((200, 150, 90)):
        page.draw_rect((60, y + 20 + 22 * n, 60 + width, y + 34 + 22 * n), color=None, fill=(0.2, 0.4, 0.8))
    if source:
        put(page, 60, y + 105, "Source: Survey of spring 2019, question 24", size=8)
    put(page, 60, y + 160, wrapped(LOREM, 80))


def test_the_heading_of_a_chart_with_its_source_is_a_caption(tmp_path: Path) -> None:
    doc = pymupdf.open()
    chart(doc, source=True)
    found = kinds(doc, tmp_path)
    assert found["Views of the alliance differ"] == found["% who say that it should be kept"] == "caption"


def test_headings_over_charts_without_a_source_or_at_a_pages_head_stay(tmp_path: Path) -> None:
    for n, options in enumerate(({"source": False}, {"source": True, "text_before": False})):
        (folder := tmp_path / str(n)).mkdir()
        doc = pymupdf.open()
        chart(doc, **options)
        assert kinds(doc, folder)["Views of the alliance differ"] in ("heading", "title")
