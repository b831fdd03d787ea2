"""From rows and columns, or a grid of rules, to a table's cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from h3cold.ingest.tables.borderless import wide_rules
from h3cold.ingest.tables.columns import Column, find_columns, hits, split_runs
from h3cold.ingest.tables.headers import Piece, count_header
from h3cold.ingest.tables.rows import Atom, HRule, Row, numeric, rows_of
from h3cold.ingest.tables.ruled import Grid
from h3cold.schemas.geometry import BBox, union
from h3cold.schemas.page import Cell, Table


@dataclass(slots=True)
class Draft:
    """A cell in the making: columns `first`..`last`, its words in reading order."""

    first: int
    last: int
    atoms: list[Atom] = field(default_factory=list)

    @property
    def bbox(self) -> BBox:
        return union((a.x0, a.y0, a.x1, a.y1) for a in self.atoms)


def join_text(atoms: Sequence[Atom]) -> str:
    """Words in reading order as a cell's text; no blank between Han characters, hyphenated words put together."""
    out = ""
    last: Atom | None = None
    for a in atoms:
        if last is None:
            out = a.text
        else:
            newline = a.y0 > last.y0 + 0.5 * last.size
            if newline and len(out) > 2 and out[-1] in "-\u00ad" and out[-2].islower() and a.text[:1].islower():
                out = out[:-1] + a.text
            elif _han(out[-1]) and _han(a.text[0]) and (newline or a.x0 - last.x1 < 0.6 * a.size):
                out += a.text
            else:
                out += " " + a.text
        last = a
    return out


def _han(char: str) -> bool:
    return "\u2e80" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef"


def reading_order(atoms: Sequence[Atom]) -> list[Atom]:
    """Words of one cell line by line."""
    if len(atoms) < 2:
        return list(atoms)
    return [a for row in rows_of(list(atoms)) for s in row.segs for a in s.atoms]


def table_of_grid(grid: Grid, atoms: Sequence[Atom]) -> tuple[Table, list[Atom]] | None:
    """The table of a complete grid with the words in it; None where it holds too little to be one."""
    place: dict[tuple[int, int], int] = {}
    for n, (r, c, tall, wide) in enumerate(grid.cells):
        for i in range(r, r + tall):
            for j in range(c, c + wide):
                place[i, j] = n
    inside: list[list[Atom]] = [[] for _ in grid.cells]
    used = []
    for a in atoms:
        r, c = _slot(grid.ys, (a.y0 + a.y1) / 2), _slot(grid.xs, (a.x0 + a.x1) / 2)
        if r >= 0 and c >= 0:
            inside[place[r, c]].append(a)
            used.append(a)
    boxes = list(zip(grid.cells, inside, strict=True))
    rows = _kept(grid.ys, [(r, tall) for (r, _, tall, _), text in boxes if text], 5.0)
    cols = _kept(grid.xs, [(c, wide) for (_, c, _, wide), text in boxes if text], 12.0)
    drafts: list[tuple[int, int, int, int, BBox, list[Atom]]] = []
    for (r, c, tall, wide), text in boxes:
        rs, cs = [rows[i] for i in range(r, r + tall) if i in rows], [cols[j] for j in range(c, c + wide) if j in cols]
        if rs and cs:
            box = (grid.xs[c], grid.ys[r], grid.xs[c + wide], grid.ys[r + tall])
            drafts.append((rs[0], cs[0], len(rs), len(cs), box, reading_order(text)))
    top, bottom = _frame(drafts, len(rows), len(cols))
    drafts = [(r - top, *rest) for r, *rest in drafts if top <= r < bottom]  # type: ignore[misc]
    height = bottom - top
    filled = [d for d in drafts if d[5]]
    if (
        len(cols) < 2
        or height < 2
        or len(filled) < 3
        or len({d[0] for d in filled}) < 2
        or len({d[1] for d in filled}) < 2
    ):
        return None
    pieces: list[list[Piece]] = [[] for _ in range(height)]
    for r, c, _, wide, _, text in filled:
        pieces[r].append(Piece(c, c + wide - 1, join_text(text), all(a.bold for a in text)))
    header = count_header(pieces, [False] * height)
    cells = tuple(
        Cell(r, c, join_text(text), box, tall, wide, header=r < header)
        for r, c, tall, wide, box, text in sorted(drafts)
    )
    return Table(height, len(cols), cells), [a for d in drafts for a in d[5]]


def under_ruled(grid: Grid, atoms: Sequence[Atom]) -> bool:
    """Whether rules separate only some of the rows or columns: cells hold aligned lines or columns of their own."""
    inside: dict[int, list[Atom]] = {}
    place = {(i, j): n for n, (r, c, tall, wide) in enumerate(grid.cells)
             for i in range(r, r + tall) for j in range(c, c + wide)}  # fmt: skip
    for a in atoms:
        r, c = _slot(grid.ys, (a.y0 + a.y1) / 2), _slot(grid.xs, (a.x0 + a.x1) / 2)
        if r >= 0 and c >= 0:
            inside.setdefault(place[r, c], []).append(a)
    loose = total = 0
    bands: dict[tuple[int, int], list[tuple[int, list[Row]]]] = {}
    for n, members in inside.items():
        rows = rows_of(members)
        total += len(members)
        multi = sum(len(r.segs) > 1 for r in rows)
        if multi >= 2 and multi >= 0.5 * len(rows) and len(find_columns(rows)) > 1:
            loose += len(members)
        elif len(rows) > 1:
            r, c, tall, _ = grid.cells[n]
            bands.setdefault((r, tall), []).append((c, rows))
    for columns in bands.values():
        values = [rows for c, rows in columns if c > 0]
        lines = [r for rows in values for r in rows]
        if len(columns) > 1 and sum(numeric(r.segs[0].text) for r in lines) >= 0.6 * len(lines):
            loose += sum(len(s.atoms) for _, rows in columns for r in rows for s in r.segs)
    return loose > 0.35 * total


def _slot(edges: Sequence[float], value: float) -> int:
    from bisect import bisect_right

    k = bisect_right(edges, value) - 1
    return k if 0 <= k < len(edges) - 1 else -1


def _kept(edges: Sequence[float], filled: Sequence[tuple[int, int]], least: float) -> dict[int, int]:
    """New index of every row (column): slivers between double rules and shadings without a text of their own
    are left out."""
    own = {start for start, span in filled if span == 1}
    keep = [k for k in range(len(edges) - 1) if k in own or edges[k + 1] - edges[k] > least]
    for start, span in filled:  # a text whose whole span is slivers keeps the widest
        if not any(start <= k < start + span for k in keep):
            keep = sorted({*keep, max(range(start, start + span), key=lambda k: edges[k + 1] - edges[k])})
    return {k: n for n, k in enumerate(keep)}


def _frame(drafts: Sequence[tuple[int, int, int, int, BBox, list[Atom]]], rows: int, cols: int) -> tuple[int, int]:
    """First and last + 1 row of the table proper: a title or note in the outer frame stays outside."""
    whole = {d[0]: d for d in drafts if d[3] == cols and d[2] == 1}
    top, bottom = 0, rows
    while top < rows - 2 and top in whole:
        top += 1
    while bottom > top + 2 and bottom - 1 in whole and len(whole[bottom - 1][5]) != 0:
        bottom -= 1
    return top, bottom


def table_of_rows(band: Sequence[Row], hrules: Sequence[HRule]) -> tuple[Table, list[Atom]]:
    """The table of aligned rows: columns by alignment, wrapped lines put together, header levels told apart."""
    columns = find_columns(band)
    rows = split_runs(band, columns)
    columns = find_columns(rows)
    drafts = [_drafts(row, columns) for row in rows]
    x0, x1 = columns[0].x0, columns[-1].x1
    lines = wide_rules(hrules, x0, x1, rows[0].y0, rows[-1].y1 + 4)
    ruled = [_ruled_between(rows, k, lines) for k in range(len(rows))]
    pieces = [[Piece(d.first, d.last, join_text(d.atoms), all(a.bold for a in d.atoms)) for d in row] for row in drafts]
    count = count_header(pieces, ruled)
    out = _header_cells(rows[:count], drafts[:count], columns, hrules)
    height = max((c.row + c.rowspan for c in out), default=0)
    for group in _groups(rows, drafts, columns, ruled, count):
        for d in group:
            out.append(Cell(height, d.first, join_text(d.atoms), d.bbox, 1, d.last - d.first + 1))
        height += 1
    out.sort(key=lambda c: (c.row, c.col))
    return Table(height, len(columns), tuple(out)), [a for row in drafts for d in row for a in d.atoms]


def _drafts(row: Row, columns: Sequence[Column]) -> list[Draft]:
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


def _groups(
    rows: Sequence[Row], drafts: Sequence[list[Draft]], columns: Sequence[Column], ruled: Sequence[bool], start: int
) -> list[list[Draft]]:
    """Body rows, each with the lines that its wrapped cells go on in."""
    out: list[list[Draft]] = []
    gaps = sorted(b.y0 - a.y1 for a, b in zip(rows[start:], rows[start + 1 :], strict=False))
    usual = gaps[len(gaps) // 4] if gaps else 0.0
    for k in range(start, len(rows)):
        tight = k > start and rows[k].y0 - rows[k - 1].y1 < usual + 0.35 * rows[k].size
        if out and tight and not ruled[k - 1] and _goes_on(out[-1], drafts[k - 1], drafts[k], columns):
            _append(out[-1], drafts[k])
        else:
            out.append([Draft(d.first, d.last, list(d.atoms)) for d in drafts[k]])
    return out


def _goes_on(group: list[Draft], before: list[Draft], row: list[Draft], columns: Sequence[Column]) -> bool:
    label = next((d for d in row if d.first == 0), None)
    above = next((d for d in before if d.first == 0), None)
    values = [d for d in row if d.first > 0]
    held = {c for d in group for c in range(d.first, d.last + 1)}
    if label is None:
        return bool(before) and all(not numeric(join_text(d.atoms)) and d.first in held for d in values)
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
    return _wrapped(above, label, columns)


def _wrapped(above: Draft, below: Draft, columns: Sequence[Column]) -> bool:
    """Whether `below` reads on from `above`: its first word had no room left on that line."""
    text = join_text(above.atoms)
    if text.endswith((":", "：", ".")) and len(above.atoms) < 12:
        return False
    last, first = above.atoms[-1], below.atoms[0]
    edge = columns[above.last].x1
    room = edge - last.x1 - 0.25 * first.size
    need = first.x1 - first.x0
    if text.endswith(("-", ",", "，", "、", " and", " of", " the", " for", " in", " to", " or", " &")):
        return True
    width = edge - columns[above.first].x0
    if first.text[:1].islower():
        return room < need + 0.2 * width
    deeper = below.atoms[0].x0 > above.atoms[0].x0 + 0.4 * first.size
    return room < need and (deeper or abs(below.atoms[0].x0 - above.atoms[0].x0) < 2) and not numeric(first.text)


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
) -> list[Cell]:
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
        out.append(Cell(level, d.first, join_text(d.atoms), d.bbox, tall, d.last - d.first + 1, header=True))
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
            under = [k for k, c in enumerate(columns) if r.x0 - 3 <= (c.x0 + c.x1) / 2 <= r.x1 + 3 and k not in taken]
            if (
                len(under) > d.last - d.first + 1
                and len(under) < len(columns)
                and under[-1] - under[0] + 1 == len(under)
            ):
                d.first, d.last = min(under[0], d.first), max(under[-1], d.last)
                return
