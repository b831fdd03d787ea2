"""Lines set in the middle: a cover's are statements of their own, a heading over two lines is one."""

from __future__ import annotations

from pathlib import Path

import pymupdf
from pdf_pages import LOREM, put, save, wrapped

from h3cold.ingest.paragraphs import starts_item
from h3cold.ingest.parse import ParseOptions, parse_document

FAST = ParseOptions(ocr="off", layout="fast")


def texts(doc: pymupdf.Document, tmp_path: Path) -> list[str]:
    page = parse_document(save(doc, tmp_path / "a.pdf"), options=FAST).pages[0]
    return [line for r in page.regions for line in r.text.split("\n")]


def middle(page: pymupdf.Page, y: float, lines: list[str], *, size: float = 11, bold: bool = False) -> float:
    font = pymupdf.Font("hebo" if bold else "helv")
    for line in lines:
        x = (page.rect.width - font.text_length(line, size)) / 2
        page.insert_text((x, y), line, fontsize=size, fontname="hebo" if bold else "helv")
        y += 1.2 * size
    return y


COVER = [
    "UNITED STATES",
    "SECURITIES AND EXCHANGE COMMISSION",
    "Washington, D.C. 20549",
    "FORM 10-K",
    "For the fiscal year ended December 31, 2019",
    "OR",
    "Acme Holdings",
    "(Exact name of registrant as specified in its charter)",
    "12 Mill Lane, Dover, DE 19901",
    "(Address of principal executive offices)",
    "(408) 555-2167",
    "(Telephone number)",
]


def test_lines_of_a_cover_are_kept_apart_and_in_order(tmp_path: Path) -> None:
    doc = pymupdf.open()
    middle(doc.new_page(), 80, COVER)
    assert texts(doc, tmp_path) == COVER


def test_a_sentence_over_centred_lines_stays_whole(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = middle(page, 80, ["Commission file number 1-1", "Acme Holdings"])
    middle(page, y + 20, ["The securities of the registrant are", "registered under the laws", "of the United States."])
    assert "The securities of the registrant are registered under the laws of the United States." in texts(
        doc, tmp_path
    )


def test_a_centred_heading_over_text_is_one(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = middle(page, 80, ["Report of the", "Independent Auditors"], bold=True)
    put(page, 57, y + 20, wrapped(LOREM * 3, 90))
    assert texts(doc, tmp_path)[0] == "Report of the Independent Auditors"


def test_a_telephone_number_opens_no_item() -> None:
    assert not starts_item("(408) 702-2167")
    assert not starts_item("(847) 967 1010")
    assert starts_item("(408) the registrant")


def test_a_title_over_two_lines_of_a_cover_is_one(tmp_path):
    doc = pymupdf.open()
    page = doc.new_page()
    y = middle(page, 130, ["FORM 10-K", "Annual report pursuant to Section 13", "For the year ended December 31, 2023"])
    y = middle(page, y + 80, ["Acme Weighing Machines, Inc. 2023", "Annual Report"], size=26, bold=True)
    middle(page, y + 20, ["Incorporated in Delaware, file number 001-90417", "12 Mill Lane, Dover, DE 19901"])
    read = parse_document(save(doc, tmp_path / "a.pdf"), options=FAST).pages[0]
    assert "Acme Weighing Machines, Inc. 2023 Annual Report" in [" ".join(r.text.split()) for r in read.regions]
    assert "12 Mill Lane, Dover, DE 19901" in [r.text for r in read.regions]
