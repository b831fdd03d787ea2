"""Which boxes lie close to each other, and the boxes around those that do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from h3cold.schemas.geometry import BBox, union


def within(a: BBox, b: BBox) -> bool:
    """Whether `a` lies in `b`, give or take a point."""
    return b[0] - 1 <= a[0] and a[2] <= b[2] + 1 and b[1] - 1 <= a[1] and a[3] <= b[3] + 1


def touch(a: BBox, b: BBox, gap: float) -> bool:
    """Whether two boxes are at most `gap` points apart."""
    return a[0] <= b[2] + gap and b[0] <= a[2] + gap and a[1] <= b[3] + gap and b[1] <= a[3] + gap


def merged(boxes: Iterable[BBox], gap: float) -> list[BBox]:
    """Boxes no further than `gap` points apart made one, until none is left to join.

    Boxes are binned to a coarse raster first, so that thousands of small pieces cost little.
    """
    cells: dict[tuple[int, int], BBox] = {}
    large: list[BBox] = []
    step = 12.0
    for b in boxes:
        if b[2] - b[0] > step or b[3] - b[1] > step:
            large.append(b)
        else:
            key = (int((b[0] + b[2]) / 2 / step), int((b[1] + b[3]) / 2 / step))
            cells[key] = union((cells[key], b)) if key in cells else b
    out = list(dict.fromkeys([*large, *cells.values()]))
    changed = True
    while changed:
        changed = False
        out.sort()
        done: list[BBox] = []
        for b in out:
            for k in range(len(done) - 1, -1, -1):
                if touch(done[k], b, gap):
                    done[k] = union((done[k], b))
                    changed = True
                    break
            else:
                done.append(b)
        out = done
    return out


def any_level(left: Sequence[BBox], right: Sequence[BBox]) -> bool:
    """Whether a box of one side stands beside one of the other, over a fifth of the height of the lower of them."""
    return any(min(a[3], b[3]) - max(a[1], b[1]) > 0.2 * min(a[3] - a[1], b[3] - b[1]) for a in left for b in right)
