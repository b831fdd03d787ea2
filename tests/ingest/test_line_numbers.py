from __future__ import annotations

import pymupdf
from pdf_pages import LOREM, put, wrapped

from h3cold.ingest.line_numbers import line_numbers
from h3cold.ingest.page_facts import read_page
from h3cold.ingest.parse import parse_document

TEXT = wrapped(LOREM * 3, 80)


def draft(pages: int, *, step: int = 1, side: float = 40) -> pymupdf.Document:
    """Pages of text whose lines are numbered at one side, each, or every so many-th."""
    doc = pymupdf.open()
    for n in range(pages):
        page = doc.new_page()
        put(page, 72, 120, TEXT[n:] + TEXT[:n])
        for k in range(step - 1, len(TEXT), step):
            page.insert_text((side, 120 + 13 * k), str(k + 1), fontsize=6)
    return doc


def found(doc: pymupdf.Document) -> list[list[str]]:
    facts = [read_page(page) for page in doc]
    return [[f.lines[i].text for i in sorted(own)] for f, own in zip(facts, line_numbers(facts), strict=True)]


def test_numbers_of_lines_are_no_text(tmp_path) -> None:
    numbers = [str(k + 1) for k in range(len(TEXT))]
    doc = draft(2)
    assert found(doc) == [numbers, numbers]
    doc.save(tmp_path / "draft.pdf")
    page = parse_document(tmp_path / "draft.pdf").pages[0]
    assert [r.kind for r in page.regions] == ["header", "text"]
    assert page.regions[0].text == " ".join(numbers) and page.regions[1].text == " ".join(TEXT)


def test_every_second_line_numbered_at_the_right() -> None:
    assert all(own[:2] == ["2", "4"] for own in found(draft(2, step=2, side=560)))


def test_numbers_of_items_and_rows_stay() -> None:
    doc = pymupdf.open()
    for n in range(2):
        page = doc.new_page()
        for k in range(10):
            y = 120 + 20 * k
            page.insert_text((40, y), str(10 * n + k + 1))
            page.insert_text((72, y), f"Item {'abcdefghij'[k]} of the list says what is to be done about it on site")
    assert found(doc) == [[], []]


def test_one_page_alone_needs_many_numbers() -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    for k, line in enumerate(TEXT[:5]):
        put(page, 72, 120 + 13 * k, line)
        page.insert_text((40, 120 + 13 * k), str(k + 1), fontsize=6)
    assert found(doc) == [[]]
