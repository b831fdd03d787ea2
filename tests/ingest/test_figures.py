"""Figures: pictures and drawings with their labels; what is none."""

from __future__ import annotations

import pymupdf
import pytest

from h3cold.ingest.figures import find_figures
from h3cold.ingest.page_facts import read_page


def new_page() -> pymupdf.Page:
    return pymupdf.open().new_page()


def figures_of(page: pymupdf.Page, taken=()):
    with pymupdf.open(stream=page.parent.tobytes()) as doc:
        facts = read_page(doc[0])
        return facts, find_figures(facts, list(taken))


def picture(width: int = 40, height: int = 30) -> pymupdf.Pixmap:
    pixmap = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, width, height))
    pixmap.clear_with(90)
    return pixmap


def test_a_picture_with_the_words_on_it():
    page = new_page()
    page.insert_image((100, 100, 300, 250), pixmap=picture())
    page.insert_text((150, 180), "Plant in Suzhou")
    page.insert_text((72, 400), "A line of text far below the picture that is no part of it at all.")
    facts, (found,) = figures_of(page)
    assert found.bbox == pytest.approx((100, 100, 300, 250), abs=1)
    assert [facts.lines[i].text.strip() for i in found.lines] == ["Plant in Suzhou"]


def test_strips_of_one_picture_are_one_figure():
    page = new_page()
    for k in range(4):
        page.insert_image((100, 100 + 40 * k, 300, 140 + 40 * k), pixmap=picture(40, 8), keep_proportion=False)
    _, (found,) = figures_of(page)
    assert found.bbox == pytest.approx((100, 100, 300, 260), abs=1)


def test_backgrounds_icons_and_taken_boxes_are_none():
    page = new_page()
    page.insert_image(page.rect, pixmap=picture(), keep_proportion=False)
    page.insert_image((72, 72, 84, 84), pixmap=picture(10, 10))
    page.insert_image((100, 300, 300, 400), pixmap=picture(), keep_proportion=False)
    _, found = figures_of(page, taken=[(90, 290, 310, 410)])
    assert found == []


def draw_line_chart(page: pymupdf.Page) -> None:
    page.draw_line((120, 300), (400, 300))
    page.draw_line((120, 150), (120, 300))
    for shift in (0, 40):
        shape = page.new_shape()
        shape.draw_bezier((125, 280 - shift), (200, 100), (300, 290), (390, 160 + shift))
        shape.finish(color=(0, 0, 1))
        shape.commit()
    for k in range(5):
        page.insert_text((130 + 60 * k, 312), str(2019 + k), fontsize=8)
        page.insert_text((105, 300 - 30 * k), str(10 * k), fontsize=8)


def test_a_line_chart_takes_its_axis_labels():
    page = new_page()
    draw_line_chart(page)
    page.insert_text((72, 400), "The chart above shows how the two rates developed over the five years.")
    facts, (found,) = figures_of(page)
    texts = {facts.lines[i].text.strip() for i in found.lines}
    assert {"2019", "2023", "0", "40"} <= texts
    assert not any("chart above" in t for t in texts)


def test_a_bar_chart_is_a_figure():
    page = new_page()
    for k, tall in enumerate((40, 80, 65, 120)):
        page.draw_rect((120 + 50 * k, 300 - tall, 150 + 50 * k, 300), fill=(0.1, 0.3, 0.7), color=None)
    _, (found,) = figures_of(page)
    assert found.bbox == pytest.approx((120, 180, 300, 300), abs=2)


def test_highlighted_words_rules_and_frames_are_no_figures():
    page = new_page()
    for k in range(6):
        page.draw_rect((72, 100 + 14 * k, 300 + 20 * k, 113 + 14 * k), fill=(1, 1, 0), color=None)
        page.insert_text((74, 110 + 14 * k), "words with a colour behind them " + "and more " * k)
    page.draw_line((72, 300), (540, 300))
    page.draw_rect((72, 320, 540, 420), radius=0.1)
    for k in range(6):
        page.insert_text((80, 340 + 14 * k), "A box with round corners that holds a few lines of ordinary text in it.")
    _, found = figures_of(page)
    assert found == []


def test_many_small_pieces_are_one_figure():
    page = new_page()
    shape = page.new_shape()
    for k in range(2000):
        x, y = 100 + k % 50 * 6, 100 + k // 50 * 6
        shape.draw_bezier((x, y), (x + 2, y + 3), (x + 3, y), (x + 5, y + 4))
        shape.finish(color=(0, 0, 0))
    shape.commit()
    _, (found,) = figures_of(page)
    assert found.bbox[2] - found.bbox[0] > 280
