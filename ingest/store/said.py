"""The index of what blocks say, from which recall reads its hits.

Derived from the table `blocks`, one file a snapshot (`blocks.said`), mapped by whoever recalls: Lance takes 2 to 9 ms
to read six columns of five hits. Row i belongs to the i-th block in order of id, as in the other indexes. Its arrays:
`said`, of row i from `said_at[i]` to `said_at[i + 1]`, the text that the block's digest is of (see `rows.said_text`),
deflated; `digests`, those digests.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from blake3 import blake3

from h3cold.ingest.store.arrays import Array, map_arrays, write_arrays
from h3cold.ingest.store.checksums import Checksums
from h3cold.ingest.store.rows import DIGEST, SAID, said_row, said_text
from h3cold.ingest.store.words import Lists, taken
from h3cold.schemas.errors import CorruptionError, StoreError

ROLE = "blocks.said"
BATCH = 4096
LEVEL = 3
"""Of zlib. Blocks of reports come to .37 of their length, by its best level to .36."""


class Said(NamedTuple):
    """The opened index."""

    path: Path
    texts: Lists
    digests: Array


def build_said_index(
    store: Path, blocks: Any, *, snapshot: int, former: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Index what the rows of the `blocks` dataset say; returns role -> path below the store for the manifest.

    Blocks that are as they were in `former` (files by role of the snapshot before) are not read anew.

    Raises:
        StoreError: the file cannot be written.
    """
    relative = Path("index") / str(snapshot) / ROLE
    write_arrays(store / relative, _make(blocks, _former(store, former or {})), {})
    return {ROLE: relative.as_posix()}


def _former(store: Path, files: Mapping[str, str]) -> Said | None:
    if ROLE not in files or not Checksums(store).hold([files[ROLE]]):
        return None
    try:
        return open_said(store / files[ROLE])
    except StoreError:  # it is derived
        return None


def _make(blocks: Any, former: Said | None) -> dict[str, Array]:
    """Arrays of the index of a `lance.LanceDataset` of blocks."""
    rows = blocks.to_table(columns=["id", "digest"], with_row_id=True).sort_by("id")
    digests = np.array(rows["digest"].to_pylist(), dtype=f"S{2 * DIGEST}")
    known = {} if former is None else {digest: row for row, digest in enumerate(former.digests.tolist())}
    old = np.array([known.get(digest, -1) for digest in digests.tolist()], np.int64)
    new = np.flatnonzero(old < 0)
    made = [zlib.compress(text, LEVEL) for text in _texts(blocks, rows["_rowid"].to_numpy()[new])]
    parts = [np.frombuffer(b"".join(made), np.uint8)]
    sizes = np.zeros(len(old), np.int64)
    sizes[new] = [len(text) for text in made]
    place = np.zeros(len(old), np.int64)  # among the new ones, then the old ones
    place[new] = np.arange(len(new))
    if former is not None and len(new) < len(old):
        kept = taken(former.texts, old[old >= 0])
        parts.append(kept.flat)
        sizes[old >= 0] = np.diff(kept.at)
        place[old >= 0] = len(new) + np.arange(len(old) - len(new))
    order = np.argsort(place, kind="stable")
    both = Lists(np.concatenate(parts), np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes[order])]))
    found = both if len(parts) == 1 else taken(both, place)
    return {"said": found.flat, "said_at": found.at, "digests": digests}


def _texts(blocks: Any, rowids: Array) -> Iterator[bytes]:
    for start in range(0, len(rowids), BATCH):
        batch = blocks._take_rows(rowids[start : start + BATCH].tolist(), columns=list(SAID))
        yield from map(said_text, batch.to_pylist())


def open_said(path: Path) -> Said:
    """Map the index.

    Raises:
        StoreError: the file cannot be read.
        CorruptionError: it is not such a file, or not all of it.
    """
    arrays, _ = map_arrays(path)
    try:
        texts, digests = Lists(arrays["said"], arrays["said_at"]), arrays["digests"]
        kinds = [(array.dtype, array.ndim) for array in (*texts, digests)]
        whole = kinds == [("u1", 1), ("i8", 1), (f"S{2 * DIGEST}", 1)] and len(texts.at) == len(digests) + 1
    except KeyError:
        whole = False
    if not whole:
        raise CorruptionError(f"{path}: the index does not load; see h3-monitor --verify --repair")
    return Said(path, texts, digests)


def read_said(said: Said, row: int) -> dict[str, Any]:
    """What the block of a row says: the columns `SAID` of the table.

    Raises:
        CorruptionError: it is not what was written.
    """
    start, end = said.texts.at[row : row + 2].tolist()
    try:
        text = zlib.decompress(said.texts.flat[start:end].data)
    except zlib.error:
        text = b""
    if blake3(text).hexdigest(DIGEST).encode() != said.digests[row]:
        raise CorruptionError(
            f"{said.path}: what it has for row {row} is not what was written; see h3-monitor --verify --repair"
        )
    return said_row(text)
