"""A page's vector graphics as far as they are seen: ruling lines, filled boxes, and boxes of everything else."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import pymupdf

from h3cold.ingest.boxes import Box
from h3cold.ingest.page_facts import MAX_STROKES, SHORTEST_PATH, THIN, Fill, PageFacts, Rule, Turn
from h3cold.schemas.geometry import BBox

UNPACKED = 16 << 20
"""Bytes of a page's content streams that are looked at, unpacked."""

_REFERENCE = re.compile(r"(\d+) \d+ R")
_CONSTRUCT = re.compile(rb"(?:[lcvy](?<=[\s\d.].)|re(?<=[\s\d.]re))(?=[\s/\[(<%]|$)", re.DOTALL)
_PAINTS = re.compile(rb"[sSFfbB](?<![^\s\d\])>*].)\*?(?=[\s/\[(<%]|$)", re.DOTALL)
"""An operator that paints a path, wherever one may stand: paths that only clip what follows are not seen."""

_PAINT = re.compile(rb"[\s\])](?:[sSfF]|[bBf]\*?)(?=\s|$)")
_STROKES = tuple(map(re.compile, (rb"S(?<=\sS)(?=\s)", rb"B(?<=\sB)(?=\s|\*)", rb"l\s+s(?=\s)")))
"""Operators that stroke, as most writers set them; one pattern of all of them would be far slower."""

_FILL = re.compile(rb"f(?<=\sf)(?=\s|\*)")
_FLAT = tuple(map(re.compile, (rb"l(?<=\d\sl)(?=\s)", rb"0(?<![\d.]0)(?:\.0*)?\s+(?:-?[\d.]+\s+)?re(?=\s)")))
"""What a path without a width or a height has."""

_new = tuple.__new__  # of a named tuple, with all of its fields: half the time of calling its class

EVERYWHERE: BBox = (-1e9, -1e9, 1e9, 1e9)

SLACK = 1.5
"""Points by which a ruling line may lie outside the clip it was drawn in: strokes are wider than their paths."""


class Content(NamedTuple):
    """A page's own content streams, unpacked as far as they are looked at, and those of the forms on it; `whole` tells
    whether its own are all there, `named` whether they use what the page's resources name, pictures or forms.
    """

    xrefs: list[int]
    streams: list[bytes]
    whole: bool
    named: bool
    forms: list[bytes]


def read_content(page: pymupdf.Page) -> Content:
    """The content streams of a page and of the forms on it."""
    xrefs = page.get_contents()
    streams: list[bytes] = []
    room, whole = UNPACKED, True
    for xref in xrefs:
        data, complete = _unpacked(page.parent, xref, room)
        streams.append(data)
        room -= len(data)
        whole = whole and complete
    named = any(b"Do" in data for data in streams)
    return Content(xrefs, streams, whole, named, _read_forms(page, room) if named else [])


def own_stream(page: pymupdf.Page, content: Content) -> bytes:
    """A page's content as one stream, however it is packed. MuPDF refuses some that unpack to far more."""
    return b"\n".join(content.streams) if content.whole else bytes(page.read_contents())


def may_only_fill(page: pymupdf.Page, content: Content) -> bool:
    """Whether a page may draw filled boxes alone."""
    if page.rotation or content.forms or not content.whole:
        return False
    if sum(map(len, content.streams)) >= SHORTEST_PATH * MAX_STROKES and _count_filled(content) > MAX_STROKES:
        return False  # nor are they read by themselves
    return not any(stroke.search(data) for data in content.streams for stroke in _STROKES)


def read_drawings(
    page: pymupdf.Page, facts: PageFacts, turn: Turn, content: Content, boxes: Sequence[Box] | None = None
) -> None:
    """Fill in `rules`, `fills`, `art`, `curves` and `strokes`; of a page with too many paths, only `strokes`.

    `boxes` are what was read along with the text of a page that `may_only_fill`: mostly all that it draws.
    """
    if boxes and _are_all(content, boxes):
        for box, color, last in boxes:
            _box_or_rule(facts, box, color)
            facts.strokes += last
        return
    nothing = content.whole and not content.named and _draws_nothing(page, content)
    if _too_dense([*content.streams, *content.forms], facts) or nothing:
        return
    scissors: list[BBox] = []  # what can be seen at each depth of clipping
    strokes = 0
    for path in page.get_cdrawings(extended=True):
        kind = path["type"]
        level = path["level"]
        if kind in ("clip", "group"):  # either holds what is one level deeper; a group clips nothing
            if level != len(scissors):
                del scissors[level:]
                scissors += [scissors[-1] if scissors else EVERYWHERE] * (level - len(scissors))
            scissors.append(path["scissor"] if kind == "clip" else scissors[-1] if scissors else EVERYWHERE)
        else:
            strokes += 1
            seen = scissors[min(level, len(scissors)) - 1] if level and scissors else None
            _read_path(path, facts, turn, seen)
    facts.strokes = strokes


def _are_all(content: Content, boxes: Sequence[Box]) -> bool:
    """Whether these boxes are all that a page draws, but for what it clips away: MuPDF hands out none that have no
    width or no height, which are seen as hairlines.
    """
    paths = sum(box.last for box in boxes)
    filled = _count_filled(content)
    if filled <= paths:
        return filled == paths
    return not any(flat.search(data) for flat in _FLAT for data in content.streams)


def _count_filled(content: Content) -> int:
    return sum(len(_FILL.findall(data)) for data in content.streams)


def _read_forms(page: pymupdf.Page, room: int) -> list[bytes]:
    """The streams of the forms on a page, as far as there is room for them."""
    streams: list[bytes] = []
    known: dict[int, bytes] = {}
    for xref in _forms(page):
        if room > 0:
            data = known[xref] if xref in known else _unpacked(page.parent, xref, room)[0]
            known[xref] = data[:room]
            streams.append(known[xref])
            room -= len(streams[-1])
    return streams


def _too_dense(streams: Sequence[bytes], facts: PageFacts) -> bool:
    """Whether the page has more vector paths than are worth reading; sets `strokes` then, to what was counted.

    Reading them is slow, and counting them by drawing hardly less so: the operators that paint them are counted.
    """
    if sum(len(data) for data in streams) < SHORTEST_PATH * MAX_STROKES:
        return False
    painted = sum(len(_PAINT.findall(data)) for data in streams)
    if painted > MAX_STROKES:
        facts.strokes = painted
    return painted > MAX_STROKES


def _draws_nothing(page: pymupdf.Page, content: Content) -> bool:
    """Whether content read in full has no operator that makes a path, or none that paints one, and neither annotations
    nor letters that are drawings themselves stand on the page."""
    if any(_CONSTRUCT.search(data) and _PAINTS.search(data) for data in content.streams):
        return False
    doc = page.parent
    keys = [(page.xref, "Annots"), *((xref, "DecodeParms") for xref in content.xrefs)]
    if any(doc.xref_get_key(xref, key)[0] != "null" for xref, key in keys):
        return False
    kind, named = doc.xref_get_key(page.xref, "Resources/Font")
    fonts = {int(n) for n in _REFERENCE.findall(named)} if kind == "dict" else {0}
    objects = doc.xref_length()
    return all(0 < x < objects and doc.xref_get_key(x, "Subtype")[1] != "/Type3" for x in fonts)


def _forms(page: pymupdf.Page) -> list[int]:
    """The forms that the page's resources name, once for each name, and those that are used by them."""
    doc = page.parent
    kind, named = doc.xref_get_key(page.xref, "Resources/XObject")
    if kind == "dict":  # asking MuPDF for them takes ten times as long
        objects = doc.xref_length()
        xrefs = [x for x in map(int, _REFERENCE.findall(named)) if 0 < x < objects]
        forms = {x for x in set(xrefs) if doc.xref_get_key(x, "Subtype")[1] == "/Form"}
        if all(doc.xref_get_key(x, "Resources/XObject")[0] == "null" for x in forms):
            return [x for x in xrefs if x in forms]
    return [x[0] for x in page.get_xobjects()]


def _unpacked(doc: pymupdf.Document, xref: int, most: int) -> tuple[bytes, bool]:
    """Up to `most` bytes of a content stream, which can be small and unpack to gigabytes; and whether that is all."""
    try:
        raw = doc.xref_stream_raw(xref) if most > 0 else None
    except ValueError:  # no such object
        raw = None
    if raw is None:
        return b"", False  # the file ends before it
    kind, packing = doc.xref_get_key(xref, "Filter")
    if "FlateDecode" not in packing:
        return raw[:most], kind == "null" and len(raw) <= most
    unpacking = zlib.decompressobj()
    try:
        data = unpacking.decompress(raw, most)
    except zlib.error:
        return b"", False
    return data, unpacking.eof and packing.strip("[ ]") == "/FlateDecode"


def _read_path(path: dict[str, Any], facts: PageFacts, turn: Turn, seen: BBox | None) -> None:
    box = path["rect"]
    if seen is not None:
        if box[0] >= seen[0] and box[1] >= seen[1] and box[2] <= seen[2] and box[3] <= seen[3]:
            seen = None
        else:
            shown = _clipped(box, seen)
            if shown is None:
                return
            box = shown
    items = path["items"]
    kinds = {items[0][0]} if len(items) == 1 else {item[0] for item in items}
    if "c" in kinds or "qu" in kinds:
        facts.curves += 1
        facts.art.append(turn.box(box))
    elif "f" in path["type"] and box[2] - box[0] > THIN and box[3] - box[1] > THIN and kinds == {"re"}:
        for item in items:
            rect = _ordered(item[1])
            shown = rect if seen is None else _clipped(rect, seen)
            if shown is not None:
                _box_or_rule(facts, turn.box(shown) if turn.rotation else shown, path.get("fill") or ())
        if "s" in path["type"] and path.get("color") != path.get("fill"):
            _strokes(facts, path, turn, seen)  # a shaded cell with a border
    else:
        _strokes(facts, path, turn, seen)


def _ordered(box: BBox) -> BBox:
    """A rectangle drawn from its right or lower corner comes with its edges swapped."""
    x0, y0, x1, y1 = box
    if x0 <= x1 and y0 <= y1:
        return box
    return (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))


def _clipped(box: BBox, seen: BBox) -> BBox | None:
    x0, y0, x1, y1 = box
    left, top, right, foot = seen
    x0, y0 = (x0 if x0 > left - SLACK else left - SLACK), (y0 if y0 > top - SLACK else top - SLACK)
    x1, y1 = (x1 if x1 < right + SLACK else right + SLACK), (y1 if y1 < foot + SLACK else foot + SLACK)
    return (x0, y0, x1, y1) if x0 <= x1 and y0 <= y1 else None


def _box_or_rule(facts: PageFacts, box: BBox, color: tuple[float, ...]) -> None:
    x0, y0, x1, y1 = box
    wide, tall = x1 - x0, y1 - y0
    if tall <= THIN < wide:
        facts.rules.append(_new(Rule, (x0, (y0 + y1) / 2, x1, (y0 + y1) / 2, tall)))
    elif wide <= THIN < tall:
        facts.rules.append(_new(Rule, ((x0 + x1) / 2, y0, (x0 + x1) / 2, y1, wide)))
    elif wide > THIN and tall > THIN:
        facts.fills.append(_new(Fill, (box, tuple(color))))


def _strokes(facts: PageFacts, path: dict[str, Any], turn: Turn, seen: BBox | None) -> None:
    width = path.get("width") or 0.0
    for item in path["items"]:
        if item[0] == "l":
            _line(facts, _ordered((*item[1], *item[2])), width, turn, seen)
        elif item[0] == "re":
            x0, y0, x1, y1 = box = _ordered(item[1])
            if x1 - x0 <= THIN or y1 - y0 <= THIN:
                shown = box if seen is None else _clipped(box, seen)
                if shown is not None:
                    _box_or_rule(facts, turn.box(shown), ())
            else:
                for side in ((x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1)):
                    _line(facts, side, width, turn, seen)


def _line(facts: PageFacts, box: BBox, width: float, turn: Turn, seen: BBox | None) -> None:
    shown = box if seen is None else _clipped(box, seen)
    if shown is None:
        return
    x0, y0, x1, y1 = turn.box(shown) if turn.rotation else shown
    if x1 - x0 <= 1 or y1 - y0 <= 1:
        facts.rules.append(_new(Rule, (x0, y0, x1, y1, width)))
    else:
        facts.curves += 1
        facts.art.append((x0, y0, x1, y1))
