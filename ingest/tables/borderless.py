"""Tables that stand by alignment alone, or with horizontal rules only."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from h3cold.ingest.tables.columns import Column, find_columns, hits, strays
from h3cold.ingest.tables.labels import is_labels, labelled
from h3cold.ingest.tables.listed import is_contents
from h3cold.ingest.tables.rows import HRule, Row, Seg, numeric
from h3cold.ingest.tables.ruled import wide_rules
from h3cold.ingest.tables.stacked import unstacked

MAX_GAP = 2.6
"""Empty height between two rows of one table, in font sizes."""

_ITEM = re.compile(
    r"^(?:[•·▪■●○◦‣❖➢✓\-–—*o§]|[(\[]?(?:\d{1,3}|[a-zA-Z]|[ivxlcIVXLC]+)[.)\]]|第?[一二三四五六七八九十]+[、.]?)$"
)
_TITLE = re.compile(
    r"^(?:Table|Exhibit|Figure|Fig\.|Chart|Schedule|TABLE|EXHIBIT|FIGURE|表|图)\s?[\dA-Z一二三四五六七八九十][\w.\-]*[.:：—–]?(?:\s|$)"
)
_UNITS = re.compile(r"^[（(]?(?:金额)?(?:单位|币种)\s?[：:]")
_SECTION = re.compile(r"^\d{1,2}(?:\.\d{1,2}){1,3}\.?$")
_BRACKETS = re.compile("[\uf8e5-\uf8fe⎛-⎳⏜-⏡︵-︸]")
"""Pieces of tall brackets, as matrices and cases stand in."""


def is_item(text: str) -> bool:
    """Whether text is a bullet or the number of a list item."""
    return _ITEM.match(text) is not None


def find_bands(rows: Sequence[Row], hrules: Sequence[HRule]) -> list[list[Row]]:
    """Runs of rows that share columns, each the rows of one table."""
    out: list[list[Row]] = []
    todo = [(0, len(rows))]
    widths = [0 if is_title(row) else len(row.segs) for row in rows]
    while todo:
        low, high = todo.pop()
        seed = max(range(low, high), key=lambda k: (widths[k], -k), default=-1)
        if seed < 0 or len(rows[seed].segs) < 2:
            continue
        first, last = _grow(rows, seed, low, high, hrules)
        band = _trimmed(list(rows[first : last + 1]), hrules)
        for piece in unstacked(band, hrules):
            out += [part for part in _repeats(piece) if is_table(part, hrules)]
        if band:  # lines left over below may be the heading of what comes next
            last = next(k for k in range(last, first - 1, -1) if rows[k] is band[-1])
        if last + 1 < high:
            todo.append((last + 1, high))
        if first > low:
            todo.append((low, first))
    return out


def _grow(rows: Sequence[Row], seed: int, low: int, high: int, hrules: Sequence[HRule]) -> tuple[int, int]:
    columns = [Column(s.x0, s.x1, {seed}) for s in rows[seed].segs]
    ends = [seed, seed]
    for side, step in ((1, 1), (0, -1)):
        at = seed
        while low <= at + step < high:
            row, near = rows[at + step], rows[at]
            gap = row.y0 - near.y1 if step > 0 else near.y0 - row.y1
            if gap > MAX_GAP * max(row.size, near.size) and not _bridged(row, near, columns, hrules, gap):
                break
            if gap > 0.8 * row.size and _is_sentence(row):
                break
            if step > 0 and gap > 1.2 * row.size and strays(row, columns) and _ruled_off(near, row, columns, hrules):
                break
            if not _fits(row, columns, upward=step < 0) and not (step > 0 and _heading(rows, at + 1, high, columns)):
                break
            at += step
            _extend(row, columns, at)
        ends[side] = at
    return ends[0], ends[1]


def _is_sentence(row: Row) -> bool:
    """Whether a row is a sentence alone, such as leads from a table to the next."""
    seg = row.segs[0]
    return len(row.segs) == 1 and len(seg.atoms) > 5 and seg.atoms[-1].text[-1:] in ".:" and not seg.figure


def _bridged(row: Row, near: Row, columns: list[Column], hrules: Sequence[HRule], gap: float) -> bool:
    """Whether a header stands above a rule, or over most columns, with more room than usual below it."""
    if row.y0 > near.y0 or len(row.segs) < 2 or gap > 2 * MAX_GAP * row.size:
        return False
    over = [hits(s, columns) for s in row.segs]
    if len(over) >= 0.6 * len(columns) and all(len(o) == 1 for o in over) and not any(s.figure for s in row.segs):
        return True
    return _ruled_off(row, near, columns, hrules)


def _ruled_off(row: Row, below: Row, columns: list[Column], hrules: Sequence[HRule]) -> bool:
    return bool(wide_rules(hrules, columns[0].x0, columns[-1].x1, row.y1 - 2, below.y0 + 2))


def _fits(row: Row, columns: list[Column], *, upward: bool) -> bool:
    over = [hits(s, columns) for s in row.segs]
    if is_title(row):
        return False
    if len(row.segs) == 1:
        if len(over[0]) < 2:
            return True
        seg = row.segs[0]
        if over[0][0] > 0:
            return True
        wide = seg.x1 - seg.x0 > 0.5 * (columns[-1].x1 - columns[0].x0)
        return not (upward or wide or len(seg.atoms) >= 8)
    seen: set[int] = set()
    clashes = 0
    for k, found in enumerate(over):
        clashes += bool(seen & set(found)) or (k == 0 and len(found) > 1 and found[0] == 0)
        seen |= set(found)
    return clashes * 2 < len(row.segs) or (clashes == 1 and len(row.segs) == 2 and len(columns) == 2)


def _heading(rows: Sequence[Row], k: int, high: int, columns: list[Column]) -> bool:
    """Whether a row that runs over all columns is a heading inside the table: close above more rows that fit."""
    row = rows[k]
    if len(row.segs) > 1 or is_title(row) or k + 1 >= high or len(row.segs[0].atoms) > 12:
        return False
    below = rows[k + 1]
    close = below.y0 - row.y1 < 0.9 * row.size and row.y0 - rows[k - 1].y1 < 1.5 * row.size
    placed = [hits(s, columns) for s in below.segs]
    return close and len(placed) > 1 and all(len(p) == 1 for p in placed) and _fits(below, columns, upward=False)


def is_title(row: Row) -> bool:
    """Whether a row is the caption of a table or figure: "Table 3. ..." with more after it than a figure; or the line
    of its units, as Chinese statements have it above them.
    """
    # what a row begins with settles it for most
    for s in row.segs[-2:]:
        if s.atoms[0].text[:1] in "（(金单币" and _UNITS.match(s.text):
            return True
    if row.segs[0].atoms[0].text[:1] not in "TEFCS表图":
        return False
    text = " ".join(s.text for s in row.segs)
    return _TITLE.match(text) is not None and not all(s.figure for s in row.segs[1:] or row.segs)


def _extend(row: Row, columns: list[Column], k: int) -> None:
    fresh = []
    for seg in row.segs:
        over = hits(seg, columns)
        if len(over) == 1:
            columns[over[0]].widen(seg)
        elif not over and len(row.segs) > 1:
            fresh.append(Column(seg.x0, seg.x1, {k}))
    if fresh:
        columns.extend(fresh)
        columns.sort(key=lambda c: c.x0)


def _repeats(band: list[Row]) -> list[list[Row]]:
    """Cut where the first row's heading comes again: tables of one kind stacked without a gap."""
    if not band:
        return []
    head = [s.text for s in band[0].segs]
    if any(numeric(t) for t in head) or sum(len(r.segs) > 1 for r in band[:3]) == 0:
        return [band]
    cuts = [k for k in range(1, len(band)) if len(band[k].segs) == len(head)
            and band[k].segs[0].text == head[0] and [s.text for s in band[k].segs] == head]  # fmt: skip
    if len(head) == 1 and cuts:
        columns = find_columns(band)
        cuts = [k for k in cuts if hits(band[k].segs[0], columns)[:1] not in ([], [0])]
    return [band[a:b] for a, b in itertools.pairwise([0, *cuts, len(band)])]


def _trimmed(band: list[Row], hrules: Sequence[HRule]) -> list[Row]:
    """Without titles above and notes below: what lies beyond the outer rules, or is a lone line at either end."""
    multi = [k for k, r in enumerate(band) if len(r.segs) > 1]
    if len(multi) < 2:
        return []
    x0, x1 = min(r.x0 for r in band[multi[0] : multi[-1] + 1]), max(r.x1 for r in band)
    size = band[multi[0]].size
    lines = wide_rules(hrules, x0, x1, band[0].y0 - 2 * size, band[-1].y1 + 2 * size)
    while len(multi) > 2 and _is_section(band[multi[-1]], band[multi[0]]):
        multi.pop()
    multi = multi[labelled(band, multi, lines) :]
    if len(multi) < 2:
        return []
    first, last = multi[0], multi[-1]
    columns = find_columns(band[first : last + 1])
    top = [y for y in lines if y <= band[first].y0 + 0.5 * size]
    while first > 0 and not is_labels(band[first - 1]):
        row = band[first - 1]
        over = hits(row.segs[0], columns)
        if (top and (row.y0 + row.y1) / 2 < top[0]) or not over or over[0] == 0 or _centred(row.segs[0], columns, over):
            break
        first -= 1
    bottom = [y for y in lines if y >= band[last].y1 - 0.5 * size]
    if bottom:
        while last + 1 < len(band) and (band[last + 1].y0 + band[last + 1].y1) / 2 < bottom[-1]:
            gap = band[last + 1].y0 - band[last].y1
            if gap > (1.0 if hits(band[last + 1].segs[0], columns)[:1] == [0] else 0.5) * size:
                break
            last += 1
    return band[first : last + 1]


def _centred(seg: Seg, columns: Sequence[Column], over: Sequence[int]) -> bool:
    """Whether a line stands in the middle of the table rather than of columns: its title, whatever is below it."""
    middle, size = (seg.x0 + seg.x1) / 2, seg.atoms[0].size
    first, last = columns[over[0]], columns[over[-1]]
    within = len(over) == 1 and first.x0 - 2 < seg.x0 and seg.x1 < first.x1 + 2
    if within or abs(middle - (columns[0].x0 + columns[-1].x1) / 2) > 1.5 * size:
        return False
    return abs(middle - (first.x0 + last.x1) / 2) > 0.5 * size


def _is_section(row: Row, top: Row) -> bool:
    """Whether a row is the numbered heading of the next section, all of it left of the second column."""
    if len(row.segs) != 2 or not _SECTION.match(row.segs[0].text) or row.segs[1].figure:
        return False
    return row.size > 1.05 * top.size or (row.segs[1].bold and not top.segs[-1].bold)


def is_table(band: Sequence[Row], hrules: Sequence[HRule]) -> bool:
    """Whether aligned rows are a table rather than columns of text, a list, or a table of contents."""
    multi = [r for r in band if len(r.segs) > 1]
    columns = find_columns(band)
    if len(columns) < 2 or len(multi) < 2 or all(map(is_labels, multi)):
        return False
    cells: list[list[Seg]] = [[] for _ in columns]
    spanning = 0
    for row in multi:
        for seg in row.segs:
            over = hits(seg, columns)
            if len(over) == 1:
                cells[over[0]].append(seg)
            else:
                spanning += 1
    total = sum(len(c) for c in cells)
    values = [s for c in cells[1:] for s in c]
    if not values or spanning > 0.4 * total:
        return False
    if _is_list(cells, columns) or is_contents(cells) or _is_axis(cells, len(multi)) or _is_matrix(band):
        return False
    figures = sum(s.figure for s in values) / len(values)
    words = sum(len(s.atoms) for s in values) / len(values)
    x0, x1 = columns[0].x0, columns[-1].x1
    size = band[0].size
    rules = len(wide_rules(hrules, x0, x1, band[0].y0 - 2 * size, band[-1].y1 + 2 * size))
    filled = total / (len(multi) * len(columns))
    if cells[0] and sum(len(s.atoms) for s in cells[0]) > 12 * len(cells[0]):
        return False
    if figures < 0.25 and all(sum(len(s.atoms) for s in c) >= 4.5 * len(c) for c in cells):
        return False  # columns of running text
    if figures >= 0.5:
        return len(multi) >= 3 or rules >= 1
    if rules >= 4 and sum(len(s.atoms) for s in cells[0]) <= 4 * len(cells[0]):
        return True
    if rules >= (2 if len(columns) > 2 or figures >= 0.25 else 3) and words <= 8:
        return True
    if len(columns) >= 3 and len(multi) >= 3 and figures >= 0.25:
        return filled >= 0.4
    return len(columns) >= 3 and len(multi) >= 3 and words <= 3.5 and filled >= 0.5 and _aligned(cells) >= 0.8


def _is_list(cells: Sequence[Sequence[Seg]], columns: Sequence[Column]) -> bool:
    marks = sum(_ITEM.match(s.text) is not None or _SECTION.match(s.text) is not None for s in cells[0])
    return len(columns) == 2 and marks >= 0.6 * max(1, len(cells[0])) and not all(s.figure for s in cells[1])


def _is_matrix(band: Sequence[Row]) -> bool:
    """Whether pieces of tall brackets stand in it, or one that is opened in a column and closed in a later one."""
    for row in band:
        opened = False
        for s in row.segs:
            text = s.text
            if _BRACKETS.search(text) or (opened and text[-1] == ")" and "(" not in text and len(text) < 9):
                return True
            opened = opened or (text[0] == "(" and ")" not in text and len(text) < 9)
    return False


def _is_axis(cells: Sequence[Sequence[Seg]], rows: int) -> bool:
    """Evenly spaced figures with a constant step beside little else: the scale of a chart."""
    for column in (cells[0], cells[-1]):
        texts = [s.text.strip("$%").replace(",", "") for s in column]
        numbers = [float(t) for t in texts if re.fullmatch(r"-?\d*\.?\d+", t)]
        if len(numbers) < 3 or len(numbers) < len(texts) - 1:
            continue
        steps = [round(b - a, 6) for a, b in itertools.pairwise(numbers)]
        usual = max(set(steps), key=steps.count)
        even = usual != 0 and steps.count(usual) >= 0.7 * len(steps)
        others = sum(len(c) for c in cells if c is not column)
        if even and others < 0.6 * rows * (len(cells) - 1):
            return True
    return False


def _aligned(cells: Sequence[Sequence[Seg]]) -> float:
    """Share of segments that share their column's commonest left, right or middle position."""
    good = total = 0
    for column in cells:
        best = 0
        for key in (lambda s: s.x0, lambda s: s.x1, lambda s: (s.x0 + s.x1) / 2):
            places: dict[int, int] = {}
            for s in column:
                places[round(key(s) / 2)] = places.get(round(key(s) / 2), 0) + 1
            best = max(best, *(n + places.get(p + 1, 0) for p, n in places.items()), 0)
        good += min(best, len(column))
        total += len(column)
    return good / total if total else 0.0
