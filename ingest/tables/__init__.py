"""Tables of a page: ruled, partly ruled and borderless, found by geometry alone."""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import NamedTuple

from h3cold.ingest.figures import bar_groups, drawings, flow_charts
from h3cold.ingest.page_facts import PageFacts
from h3cold.ingest.tables.attached import with_heads, with_labels, with_stack
from h3cold.ingest.tables.beside import text_beside
from h3cold.ingest.tables.borderless import find_bands
from h3cold.ingest.tables.cells import table_of_rows
from h3cold.ingest.tables.charts import at, drawn
from h3cold.ingest.tables.continued import continues
from h3cold.ingest.tables.grids import misfit, refined, slot, table_of_grid
from h3cold.ingest.tables.headers import crossing_lines, with_shaded_header
from h3cold.ingest.tables.heads import headed
from h3cold.ingest.tables.prose import gutters, prose_lines, text_columns, within_prose
from h3cold.ingest.tables.rows import (
    Atom,
    HRule,
    Row,
    VRule,
    atoms_of,
    directions,
    drawn_rules,
    rows_of,
    turn_back,
    turn_box,
    upright_lines,
)
from h3cold.ingest.tables.ruled import Grid, find_grids, rules_of, stacks, wide_rules
from h3cold.ingest.tables.sideways import split_sideways
from h3cold.schemas.geometry import BBox, area, overlap, union
from h3cold.schemas.page import Cell, Table

_HAN = re.compile("[\u4e00-\u9fff]{8}")
_FIGURES = re.compile(r"(?:\s[-+($€£¥]*[\d.,]+[)%]*){3}")
_WORD = re.compile(r"[^\W\d_]{2}")
_STROKES = re.compile(r"[-=]{2,}[>+]|\+-|->|^\|+$")
"""Arrows and frames made of letters."""

_DRAWN = frozenset(">+|")
"""Of which they all have one."""
__all__ = ["FoundTable", "continues", "find_tables"]

MAX_WORDS = 20_000
"""Words beyond which a page is not searched for borderless tables."""

MARGINS = (0.085, 0.1)
"""Shares of the page's height, at its head and at its foot, in which running lines stand."""


class FoundTable(NamedTuple):
    """A table with its box; `lines` are the indices into `PageFacts.lines` of the lines whose words it holds."""

    bbox: BBox
    table: Table
    lines: frozenset[int]


def find_tables(facts: PageFacts) -> list[FoundTable]:
    """The page's tables, top to bottom. Takes no longer on a page of line art than on one of text."""
    charts: list[BBox] | None = None
    parts: list[BBox] = []
    out: list[FoundTable] = []
    for direction in directions(facts.lines):
        found = _find(facts, direction)
        if found and charts is None:
            charts, parts = drawings(facts), [*bar_groups(facts), *flow_charts(facts)]
        read = [t for t in found if drawn(t.bbox, t.table, charts or (), parts)]
        if read:
            held = [b for b in parts if any(overlap(b, t.bbox) > 0 for t in read)]
            again = _clear_of(facts, direction, held) if held else []
            found = [t for t in (*found, *again) if not drawn(t.bbox, t.table, charts or (), parts)]
        for table in found:
            # the same grid is met again along the direction of its upright headings
            if not any(overlap(table.bbox, t.bbox) > 0.3 * area(table.bbox) for t in out):
                out.append(table)
    return sorted(out, key=lambda t: (t.bbox[1], t.bbox[0]))


def _clear_of(facts: PageFacts, direction: tuple[float, float], parts: Sequence[BBox]) -> list[FoundTable]:
    """The tables right above or below charts, searched for without what is written in these and at their edges."""
    kept = [i for i, line in enumerate(facts.lines) if not any(at(line.bbox, b, 1.6 * line.size) for b in parts)]
    left = replace(facts, lines=[facts.lines[i] for i in kept])
    return [t._replace(lines=frozenset(kept[i] for i in t.lines)) for t in _find(left, direction)]


def _find(facts: PageFacts, direction: tuple[float, float]) -> list[FoundTable]:
    boxes = upright_lines(facts, direction)
    hrules, vrules = rules_of(facts, direction)
    grids = find_grids(hrules, vrules)
    width = facts.width if direction[0] else facts.height
    piles = stacks(hrules, width)
    labelled = (_labelled(pile, hrules, boxes) for pile in piles)
    grids += [new for new in labelled if new is not None and not any(overlap(new.bbox, g.bbox) > 0 for g in grids)]
    prose = _outside_of(piles, boxes, prose_lines(facts, boxes))
    if not grids and not _side_by_side(facts, boxes, prose):
        return []
    inner = {i for i in prose if any(overlap(boxes[i], g.bbox) > 0 for g in grids)} if grids else set()
    atoms, dashes = drawn_rules(atoms_of(facts, direction, (boxes.keys() - prose.keys()) | inner))
    hrules += dashes
    if len(atoms) > MAX_WORDS:
        return []
    found, atoms = _ruled(facts, direction, grids, hrules, boxes, atoms)
    outside = prose.keys() | within_prose(boxes, prose)
    rest = [a for a in atoms if a.line not in outside]
    for column in text_columns(rest, gutters([box for _, box in prose.values()], width, rest, hrules)):
        for band in _bands(column, vrules, hrules):
            if not _running(facts, band, direction):
                found.append(table_of_rows(band, hrules))
    found = [(table, used) for table, used in found if table.rows > 1 and not _scattered(table)]
    if not found:
        return []
    x0, y0, x1, y1 = union(c.bbox for table, _ in found for c in table.cells)
    upright = direction == (1.0, 0.0)
    fills = facts.fills if upright else [f._replace(bbox=turn_box(f.bbox, direction)) for f in facts.fills]
    shades = [f for f in fills if overlap(f.bbox, (x0, y0, x1, y1)) > 0]
    headed = ((with_shaded_header(table, shades), used) for table, used in found)
    return [_turned(t, used, direction) for table, used in headed for t in split_sideways(table)]


def _bands(atoms: list[Atom], vrules: list[VRule], hrules: list[HRule]) -> list[list[Row]]:
    """Tables by alignment, searched for again without the text that is wrapped around one."""
    bands = find_bands(rows_of(atoms, vrules), hrules)
    # under rules across all of it, sentences in a column are cells
    free = (b for b in bands if len(wide_rules(hrules, b[0].x0, b[0].x1, b[0].y0 - 20, b[-1].y1 + 20)) < 2)
    wrapped = set[int]().union(*(text_beside(band, atoms) for band in free))
    return find_bands(rows_of([a for a in atoms if id(a) not in wrapped], vrules), hrules) if wrapped else bands


def _outside_of(
    areas: list[BBox], boxes: dict[int, BBox], prose: dict[int, tuple[int, BBox]]
) -> dict[int, tuple[int, BBox]]:
    """Paragraphs without those in columns between rules: the text of a table whose cells are sentences.

    Only where hardly a line there is as long as the rules are: else these are just above and below paragraphs.
    """
    for box in areas:
        held = [i for i, b in boxes.items() if box[1] < (b[1] + b[3]) / 2 < box[3] and overlap(b, box) > 0]
        long = sum(boxes[i][2] - boxes[i][0] > 0.62 * (box[2] - box[0]) for i in held)
        if held and long <= 0.1 * len(held):
            prose = {i: p for i, p in prose.items() if i not in held}
    return prose


def _labelled(box: BBox, hrules: list[HRule], boxes: dict[int, BBox]) -> Grid | None:
    """The grid of a stack of rules whose strips all have text on both sides of one blank column, labels at its left.

    Outer strips without a line are no part of it: the rule under a page's header may be as long.
    """
    lines = [b for b in boxes.values() if box[1] < (b[1] + b[3]) / 2 < box[3] and overlap(b, box) > 0]
    ys = sorted(r.y for r in hrules if abs(r.x0 - box[0]) < 6 and abs(r.x1 - box[2]) < 6)
    ys = [y for k, y in enumerate(ys) if not k or y - ys[k - 1] > 8]
    while len(ys) > 3 and not any(ys[0] < (b[1] + b[3]) / 2 < ys[1] for b in lines):
        del ys[0]
    while len(ys) > 3 and not any(ys[-2] < (b[1] + b[3]) / 2 < ys[-1] for b in lines):
        del ys[-1]
    left = [b for b in lines if b[0] < box[0] + 0.15 * (box[2] - box[0])]
    edge = max((b[2] for b in left), default=box[2])
    right = [b for b in lines if b[0] > edge + 8]
    headed = len(ys) == 3 and ys[1] - ys[0] < 0.25 * (ys[2] - ys[1])  # a head, and one row under it
    if (
        not right
        or (len(ys) < 4 and not headed)
        or len(left) + len(right) < len(lines)
        or edge > box[0] + 0.5 * (box[2] - box[0])
    ):
        return None
    start, strips = min(b[0] for b in right), list(itertools.pairwise(ys))
    flush = sum(b[0] < start + 3 for b in right) >= 0.6 * len(right)
    width = max(b[2] for b in right) - start
    if not flush or width < 0.6 * (box[2] - start) or start - edge > 0.3 * (box[2] - edge):
        return None  # columns of figures, not a text
    if not all(any(low < (b[1] + b[3]) / 2 < high for b in side) for low, high in strips for side in (left, right)):
        return None
    cells = tuple((r, c, 1, 1) for r in range(len(strips)) for c in (0, 1))
    middle = (edge + start) / 2
    return Grid((box[0], ys[0], box[2], ys[-1]), (box[0], middle, box[2]), tuple(ys), cells)


def _ruled(
    facts: PageFacts,
    direction: tuple[float, float],
    grids: list[Grid],
    hrules: list[HRule],
    boxes: dict[int, BBox],
    atoms: list[Atom],
) -> tuple[list[tuple[Table, list[Atom]]], list[Atom]]:
    """The tables of the grids, and the words that are in none of them."""
    found: list[tuple[Table, list[Atom]]] = []
    crossing = crossing_lines(facts, direction) if grids else []
    for grid in with_heads(grids, atoms):
        if len(grid.xs) == 2 or not _within(atoms, grid.bbox):
            continue  # empty, or a frame with rules across: its columns stand by alignment alone
        if len(grid.ys) == 2 and _stripe(facts, grid, direction):
            continue  # one row of a table that is striped: its other rows stand outside of it
        grid = with_labels(grid, atoms)
        held = _within(atoms, grid.bbox)
        if _paragraph(facts, grid, boxes, {a.line for a in held}) or _layout(facts, grid, held) or misfit(grid, held):
            continue
        grid = with_stack(grid, hrules, atoms, grids)
        held = _within(atoms, grid.bbox)
        built = table_of_grid(refined(grid, held), [*held, *_within(crossing, grid.bbox)])
        if built is not None and not _boxed_text(built[0]):
            built = headed(*built, atoms)
            found.append(built)
            gone = {id(a) for a in (*held, *built[1])}
            atoms = [a for a in atoms if id(a) not in gone]
    return found, atoms


def _stripe(facts: PageFacts, grid: Grid, direction: tuple[float, float]) -> bool:
    """Whether no rule that is drawn stands upright in a grid: only where colours end."""
    x0, y0, x1, y1 = grid.bbox
    for r in facts.rules:
        if r.horizontal == (direction[0] == 0):
            a, top, b, bottom = turn_box((r.x0, r.y0, r.x1, r.y1), direction)
            if x0 - 3 <= a and b <= x1 + 3 and top < y1 - 1 and bottom > y0 + 1:
                return False
    return True


def _paragraph(facts: PageFacts, grid: Grid, boxes: dict[int, BBox], lines: set[int]) -> bool:
    """Whether lines run out of the grid, or long ones through its columns: coloured words of running text."""
    x0, _, x1, _ = grid.bbox
    out = sum(boxes[i][2] > x1 + 8 or boxes[i][0] < x0 - 8 for i in lines)
    long = [boxes[i] for i in lines if len(facts.lines[i].text.split()) > 5]
    through = sum(any(b[0] + 8 < x < b[2] - 8 for x in grid.xs[1:-1]) for b in long)
    return out > 0.4 * len(lines) or through > 0.5 * len(lines)


def _layout(facts: PageFacts, grid: Grid, held: list[Atom]) -> bool:
    """Whether a few large boxes with little in them divide up the page, as on a cover."""
    x0, y0, x1, y1 = grid.bbox
    if len({cell[0] for cell in grid.cells}) > 1 and len(grid.xs) > 3 and _full(grid, held):
        return False
    space = (x1 - x0) * (y1 - y0)
    ink = sum((a.x1 - a.x0) * (a.y1 - a.y0) for a in held)
    return len(grid.cells) <= 12 and space > 0.25 * facts.width * facts.height and ink < 0.15 * space


def _full(grid: Grid, held: list[Atom]) -> bool:
    """Whether no cell spans others or is empty."""
    if len(grid.cells) != (len(grid.xs) - 1) * (len(grid.ys) - 1):
        return False
    return len({(slot(grid.ys, (a.y0 + a.y1) / 2), slot(grid.xs, (a.x0 + a.x1) / 2)) for a in held}) == len(grid.cells)


def _boxed_text(table: Table) -> bool:
    """Whether up to four cells hold a paragraph each: text set in boxes, without a label or figure among them."""
    texts = [c.text for c in table.cells if c.text]
    return (
        table.rows <= 2
        and table.cols <= 2
        and all(len(t.split()) > 20 or (len(t) > 50 and _HAN.search(t)) for t in texts)
    )


def _running(facts: PageFacts, band: Sequence[Row], direction: tuple[float, float]) -> bool:
    """Whether a few lines all within the margin at the head or foot of the page are what runs there."""
    if direction != (1.0, 0.0) or len(band) > 4:
        return False
    return band[-1].y1 < MARGINS[0] * facts.height or band[0].y0 > (1 - MARGINS[1]) * facts.height


def _scattered(table: Table) -> bool:
    """Whether a table has no word below its first row and gaps everywhere, as what is written on the bars of a chart,
    or is drawn with letters.
    """
    texts = [c.text for c in table.cells if c.text]
    drawn = sum([_STROKES.search(text) is not None for text in texts if not _DRAWN.isdisjoint(text)])
    if drawn >= 3 and drawn >= 0.25 * len(texts):
        return True
    words = any(_WORD.search(c.text) for c in table.cells if c.row > 0)
    return not words and len(texts) < 0.6 * table.rows * table.cols


def _within(atoms: Sequence[Atom], box: BBox) -> list[Atom]:
    """Those whose middle lies in a box, give or take a point."""
    x0, y0, x1, y1 = box[0] - 1, box[1] - 1, box[2] + 1, box[3] + 1
    return [a for a in atoms if x0 <= (a[0] + a[2]) / 2 <= x1 and y0 <= (a[1] + a[3]) / 2 <= y1]


def _turned(table: Table, used: list[Atom], direction: tuple[float, float]) -> FoundTable:
    box = union(c.bbox for c in table.cells if c.text)
    lines = frozenset([a.line for a in _within(used, box)])
    if direction == (1.0, 0.0):
        return FoundTable(box, table, lines)
    cells = tuple(
        Cell(c.row, c.col, c.text, turn_back(c.bbox, direction), c.rowspan, c.colspan, c.header) for c in table.cells
    )
    return FoundTable(turn_back(box, direction), Table(table.rows, table.cols, cells), lines)


def _side_by_side(facts: PageFacts, boxes: dict[int, BBox], prose: Container[int]) -> bool:
    """Whether at least two pairs of lines stand beside each other, or lines hold rows of figures: without that
    nothing is aligned in columns."""
    pairs = 0
    left: list[BBox] = []
    for i, box in boxes.items():
        if i not in prose:
            pairs += _FIGURES.search(facts.lines[i].text) is not None
            left.append(box)
    left.sort(key=lambda b: b[1] + b[3])
    for a, b in itertools.pairwise(left):
        if abs(a[1] + a[3] - b[1] - b[3]) < a[3] - a[1] and (a[2] <= b[0] or b[2] <= a[0]):
            pairs += 1
    return pairs >= 2
