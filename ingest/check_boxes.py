"""Boxes to check that are drawn: small empty squares beside words, with or without a mark inside, become signs.

A form tells by them as much as by its words; as drawings they would say nothing to anyone who reads the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import NamedTuple

from h3cold.ingest.page_facts import Line, PageFacts, Rule, Word
from h3cold.schemas.geometry import BBox

LEAST, LARGEST = 5.0, 16.0
"""Sides of a box, in points."""

REACH = 2.5
"""How far from its words a box stands at most, in font sizes."""

BLANK = 0.3
"""Space that is left between a sign and the words on its other side, in font sizes."""

MOST = 400
"""Boxes of a page from which they are a pattern, or the squares of a puzzle."""

_CROSSES = frozenset("xX✕✖✗✘×☒")
_CHECKS = frozenset("✓✔√☑•●■VvJ")

_PIECE = re.compile(r"\S+")


class _Box(NamedTuple):
    """A box, the rules of its sides (indices) and what marks it (index of a line, or of a piece of art)."""

    bbox: BBox
    sides: frozenset[int]
    sign: str
    line: int | None
    art: frozenset[int]


def read_check_boxes(facts: PageFacts) -> None:
    """Put signs (☐ ☑ ☒) into the page's lines and words for its boxes, and take these out of its drawings."""
    squares = _squares(facts.rules)
    if not 0 < len(squares) <= MOST:
        return
    words = facts.words()
    boxes = [b for bbox, sides in squares if (b := _marked(facts, words, bbox, sides)) is not None]
    dropped = {b.line for b in boxes if b.line is not None}
    found = [_neighbours(b.bbox, facts.lines, dropped) for b in boxes]
    behind = sum(a is None and b is not None for b, a in found) > sum(b is None and a is not None for b, a in found)
    lines, used = list(facts.lines), []
    for box, (before, after) in zip(boxes, found, strict=True):
        near = (before if behind else after) or after or before
        if near is not None:
            i, line = near
            low = before[1].bbox[2] + BLANK * line.size if before is not None and before[0] != i else 0.0
            high = after[1].bbox[0] - BLANK * line.size if after is not None and after[0] != i else facts.width
            lines[i] = _with_sign(lines[i], box, words, low, high)
            used.append(box)
    gone = frozenset[int]().union(*(b.sides for b in used))
    art = frozenset[int]().union(*(b.art for b in used))
    marks = {b.line: facts.lines[b.line].bbox for b in used if b.line is not None}
    signs = [Word(b.sign, b.bbox) for b in used]
    facts.rules = [r for i, r in enumerate(facts.rules) if i not in gone]
    facts.art = [a for i, a in enumerate(facts.art) if i not in art]
    facts.curves = max(0, facts.curves - len(art))
    facts.lines = [line for i, line in enumerate(lines) if i not in marks]
    left = [w for w in words if not any(_within(w.bbox, b) for b in marks.values())] + signs
    facts._words = lambda: left


def _squares(rules: Sequence[Rule]) -> list[tuple[BBox, frozenset[int]]]:
    """Squares of four rules that touch no other one, from left to right."""
    small = [(i, r) for i, r in enumerate(rules) if LEAST <= abs(r.x1 - r.x0) + abs(r.y1 - r.y0) <= LARGEST]
    if not 4 <= len(small) <= 4 * MOST:
        return []
    level = sorted((r.x0, r.y0, r.x1, i) for i, r in small if r.horizontal)
    upright = [(r.x0, min(r.y0, r.y1), max(r.y0, r.y1), i) for i, r in small if not r.horizontal]
    out: list[tuple[BBox, frozenset[int]]] = []
    for n, (x0, y0, x1, i) in enumerate(level):
        for left, below, right, j in level[n + 1 :]:
            if left > x0 + 0.8:
                break
            top, foot = min(y0, below), max(y0, below)
            if abs(right - x1) > 0.8 or not 0.75 < (foot - top) / (x1 - x0) < 1.33:
                continue
            ends = [k for x, a, b, k in upright if min(abs(x - x0), abs(x - x1)) < 0.8
                     and abs(a - top) < 1 and abs(b - foot) < 1]  # fmt: skip
            if len(ends) >= 2:
                out.append(((x0, top, x1, foot), frozenset({i, j, *ends})))
    lone = []
    for n, (bbox, sides) in enumerate(out):
        others = [b for k, (b, _) in enumerate(out) if k != n]
        if not any(_touch(bbox, b) for b in others):
            lone.append((bbox, sides))
    long = [r for i, r in enumerate(rules) if not any(i in sides for _, sides in lone)] if lone else []
    return [(b, s) for b, s in lone if not any(_touch(b, (r.x0, r.y0, r.x1, r.y1)) for r in long)]


def _touch(a: BBox, b: Sequence[float]) -> bool:
    return a[0] - 0.8 < b[2] and b[0] < a[2] + 0.8 and a[1] - 0.8 < b[3] and b[1] < a[3] + 0.8


def _within(inner: BBox, box: BBox) -> bool:
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return box[0] < x < box[2] and box[1] - 1 < y < box[3] + 1


def _marked(facts: PageFacts, words: Sequence[Word], bbox: BBox, sides: frozenset[int]) -> _Box | None:
    """The box with the mark inside; None where something else is in it."""
    side = bbox[2] - bbox[0]
    for i, line in enumerate(facts.lines):
        if _within(line.bbox, bbox) and line.bbox[2] - line.bbox[0] < 1.5 * side:
            text = line.text.strip()
            if text in _CROSSES or text in _CHECKS:
                return _Box(bbox, sides, "☒" if text in _CROSSES else "☑", i, frozenset())
            return None
    if any(w.bbox[0] < bbox[2] - 1 and w.bbox[2] > bbox[0] + 1 and _overlaps(w.bbox, bbox) for w in words):
        return None  # a frame around letters
    drawn = [i for i, a in enumerate(facts.art) if _within(a, bbox) and a[2] - a[0] < 1.6 * side]
    inked = [f.bbox for f in facts.fills if f.color and min(f.color) < 0.85 and _within(f.bbox, bbox)]
    if any(f[2] - f[0] > 0.9 * side for f in inked):
        return None  # a patch of colour, as beside the names of a chart's lines
    dark = any(f[2] - f[0] > 0.3 * side for f in inked)
    if not drawn:
        return _Box(bbox, sides, "☒" if dark else "☐", None, frozenset())
    full = sum(facts.art[i][2] - facts.art[i][0] > 0.8 * side for i in drawn)
    return _Box(bbox, sides, "☒" if full > 1 else "☑", None, frozenset(drawn))


def _overlaps(a: BBox, b: BBox) -> bool:
    return min(a[3], b[3]) - max(a[1], b[1]) > 0.5 * min(a[3] - a[1], b[3] - b[1])


def _neighbours(
    box: BBox, lines: Sequence[Line], dropped: Set[int]
) -> tuple[tuple[int, Line] | None, tuple[int, Line] | None]:
    """The lines right before and right after a box with their indices; one that it stands within is both."""
    before: tuple[int, Line] | None = None
    after: tuple[int, Line] | None = None
    for i, line in enumerate(lines):
        x0, _, x1, _ = line.bbox
        if i in dropped or line.dir[0] < 0.9 or line.hidden or not _overlaps(line.bbox, box):
            continue
        if x0 < box[0] and x1 > box[2]:
            return (i, line), (i, line)
        left, right = box[0] - x1, x0 - box[2]
        if -2 < left < REACH * line.size and (before is None or x1 > before[1].bbox[2]):
            before = (i, line)
        if -2 < right < REACH * line.size and (after is None or x0 < after[1].bbox[0]):
            after = (i, line)
    return before, after


def _with_sign(line: Line, box: _Box, words: Sequence[Word], low: float, high: float) -> Line:
    """The line with a box's sign where the box stands: before its first word, or after one of them. It reaches out to
    the box, but not beyond `low` and `high`.
    """
    x0, y0, x1, y1 = line.bbox
    own = [w for w in words if _overlaps(w.bbox, line.bbox) and x0 - 1 < (w.bbox[0] + w.bbox[2]) / 2 < x1 + 1]
    ahead = sum(w.bbox[2] < box.bbox[0] + 1 for w in own)
    ahead += sum(sign in "☐☑☒" for sign in line.text.split()[:ahead])  # those put there before
    left, right = max(low, box.bbox[0]), min(high, box.bbox[2])
    spans, at = list(line.spans), 0
    for n, span in enumerate(spans):
        pieces = list(_PIECE.finditer(span.text))
        if at + len(pieces) < ahead and n < len(spans) - 1:
            at += len(pieces)
            continue
        here = min(ahead - at, len(pieces))
        cut = pieces[here - 1].end() if here > 0 else 0
        text = f"{span.text[:cut].rstrip()} {box.sign} {span.text[cut:].lstrip()}".lstrip()
        a, b, c, d = span.bbox
        spans[n] = span._replace(text=text, bbox=(min(a, left), b, max(c, right), d))
        break
    bbox = (min(x0, left), y0, max(x1, right), y1)
    return line._replace(text="".join(s.text for s in spans), bbox=bbox, spans=tuple(spans))
