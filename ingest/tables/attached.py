"""What belongs to a grid of rules but stands outside it: rows between longer rules, labels left of it."""

from __future__ import annotations

from collections.abc import Sequence

from h3cold.ingest.tables.grids import slot
from h3cold.ingest.tables.rows import Atom, HRule, rows_of
from h3cold.ingest.tables.ruled import SNAP, Grid

DOUBLE = 5.0
"""Points up to which two parallel rules are a double rule rather than the edges of a row."""

APART = 24.0
"""Points that the head of a table may stand above it."""


def with_stack(grid: Grid, hrules: Sequence[HRule], atoms: Sequence[Atom], others: Sequence[Grid] = ()) -> Grid:
    """The grid with the rows that rules of its own width set off above and below it, where no rule stands upright.

    An empty strip that is wider than a double rule parts it from another table, and so does a rule of one of the
    `others`.
    """
    x0, top, x1, bottom = grid.bbox
    ys = sorted(r.y for r in hrules if abs(r.x0 - x0) < 6 and abs(r.x1 - x1) < 6)
    taken = [g.bbox for g in others if g.bbox[1] > bottom or g.bbox[3] < top]
    middles = [(a.y0 + a.y1) / 2 for a in atoms if x0 < a.x1 and a.x0 < x1]

    def stacked(levels: Sequence[float], edge: float) -> list[float]:
        out: list[float] = []
        for y in levels:
            low, high = sorted((y, out[-1] if out else edge))
            if any(b[1] - 1 <= y <= b[3] + 1 and b[0] < x1 and b[2] > x0 for b in taken):
                break
            if high - low > 60 or (high - low > DOUBLE and not any(low < m < high for m in middles)):
                break
            out.append(y)
        return out

    above = stacked([y for y in reversed(ys) if y < top - SNAP], top)
    below = stacked([y for y in ys if y > bottom + SNAP], bottom)
    if not above and not below:
        return grid
    wide, down = len(grid.xs) - 1, len(above)
    cells = [(k, 0, 1, wide) for k in range(down)]
    cells += [(r + down, c, tall, w) for r, c, tall, w in grid.cells]
    cells += [(down + len(grid.ys) - 1 + k, 0, 1, wide) for k in range(len(below))]
    lines = (*reversed(above), *grid.ys, *below)
    return Grid((x0, lines[0], x1, lines[-1]), grid.xs, lines, tuple(cells))


def with_heads(grids: Sequence[Grid], atoms: Sequence[Atom]) -> list[Grid]:
    """The grids, each joined with a row of boxes over its columns that stands close above: a head set apart."""
    out: list[Grid] = []
    for grid in grids:
        head = out[-1] if out else None
        if head is not None and _is_over(head, grid) and not _text_between(head, grid, atoms):
            cells = [*head.cells, *((r + 1, c, tall, w) for r, c, tall, w in grid.cells)]
            box = (grid.bbox[0], head.bbox[1], grid.bbox[2], grid.bbox[3])
            out[-1] = Grid(box, grid.xs, (head.ys[0], *grid.ys), tuple(cells))
            continue
        out.append(grid)
    return out


def _is_over(head: Grid, grid: Grid) -> bool:
    """Whether a grid is one row of boxes with the columns of the one below it, which has more: two single rows may be
    stripes of a table whose other rows have no colour."""
    boxes = len(head.ys) == 2 < len(grid.ys) and len(head.cells) == len(head.xs) - 1
    near = 0 <= grid.bbox[1] - head.bbox[3] < APART
    same = len(head.xs) == len(grid.xs) > 3
    return boxes and near and same and all(abs(a - b) < 12 for a, b in zip(head.xs, grid.xs, strict=True))


def _text_between(head: Grid, grid: Grid, atoms: Sequence[Atom]) -> bool:
    return any(
        head.bbox[3] < (a.y0 + a.y1) / 2 < grid.bbox[1] and grid.bbox[0] < a.x1 and a.x0 < grid.bbox[2] for a in atoms
    )


def with_labels(grid: Grid, atoms: Sequence[Atom]) -> Grid:
    """The grid with a column of row labels that stands left of it, outside the rules."""
    left, top, _, bottom = grid.bbox
    near = [a for a in atoms if a.x1 <= left + 1 and a.y1 > top - 1 and a.y0 < bottom + 1]
    if not near or len(grid.ys) < 4:
        return grid
    size = near[0].size
    start = min(a.x0 for a in near)
    if left - max(a.x1 for a in near) > 6 * size or left - start > 0.8 * (grid.bbox[2] - left) + 60:
        return grid
    rows = [r for r in rows_of(near) if top - 1 <= (r.y0 + r.y1) / 2 <= bottom + 1]
    slots = {slot(grid.ys, (r.y0 + r.y1) / 2) for r in rows}
    held = {slot(grid.ys, (a.y0 + a.y1) / 2) for a in atoms if left < a.x0 < grid.bbox[2] and a.figure} - {-1}
    single = all(len(r.segs) == 1 and len(r.segs[0].atoms) <= 9 for r in rows)
    if not single or len(held) < 2 or len(slots & held) < 0.8 * len(held) or len(rows) > 1.5 * len(slots):
        return grid
    cells = [(r, c + 1, tall, wide) for r, c, tall, wide in grid.cells]
    cells += [(r, 0, 1, 1) for r in range(len(grid.ys) - 1)]
    return Grid((start - 1, top, *grid.bbox[2:]), (start - 1, *grid.xs), grid.ys, tuple(sorted(cells)))
