"""Where a text changes its topic: edges in the series of its blocks' vectors that show at several scales at once.

The undecimated Haar transform of the series at scale s differs the means of the s blocks after a place and the s before
it. A change of topic is an edge that keeps its size from scale to scale, where noise loses it; the product across
scales tells them apart (Mallat & Zhong, 1992, "Characterization of signals from multiscale edges", IEEE TPAMI 14;
Sadler & Swami, 1999, "Analysis of multiscale products for step detection", IEEE Trans. Inf. Theory 45).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

SCALES = (2, 4, 8)

Floats = npt.NDArray[np.float32]


def shifts(vectors: Floats) -> Floats:
    """How much the topic changes before each block but the first, float32 [n - 1], 0 to 1 for the strongest."""
    count = len(vectors)
    if count < 2:
        return np.zeros(0, np.float32)
    sums = np.concatenate([np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0, dtype=np.float64)])
    at = np.arange(1, count)
    log = np.zeros(count - 1)
    for scale in SCALES:
        before, after = np.maximum(at - scale, 0), np.minimum(at + scale, count)
        left = (sums[at] - sums[before]) / (at - before)[:, None]
        right = (sums[after] - sums[at]) / (after - at)[:, None]
        # The mean of fewer blocks, at the ends, is less sure: its edge counts less.
        sure = np.sqrt(2 * (at - before) * (after - at) / (scale * (after - before)))
        log += np.log(np.linalg.norm(right - left, axis=1) * sure + 1e-9)
    out = np.exp(log / len(SCALES))
    return (out / max(float(out.max()), 1e-9)).astype(np.float32)
