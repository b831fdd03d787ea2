"""What is kept of a block's token vectors: means of runs of `RUN` tokens, and `DRAWN` tokens as they are, as bytes.

Token vectors are had when a block is embedded and never again, but what they are compressed by is learned from all
of the store. A projection of a mean is the mean of the projections, so that runs can be projected later as tokens
would have been; the tokens as they are tell what a projection loses of them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

RUN = 64
DRAWN = 1
LEAST_SCALE = 1e-4
"""Half floats below it lose their figures."""

Floats = npt.NDArray[np.float32]


def runs_of(states: Floats) -> Floats:
    """Token vectors [tokens, d] as means of runs of nearly equal length, [runs, d]; their mean is about the text's."""
    count = -(-len(states) // RUN)
    edges = np.linspace(0, len(states), count + 1).round().astype(int)
    return np.asarray(np.add.reduceat(states, edges[:-1], axis=0) / np.diff(edges)[:, None], dtype=np.float32)


def packed(states: Floats) -> bytes:
    """Runs and drawn tokens: a half float each for its scale, then a byte for each number."""
    picked = states[np.linspace(0, len(states) - 1, DRAWN + 2).round().astype(int)[1:-1]]
    rows = np.concatenate([runs_of(states), picked])
    scales = np.maximum(np.abs(rows).max(axis=1) / 127, LEAST_SCALE).astype("<f2")
    codes = np.rint(np.clip(rows / scales[:, None].astype(np.float32), -127, 127)).astype(np.int8)
    return scales.tobytes() + codes.tobytes()


def unpacked(data: bytes, dimension: int) -> tuple[Floats, Floats]:
    """Runs [runs, d] and drawn tokens [DRAWN, d] again.

    Raises:
        ValueError: these are not such bytes.
    """
    rows, rest = divmod(len(data), 2 + dimension)
    if rest or rows <= DRAWN:
        raise ValueError(f"{len(data)} bytes are no runs of {dimension} dimensions")
    scales = np.frombuffer(data, "<f2", rows).astype(np.float32)
    out = np.frombuffer(data, np.int8, offset=2 * rows).reshape(rows, dimension) * scales[:, None]
    return out[:-DRAWN], out[-DRAWN:]
