"""Tables in a grid of ruling lines: the words of each cell, rows and columns that the rules leave out."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Sequence

from h3cold.ingest.tables.borderless import is_item
from h3cold.ingest.tables.cells import drafts_of, group_rows, join_text, reading_order
from h3cold.ingest.tables.columns import find_columns, split_runs
from h3cold.ingest.tables.details import details
from h3cold.ingest.tables.headers import Piece, count_header
from h3cold.ingest.tables.level_rows import blank_lines, own_rows
from h3cold.ingest.tables.rows import Atom, Row, VRule, rows_of
from h3cold.ingest.tables.ruled import Grid
from h3cold.schemas.geometry import BBox
from h3cold.schemas.page import Table, make_cells

Slot = tuple[int, int, int, int]


def table_of_grid(grid: Grid, atoms: Sequence[Atom]) -> tuple[Table, list[Atom]] | None:
    """The table of a complete grid with the words in it; None where it holds too little to be one."""
    held = _by_cell(grid, atoms)
    inside = [held.get(n, []) for n in range(len(grid.cells))]
    boxes = [piece for cell, text in zip(grid.cells, inside, strict=True) for piece in _split_cell(grid, cell, text)]
    rows = _kept(grid.ys, [(r, tall) for (r, _, tall, _), text in boxes if text], 5.0)
    cols = _kept(grid.xs, [(c, wide) for (_, c, _, wide), text in boxes if text], 12.0)
    drafts: list[_Draft] = []
    for (r, c, tall, wide), text in boxes:
        rs, cs = [rows[i] for i in range(r, r + tall) if i in rows], [cols[j] for j in range(c, c + wide) if j in cols]
        if rs and cs:
            box = (grid.xs[c], grid.ys[r], grid.xs[c + wide], grid.ys[r + tall])
            drafts.append((rs[0], cs[0], len(rs), len(cs), box, reading_order(text)))
    top, bottom = _frame(drafts, len(rows), len(cols))
    drafts, lost = _with_details(drafts, top, bottom)
    bottom -= lost
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
    cells = make_cells(
        (r, c, join_text(text), box, tall, wide, r < header) for r, c, tall, wide, box, text in sorted(drafts)
    )
    return Table(height, len(cols), cells), [a for d in drafts for a in d[5]]


_Draft = tuple[int, int, int, int, BBox, list[Atom]]
"""Row, column, height, width, box and words of a cell in the making."""


def _with_details(drafts: list[_Draft], top: int, bottom: int) -> tuple[list[_Draft], int]:
    """The cells, those with lines of details (see `details`) joined with these, and how many rows went with that."""
    rows: list[list[_Draft]] = [[] for _ in range(top, bottom)]
    for d in sorted(drafts, key=lambda d: d[:2]):
        if d[5] and top <= d[0] < bottom:
            rows[d[0] - top].append(d)
    found = details([[(d[1], d[5]) for d in row] for row in rows])
    if not found or any(d[2] > 1 and any(d[0] < top + k < d[0] + d[2] for k in found) for d in drafts):
        return drafts, 0
    for k, (owner, column) in found.items():
        n, d = next((n, d) for n, d in enumerate(rows[owner]) if d[1] == column)
        more = rows[k][0]
        rows[owner][n] = (*d[:4], (d[4][0], d[4][1], d[4][2], more[4][3]), [*d[5], *more[5]])
    whole = {(d[0], d[1]): d for row in rows for d in row}
    gone = {top + k for k in found}
    kept = [whole.get((d[0], d[1]), d) for d in drafts if d[0] not in gone]
    return [(d[0] - sum(g < d[0] for g in gone), *d[1:]) for d in kept], len(gone)


def _split_cell(grid: Grid, cell: Slot, text: list[Atom]) -> list[tuple[Slot, list[Atom]]]:
    """Cut a cell over several columns at the grid lines that its text leaves wide gaps at: a rule was left out."""
    r, c, tall, wide = cell
    if wide < 2 or len(text) < 2:
        return [(cell, text)]
    rows = rows_of(text)
    covered = [s for row in rows for s in row.segs]
    if not any(len(row.segs) > 1 for row in rows):
        return _at_its_column(grid, cell, text)
    if max(len(row.segs) for row in rows) == wide:
        return _in_order(grid, cell, rows)
    size = text[0].size
    cuts: list[int] = []
    for row in rows:
        for a, b in itertools.pairwise(row.segs):
            lines = [k for k in range(c + 1, c + wide) if a.x1 - 1 <= grid.xs[k] <= b.x0 + 1]
            if lines and b.x0 - a.x1 > 0.4 * size:
                cuts.append(min(lines, key=lambda k: abs(grid.xs[k] - (a.x1 + b.x0) / 2)))
    cuts = [k for k in sorted(set(cuts)) if not any(s.x0 + 1 < grid.xs[k] < s.x1 - 1 for s in covered)]
    edges = [c, *cuts, c + wide]
    return [
        ((r, i, tall, j - i), [a for a in text if grid.xs[i] <= (a.x0 + a.x1) / 2 < grid.xs[j]])
        for i, j in itertools.pairwise(edges)
    ]


def _at_its_column(grid: Grid, cell: Slot, text: list[Atom]) -> list[tuple[Slot, list[Atom]]]:
    """A text of its own in a cell over many columns begins at the column that it stands in, unless it is centred."""
    r, c, tall, wide = cell
    x0, x1 = min(a.x0 for a in text), max(a.x1 for a in text)
    left, right = grid.xs[c], grid.xs[c + wide]
    start = slot(grid.xs, x0 + 1)
    if wide < 4 or start < c + 2 or abs((x0 + x1) - (left + right)) < 0.1 * (right - left):
        return [(cell, text)]
    return [((r, c, tall, start - c), []), ((r, start, tall, c + wide - start), text)]


def refined(grid: Grid, atoms: Sequence[Atom]) -> Grid:
    """The grid with the rows and columns that its rules leave out: cells that hold aligned lines are cut up."""
    inside = _by_cell(grid, atoms)
    loose_columns: dict[tuple[int, int], list[Row]] = {}
    cuts: dict[tuple[int, int], list[float]] = {}
    ys = set(grid.ys)
    rows_in = {n: rows_of(members) for n, members in inside.items()}
    by_column: dict[tuple[int, int], list[Row]] = {}
    for n, rows in rows_in.items():
        by_column.setdefault((grid.cells[n][1], grid.cells[n][3]), []).extend(rows)
    for place, rows in by_column.items():
        multi = [r for r in rows if len(r.segs) > 1]
        if len(multi) >= 2 and 2 * len(multi) >= len(rows) and not all(is_item(r.segs[0].text) for r in multi):
            loose_columns[place] = rows
    xs = set(grid.xs)
    for rows in loose_columns.values():
        xs.update(_gaps_between_columns(rows, grid.xs))
    own = own_rows(grid, rows_in, loose_columns)
    for band in {(grid.cells[n][0], grid.cells[n][2]) for n in inside}:
        if band in own:
            cuts[band] = list(grid.ys[band[0] + 1 : band[0] + band[1]])
            continue
        members = [(n, inside[n]) for n in inside if (grid.cells[n][0], grid.cells[n][2]) == band]
        heads = [y for n, _ in members if grid.cells[n][3] > 1 for y in _under_heading(rows_in[n], grid.xs)]
        valued = [rows_in[n] for n, _ in members if grid.cells[n][1] > 0 or grid.cells[n][3] == len(grid.xs) - 1]
        values = [row for rows in valued for row in rows]
        figured = [sum(all(s.figure for s in row.segs[-2:]) for row in rows) for rows in valued]
        # one line of figures is one row, however many lines its label and remarks have
        figures = sum(figured) if max(figured, default=0) > 1 else 0
        tall = sum(len(rows_in[n]) > 1 for n, _ in members)
        body = (
            len(members) == 1 and grid.cells[members[0][0]][3] == len(grid.xs) - 1 and _is_body(rows_in[members[0][0]])
        )
        if body or (figures >= 0.5 * len(values) and figures > 1 and (tall > 1 or len(xs) > len(grid.xs))):
            cuts[band] = _gaps_between_rows([a for _, text in members for a in text], sorted(xs))
            ys.update(cuts[band])
        else:
            cuts[band] = heads or blank_lines([text for _, text in members])
            ys.update(cuts[band])
    cuts = {band: lines for band, lines in cuts.items() if lines}
    if len(xs) == len(grid.xs) and len(ys) == len(grid.ys) and not own:
        return grid
    return _recut(grid, sorted(xs), sorted(ys), inside, set(loose_columns), cuts)


def _is_body(rows: Sequence[Row]) -> bool:
    """Whether the lines of a cell over all columns are rows of their own: a ruled header above, a frame below it."""
    multi = [len(r.segs) for r in rows if len(r.segs) > 2]
    return len(multi) >= 3 and len(multi) >= 0.4 * len(rows)


def _by_cell(grid: Grid, atoms: Sequence[Atom]) -> dict[int, list[Atom]]:
    place = {(i, j): n for n, (r, c, tall, wide) in enumerate(grid.cells)
             for i in range(r, r + tall) for j in range(c, c + wide)}  # fmt: skip
    inside: dict[int, list[Atom]] = {}
    for a in atoms:
        r, c = slot(grid.ys, (a.y0 + a.y1) / 2), slot(grid.xs, (a.x0 + a.x1) / 2)
        if r >= 0 and c >= 0:
            inside.setdefault(place[r, c], []).append(a)
    return inside


def _under_heading(rows: Sequence[Row], xs: Sequence[float]) -> list[float]:
    """In a cell over several columns, the height between headings over some of them and those of each below."""
    crossing = [any(s.x0 + 1 < x < s.x1 - 1 for s in r.segs for x in xs) for r in rows]
    above = sum(itertools.takewhile(bool, crossing))
    if not above or any(crossing[above:]) or above == len(rows):
        return []
    if max(len(r.segs) for r in rows[above:]) <= max(2, *(len(r.segs) for r in rows[:above])):
        return []
    return [(rows[above - 1].y1 + rows[above].y0) / 2]


def misfit(grid: Grid, atoms: Sequence[Atom]) -> bool:
    """Whether the lines across cut through words: the edges of stripes of colour that do not keep to the rows."""
    cut = 0
    for n, members in _by_cell(grid, atoms).items():
        r, _, tall, _ = grid.cells[n]
        for a in members:
            quarter = 0.25 * (a.y1 - a.y0)
            cut += a.y0 + quarter < grid.ys[r] or a.y1 - quarter > grid.ys[r + tall]
    return cut > 0.2 * len(atoms)


def _gaps_between_columns(rows: list[Row], xs: Sequence[float]) -> list[float]:
    """Middles of the gaps between aligned columns that no line runs through yet."""
    rows = sorted(rows, key=lambda r: r.y0)
    columns = find_columns(split_runs(rows, find_columns(rows)))
    return [
        (a.x1 + b.x0) / 2
        for a, b in itertools.pairwise(columns)
        if b.x0 > a.x1
        and len(a.rows & b.rows) >= max(2, 0.3 * len(rows))
        and not any(a.x1 - 1 <= x <= b.x0 + 1 for x in xs)
    ]


def _gaps_between_rows(atoms: Sequence[Atom], xs: Sequence[float]) -> list[float]:
    rows = rows_of(list(atoms), [VRule(x, float("-inf"), float("inf")) for x in xs])
    columns = find_columns(rows)
    groups = group_rows(rows, [drafts_of(row, columns) for row in rows], columns, [False] * len(rows), 0)
    out = []
    for above, below in itertools.pairwise([[a for d in g for a in d.atoms] for g in groups]):
        top = min(a.y0 for a in below)
        # a label at middle height of two rows reaches into the second: it says nothing about where that begins
        feet = [a.y1 for a in above if a.y1 - top < 0.25 * (a.y1 - a.y0)] or [a.y1 for a in above]
        out.append((max(feet) + top) / 2)
    return out


def _recut(
    grid: Grid,
    xs: list[float],
    ys: list[float],
    inside: dict[int, list[Atom]],
    columns: set[tuple[int, int]],
    bands: dict[tuple[int, int], list[float]],
) -> Grid:
    cells: list[Slot] = []
    for n, (r, c, tall, wide) in enumerate(grid.cells):
        top, bottom = ys.index(grid.ys[r]), ys.index(grid.ys[r + tall])
        left, right = xs.index(grid.xs[c]), xs.index(grid.xs[c + wide])
        text = inside.get(n, [])
        lines = {bisect_right(ys, (a.y0 + a.y1) / 2) for a in text}
        segs = [s for row in rows_of(text) for s in row.segs] if (c, wide) in columns else []
        whole = any(s.x0 + 1 < x < s.x1 - 1 for s in segs for x in xs[left + 1 : right])
        across = [left] if whole or (c, wide) not in columns else range(left, right)
        step = 1 if len(across) > 1 else right - left
        inner = [ys.index(y) for y in bands.get((r, tall), [])] if len(lines) > 1 or not text or tall == 1 else []
        edges = [top, *(k for k in inner if not any(_through(a, ys[k]) for a in text)), bottom]
        cells += [(a, j, b - a, step) for a, b in itertools.pairwise(edges) for j in across]
    return Grid(grid.bbox, tuple(xs), tuple(ys), tuple(sorted(cells)))


def _through(a: Atom, y: float) -> bool:
    """Whether a height runs through the middle of a word: it belongs to the rows above and below."""
    return a.y0 + 0.25 * (a.y1 - a.y0) < y < a.y1 - 0.25 * (a.y1 - a.y0)


def _in_order(grid: Grid, cell: Slot, rows: Sequence[Row]) -> list[tuple[Slot, list[Atom]]]:
    """As many texts on a line as columns: each has its own, whatever its edges."""
    r, c, tall, wide = cell
    held: list[list[Atom]] = [[] for _ in range(wide)]
    for row in rows:
        for k, seg in enumerate(row.segs):
            at = k if len(row.segs) == wide else slot(grid.xs, (seg.x0 + seg.x1) / 2) - c
            held[min(max(at, 0), wide - 1)].extend(seg.atoms)
    return [((r, c + k, tall, 1), text) for k, text in enumerate(held)]


def slot(edges: Sequence[float], value: float) -> int:
    """Index of the interval between `edges` that holds `value`, -1 outside of them."""
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
