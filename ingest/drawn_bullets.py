"""Bullets that are drawn, not written: small filled signs in front of lines, as browsers print their lists."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from h3cold.ingest.page_facts import Line, PageFacts
from h3cold.ingest.paragraphs import starts_item
from h3cold.schemas.geometry import BBox

LEAST, LARGEST = 1.5, 9.0
"""Sides of a drawn bullet, in points."""

REACH = 2.5
"""How far before its line a bullet stands at most, in font sizes."""

MOST = 400
"""Small signs of a page from which they are the points of a chart, not bullets."""


def with_bullets(lines: Sequence[Line], facts: PageFacts) -> list[Line]:
    """The lines, those with a drawn bullet before them opening with "• ".

    One sign may be anything: only where two lines have one of the same size are they bullets.
    """
    if len(facts.fills) + len(facts.art) + len(facts.images) < 2:
        return list(lines)
    signs = sorted(
        {b for b in (*(f.bbox for f in facts.fills), *facts.art, *facts.images) if _is_small(b)}, key=_middle
    )
    if not 2 <= len(signs) <= MOST:
        return list(lines)
    middles = [_middle(sign) for sign in signs]
    found: dict[int, BBox] = {}
    for i, line in enumerate(lines):
        x0, y0, _, y1 = line.bbox
        for k in range(bisect_left(middles, y0), len(signs)):
            if middles[k] > y1:
                break
            if _opens(signs[k], line, x0) and not starts_item(line.text):
                found[i] = signs[k]
    alike = Counter(_size(sign) for sign in found.values())
    return [_marked(line) if i in found and alike[_size(found[i])] > 1 else line for i, line in enumerate(lines)]


def _is_small(box: BBox) -> bool:
    wide, tall = box[2] - box[0], box[3] - box[1]
    return LEAST <= wide <= LARGEST and LEAST <= tall <= LARGEST and 0.6 < wide / tall < 1.7


def _middle(box: BBox) -> float:
    return (box[1] + box[3]) / 2


def _size(box: BBox) -> int:
    return round(box[3] - box[1])


def _opens(sign: BBox, line: Line, left: float) -> bool:
    small = sign[3] - sign[1] < 0.75 * line.size
    return small and line.dir[0] > 0.7 and -0.5 < left - sign[2] < REACH * line.size


def _marked(line: Line) -> Line:
    first = line.spans[0]
    text = "• " + line.text.lstrip()
    return line._replace(text=text, spans=(first._replace(text="• " + first.text.lstrip()), *line.spans[1:]))
