"""An index that keeps all vectors as they are, read without FAISS, which takes a tenth of a second to load.

FAISS's layout of one that compares by inner products (`IndexFlatIP`), little-endian: "IxFI", i32 dimensions, i64 rows,
two i64 of no use, u8 whether it was trained, i32 metric (0), u64 numbers; then those, float32.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

Floats = np.ndarray[Any, np.dtype[np.float32]]
Ints = np.ndarray[Any, np.dtype[np.int64]]
_HEADER = struct.Struct("<4siqqqBiQ")
_LINE = 64
"""Bytes that vectors begin on a multiple of; in the file they do not even on one of 4."""


class FlatVectors(NamedTuple):
    """The vectors [n, d], with as much of FAISS's ways as recall goes."""

    vectors: Floats

    @property
    def d(self) -> int:
        """Length of a vector."""
        return self.vectors.shape[1]

    @property
    def ntotal(self) -> int:
        """Number of vectors."""
        return self.vectors.shape[0]

    def reconstruct_batch(self, rows: Ints) -> Floats:
        """The vectors of these rows."""
        return self.vectors[rows]


def read_flat(path: Path, rows: int) -> FlatVectors | None:
    """The vectors of the index at `path`, if it is such a one, whole, and of so many rows.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb", buffering=0) as file:
        head = file.read(_HEADER.size)
        if len(head) < _HEADER.size:
            return None
        kind, d, n, _, _, _, metric, numbers = _HEADER.unpack(head)
        size = 4 * n * d
        whole = kind == b"IxFI" and metric == 0 and d > 0 and n == rows and numbers == n * d
        if not whole or os.fstat(file.fileno()).st_size != len(head) + size:
            return None
        room = np.empty(size + _LINE, np.uint8)
        start = -int(room.__array_interface__["data"][0]) % _LINE
        vectors = room[start : start + size]
        at, view = 0, vectors.data
        while at < size:
            read = file.readinto(view[at:])
            if not read:
                return None
            at += read
    return FlatVectors(vectors.view("<f4").reshape(n, d))
