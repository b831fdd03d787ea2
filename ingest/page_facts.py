"""What a PDF page holds, read once: text lines, ruling lines, fills, pictures. Everything later works on this."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pymupdf

from h3cold.schemas.geometry import BBox, union

TEXT_FLAGS = pymupdf.TEXTFLAGS_DICT & ~pymupdf.TEXT_PRESERVE_IMAGES
MAX_STROKES = 20_000
"""Vector paths beyond which a page's drawings are not read: line art of that density is a picture, not rules."""

THIN = 3.0
"""A filled box or stroke at most this wide (points) is a ruling line."""


class Span(NamedTuple):
    """A run of one font. `baseline` is the y (for horizontal text) of its origin; `size` in points."""

    text: str
    bbox: BBox
    font: str
    size: float
    bold: bool
    italic: bool
    superscript: bool
    color: int
    baseline: float


class Line(NamedTuple):
    """A run of text without a wide gap. `dir` is the (cos, sin) of its writing direction, (1, 0) = horizontal.

    `block` numbers the paragraph-like group the reader put it in. `confidence` is OCR's (0..1), None otherwise.
    """

    text: str
    bbox: BBox
    spans: tuple[Span, ...]
    dir: tuple[float, float]
    block: int
    confidence: float | None = None

    @property
    def size(self) -> float:
        """Font size of the longest span, in points."""
        return max(self.spans, key=lambda s: len(s.text)).size


class Word(NamedTuple):
    """A blank-separated piece of a line."""

    text: str
    bbox: BBox


class Rule(NamedTuple):
    """A straight ruling line: from (x0, y0) to (x1, y1) along its middle, `width` points thick."""

    x0: float
    y0: float
    x1: float
    y1: float
    width: float

    @property
    def horizontal(self) -> bool:
        """True for a line that runs left to right."""
        return abs(self.x1 - self.x0) >= abs(self.y1 - self.y0)


class Fill(NamedTuple):
    """A filled rectangle that is no ruling line: shading behind cells, bars of a chart."""

    bbox: BBox
    color: tuple[float, ...]


@dataclass(slots=True)
class PageFacts:
    """One page as read. Boxes in points of the page as displayed; `number` is 1-based.

    `curves` counts vector paths that are neither rules nor boxes and `art` holds their boxes (charts, logos).
    `strokes` is the number of vector paths on the page, read or not; `images` the boxes of its pictures.
    """

    number: int
    width: float
    height: float
    rotation: int
    lines: list[Line]
    rules: list[Rule] = field(default_factory=list)
    fills: list[Fill] = field(default_factory=list)
    art: list[BBox] = field(default_factory=list)
    images: list[BBox] = field(default_factory=list)
    curves: int = 0
    strokes: int = 0
    _words: Callable[[], list[Word]] | None = None

    def words(self) -> list[Word]:
        """The page's words; read on first use only, since most pages never need them."""
        if self._words is None:
            return [Word(t, ln.bbox) for ln in self.lines for t in ln.text.split()]
        return self._words()


def read_page(page: pymupdf.Page) -> PageFacts:
    """Read a page's text layer, vector graphics and picture boxes.

    Raises:
        RuntimeError: (MuPDF's errors are its subclasses) the page's content cannot be interpreted.
    """
    textpage = page.get_textpage(flags=TEXT_FLAGS)
    content = textpage.extractDICT()
    facts = PageFacts(
        number=page.number + 1,
        width=page.rect.width,
        height=page.rect.height,
        rotation=page.rotation,
        lines=[line for block in content["blocks"] for line in _lines(block)],
        images=[tuple(info["bbox"]) for info in page.get_image_info()],
    )
    cache: list[list[Word]] = []

    def words() -> list[Word]:
        if not cache:
            cache.append([Word(w[4], (w[0], w[1], w[2], w[3])) for w in textpage.extractWORDS()])
        return cache[0]

    facts._words = words
    _read_drawings(page, facts)
    return facts


def _lines(block: dict[str, Any]) -> list[Line]:
    out = []
    for line in block.get("lines", ()):
        spans = _spans(line["spans"])
        if spans:
            text = "".join(s.text for s in spans)
            if text.strip():
                out.append(Line(text, union(s.bbox for s in spans), spans, line["dir"], block["number"]))
    return out


def _spans(raw: list[dict[str, Any]]) -> tuple[Span, ...]:
    """MuPDF starts a new span at each blank it inserts; runs of one font are put together again."""
    out: list[Span] = []
    for s in raw:
        flags, text, box = s["flags"], s["text"], s["bbox"]
        if out and (not text.strip() or (out[-1].font == s["font"] and abs(out[-1].size - s["size"]) < 0.05)):
            last = out[-1]
            grown = (min(last.bbox[0], box[0]), min(last.bbox[1], box[1]),
                     max(last.bbox[2], box[2]), max(last.bbox[3], box[3]))  # fmt: skip
            if not text.strip():
                out[-1] = last._replace(text=last.text + text)
                continue
            if last.color == s["color"] and last.superscript == bool(flags & 1):
                out[-1] = last._replace(text=last.text + text, bbox=grown)
                continue
        if text:
            out.append(Span(text, box, s["font"], s["size"], bool(flags & 16), bool(flags & 2), bool(flags & 1),
                            s["color"], s["origin"][1]))  # fmt: skip
    return tuple(out)


def _read_drawings(page: pymupdf.Page, facts: PageFacts) -> None:
    log = page.get_bboxlog()
    facts.strokes = sum(1 for kind, _ in log if kind in ("stroke-path", "fill-path"))
    if not facts.strokes or facts.strokes > MAX_STROKES:
        return
    for path in page.get_cdrawings():
        box = path["rect"]
        width, height = box[2] - box[0], box[3] - box[1]
        kinds = {item[0] for item in path["items"]}
        if "c" in kinds or "qu" in kinds:
            facts.curves += 1
            facts.art.append(tuple(box))
        elif "f" in path["type"] and width > THIN and height > THIN and kinds == {"re"}:
            for item in path["items"]:
                _box_or_rule(facts, item[1], path.get("fill") or ())
        else:
            _strokes(facts, path)


def _box_or_rule(facts: PageFacts, box: BBox, color: tuple[float, ...]) -> None:
    x0, y0, x1, y1 = box
    if y1 - y0 <= THIN < x1 - x0:
        facts.rules.append(Rule(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2, y1 - y0))
    elif x1 - x0 <= THIN < y1 - y0:
        facts.rules.append(Rule((x0 + x1) / 2, y0, (x0 + x1) / 2, y1, x1 - x0))
    elif x1 - x0 > THIN and y1 - y0 > THIN:
        facts.fills.append(Fill((x0, y0, x1, y1), tuple(color)))


def _strokes(facts: PageFacts, path: dict[str, Any]) -> None:
    width = path.get("width") or 0.0
    for item in path["items"]:
        if item[0] == "l":
            (ax, ay), (bx, by) = item[1], item[2]
            if abs(ax - bx) <= 1 or abs(ay - by) <= 1:
                facts.rules.append(Rule(min(ax, bx), min(ay, by), max(ax, bx), max(ay, by), width))
            else:
                facts.curves += 1
                facts.art.append((min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)))
        elif item[0] == "re":
            x0, y0, x1, y1 = item[1]
            if x1 - x0 <= THIN or y1 - y0 <= THIN:
                _box_or_rule(facts, (x0, y0, x1, y1), ())
            else:
                sides = ((x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1))
                facts.rules.extend(Rule(*side, width) for side in sides)
