"""Boxes to check, drawn or in fonts of signs, as signs in the text."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from pdf_pages import save

from h3cold.ingest.page_facts import read_page
from h3cold.ingest.parse import ParseOptions, parse_document
from h3cold.ingest.signs import signs

FAST = ParseOptions(ocr="off", layout="fast")
SIDE = 9.0


def box(page: pymupdf.Page, x: float, y: float, mark: str = "") -> None:
    """A box whose foot is at the baseline `y`, crossed, ticked or empty."""
    top = y - SIDE + 1
    page.draw_rect((x, top, x + SIDE, top + SIDE), color=(0, 0, 0), width=0.6)
    if mark == "cross":
        page.draw_line((x, top), (x + SIDE, top + SIDE))
        page.draw_line((x + SIDE, top), (x, top + SIDE))
    elif mark == "tick":
        page.draw_polyline([(x + 2, top + 5), (x + 4, top + 7), (x + 7, top + 2)])


def texts(doc: pymupdf.Document, tmp_path: Path) -> list[str]:
    page = parse_document(save(doc, tmp_path / "a.pdf"), options=FAST).pages[0]
    return [line for region in page.regions for line in region.text.split("\n")]


def test_items_with_boxes_before_them(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    items = [("cross", "Screening of the report"), ("", "Protective plan implemented"), ("tick", "Assessment made")]
    for k, (mark, text) in enumerate(items):
        box(page, 60, 100 + 14 * k, mark)
        page.insert_text((84, 100 + 14 * k), text, fontsize=9)
    assert texts(doc, tmp_path) == [
        "☒ Screening of the report",
        "☐ Protective plan implemented",
        "☑ Assessment made",
    ]


def test_boxes_between_words_belong_to_those_they_stand_at(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    page.insert_text((60, 100), "Gender:", fontsize=9)
    box(page, 98, 100)
    page.insert_text((110, 100), "female", fontsize=9)
    box(page, 142, 100, "cross")
    page.insert_text((154, 100), "male", fontsize=9)
    assert texts(doc, tmp_path) == ["Gender: ☐ female ☒ male"]


def test_boxes_behind_their_words(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    for k, (a, b) in enumerate((("tick", ""), ("", "tick"), ("", "cross"))):
        y = 100 + 16 * k
        page.insert_text((60, y), f"Is statement {k} of the form true?", fontsize=9)
        page.insert_text((300, y), "Yes", fontsize=9)
        box(page, 318, y, a)
        page.insert_text((334, y), "No", fontsize=9)
        box(page, 348, y, b)
    assert [text.replace(" | ", " ") for text in texts(doc, tmp_path)] == [
        "Is statement 0 of the form true? Yes ☑ No ☐",
        "Is statement 1 of the form true? Yes ☐ No ☑",
        "Is statement 2 of the form true? Yes ☐ No ☒",
    ]


def test_boxes_in_the_blanks_of_a_line(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    page.insert_text((60, 100), "Refused before?  Yes      No      unknown", fontsize=9)
    wide = pymupdf.get_text_length("Refused before?  Yes ", fontsize=9)
    box(page, 60 + wide, 100, "cross")
    assert texts(doc, tmp_path) == ["Refused before? Yes ☒ No unknown"]


def test_cells_and_patches_of_colour_are_no_boxes() -> None:
    page = pymupdf.open().new_page()
    for k in range(4):
        for n in range(4):
            page.draw_rect((60 + 9 * k, 60 + 9 * n, 69 + 9 * k, 69 + 9 * n), color=(0, 0, 0))
        page.insert_text((100, 68 + 9 * k), f"row {k}", fontsize=8)
        page.draw_rect((60, 200 + 20 * k, 69, 209 + 20 * k), color=(0, 0, 0), fill=(0.2, 0.3 * k % 1, 0.6))
        page.insert_text((74, 208 + 20 * k), f"series {k}", fontsize=8)
    assert [line.text for line in read_page(page).lines if "☐" in line.text or "☒" in line.text] == []


def test_boxes_are_in_cells_of_tables(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    for y in (80, 110, 140, 170):
        page.draw_line((60, y), (400, y))
    for x in (60, 260, 330, 400):
        page.draw_line((x, 80), (x, 170))
    for y, row in ((98, ("Question", "Yes", "No")), (128, ("Insured?",)), (158, ("Employed?",))):
        for x, text in zip((66, 266, 336), row, strict=False):
            page.insert_text((x, y), text, fontsize=9)
    for y, a, b in ((128, "cross", ""), (158, "", "cross")):
        for x, mark, word in ((270, a, "Y"), (340, b, "N")):
            box(page, x, y, mark)
            page.insert_text((x + 14, y), word, fontsize=9)
    found = parse_document(save(doc, tmp_path / "a.pdf"), options=FAST).pages[0]
    (table,) = [r.table for r in found.regions if r.table is not None]
    assert table.grid() == [["Question", "Yes", "No"], ["Insured?", "☒ Y", "☐ N"], ["Employed?", "☐ Y", "☒ N"]]


@pytest.mark.parametrize(
    ("font", "text", "shown"),
    [
        ("Wingdings", "\uf0fe\uf0a8", "☑☐"),
        ("ABCDEF+Wingdings-Regular", "þ x", "☑ ☒"),
        ("Wingdings2", "PO\u00a3", "✓✗☐"),
        ("ZapfDingbats", "48nq", "✔✘■☐"),
        ("TimesNewRomanPSMT", "Yes \uf0fe no x", "Yes ☑ no x"),
        ("FontAwesome", "\uf0fe", "\uf0fe"),
        ("Wingdings3", "u", "u"),
        ("Helvetica", "4 x o", "4 x o"),
    ],
)
def test_codes_of_fonts_of_signs(font: str, text: str, shown: str) -> None:
    assert signs(font, text) == shown


def test_marks_of_a_font_of_signs_are_read_as_marks(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    for k, (mark, text) in enumerate((("4", "Delivered in time"), ("8", "Without a fault"))):
        page.insert_text((60, 100 + 14 * k), mark, fontname="zadb", fontsize=9)
        page.insert_text((76, 100 + 14 * k), text, fontsize=9)
    assert texts(doc, tmp_path) == ["✔ Delivered in time", "✘ Without a fault"]
