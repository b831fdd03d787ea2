"""Running text around tables: paragraphs, the text columns they stand in, and the gutters between those."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from h3cold.ingest.page_facts import PageFacts
from h3cold.ingest.script import count_alphabetic, count_letters, han_count
from h3cold.ingest.tables.rows import Atom, HRule, numeric
from h3cold.schemas.geometry import BBox, union

FEWEST_HAN = 5
"""Han characters of a line that may be one of a paragraph."""

_FIGURES = re.compile(
    r"\d|(?<!\S)(?:[-–—−‐―*†‡#§.]+(?!\S)|[(\[]?(?:[nN]/?[aA]|[nN]\.[aA]|[nN][mM]|[nN]il|X|不适用|无))"
)
"""What a line with a word that is `numeric` has at least."""


class Gutter(NamedTuple):
    """The empty strip between two text columns, at `x`, from `y0` down to `y1`."""

    x: float
    y0: float
    y1: float


def prose_lines(facts: PageFacts, boxes: Mapping[int, BBox]) -> dict[int, tuple[int, BBox]]:
    """Lines (of those with upright `boxes`) that belong to paragraphs of running text: index to (block, box)."""
    blocks: dict[int, list[tuple[int, BBox]]] = {}
    for i, box in boxes.items():
        blocks.setdefault(facts.lines[i].block, []).append((i, box))
    known: list[list[tuple[float, int]]] = []

    def figures() -> list[tuple[float, int]]:
        if not known:
            known.append(_with_figures(facts, boxes))
        return known[0]

    out: dict[int, tuple[int, BBox]] = {}
    for block, members in _with_wide_leading(facts, blocks).items():
        if len(members) >= 2 and _is_prose(facts, members, figures):
            out.update((i, (block, box)) for i, box in members)
    return out


def _with_figures(facts: PageFacts, boxes: Mapping[int, BBox]) -> list[tuple[float, int]]:
    """Middles and indices of the lines with a word that is `numeric`."""
    out: list[tuple[float, int]] = []
    for i, box in boxes.items():
        text = facts.lines[i].text
        if len(text) < 64 and _FIGURES.search(text) and any(map(numeric, text.split())):
            out.append(((box[1] + box[3]) / 2, i))
    return out


def _with_wide_leading(
    facts: PageFacts, blocks: Mapping[int, list[tuple[int, BBox]]]
) -> dict[int, list[tuple[int, BBox]]]:
    """Blocks, those of single Chinese lines right below one another as one: the reader parts them, as Chinese is set
    with more space between its lines than it expects within a paragraph.
    """
    out: dict[int, list[tuple[int, BBox]]] = {}
    last: tuple[int, float, BBox] | None = None  # the block, its size and the box of its last line
    for block, members in blocks.items():
        line, box = facts.lines[members[0][0]], members[0][1]
        if len(members) > 1 or han_count(line.text) < FEWEST_HAN:
            last = None
        elif last is not None and abs(last[1] - line.size) < 0.1 * line.size and _follows(last[2], box, line.size):
            out[last[0]] += members
            last = (last[0], line.size, box)
            continue
        else:
            last = (block, line.size, box)
        out[block] = members
    return out


def _follows(above: BBox, box: BBox, size: float) -> bool:
    """Whether a line is the next of a paragraph, or the first of the next one."""
    shared = min(above[2], box[2]) - max(above[0], box[0])
    return 0 <= box[1] - above[3] < 0.75 * size and shared > 0.6 * min(above[2] - above[0], box[2] - box[0])


def _is_prose(
    facts: PageFacts, members: list[tuple[int, BBox]], figures: Callable[[], Sequence[tuple[float, int]]]
) -> bool:
    size = facts.lines[members[0][0]].size
    rows = _text_rows([(box, facts.lines[i].text) for i, box in members], size)
    boxes = [box for box, _ in rows]
    if len(rows) < 2:
        return False
    if any(_beside(a, b) for a, b in itertools.pairwise(boxes)):
        return _flush_columns(rows, size)
    full = max(b[2] for b in boxes)
    wide = full - min(b[0] for b in boxes)
    if wide < 9 * size or sum([_wordy(text) for _, text in rows]) < 0.6 * len(rows):
        return False
    if _flush(boxes):
        return True
    # A long label of a table: figures stand beside the lines right above and right below it.
    if len(rows) <= 3:
        middle = full - wide / 2
        right = [y for y, line in figures() if facts.lines[line].bbox[0] > middle]
        above, below = boxes[0][1], boxes[-1][3]
        if any(above - 2 * size < y < above + size for y in right) and any(below < y < below + 2 * size for y in right):
            return False
    # Labels of a table: figures of other lines stand beside most of them.
    own = {i for i, _ in members}
    beside = 0
    others = [y for y, line in figures() if line not in own]
    for box in boxes:
        beside += any(box[1] <= y <= box[3] for y in others)
    return beside < 0.5 * len(rows)


def _flush(boxes: Sequence[BBox]) -> bool:
    """Whether the lines but the last end together at the right."""
    full = max(b[2] for b in boxes)
    wide = full - min(b[0] for b in boxes)
    return len(boxes) >= 3 and sum(full - b[2] < 0.15 * wide for b in boxes[:-1]) >= 0.6 * (len(boxes) - 1)


def _flush_columns(rows: Sequence[tuple[BBox, str]], size: float) -> bool:
    """Whether a block that the reader made of lines side by side is columns of flush running text."""
    text_of = dict(rows)
    for column in _side_by_side(list(text_of)):
        column.sort(key=lambda b: b[1])
        wordy = sum(_wordy(text_of[b]) for b in column)
        if not _flush(column) or wordy < 0.6 * len(column) or column[0][2] - column[0][0] < 9 * size:
            return False
    return True


def _side_by_side(boxes: Sequence[BBox]) -> list[list[BBox]]:
    """Boxes in groups that have nothing above or below each other."""
    out: list[list[BBox]] = []
    edge = 0.0
    for box in sorted(boxes):
        if out and box[0] < edge:
            out[-1].append(box)
            edge = max(edge, box[2])
        else:
            out.append([box])
            edge = box[2]
    return out


def _text_rows(lines: list[tuple[BBox, str]], size: float) -> list[tuple[BBox, str]]:
    """Lines of a block from the top; pieces of one line at the distance of a justified blank put together."""
    out: list[tuple[BBox, str]] = []
    for box, text in sorted(lines, key=lambda m: (m[0][1] + m[0][3], m[0][0])):
        if out and _same_row(out[-1][0], box) and -size < box[0] - out[-1][0][2] < 1.3 * size:
            out[-1] = (union((out[-1][0], box)), f"{out[-1][1]} {text}")
        else:
            out.append((box, text))
    return out


def _same_row(a: BBox, b: BBox) -> bool:
    _, top, _, foot = a
    _, y0, _, y1 = b
    shared = (foot if foot < y1 else y1) - (top if top > y0 else y0)
    return shared > 0 and shared > 0.6 * min(foot - top, y1 - y0)


def _beside(a: BBox, b: BBox) -> bool:
    return (a[2] < b[0] or b[2] < a[0]) and _same_row(a, b)


def _wordy(text: str) -> bool:
    letters = count_alphabetic(text)
    if letters < 0.6 * count_letters(text):
        return False
    if len(text.split(None, 4)) > 4:
        return True
    return letters >= 9 and not text.isascii() and any("一" <= c <= "鿿" for c in text)


def within_prose(boxes: Mapping[int, BBox], prose: Mapping[int, tuple[int, BBox]]) -> set[int]:
    """Lines that stand between paragraphs of one text column: short last lines, list items, small headings."""
    blocks: dict[int, list[BBox]] = {}
    for block, box in prose.values():
        blocks.setdefault(block, []).append(box)
    pieces = [union(run) for group in blocks.values() for column in _side_by_side(group) for run in _runs(column)]
    zones: list[BBox] = []
    for b in sorted(pieces, key=lambda b: b[1]):
        for k, z in enumerate(zones):
            shared = min(z[2], b[2]) - max(z[0], b[0])
            near = b[1] - z[3] < 26 and b[3] > z[1] - 26
            if near and shared > 0.7 * max(z[2] - z[0], b[2] - b[0]):
                zones[k] = union((z, b))
                break
        else:
            zones.append(b)
    out: set[int] = set()
    for i, b in boxes.items():
        if i not in prose:
            middle = (b[1] + b[3]) / 2
            if any(z[0] - 2 <= b[0] and b[2] <= z[2] + 2 and z[1] <= middle <= z[3] for z in zones):
                out.add(i)
    return out


def _runs(column: Sequence[BBox]) -> list[list[BBox]]:
    """Lines of a paragraph in two where it was wrapped around something and then runs on below it at full width."""
    out: list[list[BBox]] = []
    for box in sorted(column, key=lambda b: b[1]):
        if out and (len(out[-1]) < 3 or box[2] - box[0] < 1.5 * max(b[2] - b[0] for b in out[-1])):
            out[-1].append(box)
        else:
            out.append([box])
    return out


def gutters(boxes: Sequence[BBox], width: float, rest: Sequence[Atom], hrules: Sequence[HRule]) -> list[Gutter]:
    """Strips that paragraphs keep clear of, on a page set in columns.

    A strip ends where anything crosses it that is no paragraph: a table or a title over both columns.
    """
    if len(boxes) < 4:
        return []
    left, right = min(b[0] for b in boxes), max(b[2] for b in boxes)
    left, right = min([left, *(a.x0 for a in rest)]), max([right, *(a.x1 for a in rest)])
    narrow = [b for b in boxes if b[2] - b[0] < 0.62 * (right - left)]
    if len(narrow) < 0.6 * len(boxes) or right - left < 0.4 * width:
        return []
    out = []
    for x, ends in _candidates(narrow, left, right):
        y0, y1 = min(b[1] for b in ends), max(b[3] for b in ends)
        crossing = [((a.y0 + a.y1) / 2) for a in rest if a.x0 < x < a.x1]
        crossing += [r.y for r in hrules if r.x0 < x - 20 and r.x1 > x + 20]
        crossing += [(b[1] + b[3]) / 2 for b in boxes if b[0] < x < b[2]]
        ys = sorted([y0 - 500, *crossing, y1 + 500])
        for a, b in itertools.pairwise(ys):
            held = [e for e in ends if a <= (e[1] + e[3]) / 2 <= b]
            if len(held) >= 2:
                out.append(Gutter(x, a, b))
    return out


def _candidates(narrow: Sequence[BBox], left: float, right: float) -> list[tuple[float, list[BBox]]]:
    """Middles of the strips between the paragraphs' common edges, with the lines that end at them."""
    edges = sorted((b[0], b[2]) for b in narrow)
    merged: list[list[float]] = []
    for x0, x1 in edges:
        if merged and x0 < merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], x1)
        else:
            merged.append([x0, x1])
    out = []
    spots = [(a[1] + b[0]) / 2 for a, b in itertools.pairwise(merged)]
    # One column of paragraphs beside a column of tables: the strip is at the paragraphs' inner edge.
    if len(merged) == 1:
        x0, x1 = merged[0]
        if x1 < left + 0.62 * (right - left):
            spots.append(x1 + 5)
        elif x0 > left + 0.38 * (right - left):
            spots.append(x0 - 5)
    for x in spots:
        ends = [b for b in narrow if abs(b[2] - x) < 40 or abs(b[0] - x) < 60]
        if len(ends) >= 3:
            out.append((x, ends))
    return out


def text_columns(atoms: Sequence[Atom], strips: Sequence[Gutter]) -> list[list[Atom]]:
    """Words by the side of the gutters that they stand on, those outside of every gutter's reach together."""
    if not strips:
        return [list(atoms)]
    groups: dict[tuple[int, ...], list[Atom]] = {}
    for a in atoms:
        y = (a.y0 + a.y1) / 2
        key = tuple(0 if not g.y0 < y < g.y1 else (1 if (a.x0 + a.x1) / 2 < g.x else 2) for g in strips)
        groups.setdefault(key, []).append(a)
    return list(groups.values())
