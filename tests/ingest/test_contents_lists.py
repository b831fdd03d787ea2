"""Lists of contents: with and without dots, over two columns, entries of two lines, and the levels that they show."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pymupdf
from pdf_pages import LOREM, put, save, wrapped

from h3cold.ingest.parse import ParseOptions, parse_document
from h3cold.schemas.page import Region

FAST = ParseOptions(ocr="off", layout="fast")
Row = tuple[float, str, str]


def contents(page: pymupdf.Page, rows: Sequence[Row], *, left: float = 60, right: float = 520, y: float = 130) -> None:
    """Rows of (how far set in, title, page's number) with the numbers aligned at the right."""
    for indent, title, number in rows:
        page.insert_text((left + indent, y), title, fontsize=10)
        page.insert_text((right - pymupdf.get_text_length(number, fontsize=10), y), number, fontsize=10)
        y += 16


def regions(doc: pymupdf.Document, tmp_path: Path) -> list[list[Region]]:
    return [list(p.regions) for p in parse_document(save(doc, tmp_path / "a.pdf"), options=FAST).pages]


ROWS: list[Row] = [
    (0, "PART I", "1"), (14, "ITEM 1: BUSINESS", "1"), (14, "ITEM 2: PROPERTIES", "38"), (0, "PART II", "39"),
    (14, "ITEM 5: MARKET FOR COMMON EQUITY", "39"), (14, "ITEM 6: SELECTED DATA", "40"),
    (14, "ITEM 8: FINANCIAL STATEMENTS", "F-1"), (14, "ITEM 9: CONTROLS", "60"), (0, "SIGNATURES", "78"),
]  # fmt: skip
TEXT = "\n".join(("  " if indent else "") + f"{title} {number}" for indent, title, number in ROWS)


def test_entries_without_dots_are_one_list_set_in_as_printed(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    put(page, 250, 80, "TABLE OF CONTENTS", size=12)
    contents(page, ROWS)
    assert [(r.kind, r.text) for r in regions(doc, tmp_path)[0]][-1:] == [("list", TEXT)]


def test_a_page_of_nothing_but_entries_needs_no_name(tmp_path: Path) -> None:
    doc = pymupdf.open()
    contents(doc.new_page(), ROWS)
    assert [(r.kind, r.text) for r in regions(doc, tmp_path)[0]] == [("list", TEXT)]


def test_a_short_list_without_a_name_among_text_is_none(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    put(page, 60, 90, wrapped(LOREM * 2, 90), size=10)
    contents(
        page, [(0, f"Office of the {name}", str(n)) for n, name in enumerate(("north", "south", "east", "west"), 3)]
    )
    assert all(r.kind != "list" for r in regions(doc, tmp_path)[0])


def test_lists_in_two_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    put(page, 60, 80, "INDEX", size=12)
    names = ("Income taxes", "Segments", "Legal proceedings", "Parent company", "Quarterly results")
    for left, first in ((60, 10), (320, 50)):
        page.insert_text((left + 170, 112), "Page No.", fontsize=8)
        contents(page, [(0, f"{n} {first}", str(first + k)) for k, n in enumerate(names)], left=left, right=left + 210)
    found = [r.text.split("\n") for r in regions(doc, tmp_path)[0] if r.kind == "list"]
    assert [text[0] for text in found] == ["Page No.", "Page No."]
    assert [text[1:] for text in found] == [
        [f"{n} {first} {first + k}" for k, n in enumerate(names)] for first in (10, 50)
    ]


def test_a_title_over_two_lines_is_one_entry(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    put(page, 60, 80, "CONTENTS", size=12)
    contents(page, ROWS[:5])
    long = "Changes in and disagreements with the accountants on accounting and on the disclosure of"
    page.insert_text((60, 210), long, fontsize=10)
    contents(page, [(0, "financial matters", "59"), (0, "Other information", "60")], y=222)
    lines = regions(doc, tmp_path)[0][-1].text.split("\n")
    assert lines[-2:] == [f"{long} financial matters 59", "Other information 60"]


def test_indentation_tells_levels_that_type_does_not(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    put(page, 60, 60, "The year in review", size=24)
    put(page, 60, 90, "CONTENTS", size=14)
    rows: list[Row] = [(0, "Markets", "2"), (14, "Demand", "2"), (14, "Supply", "3"), (0, "Outlook", "4"),
                       (14, "Scenarios", "4")]  # fmt: skip
    contents(page, rows)
    for _, title, _ in rows:
        page = doc.new_page()
        page.insert_text((60, 90), title, fontsize=14, fontname="hebo")
        put(page, 60, 120, wrapped(LOREM * 3, 90), size=10)
    heads = [(r.text, r.level) for page in regions(doc, tmp_path)[1:] for r in page if r.kind == "heading"]
    assert heads == [("Markets", 1), ("Demand", 2), ("Supply", 2), ("Outlook", 1), ("Scenarios", 2)]
