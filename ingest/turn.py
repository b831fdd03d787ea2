"""Text that does not run left to right: the page is turned until it does, read, and its boxes are turned back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from statistics import median

from h3cold.ingest.page_facts import Fill, Line, PageFacts, Rule, Word
from h3cold.ingest.script import is_cjk, rtl_count
from h3cold.schemas.geometry import BBox, union
from h3cold.schemas.page import Region

FEWEST_STACKED = 20
"""Single characters below one another from which a page is taken for vertical writing."""

Quarter = int
"""Quarter turns clockwise that the writing is off from left-to-right: 0..3."""


def quarter(line: Line) -> Quarter:
    """Which way a line runs: 0 right, 1 down, 2 left (upside down), 3 up."""
    cos, sin = line.dir
    if cos >= 0.7:
        return 0
    if sin >= 0.7:
        return 1
    return 2 if cos <= -0.7 else 3


def by_direction(lines: list[Line]) -> list[tuple[Quarter, list[Line]]]:
    """The page's lines by writing direction, the one with most characters first."""
    if all(line.dir[0] >= 0.7 for line in lines):
        return [(0, lines)]
    weight: Counter[Quarter] = Counter()
    groups: dict[Quarter, list[Line]] = {}
    for line in lines:
        way = quarter(line)
        weight[way] += len(line.text)
        groups.setdefault(way, []).append(line)
    return [(way, groups[way]) for way, _ in weight.most_common()]


def writing(facts: PageFacts) -> list[str]:
    """What is unusual about how a page's text runs, in words; nothing for level lines from left to right."""
    of_file = ["the file turns the page"] if facts.rotation else []
    odd = [line for line in facts.lines if line.vertical or line.dir != (1.0, 0.0)]
    rtl = rtl_count("".join([line.text for line in facts.lines if not line.text.isascii()]))
    if not odd and not rtl:
        return of_file
    sizes = Counter[str](rtl=rtl)
    for line in odd:
        n = len(line.text)
        sizes["vertical"] += n * line.vertical
        sizes[f"way {quarter(line)}"] += n * (not line.vertical)
        sizes["askew"] += n * (0.005 < min(abs(line.dir[0]), abs(line.dir[1])) < 0.7)
    half = sum(len(line.text) for line in facts.lines) / 2
    ways = {"way 1": "text runs down the page", "way 2": "text is upside down", "way 3": "text runs up the page"}
    names = {"vertical": "vertical writing", **ways, "askew": "text lies askew", "rtl": "right-to-left text"}
    out = [name for key, name in names.items() if sizes[key] > half]
    return [*out, *of_file]


def turned(facts: PageFacts, way: Quarter, lines: list[Line]) -> PageFacts:
    """The page turned so that writing of direction `way` runs left to right, with `lines` only."""
    if way == 0:
        return facts if lines is facts.lines else replace(facts, lines=lines)
    box = _forward(way, facts.width, facts.height)
    swap = way % 2 == 1
    back = _back(way, facts.width, facts.height)
    return replace(
        facts,
        width=facts.height if swap else facts.width,
        height=facts.width if swap else facts.height,
        lines=merge_touching([_line(line, box, way, facts) for line in lines]),
        rules=[Rule(*box((r.x0, r.y0, r.x1, r.y1)), r.width) for r in facts.rules],
        fills=[Fill(box(f.bbox), f.color) for f in facts.fills],
        art=[box(a) for a in facts.art],
        images=[box(i) for i in facts.images],
        _words=lambda: [Word(w.text, box(w.bbox)) for w in facts.words()],
        _tags=facts._tags and (lambda boxes: facts.tags([back(b) for b in boxes]) or [None] * len(boxes)),
    )


def turned_back(regions: list[Region], way: Quarter, width: float, height: float) -> list[Region]:
    """Regions of the turned page with their boxes on the page as displayed (`width` x `height` points)."""
    if way == 0:
        return regions
    box = _back(way, width, height)
    out = []
    for region in regions:
        table = region.table
        if table is not None:
            table = replace(table, cells=tuple(replace(c, bbox=box(c.bbox)) for c in table.cells))
        out.append(replace(region, bbox=box(region.bbox), table=table))
    return out


def stack_vertical(lines: list[Line]) -> list[Line]:
    """Characters set one below the other by a horizontal font, as the vertical lines that they make.

    The reader takes each for a line of its own. Only a page that mostly consists of such characters is changed, and
    only where they stand closer to the next one below than to the one beside.
    """
    single = [line for line in lines if len(line.text.strip()) == 1 and line.dir[0] >= 0.7]
    if len(single) < FEWEST_STACKED or len(single) < 0.6 * len(lines):
        return lines
    if sum(is_cjk(line.text.strip()) for line in single) < 0.6 * len(single):
        return lines
    chains: list[list[Line]] = []
    for line in sorted(single, key=lambda ln: (round(ln.bbox[0] + ln.bbox[2]), ln.bbox[1])):
        above = chains[-1][-1] if chains else None
        size = line.size
        if (
            above is not None
            and abs(above.bbox[0] + above.bbox[2] - line.bbox[0] - line.bbox[2]) < size
            and 0 < line.spans[0].baseline - above.spans[0].baseline < 1.8 * size
        ):
            chains[-1].append(line)
        else:
            chains.append([line])
    down = [b.spans[0].baseline - a.spans[0].baseline for chain in chains for a, b in pairwise(chain)]
    beside = [b - a for a, b in pairwise(sorted({round(chain[0].bbox[0]) for chain in chains}))]
    if not down or (beside and median(beside) < median(down)):
        return lines
    rest = [line for line in lines if len(line.text.strip()) != 1 or line.dir[0] < 0.7]
    return [*rest, *(_stacked(chain, -1 - i) for i, chain in enumerate(chains))]


def _stacked(chain: list[Line], block: int) -> Line:
    text, box = "".join(line.text.strip() for line in chain), union(line.bbox for line in chain)
    span = chain[0].spans[0]._replace(text=text, bbox=box, baseline=-box[0])
    return chain[0]._replace(text=text, bbox=box, spans=(span,), dir=(0.0, 1.0), block=block, vertical=True)


def merge_touching(lines: list[Line]) -> list[Line]:
    """Glyphs that the reader took for lines of their own, as it does in vertical writing, put together."""
    out: list[Line] = []
    for line in lines:
        last = out[-1] if out else None
        if last is not None and _touch(last, line):
            spans = last.spans + line.spans
            if last.spans[-1].font == line.spans[0].font and abs(last.spans[-1].size - line.spans[0].size) < 0.1:
                a, b = last.spans[-1], line.spans[0]
                spans = (
                    *last.spans[:-1],
                    a._replace(text=a.text + b.text, bbox=union((a.bbox, b.bbox))),
                    *line.spans[1:],
                )
            out[-1] = last._replace(text=last.text + line.text, bbox=union((last.bbox, line.bbox)), spans=spans)
        else:
            out.append(line)
    return out


def _touch(a: Line, b: Line) -> bool:
    size = b.spans[0].size
    return (
        abs(a.spans[-1].baseline - b.spans[0].baseline) < 0.3 * size
        and -0.2 * size < b.bbox[0] - a.bbox[2] < 0.3 * size
    )


def _line(line: Line, box: Callable[[BBox], BBox], way: Quarter, facts: PageFacts) -> Line:
    """Baselines were read in this frame but for its offset (see `page_facts`)."""
    offset = facts.width if way == 1 else 0.0
    spans = tuple(
        s._replace(bbox=box(s.bbox), baseline=facts.height - s.baseline if way == 2 else s.baseline + offset)
        for s in line.spans
    )
    return line._replace(bbox=box(line.bbox), spans=spans, dir=(1.0, 0.0))


def _forward(way: Quarter, width: float, height: float) -> Callable[[BBox], BBox]:
    """How boxes move when a page of this size is turned back by `way` quarters."""

    def right(b: BBox) -> BBox:
        return (b[1], width - b[2], b[3], width - b[0])

    def half(b: BBox) -> BBox:
        return (width - b[2], height - b[3], width - b[0], height - b[1])

    def left(b: BBox) -> BBox:
        return (height - b[3], b[0], height - b[1], b[2])

    return {1: right, 2: half, 3: left}[way]


def _back(way: Quarter, width: float, height: float) -> Callable[[BBox], BBox]:
    """The inverse of `_forward` for the same page."""
    return _forward(4 - way, *((height, width) if way % 2 else (width, height)))
