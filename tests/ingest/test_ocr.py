import difflib
import shutil
import socket

import pymupdf
import pytest

from h3cold.ingest import ocr
from h3cold.ingest.ocr import tesseract
from h3cold.ingest.ocr.page import LEAST_CONFIDENCE
from h3cold.schemas.errors import ModelError, UsageError
from h3cold.schemas.geometry import iou, union

ENGLISH = ["Management's Discussion", "Net sales increased 4.7% to $34,229 million in fiscal",
           "2023, while operating income fell; see Note 14."]  # fmt: skip
CHINESE = ["管理层讨论与分析", "报告期内，公司实现营业收入3,856.72亿元，同比增长12.4%；",
           "应收账款周转率由6.82次提高至7.15次（含税）。"]  # fmt: skip


def scan(lines, *, turn=0, skew=0.0, ink=0.1, paper=0.95, degrade=True):
    """A page that is only a picture of these lines, as a cheap scanner gives it, turned counter-clockwise by `turn`."""
    html = f"<h2>{lines[0]}</h2>" + "".join(f"<p>{line}</p>" for line in lines[1:])
    css = (
        f"* {{font-family: sans-serif; font-size: 11pt; color: rgb({ink:%}, {ink:%}, {ink:%})}} h2 {{font-size: 18pt}}"
    )
    source = pymupdf.open()
    page = source.new_page(width=420, height=200)
    page.draw_rect(page.rect, fill=(paper,) * 3, color=(paper,) * 3)
    page.insert_htmlbox((40, 30, 400, 190), html, css=css)
    truth = {w[4]: w[:4] for w in page.get_text("words")}
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(150 / 72, 150 / 72).prerotate(skew), colorspace=pymupdf.csGRAY)
    picture = pixmap.tobytes("jpeg", jpg_quality=50) if degrade else pixmap.tobytes("png")
    target = pymupdf.open()
    size = (420, 200) if turn in (0, 180) else (200, 420)
    target.new_page(width=size[0], height=size[1]).insert_image((0, 0, *size), stream=picture, rotate=turn)
    return target[0], truth


def text_of(result):
    return "\n".join(line.text for line in result.lines)


def errors(lines, result):
    """Share of characters that differ; blanks do not count."""
    want, got = "".join("".join(lines).split()), "".join(text_of(result).split())
    return 1 - difflib.SequenceMatcher(None, want, got, autojunk=False).ratio()


@pytest.fixture
def without_tesseract(monkeypatch):
    monkeypatch.setenv("PATH", "")


@pytest.mark.parametrize(("lines", "language"), [(ENGLISH, "en"), (CHINESE, "zh")])
def test_rapidocr_reads_both_languages_without_tesseract_or_network(lines, language, without_tesseract, monkeypatch,
                                                                    capfd):  # fmt: skip
    def refuse(*args, **kwargs):
        raise AssertionError("OCR reached for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    page, truth = scan(lines)
    result = ocr.read(page)
    assert result.engine == "rapidocr"
    assert result.language == language
    assert errors(lines, result) < 0.02
    assert result.confidence > 0.9
    assert (result.rotation, result.skew) == (0, 0.0)
    # Tesseract would have been the better one for English, and the user is told.
    assert result.notes == (("read by rapidocr: no tesseract binary on PATH",) if language == "en" else ())
    out, err = capfd.readouterr()
    assert not out + err
    check_lines(result, truth)


def check_lines(result, truth):
    first, *body = result.lines
    assert first.size == pytest.approx(18, rel=0.15)
    assert {line.size for line in body} == {body[0].size}
    assert body[0].size == pytest.approx(11, rel=0.15)
    assert first.block < body[0].block
    assert all(LEAST_CONFIDENCE <= line.confidence <= 1 and line.dir == (1.0, 0.0) for line in result.lines)
    assert all(line.bbox[1] < line.spans[0].baseline < line.bbox[3] for line in result.lines)
    found = {w.text: w.bbox for w in result.words}
    common = found.keys() & truth.keys()
    assert len(common) >= 2
    for word in common:
        assert iou(found[word], truth[word]) > 0.4, word


def test_english_is_read_by_tesseract_where_it_is_installed():
    page, truth = scan(ENGLISH)
    result = ocr.read(page)
    assert errors(ENGLISH, result) < 0.02
    assert result.language == "en"
    if shutil.which("tesseract"):
        assert tesseract.can_read("en")
        assert result.engine == "tesseract"
        assert result.notes == ()
        check_lines(result, truth)
    else:
        assert not tesseract.can_read("en")
        assert result.engine == "rapidocr"
        assert "no tesseract binary" in result.notes[0]


def test_chinese_is_read_by_rapidocr_also_where_tesseract_is_installed():
    page, _ = scan(CHINESE)
    result = ocr.read(page)
    assert (result.engine, result.language, result.notes) == ("rapidocr", "zh", ())
    assert errors(CHINESE, result) < 0.02
    assert "，" in text_of(result)
    assert "；" in text_of(result)


def test_language_without_data_falls_back_and_says_so():
    choice = ocr.choose_engine("xx")
    assert choice.engine == "rapidocr"
    assert "no tesseract" in choice.note


def test_tesseract_that_is_missing_says_what_to_do(without_tesseract):
    page, _ = scan(ENGLISH)
    image = ocr.page.image.render(page).image
    with pytest.raises(ModelError, match="put the tesseract binary on PATH"):
        ocr.open_engine("tesseract")(image, language="en")


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_page_that_lies_sideways_is_read_and_boxed_as_displayed(turn):
    page, truth = scan(ENGLISH, turn=turn)
    result = ocr.read(page, language="en")
    assert result.rotation == turn
    assert f"turned by {turn} degrees to be read" in result.notes
    assert errors(ENGLISH, result) < 0.02
    assert {line.dir for line in result.lines} == {{90: (0.0, -1.0), 180: (-1.0, 0.0), 270: (0.0, 1.0)}[turn]}
    x0, y0, x1, y1 = heading(truth)
    displayed = {
        90: (y0, 420 - x1, y1, 420 - x0),
        180: (420 - x1, 200 - y1, 420 - x0, 200 - y0),
        270: (200 - y1, x0, 200 - y0, x1),
    }
    assert iou(result.lines[0].bbox, displayed[turn]) > 0.4


def test_a_page_that_its_file_turns_upright():
    page, truth = scan(ENGLISH, turn=90)
    page.set_rotation(90)
    result = ocr.read(page, language="en")
    assert result.rotation == 0
    assert errors(ENGLISH, result) < 0.02
    assert iou(result.lines[0].bbox, heading(truth)) > 0.4


def heading(truth):
    return union(truth[word] for word in ENGLISH[0].split())


@pytest.mark.parametrize("skew", [-5.0, 1.5])
def test_a_skewed_page_is_straightened(skew):
    page, _ = scan([*ENGLISH, *ENGLISH[1:]], skew=skew)
    result = ocr.read(page, language="en")
    assert abs(result.skew) == pytest.approx(abs(skew), abs=0.4)
    assert errors([*ENGLISH, *ENGLISH[1:]], result) < 0.03
    assert all(line.bbox[3] - line.bbox[1] < 25 for line in result.lines)


def test_white_on_black(without_tesseract):
    page, _ = scan(ENGLISH, ink=1.0, paper=0.0)
    assert errors(ENGLISH, ocr.read(page)) < 0.02


def test_a_clip_reads_that_part_only_at_its_place_on_the_page():
    page, truth = scan(ENGLISH)
    result = ocr.read(page, clip=(0, 0, 420, 70), language="en")
    assert errors(ENGLISH[:1], result) < 0.02
    assert iou(result.lines[0].bbox, heading(truth)) > 0.4


@pytest.mark.parametrize("size", [(400, 300), (1, 1), (14000, 14000)])
def test_nothing_to_read_is_no_text_and_no_error(size):
    with pymupdf.open() as doc:
        page = doc.new_page(width=size[0], height=size[1])
        result = ocr.read(page)
        assert (result.lines, result.words, result.confidence, result.language) == ([], [], 0.0, "")
        assert ocr.read(page, clip=(5, 5, 5, 9), language="zh").language == "zh"


def test_a_huge_page_is_rendered_within_bounds():
    with pymupdf.open() as doc:
        doc.new_page(width=14000, height=100)
        doc.new_page(width=5000, height=5000)
        for page in doc:
            rendering = ocr.page.image.render(page)
            assert rendering.image.size <= ocr.page.image.MAX_PIXELS * 1.01
            assert rendering.image.shape[1] == pytest.approx(page.rect.width * rendering.scale, abs=2)


def test_an_unknown_engine_lists_the_known_ones():
    with pytest.raises(UsageError, match="known: tesseract, rapidocr"):
        ocr.open_engine("paddle")
    with pytest.raises(UsageError, match="cannot be loaded"):
        ocr.open_engine("no_such_module:read")
    assert ocr.open_engine("h3cold.ingest.ocr.rapid:read") is ocr.open_engine("rapidocr")


def test_a_picture_without_text_gives_none():
    with pymupdf.open() as doc:
        page = doc.new_page(width=400, height=300)
        shades = bytes((x * y // 300) % 256 for y in range(300) for x in range(400))
        page.insert_image(page.rect, pixmap=pymupdf.Pixmap(pymupdf.csGRAY, 400, 300, shades, False))
        result = ocr.read(page)
        assert sum(len(line.text) for line in result.lines) <= 3
