"""Which line of a page each of its words stands in: the reader hands out both, each by itself."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence, Set

from h3cold.ingest.page_facts import PageFacts
from h3cold.schemas.geometry import BBox

_NOWHERE: BBox = (float("inf"), float("inf"), float("-inf"), float("-inf"))
_PIECES = re.compile(r"\S+")


def placed_words(facts: PageFacts, wanted: Set[int]) -> list[tuple[int, str, BBox]]:
    """Words with the line they belong to: of those at its height, the next one in the order that both come in."""
    boxes = [*(line.bbox for line in facts.lines), _NOWHERE, _NOWHERE]
    texts = [*(line.text for line in facts.lines), "", ""]
    near: dict[int, list[int]] = {}
    out: list[tuple[int, str, BBox]] = []
    at = 0
    x, top, right, foot = boxes[0]
    line, asked = texts[0], 0 in wanted
    for text, box in facts.words():
        x0, y0, x1, y1 = box
        # nearly always it lies in the line of the word before, or in the one after that
        if not (x <= x0 and x1 <= right and top <= y0 and y1 <= foot and text in line):
            cx, cy = (x0 + x1) / 2, (y0 + y1) / 2
            held = top - 1 <= cy <= foot + 1 and x - 1 <= cx <= right + 1
            if not (held and x0 <= right and x <= x1 and y0 <= foot and top <= y1 and text in line):
                at += 1
                x, top, right, foot = boxes[at]
                held = top - 1 <= cy <= foot + 1 and x - 1 <= cx <= right + 1
                lost = False
                if not (held and x0 <= right and x <= x1 and y0 <= foot and top <= y1 and text in texts[at]):
                    near = near or _by_height(boxes)
                    found = _line_of(text, box, near.get(_band(cy), []), at - 1, boxes, texts)
                    at, box = (at - 1, box) if found is None else found
                    lost = found is None
                    x, top, right, foot = boxes[at]
                line, asked = texts[at], at in wanted
                if lost:
                    continue
        if not asked:
            continue
        if text.isascii():
            out.append((at, text, box))
        else:
            out += [(at, *piece) for piece in _at_blanks(text, box)]
    return out


def _by_height(boxes: Sequence[BBox]) -> dict[int, list[int]]:
    """Lines by the strips of the page that they reach into."""
    near: dict[int, list[int]] = {}
    for i, b in enumerate(boxes[:-2]):
        for band in range(_band(b[1] - 1), _band(b[3] + 1) + 1):
            near.setdefault(band, []).append(i)
    return near


def _line_of(
    text: str, box: BBox, level: list[int], at: int, boxes: Sequence[BBox], texts: Sequence[str]
) -> tuple[int, BBox] | None:
    """Of the lines at a word's height the first from `at` on, then from the top, that holds it, with its box there."""
    x0, y0, x1, y1 = box
    cx, cy = (x0 + x1) / 2, (y0 + y1) / 2
    first = bisect_left(level, at)
    for step in level[first:] + level[:first]:
        b = boxes[step]
        if x0 <= b[2] and b[0] <= x1 and y0 <= b[3] and b[1] <= y1 and text in texts[step]:
            # a word's box can reach back over the blank before it: the line's own box is the tighter one
            if b[0] - 1 <= cx <= b[2] + 1 and b[1] - 1 <= cy <= b[3] + 1:
                return step, box
            if cx < b[0] and x1 > b[0] + 1 and b[1] - 1 <= cy <= b[3] + 1:
                return step, (b[0], y0, x1, y1)
    return None


def _band(y: float) -> int:
    """The number of the strip of the page in which a height lies; far outside the page it is the outermost one."""
    return int(min(max(y, -16.0), 16_000.0) // 16)


def _at_blanks(word: str, box: BBox) -> list[tuple[str, BBox]]:
    """MuPDF does not end a word at wide blanks such as U+2002: it is cut there, by its share of characters."""
    pieces = list(_PIECES.finditer(word))
    if len(pieces) == 1:
        return [(pieces[0].group(), box)]
    x0, y0, x1, y1 = box
    step = (x1 - x0) / len(word)
    return [(m.group(), (x0 + step * m.start(), y0, x0 + step * m.end(), y1)) for m in pieces]
