"""Arrays in one file that is mapped, not read: opening takes no time and memory holds only what is looked at.

Layout: magic, length of the header (u64, little-endian), the header (JSON: notes, and of each array its dtype, shape
and place), then the arrays, each on a multiple of 64 bytes from the file's start, little-endian, in C order.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from h3cold.ingest.store.files import make_folder, sync_folder
from h3cold.schemas.errors import CorruptionError, StoreError

_MAGIC = b"H3ARR001"
_ALIGN = 64
Array = np.ndarray[Any, Any]


def write_arrays(path: Path, arrays: Mapping[str, Array], notes: Mapping[str, Any]) -> None:
    """Replace `path` by these arrays and notes (plain JSON): a reader sees the old file or the new one, never a part.

    Raises:
        StoreError: the file cannot be written.
    """
    places, at = {}, 0
    for name, array in arrays.items():
        places[name] = {"dtype": array.dtype.str, "shape": list(array.shape), "at": at}
        at += -(-array.nbytes // _ALIGN) * _ALIGN
    header = json.dumps({"notes": dict(notes), "arrays": places}, sort_keys=True).encode()
    header += b" " * (-(len(_MAGIC) + 8 + len(header)) % _ALIGN)
    draft = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        make_folder(path.parent)
        with draft.open("wb") as f:
            f.write(_MAGIC + struct.pack("<Q", len(header)) + header)
            for array in arrays.values():
                if array.nbytes:
                    f.write(np.ascontiguousarray(array).data.cast("B"))
                f.write(b"\0" * (-array.nbytes % _ALIGN))
            f.flush()
            os.fsync(f.fileno())
        draft.replace(path)
        sync_folder(path.parent)
    except OSError as e:
        draft.unlink(missing_ok=True)
        raise StoreError(f"{path}: cannot write: {e.strerror or e}") from e


def map_arrays(path: Path) -> tuple[dict[str, Array], dict[str, Any]]:
    """Arrays, read-only, and notes of a file that `write_arrays` wrote.

    Raises:
        StoreError: the file cannot be read.
        CorruptionError: it is not such a file, or not all of it. Whatever lies in one is derived, so that a repair
            makes it anew.
    """
    try:
        raw = np.memmap(path, dtype=np.uint8, mode="r")
        start = len(_MAGIC) + 8
        (size,) = struct.unpack("<Q", bytes(raw[len(_MAGIC) : start]))
        header = json.loads(bytes(raw[start : start + size]))
        if bytes(raw[: len(_MAGIC)]) != _MAGIC:
            raise ValueError("no arrays of ours")
        return {name: _view(raw, start + size, place) for name, place in header["arrays"].items()}, header["notes"]
    except OSError as e:
        raise StoreError(f"{path}: cannot read the index: {e.strerror or e}") from e
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, struct.error) as e:
        raise CorruptionError(f"{path}: the index does not load; see h3-monitor --verify --repair") from e


def same(one: Array, other: Array) -> bool:
    """Whether two arrays have the same bits, which NaNs have, too."""
    return (one.dtype, one.shape) == (other.dtype, other.shape) and one.tobytes() == other.tobytes()


def _view(raw: Array, start: int, place: Mapping[str, Any]) -> Array:
    dtype, shape = np.dtype(place["dtype"]), tuple(place["shape"])
    at, size = start + place["at"], int(np.prod(shape)) * dtype.itemsize
    return np.asarray(raw[at : at + size]).view(dtype).reshape(shape) if size else np.zeros(shape, dtype)
