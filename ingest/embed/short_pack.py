"""Writes by what the short question model's weights differ from the whole model's, in four megabytes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

STEP = 0.5
"""Of a row's root mean square: the step in which changes of matrices are rounded, about 3.8 bits each when compressed.
The rounding error is 2 % of what changed; products of two matrices of rank 96 take more room and leave out more.
"""

_STEPS = 127


def pack(changes: Mapping[str, npt.NDArray[np.float32]], path: Path, *, step: float = STEP) -> None:
    """Write the changes as `e5_short` reads them.

    Matrices are in whole steps with a scale for each row, vectors in float16. Maps, which are whole matrices, have 127
    steps to either side.
    """
    out: dict[str, npt.NDArray[Any]] = {}
    for name in sorted(changes):
        change = changes[name]
        if change.ndim == 1:
            out[name] = change.astype(np.float16)
            continue
        if name.startswith("map."):
            scale = np.abs(change).max(axis=1) / _STEPS
        else:
            scale = step * np.sqrt((change**2).mean(axis=1))
        scale = np.maximum(scale, 1e-12)
        out[f"{name}.scale"] = scale.astype(np.float32)
        out[name] = np.clip(np.rint(change / scale[:, None]), -_STEPS, _STEPS).astype(np.int8)
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **out)
