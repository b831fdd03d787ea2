"""Where the answers of a form may begin: lines cut at their gaps, edges below each other, what nothing crosses."""

from __future__ import annotations

from collections.abc import Sequence

from h3cold.ingest.page_facts import Line

_Ends = tuple[float, float]

EDGE = 2.5
"""Points within which answers begin below each other."""

MOST = 20_000
"""Edges times pieces of a column from which it is no form, but letters set one by one, say."""


def pieces_of(group: Sequence[Line]) -> list[list[Line]]:
    """A visual line cut at its wide gaps."""
    out: list[list[Line]] = []
    for line in group:
        if out and line.bbox[0] - out[-1][-1].bbox[2] < 0.15 * line.size:
            out[-1].append(line)
        else:
            out.append([line])
    return out


def edges_of(pieces: Sequence[Sequence[Sequence[Line]]]) -> list[float]:
    """Where pieces that stand right of others begin below each other, what most have in common. None in a
    column with too much for a form.
    """
    starts = sorted(p[0].bbox[0] for row in pieces for p in row[1:])
    clusters: list[list[float]] = []
    for x in starts:
        if clusters and x - clusters[-1][0] <= EDGE:
            clusters[-1].append(x)
        else:
            clusters.append([x])
    most = max((len(c) for c in clusters), default=0)
    # of several the leftmost: what is right of it are parts of the answer
    found = [c[0] for c in clusters if len(c) >= max(2, 0.5 * most)]
    return found if len(found) * sum(map(len, pieces)) <= MOST else []


def ends_of(pieces: Sequence[Sequence[Sequence[Line]]]) -> list[list[_Ends]]:
    """Where the pieces of each visual line begin and end."""
    return [[(p[0].bbox[0], p[-1].bbox[2]) for p in row] for row in pieces]


def free_runs(ends: Sequence[Sequence[_Ends]], edge: float, taken: Sequence[bool]) -> list[tuple[int, int]]:
    """Visual lines, given by `ends_of`, that follow each other and that nothing crosses at `edge`, with something on
    both sides.
    """
    out: list[tuple[int, int]] = []
    start: int | None = None
    left, right = edge - EDGE, edge - 0.5
    for k, row in enumerate([*ends, []]):
        free = bool(row) and not taken[k] and not [1 for x0, x1 in row if x0 < left and x1 > right]
        if free and start is None:
            start = k
        if not free and start is not None:
            if _both_sides(ends[start:k], left):
                out.append((start, k - 1))
            start = None
    return out


def _both_sides(rows: Sequence[Sequence[_Ends]], edge: float) -> bool:
    """Whether two lines and more have something left of an edge, and two right of it: less is no form."""
    if len(rows) < 2 or sum([row[-1][0] >= edge for row in rows]) < 2:
        return False
    return sum([row[0][0] < edge for row in rows]) >= 2
