"""Tables, figures and formulas of a page, with the text lines that each of them holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from h3cold.ingest.figures import find_figures
from h3cold.ingest.lines import make_rows
from h3cold.ingest.order import columns, line_item
from h3cold.ingest.page_facts import PageFacts
from h3cold.ingest.regions import CAPTION, Solid
from h3cold.ingest.tables import FoundTable, find_tables
from h3cold.schemas.geometry import BBox, inside, overlap, union
from h3cold.schemas.page import Table

PROSE = 28
"""Mean letters in a line from which a part of a page is taken for running text rather than a table's column."""


def find_solids(facts: PageFacts) -> list[tuple[Solid, frozenset[int]]]:
    """What is no running text, in no particular order."""
    tables = _tables(facts)
    out = [(Solid("table", t.bbox, table_text(t.table), t.table), t.lines) for t in tables]
    held = frozenset[int]().union(*(t.lines for t in tables))
    for figure in find_figures(facts, [t.bbox for t in tables]):
        # a caption is no part of its figure, however close it stands
        lines = frozenset(i for i in figure.lines - held if not CAPTION.match(facts.lines[i].text.strip()))
        rows = make_rows([facts.lines[i] for i in lines])
        out.append((Solid("figure", figure.bbox, "\n".join(row.text for row in rows)), lines))
        held |= lines
    return out


def table_text(table: Table) -> str:
    """A table's text: a row a line, cells parted by ` | `."""
    return "\n".join(" | ".join(row) for row in table.grid())


def _tables(facts: PageFacts) -> list[FoundTable]:
    """The page's tables, searched for in each column of text by itself unless rules run through the columns."""
    parts = columns([line_item(line) for line in facts.lines])
    boxes = [union(facts.lines[i].bbox for i in part) for part in parts]
    gaps = _gutters(facts, parts, boxes)
    if not gaps:
        return find_tables(facts)
    out: list[FoundTable] = []
    if any(_rules_through(facts, gap) >= 2 for gap in gaps):
        # a table may reach over both columns; one that only takes in text beside it is looked for again below
        out = [t for t in find_tables(facts) if not any(_swallows(t, gap, facts) for gap in gaps)]
    done = frozenset[int]().union(*(t.lines for t in out))
    for part, box in zip(parts, boxes, strict=True):
        if len(part) < 3 or any(i in done for i in part):
            continue
        for t in find_tables(_only(facts, part, box)):
            out.append(t._replace(lines=frozenset(part[i] for i in t.lines)))
    return out


def _only(facts: PageFacts, part: Sequence[int], box: BBox) -> PageFacts:
    x0, y0, x1, y1 = box[0] - 4, box[1] - 12, box[2] + 4, box[3] + 12
    return replace(
        facts,
        lines=[facts.lines[i] for i in part],
        rules=[r for r in facts.rules if r.x0 >= x0 and r.x1 <= x1 and r.y0 >= y0 and r.y1 <= y1],
        fills=[f for f in facts.fills if inside(f.bbox, (x0, y0, x1, y1)) > 0.95],
        _words=lambda: [w for w in facts.words() if inside(w.bbox, (x0, y0, x1, y1)) > 0.9],
    )


def _gutters(facts: PageFacts, parts: Sequence[Sequence[int]], boxes: Sequence[BBox]) -> list[BBox]:
    """The strips between parts that stand side by side, one of them running text."""
    out = []
    for part, a in zip(parts, boxes, strict=True):
        for other, b in zip(parts, boxes, strict=True):
            top, bottom = max(a[1], b[1]), min(a[3], b[3])
            if a[2] < b[0] and top < bottom and (_is_prose(part, facts) or _is_prose(other, facts)):
                out.append((a[2], top, b[0], bottom))
    return out


def _rules_through(facts: PageFacts, gap: BBox) -> int:
    x0, y0, x1, y1 = gap
    return sum(1 for r in facts.rules if r.horizontal and r.x0 < x0 and r.x1 > x1 and y0 - 12 <= r.y0 <= y1 + 12)


def _swallows(table: FoundTable, gap: BBox, facts: PageFacts) -> bool:
    """Whether a table lies across a gutter that no rules cross within it."""
    x0, _, x1, y1 = table.bbox
    if not (x0 < gap[0] and x1 > gap[2] and overlap(table.bbox, gap) > 0):
        return False
    return _rules_through(facts, (gap[0], table.bbox[1], gap[2], y1)) < 2


def _is_prose(part: Sequence[int], facts: PageFacts) -> bool:
    return sum(len(facts.lines[i].text) for i in part) >= PROSE * len(part)
