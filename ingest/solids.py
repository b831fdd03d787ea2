"""Tables, figures and formulas of a page, with the text lines that each of them holds."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from h3cold.ingest.contents_lists import Contents, find_contents
from h3cold.ingest.figures import FoundFigure, figure_text, find_figures
from h3cold.ingest.formulas import find_formulas, is_formula
from h3cold.ingest.fractions import formula_text
from h3cold.ingest.halves import headed_apart
from h3cold.ingest.listings import Listing, find_listings
from h3cold.ingest.order import Item, columns, line_items
from h3cold.ingest.page_facts import PageFacts, Word
from h3cold.ingest.paragraphs import CAPTION
from h3cold.ingest.regions import Solid, typography
from h3cold.ingest.script import count_alphabetic, han_count
from h3cold.ingest.tables import FoundTable, find_tables
from h3cold.schemas.geometry import BBox, area, inside, overlap, union
from h3cold.schemas.page import Table

PROSE = 28
"""Mean letters in a line from which a part of a page is taken for running text rather than a table's column."""

FULL, FEWEST_FULL = 16, 8
"""Letters (a Han character counts two) in a line that may fill a narrow column; how many such lines there must be."""

MARGIN = 36.0
"""Points that the rules around a table may stand off from its text."""

STRIPE = 40.0
"""Points below which a coloured box is the height of a table's row."""


_FIGURE = re.compile(r"(?i:figure|fig\.|scheme|abbildung)\s*[A-Z]?\.?\d|图\s*[\d一二三四五六七八九十]")


def find_solids(facts: PageFacts) -> list[tuple[Solid, frozenset[int]]]:
    """What is no running text, in no particular order: lists of contents, code, and what the rest of the page holds."""
    lists: list[Contents | Listing] = [*find_contents(facts), *find_listings(facts)]
    if not lists:
        return _solids(facts)
    held = frozenset[int]().union(*(one.lines for one in lists))
    rest = [i for i in range(len(facts.lines)) if i not in held]
    out = [(Solid("list" if isinstance(one, Contents) else "text", one.bbox, one.text), one.lines) for one in lists]
    for solid, lines in _solids(replace(facts, lines=[facts.lines[i] for i in rest], items=None)):
        if lines or not any(inside(solid.bbox, one.bbox) > 0.5 for one in lists):
            out.append((solid, frozenset(rest[i] for i in lines)))
    return out


def _solids(facts: PageFacts) -> list[tuple[Solid, frozenset[int]]]:
    """Tables, formulas and figures."""
    items = line_items(facts)
    parts = columns(items)
    tables = [t for t in _tables(facts, items, parts) if not is_formula(facts, t.bbox, t.lines)]
    figures = _figures(facts, parts, tables)
    tables = [t for t in tables if not _drawn(t, figures)]
    diagrams = [t for t in tables if _is_diagram(t, facts)]
    tables = [t for t in tables if t not in diagrams]
    out = [(Solid("table", t.bbox, table_text(t.table), t.table), t.lines) for t in tables]
    out += [(Solid("figure", t.bbox, figure_text(facts, t.lines)), t.lines) for t in diagrams]
    held = frozenset[int]().union(*(t.lines for t in (*tables, *diagrams)))
    for formula in find_formulas(facts, [t.bbox for t in tables]):
        if lines := formula.lines - held:
            out.append((Solid("formula", formula.bbox, formula_text(facts, lines)), lines))
            held |= lines
    for figure in figures:
        lines = figure.lines - held
        out.append((Solid("figure", figure.bbox, figure_text(facts, lines)), lines))
        held |= lines
    return out


def _is_diagram(table: FoundTable, facts: PageFacts) -> bool:
    """Whether most places of a table are empty, and what stands right below it names a figure."""
    told = sum(1 for c in table.table.cells if c.text)
    if told > 0.4 * table.table.rows * table.table.cols:
        return False
    x0, _, x1, foot = table.bbox
    below = [ln for ln in facts.lines if -2 < ln.bbox[1] - foot < 40 and ln.bbox[0] < x1 and ln.bbox[2] > x0]
    first = min(below, key=lambda ln: ln.bbox[1], default=None)
    return first is not None and _FIGURE.match(first.text.strip()) is not None


def _figures(facts: PageFacts, parts: Sequence[Sequence[int]], tables: Sequence[FoundTable]) -> list[FoundFigure]:
    """The page's figures with all text in them; a picture that is a ground behind text is none."""
    if not (facts.images or facts.art or facts.fills or len(facts.rules) > 8):
        return []
    prose = _running_text(facts, parts)
    loose = [i for i in range(len(facts.lines)) if i not in prose]
    out = []
    for figure in find_figures(replace(facts, lines=[facts.lines[i] for i in loose]), [t.bbox for t in tables]):
        covered = sum(overlap(line.bbox, figure.bbox) for line in facts.lines)
        if covered > 0.25 * area(figure.bbox) > 0.08 * facts.width * facts.height or _holds_text(figure, prose, facts):
            continue
        out.append(figure._replace(lines=frozenset(loose[i] for i in figure.lines) | _prose_within(facts, figure.bbox)))
    return out


def _holds_text(figure: FoundFigure, prose: set[int], facts: PageFacts) -> bool:
    """Whether a drawing is a frame around paragraphs, or the decoration of a whole page that has some."""
    within = [i for i, line in enumerate(facts.lines) if inside(line.bbox, figure.bbox) >= 0.95]
    letters = sum(len(facts.lines[i].text) for i in within)
    running = [i for i in within if i in prose]
    share = sum(len(facts.lines[i].text) for i in running) / max(1, letters)
    if len(running) < 3 or share < 0.5:
        return False
    if area(figure.bbox) > 0.8 * facts.width * facts.height:
        return True
    pictures = sum(overlap(i, figure.bbox) for i in facts.images)
    covered = sum(overlap(facts.lines[i].bbox, figure.bbox) for i in running)
    return share > 0.75 and covered > 0.3 * area(figure.bbox) and pictures < 0.3 * area(figure.bbox)


def _prose_within(facts: PageFacts, box: BBox) -> frozenset[int]:
    """Lines of text boxes in a drawing."""
    lines = [i for i, line in enumerate(facts.lines) if inside(line.bbox, box) >= 0.95]
    return frozenset(i for i in lines if not CAPTION.match(facts.lines[i].text.strip()))


def _drawn(table: FoundTable, figures: Sequence[FoundFigure]) -> bool:
    """Whether a "table" is a part of a drawing: boxes in a row with words in them."""
    if table.table.rows > 8 or not any(inside(table.bbox, f.bbox) > 0.9 for f in figures):
        return False
    text = "".join(c.text for c in table.table.cells)
    return sum(c.isdigit() for c in text) < 0.3 * len(text)


def _running_text(facts: PageFacts, parts: Sequence[Sequence[int]]) -> set[int]:
    """Lines that are no labels of a figure, however close they stand: paragraphs, captions, headings."""
    large = 1.05 * typography([facts]).size + 0.3
    out = {i for i, line in enumerate(facts.lines) if line.size > large or CAPTION.match(line.text.strip())}
    for part in parts:
        if len(part) < 3 or not _is_prose(part, facts):
            continue
        box = union(facts.lines[i].bbox for i in part)
        ordered = sorted(part, key=lambda i: facts.lines[i].bbox[3])
        for i, j in pairwise(ordered):
            a, b = facts.lines[i], facts.lines[j]
            size = b.spans[0].size
            if abs(a.spans[0].size - size) > 0.06 * size or not 0.8 * size < b.bbox[3] - a.bbox[3] < 1.9 * size:
                continue
            if a.bbox[2] - a.bbox[0] > 0.7 * (box[2] - box[0]):
                out.update((i, j))
    return out


def table_text(table: Table) -> str:
    """A table's text: a row a line, cells parted by ` | `."""
    return "\n".join(" | ".join(row) for row in table.grid())


def _tables(facts: PageFacts, items: Sequence[Item], parts: Sequence[Sequence[int]]) -> list[FoundTable]:
    """The page's tables, searched for in each column of text by itself unless rules run through the columns."""
    boxes = [union(facts.lines[i].bbox for i in part) for part in parts]
    gaps = _gutters(facts, items, parts, boxes)
    if not gaps:
        return find_tables(facts)
    out: list[FoundTable] = []
    if any(_ruled(facts, gap) for gap in gaps):
        # a table may reach over both columns; one that only takes in text beside it is looked for again below
        out = [t for t in find_tables(facts) if not any(_swallows(t, gap, facts) for gap in gaps)]
    done = frozenset[int]().union(*(t.lines for t in out))
    for part in _with_no_text_beside(parts, boxes, gaps):
        if len(part) < 3 or any(i in done for i in part):
            continue
        for t in find_tables(_only(facts, part, boxes)):
            out.append(t._replace(lines=frozenset(part[i] for i in t.lines)))
    return out


def _with_no_text_beside(
    parts: Sequence[Sequence[int]], boxes: Sequence[BBox], gaps: Sequence[BBox]
) -> list[Sequence[int]]:
    """The parts, those next to each other that have no running text beside them as one: columns of one table."""
    alone = [not any(g[0] == b[2] or g[2] == b[0] for g in gaps) for b in boxes]
    out: list[Sequence[int]] = []
    run: list[int] = []
    for part, free in zip(parts, alone, strict=True):
        if free:
            run += part
            continue
        out += [sorted(run), part] if run else [part]
        run = []
    return [*out, sorted(run)] if run else out


def _only(facts: PageFacts, part: Sequence[int], boxes: Sequence[BBox]) -> PageFacts:
    """A part with what is drawn around it: rules stand off from the text, up to the parts beside it."""
    text = union(facts.lines[i].bbox for i in part)
    top, bottom = text[1] - 12, text[3] + 12
    level = [b for b in boxes if b[1] < bottom and b[3] > top]
    left = max([b[2] for b in level if b[2] <= text[0]], default=text[0] - MARGIN)
    right = min([b[0] for b in level if b[0] >= text[2]], default=text[2] + MARGIN)
    x0, y0, x1, y1 = min(text[0] - 4, left), top, max(text[2] + 4, right), bottom
    return replace(
        facts,
        lines=[facts.lines[i] for i in part],
        rules=[r for r in facts.rules if r.x0 >= x0 and r.x1 <= x1 and r.y0 >= y0 and r.y1 <= y1],
        fills=[f for f in facts.fills if inside(f.bbox, (x0, y0, x1, y1)) > 0.95],
        _words=lambda: _words_in(facts.words(), (x0, y0, x1, y1)),
    )


def _words_in(words: Sequence[Word], box: BBox) -> list[Word]:
    """Words of which hardly anything lies outside of a box."""
    x0, y0, x1, y1 = box
    out: list[Word] = []
    for word in words:
        a, b, c, d = word.bbox
        # most lie all within it or all beside it
        if (x0 <= a < c <= x1 and y0 <= b < d <= y1) or (a < x1 and c > x0 and inside(word.bbox, box) > 0.9):
            out.append(word)
    return out


def _gutters(
    facts: PageFacts, items: Sequence[Item], parts: Sequence[Sequence[int]], boxes: Sequence[BBox]
) -> list[BBox]:
    """The strips between parts that stand side by side, one of them running text or each with headings of its own."""
    out = []
    for part, a in zip(parts, boxes, strict=True):
        for other, b in zip(parts, boxes, strict=True):
            top, bottom = max(a[1], b[1]), min(a[3], b[3])
            if a[2] >= b[0] or top >= bottom:
                continue
            if _is_prose(part, facts) or _is_prose(other, facts) or headed_apart(items, part, other):
                out.append((a[2], top, b[0], bottom))
    return out


def _rules_through(facts: PageFacts, gap: BBox) -> int:
    """Heights at which horizontal rules or coloured stripes lead across a gutter, be it in pieces, cell by cell."""
    x0, y0, x1, y1 = gap
    covered: dict[int, float] = {}
    lines = [(r.x0, r.y0, r.x1) for r in facts.rules if r.horizontal]
    shades = {f.bbox for f in facts.fills if f.bbox[3] - f.bbox[1] < STRIPE and min(f.color, default=1.0) < 0.97}
    for a, y, b in itertools.chain(lines, (s[:3] for s in shades)):
        if a < x1 and b > x0 and y0 - 12 <= y <= y1 + 12:
            step = round(y / 2)
            covered[step] = covered.get(step, 0.0) + min(b, x1) - max(a, x0)
    return sum(width >= 0.8 * (x1 - x0) for width in covered.values())


def _ruled(facts: PageFacts, gap: BBox) -> bool:
    """Whether rules lead across a gutter that is no gutter then: two, or one over another that stands in it."""
    through = _rules_through(facts, gap)
    upright = (r for r in facts.rules if not r.horizontal)
    return through > 1 or (
        through == 1 and any(gap[0] - 3 < r.x0 < gap[2] + 3 and r.y0 < gap[3] and r.y1 > gap[1] for r in upright)
    )


def _swallows(table: FoundTable, gap: BBox, facts: PageFacts) -> bool:
    """Whether a table lies across a gutter that no rules cross within it."""
    x0, _, x1, y1 = table.bbox
    if not (x0 < gap[0] and x1 > gap[2] and overlap(table.bbox, gap) > 0):
        return False
    return _rules_through(facts, (gap[0], table.bbox[1], gap[2], y1)) < 2


def _is_prose(part: Sequence[int], facts: PageFacts) -> bool:
    """Whether lines are long, or many of them, narrow as the column may be, are full of words from edge to edge."""
    texts = [facts.lines[i].text for i in part]
    if sum(len(text.strip()) for text in texts) >= PROSE * len(part):
        return True
    if len(part) < FEWEST_FULL:
        return False
    x0, _, x1, _ = union(facts.lines[i].bbox for i in part)
    wide = [i for i in part if facts.lines[i].bbox[2] - facts.lines[i].bbox[0] > 0.75 * (x1 - x0)]
    full = sum(count_alphabetic(facts.lines[i].text) + han_count(facts.lines[i].text) >= FULL for i in wide)
    return full >= max(FEWEST_FULL, 0.35 * len(part))
