"""How well a parse matches the truth: cell adjacency, tree edit distance, region and sequence similarity."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from h3cold.schemas.geometry import BBox, iou
from h3cold.schemas.page import Cell, Table

_DASHES = str.maketrans({"–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "’": "'", "‘": "'", "“": '"', "”": '"'})
_LEADERS = re.compile(r"(?:\.\s*){3,}|_{3,}|…")


class Tally(NamedTuple):
    """Correct, found and expected items; `+` adds two of them."""

    correct: float = 0
    found: float = 0
    expected: float = 0

    def plus(self, other: Tally) -> Tally:
        """The two tallies as one."""
        return Tally(self.correct + other.correct, self.found + other.found, self.expected + other.expected)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, 0..1."""
        both = self.found + self.expected
        return 2 * self.correct / both if both else 1.0

    @property
    def precision(self) -> float:
        return self.correct / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.correct / self.expected if self.expected else 1.0


def normalised(text: str) -> str:
    """Cell text for comparison: no blanks, no dot leaders, one form of dashes, quotes and compatibility characters."""
    text = unicodedata.normalize("NFKC", text).translate(_DASHES)
    return "".join(_LEADERS.sub("", text).split()).lower()


def relations(table: Table) -> Counter[tuple[str, str, str]]:
    """Neighbour relations of the non-blank cells: (text, text of the next to the right or below, direction).

    Göbel, Hassan, Oro & Orsi, "ICDAR 2013 Table Competition": blank cells are looked through.
    """
    place: dict[tuple[int, int], int] = {}
    for n, cell in enumerate(table.cells):
        if normalised(cell.text):
            for r in range(cell.row, cell.row + cell.rowspan):
                for c in range(cell.col, cell.col + cell.colspan):
                    place[r, c] = n
    pairs: set[tuple[int, int, str]] = set()
    for r in range(table.rows):
        _neighbours([place.get((r, c)) for c in range(table.cols)], "right", pairs)
    for c in range(table.cols):
        _neighbours([place.get((r, c)) for r in range(table.rows)], "down", pairs)
    text = [normalised(cell.text) for cell in table.cells]
    return Counter((text[a], text[b], way) for a, b, way in pairs)


def _neighbours(line: Sequence[int | None], way: str, pairs: set[tuple[int, int, str]]) -> None:
    held = [n for n in line if n is not None]
    pairs.update((a, b, way) for a, b in itertools.pairwise(held) if a != b)


def adjacency(found: Table | None, expected: Table | None) -> Tally:
    """Relations that both tables have; None stands for a table that is not there."""
    a = relations(found) if found is not None else Counter()
    b = relations(expected) if expected is not None else Counter()
    return Tally((a & b).total(), a.total(), b.total())


def match_boxes(found: Sequence[BBox], expected: Sequence[BBox], least: float = 0.5) -> list[tuple[int, int]]:
    """Index pairs (found, expected), best intersection over union first, each used once, none below `least`."""
    scored = sorted(((iou(f, e), i, j) for i, f in enumerate(found) for j, e in enumerate(expected)), reverse=True)
    pairs: list[tuple[int, int]] = []
    for score, i, j in scored:
        if score >= least and all(i != a and j != b for a, b in pairs):
            pairs.append((i, j))
    return pairs


def indel(a: str, b: str) -> float:
    """Similarity 0..1: twice the longest common subsequence over the sum of the lengths (as rapidfuzz's `ratio`).

    Bit-parallel: Hyyrö, "Bit-parallel LCS-length computation revisited" (2004).
    """
    if not a and not b:
        return 1.0
    masks: dict[str, int] = {}
    for k, char in enumerate(a):
        masks[char] = masks.get(char, 0) | 1 << k
    full = (1 << len(a)) - 1
    row = full
    for char in b:
        hit = row & masks.get(char, 0)
        row = ((row + hit) | (row - hit)) & full
    return 2 * (len(a) - row.bit_count()) / (len(a) + len(b))


def edit_distance(a: str, b: str) -> int:
    """Levenshtein distance: characters to change, add or drop to make one text of the other.

    Bit-parallel: Myers, "A fast bit-vector algorithm for approximate string matching" (1999), as Hyyrö put it (2003).
    """
    if not a or not b:
        return len(a) + len(b)
    masks: dict[str, int] = {}
    for k, char in enumerate(a):
        masks[char] = masks.get(char, 0) | 1 << k
    full, last = (1 << len(a)) - 1, 1 << (len(a) - 1)
    plus, minus, score = full, 0, len(a)
    for char in b:
        equal = masks.get(char, 0)
        down = equal | minus
        across = (((equal & plus) + plus) ^ plus) | equal
        more, less = minus | (full & ~(across | plus)), plus & across
        score += bool(more & last) - bool(less & last)
        more, less = (more << 1 | 1) & full, (less << 1) & full
        plus, minus = less | (full & ~(down | more)), more & down
    return score


class Node(NamedTuple):
    """A node of a table's tree: a cell's tag carries its spans, `text` its content."""

    tag: str
    text: str
    children: tuple[Node, ...]


def tree(table: Table) -> Node:
    """table > tr > td, as TEDS compares them; a position that no cell covers is an empty one, as it is in HTML."""
    rows: list[list[Cell]] = [[] for _ in range(table.rows)]
    free = {(r, c) for r in range(table.rows) for c in range(table.cols)}
    for cell in table.cells:
        free -= {(cell.row + i, cell.col + j) for i in range(cell.rowspan) for j in range(cell.colspan)}
    blank = [Cell(r, c, "", (0.0, 0.0, 0.0, 0.0)) for r, c in free]
    for cell in sorted([*table.cells, *blank], key=lambda c: (c.row, c.col)):
        rows[cell.row].append(cell)
    return Node("table", "", tuple(
        Node("tr", "", tuple(Node(f"td {c.rowspan} {c.colspan}", normalised(c.text), ()) for c in row)) for row in rows
    ))  # fmt: skip


def teds(found: Table | None, expected: Table) -> float:
    """Tree-edit-distance similarity 0..1 of Zhong, ShafieiBavani & Jimeno Yepes, "Image-based table recognition"
    (2020), with the edit distance of Zhang & Shasha (1989): renaming a cell costs the normalised edit distance of
    its text, or 1 where the spans differ. Trees that are further apart than the larger has nodes are no more alike than
    nothing is: 0.
    """
    if found is None:
        return 0.0
    a, b = _postorder(tree(found)), _postorder(tree(expected))
    return max(0.0, 1.0 - _distance(a, b) / max(len(a), len(b)))


def _postorder(root: Node) -> list[tuple[Node, int]]:
    """Nodes in postorder, each with the index of its leftmost leaf."""
    out: list[tuple[Node, int]] = []

    def visit(node: Node) -> int:
        left = -1
        for child in node.children:
            first = visit(child)
            left = first if left < 0 else left
        out.append((node, left if left >= 0 else len(out)))
        return out[-1][1]

    visit(root)
    return out


def _rename(a: Node, b: Node) -> float:
    if a.tag != b.tag:
        return 1.0
    if a.text == b.text:
        return 0.0
    return edit_distance(a.text, b.text) / max(len(a.text), len(b.text))


def _distance(a: list[tuple[Node, int]], b: list[tuple[Node, int]]) -> float:
    whole = [[0.0] * len(b) for _ in a]
    for i in _keyroots(a):
        for j in _keyroots(b):
            _forest(a, b, i, j, whole)
    return whole[-1][-1]


def _keyroots(nodes: list[tuple[Node, int]]) -> list[int]:
    return sorted({left: k for k, (_, left) in enumerate(nodes)}.values())


def _forest(a: list[tuple[Node, int]], b: list[tuple[Node, int]], i: int, j: int, whole: list[list[float]]) -> None:
    li, lj = a[i][1], b[j][1]
    cost = [[0.0] * (j - lj + 2) for _ in range(i - li + 2)]
    for x in range(1, i - li + 2):
        cost[x][0] = cost[x - 1][0] + 1
    for y in range(1, j - lj + 2):
        cost[0][y] = cost[0][y - 1] + 1
    for x in range(1, i - li + 2):
        p = li + x - 1
        for y in range(1, j - lj + 2):
            q = lj + y - 1
            drop, add = cost[x - 1][y] + 1, cost[x][y - 1] + 1
            if a[p][1] == li and b[q][1] == lj:
                whole[p][q] = cost[x][y] = min(drop, add, cost[x - 1][y - 1] + _rename(a[p][0], b[q][0]))
            else:
                cost[x][y] = min(drop, add, cost[a[p][1] - li][b[q][1] - lj] + whole[p][q])
