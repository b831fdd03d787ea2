"""Lines under one cell of a row that say more about it: parts of that row, not rows of their own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from h3cold.ingest.tables.rows import Atom

if TYPE_CHECKING:
    from h3cold.ingest.tables.cells import Draft

FEWEST = 3
"""Rows with such a line from which they are a table's way of writing."""

ALIGNED = 2.0
"""Points by which a line may begin beside the text that it stands under."""

Filled = Sequence[tuple[int, Sequence[Atom]]]
"""A row's cells that hold something: the first column, and the words."""


def details(rows: Sequence[Filled]) -> dict[int, tuple[int, int]]:
    """For each row that is a line of details, the row it belongs to and the column there; empty unless it is usual.

    Such a line is alone, in words, and begins where a text in the midst of the row above does, right below; that row
    has its label and figures behind the text. Names of sections stand alone as well: over the rows, in any column.
    """
    lone = [len(row) == 1 and not all(a.figure for a in row[0][1]) for row in rows]
    if sum(lone) < FEWEST:
        return {}
    found: dict[int, tuple[int, int]] = {}
    others = 0
    for k, row in enumerate(rows):
        if not lone[k]:
            continue
        owner, column = found.get(k - 1, (k - 1, -1))
        at = -1 if owner < 0 or (lone[owner] and k - 1 not in found) else _place(row[0][1], rows[owner], column)
        if at >= 0 and _close(rows[k - 1], row):
            found[k] = owner, at
        else:
            others += row[0][0] > 0
    owners = {owner for owner, _ in found.values()}
    usual = len(owners) >= FEWEST and others <= 0.25 * len(found)
    return found if usual and not _anew(rows, found) else {}


def with_details(groups: list[list[Draft]]) -> list[list[Draft]]:
    """Rows with the lines of details among them in the cells that they belong to."""
    found = details([[(d.first, d.atoms) for d in group] for group in groups])
    if not found:
        return groups
    for k, (owner, column) in found.items():
        next(d for d in groups[owner] if d.first == column).atoms.extend(groups[k][0].atoms)
    return [group for k, group in enumerate(groups) if k not in found]


def _anew(rows: Sequence[Filled], found: Collection[int]) -> bool:
    """Whether the rows below such lines all open alike ("a", "1."): they count anew under the name of each section."""
    below = [k + 1 for k in found if k + 1 < len(rows) and k + 1 not in found]
    opening = {" ".join(a.text for a in rows[k][0][1]) for k in below}
    return len(below) >= FEWEST and len(opening) == 1


def _place(words: Sequence[Atom], row: Filled, column: int) -> int:
    """The column in which a row has text that begins where `words` do, between its label and figures; or -1."""
    x = min(a.x0 for a in words)
    if len(row) < 3 or row[0][0] > 0:
        return -1
    for n, (first, held) in enumerate(row[1:-1], start=1):
        if column in (-1, first) and abs(min(a.x0 for a in held) - x) < ALIGNED:
            worded = not all(a.figure for a in held)
            return first if worded and any(a.figure for _, own in row[n + 1 :] for a in own) else -1
    return -1


def _close(above: Filled, row: Filled) -> bool:
    """Whether a line stands right below the lines above it."""
    foot = max(a.y1 for _, words in above for a in words)
    top, size = min(a.y0 for a in row[0][1]), row[0][1][0].size
    return -0.5 * size < top - foot < 0.5 * size
