from __future__ import annotations

import pymupdf
import pytest
from pdf_pages import LOREM, ZH, put, wrapped

from h3cold.ingest.page_facts import Line, Span, read_page
from h3cold.ingest.reading import read
from h3cold.ingest.triage import judge, why_garbled


def line(text: str) -> Line:
    box = (0.0, 0.0, 100.0, 10.0)
    return Line(text, box, (Span(text, box, "f", 10, False, False, False, 0, 8),), (1.0, 0.0), 0)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("(cid:12)(cid:33)(cid:4) " * 20, "cid"),
        ("\ufffd" * 10 + " " + "\ufffd\ufffdabc " * 10, "no Unicode value"),
        ("\ue012\ue033\ue044 " * 20, "private-use"),
        ("\x01\x02\x03abc" * 20, "control codes"),
        ("ÄãºÃÊÀ½çÖÐ¹ú " * 20, "another encoding"),
        ("aбaбaбaб " * 20, "scripts"),
        ("xqzvkj wqxz bcfgm vwyxk " * 40, "frequencies"),
        ("ababab" * 50, "different characters"),
        ("وفووت صوو عييهاوخ لوال المر اوة " * 20, "frequencies"),
    ],
)
def test_garbage_is_recognised(text: str, word: str) -> None:
    reason = why_garbled([line(text)])
    assert reason is not None and word in reason


@pytest.mark.parametrize(
    "text",
    [
        LOREM * 4,
        ZH * 10,
        "Café Müller, señor García, naïve façade, coût élevé, Übergröße für Straßen " * 6,
        "数据库 MySQL 与 PostgreSQL 的比较 " * 20,
        "وعليه فإن الحكومة المصرية تضع صوب أعينها خلال المرحلة المقبلة تكليف السيد رئيس الجمهورية " * 8,
        "Отчет о прибылях и убытках компании за год " * 10,
        "1 234,56 2 345,67 (12.3%) $45 678 " * 30,
        "Total assets \ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd 12 the sum of all that is owned " * 10,
        "α + β = γ and ε → 0 for all x in the set " * 10,
    ],
)
def test_languages_and_numbers_are_sane(text: str) -> None:
    assert why_garbled([line(text)]) is None


def scan(page: pymupdf.Page, rect: tuple[float, float, float, float]) -> None:
    """A picture of a page of text."""
    source = pymupdf.open().new_page(width=400, height=400)
    put(source, 20, 30, wrapped(LOREM * 4, 70), size=11)
    page.insert_image(pymupdf.Rect(rect), pixmap=source.get_pixmap(dpi=100))


def test_routes() -> None:
    doc = pymupdf.open()
    blank = doc.new_page()
    assert judge(blank, read_page(blank), ocr="auto").route == "blank"

    text = doc.new_page()
    put(text, 50, 80, wrapped(LOREM, 80))
    assert judge(text, read_page(text), ocr="auto").route == "geometry"
    assert judge(text, read_page(text), ocr="force").clips == (None,)

    scanned = doc.new_page()
    scan(scanned, (0, 0, 595, 842))
    verdict = judge(scanned, read_page(scanned), ocr="auto")
    assert verdict.route == "ocr" and verdict.clips == (None,)
    off = judge(scanned, read_page(scanned), ocr="off")
    assert off.clips == () and off.reasons == ("no text; OCR is off",)

    mixed = doc.new_page()
    put(mixed, 50, 80, wrapped(LOREM * 3, 90))
    scan(mixed, (50, 300, 545, 780))
    verdict = judge(mixed, read_page(mixed), ocr="auto")
    assert verdict.route == "mixed"
    clip = verdict.clips[0]
    assert clip is not None and clip[1] > 290


def test_an_ocr_layer_over_a_scan_is_kept() -> None:
    page = pymupdf.open().new_page()
    scan(page, (0, 100, 600, 700))
    for n, text in enumerate(wrapped(LOREM * 4, 70)):  # in the places where the scan shows it
        page.insert_text((30, 145 + 21.45 * n), text, fontsize=16.5, render_mode=3)
    verdict = judge(page, read_page(page), ocr="auto")
    assert verdict.route == "geometry" and "hidden text layer" in verdict.reasons[0]


def test_a_photograph_is_no_scan() -> None:
    import numpy as np

    page = pymupdf.open().new_page()
    put(page, 50, 80, wrapped(LOREM, 80))
    grey = np.tile(np.linspace(0, 255, 300, dtype=np.uint8), (300, 1))
    page.insert_image(
        pymupdf.Rect(50, 200, 545, 780), pixmap=pymupdf.Pixmap(pymupdf.csGRAY, 300, 300, grey.tobytes(), False)
    )
    assert judge(page, read_page(page), ocr="auto").route == "geometry"


def test_a_cropped_page_says_that_text_lies_outside_of_what_is_shown() -> None:
    doc = pymupdf.open()
    for crop in (None, pymupdf.Rect(0, 0, 595, 300)):
        page = doc.new_page()
        page.insert_text((60, 100), "What is shown of the page")
        page.insert_text((60, 600), "Left of a larger sheet")
        if crop is not None:
            page.set_cropbox(crop)
    with pymupdf.open(stream=doc.tobytes()) as saved:
        whole, cropped = (read(saved, n, ocr="off") for n in (1, 2))
    assert not any("outside" in reason for reason in whole[1].reasons)
    assert "18 letters outside the part of the page that is shown left out" in cropped[1].reasons
    assert [line.text.strip() for line in cropped[0].lines] == ["What is shown of the page"]


def test_text_wholly_off_the_page_is_counted() -> None:
    doc = pymupdf.open()
    for shown in ("What is shown of the page", ""):
        page = doc.new_page()
        page.insert_text((60, 100), shown)
        for place in ((-400, 200), (900, 300), (60, -300), (60, 2000)):
            page.insert_text(place, "Nobody sees this")
    put(doc.new_page(), 50, 80, wrapped(LOREM, 80)[:6])
    with pymupdf.open(stream=doc.tobytes()) as saved:
        pages = [read(saved, n, ocr="off")[1] for n in (1, 2, 3)]
    lost = "56 letters outside the part of the page that is shown left out"
    assert [lost in page.reasons for page in pages] == [True, True, False]


@pytest.mark.parametrize("rotation", [0, 90])
@pytest.mark.parametrize("cropped", [False, True])
def test_text_wholly_off_a_long_page_is_counted(cropped: bool, rotation: int) -> None:
    doc = pymupdf.open()
    for place in ((-400, 200), (900, 300), (60, 2000), None):
        page = doc.new_page()
        for row in range(60):
            put(page, 50, 60 + 12 * row, wrapped(LOREM, 80)[:1])
        if place is not None:
            page.insert_text(place, "Nobody sees this")
        if cropped:
            page.set_cropbox(pymupdf.Rect(0, 0, 595, 841))
        page.set_rotation(rotation)
    with pymupdf.open(stream=doc.tobytes()) as saved:
        assert all(len(page.read_contents()) > 8192 for page in saved)
        pages = [read(saved, n, ocr="off") for n in (1, 2, 3, 4)]
    lost = "14 letters outside the part of the page that is shown left out"
    assert [lost in page.reasons for _, page, _ in pages] == [True, True, True, False]
    assert {len(facts.lines) for facts, _, _ in pages} == {60}


def test_text_that_runs_off_an_uncropped_page_is_counted() -> None:
    doc = pymupdf.open()
    doc.new_page().insert_text((40, 100), "abcde" * 2000, fontsize=8)
    below = doc.new_page()
    for row in range(400):
        below.insert_text((40, 60 + 12.5 * row), "A line of a page that goes on for ever", fontsize=8)
    put(doc.new_page(), 50, 80, wrapped(LOREM, 80))
    with pymupdf.open(stream=doc.tobytes()) as saved:
        pages = [read(saved, n, ocr="off") for n in (1, 2, 3)]
    lost = "letters outside the part of the page that is shown left out"
    kept = sum(len(line.text.strip()) for line in pages[0][0].lines)
    assert f"{10_000 - kept} {lost}" in pages[0][1].reasons
    # lines that only just lie outside are dropped and said as lines
    said = [reason for reason in pages[1][1].reasons if reason.endswith(lost)]
    assert 330 * 29 < int(said[0].split()[0]) < 340 * 29
    assert not any("outside" in reason for reason in pages[2][1].reasons)
