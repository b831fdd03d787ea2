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
    """The page's tables; one that takes in a neighbouring column of text is looked for again in its own column."""
    found = find_tables(facts)
    if not found:
        return found
    parts = columns([line_item(line) for line in facts.lines])
    if len(parts) < 2:
        return found
    boxes = [union(facts.lines[i].bbox for i in part) for part in parts]
    wrong = [t for t in found if _crosses(t, parts, boxes, facts)]
    if not wrong:
        return found
    out = [t for t in found if t not in wrong]
    for part, box in zip(parts, boxes, strict=True):
        if not any(overlap(box, t.bbox) > 0 for t in wrong):
            continue
        for t in find_tables(_only(facts, part, box)):
            lines = frozenset(part[i] for i in t.lines)
            if not any(lines & other.lines for other in out):
                out.append(t._replace(lines=lines))
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


def _crosses(table: FoundTable, parts: Sequence[Sequence[int]], boxes: Sequence[BBox], facts: PageFacts) -> bool:
    """Whether a table without rules of its own lies over two columns, one of them running text."""
    mine = [n for n, part in enumerate(parts) if any(i in table.lines for i in part)]
    for a in mine:
        for b in mine:
            gap = boxes[b][0] - boxes[a][2]
            if gap <= 0 or min(boxes[a][3], boxes[b][3]) <= max(boxes[a][1], boxes[b][1]):
                continue
            if not any(_is_prose(parts[n], facts, table) for n in (a, b)):
                continue
            left, right = boxes[a][2], boxes[b][0]
            through = sum(
                1 for r in facts.rules
                if r.horizontal and r.x0 < left and r.x1 > right and table.bbox[1] - 3 <= r.y0 <= table.bbox[3] + 3
            )  # fmt: skip
            if through < 2:
                return True
    return False


def _is_prose(part: Sequence[int], facts: PageFacts, table: FoundTable) -> bool:
    lengths = [len(facts.lines[i].text) for i in part if i in table.lines]
    return sum(lengths) >= PROSE * max(len(lengths), 1)
