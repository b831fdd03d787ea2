"""FAISS indexes over the store's vectors: derived, one folder a snapshot, rebuildable from the tables.

Row i of an index belongs to line i of the `.ids` file beside it; rows are in order of id, so that the same
rows make the same index whatever way they came into the table.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np

from h3cold.ingest.store.files import write_bytes
from h3cold.schemas.errors import CorruptionError, StoreError

Kind = Literal["auto", "Flat", "IVF", "IVF_PQ"]
FLAT_LIMIT = 77_000_000
IVF_LIMIT = 770_000_000
"""Numbers (vectors x dimensions) up to which `auto` scans them all, and up to which it keeps them whole."""

TRAIN = 39
"""Vectors that FAISS asks for to train one centroid."""


def build_blocks_index(store: Path, blocks: Any, *, snapshot: int, kind: Kind) -> dict[str, str]:
    """Index the `blocks` dataset's vectors; returns role -> path below the store for the manifest.

    Roles: `blocks` (FAISS, inner product) and `blocks.ids`.

    Raises:
        StoreError: the files cannot be written.
    """
    ids, vectors = sorted_vectors(blocks.to_table(columns=["id", "vector"]))
    return write_index(store, "blocks", ids, vectors, snapshot=snapshot, kind=kind)


def sorted_vectors(table: Any) -> tuple[list[str], np.ndarray[Any, np.dtype[np.float32]]]:
    """Ids and float32 vectors [n, d] of a table with the columns id and vector, in order of id."""
    ids = table["id"].to_pylist()
    dimension = table.schema.field("vector").type.list_size
    flat = table["vector"].combine_chunks()
    values = flat.flatten() if hasattr(flat, "flatten") else flat
    vectors = np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float32).reshape(-1, dimension)
    order = sorted(range(len(ids)), key=ids.__getitem__)
    return [ids[i] for i in order], vectors[order]


def write_index(
    store: Path,
    role: str,
    ids: list[str],
    vectors: np.ndarray[Any, np.dtype[np.float32]],
    *,
    snapshot: int,
    kind: Kind = "auto",
) -> dict[str, str]:
    """Write index/<snapshot>/<role>.faiss and .ids for `vectors` [n, d] of unit length.

    Raises:
        StoreError: the files cannot be written.
    """
    import faiss

    relative = Path("index") / str(snapshot) / role
    index = make_index(vectors, kind)
    data = faiss.serialize_index(index).tobytes()
    write_bytes(store / relative.with_suffix(".faiss"), data)
    write_bytes(store / relative.with_suffix(".ids"), "".join(f"{i}\n" for i in ids).encode())
    return {role: relative.with_suffix(".faiss").as_posix(), f"{role}.ids": relative.with_suffix(".ids").as_posix()}


def make_index(vectors: np.ndarray[Any, np.dtype[np.float32]], kind: Kind) -> Any:
    """A FAISS inner-product index of `vectors` [n, d].

    `auto` takes Flat, IVF or IVF_PQ by the number of vectors; too few to train on always make it Flat.
    """
    import faiss

    n, d = vectors.shape
    if kind == "auto":
        kind = "Flat" if n * d <= FLAT_LIMIT else "IVF" if n * d <= IVF_LIMIT else "IVF_PQ"
    lists = min(int(4 * np.sqrt(n)), n // TRAIN)
    if kind == "Flat" or lists < 16 or (kind == "IVF_PQ" and n < TRAIN * 256):
        index: Any = faiss.IndexFlatIP(d)
    else:
        code = "Flat" if kind == "IVF" else f"PQ{_pieces(d)}x8"
        index = faiss.index_factory(d, f"IVF{lists},{code}", faiss.METRIC_INNER_PRODUCT)
        sample = vectors[:: max(1, n // (lists * 64))]
        index.train(np.ascontiguousarray(sample))
        index.nprobe = max(8, lists // 32)
    index.add(np.ascontiguousarray(vectors))
    return index


def _pieces(d: int) -> int:
    """Sub-vectors of product quantisation: 8 dimensions each where they divide evenly."""
    return next(m for m in (d // 8, d // 4, d // 2, d) if m and d % m == 0)


def read_ids(path: Path) -> list[str]:
    """Ids in the order of the index's rows.

    Raises:
        StoreError: the file cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as e:
        raise StoreError(f"{path}: cannot read the index's ids: {e}") from e


def read_index(path: Path, ids: list[str]) -> Any:
    """The FAISS index at `path`, which must have a row for each of `ids`.

    Raises:
        CorruptionError: it does not load, or its size is another.
    """
    import faiss

    try:
        index = faiss.read_index(str(path))
    except RuntimeError as e:
        raise CorruptionError(f"{path}: the index does not load; index the folder again with --rebuild") from e
    if index.ntotal != len(ids):
        raise CorruptionError(f"{path}: {index.ntotal} rows for {len(ids)} ids; index again with --rebuild")
    return index
