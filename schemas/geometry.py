"""Boxes on a page: PDF points, origin top-left, of the page as displayed (rotation applied)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

BBox = tuple[float, float, float, float]
"""x0, y0, x1, y1 with x0 <= x1 and y0 <= y1."""


@dataclass(frozen=True, slots=True)
class PageBox:
    """A box on a 1-based page, and the span of the owning block's text that it covers.

    `start:end` are character offsets into `Block.text` (0:0 where the box carries no text of its own,
    as a picture does).
    """

    page: int
    bbox: BBox
    start: int = 0
    end: int = 0


def union(boxes: Iterable[BBox]) -> BBox:
    """The smallest box around all of `boxes`.

    Raises:
        ValueError: there is no box.
    """
    if type(boxes) is tuple and len(boxes) == 2:  # most often so
        (ax0, ay0, ax1, ay1), (bx0, by0, bx1, by1) = boxes
        return (ax0 if ax0 < bx0 else bx0, ay0 if ay0 < by0 else by0,
                ax1 if ax1 > bx1 else bx1, ay1 if ay1 > by1 else by1)  # fmt: skip
    rest = iter(boxes)
    first = next(rest, None)
    if first is None:
        raise ValueError("no box to be around")
    x0, y0, x1, y1 = first
    for a, b, c, d in rest:
        x0, y0 = (a if a < x0 else x0), (b if b < y0 else y0)
        x1, y1 = (c if c > x1 else x1), (d if d > y1 else y1)
    return (x0, y0, x1, y1)


def area(box: BBox) -> float:
    """Area in square points; 0 for an inverted or empty box."""
    x0, y0, x1, y1 = box
    return (x1 - x0) * (y1 - y0) if x1 > x0 and y1 > y0 else 0.0


def overlap(a: BBox, b: BBox) -> float:
    """Area of the intersection in square points."""
    ax0, ay0, ax1, ay1 = a
    bx0, by0, bx1, by1 = b
    wide = (ax1 if ax1 < bx1 else bx1) - (ax0 if ax0 > bx0 else bx0)
    if wide <= 0:
        return 0.0
    tall = (ay1 if ay1 < by1 else by1) - (ay0 if ay0 > by0 else by0)
    return wide * tall if tall > 0 else 0.0


def iou(a: BBox, b: BBox) -> float:
    """Intersection over union, 0..1."""
    both = overlap(a, b)
    return both / (area(a) + area(b) - both) if both else 0.0


def inside(a: BBox, b: BBox) -> float:
    """Share of `a`'s area that lies in `b`, 0..1."""
    both = overlap(a, b)
    return both / area(a) if both else 0.0
