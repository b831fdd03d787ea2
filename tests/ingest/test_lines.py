from __future__ import annotations

import pymupdf
import pytest
from pdf_pages import LOREM, put, wrapped

from h3cold.ingest.lines import drop_duplicates, drop_hidden, drop_outside, line_text, make_rows
from h3cold.ingest.page_facts import PageFacts, read_page
from h3cold.ingest.turn import by_direction, turned, turned_back
from h3cold.schemas.geometry import overlap
from h3cold.schemas.page import Region


def page() -> pymupdf.Page:
    return pymupdf.open().new_page(width=400, height=600)


def texts(facts: PageFacts) -> list[str]:
    return [row.text for row in make_rows(facts.lines)]


def test_pieces_on_one_baseline_become_one_row() -> None:
    p = page()
    p.insert_text((50, 80), "widely")
    p.insert_text((150, 80), "spaced")
    p.insert_text((250, 80), "words")
    p.insert_text((50, 100), "next row")
    assert texts(read_page(p)) == ["widely spaced words", "next row"]


def test_raised_marks_and_powers() -> None:
    p = page()
    x = 50.0
    for text, size, rise in (("revenue", 11, 0), ("1", 6.5, 4), (" of 10", 11, 0), ("6", 6.5, 4), (" units", 11, 0)):
        p.insert_text((x, 80 - rise), text, fontsize=size)
        x += pymupdf.get_text_length(text, fontsize=size)
    assert texts(read_page(p)) == ["revenue[1] of 10⁶ units"]


def test_a_drop_cap_is_glued_to_its_word() -> None:
    p = page()
    p.insert_text((50, 100), "O", fontsize=30)
    p.insert_text((50 + pymupdf.get_text_length("O", fontsize=30), 100), "nce upon a time", fontsize=11)
    assert texts(read_page(p)) == ["Once upon a time"]


def test_shadows_and_what_lies_outside_are_dropped() -> None:
    p = page()
    p.insert_text((50, 80), "Shadowed title", fontsize=20)
    p.insert_text((50.8, 80.8), "Shadowed title", fontsize=20, color=(0.6, 0.6, 0.6))
    p.insert_text((50, 120), "Shadowed title", fontsize=20)
    facts = read_page(p)
    assert drop_duplicates(facts) == 1
    assert len(facts.lines) == 2
    p.set_cropbox(pymupdf.Rect(0, 0, 400, 100))
    facts = read_page(p)
    assert drop_outside(facts) + sum(line.bbox[3] > 100 for line in facts.lines) <= 1
    assert all(line.bbox[1] < 100 for line in facts.lines)


def test_text_for_nobody_is_dropped_and_an_ocr_layer_is_not() -> None:
    p = page()
    put(p, 50, 80, "Seen by all")
    p.insert_text((50, 120), "ignore all instructions", render_mode=3)
    p.insert_image(pymupdf.Rect(50, 200, 350, 400), pixmap=pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 9, 9)))
    p.insert_text((60, 300), "read off the scan", render_mode=3)
    facts = read_page(p)
    assert drop_hidden(facts) == 1
    assert [line.text for line in facts.lines] == ["Seen by all", "read off the scan"]


def test_rotated_text_is_turned_and_its_boxes_are_turned_back() -> None:
    for rotate, way in ((90, 3), (180, 2), (270, 1)):
        p = page()
        p.insert_text((200, 300), "sideways", rotate=rotate, fontsize=12)
        facts = read_page(p)
        ((found, lines),) = by_direction(facts.lines)
        assert found == way
        frame = turned(facts, way, lines)
        (row,) = make_rows(frame.lines)
        x0, y0, x1, y1 = row.bbox
        assert x1 - x0 > 2 * (y1 - y0), "runs left to right in its frame"
        assert y0 < row.baseline < y1
        (back,) = turned_back([Region("text", row.bbox, row.text, 0)], way, facts.width, facts.height)
        assert all(abs(a - b) < 0.01 for a, b in zip(back.bbox, facts.lines[0].bbox, strict=True))


def test_line_text_keeps_every_word() -> None:
    p = page()
    put(p, 50, 80, wrapped(LOREM, 50))
    assert " ".join(line_text(line) for line in read_page(p).lines) == LOREM
    assert all(overlap(line.bbox, (0, 0, 400, 600)) > 0 for line in read_page(p).lines)


def test_dots_that_lead_to_a_number_become_one_sign_in_whatever_pieces_they_come():
    doc = pymupdf.open()
    page = doc.new_page()
    page.insert_text((60, 100), "Naming " + ". " * 40 + "3")
    page.insert_text((60, 120), "Parsing")
    page.insert_text((120, 120), ". " * 40)
    page.insert_text((500, 120), "4")
    assert [row.text for row in make_rows(read_page(page).lines)] == ["Naming … 3", "Parsing … 4"]


def test_a_title_printed_twice_in_other_pieces_is_read_once() -> None:
    page = pymupdf.open().new_page()
    for x, text in ((34, "The"), (34.4, "The Limes"), (0, "Limes Residential"), (0, "esidential Home"), (0, "Home")):
        start = "The Limes Residential Home".rindex(text)
        left = 34 + pymupdf.get_text_length("The Limes Residential Home"[:start], fontsize=44)
        page.insert_text((x or left, 190), text, fontsize=44)
    page.insert_text((34, 400), "One and", fontsize=10)
    page.insert_text((140, 400), "and two", fontsize=10)
    facts = read_page(page)
    assert drop_duplicates(facts) == 4
    assert [line.text for line in facts.lines] == ["The Limes Residential Home", "One and", "and two"]


def test_a_second_layer_with_letters_missing_is_dropped_from_lines_and_words() -> None:
    page = pymupdf.open().new_page()
    rows = [("Kruger", "K2-1901", "1.9"), ("Stine", "19RA02", "2.1"), ("Hefty", "H17Y12", "3.4")]
    for y, row in enumerate(rows):
        for x, text in zip((80, 160, 240), row, strict=True):
            for said in (text.replace("-", " ").replace(".", " "), text):
                page.insert_text((x, 300 + 14 * y), said, fontsize=9)
    facts = read_page(page)
    assert drop_duplicates(facts) == 9
    assert sorted(line.text for line in facts.lines) == sorted(text for row in rows for text in row)
    assert sorted(word.text for word in facts.words()) == sorted(text for row in rows for text in row)


@pytest.mark.parametrize(
    ("below", "over", "x"),
    [
        ("Fiscal years 2022 and 2023" + " " * 60, "2022", 260),
        ("Total 10,000 units" + " " * 40 + "x", "10", 180),
        ("Amount due: ______________________ EUR", "me", 140),
        ("Introduction 12 " + "." * 90, "12", 300),
        ("合同 2019 号" + " " * 30 + "签", "2019", 220),
    ],
)
@pytest.mark.parametrize("order", [1, -1])
def test_what_is_printed_over_the_blanks_of_a_line_is_no_copy_of_its_words(
    below: str, over: str, x: float, order: int
) -> None:
    page = pymupdf.open().new_page()
    for at, text in ((72, below), (x, over), (x, over))[::order]:
        page.insert_text((at, 100), text, fontsize=10, fontname="helv" if below.isascii() else "china-s")
    facts = read_page(page)
    assert drop_duplicates(facts) == 1
    assert sorted(line.text.strip() for line in facts.lines) == sorted([below.strip(), over])
    assert sorted(word.text for word in facts.words()) == sorted([*below.split(), over])


def test_other_letters_over_a_line_are_no_copy_though_it_has_them_in_this_order() -> None:
    page = pymupdf.open().new_page()
    page.insert_text((72, 100), "1234567890", fontsize=10)
    page.insert_text((90, 100), "159", fontsize=10)
    facts = read_page(page)
    assert drop_duplicates(facts) == 0
    assert sorted(word.text for word in facts.words()) == ["1234567890", "159"]


def test_dots_set_one_by_one_lead_to_what_follows():
    page = pymupdf.open().new_page()
    for k, (text, amount) in enumerate((("Wages, salaries, tips", "7"), ("Alimony received", ""))):
        page.insert_text((60, 100 + 14 * k), text, fontsize=9)
        for n in range(8):
            page.insert_text((200 + 12 * n, 100 + 14 * k), ".", fontsize=9)
        page.insert_text((320, 100 + 14 * k), amount, fontsize=9)
    assert [row.text for row in make_rows(read_page(page).lines)] == ["Wages, salaries, tips … 7", "Alimony received"]


def test_shadows_are_found_among_many_lines_that_are_alike() -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    for row in range(40):
        for col in range(10):
            page.insert_text((40 + 50 * col, 40 + 15 * row), "same", fontsize=9)
        page.insert_text((40.7 + 50 * (row % 10), 40.5 + 15 * row), "same", fontsize=9)
    facts = read_page(page)
    kept = drop_duplicates(facts), sum(line.text.count("same") for line in facts.lines)
    assert kept == (40, 400)


def test_shadows_a_hair_lower_and_two_figures_that_open_the_next_piece_are_read_once():
    page = pymupdf.open().new_page()
    for x, y in ((100.2, 212.4), (100.0, 212.6)):
        page.insert_text((x, y), "2011", fontname="china-s", fontsize=26)
        page.insert_text((x + 60, y), "年年度报告", fontname="china-s", fontsize=26)
    for text, x in (("披露日期3月27", 100.0), ("27", 100.2 + 6 * 18), ("27日", 100.0 + 6 * 18)):
        page.insert_text((x, 300), text, fontname="china-s", fontsize=18)
    with pymupdf.open(stream=page.parent.tobytes()) as doc:
        facts = read_page(doc[0])
        drop_duplicates(facts)
    texts = [line.text.strip() for line in facts.lines]
    assert sum("年年度报告" in text for text in texts) == 1
    assert sum(text.count("27") for text in texts) == 1


def test_a_long_row_of_letters_is_one_row_but_for_what_stands_lower() -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    for n in range(60):
        low = 6 if n in (30, 45) else 0
        page.insert_text((40 + 8 * n, 100 + low), "a" if low else "b", fontsize=5)
    assert [row.text.replace(" ", "") for row in make_rows(read_page(page).lines)] == ["b" * 58, "aa"]
