"""Rows that have the same label under different ones: "Due to weather" below "Delayed" and below "Cancelled"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from h3cold.recall.cells import DIGITS, amount, sort_of
from h3cold.recall.table_rows import Row, is_sum
from h3cold.recall.understand import tokens_of
from h3cold.schemas.hit import STEP
from h3cold.schemas.page import Table

INSET = 2.0
"""Points that a row begins further right than the one that it is a part of, at least."""

NEAR_ENOUGH = 0.005
"""Share of a sum that its parts may miss it by: they are rounded."""


def with_groups(rows: Sequence[Row], grid: Sequence[Sequence[str]], table: Table) -> list[Row]:
    """Rows of one label that stand under no heading, each under the row above whose parts they are.

    A label that comes again begins a new part of the table, and the row right above it names that part, if its own
    label is told once, and what follows adds up to it, stands further right or is the same in every part.
    """
    if len({row.label for row in rows}) == len(rows):
        return list(rows)
    seen = Counter(row.label for row in rows if not row.empty and not row.paired)
    again = {label for label, count in seen.items() if count > 1 and not is_sum(label)}
    if not again:
        return list(rows)
    rows = _first_cells(rows, grid, again)
    open_ = [row.label in again and not row.group and not row.empty and not row.paired for row in rows]
    parts = _parts(rows, open_)
    alike = _alike(rows, open_, parts)
    lefts = {cell.row: cell.bbox[0] for cell in table.cells if cell.col == 0}
    spans: dict[int, range] = {}  # of the rows of each part that are proven to be parts of the row above it
    for start, end in parts:
        above = rows[start - 1] if start else None
        if above is None or end <= start or above.label in again or above.paired or above.empty:
            continue
        if above.col != rows[start].col:
            continue
        inset = next((n for n in range(start, end) if not _further_in(rows[n], above, lefts)), end)
        summed = _adds_up(grid[above.number], [grid[row.number] for row in rows[start:end]])
        spans[start] = range(start, max(inset, start + summed))
    proven = {rows[start].label for start, span in spans.items() if span}
    out = list(rows)
    for start, end in parts:
        if start in spans and (alike or rows[start].label in proven):
            for at in range(start, end):
                if open_[at] or (at in spans[start] and not rows[at].group):
                    out[at] = rows[at]._replace(group=rows[start - 1].label)
    return out


def _further_in(row: Row, above: Row, lefts: Mapping[int, float]) -> bool:
    return lefts.get(row.number, 0.0) > lefts.get(above.number, 0.0) + INSET


def _parts(rows: Sequence[Row], open_: Sequence[bool]) -> list[tuple[int, int]]:
    """Where each part of a table begins that has labels which come again, and where it ends."""
    starts: list[int] = []
    met: set[str] = set()
    for at, row in enumerate(rows):
        if open_[at]:
            if not starts or row.label in met:
                starts.append(at)
                met = set()
            met.add(row.label)
    return [(a, b - 1) for a, b in pairwise([*starts, len(rows) + 1])]


def _alike(rows: Sequence[Row], open_: Sequence[bool], parts: Sequence[tuple[int, int]]) -> bool:
    """Whether all parts begin with one label, and two labels or more are in each of them."""
    labels = [[rows[at].label for at in range(*part) if open_[at]] for part in parts]
    return (
        len(parts) > 1
        and all(labels)
        and len({every[0] for every in labels}) == 1
        and len(set(labels[0]).intersection(*labels)) > 1
    )


def _adds_up(above: Sequence[str], below: Sequence[Sequence[str]]) -> int:
    """How many of the rows below, two or more, make up in any column the amount above; 0 where none do."""
    for col, text in enumerate(above):
        whole = amount(text)
        if not whole:
            continue
        said = 0.0
        for n, row in enumerate(below):
            said += amount(row[col]) or 0.0
            if n and abs(said - whole) <= NEAR_ENOUGH * abs(whole):
                return n + 1
    return 0


def _first_cells(rows: Sequence[Row], grid: Sequence[Sequence[str]], again: set[str]) -> list[Row]:
    """Rows whose first cell names a group once, the cells below it empty: of the second cell's label, under the first.

    Only where every row has a label there, and one of these comes again: a name may have its title beside it.
    """
    blank = [row for row in rows if row.col == 1 and not row.group]
    first = [row for row in rows if row.col == 0 and len(grid[row.number]) > 1]
    if not blank or not first or not any(row.label in again for row in blank):
        return list(rows)
    seconds = [grid[row.number][1] for row in rows]
    if any(row.col > 1 or row.paired for row in rows) or not all(map(_is_label, seconds)):
        return list(rows)
    out, group = [], ""
    for row in rows:
        if row.col == 0:
            group, own = row.label, " ".join(grid[row.number][1].split())
            row = row._replace(label=own, col=1, group=group)
        out.append(row._replace(group=row.group or group))
    return out


def _is_label(text: str) -> bool:
    """Whether a cell is a label, and no amount or date."""
    return sort_of(text) == "words" and not DIGITS.search(text)


def under_asked(rows: Sequence[Row], chosen: Row, question: frozenset[str]) -> tuple[Row, bool]:
    """Of the rows that have the label of the chosen one, the first whose heading the question names best.

    And whether that leaves it open: another heading is named as well.
    """
    same = [row for row in rows if row.label == chosen.label and row.empty == chosen.empty]
    if len({row.group for row in same}) < 2 or chosen.paired:
        return chosen, False
    said = [len(tokens_of(row.group) & question) for row in same]
    best = chosen if said[same.index(chosen)] == max(said) else same[said.index(max(said))]
    return best, any(n == max(said) and row.group != best.group for n, row in zip(said, same, strict=True))


def label_of(row: Row, rows: Sequence[Row]) -> str:
    """A row's label, under its heading where other rows have the same."""
    if row.group and any(other.label == row.label and other.group != row.group for other in rows):
        return f"{row.group}{STEP}{row.label}"
    return row.label
