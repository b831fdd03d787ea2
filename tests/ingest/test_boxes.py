"""Filled boxes that are read along with the text, beside what a second reading of the page gives."""

from __future__ import annotations

from itertools import pairwise

import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from h3cold.ingest.drawings import may_only_fill, read_content, read_drawings
from h3cold.ingest.page_facts import MAX_STROKES, TEXT_FLAGS, PageFacts, Turn, read_page
from h3cold.ingest.shown import read_shown


def page_of(content: str) -> pymupdf.Page:
    """A page of 200 by 200 points with a font F0 and this content."""
    doc = pymupdf.open()
    page = doc.new_page(width=200, height=200)
    page.insert_text((10, 10), " ", fontname="helv")
    xref = page.get_contents()[0]
    doc.update_stream(xref, content.replace("/F0", "/helv").encode())
    return pymupdf.open("pdf", doc.tobytes())[0]


def drawn(page: pymupdf.Page) -> PageFacts:
    """What a page draws, read by itself."""
    facts = PageFacts(1, page.rect.width, page.rect.height, 0, [])
    read_drawings(page, facts, Turn(page), read_content(page))
    return facts


def rounded(facts: PageFacts) -> tuple[object, ...]:
    rules = [tuple(round(x, 2) for x in rule) for rule in facts.rules]
    fills = [tuple(round(x, 2) for x in (*fill.bbox, *fill.color)) for fill in facts.fills]
    return rules, fills, facts.strokes, facts.curves


boxes = st.tuples(st.integers(0, 150), st.integers(0, 150), st.integers(1, 49), st.integers(1, 49), st.integers(0, 9))


@settings(max_examples=60, deadline=None)
@given(st.lists(boxes, min_size=1, max_size=8, unique_by=lambda b: (b[0] // 2, b[1] // 2)))
def test_boxes_are_read_as_by_a_second_reading(made: list[tuple[int, int, int, int, int]]) -> None:
    paths = [f"{g / 9:.3f} 0 {n / 9:.3f} rg {x} {y} {w} {h} re f" for n, (x, y, w, h, g) in enumerate(made)]
    page = page_of("\n".join([*paths, ""]))
    assert may_only_fill(page, read_content(page))
    assert rounded(read_page(page)) == rounded(drawn(page))


@pytest.mark.parametrize(
    "content",
    [
        "20 20 100 0 re f\n20 40 60 60 re f\n",  # a hairline
        "20 20 0 100 re\nf\n20 40 60 60 re\nf\n",
        "20 20 m 120 20 l f\n20 40 60 60 re f\n",
        "20 20 m 120 20 l S\n20 40 60 60 re f\n",
        "20 20 60 60 re B\n",
        "20 40 60 60 re f\n20 20 m 120 20 l s\n",
        "20 20 m 120 20 30 90 20 120 c f\n20 40 60 60 re f\n",
        "q 50 50 50 50 re W n 10 10 20 20 re f Q\n60 60 20 20 re f\n",  # one of them cannot be seen
        "q 50 50 50 50 re W n 70 70 60 20 re f Q\n",
        "20 20 9 9 re 60 60 30 2 re f\n",
        "80 80 -30 -20 re f\n",
    ],
)
def test_other_drawings_are_not_lost_to_boxes(content: str) -> None:
    page = page_of(content)
    one, other = rounded(read_page(page)), rounded(drawn(page))
    assert one[:2] == other[:2] or "W n 70 70" in content
    if "W n 70 70" in content:  # read with the text a box ends where it is clipped, by itself it may reach over
        assert one[1] == [(70, 110, 100, 130, 0, 0, 0)]


def test_more_boxes_than_are_worth_reading_are_counted_alone() -> None:
    page = page_of("1 1 9 9 re f\n" * (MAX_STROKES + 1))
    assert not may_only_fill(page, read_content(page))
    facts = read_page(page)
    assert facts.strokes == MAX_STROKES + 1 and not facts.fills


LINES = [(20, 150), (20, 138), (28, 126), (20, 80), (20, 68), (20, 56)]


@pytest.mark.parametrize("between", range(1, len(LINES)))
def test_what_is_drawn_between_lines_parts_no_block(between: int) -> None:
    texts = [f"BT /F0 10 Tf {x} {y} Td (The words of line {n} go on) Tj ET" for n, (x, y) in enumerate(LINES)]
    plain = page_of("\n".join([*texts, ""]))
    y = LINES[between - 1][1] - 3
    marked = page_of("\n".join([*texts[:between], f"20 {y} 80 1 re f", *texts[between:], ""]))
    before, after = (read_page(page).lines for page in (plain, marked))
    assert [line[:4] for line in before] == [line[:4] for line in after]
    parts = [[a.block == b.block for a, b in pairwise(lines)] for lines in (before, after)]
    assert parts[0] == parts[1]


def test_a_picture_between_lines_costs_no_second_reading_and_one_within_a_line_parts_it_not(monkeypatch) -> None:
    read = pymupdf.Page.get_textpage
    times: list[int] = []
    monkeypatch.setattr(pymupdf.Page, "get_textpage", lambda *a, **k: times.append(1) or read(*a, **k))
    image = "q 9 0 0 9 100 100 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \xff EI Q"
    first, second = "BT /F0 10 Tf 20 150 Td (One ) Tj ET", "BT /F0 10 Tf 42 150 Td (line) Tj ET"
    within = page_of("\n".join([first, image, second, ""]))
    shown = read_shown(within, TEXT_FLAGS)
    assert len(times) == 2 and len(shown.pictures) == 1
    assert [line.text.strip() for line in read_page(within).lines] == ["One line"]
    times.clear()
    below = page_of("\n".join([first, image, "BT /F0 10 Tf 20 138 Td (Another) Tj ET", ""]))
    shown = read_shown(below, TEXT_FLAGS)
    assert len(times) == 1 and len(shown.pictures) == 1
    assert len({line.block for line in read_page(below).lines}) == 1
