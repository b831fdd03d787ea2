import numpy as np
import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.ingest.ocr.choose import language_of
from h3cold.ingest.ocr.engines import OcrLine
from h3cold.ingest.ocr.image import ink, is_plain, layout_of, rules_of, straighten
from h3cold.ingest.ocr.lines import (
    FEW_LETTERS,
    SAME_SIZE,
    SAME_SIZE_OF_FEW,
    Place,
    even_sizes,
    join_han,
    page_lines,
    page_rules,
    paragraphs,
    part,
)
from h3cold.ingest.ocr.mend import is_poor, missed_ink, read_again
from h3cold.ingest.ocr.tesseract import parse_hocr
from h3cold.ingest.page_facts import Word

HOCR = b"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><body>
 <div class='ocr_page' title='image "/tmp/x y; bbox 1 2 3 4.PNG"; bbox 0 0 1700 350; scan_res 200 200'>
  <div class='ocr_carea' title="bbox 170 48 1480 240"><p class='ocr_par' title="bbox 170 48 1480 239">
   <span class='ocr_line' title="bbox 170 48 300 75; baseline 0 -6; x_size 24.5; x_descenders 4; x_ascenders 6">
    <span class='ocrx_word' title='bbox 170 50 212 69; x_wconf 90'>R&amp;D</span>
    <span class='ocrx_word' title='bbox 221 49 300 69; x_wconf 60'><strong>costs</strong></span>
    <span class='ocrx_word' title='bbox 310 49 330 69; x_wconf 5'> </span>
   </span>
   <span class='ocr_line' title="bbox 0 0 9 9; x_size 20"><span class='ocrx_word' title='bbox 0 0 9 9; x_wconf 1'> </span></span>
  </p></div>
  <div class='ocr_photo' title="bbox 0 100 50 200"></div>
 </div></body></html>"""  # noqa: E501


def test_hocr():
    (line,) = parse_hocr(HOCR)
    assert line.text == "R&D costs"
    assert line.bbox == (170, 49, 300, 69)
    assert line.words == (Word("R&D", (170, 50, 212, 69)), Word("costs", (221, 49, 300, 69)))
    assert line.confidence == pytest.approx((90 * 3 + 60 * 5) / 800)
    assert line.size == pytest.approx(24.5 * 1.06)


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("公司 实现 营业 收入", "公司实现营业收入"),
        ("（ 含税 ） ， 同比", "（含税），同比"),
        ("增长 12.4 % Apple Inc. 公司", "增长 12.4 % Apple Inc. 公司"),
        ("Net sales  rose", "Net sales  rose"),
        ("３，８５６　亿", "３，８５６亿"),
    ],
)
def test_blanks_between_chinese_characters_go(text, joined):
    assert join_han(text) == joined


def test_language():
    assert language_of("2023年净利润 EBITDA") == "zh"
    assert language_of("Net sales of 王 Ltd. rose") == "en"
    assert language_of("これは日本語の文章です") == "ja"
    assert language_of("12.4 %") == ""


def line(text, x0, y0, x1, y1, size=10.0):
    words, pitch = [], (x1 - x0) / len(text)
    at = 0
    for word in text.split(" "):
        words.append(Word(word, (x0 + at * pitch, y0, x0 + (at + len(word)) * pitch, y1)))
        at += len(word) + 1
    return OcrLine(text, (x0, y0, x1, y1), 0.9, tuple(w for w in words if w.text), size)


def test_a_line_is_parted_at_wide_gaps_only():
    row = line("Net sales      34,229 32,184", 0, 0, 280, 12)
    assert [p.text for p in part(row)] == ["Net sales", "34,229 32,184"]
    assert part(row)[1].bbox == (150, 0, 280, 12)
    assert part(line("Net sales 34,229", 0, 0, 160, 12)) == [line("Net sales 34,229", 0, 0, 160, 12)]
    bare = row._replace(words=())
    assert part(bare) == [bare]


@given(st.lists(st.tuples(st.floats(4, 60), st.integers(1, 80)), max_size=30))
def test_sizes_only_move_to_near_sizes_and_close_ones_become_one(pairs):
    sizes, weights = [s for s, _ in pairs], [w for _, w in pairs]
    evened = even_sizes(sizes, weights)
    assert len(evened) == len(sizes)
    assert set(evened) <= set(sizes)
    moved = [(abs(a - b) / b, n) for (a, n), b in zip(pairs, evened, strict=True)]
    assert all(share <= (SAME_SIZE if n > FEW_LETTERS else SAME_SIZE_OF_FEW) + 1e-9 for share, n in moved)


def test_a_size_near_the_leader_but_not_near_its_groups_middle_stays():
    assert even_sizes([4.0, 22.0, 26.0, 18.125, 25.5], [1, 1, 1, 4, 5]) == [4.0, 25.5, 25.5, 18.125, 25.5]


def test_a_heading_keeps_its_size_among_uneven_lines():
    assert even_sizes([16.0, 9.7, 10.0, 10.4, 10.0], [20, 90, 90, 90, 90]) == [16.0, 10.0, 10.0, 10.0, 10.0]


def test_paragraphs_part_at_gaps_sizes_and_columns():
    boxes = [(0, 0, 100, 10), (0, 14, 100, 24), (0, 50, 100, 60), (0, 64, 100, 74), (200, 0, 300, 10), (0, 80, 99, 96)]
    assert paragraphs(boxes, [10, 10, 10, 10, 10, 16]) == [0, 0, 2, 2, 1, 3]


@given(
    st.sampled_from([0, 90, 180, 270]), st.integers(5, 40), st.integers(5, 40), st.data(), st.floats(0.5, 4),
)  # fmt: skip
def test_boxes_find_their_way_back_to_the_page(turn, height, width, data, scale):
    x0, y0 = data.draw(st.integers(0, width - 2)), data.draw(st.integers(0, height - 2))
    x1, y1 = data.draw(st.integers(x0 + 1, width)), data.draw(st.integers(y0 + 1, height))
    page = np.zeros((height, width), np.uint8)
    page[y0:y1, x0:x1] = 1
    upright = straighten(page, turn=turn, skew=0.0)
    ys, xs = np.nonzero(upright)
    box = (xs.min(), ys.min(), xs.max() + 1, ys.max() + 1)
    back = Place(turn, upright.shape, (7.0, 9.0), scale).box(box)
    assert back == pytest.approx((7 + x0 / scale, 9 + y0 / scale, 7 + x1 / scale, 9 + y1 / scale))


def test_nothing_found_is_no_lines():
    assert page_lines([], Place(0, (10, 10), (0, 0), 1.0)) == ([], [])


def stripes(angle=0.0):
    """Bars like lines of words, falling to the right by `angle` degrees."""
    y, x = np.mgrid[0:700, 0:900]
    level = y - x * np.tan(np.radians(angle))
    text = (level % 30 < 12) & (x > 60) & (x < 840) & ((x + (level // 30) * 37) % 50 > 8)
    return np.where(text, 30, 240).astype(np.uint8)


@pytest.mark.parametrize("angle", [-3.0, -1.0, 0.0, 2.2, 4.5])
def test_skew_is_measured_and_taken_out(angle):
    image = stripes(angle)
    lies = layout_of(image)
    assert not lies.sideways
    assert lies.sure
    assert lies.skew == pytest.approx(angle, abs=0.15)
    assert abs(layout_of(straighten(image, turn=0, skew=lies.skew)).skew) < 0.3


@pytest.mark.parametrize("angle", [0.0, 1.5])
@pytest.mark.parametrize("turns", [1, 3])
def test_sideways_lines_are_seen_and_their_skew_too(angle, turns):
    lies = layout_of(np.rot90(stripes(angle), turns))
    assert lies.sideways
    assert lies.sure
    assert lies.skew == pytest.approx(angle, abs=0.15)


def test_ink_of_light_on_dark_and_of_nothing():
    image = stripes()
    assert ink(image).mean() == pytest.approx(ink(255 - image).mean(), abs=0.02)
    assert not ink(np.full((300, 200), 200, np.uint8)).any()
    assert not ink(np.zeros((1, 1), np.uint8)).any()
    assert layout_of(np.full((300, 200), 255, np.uint8)).skew == 0.0


def test_bars_of_tables_are_no_words_and_make_their_line_doubtful():
    hocr = HOCR.replace(b"R&amp;D", b"|")
    (line,) = parse_hocr(hocr)
    assert (line.text, line.worst) == ("costs", 0.0)
    (line,) = parse_hocr(HOCR)
    assert line.worst == 0.6


def ruled(width=3):
    """White paper with a frame, a line of letters in it, and a dark block."""
    picture = np.full((600, 800), 255, np.uint8)
    picture[100 : 100 + width, 100:700] = 0
    picture[100:400, 100 : 100 + width] = 0
    picture[200:212, 150:600:6] = 0
    picture[450:520, 300:420] = 0
    return picture


def test_ruling_lines_are_found_and_blocks_and_letters_are_not():
    rules = rules_of(ruled())
    assert len(rules) == 2
    assert rules[0] == pytest.approx((100, 101, 700, 101, 3), abs=2)
    assert rules[1] == pytest.approx((101, 100, 101, 400, 3), abs=2)


def test_strokes_of_letters_are_no_rules():
    letters = OcrLine("ABC", (100, 100, 400, 140), 0.9, (), 30)
    place = Place(0, (600, 800), (0, 0), 2.0)
    through, under, past = (150, 120, 250, 120, 2), (100, 139, 400, 139, 2), (50, 120, 700, 120, 2)
    found = page_rules([through, under, past], [letters], place)
    assert [(r.x0, r.y0, r.x1) for r in found] == [(50, 69.5, 200), (25, 60, 350)]


def test_print_that_was_left_out_makes_a_reading_poor():
    picture = ruled()
    letters = OcrLine("lllll", (150, 200, 600, 212), 0.9, (), 12)
    block = OcrLine("X", (300, 450, 420, 520), 0.9, (), 60)
    assert missed_ink([letters, block], picture) < 0.05
    assert not is_poor([letters, block], picture)
    assert missed_ink([letters], picture) > 0.5
    assert is_poor([letters], picture)
    assert missed_ink([], np.full((50, 50), 255, np.uint8)) == 0.0
    assert is_poor([block, letters._replace(worst=0.1)] * 11, picture)


def test_a_doubtful_line_is_read_again_and_keeps_its_place():
    picture = np.full((200, 400), 255, np.uint8)
    line = OcrLine("PATS SIS)", (100, 50, 200, 70), 0.8, (), 15, 0.1)

    def other(strip, *, language):
        height, width = strip.shape
        box = (8, 8, width - 8, height - 8)
        return [OcrLine("215.56", box, 0.9, (), 15), OcrLine("above", (0, 0, width, 2), 0.9, (), 2)]

    (got,), changed = read_again([line], picture, other, language="en")
    assert (got.text, got.bbox, changed) == ("215.56", (100, 50, 200, 70), 1)
    (kept,), changed = read_again([line._replace(worst=0.95)], picture, other, language="en")
    assert (kept.text, changed) == ("PATS SIS)", 0)
    (kept,), changed = read_again([line], picture, lambda strip, language: [], language="en")
    assert (kept.text, changed) == ("PATS SIS)", 0)


def test_print_on_paper_is_told_from_slides():
    page = pymupdf.open().new_page(width=300, height=300)
    page.insert_text((30, 50), "Net sales", fontsize=20)
    page.draw_rect((30, 80, 270, 200), color=(0, 0, 0))
    assert is_plain(page)
    page.draw_rect((100, 100, 160, 160), fill=(0.3, 0.3, 0.3))
    assert not is_plain(page)
    assert is_plain(page, (0, 0, 300, 90))
    page.insert_text((30, 30), "in colour", fontsize=20, color=(0, 0, 1))
    assert not is_plain(page, (0, 0, 300, 90))
    assert is_plain(page, (5, 5, 5, 9))


def test_one_line_measured_badly_does_not_swallow_a_heading():
    sizes = [13.1, 11.2, 9.5, 9.2, 9.5, 9.2]
    assert even_sizes(sizes, [6, 33, 30, 28, 25, 25])[0] == 13.1
    assert even_sizes([9.5, 9.2, 11.9], [25, 25, 2]) == [9.5, 9.5, 9.5]


def test_light_rules_on_a_dark_picture_are_found():
    dark = 235 - ruled().astype(np.int16) * 3 // 4
    assert len(rules_of(np.clip(dark, 0, 255).astype(np.uint8))) == 2
