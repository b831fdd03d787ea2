"""The page as table finding sees it: words in visual rows, cut into segments, and rules, all turned upright."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from h3cold.ingest.page_facts import Line, PageFacts
from h3cold.ingest.tables.leaders import without_leaders
from h3cold.ingest.tables.words import placed_words
from h3cold.schemas.geometry import BBox

GAP = 0.75
"""Gap between two words, in font sizes, that separates segments: ordinary and justified blanks stay below."""

SIGN = 0.42
"""The same before a currency sign, where a line has several of them."""

JUMP = 0.4
"""The same where the text layer itself starts a new line, which it does at a jump."""

RAISED = 0.8
"""Height of a note's mark, in those of the word that it stands behind, below which it is set raised."""

_DIGIT = re.compile(r"\d")
_CURRENCY = re.compile(r"^(?:[A-Z]{1,3})?[$€£¥￥₩]$|^(?:RMB|USD|EUR|HKD|GBP|CNY)$")
_NUMBER = re.compile(r"^[(\[]?[-+–—−~<>≤≥]?[$€£¥￥]?\s?[(\[]?[-–—−]?(?:\d[\d,.  /:]*|[.]\d+)[)\]]?\s?"
                     r"(?:%|[)\]]%?|bps|bp|x|[*†‡#§]+|[a-z]{1,2}|\(\w\)|\w\)|[⁰¹²³⁴-⁹]+)*$")  # fmt: skip
_BLANKS = re.compile(r"^[-–—−‐―*†‡#§.]+$|^[(\[]?(?:n/?a|N/?A|n\.a\.|N\.A\.|NM|nm|X|na|nil|Nil|不适用|无)[)\]]?[*†‡]*$")
_NO_FIGURE = "nNX不无"
"""What the signs for none begin with that begin with a letter."""

_TRAILER = re.compile(r"^(?:%|\)|\)%|％|[*†‡]+|pts?\.?|bps?)$")
_NOTE = re.compile(r"^\((?:\d{1,2}|[a-z])\)(?:\(\w\))*$")


class Atom(NamedTuple):
    """A word in upright coordinates; `line` is the index of its line in `PageFacts.lines`, `figure` that the word is
    `numeric`.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    line: int
    size: float
    bold: bool
    figure: bool


class Seg(NamedTuple):
    """Words of one row without a wide gap between them."""

    x0: float
    y0: float
    x1: float
    y1: float
    atoms: tuple[Atom, ...]

    @property
    def text(self) -> str:
        return self.atoms[0].text if len(self.atoms) == 1 else " ".join([a.text for a in self.atoms])

    @property
    def figure(self) -> bool:
        """Whether its text is `numeric`."""
        first = self.atoms[0]
        if len(self.atoms) == 1:
            return first.figure
        return not (first.text[0].isalpha() and first.text[0] not in _NO_FIGURE) and numeric(self.text)

    @property
    def bold(self) -> bool:
        return all(a.bold for a in self.atoms)


class Row(NamedTuple):
    """One visual line across the page, segments left to right; `size` is its font size in points."""

    y0: float
    y1: float
    size: float
    segs: tuple[Seg, ...]

    @property
    def x0(self) -> float:
        return self.segs[0].x0

    @property
    def x1(self) -> float:
        return max([s.x1 for s in self.segs])


_SIGNS = frozenset("$€£¥￥₩")
_DASHES = "-–—_="
_x0 = itemgetter(0)
_new = tuple.__new__  # of a named tuple, with all of its fields: half the time of calling its class


class HRule(NamedTuple):
    """A horizontal rule at height `y`."""

    y: float
    x0: float
    x1: float


class VRule(NamedTuple):
    """A vertical rule at `x`."""

    x: float
    y0: float
    y1: float


@lru_cache(maxsize=16_384)  # asked several times of every word and cell
def numeric(text: str) -> bool:
    """True for the text of a cell that holds a figure or the sign for none ("—", "n/a")."""
    text = text.strip()
    if not text or (text[0].isalpha() and (len(text) > 6 or text[0] not in _NO_FIGURE)):
        return False
    return _NUMBER.match(text) is not None if _DIGIT.search(text) else _BLANKS.match(text) is not None


def turn_box(box: Sequence[float], direction: tuple[float, float]) -> BBox:
    """`box` on the page turned so that text written along `direction` runs left to right."""
    dx, dy = direction
    if dx == 1:
        return (box[0], box[1], box[2], box[3])
    xs = (dx * box[0] + dy * box[1], dx * box[2] + dy * box[3])
    ys = (dx * box[1] - dy * box[0], dx * box[3] - dy * box[2])
    return (min(xs), min(ys), max(xs), max(ys))


def turn_back(box: Sequence[float], direction: tuple[float, float]) -> BBox:
    """Inverse of `turn_box`."""
    return turn_box(box, (direction[0], -direction[1]))


def directions(lines: Iterable[Line]) -> list[tuple[float, float]]:
    """Axis-parallel writing directions of at least four lines each, the commonest first."""
    ways = [line.dir for line in lines if not (line.vertical or line.hidden)]
    count: dict[tuple[float, float], int] = {}
    for cos, sin in set(ways):
        key = (round(cos), round(sin))
        count[key] = count.get(key, 0) + ways.count((cos, sin))
    found = sorted((-n, key) for key, n in count.items() if n >= 4 and abs(key[0]) + abs(key[1]) == 1)
    return [(float(key[0]), float(key[1])) for _, key in found]


def upright_lines(facts: PageFacts, direction: tuple[float, float]) -> dict[int, BBox]:
    """Boxes of the lines written along `direction`, turned upright, by their index."""
    ways = {way for way in {ln.dir for ln in facts.lines} if (round(way[0]), round(way[1])) == direction}
    found = [(i, ln.bbox) for i, ln in enumerate(facts.lines) if not ln.vertical and ln.dir in ways]
    return dict(found) if direction[0] == 1 else {i: turn_box(box, direction) for i, box in found}


def atoms_of(facts: PageFacts, direction: tuple[float, float], wanted: Set[int]) -> list[Atom]:
    """The words of the wanted lines, turned upright, dot leaders left out; raised marks as high as what they mark."""
    out: list[Atom] = []
    upright = direction[0] == 1
    last, size, bold = -1, 0.0, False
    for line, text, box in placed_words(facts, wanted):
        if line != last:
            last, size, bold = line, facts.lines[line].size, is_bold(facts.lines[line])
        x0, y0, x1, y1 = box if upright else turn_box(box, direction)
        if text[0] == "(" and out and out[-1].line == line and _NOTE.match(text):
            _, top, before, foot = out[-1][:4]
            if y1 - y0 < RAISED * (foot - top) and x0 > before - 1 and top - 3 < y0 and y1 < foot + 3:
                y0, y1 = top, foot  # else it stands in a row of its own where it is raised much
        out.append(_new(Atom, (x0, y0, x1, y1, text, line, size, bold, numeric(text))))
    return without_leaders(out)


def is_bold(line: Line) -> bool:
    """Whether a line is in bold, signs and pictures in it aside."""
    if len(line.spans) == 1:
        return line.spans[0].bold
    plain = [s for s in line.spans if not s.bold]
    return len(plain) < len(line.spans) and not any(any(map(str.isalnum, s.text)) for s in plain)


def drawn_rules(atoms: list[Atom]) -> tuple[list[Atom], list[HRule]]:
    """Words without the rows of dashes that stand for a rule, and those rules."""
    dashes = [a for a in atoms if a[4][0] in _DASHES and len(a[4]) >= 4 and not a[4].strip(_DASHES)]
    if not dashes:
        return atoms, []
    return [a for a in atoms if a not in dashes], [HRule((a.y0 + a.y1) / 2, a.x0, a.x1) for a in dashes]


def rows_of(atoms: list[Atom], vrules: Sequence[VRule] = ()) -> list[Row]:
    """Words gathered into visual rows, top to bottom, and cut into segments at gaps and vertical rules."""
    if len(atoms) == 1:  # as in most cells of a grid
        return [_row(atoms, vrules)]
    groups: list[tuple[float, float, list[Atom]]] = []
    for total, _, i in sorted([(a[1] + a[3], a[0], i) for i, a in enumerate(atoms)]):  # by index: it is a hot loop
        a = atoms[i]
        mid, height = total / 2, a[3] - a[1]
        k = len(groups)
        for middle, tall, members in groups[:-4:-1]:
            k -= 1
            off = mid - middle if mid > middle else middle - mid
            if off <= 0.45 * (height if height < tall else tall) and not _covers(a, members[-1]):
                n = len(members)
                members.append(a)
                if height > tall:
                    tall = height if height < 1.5 * tall else 1.5 * tall
                groups[k] = ((middle * n + mid) / (n + 1), tall, members)
                break
        else:
            groups.append((mid, height, [a]))
    rows = [_row(members, vrules) for _, _, members in groups]
    rows.sort(key=_middle_and_left)
    return rows


def _middle_and_left(row: Row) -> tuple[float, float]:
    return row[0] + row[1], row[3][0][0]


def _covers(a: Atom, b: Atom) -> bool:
    ax0, ax1, bx0, bx1 = a[0], a[2], b[0], b[2]
    if ax0 >= bx1 or bx0 >= ax1:  # as most words that follow each other
        return False
    shared = (ax1 if ax1 < bx1 else bx1) - (ax0 if ax0 > bx0 else bx0)
    return shared > 0 and shared > 0.6 * min(ax1 - ax0, bx1 - bx0)


def _row(members: list[Atom], vrules: Sequence[VRule]) -> Row:
    if len(members) == 1:
        only = members[0]
        return _new(Row, (only[1], only[3], only[6], (_new(Seg, (*only[:4], (only,))),)))
    members = sorted(members, key=_x0)
    _, y0, before, y1, _, line, tall, _, figures = last = members[0]
    largest = tall
    for a in members:
        if a[1] < y0:
            y0 = a[1]
        if a[3] > y1:
            y1 = a[3]
    cuts = [x for x, top, foot in vrules if top - 2 <= y0 and foot + 2 >= y1]
    run = [last]
    segs = [run]
    signs = [a for a in members if a[4] in _SIGNS] if len(members) > 4 else ()
    for a in members[1:]:
        x0, _, x1, _, _, at, own, _, figure = a
        gap, size = x0 - before, own if own < tall else tall
        most = 0.5 if figure and figures and gap > 0.5 * size else GAP if at == line else JUMP
        if len(signs) > 1 and a in signs:
            most = SIGN  # signs stand at the left edge of their columns, however near the figure before comes
        if gap <= most * size and not (cuts and any(before - 1.5 <= x <= x0 + 1.5 for x in cuts)):
            run.append(a)
        else:
            run = [a]
            segs.append(run)
        if own > largest:
            largest = own
        before, line, tall, figures = x1, at, own, figure
    return _new(Row, (y0, y1, largest, tuple(_joined([make_seg(s) for s in segs]))))


def make_seg(atoms: Sequence[Atom]) -> Seg:
    """A segment around `atoms`, which are in order."""
    if len(atoms) == 1:
        return _new(Seg, (*atoms[0][:4], tuple(atoms)))
    x0, y0, x1, y1 = atoms[0][:4]
    for a in atoms[1:]:
        left, top, right, foot = a[:4]
        x0, y0 = (left if left < x0 else x0), (top if top < y0 else y0)
        x1, y1 = (right if right > x1 else x1), (foot if foot > y1 else y1)
    return _new(Seg, (x0, y0, x1, y1, tuple(atoms)))


def _joined(segs: list[Seg]) -> list[Seg]:
    """A currency sign or "/s/" goes to what is after it, a percent sign or closing bracket to the figure before."""
    out: list[Seg] = []
    for seg in segs:
        before = out[-1] if out else seg
        last = before.atoms[-1]
        if out and (last.figure or seg.atoms[0].figure or last.text in ("/s/", "/S/")):
            gap = seg.x0 - before.x1
            sign = last.text in ("/s/", "/S/") or (seg.atoms[0].figure and _CURRENCY.match(last.text) is not None)
            near = last.figure and gap < 2.5 * before.atoms[0].size
            tail = near and _TRAILER.match(seg.text) is not None
            note = near and gap < before.atoms[0].size and _NOTE.match(seg.text) is not None
            if note or (sign and gap < 12 * seg.atoms[0].size) or tail:
                keep = len(before.atoms) - 1 if sign and len(before.atoms) > 1 and before.atoms[-2].figure else 0
                out[-1:] = [make_seg(a) for a in (before.atoms[:keep], (*before.atoms[keep:], *seg.atoms)) if a]
                continue
        out.append(seg)
    return out
