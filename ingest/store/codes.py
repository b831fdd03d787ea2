"""Four bits a number of the vectors in an index's lists: a first choice among them, after which the best are compared.

FAISS takes some 120 ns to compare a question with one vector of 384 half floats, while it goes through the codes of 32
vectors at once in registers ("Quicker ADC", André et al. 2019). A code stands for what a number differs by from that of
its list's centroid, in standard deviations of its dimension: one of the 16 levels that lose least of a normal
distribution (Max 1960). So nothing is learned, and the codes follow from the index alone.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from blake3 import blake3

from h3cold.ingest.store.arrays import map_arrays, write_arrays
from h3cold.schemas.errors import CorruptionError

ROLE = "blocks.codes"

LEVELS = np.array([0.1284, 0.3881, 0.6568, 0.9423, 1.2562, 1.6180, 2.0690, 2.7326], np.float32)
"""Of a normal distribution, above its mean; as many lie below it."""

FINE = 64
"""Steps a standard deviation by which a number's level is looked up."""

SAMPLE = 1 << 16
"""Vectors that means and deviations are worked out from, about."""

TOGETHER = 32
"""Vectors in one block of codes: FAISS's `bbs`."""

_HALF = np.array([0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15])
"""The order that FAISS has the vectors of half a block in."""

Floats = np.ndarray[Any, np.dtype[np.float32]]
Ints = np.ndarray[Any, np.dtype[np.int64]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]


def has_codes(index: Any) -> bool:
    """Whether codes are kept of an index: one whose lists hold whole vectors, of a number of dimensions that fits."""
    import faiss

    return isinstance(index, faiss.IndexIVFScalarQuantizer) and index.d % 2 == 0


def write_codes(path: Path, index: Any) -> None:
    """Write the codes of an index's lists.

    Arrays: `spread` [2, d] is the mean and the standard deviation by which numbers differ from their centroids',
    `sizes` [lists] how many vectors there are, `codes` the lists in turn, as `open_codes` has FAISS read them.

    Raises:
        StoreError: the file cannot be written.
    """
    centroids = index.quantizer.reconstruct_n(0, index.nlist)
    sizes = _sizes(index)
    spread = _spread(index, centroids, sizes)
    starts = _starts(sizes, index.d)
    codes = np.zeros(starts[-1], np.uint8)
    for number in np.flatnonzero(sizes).tolist():
        codes[starts[number] : starts[number + 1]] = _list_codes(index, number, centroids[number], spread)
    told = blake3(spread.tobytes()).hexdigest()
    write_arrays(path, {"spread": spread, "sizes": sizes, "codes": codes}, {"spread": told})


def open_codes(path: Path, index: Any) -> Any:
    """A FAISS index of the codes in the file, which is mapped: of the lists and rows of `index`, which must live on.

    Raises:
        StoreError: the file cannot be read.
        CorruptionError: it is damaged otherwise than in the codes, or of another index.
    """
    import faiss

    sizes, spread, codes = _read(path, index)
    begin = _starts(sizes, index.d)[:-1] + path.stat().st_size - len(codes)
    untyped: Any = faiss
    out = untyped.IndexIVFPQFastScan(index.quantizer, index.d, index.nlist, index.d, 4, index.metric_type, TOGETHER)
    out.by_residual = True
    levels = spread[0, :, None] + spread[1, :, None] * _both()
    untyped.copy_array_to_vector(levels.astype(np.float32).reshape(-1), out.pq.centroids)
    out.is_trained, out.ntotal, out.nprobe = True, index.ntotal, index.nprobe
    lists = untyped.OnDiskInvertedLists()
    lists.nlist, lists.code_size, lists.read_only = index.nlist, out.code_size, True
    lists.filename, lists.totsize = str(path), path.stat().st_size
    lists.lists.resize(index.nlist)
    places = np.stack([sizes, -(-sizes // TOGETHER) * TOGETHER, begin], axis=1).astype(np.uint64)
    untyped.memcpy(lists.lists.data(), untyped.swig_ptr(places), places.nbytes)
    lists.do_mmap()
    out.replace_invlists(lists, True)
    lists.this.disown()
    return out


def wrong_list(path: Path, index: Any, *, sample: int) -> int | None:
    """The first of some lists, spread over the index, whose codes are not those of its vectors; None if there is none.

    Raises:
        StoreError: the file cannot be read.
        CorruptionError: as `open_codes`.
    """
    sizes, spread, codes = _read(path, index)
    starts = _starts(sizes, index.d)
    for number in np.unique(np.linspace(0, index.nlist - 1, sample).astype(int)).tolist():
        centroid = index.quantizer.reconstruct(number)
        own = codes[starts[number] : starts[number + 1]]
        if sizes[number] and not np.array_equal(own, _list_codes(index, number, centroid, spread)):
            return number
    return None


def _read(path: Path, index: Any) -> tuple[Ints, Floats, Bytes]:
    """The arrays, which are of this index and whole, but perhaps for the codes themselves."""
    arrays, notes = map_arrays(path)
    sizes, spread, codes = (arrays.get(name, np.empty(0)) for name in ("sizes", "spread", "codes"))
    fits = np.array_equal(sizes, _sizes(index)) and spread.shape == (2, index.d)
    if not fits or len(codes) != _starts(sizes, index.d)[-1]:
        raise CorruptionError(f"{path}: codes of another index; see h3-monitor --verify --repair")
    if blake3(spread.tobytes()).hexdigest() != notes.get("spread"):
        raise CorruptionError(f"{path}: its content is not what was written; see h3-monitor --verify --repair")
    return sizes, spread, codes


def _sizes(index: Any) -> Ints:
    return np.array([index.invlists.list_size(number) for number in range(index.nlist)], np.int64)


def _starts(sizes: Ints, d: int) -> Ints:
    """Where each list begins among the codes, and where the last one ends [lists + 1]."""
    room = -(-sizes // TOGETHER) * TOGETHER * (d // 2) + -(-sizes // 8) * 64
    return np.concatenate([[0], np.cumsum(room)])


def _spread(index: Any, centroids: Floats, sizes: Ints) -> Floats:
    step = max(1, int(sizes.sum()) // SAMPLE)
    apart = [_list(index, number, step)[1] - centroids[number] for number in np.flatnonzero(sizes).tolist()]
    every = np.concatenate(apart) if apart else np.zeros((1, index.d), np.float32)
    return np.stack([every.mean(axis=0), np.maximum(every.std(axis=0), np.float32(1e-6))])


def _list(index: Any, number: int, step: int = 1) -> tuple[Ints, Floats]:
    """Rows [n] and vectors [n, d] of a list, or of each that is `step` from the one before."""
    import faiss

    size, lists = index.invlists.list_size(number), index.invlists
    untyped: Any = faiss
    rows = untyped.rev_swig_ptr(lists.get_ids(number), size)[::step]
    halves = untyped.rev_swig_ptr(lists.get_codes(number), size * lists.code_size).view(np.float16)
    return rows, halves.reshape(size, -1)[::step].astype(np.float32)


def _list_codes(index: Any, number: int, centroid: Floats, spread: Floats) -> Bytes:
    """A list as it lies among the codes: by block and dimension two vectors a byte, then the rows of all."""
    rows, vectors = _list(index, number)
    n, d = vectors.shape
    steps = (vectors - (centroid + spread[0])) * (FINE / spread[1]) + 4 * FINE
    blocks = np.zeros((-(-n // TOGETHER), TOGETHER, d), np.uint8)
    blocks.reshape(-1, d)[:n] = _code_of_step()[np.clip(steps, 0, 8 * FINE - 1).astype(np.int16)]
    packed = blocks[:, _HALF] | blocks[:, _HALF + TOGETHER // 2] << 4
    own = np.zeros(-(-n // 8) * 8, np.int64)
    own[:n] = rows
    return np.concatenate([packed.transpose(0, 2, 1).reshape(-1), own.view(np.uint8)])


def _both() -> Floats:
    return np.concatenate([-LEVELS[::-1], LEVELS])


@cache
def _code_of_step() -> Bytes:
    """The code of each step, from 4 standard deviations below the mean to 4 above."""
    middles = (np.arange(8 * FINE) + 0.5) / FINE - 4
    return np.searchsorted((_both()[1:] + _both()[:-1]) / 2, middles).astype(np.uint8)
