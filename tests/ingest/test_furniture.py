from __future__ import annotations

import pymupdf
from pdf_pages import LOREM, put, wrapped

from h3cold.ingest.furniture import find_running
from h3cold.ingest.page_facts import read_page
from h3cold.ingest.page_numbers import names_page, page_number


def report(pages: int, *, first: int = 1) -> pymupdf.Document:
    """Pages whose headers change sides, with a number below and different text between."""
    doc = pymupdf.open()
    for n in range(pages):
        page = doc.new_page()
        put(page, 60 if n % 2 else 380, 40, "Northwind Annual Report 2023")
        words = LOREM.split()
        put(page, 60, 100, wrapped(" ".join(words[n:] + words[:n]) * 2, 80))
        put(page, 290, 815, str(n + first))
    return doc


def running(doc: pymupdf.Document) -> list[dict[str, str]]:
    facts = [read_page(page) for page in doc]
    return [
        {f.lines[i].text: place for i, place in found.items()}
        for f, found in zip(facts, find_running(facts), strict=True)
    ]


def test_alternating_headers_and_changing_numbers() -> None:
    for n, found in enumerate(running(report(6, first=14))):
        assert found == {"Northwind Annual Report 2023": "header", str(n + 14): "footer"}


def test_body_text_at_the_top_of_pages_is_kept() -> None:
    doc = pymupdf.open()
    for n in range(5):
        page = doc.new_page()
        put(page, 60, 60, wrapped(f"{'abcde'[n]}lpha opens page {n}. {LOREM * 9}", 80), size=10)
    assert all(not found for found in running(doc))


def test_a_word_that_recurs_does_not_take_its_line_along() -> None:
    doc = pymupdf.open()
    for n in range(5):
        page = doc.new_page()
        page.insert_text((60, 60), "in")
        page.insert_text((140, 60), f"{('north', 'south', 'east', 'west', 'all')[n]} the revenue of the region changed")
        put(page, 60, 100, wrapped(LOREM, 80))
    assert all(not found for found in running(doc))


def test_a_watermark_is_furniture() -> None:
    doc = report(3)
    for page in doc:
        page.insert_text((150, 500), "CONFIDENTIAL", fontsize=50, morph=(pymupdf.Point(150, 500), pymupdf.Matrix(45)))
    assert all(found.get("CONFIDENTIAL") == "header" for found in running(doc))


def test_numbers_that_are_page_numbers() -> None:
    for text, number in (
        ("12", 12),
        ("- 7 -", 7),
        ("Page 3 of 20", 3),
        ("第 5 页", 5),
        ("第3页 共10页", 3),
        ("iv", 0),
        ("F-12", 12),
    ):
        assert page_number(text) == number
    for text in ("2,345", "12 apples", "Section 3", "3.5"):
        assert page_number(text) is None


def test_a_usual_heading_below_titles_that_change_is_kept() -> None:
    doc = pymupdf.open()
    titles = ("Grapes", "Soil", "Barrels of oak", "Selling", "Wine law", "Cellars", "Corks", "Labels and bottles")
    for n, title in enumerate(titles):
        page = doc.new_page()
        put(page, 60, 45, title, size=14)
        if n in (1, 4, 6):
            put(page, 60, 70, "What you will learn", font="hebo")
        put(page, 60, 110, wrapped(f"{title}. {LOREM}", 80))
    assert all(not found for found in running(doc))


def test_a_header_that_says_the_title_runs_even_on_one_page() -> None:
    doc = pymupdf.open()
    cover = doc.new_page()
    put(cover, 60, 200, "Handbook of Cellars", size=24)
    put(cover, 60, 300, wrapped(LOREM, 60))
    for n, header in enumerate(("Part one", "Handbook of Cellars")):
        page = doc.new_page()
        put(page, 60, 40, header, size=8)
        put(page, 60, 110, wrapped(f"{'ab'[n]}. {LOREM}", 80))
    assert running(doc) == [{}, {}, {"Handbook of Cellars": "header"}]


def test_a_line_at_the_edge_that_names_its_page_runs_even_alone() -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = put(page, 60, 80, wrapped(LOREM * 4, 80))
    put(page, 60, 815, "Offense Table 11/1/13          Appendix A - Page 1 of 51")
    assert y < 700
    assert running(doc) == [{"Offense Table 11/1/13          Appendix A - Page 1 of 51": "footer"}]
    assert names_page("第 3 页 共 9 页")
    assert not names_page("as told on page 12 and after")
    page = doc.new_page()
    put(page, 60, 800, ["The rest of this text is to be found", "as it was printed then, on page 12"])
    assert running(doc)[1] == {}


def test_entries_of_a_table_of_contents_never_run() -> None:
    doc = pymupdf.open()
    for n in range(4):
        page = doc.new_page()
        for k in range(14):
            y = 60 + 56 * k
            put(page, 60, y, "Examples" if k == 13 else f"Section {n} on matter {k}")
            put(page, 150, y, ". " * 60 if k % 2 else ".")
            put(page, 500, y, str(20 * n + k + 1))
    assert running(doc) == [{}, {}, {}, {}]


def test_a_header_that_repeats_a_chapters_title_in_other_marks() -> None:
    doc = pymupdf.open()
    for n, title in enumerate(("Overview", "Prerequisites", "Setup")):
        page = doc.new_page()
        put(page, 250, 140, f"Chapter {n + 1}", size=18)
        put(page, 250, 170, title, size=18)
        put(page, 60, 220, wrapped(LOREM * 2, 80))
        page = doc.new_page()
        put(page, 60, 40, f"CHAPTER {n + 1}. {title.upper()}")
        put(page, 60, 100, wrapped(LOREM * 3, 80))
    found = [list(marks) for marks in running(doc)]
    assert found == [[], ["CHAPTER 1. OVERVIEW"], [], ["CHAPTER 2. PREREQUISITES"], [], ["CHAPTER 3. SETUP"]]


def test_a_title_that_runs_on_one_side_beside_a_line_that_changes_sides() -> None:
    doc = pymupdf.open()
    for n in range(3):
        page = doc.new_page(width=612, height=792)
        meeting = "Meeting of the society, August 14-18, Washington"
        pair = (meeting, "Able, Baker and Charlie") if n % 2 else ("Layouts of pages and what they tell us", meeting)
        if n:
            page.insert_text((54, 62), pair[0], fontsize=8)
            page.insert_text((558 - pymupdf.get_text_length(pair[1], fontsize=8), 62), pair[1], fontsize=8)
        for x in (54, 318):
            for k in range(40):
                page.insert_text((x, 84 + 12 * k), f"These are words of line {k} that fill the column.", fontsize=10)
    doc = pymupdf.open(stream=doc.tobytes())
    facts = [read_page(page) for page in doc]
    for page, found in zip(facts, find_running(facts), strict=True):
        lines = {page.lines[i].text.strip() for i in found}
        assert len(lines) == (2 if page.number > 1 else 0)


def test_numbered_titles_that_open_pages_never_run() -> None:
    doc = pymupdf.open()
    for n, title in enumerate(("Proposal 1", "", "Proposal 2", "Proposal 3", "Proposal 4", "")):
        page = doc.new_page()
        put(page, 60, 40, "Notice of the meeting")
        put(page, 60, 60, title or "The board asks for these votes", size=11)
        put(page, 60, 100, wrapped(LOREM * 3, 80))
        put(page, 290, 810, f"Page {n + 7}")
    for places in running(doc):
        assert set(places) - {"Notice of the meeting"} == {text for text in places if text.startswith("Page ")}
        assert len(places) == 2


def test_a_heading_below_a_running_line_that_prose_names_elsewhere_is_kept() -> None:
    doc = pymupdf.open()
    for n, heading in enumerate(("", "Summary Table", "", "Awards at the End of the Year", "", "")):
        page = doc.new_page()
        put(page, 60, 25, "Return to the contents")
        if heading:
            put(page, 60, 50, heading.upper(), size=11, font="hebo")
            put(page, 60, 100, wrapped(LOREM * 4, 80), size=10)
        else:  # a table in small type, for which the text is large
            put(page, 60, 300, ["See the Summary Table and the", "Awards at the End of the Year tell more"], size=10)
            put(page, 60, 100, wrapped(f"{'abcdef'[n]} {LOREM * 4}", 120), size=6)
    assert [set(found) for found in running(doc)] == [{"Return to the contents"}] * 6


def test_a_note_at_the_foot_is_no_page_number_with_text_beside_it() -> None:
    doc = pymupdf.open()
    for n in range(3):
        page = doc.new_page()
        put(page, 60, 80, wrapped(LOREM * 4, 80))
        for mark, y in (("8.", 765), ("(9)", 785)):
            put(page, 60, y, mark)
            put(page, 90, y, f"Includes units of {'abc'[n]} type {mark[-2]}, {('red', 'green', 'blue')[n]} ones")
        if n:
            put(page, 60, 745, "Headcount of staff")
            put(page, 400, 745, "45")
            put(page, 290, 815, str(n + 28))
    assert [set(found) for found in running(doc)] == [set(), {"29"}, {"30"}]


def test_what_announces_the_text_below_it_is_no_header() -> None:
    doc = pymupdf.open()
    for n in range(12):
        page = doc.new_page()
        put(page, 60, 50, "Northwind Annual Report 2023")
        put(page, 60, 90, "For example:" if n % 3 == 0 else f"In {'abcdefghijkl'[n]} words of its own")
        words = LOREM.split()
        put(page, 80, 116, wrapped(" ".join(words[n:] + words[:n]) * 2, 70))
    assert all("For example:" not in found for found in running(doc))


def test_a_line_in_the_type_of_the_text_it_follows_is_no_footer() -> None:
    doc = pymupdf.open()
    for n in range(6):
        page = doc.new_page()
        words = LOREM.split()
        y = put(page, 60, 700, wrapped(" ".join(words[n:] + words[:n]) * 2, 90)[:5])
        page.insert_text((60, y), "Keywords", fontname="hebo", fontsize=10)
        page.insert_text((106, y), "are told in the list that follows on the next page", fontsize=10)
        put(page, 290, 820, str(n + 1))
    assert all(set(found.values()) == {"footer"} and len(found) == 1 for found in running(doc))


def test_the_head_of_a_table_of_two_columns_is_no_header() -> None:
    doc = pymupdf.open()
    for n in range(6):
        page = doc.new_page()
        put(page, 60, 40, "Northwind Annual Report 2023")
        row = "abcdef"[n] * 4
        for k, (name, value) in enumerate([("Symbol", "Meaning"), (row, f"is {row}"), (row * 2, f"was {row}")]):
            page.insert_text((200, 80 + 13 * k), name, fontsize=10)
            page.insert_text((300, 80 + 13 * k), value, fontsize=10)
        put(page, 60, 150, wrapped(LOREM, 80))
    assert all("Symbol" not in found and "Northwind Annual Report 2023" in found for found in running(doc))


def test_a_title_in_large_type_is_a_header_only_where_it_is_said_again() -> None:
    doc = pymupdf.open()
    for n in range(6):
        page = doc.new_page()
        page.insert_text((190, 110), "Harbour Authorities Bill", fontsize=20)
        words = LOREM.split()
        put(page, 60, 200, wrapped(" ".join(words[n:] + words[:n]) * 2, 80))
    first, *others = running(doc)
    assert not first and all(found == {"Harbour Authorities Bill": "header"} for found in others)
