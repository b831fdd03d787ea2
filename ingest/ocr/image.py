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
