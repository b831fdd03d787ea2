"""The leading numbers of summaries in `BYTES` bytes: bits go to the numbers that vary most, as many as pays.

Each number is laid on a grid about its mean, of the steps that lose least of a Gaussian (Max, 1960, IRE Trans. Inf.
Theory 6). A bit more goes to where it saves most of the square that is lost, one after another, which is what reverse
water-filling comes to (Cover & Thomas, Elements of Information Theory, 10.3.3). Of a number that gets none, the mean
is left. A code's inner product with a question is a sum over its bits, so that a table of 256 for each byte gives it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

KEPT = 128
"""Leading numbers of a summary that codes are made of: the others hold less than a hundredth of its square."""

BYTES = 48
"""Of a summary that is kept."""

STEP = np.array([0, 1.596, 0.9957, 0.5860, 0.3352, 0.1881, 0.1041, 0.0569, 0.0308], np.float32)
"""By number of bits: the step, in standard deviations."""

LOST = np.array([1, 0.3634, 0.1188, 0.03744, 0.01154, 0.00349, 0.00104, 0.000304, 0.000088])
"""By number of bits: the share of the variance that is lost."""

Floats = npt.NDArray[np.float32]
Codes = npt.NDArray[np.uint8]


class Grid(NamedTuple):
    """What codes are made by, and read: of each of the numbers its `mean`, its `spread` (standard deviation) and its
    `bits`, [KEPT] each; the bits are 8 * BYTES together.
    """

    mean: Floats
    spread: Floats
    bits: npt.NDArray[np.uint8]


def fitted(vectors: Floats) -> Grid:
    """The grid for vectors like these, [n, >= KEPT]."""
    leading = vectors[:, :KEPT].astype(np.float64)
    spread = np.maximum(leading.std(axis=0), 1e-6)
    bits = np.zeros(KEPT, np.int64)
    for _ in range(8 * BYTES):
        saved = spread**2 * (LOST[bits] - np.append(LOST, LOST[-1])[bits + 1])
        bits[int(saved.argmax())] += 1
    return Grid(leading.mean(axis=0).astype(np.float32), spread.astype(np.float32), bits.astype(np.uint8))


def coded(grid: Grid, vectors: Floats) -> Codes:
    """Codes [n, BYTES] of summaries [n, >= KEPT]."""
    number, place = _places(grid)
    steps = np.where(grid.bits > 0, grid.spread * STEP[grid.bits], 1)
    half = 1 << grid.bits.astype(np.int64) >> 1
    found = np.floor((vectors[:, :KEPT] - grid.mean) / steps).astype(np.int64) + half
    found = np.clip(found, 0, np.maximum(2 * half - 1, 0)).astype(np.uint8)
    return np.packbits(found[:, number] >> place & 1, axis=1)


def decoded(grid: Grid, codes: Codes) -> Floats:
    """Summaries' leading numbers [n, KEPT] again, as near as `codes` [n, BYTES] tell."""
    number, place = _places(grid)
    worth = np.zeros((8 * BYTES, KEPT), np.float32)
    worth[np.arange(8 * BYTES), number] = (grid.spread * STEP[grid.bits])[number] * (1 << place)
    return np.unpackbits(codes, axis=1).astype(np.float32) @ worth + _lowest(grid)


def products(grid: Grid, codes: Codes, query: Floats) -> Floats:
    """Inner products [n] of `query` [KEPT] with what `codes` [n, BYTES] stand for."""
    number, place = _places(grid)
    worth = (query * grid.spread * STEP[grid.bits])[number] * (1 << place)
    every = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32)
    tables = (worth.reshape(BYTES, 8).astype(np.float32) @ every.T).astype(np.float32)
    out = np.full(len(codes), float(_lowest(grid) @ query), np.float32)
    for table, column in zip(tables, np.ascontiguousarray(codes.T), strict=True):
        out += table.take(column)
    return out


def _places(grid: Grid) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Of each bit of a code the number that it is of, and its place in it (0 for the lowest)."""
    bits = grid.bits.astype(np.int64)
    ends = np.cumsum(bits)
    number = np.repeat(np.arange(KEPT), bits)
    return number, (ends[number] - 1 - np.arange(int(ends[-1]))).astype(np.uint8)


def _lowest(grid: Grid) -> Floats:
    """What a code of zeros stands for."""
    middle = np.where(grid.bits > 0, (1 << grid.bits.astype(np.int64)) / 2 - 0.5, 0)
    return np.asarray(grid.mean - middle * grid.spread * STEP[grid.bits], dtype=np.float32)
