from __future__ import annotations

import hostile_files as make
import pytest

from h3cold.ingest.parse import ParseOptions, parse_document
from h3cold.schemas.errors import DocumentError

FAST = ParseOptions(ocr="off", layout="fast")
WORDS = [make.text(f"This is page number {n} of the book.") for n in (1, 2, 3)]


@pytest.fixture
def parsed(tmp_path):
    def parse(data):
        (tmp_path / "book.pdf").write_bytes(data)
        return parse_document(tmp_path / "book.pdf", options=FAST)

    return parse


@pytest.mark.parametrize("count", [-3, 0, 1, 2, 99, 99_999_999])
def test_a_wrong_count_loses_no_page(parsed, count):
    doc = parsed(make.pdf(WORDS, count=count))
    assert [p.regions[0].text for p in doc.pages] == [f"This is page number {n} of the book." for n in (1, 2, 3)]


def test_a_page_that_is_named_and_not_there_is_a_failure(parsed):
    doc = parsed(make.pdf(WORDS, kids=b"4 0 R 77 0 R 6 0 R 8 0 R", count=9))
    assert [p.number for p in doc.pages] == [1, 2, 3, 4]
    assert [n for n, _ in doc.failures] == [2]
    assert doc.pages[3].regions[0].text == "This is page number 3 of the book."


def test_pages_that_no_tree_leads_to_are_found(parsed):
    doc = parsed(make.pdf(WORDS, kids=b"", count=3))
    assert [len(p.regions) for p in doc.pages] == [1, 1, 1]


@pytest.mark.parametrize(("told", "missed"), [(b"5", 2), (b"3", 0), (b"2", 0), (b"/No", 0)])
def test_pages_that_a_file_for_the_web_lost_when_it_was_cut_off_are_failures(parsed, told, missed):
    data = make.pdf(WORDS, kids=b"", count=3)
    begin = data.index(b"1 0 obj")
    linearized = b"50 0 obj\n<</Linearized 1/L 99999/O 6/E 99/N " + told + b"/T 99>>\nendobj\n"
    doc = parsed(data[:begin] + linearized + data[begin:])
    assert len(doc.pages) == 3 + missed
    assert [n for n, _ in doc.failures] == [4, 5][:missed]
    first = 1 if told == b"/No" else 2
    assert doc.pages[0].regions[0].text == f"This is page number {first} of the book."


def test_a_pdf_without_its_first_line(parsed):
    data = make.good(2)
    doc = parsed(data[data.index(b"1 0 obj") :])
    assert [p.regions[0].text for p in doc.pages] == [f"This is page number {n} of the book." for n in (1, 2)]


@pytest.mark.parametrize("start", [b"\xff\xd8\xff\xe0", b"<!DOCTYPE html><p>", b"PK\3\4", b"\x89PNG\r\n"])
def test_other_files_are_named_even_with_a_pdf_at_their_end(parsed, start):
    with pytest.raises(DocumentError, match=r"not a PDF: it does not start with %PDF, it is an? \w+"):
        parsed(start + bytes(4000) + make.good(1)[9:])
