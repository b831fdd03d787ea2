"""Figures of a page: pictures and vector drawings (charts, diagrams) with the words inside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from h3cold.ingest.axes import axis_titles, plots
from h3cold.ingest.chart_labels import row_names
from h3cold.ingest.clusters import merged, touch, within
from h3cold.ingest.flow_charts import linked
from h3cold.ingest.page_facts import Fill, Line, PageFacts
from h3cold.ingest.script import is_cjk
from h3cold.schemas.geometry import BBox, area, inside, overlap, union

MAX_PIECES = 2000
"""Vector pieces beyond which the smallest are left out of the clustering."""

LEAST = 36.0
"""Points below which a picture is an icon or a bullet."""


class FoundFigure(NamedTuple):
    """A figure with its box; `lines` are the indices into `PageFacts.lines` of the text inside it."""

    bbox: BBox
    lines: frozenset[int]


def find_figures(facts: PageFacts, taken: Sequence[BBox]) -> list[FoundFigure]:
    """Pictures and charts outside the boxes in `taken` (tables), top to bottom; backgrounds and rules are none."""
    page = facts.width * facts.height
    boxes = [b for b in _pictures(facts) if max((inside(b, t) for t in taken), default=0.0) < 0.5]
    boxes += [b for b in drawings(facts) if max((inside(b, t) for t in taken), default=0.0) < 0.5]
    boxes = merged(boxes, 2.0)
    charts = plots(facts)
    out = []
    for box in boxes:
        if box[2] - box[0] < LEAST or box[3] - box[1] < LEAST or area(box) < 0.004 * page:
            continue
        grown, lines = _with_labels(facts, box, [t for t in taken if inside(t, box) < 0.8], charts)
        out.append(FoundFigure(grown, lines))
    return sorted(_apart(out), key=lambda f: (f.bbox[1], f.bbox[0]))


def figure_text(facts: PageFacts, lines: Iterable[int]) -> str:
    """The words inside a figure, a label a line: lines close below each other in one box are one label."""
    labels: list[tuple[BBox, str]] = []
    for i in sorted(lines, key=lambda i: facts.lines[i].bbox[1]):
        line = facts.lines[i]
        for k, (box, text) in enumerate(labels):
            if _reads_on(box, text, line):
                blank = "" if is_cjk(text[-1]) and is_cjk(line.text.strip()[:1] or " ") else " "
                labels[k] = (union((box, line.bbox)), text + blank + line.text.strip())
                break
        else:
            if line.text.strip():
                labels.append((line.bbox, line.text.strip()))
    rows: list[list[tuple[BBox, str]]] = []
    for label in sorted(labels, key=lambda n: n[0][1] + n[0][3]):
        middle = (label[0][1] + label[0][3]) / 2
        if rows and rows[-1][0][0][1] < middle < rows[-1][0][0][3]:
            rows[-1].append(label)
        else:
            rows.append([label])
    return "\n".join(text for row in rows for _, text in sorted(row))


def _reads_on(box: BBox, text: str, line: Line) -> bool:
    """Whether a line goes on right below a label; figures of a scale are labels each."""
    x0, y0, x1, _ = line.bbox
    near = -0.6 * line.size < y0 - box[3] < 0.5 * line.size
    placed = abs(x0 + x1 - box[0] - box[2]) < 2 * line.size or abs(x0 - box[0]) < 2
    over = min(x1, box[2]) - max(x0, box[0]) > 0.7 * min(x1 - x0, box[2] - box[0])
    return near and placed and over and not (text[-1:].isdigit() and line.text[:1].isdigit())


def drawings(facts: PageFacts) -> list[BBox]:
    """Boxes of vector drawings: curves, slanted lines and bars, with the rules and fills that touch them."""
    charts = plots(facts)
    if not facts.art and len(facts.fills) < 3 and not charts:
        return []
    page = (0.0, 0.0, facts.width, facts.height)
    texts = [ln.bbox for ln in facts.lines]
    marks, links = _marks(facts, texts)
    marks += links
    bars = _bars(coloured, page) if len(coloured := _coloured(facts)) > 2 else []
    bars = [b for b in bars if not _highlight(b, texts)]
    rows_of_bars = [b for b in bar_groups(facts) if any(within(bar, b) for bar in bars)] if bars else []
    if not rows_of_bars and not charts and not any(_large(m) for m in marks) and len(marks) + len(bars) < 3:
        return []
    support = [f.bbox for f in facts.fills[:MAX_PIECES] if area(f.bbox) < 0.5 * area(page)]
    support += [(r.x0, r.y0, r.x1, r.y1) for r in facts.rules[:MAX_PIECES] if abs(r.x1 - r.x0) < 0.8 * facts.width]
    clusters = [*merged(marks, 9.0), *merged(bars, 50.0)]
    strong = [c for c in clusters if sum(3 if _large(m) else 1 for m in [*marks, *bars] if within(m, c)) >= 3]
    strong = merged([*strong, *rows_of_bars, *charts], 9.0)
    strong = [
        union((c, *(s for s in support if _is_axis(s, c)), *_legend(facts.fills[:MAX_PIECES], c))) for c in strong
    ]
    grown = [c for c in merged([*strong, *_near(support, strong)], 4.0) if any(within(s, c) for s in strong)]
    return [c for c in grown if c[2] - c[0] >= LEAST and c[3] - c[1] >= LEAST]


def flow_charts(facts: PageFacts) -> list[BBox]:
    """Boxes of words with arrows from one to the next, a box around each such drawing."""
    return merged(_marks(facts, [ln.bbox for ln in facts.lines])[1], 9.0) if facts.art else []


def _marks(facts: PageFacts, texts: Sequence[BBox]) -> tuple[list[BBox], list[BBox]]:
    """Curves and slanted lines that are not drawn around words, and the links of flow charts."""
    seeds = [b for b in _largest(facts.art) if 0 < b[2] - b[0] < 0.9 * facts.width and b[3] - b[1] < 0.9 * facts.height]
    framing = [_frames_text(b, texts) for b in seeds]
    marks = [b for b, frame in zip(seeds, framing, strict=True) if not frame]
    round_boxes = [b for b, frame in zip(seeds, framing, strict=True) if frame and not _highlight(b, texts)]
    return marks, linked(round_boxes, marks, facts)


def _pictures(facts: PageFacts) -> list[BBox]:
    page = facts.width * facts.height
    out = []
    for box in facts.images:
        shown = (max(0.0, box[0]), max(0.0, box[1]), min(facts.width, box[2]), min(facts.height, box[3]))
        if area(shown) <= 0:
            continue
        # A picture behind the whole page is its background, or the scan that OCR reads.
        if area(shown) > 0.8 * page or (area(shown) > 0.35 * page and _text_share(facts, shown) > 0.25):
            continue
        if min(shown[2] - shown[0], shown[3] - shown[1]) >= 4:
            out.append(shown)
    return merged(out, 1.5)


def _text_share(facts: PageFacts, box: BBox) -> float:
    return sum(overlap(ln.bbox, box) for ln in facts.lines) / area(box)


def _largest(boxes: Sequence[BBox]) -> list[BBox]:
    if len(boxes) <= MAX_PIECES:
        return list(boxes)
    return sorted(boxes, key=lambda b: (b[0] - b[2]) - (b[3] - b[1]))[:MAX_PIECES]


def _frames_text(box: BBox, texts: Sequence[BBox]) -> bool:
    """A curved outline around whole lines is a text box with round corners."""
    if _highlight(box, texts):
        return True
    if box[3] - box[1] <= 9 or box[2] - box[0] <= 30:
        return False
    return sum(area(t) for t in texts if within(t, box)) > 0.2 * area(box)


def _highlight(box: BBox, texts: Sequence[BBox]) -> bool:
    """Whether a shape no taller than a line of text is the colour behind a few words."""
    if box[3] - box[1] >= 22:
        return False
    half = 0.5 * area(box)
    level = [t for t in texts if t[1] < box[3] and box[1] < t[3]]
    return any(overlap(t, box) > half for t in level)


def _large(box: BBox) -> bool:
    return box[2] - box[0] > 60 and box[3] - box[1] > 15


def _coloured(facts: PageFacts) -> tuple[Fill, ...]:
    """The page's fills that are not white."""
    return tuple([f for f in facts.fills[:MAX_PIECES] if not f[1] or min(f[1]) <= 0.97])


@lru_cache(maxsize=2)  # asked for by tables and by figures of one page
def _bars(fills: tuple[Fill, ...], page: BBox) -> list[BBox]:
    """Coloured fills on the page of one width that end at different heights, or lying: a table's cells share theirs."""
    upright: dict[int, list[BBox]] = {}
    lying: dict[int, list[BBox]] = {}
    edges = [(*map(round, box), color) for box, color in fills]
    tops = {(left, right, top, color) for left, top, right, _, color in edges}
    feet = {(left, right, foot, color) for left, _, right, foot, color in edges}
    for (left, top, right, foot, color), (box, _) in zip(edges, fills, strict=True):
        if (left, right, foot, color) in tops or (left, right, top, color) in feet:
            continue  # one colour below itself: cells of a table
        if inside(box, page) > 0.9:
            upright.setdefault(round((box[2] - box[0]) / 2), []).append(box)
            lying.setdefault(round((box[3] - box[1]) / 2), []).append(box)
    out = [b for group in upright.values() if _ragged(group, 0, 1) or _ragged(group, 0, 3) for b in group]
    out += [b for group in lying.values() if _ragged(group, 1, 2) or _ragged(group, 1, 0) for b in group]
    return list(dict.fromkeys(out))


def bar_groups(facts: PageFacts) -> list[BBox]:
    """Boxes around bars that stand on one line (or hang from it) and end at different heights, or the same lying."""
    return _bar_groups(coloured, 0.3 * facts.width * facts.height) if len(coloured := _coloured(facts)) > 2 else []


@lru_cache(maxsize=2)  # asked for by tables and by figures of one page
def _bar_groups(fills: tuple[Fill, ...], large: float) -> list[BBox]:
    out: list[BBox] = []
    boxes = [box for box, _ in fills if area(box) < large]
    wide, tall = [round((b[2] - b[0]) / 2) for b in boxes], [round((b[3] - b[1]) / 2) for b in boxes]
    for axis, base, sizes in ((0, 3, wide), (0, 1, wide), (1, 0, tall), (1, 2, tall)):
        groups: dict[tuple[int, int], list[BBox]] = {}
        for b, size in zip(boxes, sizes, strict=True):
            groups.setdefault((round(b[base] / 2), size), []).append(b)
        end = (base + 2) % 4
        for group in groups.values():
            if (
                len(group) >= 3
                and len({round(b[axis]) for b in group}) == len(group)
                and _differ(len({round(b[end] / 2) for b in group}), group, axis)
            ):
                out.append(union(group))
    return out


def _differ(ends: int, group: Sequence[BBox], axis: int) -> bool:
    """Whether bars end at enough different heights: a few with room between all of them may be equal."""
    if ends > 0.7 * len(group):
        return True
    if ends < 3 or 2 * ends < len(group):
        return False
    ordered = sorted(group, key=lambda b: b[axis])
    return all(b[axis] - a[axis + 2] > 0.1 * (a[axis + 2] - a[axis]) for a, b in pairwise(ordered))


def _ragged(group: Sequence[BBox], along: int, end: int) -> bool:
    if len(group) < 3 or len(places := {round(b[along]) for b in group}) < 3:
        return False
    ends: dict[int, int] = {}
    for b in group:
        place = round(b[end])
        ends[place] = ends.get(place, 0) + 1
    if len(ends) < 3:
        return False
    single = sum([n == 1 for n in ends.values()]) >= 0.5 * len(group)
    return single or (len(places) == len(group) and _differ(len(ends), group, along))


def _near(boxes: Iterable[BBox], clusters: Sequence[BBox]) -> list[BBox]:
    return [b for b in boxes if any(touch(b, c, 4.0) for c in clusters)]


def _is_axis(rule: BBox, cluster: BBox) -> bool:
    """Whether a rule runs along most of a drawing, close by: the axis that a curve does not reach."""
    wide, tall = rule[2] - rule[0], rule[3] - rule[1]
    if min(wide, tall) > 3 or not touch(rule, cluster, 30.0):
        return False
    along = 0 if wide > tall else 1
    length = cluster[along + 2] - cluster[along]
    inside_ = cluster[along] - 40 < rule[along] and rule[along + 2] < cluster[along + 2] + 40
    return inside_ and max(wide, tall) > 0.6 * length


def _legend(fills: Sequence[Fill], chart: BBox) -> list[BBox]:
    """Small boxes near a chart in colours that are in it: the samples of its legend."""
    colours = {f.color for f in fills if within(f.bbox, chart)}
    return [
        b
        for b, colour in fills
        if colour in colours and 2 < b[2] - b[0] < 16 and 2 < b[3] - b[1] < 16 and touch(b, chart, 40.0)
    ]


def _with_labels(
    facts: PageFacts, box: BBox, taken: Sequence[BBox], charts: Sequence[BBox]
) -> tuple[BBox, frozenset[int]]:
    """The figure's box grown by the short texts at its edges (axis labels, legends), and all lines in it."""
    lines = row_names(facts, box, taken)
    if any(inside(c, box) > 0.9 for c in charts):
        lines |= axis_titles(facts.lines, box)
    grown = union((box, *(facts.lines[i].bbox for i in lines)))
    for _ in range(3):
        before = len(lines)
        for i, ln in enumerate(facts.lines):
            b = ln.bbox
            if i in lines or any(overlap(b, t) > 0 for t in taken):
                continue
            centre = (b[0] + b[2]) / 2, (b[1] + b[3]) / 2
            within = grown[0] <= centre[0] <= grown[2] and grown[1] <= centre[1] <= grown[3]
            short = len(ln.text.split()) <= 4 and b[2] - b[0] < 0.5 * (box[2] - box[0])
            label = short and touch(b, box, 0.9 * ln.size) and inside(b, box) < 0.99
            if inside(b, grown) > 0.7 or (within and len(ln.text) < 60) or label:
                lines.add(i)
                grown = union((grown, b))
        if len(lines) == before:
            break
    return grown, frozenset(lines)


def _apart(figures: list[FoundFigure]) -> list[FoundFigure]:
    """A line belongs to one figure only; figures that grew into each other become one."""
    out: list[FoundFigure] = []
    for f in sorted(figures, key=lambda f: -area(f.bbox)):
        for k, o in enumerate(out):
            if f.lines & o.lines or inside(f.bbox, o.bbox) > 0.5:
                out[k] = FoundFigure(union((o.bbox, f.bbox)), o.lines | f.lines)
                break
        else:
            out.append(f)
    return out
