"""Tables of one width under each other, each between rules of its own, with a few lines between that name the next."""

from __future__ import annotations

from collections.abc import Sequence

from h3cold.ingest.tables.rows import HRule, Row
from h3cold.ingest.tables.ruled import wide_rules

BETWEEN = 8
"""Lines between two tables, at most: more of them no search by alignment takes for rows."""


def unstacked(band: list[Row], hrules: Sequence[HRule]) -> list[list[Row]]:
    """Cut where a rule closes one table and two enclose the header of the next; what stands between belongs to neither.
    One row alone above such lines is no table: the labels below a chart.

    A section's name within one table is followed by figures, not by another header between rules.
    """
    if len(band) < 5:
        return [band]
    x0, x1 = min(r.x0 for r in band), max(r.x1 for r in band)
    rules = wide_rules(hrules, x0, x1, band[0].y0, band[-1].y1)
    if len(rules) < 2:
        return [band]
    out, start = [], 0
    for k in range(1, len(band) - 1):
        if k <= start or not _is_header(band, k, rules):
            continue
        above = k - 1
        while above > start and len(band[above].segs) == 1 and k - above <= BETWEEN:
            above -= 1
        lone = band[above + 1 : k]
        closed = bool(lone) and (_ruled(band[above], lone[0], rules) or (above == start and len(lone) > 1))
        if closed and len(band[above].segs) > 1:
            out.append(band[start : above + 1])
            start = k
    return [*out, band[start:]]


def _is_header(band: Sequence[Row], k: int, rules: Sequence[float]) -> bool:
    """Whether a row of words or years has a rule right above and below it, and rows without such rules follow."""
    row, below = band[k], band[k + 1]
    after = band[k + 2] if k + 2 < len(band) else below
    if len(after.segs) > 1 and _ruled(below, after, rules):  # each row of the table has its rule
        return False
    values = row.segs[1:]
    plain = bool(values) and all(not s.figure or _is_year(s.text) for s in values)
    return plain and len(below.segs) > 1 and _ruled(band[k - 1], row, rules) and _ruled(row, below, rules)


def _ruled(above: Row, below: Row, rules: Sequence[float]) -> bool:
    return any((above.y0 + above.y1) / 2 < y < (below.y0 + below.y1) / 2 for y in rules)


def _is_year(text: str) -> bool:
    digits = text.strip("年*() ")
    return digits.isdigit() and len(digits) == 4 and digits[:2] in ("19", "20")
