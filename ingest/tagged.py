"""Tagged PDFs: what their structure tree says of each line, and the reading order that follows where it is sane.

Producers' tags are often poor: text boxes hung at the end, columns read across, everything in one paragraph. The tree
is believed page by page, where it names nearly all text of the page and never reads back, upwards or to the left: then
it tells columns apart that geometry cannot. Elsewhere the order comes from geometry alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import pymupdf

from h3cold.schemas.geometry import BBox, overlap, union

STRUCT = 2
"""MuPDF's type of a block that is an element of the structure tree."""

_OWN = frozenset({"TD", "TH", "LI", "TOCI", "Caption", "Note", "FENote", "Figure", "Formula", "Code", "BibEntry"})
"""Elements that give their name to all within them, paragraphs too."""

_BLOCKS = frozenset({"P", "H", "H1", "H2", "H3", "H4", "H5", "H6", "Title", "BlockQuote", "Index", "Lbl", "LBody"})

NAMED = 0.92
"""Least share of a page's letters that its tags must name to be believed."""


class Tag(NamedTuple):
    """What the structure tree says of a line.

    `role` is the standard name of the element (`H2`, `P`, `LI`, `TD`, `Caption`, `Note`, …); `element` numbers the
    elements of the page in the tree's order, `table` is the number of the table around it (-1: none).
    """

    role: str
    element: int
    table: int = -1

    @property
    def level(self) -> int:
        """1..6 for a heading, 0 for anything else (and for headings that tell no level)."""
        return int(self.role[1]) if len(self.role) == 2 and self.role[0] == "H" else 0

    @property
    def heading(self) -> bool:
        """Whether the element is a heading or title of any level."""
        return self.role[0] == "H" or self.role == "Title"


class Placed(NamedTuple):
    """Text as far as its order needs it: `letters` is how much of it there is, `tag` None where the tree is silent."""

    bbox: BBox
    letters: int
    tag: Tag | None


def is_tagged(doc: pymupdf.Document) -> bool:
    """Whether a file has a structure tree."""
    try:
        return bool(doc.is_pdf) and doc.xref_get_key(doc.pdf_catalog(), "StructTreeRoot")[0] != "null"
    except (RuntimeError, ValueError):  # a catalog that cannot be read
        return False


def has_tags(page: pymupdf.Page) -> bool:
    """Whether the structure tree of a tagged file knows of a page: without this entry nothing leads from one to the
    other, however tagged the rest of the file is."""
    return page.xref > 0 and page.parent.xref_get_key(page.xref, "StructParents")[0] != "null"


def read_tags(page: pymupdf.Page, flags: int, boxes: Sequence[BBox]) -> list[Tag | None]:
    """The tag of each of the page's lines, given by their boxes on the page as stored; all None without a tree."""
    found = page.get_text("dict", flags=flags | pymupdf.TEXT_COLLECT_STRUCTURE)["blocks"]
    if not any(block["type"] == STRUCT for block in found):
        return [None] * len(boxes)
    near: defaultdict[int, list[tuple[BBox, Tag | None]]] = defaultdict(list)
    leaves: list[tuple[BBox, Tag | None]] = []
    _add_leaves(leaves, found, None, -1, 0)
    for box, tag in leaves:
        for step in range(int(box[1] // 20), int(box[3] // 20) + 1):
            near[step].append((box, tag))
    return [_tag_of(box, near[int((box[1] + box[3]) // 40)]) for box in boxes]


def _tag_of(box: BBox, near: Sequence[tuple[BBox, Tag | None]]) -> Tag | None:
    weight: dict[Tag | None, float] = {}
    for other, tag in near:
        if other[1] < box[3] and other[3] > box[1]:
            weight[tag] = weight.get(tag, 0.0) + overlap(box, other)
    return max(weight, key=lambda t: weight[t]) if weight and max(weight.values()) > 0 else None


def _add_leaves(
    out: list[tuple[BBox, Tag | None]], blocks: Sequence[dict[str, Any]], tag: Tag | None, table: int, count: int
) -> int:
    """Add the text lines in the tree's order, each with its tag, and return how many elements were `count`ed."""
    for block in blocks:
        if block["type"] == STRUCT:
            count += 1
            role = block.get("std") or block.get("raw") or ""
            inner = count if role == "Table" and table < 0 else table
            count = _add_leaves(out, block.get("blocks", ()), _tag_in(tag, role, count, inner), inner, count)
        for line in block.get("lines", ()):
            for s in line["spans"]:
                if not s["text"].isspace():
                    out.append((line["bbox"], tag))
                    break
    return count


def _tag_in(outer: Tag | None, role: str, number: int, table: int) -> Tag | None:
    if role in _OWN:
        return Tag(role, number, table)
    if outer is not None and (outer.role in _OWN or outer.heading):
        return outer
    if role in _BLOCKS:
        return Tag(role, number, table)
    # a container holds no text of its own, by rights; what stands in it all the same is a paragraph
    return Tag("P", number, table) if outer is None or role in ("Sect", "Div", "Part", "Art", "Document") else outer


def tag_order(items: Sequence[Placed], *, rtl: bool = False) -> list[list[int]] | None:
    """Runs of indices into `items` in the tree's order, each to be read top to bottom; None where it is not sane.

    What has no tag (pictures, a few stray lines) goes before the first element that stands below it.
    """
    named = [i for i, item in enumerate(items) if item.tag is not None]
    letters = sum(item.letters for item in items)
    if len(named) < 2 or sum(items[i].letters for i in named) < NAMED * letters:
        return None
    elements: defaultdict[int, list[int]] = defaultdict(list)
    for i in named:
        tag = items[i].tag
        assert tag is not None
        elements[tag.table if tag.table >= 0 else tag.element].append(i)
    order = sorted(elements)
    if not _sane([[_facing(items[i].bbox, rtl) for i in elements[e]] for e in order], len(named)):
        return None
    for i, item in enumerate(items):
        if item.tag is None:
            elements[_home(item.bbox, [(e, union(items[k].bbox for k in elements[e])) for e in order])].append(i)
    runs: list[list[int]] = []
    bottom = 0.0
    for e in order:
        box = union(items[i].bbox for i in elements[e])
        if not runs or box[1] < bottom - 0.5 * (items[elements[e][0]].bbox[3] - items[elements[e][0]].bbox[1]):
            runs.append([])
            bottom = 0.0
        runs[-1] += elements[e]
        bottom = max(bottom, box[3])
    return [sorted(run, key=lambda i: (items[i].bbox[1], items[i].bbox[0])) for run in runs]


def _facing(box: BBox, rtl: bool) -> BBox:
    """A box on the page as a mirror shows it where it is read from the right."""
    return (-box[2], box[1], -box[0], box[3]) if rtl else box


def _home(box: BBox, elements: Sequence[tuple[int, BBox]]) -> int:
    """The element with which something untagged is read: the nearest one beside or above it."""
    middle = (box[1] + box[3]) / 2

    def distance(other: BBox) -> float:
        aside = max(0.0, other[0] - box[2], box[0] - other[2])
        apart = max(0.0, other[1] - middle, middle - other[3])
        return apart + 2 * aside

    return min(elements, key=lambda e: distance(e[1]))[0]


def _sane(elements: Sequence[Sequence[BBox]], lines: int) -> bool:
    """Whether a page's elements (boxes of their lines), in the tree's order, can be read that way."""
    boxes = [union(lines) for lines in elements]
    if len(boxes) < 2 or (lines > 12 and max(map(len, elements)) > 0.8 * lines):
        return False
    if any(_reads_back(a, b) for a, b in combinations(boxes, 2)):
        return False
    alien = sum(
        _within(line, box)
        for k, box in enumerate(boxes)
        if len(elements[k]) > 2
        for j, lines_ in enumerate(elements)
        if j != k
        for line in lines_
    )
    return alien <= 0.05 * lines


def _reads_back(a: BBox, b: BBox) -> bool:
    """Whether what is read later, `b`, stands above `a` in a column, or on the left of it right beside it."""
    across, along = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if across > 0.2 * min(a[2] - a[0], b[2] - b[0]):
        return (b[1] + b[3]) / 2 < a[1] + 2
    return b[2] < a[0] + 2 and along > 0.5 * min(a[3] - a[1], b[3] - b[1])


def _within(line: BBox, box: BBox) -> bool:
    return box[0] < (line[0] + line[2]) / 2 < box[2] and box[1] < (line[1] + line[3]) / 2 < box[3]
