"""What a PDF page holds, read once: text lines, ruling lines, fills, pictures. Everything later works on this."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, NamedTuple

import pymupdf

from h3cold.ingest.glyphs import mended_blocks, mended_words, needs_mending
from h3cold.ingest.script import plain
from h3cold.ingest.shown import letters_left_out, read_shown, sheet_of
from h3cold.ingest.signs import has_codes
from h3cold.ingest.tagged import Tag, has_tags, is_tagged, read_tags
from h3cold.schemas.geometry import BBox, union

TEXT_FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP | pymupdf.TEXT_PRESERVE_LIGATURES
"""A glyph without a Unicode value becomes U+FFFD, which triage counts; `script.plain` takes ligatures apart."""
PAINTED = 16 | 32 | 64
"""MuPDF's flags of a character that is filled, stroked or clipped with."""

PAINTED_TWICE = 16 | 32
"""Filled and stroked: how writers make bold letters of a font that has none, as Chinese ones mostly have not."""

_STROKES_TEXT = re.compile(rb"\b2\s+Tr\b")

_new = tuple.__new__  # of a named tuple, with all of its fields: half the time of calling its class

_HEAVY = re.compile(r"(?i:(?:semi|demi|extra|ultra)bold|heavy)|(?:Demi|Black)(?![a-z])|(?:CM|SF|EC|LM)(?:SS)?BX")

MAX_STROKES = 20_000
"""Vector paths beyond which a page's drawings are not read: line art of that density is a picture, not rules."""

SHORTEST_PATH = 10
"""Fewest bytes that one vector path takes in a content stream (`0 0 9 9re f`)."""

THIN = 3.0
"""A filled box or stroke at most this wide (points) is a ruling line."""


class Span(NamedTuple):
    """A run of one font; `size` in points. `baseline` is the y of its origin, measured on the page turned so
    that its line runs left to right (see `ingest.turn`).
    """

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
    `hidden` marks text that is not painted (render mode 3, as OCR layers have); `vertical` a line written top-down.
    """

    text: str
    bbox: BBox
    spans: tuple[Span, ...]
    dir: tuple[float, float]
    block: int
    confidence: float | None = None
    hidden: bool = False
    vertical: bool = False

    @property
    def size(self) -> float:
        """Font size of the longest span, in points."""
        spans = self.spans
        main = spans[0]
        for span in spans[1:]:
            main = span if len(span.text) > len(main.text) else main
        return main.size


def sizes_of(lines: Iterable[Line]) -> list[float]:
    """The size of each line."""
    return [spans[0].size if len(spans := line.spans) == 1 else line.size for line in lines]


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
    `strokes` is the number of vector paths on the page, read or not (beyond `MAX_STROKES` they are not read);
    `images` the boxes of its pictures; `cropped` counts letters outside of what is shown. `items` is where
    `order.line_items` keeps what it made of which lines.
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
    cropped: int = 0
    items: tuple[list[Line], list[Any]] | None = None
    _words: Callable[[], list[Word]] | None = None
    _tags: Callable[[Sequence[BBox]], list[Tag | None]] | None = None
    _letters: Callable[[], Any] | None = None

    def words(self) -> list[Word]:
        """The page's words; read on first use only, since most pages never need them."""
        if self._words is None:
            return [Word(t, ln.bbox) for ln in self.lines for t in ln.text.split()]
        return self._words()

    def tags(self, boxes: Sequence[BBox]) -> list[Tag | None] | None:
        """What the file's structure tree says of the lines in these boxes; None in files without one.

        Reading it takes as long as reading the page: only pages whose order is in doubt are worth it.
        """
        return None if self._tags is None else self._tags(boxes)


def read_page(page: pymupdf.Page, *, tagged: bool | None = None) -> PageFacts:
    """Read a page's text layer, vector graphics and picture boxes; `tagged` is `is_tagged` of its file, where known.

    Raises:
        RuntimeError: (MuPDF's errors are its subclasses) the page's content cannot be interpreted.
    """
    from h3cold.ingest.check_boxes import read_check_boxes
    from h3cold.ingest.collapsed import restore_collapsed  # they fill in the types of this file
    from h3cold.ingest.drawings import may_only_fill, own_stream, read_content, read_drawings
    from h3cold.ingest.placed import place_letters
    from h3cold.ingest.tight import part_words

    turn, rect, content = Turn(page), page.rect, read_content(page)
    shown = read_shown(page, TEXT_FLAGS, boxes=may_only_fill(page, content), sheet=sheet_of(rect, turn.rotation))
    textpage = shown.textpage
    facts = PageFacts(
        number=page.number + 1,
        width=rect.width,
        height=rect.height,
        rotation=turn.rotation,
        lines=[line for block in shown.blocks for line in _lines(block, turn)],
        images=[turn.box(box) for box in shown.pictures],
    )
    flags = TEXT_FLAGS
    if _all_light(facts.lines) and b"Tr" in (own := own_stream(page, content)) and _STROKES_TEXT.search(own):
        flags |= pymupdf.TEXT_COLLECT_STYLES
        styled = page.get_textpage(flags=flags)  # four times slower: not for all
        facts.lines = [line for block in styled.extractDICT()["blocks"] for line in _lines(block, turn)]
    mended: list[dict[str, Any]] = []
    if needs_mending(text := "".join([ln.text for ln in facts.lines])) or has_codes(facts.lines, text):
        mended = mended_blocks(page, flags)
        facts.lines = [line for block in mended for line in _lines(block, turn)]
    if not (mended or turn.rotation):
        part_words(textpage, facts)

    @cache
    def words() -> list[Word]:
        if mended:
            return [Word(plain(text), turn.box(box)) for text, box in mended_words(mended)]
        found = textpage.extractWORDS()
        if turn.rotation:
            return [Word(plain(w[4]), turn.box(w[:4])) for w in found]
        return [_new(Word, (t if t.isascii() else plain(t), (a, b, c, d))) for a, b, c, d, t, _, _, _ in found]

    facts._words = words
    facts._letters = lambda: place_letters(mended or textpage.extractRAWDICT()["blocks"], turn)
    facts.cropped = letters_left_out(shown, facts.lines)
    if not turn.rotation and (is_tagged(page.parent) if tagged is None else tagged):
        restore_collapsed(textpage, facts)
        if has_tags(page):
            facts._tags = lambda boxes: read_tags(page, TEXT_FLAGS, boxes)
    read_drawings(page, facts, turn, content, shown.boxes)
    read_check_boxes(facts)
    return facts


class Turn:
    """MuPDF reports text and drawings of the page as stored; this maps them to the page as displayed."""

    def __init__(self, page: pymupdf.Page) -> None:
        self.rotation = page.rotation
        self.matrix = tuple(page.rotation_matrix) if self.rotation else (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)

    def point(self, x: float, y: float) -> tuple[float, float]:
        a, b, c, d, e, f = self.matrix
        return (a * x + c * y + e, b * x + d * y + f)

    def box(self, box: Any) -> BBox:
        if not self.rotation:
            return box if type(box) is tuple else tuple(box)
        (ax, ay), (bx, by) = self.point(box[0], box[1]), self.point(box[2], box[3])
        return (min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))

    def dir(self, dir: tuple[float, float]) -> tuple[float, float]:
        if not self.rotation:
            return dir
        a, b, c, d, _, _ = self.matrix
        return (a * dir[0] + c * dir[1], b * dir[0] + d * dir[1])


def _all_light(lines: list[Line]) -> bool:
    """Whether there is text, and nothing of it in a bold font."""
    return bool(lines) and not any(span.bold for line in lines for span in line.spans)


def _lines(block: dict[str, Any], turn: Turn) -> list[Line]:
    out = []
    number = block["number"]
    for line in block.get("lines", ()):
        dir = line["dir"] if not turn.rotation else turn.dir(line["dir"])
        raw = line["spans"]
        if len(raw) != 1:
            spans = _spans(raw, turn, dir)
            if not spans:
                continue
            text = spans[0].text if len(spans) == 1 else "".join([s.text for s in spans])
            box = spans[0].bbox if len(spans) == 1 else union([s.bbox for s in spans])
            hidden = True
            for s in raw:
                if s["char_flags"] & PAINTED and s["alpha"]:
                    hidden = False
                    break
        else:  # as most have
            (s,) = raw
            text = s["text"]
            if not text or text.isspace():
                continue
            span = _span(text, s["bbox"], s, turn, dir)
            spans, text, box = (span,), span.text, span.bbox
            hidden = not (s["char_flags"] & PAINTED and s["alpha"])
        out.append(_new(Line, (text, box, spans, dir, number, None, hidden, bool(line["wmode"]))))
    return out


def _spans(raw: list[dict[str, Any]], turn: Turn, dir: tuple[float, float]) -> tuple[Span, ...]:
    """MuPDF starts a new span at each blank it inserts; runs of one font are put together again, blanks alone left."""
    spans: list[Span] = []
    first: dict[str, Any] | None = None  # the span that a run began with
    texts: list[str] = []
    key: Any = None
    x0 = y0 = x1 = y1 = 0.0
    for s in raw:
        text = s["text"]
        if not text or text.isspace():
            if first is not None:
                texts.append(text)
            continue
        now = (s["font"], s["size"], s["flags"], s["color"], s["char_flags"] & PAINTED)
        if now == key:
            a, b, c, d = s["bbox"]
            texts.append(text)
            x0, y0 = (a if a < x0 else x0), (b if b < y0 else y0)
            x1, y1 = (c if c > x1 else x1), (d if d > y1 else y1)
        else:
            if first is not None:
                spans.append(_span("".join(texts), (x0, y0, x1, y1), first, turn, dir))
            first, key, texts = s, now, [text]
            x0, y0, x1, y1 = s["bbox"]
    if first is not None:
        spans.append(_span("".join(texts), (x0, y0, x1, y1), first, turn, dir))
    return tuple(spans)


@lru_cache(maxsize=1024)
def _is_heavy(font: str) -> bool:
    """Whether a font's name tells a heavy weight that is not called bold."""
    return _HEAVY.search(font) is not None


def _span(text: str, box: BBox, first: dict[str, Any], turn: Turn, dir: tuple[float, float]) -> Span:
    flags, drawn, origin = first["flags"], first["char_flags"], first["origin"]
    bold = bool(flags & 16) or bool(drawn & 8) or drawn & PAINTED_TWICE == PAINTED_TWICE or _is_heavy(first["font"])
    if turn.rotation:
        box = turn.box(box)
    baseline = origin[1]
    if turn.rotation or abs(dir[1]) > 0.7:
        x, y = turn.point(*origin)
        baseline = y if abs(dir[1]) <= 0.7 else (-x if dir[1] > 0 else x)
    return _new(Span, (text if text.isascii() else plain(text), box, first["font"], first["size"], bold,
                       bool(flags & 2), bool(flags & 1), first["color"], baseline))  # fmt: skip
