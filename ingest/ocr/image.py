"""From a page to a straight grey picture: rendering, turning, deskewing."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pymupdf
from numpy.typing import NDArray
from PIL import Image

from h3cold.ingest.ocr.engines import Grey
from h3cold.schemas.geometry import BBox

DPI = 200
MAX_PIXELS = 12_000_000
"""Pages that would take more at `DPI` are rendered smaller."""

INK_SIDE = 1000
"""Long side of the reduced picture on which lines of text are looked for, in pixels."""
MAX_SKEW = 5.0
CELL = 2.0
"""Side in millimetres of the squares that a stroke of a letter does not fill."""
COLOURED = 0.003
SOLID = 0.01
"""Shares of a picture in colour, and of its squares that are dark all over, up to which it is print on paper."""
SHORTEST_RULE = 0.03
"""Share of the long side from which a straight dark run is a ruling line."""
LEAST_SKEW = 0.25
"""Degrees below which turning the picture costs more sharpness than it gains."""


class Rendering(NamedTuple):
    """`image` is the part of the page from `origin` (points) on, at `scale` pixels a point."""

    image: Grey
    origin: tuple[float, float]
    scale: float


class Layout(NamedTuple):
    """How text lies on a picture: `sideways` when its lines run up or down, `sure` when there is no doubt of it,
    `skew` in degrees by which the lines (laid level) fall to the right."""

    sideways: bool
    sure: bool
    skew: float


def render(page: pymupdf.Page, clip: BBox | None = None) -> Rendering:
    """Render a page, or the part of it in `clip` (points as displayed), in grey."""
    area = page.rect if clip is None else pymupdf.Rect(clip) & page.rect
    if area.is_empty:
        return Rendering(np.full((1, 1), 255, np.uint8), (area.x0, area.y0), 1.0)
    scale = min(DPI / 72, math.sqrt(MAX_PIXELS / (area.width * area.height)))
    pixmap = page.get_pixmap(
        matrix=pymupdf.Matrix(scale, scale), clip=area, colorspace=pymupdf.csGRAY, alpha=False, annots=True
    )
    rows = np.frombuffer(pixmap.samples_mv, np.uint8).reshape(pixmap.height, pixmap.stride)
    return Rendering(rows[:, : pixmap.width].copy(), (pixmap.x / scale, pixmap.y / scale), scale)


def ink(image: Grey) -> NDArray[np.bool_]:
    """Dark pixels of `image` reduced to at most `INK_SIDE` pixels; white print on black counts as dark on white."""
    factor = max(1, math.ceil(max(image.shape) / INK_SIDE))
    height, width = (n // factor * factor for n in image.shape)
    if not height or not width:
        return np.zeros((1, 1), np.bool_)
    blocks = image[:height, :width].reshape(height // factor, factor, width // factor, factor)
    small = blocks.mean(axis=(1, 3), dtype=np.float32)
    cut = _otsu(small)
    if small.max() - small.min() < 32:
        return np.zeros(small.shape, np.bool_)
    dark: NDArray[np.bool_] = small <= cut
    return ~dark if dark.mean() > 0.5 else dark


def _otsu(values: NDArray[np.float32]) -> float:
    """Otsu's threshold (IEEE Trans. SMC 9(1), 1979): the cut that parts grey levels best in two classes."""
    counts = np.bincount(values.astype(np.uint8).ravel(), minlength=256).astype(np.float64)
    weight = np.cumsum(counts)
    total = np.cumsum(counts * np.arange(256))
    with np.errstate(divide="ignore", invalid="ignore"):
        between = (total[-1] * weight / weight[-1] - total) ** 2 / (weight * (weight[-1] - weight))
    return float(np.nanargmax(np.where(np.isfinite(between), between, -1)))


def layout_of(image: Grey) -> Layout:
    """Whether lines of text run across or up the picture, and how far they lean, by projection profiles.

    The rows of a page of level text alternate sharply between ink and none; the sum of squared differences of
    neighbouring rows peaks where the picture is straight (Postl, US patent 4723297).
    """
    dark = ink(image)
    ys, xs = np.nonzero(dark)
    if len(ys) < 50:
        return Layout(False, False, 0.0)
    across, skew = _best_profile(ys, xs)
    along, skew_up = _best_profile(xs, dark.shape[0] - 1 - ys)
    sideways = along > across * 1.1
    sure = max(across, along) > 1.5 * min(across, along)
    return Layout(sideways, sure, skew_up if sideways else skew)


def _best_profile(rows: NDArray[np.intp], columns: NDArray[np.intp]) -> tuple[float, float]:
    def sharpness(angle: float) -> float:
        level = np.rint(rows - columns * math.tan(math.radians(angle))).astype(np.int64)
        profile = np.bincount(level - level.min()).astype(np.float64)
        return float(np.square(np.diff(profile)).sum() / len(rows))

    straight = sharpness(0.0)
    coarse = max(np.arange(-MAX_SKEW, MAX_SKEW + 0.1, 0.5), key=sharpness)
    fine = max(np.arange(coarse - 0.4, coarse + 0.41, 0.1), key=sharpness)
    best = sharpness(float(fine))
    # A picture without lines of text has a peak somewhere, but a flat one.
    return (best, float(fine)) if best > 1.15 * straight and abs(fine) >= LEAST_SKEW else (straight, 0.0)


def straighten(image: Grey, *, turn: int, skew: float) -> Grey:
    """Turn `image` clockwise by `turn` (a multiple of 90 degrees), then take out `skew` around its middle."""
    turned = np.ascontiguousarray(np.rot90(image, -turn // 90))
    if not skew:
        return turned
    level = Image.fromarray(turned).rotate(skew, resample=Image.Resampling.BICUBIC, fillcolor=int(np.median(turned)))
    return np.asarray(level)


def is_plain(page: pymupdf.Page, clip: BBox | None = None) -> bool:
    """Whether the page, or the part of it in `clip`, is dark print on white paper: no colour, no shaded areas."""
    area = page.rect if clip is None else pymupdf.Rect(clip) & page.rect
    if area.is_empty:
        return True
    scale = min(100 / 72, math.sqrt(MAX_PIXELS / 4 / (area.width * area.height)))
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), clip=area, colorspace=pymupdf.csRGB, alpha=False)
    rows = np.frombuffer(pixmap.samples_mv, np.uint8).reshape(pixmap.height, pixmap.stride)
    colours = rows[:, : 3 * pixmap.width].reshape(pixmap.height, pixmap.width, 3)
    high, low = colours.max(axis=2), colours.min(axis=2)
    if float((high - low > 64).mean()) > COLOURED:
        return False
    side = max(2, round(CELL / 25.4 * 72 * scale))
    height, width = (n // side * side for n in high.shape)
    cells = high[:height, :width].reshape(height // side, side, width // side, side)
    return not cells.size or float((cells.max(axis=(1, 3)) < 200).mean()) <= SOLID


def rules_of(image: Grey) -> list[tuple[float, float, float, float, float]]:
    """Ruling lines of a straight picture: x0, y0, x1, y1 along their middle and their width, in pixels."""
    paper = float(np.median(image))
    # a page is as light as most of it is; on a dark one the rules are the light lines
    dark = image < min(160, paper - 50) if paper >= 128 else image > paper + 50
    least = max(24, int(SHORTEST_RULE * max(image.shape)))
    across = [(x0, y, x1, y, w) for x0, y, x1, w in _runs(dark, least)]
    return across + [(x, y0, x, y1, w) for y0, x, y1, w in _runs(np.ascontiguousarray(dark.T), least)]


def _runs(dark: NDArray[np.bool_], least: int) -> list[tuple[float, float, float, float]]:
    """Long dark runs of neighbouring rows, put together: start, middle row, end, thickness."""
    sums = np.zeros((dark.shape[0], dark.shape[1] + 1), np.int32)
    np.cumsum(dark, axis=1, out=sums[:, 1:])
    if sums.shape[1] <= least:
        return []
    full = sums[:, least:] - sums[:, :-least] >= 0.95 * least
    out: list[list[float]] = []
    for row in np.flatnonzero(full.any(axis=1)):
        edges = np.flatnonzero(np.diff(np.concatenate(([0], full[row].astype(np.int8), [0]))))
        for start, stop in zip(edges[::2], edges[1::2], strict=True):
            end = stop - 1 + least
            near = next((r for r in reversed(out) if r[2] >= row - 2 and start < r[3] and end > r[0]), None)
            if near is None:
                out.append([float(start), float(row), float(row), float(end)])
            else:
                near[0], near[2], near[3] = min(near[0], start), float(row), max(near[3], end)
    # a thick one is a dark area, not a line
    thick = 0.3 * least
    return [(x0, (top + foot) / 2, x1, foot - top + 1) for x0, top, foot, x1 in out if foot - top < thick]
