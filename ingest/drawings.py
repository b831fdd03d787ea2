"""A page's vector graphics as far as they are seen: ruling lines, filled boxes, and boxes of everything else."""

from __future__ import annotations

import re
import zlib
from typing import Any

import pymupdf

from h3cold.ingest.page_facts import MAX_STROKES, SHORTEST_PATH, THIN, Fill, PageFacts, Rule, Turn
from h3cold.schemas.geometry import BBox

UNPACKED = 16 << 20
"""Bytes of a page's content streams that are looked at, unpacked."""

_PAINT = re.compile(rb"[\s\])](?:[sSfF]|[bBf]\*?)(?=\s|$)")

SLACK = 1.5
"""Points by which a ruling line may lie outside the clip it was drawn in: strokes are wider than their paths."""


def read_drawings(page: pymupdf.Page, facts: PageFacts, turn: Turn) -> None:
    """Fill in `rules`, `fills`, `art`, `curves` and `strokes`; of a page with too many paths, only `strokes`."""
    if _too_dense(page, facts):
        return
    scissors: list[BBox] = []  # what can be seen at each depth of clipping
    for path in page.get_cdrawings(extended=True):
        kind = path["type"]
        level = path["level"]
        if kind == "clip":
            del scissors[level:]
            scissors += [scissors[-1] if scissors else path["scissor"]] * (level - len(scissors))
            scissors.append(path["scissor"])
        elif kind != "group":
            facts.strokes += 1
            seen = scissors[min(level, len(scissors)) - 1] if level and scissors else None
            _read_path(path, facts, turn, seen)


def _too_dense(page: pymupdf.Page, facts: PageFacts) -> bool:
    """Whether the page has more vector paths than are worth reading; sets `strokes` then, to what was counted.

    Reading them is slow, and counting them by drawing hardly less so: the operators that paint them are counted.
    """
    doc = page.parent
    streams: list[bytes] = []
    room = UNPACKED
    forms = False
    for xref in page.get_contents():
        streams.append(_unpacked(doc, xref, room))
        room -= len(streams[-1])
        forms = forms or b"Do" in streams[-1]
    for xref in [x[0] for x in page.get_xobjects()] if forms else ():  # to look them up takes time
        if room > 0:
            streams.append(_unpacked(doc, xref, room))
            room -= len(streams[-1])
    if UNPACKED - room < SHORTEST_PATH * MAX_STROKES:
        return False
    painted = sum(len(_PAINT.findall(data)) for data in streams)
    if painted > MAX_STROKES:
        facts.strokes = painted
    return painted > MAX_STROKES


def _unpacked(doc: pymupdf.Document, xref: int, most: int) -> bytes:
    """Up to `most` bytes of a content stream; a stream can be small and unpack to gigabytes."""
    if most <= 0 or not 0 < xref < doc.xref_length() or not doc.xref_is_stream(xref):
        return b""  # the file ends before it
    raw = doc.xref_stream_raw(xref) or b""
    if "FlateDecode" not in doc.xref_get_key(xref, "Filter")[1]:
        return raw[:most]
    try:
        return zlib.decompressobj().decompress(raw, most)
    except zlib.error:
        return b""


def _read_path(path: dict[str, Any], facts: PageFacts, turn: Turn, seen: BBox | None) -> None:
    box = path["rect"]
    if seen is not None and not _all_seen(box, seen):
        shown = _clipped(box, seen)
        if shown is None:
            return
        box = shown
    else:
        seen = None
    items = path["items"]
    kinds = {item[0] for item in items}
    if "c" in kinds or "qu" in kinds:
        facts.curves += 1
        facts.art.append(turn.box(box))
    elif "f" in path["type"] and box[2] - box[0] > THIN and box[3] - box[1] > THIN and kinds == {"re"}:
        for item in items:
            rect = _ordered(item[1])
            shown = rect if seen is None else _clipped(rect, seen)
            if shown is not None:
                _box_or_rule(facts, turn.box(shown), path.get("fill") or ())
        if "s" in path["type"] and path.get("color") != path.get("fill"):
            _strokes(facts, path, turn, seen)  # a shaded cell with a border
    else:
        _strokes(facts, path, turn, seen)


def _ordered(box: BBox) -> BBox:
    """A rectangle drawn from its right or lower corner comes with its edges swapped."""
    x0, y0, x1, y1 = box
    return (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))


def _all_seen(box: BBox, seen: BBox) -> bool:
    return box[0] >= seen[0] and box[1] >= seen[1] and box[2] <= seen[2] and box[3] <= seen[3]


def _clipped(box: BBox, seen: BBox) -> BBox | None:
    x0, y0 = max(box[0], seen[0] - SLACK), max(box[1], seen[1] - SLACK)
    x1, y1 = min(box[2], seen[2] + SLACK), min(box[3], seen[3] + SLACK)
    return (x0, y0, x1, y1) if x0 <= x1 and y0 <= y1 else None


def _box_or_rule(facts: PageFacts, box: BBox, color: tuple[float, ...]) -> None:
    x0, y0, x1, y1 = box
    if y1 - y0 <= THIN < x1 - x0:
        facts.rules.append(Rule(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2, y1 - y0))
    elif x1 - x0 <= THIN < y1 - y0:
        facts.rules.append(Rule((x0 + x1) / 2, y0, (x0 + x1) / 2, y1, x1 - x0))
    elif x1 - x0 > THIN and y1 - y0 > THIN:
        facts.fills.append(Fill((x0, y0, x1, y1), tuple(color)))


def _strokes(facts: PageFacts, path: dict[str, Any], turn: Turn, seen: BBox | None) -> None:
    width = path.get("width") or 0.0
    for item in path["items"]:
        if item[0] == "l":
            (ax, ay), (bx, by) = item[1], item[2]
            _line(facts, (min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)), width, turn, seen)
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
    x0, y0, x1, y1 = turn.box(shown)
    if x1 - x0 <= 1 or y1 - y0 <= 1:
        facts.rules.append(Rule(x0, y0, x1, y1, width))
    else:
        facts.curves += 1
        facts.art.append((x0, y0, x1, y1))
