"""Lists of contents on a page, with dots or without, in one column or more: titles, each with the page it stands on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from string import ascii_uppercase
from typing import NamedTuple

from h3cold.ingest.lines import make_row
from h3cold.ingest.page_facts import Line, PageFacts
from h3cold.ingest.tables.listed import LABEL, NAMES_PAGES
from h3cold.schemas.geometry import BBox, union

FEWEST = 4
"""Entries of a list that something names as one of contents."""

MANY = 8
"""Entries from which a list that fills its page needs no name."""

SPREAD = 7.0
"""Points within which the right edges of page numbers lie."""

LEVEL = "  "
"""What a title set in by one step more begins with."""

_NUMBER = re.compile(r"(?:[A-Z]{1,2}-)?\d{1,3}|[ivxlc]{1,6}")
_LED = re.compile(r"^(.*?\S)?\s*(?:[.·…_]\s?){3,}\s*((?:[A-Z]{1,2}-)?\d{1,3}|[ivxlc]{1,6})$", re.DOTALL)
_TAIL = re.compile(r"^(.*[^\W\d].*?\S)\s+(\d{1,3})$")
_LEADERS = re.compile(r"(?:[.·…_]\s?){2,}|…")
_TITLE = re.compile(r"\W*(?:table of contents|contents|index|目\s*[录錄])\W*", re.IGNORECASE)
_DOTS = frozenset(".·…_")
_LAST = frozenset("0123456789ivxlc")
_OPEN = re.compile(r"(?:[,&–-]|\b(?:of|and|the|to|for|in|on|with|or|by|from|a|an))$", re.IGNORECASE)


class Numbered(NamedTuple):
    """A line that ends in, or is, a page's number: `line` is its place among the page's lines, `value` -1 where it is
    not arabic; `led` tells that dots lead to it.
    """

    line: int
    value: int
    alone: bool
    led: bool


class Entry(NamedTuple):
    """A title with its number, as it is to be read; `left` is the x that it begins at."""

    text: str
    left: float
    lines: tuple[int, ...]


class Contents(NamedTuple):
    """A list of contents: its text, an entry a line, deeper ones set in by `LEVEL`; `lines` are those it holds."""

    bbox: BBox
    text: str
    lines: frozenset[int]


def find_contents(facts: PageFacts) -> list[Contents]:
    """The lists of contents of a page whose numbers stand in columns and never fall from top to bottom.

    Something must say what they are: dots that lead to the numbers, a heading, or a page that holds nothing else.
    """
    found = _numbered(facts.lines)
    if len(found) < FEWEST:
        return []
    out: list[Contents] = []
    columns = [_with_tails(facts.lines, c) for c in _columns(facts.lines, found) if _rises(c)]
    columns = [
        c for c in columns if sum(bool(_row(facts.lines, n, 0.0)) for n in c) > 0.7 * len(c)
    ]  # not "1", "2", ...
    for column in columns:
        edge = facts.lines[column[0].line].bbox[0]
        left = max((facts.lines[c[0].line].bbox[2] for c in columns if facts.lines[c[0].line].bbox[2] < edge - 30),
                   default=0.0)  # fmt: skip
        if (one := _contents(facts, column, left, alone=len(columns) == 1)) is not None:
            out.append(one)
    return out


def _numbered(lines: Sequence[Line]) -> list[Numbered]:
    """Numbers that stand alone or that dots lead to."""
    out = []
    for i, line in enumerate(lines):
        text = line.text
        if len(text) < 9:
            text = text.strip()
            if text[-1:] in _LAST and _NUMBER.fullmatch(text) and line.dir[0] > 0.98:
                out.append(Numbered(i, int(text) if text.isdecimal() else -1, True, False))
                continue
        text = text.rstrip()
        if text[-1:] in _LAST and _may_be_led(text) and line.dir[0] > 0.98:
            led = _LED.match(text.lstrip())
            if led:
                out.append(Numbered(i, int(led[2]) if led[2].isdecimal() else -1, led[1] is None, True))
    return out


def _may_be_led(text: str) -> bool:
    """Whether dots stand before what a line ends in, a number: matching takes long where amounts stand there."""
    if not (".." in text or ". ." in text or "…" in text or "··" in text or "__" in text):
        return False
    before = text.rstrip("0123456789ivxlc")
    if before[-1:] == "-":
        before = before[:-1].rstrip(ascii_uppercase)
    return before.rstrip()[-1:] in _DOTS


def _columns(lines: Sequence[Line], found: Sequence[Numbered]) -> Iterator[list[Numbered]]:
    """Numbers whose right edges lie together, top to bottom."""
    group: list[Numbered] = []
    for one in [*sorted(found, key=lambda n: lines[n.line].bbox[2]), None]:
        if one is not None and (not group or lines[one.line].bbox[2] - lines[group[0].line].bbox[2] < SPREAD):
            group.append(one)
            continue
        if len(group) >= FEWEST:
            yield sorted(group, key=lambda n: lines[n.line].bbox[3])
        group = [one] if one is not None else []


def _with_tails(lines: Sequence[Line], column: Sequence[Numbered]) -> list[Numbered]:
    """The numbers of a column with those that end a line of text at its right edge, where they fit in."""
    edges = [lines[n.line].bbox[2] for n in column]
    low, high, held = min(edges) - 1, max(edges) + 1, {n.line for n in column}
    out = list(column)
    for i, line in enumerate(lines):
        if low < line.bbox[2] < high and i not in held and (tail := _TAIL.match(line.text.strip())):
            out.append(Numbered(i, int(tail[2]), False, False))
    out.sort(key=lambda n: lines[n.line].bbox[3])
    return out if _rises(out) else list(column)


def _rises(column: Sequence[Numbered]) -> bool:
    values = [n.value for n in column if n.value >= 0]
    if len(values) < max(FEWEST, 0.6 * len(column)):
        return False
    return values[0] < values[-1] and all(a <= b for a, b in pairwise(values)) and len(set(values)) > 0.3 * len(values)


def _contents(facts: PageFacts, column: Sequence[Numbered], left: float, *, alone: bool) -> Contents | None:
    lines = facts.lines
    right = max(lines[n.line].bbox[2] for n in column)
    rows = [_row(lines, n, left) for n in column]
    if any(not row for row in rows) or not _are_titles(lines, column, rows):
        return None
    top, bottom = lines[column[0].line].bbox[1], lines[column[-1].line].bbox[3]
    above = [line for line in lines if top - 60 < line.bbox[3] <= top + 2 and left - 2 <= line.bbox[0] < right + 2]
    heads = [ln for ln in above if ln.bbox[2] > lines[column[0].line].bbox[0] - 12 and top - ln.bbox[3] < 30]
    heads = [ln for ln in heads if ln.bbox[0] > left + 0.5 * (right - left)]
    if any(not NAMES_PAGES.search(ln.text) and any(map(str.isalpha, ln.text)) for ln in heads if ln.text.strip()):
        return None
    named = bool(heads) or any(_TITLE.fullmatch(ln.text.strip()) for ln in lines if ln.bbox[3] <= top + 2)
    led = sum(n.led for n in column) * 2 > len(column) or sum(
        any(_LEADERS.fullmatch(lines[i].text.strip()) for i in row) for row in rows
    ) * 2 > len(column)
    head = min((ln.bbox[1] for ln in heads), default=top)
    entries = list(_entries(facts, column, rows, (left, top, right, bottom), head))
    held = frozenset(i for e in entries for i in e.lines)
    if not (named or led) and not (len(column) >= MANY and alone and len(held) > 0.85 * len(lines)):
        return None
    return Contents(union(lines[i].bbox for i in held), "\n".join(_set_in(entries, right - left)), held)


def _row(lines: Sequence[Line], number: Numbered, left: float) -> list[int]:
    """The pieces of an entry's line in reading order, its number last; empty where nothing stands before that."""
    x0, y0, x1, y1 = lines[number.line].bbox
    middle, height = (y0 + y1) / 2, y1 - y0
    row = [
        i
        for i, line in enumerate(lines)
        if i != number.line
        and line.bbox[0] >= left - 2
        and line.bbox[2] <= (x0 + 2 if number.alone else x1)
        and line.bbox[0] < x0
        and abs((line.bbox[1] + line.bbox[3]) / 2 - middle) < 0.4 * height
    ]
    row.sort(key=lambda i: lines[i].bbox[0])
    words = any(any(map(str.isalpha, lines[i].text)) for i in row)
    return [*row, number.line] if words or not number.alone else []


def _are_titles(lines: Sequence[Line], column: Sequence[Numbered], rows: Sequence[Sequence[int]]) -> bool:
    """Whether there is one title to a number: no other figures, no second column of words, and free space mostly."""
    odd = apart = 0
    for n, row in zip(column, rows, strict=True):
        pieces = [lines[i].text.strip() for i in row if i != n.line or not n.alone]
        pieces = [p for p in pieces if not _LEADERS.fullmatch(p)]
        if len(pieces) > 1 and LABEL.fullmatch(pieces[0]):
            del pieces[0]
        odd += len(pieces) > 1 or not any(map(str.isalpha, pieces[0] if pieces else ""))
        size = lines[n.line].size
        apart += n.led or (n.alone and lines[n.line].bbox[0] - lines[row[-2]].bbox[2] > 0.8 * size)
    return odd <= 0.15 * len(rows) and apart >= 0.6 * len(rows)


def _entries(
    facts: PageFacts, column: Sequence[Numbered], rows: Sequence[Sequence[int]], box: BBox, head: float
) -> Iterator[Entry]:
    """Entries from top to bottom, from `head` on, where the list's head stands: a title over two lines is one, what has
    no number between them is one of its own.
    """
    lines = facts.lines
    left, top, right, bottom = box
    taken = {i for row in rows for i in row}
    steps = [lines[b.line].bbox[3] - lines[a.line].bbox[3] for a, b in pairwise(column)]
    pitch = median([s for s in steps if s > 2] or [12.0])
    visual = [(list(row), True) for row in rows]
    for i, line in enumerate(lines):
        x0, y0, x1, y1 = line.bbox
        over = head - 1 < y0 < top or (
            0 < top - (y0 + y1) / 2 < 1.1 * pitch and (LABEL.fullmatch(line.text.strip()) or _long(line, box))
        )
        within = top < (y0 + y1) / 2 < bottom
        if i in taken or not (within or over) or x0 < left - 2 or x1 > right + 12 or not line.text.strip():
            continue
        beside = next((v for v in visual if not v[1] and abs(lines[v[0][0]].bbox[3] - y1) < 0.4 * (y1 - y0)), None)
        if beside:
            beside[0].append(i)
        else:
            visual.append(([i], False))
    visual.sort(key=lambda v: lines[v[0][-1]].bbox[1] + lines[v[0][-1]].bbox[3])
    waiting: list[int] = []
    out: list[list[list[int]]] = []
    for row, numbered in visual:
        row.sort(key=lambda i: lines[i].bbox[0])
        first, before = lines[row[0]], out[-1][-1] if out else []
        if not numbered and not waiting and before and _goes_on(lines[before[0]], first, lines[before[-1]], pitch):
            out[-1].append(row)
            continue
        if waiting:
            out[-1].append(row)
        else:
            out.append([row])
        waiting = row if not numbered and _long(lines[row[-1]], box) else []
    for entry in out:
        texts = [made.text for row in entry if (made := make_row([lines[i] for i in row])) is not None]
        if len(entry) > 1 and (number := _NUMBER.search(lines[entry[0][-1]].text.strip())) and entry[0] in rows:
            end = number.group() if number.end() == len(lines[entry[0][-1]].text.strip()) else ""
            if end and texts[0].endswith(end):  # the number stands beside the first of its lines
                texts = [texts[0][: -len(end)].rstrip(), *texts[1:], end]
        if texts:
            yield Entry(" ".join(texts), lines[entry[0][0]].bbox[0], tuple(i for row in entry for i in row))


def _long(line: Line, box: BBox) -> bool:
    """Whether a line without a number goes so far that its title is on the next line too."""
    if NAMES_PAGES.search(line.text) and len(line.text) < 16:
        return False
    return line.bbox[2] - box[0] > 0.62 * (box[2] - box[0]) or _OPEN.search(line.text.strip()) is not None


def _goes_on(before: Line, line: Line, last: Line, pitch: float) -> bool:
    """Whether a line without a number is the rest of the title above it."""
    if line.bbox[3] - last.bbox[3] > 1.2 * pitch:
        return False
    return line.text.lstrip()[:1].islower() or _OPEN.search(before.text.strip()) is not None


def _set_in(entries: Sequence[Entry], width: float) -> Iterator[str]:
    """The entries' texts, each behind one `LEVEL` for each step that it is set in."""
    start = min(e.left for e in entries)
    usual = [e.left for e in entries if e.left - start < 0.25 * width]  # what is set in further stands in the middle
    steps: list[float] = []
    for x in sorted(usual):
        if not steps or x - steps[-1] > 4:
            steps.append(x)
    for e in entries:
        deep = max((n for n, x in enumerate(steps) if x <= e.left + 1), default=0)
        yield LEVEL * (deep if e.left - start < 0.25 * width else 0) + e.text
