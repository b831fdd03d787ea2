"""From rows and columns, or a grid of rules, to a table's cells."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from h3cold.ingest.tables.columns import Column, find_columns, hits, split_runs
from h3cold.ingest.tables.details import with_details
from h3cold.ingest.tables.headers import Piece, count_header
from h3cold.ingest.tables.rows import Atom, HRule, Row, numeric, rows_of
from h3cold.ingest.tables.ruled import wide_rules
from h3cold.schemas.geometry import BBox, union
from h3cold.schemas.page import Table, make_cells

_Told = tuple[int, int, str, BBox, int, int, bool]
"""A cell's fields, see `make_cells`."""


@dataclass(slots=True)
class Draft:
    """A cell in the making: columns `first`..`last`, its words in reading order."""

    first: int
    last: int
    atoms: list[Atom] = field(default_factory=list)

    @property
    def bbox(self) -> BBox:
        return self.atoms[0][:4] if len(self.atoms) == 1 else union(a[:4] for a in self.atoms)


def join_text(atoms: Sequence[Atom]) -> str:
    """Words in reading order as a cell's text; no blank between Han characters, a word cut at a hyphen keeps it."""
    if len(atoms) == 1:
        return atoms[0].text
    out = ""
    last: Atom | None = None
    if any("\u0590" <= c <= "\u08ff" for a in atoms if not a.text.isascii() for c in a.text):
        atoms = _right_to_left(atoms)
    for a in atoms:
        if last is None:
            out = a.text
        else:
            newline = a.y0 > last.y0 + 0.5 * last.size
            if newline and len(out) > 2 and out[-1] in "-\u00ad" and out[-2].isalpha() and a.text[:1].islower():
                out = out.removesuffix("\u00ad") + a.text
            elif _unparted(out[-1], a.text[0], newline=newline) and (newline or a.x0 - last.x1 < 0.6 * a.size):
                out += a.text
            else:
                out += " " + a.text
        last = a
    return out


def _right_to_left(atoms: Sequence[Atom]) -> list[Atom]:
    """Words of right-to-left lines in reading order, runs of other scripts kept as they are."""
    out: list[Atom] = []
    for _, group in itertools.groupby(atoms, key=lambda a: round((a.y0 + a.y1) / a.size)):
        line = sorted(group, key=lambda a: -a.x0)
        for foreign, run in itertools.groupby(line, key=lambda a: not any("\u0590" <= c <= "\u08ff" for c in a.text)):
            words = list(run)
            out += reversed(words) if foreign else words
    return out


def _han(char: str) -> bool:
    return "\u2e80" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef"


def _unparted(before: str, after: str, *, newline: bool) -> bool:
    """Whether no blank stands between two characters: both are Han, or at a line's end one is and the other one a
    digit or bracket.
    """
    if _han(before) and _han(after):
        return True
    return (
        newline
        and (_han(before) or _han(after))
        and all(_han(c) or c.isdigit() or c in "()[]%" for c in before + after)
    )


def reading_order(atoms: Sequence[Atom]) -> list[Atom]:
    """Words of one cell line by line."""
    if len(atoms) < 2 or max(a.y0 for a in atoms) - min(a.y0 for a in atoms) < 0.3 * atoms[0].size:
        return sorted(atoms, key=lambda a: a.x0)
    return [a for row in rows_of(list(atoms)) for s in row.segs for a in s.atoms]


def table_of_rows(band: Sequence[Row], hrules: Sequence[HRule]) -> tuple[Table, list[Atom]]:
    """The table of aligned rows: columns by alignment, wrapped lines put together, header levels told apart."""
    columns = find_columns(band)
    rows = split_runs(band, columns)
    if any(row is not whole for row, whole in zip(rows, band, strict=True)):
        columns = find_columns(rows)
    drafts = [drafts_of(row, columns) for row in rows]
    x0, x1 = columns[0].x0, columns[-1].x1
    lines = wide_rules(hrules, x0, x1, rows[0].y0, rows[-1].y1 + 4)
    ruled = [_ruled_between(rows, k, lines) for k in range(len(rows))]
    pieces = [[Piece(d.first, d.last, join_text(d.atoms), all(a.bold for a in d.atoms)) for d in row] for row in drafts]
    count = count_header(pieces, ruled)
    out = _header_cells(rows[:count], drafts[:count], columns, hrules)
    height = max((row + tall for row, _, _, _, tall, _, _ in out), default=0)
    for group in with_details(group_rows(rows, drafts, columns, ruled, count)):
        out += [(height, d.first, join_text(d.atoms), d.bbox, 1, d.last - d.first + 1, False) for d in group]
        height += 1
    out.sort(key=itemgetter(0, 1))
    return Table(height, len(columns), make_cells(out)), [a for row in drafts for d in row for a in d.atoms]


def drafts_of(row: Row, columns: Sequence[Column]) -> list[Draft]:
    out: list[Draft] = []
    for seg in row.segs:
        over = hits(seg, columns)
        if not over:
            middle = (seg.x0 + seg.x1) / 2
            over = [min(range(len(columns)), key=lambda k: abs((columns[k].x0 + columns[k].x1) / 2 - middle))]
        first, last = over[0], over[-1]
        if out and first <= out[-1].last:
            out[-1].atoms.extend(seg.atoms)
            out[-1].last = max(out[-1].last, last)
        else:
            out.append(Draft(first, last, list(seg.atoms)))
    return out


def _ruled_between(rows: Sequence[Row], k: int, lines: Sequence[float]) -> bool:
    if k + 1 >= len(rows):
        return False
    low, high = (rows[k].y0 + rows[k].y1) / 2, (rows[k + 1].y0 + rows[k + 1].y1) / 2
    return any(low < y < high for y in lines)


def group_rows(
    rows: Sequence[Row], drafts: Sequence[list[Draft]], columns: Sequence[Column], ruled: Sequence[bool], start: int
) -> list[list[Draft]]:
    """Body rows, each with the lines that its wrapped cells go on in."""
    bands = _by_rules(drafts, ruled, start)
    if bands:
        return bands
    out: list[list[Draft]] = []
    gaps = sorted(b.y0 - a.y1 for a, b in zip(rows[start:], rows[start + 1 :], strict=False))
    usual = gaps[len(gaps) // 4] if gaps else 0.0
    for k in range(start, len(rows)):
        tight = k > start and rows[k].y0 - rows[k - 1].y1 < usual + 0.35 * rows[k].size
        beside = k > start and rows[k - 1].y1 - rows[k].y0 > 0.3 * rows[k].size
        on = out and not ruled[k - 1] and (_beside(out[-1], drafts[k]) if beside else
                                           tight and _goes_on(out[-1], drafts[k - 1], drafts[k], columns))  # fmt: skip
        if on:
            _append(out[-1], drafts[k])
        else:
            out.append([Draft(d.first, d.last, list(d.atoms)) for d in drafts[k]])
    return out


def _by_rules(drafts: Sequence[list[Draft]], ruled: Sequence[bool], start: int) -> list[list[Draft]]:
    """Rows of a table of text with a rule under each: all lines between two rules are one row. Empty if it is none."""
    bands: list[list[list[Draft]]] = [[]]
    for k in range(start, len(drafts)):
        bands[-1].append(drafts[k])
        if ruled[k]:
            bands.append([])
    bands = [b for b in bands if b]
    tall = [b for b in bands if len(b) > 1]
    if len(bands) < 3 or not tall or sum(_one_row(b) for b in tall) < 0.7 * len(tall):
        return []
    out: list[list[Draft]] = []
    for band in bands:
        group: list[Draft] = []
        for row in band:
            _append(group, row)
        out.append(group)
    return out


def _one_row(band: Sequence[Sequence[Draft]]) -> bool:
    values = [d for row in band for d in row if d.first > 0]
    figures = sum(numeric(join_text(d.atoms)) for d in values)
    labelled = [any(d.first == 0 for d in row) for row in band]
    if figures > max(1, 0.3 * len(values)) or any(b and not a for a, b in itertools.pairwise(labelled)):
        return False
    # a label that announces those below it, and a column of figures under each other, are rows of their own
    headed = any(len(a) == 1 and labelled[k] and labelled[k + 1] and join_text(a[0].atoms).endswith((":", "："))
                 for k, a in enumerate(band[:-1]))  # fmt: skip
    lines = [[d for d in row if d.first > 0 and numeric(join_text(d.atoms))] for row in band]
    stacked = Counter(d.first for row in lines for d in row)
    return not headed and max(stacked.values(), default=0) < max(4, 0.8 * len(band))


def _beside(group: list[Draft], row: list[Draft]) -> bool:
    """Rows at half a line's distance are one: a label of two lines with its figures at middle height."""
    return not any(
        g.first <= d.last and d.first <= g.last and (numeric(join_text(d.atoms)) or numeric(join_text(g.atoms)))
        for g in group
        for d in row
    )


def _goes_on(group: list[Draft], before: list[Draft], row: list[Draft], columns: Sequence[Column]) -> bool:
    label = next((d for d in row if d.first == 0), None)
    above = next((d for d in before if d.first == 0), None)
    values = [d for d in row if d.first > 0]
    held = {c for d in group for c in range(d.first, d.last + 1)}
    if label is None:
        tops = {b.first: b for b in before}
        return bool(values) and all(
            d.first in tops and not numeric(join_text(d.atoms)) and _wrapped(tops[d.first], d, columns) for d in values
        )
    if above is None:
        return False
    clash = [d for d in values if d.first in held]
    if clash:
        over = [next((b for b in before if b.first == d.first), None) for d in clash]
        small = all(d.atoms[0].text[:1].islower() for d in clash)
        if not small or any(b is None or not _wrapped(b, d, columns) for b, d in zip(over, clash, strict=True)):
            return False
    elif values and any(d.first > 0 for d in group):
        return False
    return _wrapped(above, label, columns, after_values=len(before) > 1 and not values)


def _wrapped(above: Draft, below: Draft, columns: Sequence[Column], *, after_values: bool = False) -> bool:
    """Whether `below` reads on from `above`: its first word had no room left on that line."""
    text = join_text(above.atoms)
    if text.endswith((":", "：", ".")) and len(above.atoms) < 12:
        return False
    last, first = above.atoms[-1], below.atoms[0]
    if len(above.atoms) < 2 and last.x1 - last.x0 < 5 * last.size:
        return False
    if len(last.text) == 4 and last.text[:2] in ("19", "20") and last.figure and first.text[:1].isupper():
        return False  # a date over the rows that are its
    edge = columns[above.last].x1
    room = edge - last.x1 - 0.25 * first.size
    need = first.x1 - first.x0
    if text.endswith(("-", ",", "，", "、", " and", " of", " the", " for", " in", " to", " or", " &")):
        return True
    width = edge - columns[above.first].x0
    if first.text[:1].islower():
        return room < need + 0.35 * width
    if first.bold != last.bold or abs(first.size - last.size) > 0.6 or numeric(first.text):
        return False
    step = below.atoms[0].x0 - above.atoms[0].x0
    filled = last.x1 > edge - 0.15 * width  # a title in capitals below a short one is no more of it
    return room < need and filled and step > -2 and (step < 2 or after_values)


def _append(group: list[Draft], row: list[Draft]) -> None:
    for d in row:
        for g in group:
            if g.first <= d.last and d.first <= g.last:
                g.atoms.extend(d.atoms)
                g.first, g.last = min(g.first, d.first), max(g.last, d.last)
                break
        else:
            group.append(Draft(d.first, d.last, list(d.atoms)))
    group.sort(key=lambda d: d.first)


def _header_cells(
    rows: Sequence[Row], drafts: Sequence[list[Draft]], columns: Sequence[Column], hrules: Sequence[HRule]
) -> list[_Told]:
    """Header cells in levels: lines of one heading put together, headings over several columns above the others."""
    if not rows:
        return []
    stacks: list[tuple[Draft, int]] = []
    for k, row in enumerate(drafts):
        lower = rows[k + 1].y0 + 0.5 * (rows[k + 1].y1 - rows[k + 1].y0) if k + 1 < len(rows) else rows[k].y1 + 3
        for d in row:
            _spread(d, row, columns, hrules, (rows[k].y0 + rows[k].y1) / 2, lower)
            over = [(s, at) for s, at in stacks if s.first <= d.last and d.first <= s.last]
            above = over[-1][0] if over else None
            same = above is not None and (above.first, above.last) == (d.first, d.last)
            like = above is not None and abs(above.atoms[0].size - d.atoms[0].size) < 0.6
            if above is not None and same and like and not _ruled_under(above, d, hrules):
                above.atoms.extend(d.atoms)
            else:
                stacks.append((Draft(d.first, d.last, list(d.atoms)), k))
    depth = [0] * len(columns)
    placed: list[tuple[int, Draft]] = []
    for d, _ in stacks:
        level = max(depth[d.first : d.last + 1])
        placed.append((level, d))
        for c in range(d.first, d.last + 1):
            depth[c] = level + 1
    levels = max(depth)
    out = []
    for n, (level, d) in enumerate(placed):
        below = [at for at, o in placed[n + 1 :] if o.first <= d.last and d.first <= o.last]
        tall = (min(below) if below else levels) - level
        out.append((level, d.first, join_text(d.atoms), d.bbox, tall, d.last - d.first + 1, True))
    return out


def _ruled_under(above: Draft, below: Draft, hrules: Sequence[HRule]) -> bool:
    a, b = above.bbox, below.bbox
    low, high = (above.atoms[-1].y0 + above.atoms[-1].y1) / 2, (b[1] + b[3]) / 2
    return any(low < r.y < high and r.x0 < a[2] and r.x1 > a[0] for r in hrules)


def _spread(
    d: Draft, row: Sequence[Draft], columns: Sequence[Column], hrules: Sequence[HRule], y0: float, y1: float
) -> None:
    """Widen a heading to the columns that the rule under it runs over, or that it is centred on."""
    x0, _, x1, _ = d.bbox
    taken = {c for o in row if o is not d for c in range(o.first, o.last + 1)}
    for r in hrules:
        if y0 < r.y < y1 and r.x0 - 3 <= x0 and x1 <= r.x1 + 3:
            over = [k for k, c in enumerate(columns) if r.x0 - 3 <= (c.x0 + c.x1) / 2 <= r.x1 + 3]
            under = [k for k in over if k not in taken]
            if (
                len(under) > d.last - d.first + 1
                and len(over) < len(columns)
                and under[-1] - under[0] + 1 == len(under)
            ):
                d.first, d.last = min(under[0], d.first), max(under[-1], d.last)
                return
