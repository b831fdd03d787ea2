"""FAISS indexes over the store's vectors: derived, one folder a snapshot, rebuildable from the tables.

Row i of an index belongs to line i of the `.ids` file beside it; rows are in order of id, so that the same
rows make the same index whatever way they came into the table.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence, Sized
from pathlib import Path
from typing import Any, Literal

import numpy as np

from h3cold.ingest.store.checksums import Checksums
from h3cold.ingest.store.codes import ROLE, has_codes, write_codes
from h3cold.ingest.store.files import write_bytes
from h3cold.ingest.store.said import build_said_index
from h3cold.ingest.store.words import build_words_index
from h3cold.schemas.errors import CorruptionError, StoreError

Kind = Literal["auto", "Flat", "IVF", "IVF_PQ"]
FLAT_LIMIT = 25_000_000
IVF_LIMIT = 770_000_000
"""Numbers (vectors x dimensions) up to which `auto` scans them all, and up to which it keeps them whole."""

TRAIN = 39
"""Vectors that FAISS asks for to train one centroid."""

KNOWN = 0.5
"""Share of the vectors that an index's lists must have been learned from."""

ROW = np.dtype([("sum", "<u8"), ("taught", "?")])
Rows = np.ndarray[Any, Any]
ROWS = "blocks.rows"
"""The file that says of an index with lists which vectors it has, and which of them its lists were learned from."""

Floats = np.ndarray[Any, np.dtype[np.float32]]


def build_blocks_index(
    store: Path, blocks: Any, *, snapshot: int, kind: Kind, former: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Index the vectors, the words and what is said in the `blocks` dataset.

    Returns role -> path below the store for the manifest. What was indexed in `former` (files by role of the snapshot
    before) already is taken from there.

    Raises:
        StoreError: the files cannot be written.
    """
    return {
        **build_vectors_index(store, blocks, snapshot=snapshot, kind=kind, former=former),
        **build_words_index(store, blocks, snapshot=snapshot, former=former),
        **build_said_index(store, blocks, snapshot=snapshot, former=former),
    }


def build_vectors_index(
    store: Path, blocks: Any, *, snapshot: int, kind: Kind, former: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Index the vectors alone. Roles: `blocks` (FAISS, inner product), `blocks.ids`, and with lists `blocks.rows`.

    Where lists hold whole vectors, their codes are written, too, as `blocks.codes` (see `ingest.store.codes`).

    Where `former` (files by role of the snapshot before) has such an index that still fits, only vectors that came or
    went are put in or taken out; a Flat one is a copy of the vectors, which takes no longer to make than to change.

    Raises:
        StoreError: the files cannot be written.
    """
    ids, vectors = sorted_vectors(blocks.to_table(columns=["id", "vector"]))
    n, d = vectors.shape
    rows = None
    if _kind(n, d, kind) == "Flat":
        index = make_index(vectors, kind)
    else:
        kept = None if former is None else _former(store, former)
        updated = None if kept is None else updated_index(*kept, ids, vectors, kind)
        index, rows = updated or (make_index(vectors, kind), _rows(vectors, taught=np.ones(n, np.bool_)))
    files = _write(store, "blocks", ids, index, snapshot=snapshot)
    if rows is None:
        return files
    folder = Path("index") / str(snapshot)
    write_bytes(store / folder / ROWS, rows.tobytes())
    files[ROWS] = (folder / ROWS).as_posix()
    if has_codes(index):
        write_codes(store / folder / ROLE, index)
        files[ROLE] = (folder / ROLE).as_posix()
    return files


def _former(store: Path, files: Mapping[str, str]) -> tuple[Any, list[str], Rows] | None:
    """Index, ids and rows of a former snapshot; None where they are not there, or damaged: they are derived."""
    if not {"blocks", "blocks.ids", ROWS} <= set(files) or not Checksums(store).hold(files.values()):
        return None
    try:
        ids = read_ids(store / files["blocks.ids"])
        rows = np.frombuffer((store / files[ROWS]).read_bytes(), dtype=ROW)
        return (read_index(store / files["blocks"], ids), ids, rows) if len(rows) == len(ids) else None
    except (OSError, ValueError, StoreError):
        return None


def updated_index(
    index: Any, then: Sequence[str], then_rows: Rows, ids: Sequence[str], vectors: Floats, kind: Kind
) -> tuple[Any, Rows] | None:
    """The index of `vectors` [n, d] in order of `ids`, made of that of other rows; None where it is to be learned anew.

    Rows are matched by id and by what the vector was; each entry gets the number of its row anew, so that numbers
    and ids cannot drift apart. The lists are learned anew when their number no longer suits that of the vectors, or
    when most of the vectors came after they were learned.
    """
    import faiss

    n, d = vectors.shape
    lists = _lists(n)
    code = faiss.IndexIVFScalarQuantizer if _kind(n, d, kind) == "IVF" else faiss.IndexIVFPQ
    if type(index) is not code or index.d != d or not 0.7 <= index.nlist / lists <= 1.42:
        return None
    place = {i: row for row, i in enumerate(then)}
    old = np.array([place.get(i, -1) for i in ids])
    rows = _rows(vectors, taught=np.zeros(n, np.bool_))
    same = (old >= 0) & (then_rows["sum"][old] == rows["sum"])
    rows["taught"][same] = then_rows["taught"][old[same]]
    if rows["taught"].mean() < KNOWN:
        return None
    now = np.full(len(then), -1, np.int64)
    now[old[same]] = np.flatnonzero(same)
    out: Any = faiss.clone_index(index)
    out.reset()
    out.nprobe = index.nprobe
    for number in range(index.nlist):
        _move(index.invlists, out.invlists, number, now)
    out.ntotal = int(same.sum())
    new = np.flatnonzero(~same)
    if len(new):
        out.add_with_ids(np.ascontiguousarray(vectors[new]), new)
    return out, rows


def _move(source: Any, target: Any, number: int, now: np.ndarray[Any, np.dtype[np.int64]]) -> None:
    """Copy a list's entries, each to the row that is its own `now`, but for those that have none."""
    import faiss

    size = source.list_size(number)
    if not size:
        return
    own = now[faiss.rev_swig_ptr(source.get_ids(number), size)]
    codes = faiss.rev_swig_ptr(source.get_codes(number), size * source.code_size).reshape(size, -1)
    ids, kept = np.ascontiguousarray(own[own >= 0]), np.ascontiguousarray(codes[own >= 0])
    if len(ids):
        target.add_entries(number, len(ids), faiss.swig_ptr(ids), faiss.swig_ptr(kept))


def _rows(vectors: Floats, *, taught: np.ndarray[Any, np.dtype[np.bool_]]) -> Rows:
    """For each vector a sum that another vector hardly has, and whether the index's lists were learned from it."""
    out = np.zeros(len(vectors), dtype=ROW)
    weights = np.random.default_rng(0).integers(1, 2**63, vectors.shape[1], dtype=np.uint64) | np.uint64(1)
    bits = np.ascontiguousarray(vectors, dtype=np.float32).view(np.uint32)
    for start in range(0, len(vectors), 4096):
        out["sum"][start : start + 4096] = (bits[start : start + 4096].astype(np.uint64) * weights).sum(axis=1)
    out["taught"] = taught
    return out


def rows_hold(path: Path, ids: Sequence[str], blocks: Any) -> bool:
    """Whether a file of rows, one for each of `ids`, has the sums of the table's vectors."""
    import pyarrow as pa

    data = path.read_bytes()
    if len(data) != len(ids) * ROW.itemsize:
        return False
    rows = np.frombuffer(data, dtype=ROW)
    if rows["taught"].view(np.uint8).max() > 1:
        return False
    for batch in blocks.to_batches(columns=["id", "vector"]):
        own, vectors = sorted_vectors(pa.Table.from_batches([batch]))
        at = [bisect_left(ids, i) for i in own]
        if not np.array_equal(rows["sum"][at], _rows(vectors, taught=rows["taught"][at])["sum"]):
            return False
    return True


def sorted_vectors(table: Any) -> tuple[list[str], np.ndarray[Any, np.dtype[np.float32]]]:
    """Ids and float32 vectors [n, d] of a table with the columns id and vector, in order of id."""
    ids = table["id"].to_pylist()
    dimension = table.schema.field("vector").type.list_size
    flat = table["vector"].combine_chunks()
    values = flat.flatten() if hasattr(flat, "flatten") else flat
    vectors = np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float32).reshape(-1, dimension)
    order = sorted(range(len(ids)), key=ids.__getitem__)
    return [ids[i] for i in order], vectors[order]


def _write(store: Path, role: str, ids: list[str], index: Any, *, snapshot: int) -> dict[str, str]:
    import faiss

    relative = Path("index") / str(snapshot) / role
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
    kind, lists = _kind(n, d, kind), _lists(n)
    if kind == "Flat":
        index: Any = faiss.IndexFlatIP(d)
    else:
        code = "SQfp16" if kind == "IVF" else f"PQ{_pieces(d)}x8"  # the tables have half floats, too
        index = faiss.index_factory(d, f"IVF{lists},{code}", faiss.METRIC_INNER_PRODUCT)
        index.by_residual = kind != "IVF"
        sample = vectors[:: max(1, n // (lists * 64))]
        index.train(np.ascontiguousarray(sample))
        # At 100,000 vectors a 16th of the lists held .99 of the 20 nearest; at a million a 64th .998, of the 100 .92.
        index.nprobe = max(8, min(lists // 16, 64), lists // 64)
    index.add(np.ascontiguousarray(vectors))
    return index


def _lists(n: int) -> int:
    return min(int(4 * np.sqrt(n)), n // TRAIN)


def _kind(n: int, d: int, kind: Kind) -> Kind:
    if kind == "auto":
        kind = "Flat" if n * d <= FLAT_LIMIT else "IVF" if n * d <= IVF_LIMIT else "IVF_PQ"
    return "Flat" if _lists(n) < 16 or (kind == "IVF_PQ" and n < TRAIN * 256) else kind


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


def read_index(path: Path, ids: Sized, *, mapped: bool = False) -> Any:
    """The FAISS index at `path`, which must have a row for each of `ids`; `mapped` leaves lists on the disk.

    Raises:
        CorruptionError: it does not load, or its size is another.
    """
    import faiss

    try:
        index = faiss.read_index(str(path), faiss.IO_FLAG_MMAP if mapped else 0)
    except RuntimeError as e:
        raise CorruptionError(f"{path}: the index does not load; see h3-monitor --verify --repair") from e
    if index.ntotal != len(ids):
        raise CorruptionError(f"{path}: {index.ntotal} rows for {len(ids)} ids; see h3-monitor --verify --repair")
    return index
