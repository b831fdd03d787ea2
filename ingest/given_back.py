"""What recurs at the edges of pages and is no header: text, tables' heads and cells, tables set sideways."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from h3cold.ingest.page_facts import PageFacts
from h3cold.schemas.geometry import BBox

Place = Literal["header", "footer", "margin"]

ZONE = 0.11
"""Share of the page's height at its top and bottom in which running lines are looked for."""

FEWEST_CELLS = 3
"""Pieces side by side, over as many others, that make a row the head of a table."""

ROWS_BELOW = 10
"""Height below the head of a table, in font sizes, in which something must stand in each of its columns."""


def give_back(page: PageFacts, found: dict[int, Place]) -> None:
    """Take back of a page's running lines (indices and places) what belongs to its text."""
    _give_back_text(page, found)
    _give_back_table_heads(page, found)
    _give_back_cells(page, found)
    _give_back_turned(page, found)


def _give_back_text(page: PageFacts, found: dict[int, Place]) -> None:
    """Take back rows that run on without a gap into the text beside them: a form's or a letter's, not a header's."""
    for place, step in (("header", 1), ("footer", -1)):
        rows = sorted((i for i, where in found.items() if where == place), key=lambda i: -step * page.lines[i].bbox[1])
        for i in rows:
            line = page.lines[i]
            size = line.size
            for j, other in enumerate(page.lines):
                gap = other.bbox[1] - line.bbox[3] if step > 0 else line.bbox[1] - other.bbox[3]
                if not -0.5 * size < gap < 0.35 * size or j in found:
                    continue
                beside = min(line.bbox[2], other.bbox[2]) > max(line.bbox[0], other.bbox[0])
                fonts = {span.font for span in line.spans}
                alike = abs(other.size - size) < 0.3 and any(span.font in fonts for span in other.spans)
                if alike and beside:
                    del found[i]
                    break


def _give_back_table_heads(page: PageFacts, found: dict[int, Place]) -> None:
    """Take back the head of a table that goes on over pages: its cells stand right over those of the row below."""
    top = [(i, place) for i, place in found.items() if place == "header"]
    for row in margin_rows(page, top):
        boxes = [page.lines[i].bbox for i, _ in row]
        if len(boxes) < FEWEST_CELLS - 1:
            continue
        foot, size = max(b[3] for b in boxes), page.lines[row[0][0]].size
        below = [line.bbox for i, line in enumerate(page.lines) if i not in found and line.bbox[1] > foot - 0.3 * size]
        nearest = min((b[1] for b in below), default=page.height)
        cells = [b for b in below if b[1] < nearest + 0.6 * size]
        rows = [b for b in below if b[1] < nearest + ROWS_BELOW * size]  # a column may be empty in the first of them
        over = sum(any(min(a[2], b[2]) > max(a[0], b[0]) for b in rows) for a in boxes)
        many = len(cells) >= FEWEST_CELLS and over >= max(FEWEST_CELLS, len(boxes) - 1)
        if nearest - foot < 2.5 * size and (many or (nearest - foot < size and _begin_alike(boxes, cells))):
            for i, _ in row:
                del found[i]


def _begin_alike(boxes: Sequence[BBox], cells: Sequence[BBox]) -> bool:
    """Whether two cells or more begin right where those below them do, each of them."""
    return len(boxes) == len(cells) and all(
        abs(a[0] - b[0]) < 2 for a, b in zip(sorted(boxes), sorted(cells), strict=True)
    )


def _give_back_cells(page: PageFacts, found: dict[int, Place]) -> None:
    """Take back what stands between the upright rules of a table that mostly holds lines that do not run."""
    upright = [r for r in page.rules if not r.horizontal] if found else []
    for i in list(found) if len(upright) >= FEWEST_CELLS else ():
        x0, y0, x1, y1 = page.lines[i].bbox
        middle = (y0 + y1) / 2
        sides = {round(r.x0 / 3) for r in upright if r.y0 <= middle <= r.y1}
        if len(sides) < FEWEST_CELLS or not 3 * min(sides) <= (x0 + x1) / 2 <= 3 * max(sides):
            continue
        top = bottom = middle
        for r in sorted((r for r in upright if round(r.x0 / 3) in sides), key=lambda r: abs(r.y0 + r.y1 - 2 * middle)):
            if r.y0 <= bottom + 3 and r.y1 >= top - 3:
                top, bottom = min(top, r.y0), max(bottom, r.y1)
        held = [j for j, line in enumerate(page.lines) if top < (line.bbox[1] + line.bbox[3]) / 2 < bottom]
        if sum(j in found for j in held) < 0.5 * len(held):
            del found[i]


def _give_back_turned(page: PageFacts, found: dict[int, Place]) -> None:
    """Take back lines that run up or down where most such lines are the page's text: a table set sideways."""
    if any(abs(page.lines[i].dir[1]) > 0.7 for i in found):
        turned = [i for i, line in enumerate(page.lines) if abs(line.dir[1]) > 0.7]
        if sum(i in found for i in turned) < 0.3 * len(turned):
            for i in turned:  # at the sides are the head and foot of such a page
                x0, _, x1, _ = page.lines[i].bbox
                if ZONE * page.width < (x0 + x1) / 2 < (1 - ZONE) * page.width:
                    found.pop(i, None)


def margin_rows(page: PageFacts, lines: Sequence[tuple[int, Place]]) -> list[list[tuple[int, Place]]]:
    """Lines of the zones by the baseline they stand on, the outermost first."""
    rows: list[list[tuple[int, Place]]] = []
    middle = page.height / 2
    for index, place in sorted(lines, key=lambda entry: -abs(page.lines[entry[0]].bbox[3] - middle)):
        box = page.lines[index].bbox
        last = page.lines[rows[-1][-1][0]].bbox if rows else None
        if last is not None and abs(last[3] - box[3]) < 0.35 * (box[3] - box[1]):
            rows[-1].append((index, place))
        else:
            rows.append([(index, place)])
    return rows
