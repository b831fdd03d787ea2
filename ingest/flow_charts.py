"""Flow charts: boxes with words in them, and lines and arrows from box to box."""

from __future__ import annotations

from collections.abc import Sequence

from h3cold.ingest.clusters import merged, touch, within
from h3cold.ingest.page_facts import PageFacts
from h3cold.schemas.geometry import BBox, inside, union

MAX_PIECES = 2000
"""Lines and boxes beyond which a page's are not looked at."""

LONGEST_LINK = 150.0
"""Points up to which a line can lead from one box of a flow chart to the next."""


def linked(rounded: Sequence[BBox], marks: Sequence[BBox], facts: PageFacts) -> list[BBox]:
    """Links of a flow chart, each around what it leads from and to.

    Rounded boxes with words in them are its boxes where two lines or an arrow join them, square ones (which the cells
    of a table are as well) where arrows do. `marks` are arrow heads, curves and slanted lines.
    """
    square = _frames(facts) if marks else []
    boxes = [*rounded, *square]
    if len(boxes) < 2:
        return []
    rules = [(r.x0, r.y0, r.x1, r.y1) for r in facts.rules[:MAX_PIECES]]
    rules = [r for r in rules if not any(within(r, b) for b in square)]
    pieces = [p for p in [*marks, *rules] if max(p[2] - p[0], p[3] - p[1]) < LONGEST_LINK]
    out = []
    arrows = 0
    for link in merged([p for p in pieces if any(touch(p, b, 8.0) for b in boxes)], 2.0):
        ends = [b for b in boxes if touch(link, b, 2.0) and inside(link, b) < 0.5]
        if any(not touch(a, b, 5.0) for a in ends for b in ends):
            arrow = any(within(m, link) for m in marks)
            arrows += arrow
            if arrow or not any(b in square for b in ends):
                out.append(union([link, *ends]))
    return out if arrows or len(out) > 1 else []


def _frames(facts: PageFacts) -> list[BBox]:
    """Rectangles drawn around words that stand by themselves: neither cells side by side nor frames around frames."""
    found: list[BBox] = []
    rules = facts.rules
    for k in range(min(len(rules), MAX_PIECES) - 3):
        top, foot, left, right = rules[k : k + 4]
        if not (top.horizontal and foot.horizontal) or left.horizontal or right.horizontal:
            continue
        box = (top.x0, top.y0, top.x1, foot.y0)
        sides = (foot.x0, foot.x1, left.x0, right.x0, left.y0, left.y1)
        if max(abs(a - b) for a, b in zip(sides, (box[0], box[2], box[0], box[2], box[1], box[3]), strict=True)) < 1:
            found.append(box)
    found = [b for b in dict.fromkeys(found) if b[2] - b[0] > 20 and b[3] - b[1] > 10]
    if not 2 <= len(found) <= 300:
        return []
    alone = [b for b in found if not any(b is not o and touch(b, o, 2.0) and not within(b, o) for o in found)]
    return [b for b in alone if any(inside(line.bbox, b) > 0.9 for line in facts.lines)]
