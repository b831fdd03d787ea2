"""Whether a table goes on from the page before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from h3cold.schemas.geometry import BBox
from h3cold.schemas.page import Region, Table

REACH = 0.3
"""Share of the page height at its foot (head) that the first (second) part must reach into."""


def continues(
    previous: Region, current: Region, *, previous_size: tuple[float, float], current_size: tuple[float, float]
) -> bool:
    """Whether `current` is the next part of the table `previous`, which ended the page before it.

    Both have as many columns, at the same places; the second repeats the first one's header or has none of its own.
    Sizes are (width, height) of the two pages in points.
    """
    a, b = previous.table, current.table
    if a is None or b is None or a.cols != b.cols:
        return False
    if previous.bbox[3] < (1 - REACH) * previous_size[1] or current.bbox[1] > REACH * current_size[1] + 40:
        return False
    if not _same_places(_columns(a, previous.bbox), _columns(b, current.bbox), current_size[0]):
        return False
    head = repeated_header(a, b)
    return head > 0 or b.header_rows() == 0 or _header(a) == _header(b)


def widened(previous: Region, current: Region, *, width: float) -> Table | None:
    """The table of `current`, found by alignment, with empty columns where only `previous` has something.

    None where its columns are not all columns of `previous`, in order and from the first; `width` is the page's.
    """
    a, b = previous.table, current.table
    if a is None or b is None or b.cols < 2 or b.header_rows():
        return None
    mine, theirs = _columns(b, current.bbox), _columns(a, previous.bbox)
    place: list[int] = []
    for p in mine:
        near = [(min(abs(p[0] - q[0]), abs(p[1] - q[1])), k) for k, q in enumerate(theirs) if p and q]
        if not near or min(near)[0] > 0.03 * width or (place and min(near)[1] <= place[-1]):
            return None
        place.append(min(near)[1])
    if place[0] != 0:
        return None
    cells = tuple(
        replace(c, col=place[c.col], colspan=place[c.col + c.colspan - 1] - place[c.col] + 1) for c in b.cells
    )
    return Table(b.rows, a.cols, cells)


def repeated_header(previous: Table, current: Table) -> int:
    """Number of leading rows of `current` that say the same as those of `previous`."""
    most = min(max(previous.header_rows(), current.header_rows()), previous.rows, current.rows)
    first, second = previous.grid(), current.grid()
    count = 0
    while count < most and _plain(first[count]) == _plain(second[count]) and any(second[count]):
        count += 1
    return count


def _header(table: Table) -> list[list[str]]:
    return [_plain(row) for row in table.grid()[: table.header_rows()]]


def _plain(row: Sequence[str]) -> list[str]:
    drop = ("(continued)", "—continued", "(续)", "（续）", "continued")
    out = []
    for text in row:
        text = " ".join(text.lower().split())
        for mark in drop:
            text = text.removesuffix(mark).strip()
        out.append(text)
    return out


def _columns(table: Table, box: BBox) -> list[tuple[float, float] | None]:
    """Left and right edge of every column's own cells, from the table's left edge; None where it has none."""
    out: list[tuple[float, float] | None] = []
    for k in range(table.cols):
        boxes = [c.bbox for c in table.cells if c.col == k and c.colspan == 1 and c.text]
        out.append((min(b[0] for b in boxes) - box[0], max(b[2] for b in boxes) - box[0]) if boxes else None)
    return out


def _same_places(
    a: Sequence[tuple[float, float] | None], b: Sequence[tuple[float, float] | None], width: float
) -> bool:
    """Columns agree where either their left or their right edges do, within 3 % of the page's width, or overlap."""
    pairs = [(p, q) for p, q in zip(a, b, strict=True) if p and q]
    if not pairs:
        return False
    slack = 0.03 * width
    good = sum(abs(p[0] - q[0]) < slack or abs(p[1] - q[1]) < slack or (p[0] < q[1] and q[0] < p[1]) for p, q in pairs)
    return good >= 0.8 * len(pairs)
