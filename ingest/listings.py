"""Program code and a shell's output: lines in a monospaced font among text that is not, kept line by line."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from h3cold.ingest.lines import group_lines
from h3cold.ingest.order import columns, line_items
from h3cold.ingest.page_facts import Line, PageFacts
from h3cold.ingest.script import count_alphabetic, han_count
from h3cold.ingest.tables.rows import numeric
from h3cold.ingest.tables.ruled import find_grids, rules_of
from h3cold.schemas.geometry import BBox, inside, union

MONOSPACED = re.compile(
    r"courier|mono(?!type)|typewriter|(?:cm|cmsl|cmit|sf|ec|lm|tx)tt|consol|menlo|sourcecode|firacode", re.IGNORECASE
)
"""Names of fonts that code is set in."""

USUAL = 0.6
"""Share of a page's letters in such fonts from which they are the page's type, as in a typed letter."""

SHORTEST, FEWEST = 8, 4
"""Letters of a run that tells how much room each takes, and how many such runs must agree."""

_GAPS = re.compile(r"\s{2,}")


class Listing(NamedTuple):
    """Lines of code with their box; `lines` are the indices into `PageFacts.lines`."""

    bbox: BBox
    text: str
    lines: frozenset[int]


def find_listings(facts: PageFacts) -> list[Listing]:
    """Runs of at least two lines of code, each line's blanks as they are set. None on pages typed throughout.

    Lines that were broken for want of room are a paragraph, rows of figures and what stands in a grid a table.
    """
    fonts = _monospaced(facts.lines)
    mono = [i for i, line in enumerate(facts.lines) if _is_mono(line, fonts)] if fonts else []
    letters = sum(len(facts.lines[i].text) for i in mono)
    if len(mono) < 2 or letters > USUAL * sum(len(line.text) for line in facts.lines):
        return []
    place = {id(line): i for i, line in enumerate(facts.lines)}
    chosen, grids = set(mono), [g.bbox for g in find_grids(*rules_of(facts, (1.0, 0.0))) if len(g.xs) > 2]
    out: list[Listing] = []
    for part in columns(line_items(facts)):
        if not chosen.intersection(part):
            continue
        right = max(facts.lines[i].bbox[2] for i in part)
        run: list[list[Line]] = []
        for row in [*group_lines([facts.lines[i] for i in part]), []]:
            if row and _is_code(row, chosen, place, grids) and (not run or _follows(run[-1], row)):
                run.append(row)
                continue
            if len(run) > 1 and _kept(run, right):
                held = [line for one in run for line in one]
                out.append(Listing(union(x.bbox for x in held), _text(run), frozenset(place[id(x)] for x in held)))
            run = [row] if row and _is_code(row, chosen, place, grids) else []
    return out


def _monospaced(lines: Sequence[Line]) -> set[str]:
    """The fonts of Latin text whose name says so, or whose letters all take the same room."""
    rooms: dict[str, list[float]] = {}
    others: set[str] = set()
    for line in lines:
        for span in line.spans:
            text, font = span.text, span.font
            if font in others:
                continue
            if font not in rooms:
                rooms[font] = []
            if not text.isascii():
                others.update([font] if han_count(text) and not _says_mono(font) else [])
            elif len(text) >= SHORTEST and not _says_mono(font) and count_alphabetic(text) > 0.5 * len(text):
                known = rooms[font]
                known.append((span.bbox[2] - span.bbox[0]) / len(text) / max(span.size, 1))
                if abs(known[-1] - known[0]) > 0.02 * known[0]:
                    others.add(font)
    return {f for f, room in rooms.items() if f not in others and (len(room) >= FEWEST or _says_mono(f))}


@lru_cache(maxsize=1024)
def _says_mono(font: str) -> bool:
    return MONOSPACED.search(font) is not None


def _is_mono(line: Line, fonts: Collection[str]) -> bool:
    if line.confidence is not None or line.dir != (1.0, 0.0):
        return False
    return all(s.font in fonts for s in line.spans if s.text.strip()) and bool(line.text.strip())


def _is_code(row: Sequence[Line], chosen: set[int], place: dict[int, int], grids: Sequence[BBox]) -> bool:
    """Whether a visual line is in monospaced type but for its number, and in no table's grid."""
    code = row[1:] if len(row) > 1 and row[0].text.strip().isdigit() else row
    return all(place[id(x)] in chosen for x in code) and not any(inside(x.bbox, g) > 0.5 for x in code for g in grids)


def _follows(above: Sequence[Line], row: Sequence[Line]) -> bool:
    size = row[-1].size
    step = row[-1].spans[0].baseline - above[-1].spans[0].baseline
    return step < 2.3 * size and abs(above[-1].size - size) < 0.1 * size


def _kept(run: Sequence[Sequence[Line]], right: float) -> bool:
    """Whether most lines end though the next word had room, and most are no rows of figures."""
    width = _width(run)
    free = [above[-1].bbox[2] + width * (1 + len(row[0].text.split()[0])) < right for above, row in pairwise(run)]
    figured = sum(sum(map(numeric, _pieces(row))) > 1 for row in run)
    return sum(free) > 0.5 * len(free) and figured < 0.5 * len(run)


def _pieces(row: Sequence[Line]) -> list[str]:
    return [piece for line in row for piece in _GAPS.split(line.text.strip())]


def _width(run: Sequence[Sequence[Line]]) -> float:
    """The width of a letter in points."""
    return median((x.bbox[2] - x.bbox[0]) / max(1, len(x.text)) for row in run for x in row[-1:]) or 1.0


def _text(run: Sequence[Sequence[Line]]) -> str:
    left, width = min(row[0].bbox[0] for row in run), _width(run)
    out = []
    for row in run:
        text = ""
        for line in row:
            blanks = round((line.bbox[0] - left) / width) - len(text)
            text += " " * max(blanks, 1 if text else 0) + line.text.rstrip()
        out.append(text)
    return "\n".join(out)
