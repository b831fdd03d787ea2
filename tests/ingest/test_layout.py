import logging
import socket
from pathlib import Path

import layoutparser as lp
import numpy as np
import pymupdf
import pytest

from h3cold.ingest import layout
from h3cold.ingest.layout.detect import kind
from h3cold.ingest.layout_route import is_ambiguous
from h3cold.ingest.parse import ParseOptions, parse_document
from h3cold.schemas.errors import ModelError, UsageError
from h3cold.schemas.geometry import inside, iou
from h3cold.schemas.page import Region

PARAGRAPH = "The Company's net sales rose by four percent in the year, on higher volumes in every segment. " * 5
TABLE = (60, 420, 540, 560)
TABLE_TEXT = (68, 432, 410, 552)


def assert_is_table(box):
    """One model boxes the rules, the other the text in them."""
    assert inside(TABLE_TEXT, box) > 0.9
    assert inside(box, TABLE) > 0.9


def draw(page):
    page.insert_htmlbox((60, 60, 540, 400), f"<h1>Results of Operations</h1><p>{PARAGRAPH}</p><p>{PARAGRAPH}</p>")
    rows = [["", "2023", "2022"], ["Net sales", "34,229", "32,184"], ["Costs", "20,477", "19,101"],
            ["Income", "4,512", "4,398"], ["Tax", "803", "884"]]  # fmt: skip
    for i, row in enumerate(rows):
        for j, text in enumerate(row):
            box = pymupdf.Rect(60 + 160 * j, 420 + 28 * i, 220 + 160 * j, 448 + 28 * i)
            page.draw_rect(box, width=0.7)
            page.insert_text((box.x0 + 8, box.y0 + 18), text, fontsize=10)


@pytest.fixture(scope="module")
def doc():
    with pymupdf.open() as doc:
        draw(doc.new_page(width=600, height=700))
        yield doc


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("a layout model reached for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    layout.open_model.cache_clear()


@pytest.mark.parametrize("model", ["pymupdf", "rapidlayout"])
def test_the_table_and_the_text_are_found_offline(doc, model, no_network, capfd):
    found = layout.detect(doc[0], model)
    assert isinstance(found, lp.Layout)
    tables = [b for b in found if b.type == "table"]
    assert len(tables) == 1
    assert_is_table(tables[0].coordinates)
    texts = [b for b in found if b.type == "text" and b.coordinates[3] < 420]
    assert texts
    assert all(b.score is None or 0 <= b.score <= 1 for b in found)
    assert [b.id for b in found] == list(range(len(found)))
    out, err = capfd.readouterr()
    assert not out + err
    assert logging.root.manager.disable == 0


@pytest.mark.parametrize("model", ["pymupdf", "rapidlayout"])
@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_boxes_are_those_of_the_page_as_displayed(doc, model, rotation):
    with pymupdf.open() as turned:
        upright = doc[0].rect
        size = (upright.height, upright.width) if rotation in (90, 270) else (upright.width, upright.height)
        page = turned.new_page(width=size[0], height=size[1])
        page.show_pdf_page(page.rect, doc, 0, rotate=rotation)
        page.set_rotation(rotation)
        assert page.rect == upright
        (table,) = [b for b in layout.detect(page, model) if b.type == "table"]
        assert_is_table(table.coordinates)
        assert page.rotation == rotation


def test_a_picture_of_a_page_has_a_layout_in_pixels(doc):
    pixmap = doc[0].get_pixmap(dpi=144)
    image = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3)
    found = layout.open_model("rapidlayout").detect(image)
    (table,) = [b for b in found if b.type == "table"]
    assert iou(table.coordinates, [2 * v for v in TABLE]) > 0.8
    with pytest.raises(UsageError, match="for a picture use the model rapidlayout"):
        layout.open_model("pymupdf").detect(image)


class Halves(lp.models.base_layoutmodel.BaseLayoutModel):
    """A detector as a user may bring it: half the picture is text, the other half something unknown."""

    DEPENDENCIES = ()
    DETECTOR_NAME = "halves"
    MODEL_CATALOG = {}  # noqa: RUF012

    def detect(self, image):
        height, width, _ = self.image_loader(image).shape
        return lp.Layout(
            [
                lp.TextBlock(lp.Rectangle(0, 0, width, height / 2), type="Title", score=0.5),
                lp.TextBlock(lp.Rectangle(-9, height / 2, width + 9, height), type="Marginalia", score=0.25),
                lp.TextBlock(lp.Rectangle(width + 10, 0, width + 20, 5), type="Text", score=0.25),
            ]
        )

    def image_loader(self, image):
        return np.asarray(image)


class Broken:
    def __init__(self):
        raise OSError("no weights at /models/x")


def test_any_layoutparser_model_plugs_in(doc):
    found = layout.detect(doc[0], f"{__name__}:Halves")
    assert [(b.type, b.score) for b in found] == [("title", 0.5), ("text", 0.25)]
    assert found[0].coordinates == pytest.approx((0, 0, 600, 350), abs=1)
    assert found[1].coordinates == pytest.approx((0, 350, 600, 700), abs=1)


class Configured(Halves):
    """One that is made from a configuration file, as LayoutParser's own are."""

    def __init__(self, config_path):
        self.share = float(Path(config_path).read_text())

    def detect(self, image):
        height, width, _ = self.image_loader(image).shape
        return lp.Layout([lp.TextBlock(lp.Rectangle(0, 0, width, height * self.share), type="Figure", score=0.9)])


def test_a_model_is_given_its_configuration(doc, tmp_path):
    path = tmp_path / "model.yaml"
    path.write_text("0.25")
    (block,) = layout.detect(doc[0], f"{__name__}:Configured@{path}")
    assert block.type == "figure"
    assert block.coordinates == pytest.approx((0, 0, 600, 175), abs=1)
    with pytest.raises(ModelError, match="does not load: FileNotFoundError"):
        layout.open_model(f"{__name__}:Configured@{tmp_path / 'none.yaml'}")


def test_a_model_of_the_catalogue_says_what_it_lacks():
    with pytest.raises(ModelError, match="lp://EfficientDet/PubLayNet"):
        layout.open_model("lp://EfficientDet/PubLayNet")


def test_only_scattered_pages_are_shown_to_the_model():
    def page_of(texts):
        return [Region("text", (0, 10.0 * i, 50, 10.0 * i + 9), t, i) for i, t in enumerate(texts)]

    assert is_ambiguous(page_of(["Full-time"] * 20 + [PARAGRAPH] * 4))
    assert not is_ambiguous(page_of(["Full-time"] * 19))
    assert not is_ambiguous(page_of(["Full-time"] * 20 + [PARAGRAPH] * 6))


def test_the_model_of_the_configuration_changes_kinds(doc, tmp_path):
    doc.save(tmp_path / "page.pdf", no_new_id=True)
    shown = {}
    for mode in ("fast", "model"):
        options = ParseOptions(ocr="off", layout=mode, layout_model=f"{__name__}:Halves")
        (shown[mode],) = parse_document(tmp_path / "page.pdf", options=options).pages
    assert (shown["fast"].route, shown["model"].route) == ("geometry", "layout")
    assert "a layout model was asked for" in shown["model"].reasons
    words = [["".join(r.text.split()) for r in page.regions] for page in shown.values()]
    assert words[0] == words[1]


class Headline(Halves):
    """A detector that calls a section's heading a title, as those of PubLayNet and CDLA do."""

    def detect(self, image):
        scale = image.shape[1] / 600
        return lp.Layout([lp.TextBlock(lp.Rectangle(*(v * scale for v in (60, 590, 240, 606))), type="Title")])


def test_a_title_to_a_model_is_a_heading(tmp_path):
    with pymupdf.open() as doc:
        draw(page := doc.new_page(width=600, height=700))
        page.insert_text((60, 602), "what came of it in the year", fontsize=12)
        doc.save(tmp_path / "page.pdf", no_new_id=True)
    options = ParseOptions(ocr="off", layout="model", layout_model=f"{__name__}:Headline")
    (page,) = parse_document(tmp_path / "page.pdf", options=options).pages
    assert [r.kind for r in page.regions if r.text == "what came of it in the year"] == ["heading"]


def test_a_wrong_model_is_an_error_that_helps():
    with pytest.raises(UsageError, match="known: pymupdf, rapidlayout"):
        layout.open_model("pymupdff")
    with pytest.raises(UsageError, match="cannot be found"):
        layout.open_model("no_such_module:Model")
    with pytest.raises(UsageError, match=r"no method detect\(image\)"):
        layout.open_model("builtins:object")
    with pytest.raises(ModelError, match="no weights at /models/x"):
        layout.open_model(f"{__name__}:Broken")


def test_kinds():
    assert [kind(n) for n in ("Title", "section-header", "List-item", "Figure", "equation", "?")] == [
        "title", "heading", "list", "figure", "formula", "text",
    ]  # fmt: skip


def test_a_huge_and_an_empty_page_are_no_trouble():
    with pymupdf.open() as doc:
        doc.new_page(width=8000, height=8000)
        for model in ("pymupdf", "rapidlayout"):
            assert list(layout.detect(doc[0], model)) == []
