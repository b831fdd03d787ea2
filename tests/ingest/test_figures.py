"""Figures: pictures and drawings with their labels; what is none."""

from __future__ import annotations

import pymupdf
import pytest

from h3cold.ingest.figures import figure_text, find_figures, flow_charts
from h3cold.ingest.page_facts import read_page
from h3cold.ingest.tables import find_tables


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


def test_dark_cells_below_each_other_are_no_bars():
    page = new_page()
    for n, x in enumerate((100, 140, 180)):
        for k in range(10):
            y = 100 + 12 * k + 4 * n
            page.draw_rect((x, y, x + 34, y + 12), fill=(0.3, 0.3, 0.3), color=None)
    assert figures_of(page)[1] == []


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


def test_a_chart_of_two_series_keeps_values_axis_and_legend():
    page = new_page()
    blue, orange = (0.16, 0.36, 0.58), (0.86, 0.5, 0.2)
    for y in (276, 252, 228, 204, 300):
        page.draw_line((82, y), (513, y), width=0.3)
    for k, (tall, low) in enumerate(((66, 6.2), (73, 7.2), (82, 8.9), (89, 9.9), (96, 11.4))):
        x = 95 + 86 * k
        page.draw_rect((x, 300 - tall, x + 28, 300), fill=blue, color=None)
        page.draw_rect((x + 30, 300 - low, x + 58, 300), fill=orange, color=None)
        page.insert_text((x + 6, 297 - tall), f"{tall / 5:.1f}", fontsize=8)
        page.insert_text((x + 38, 297 - low), f"{low / 5:.1f}", fontsize=8)
        page.insert_text((x + 20, 312), str(2019 + k), fontsize=8)
    for x, colour, name in ((405, blue, "Net sales"), (460, orange, "Profit")):
        page.draw_rect((x, 172, x + 8, 180), fill=colour, color=None)
        page.insert_text((x + 11, 179), name, fontsize=8)
    page.insert_text((82, 179), "USD million", fontsize=8)
    page.insert_text((72, 330), "Figure 1. Net sales and profit, 2019 to 2023", fontsize=9)
    facts, (found,) = figures_of(page)
    assert find_tables(facts) == []
    held = {facts.lines[i].text for i in found.lines}
    assert {"USD million", "Net sales", "Profit", "13.2", "1.2", "2.3", "2019", "2023"} <= held
    assert not any(text.startswith("Figure") for text in held)
    text = figure_text(facts, found.lines).splitlines()
    assert text[:3] == ["USD million", "Net sales", "Profit"]
    assert text[-5:] == ["2019", "2020", "2021", "2022", "2023"]


def test_a_flow_chart_reads_box_by_box():
    page = new_page()
    for k, words in enumerate((("Transit", "times"), ("Speed of", "sound"), ("Kalman", "filter"))):
        x = 120 + 80 * k
        page.draw_rect((x, 200, x + 42, 246), radius=0.15)
        for n, word in enumerate(words):
            page.insert_text((x + 6, 220 + 10 * n), word, fontsize=8)
        if k:
            page.draw_line((x - 38, 223), (x - 4, 223))
            page.draw_polyline([(x - 6, 220), (x, 223), (x - 6, 226)], fill=(0, 0, 0), closePath=True)
    facts, (found,) = figures_of(page)
    assert found.bbox == pytest.approx((120, 200, 322, 246), abs=3)
    assert figure_text(facts, found.lines).splitlines() == ["Transit times", "Speed of sound", "Kalman filter"]


def test_text_in_round_boxes_without_arrows_is_none():
    page = new_page()
    for k in range(2):
        page.draw_rect((100, 100 + 80 * k, 300, 150 + 80 * k), radius=0.15)
        for n in range(3):
            page.insert_text((106, 116 + 80 * k + 13 * n), "A note in a box, set apart from the text", fontsize=10)
    _, found = figures_of(page)
    assert found == []


def test_square_boxes_with_arrows_are_a_flow_chart_and_no_table():
    page = new_page()
    boxes = {"Beliefs": (110, 200), "Norms": (110, 270), "Attitude": (260, 200), "Intention": (260, 270)}
    for name, (x, y) in boxes.items():
        page.draw_rect((x, y, x + 80, y + 34))
        page.insert_text((x + 8, y + 14), name, fontsize=9)
        page.insert_text((x + 8, y + 25), "of the reader", fontsize=9)
    for y in (217, 287):
        page.draw_line((190, y), (255, y))
        page.draw_polyline([(254, y - 3), (260, y), (254, y + 3)], fill=(0, 0, 0), closePath=True)
    page.draw_line((300, 234), (300, 265))
    page.draw_polyline([(297, 264), (300, 270), (303, 264)], fill=(0, 0, 0), closePath=True)
    facts, (found,) = figures_of(page)
    assert find_tables(facts) == []
    assert found.bbox == pytest.approx((110, 200, 340, 304), abs=3)
    assert figure_text(facts, found.lines).splitlines() == [f"{name} of the reader" for name in
                                                            ("Beliefs", "Attitude", "Norms", "Intention")]  # fmt: skip


def test_cells_drawn_one_by_one_with_a_diagonal_are_no_flow_chart():
    page = new_page()
    for r in range(4):
        for c in range(3):
            page.draw_rect((100 + 90 * c, 100 + 24 * r, 190 + 90 * c, 124 + 24 * r))
            page.insert_text((106 + 90 * c, 116 + 24 * r), f"{r},{c}00", fontsize=9)
    page.draw_line((100, 100), (190, 124))
    facts, _ = figures_of(page)
    assert flow_charts(facts) == []
    (table,) = find_tables(facts)
    assert (table.table.rows, table.table.cols) == (4, 3)
    assert find_figures(facts, [table.bbox]) == []


def lying_bars(page: pymupdf.Page, x: float, y: float) -> None:
    for n, (width, name) in enumerate([(120, "U.S."), (90, "Germany"), (60, "France"), (30, "Italy")]):
        top = y + 24 * n
        page.draw_rect((x, top, x + width, top + 14), color=None, fill=(0.2, 0.4, 0.8))
        page.insert_text((x - 14 - pymupdf.get_text_length(name, fontsize=9), top + 10), name, fontsize=9)


def test_names_of_lying_bars_are_in_their_chart():
    page = new_page()
    lying_bars(page, 360, 200)
    facts, (found,) = figures_of(page)
    assert figure_text(facts, found.lines).split() == ["U.S.", "Germany", "France", "Italy"]


def test_lines_of_another_column_beside_bars_are_no_names():
    page = new_page()
    lying_bars(page, 360, 200)
    for n in range(4):
        page.insert_text((60, 210 + 24 * n), "These are the words of a column of text beside it.", fontsize=9)
    facts, (found,) = figures_of(page)
    assert "column" not in figure_text(facts, found.lines)
