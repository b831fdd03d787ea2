"""The document index: every document's vector in a file that is mapped, and in memory 12 bytes to find it by.

`documents` holds, in order of id, `ids`, `codes` int8 [n, d] and `scales` float32 [n] (a vector is its codes times its
scale); `documents.lists`, where documents are many, what `lists` says. Few documents are compared one by one. With
lists, the best by code are held against their vectors, which are read from the disk for that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from h3cold.ingest.compress.lists import (
    CHUNK,
    LEAST,
    TAUGHT,
    Coder,
    Lists,
    by_row,
    encode,
    in_lists,
    learn,
    list_count,
    lists_arrays,
    read_lists,
    shortlist,
)
from h3cold.ingest.store.arrays import map_arrays, write_arrays
from h3cold.schemas.errors import CorruptionError

PROBES = 192
"""Lists looked into."""

LOOKED_AT = 1300
"""Best by code whose vectors are read."""

AT_ONCE = 512
"""Vectors that are compared at once: as floats they stay within a core's cache."""

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


class Documents(NamedTuple):
    """The index opened: `ids` by row, vectors mapped, lists where there are any."""

    ids: tuple[str, ...]
    codes: npt.NDArray[np.int8]
    scales: Floats
    coder: Coder | None
    lists: Lists | None


def index_documents(
    store: Path,
    folder: Path,
    ids: Sequence[str],
    vectors: Callable[[int, int], Floats],
    *,
    former: Documents | None = None,
    old: Ints | None = None,
) -> dict[str, str]:
    """Write the index of documents in order of id; gives its files by role, as paths below `store`.

    `vectors(start, end)` are those of the rows between. Where `former` has lists, rows with a place in it (`old`, -1
    for none) keep their codes and new ones get theirs from what was learned; lists are learned anew when their number
    no longer suits.

    Raises:
        StoreError: a file cannot be written.
    """
    codes = np.empty((len(ids), 0), np.int8)
    scales = np.empty(len(ids), np.float32)
    for start in range(0, len(ids), CHUNK):
        end = min(len(ids), start + CHUNK)
        part, scales[start:end] = rounded(vectors(start, end))
        if not start:
            codes = np.empty((len(ids), part.shape[1]), np.int8)
        codes[start:end] = part
    names = np.array([i.encode() for i in ids], "S")
    files = {"documents": folder / "documents.arrays"}
    write_arrays(store / files["documents"], {"ids": names, "codes": codes, "scales": scales}, {})
    made = make_lists(codes, scales, former=former, old=old)
    if made is not None:
        files["documents.lists"] = folder / "documents.lists"
        write_arrays(store / files["documents.lists"], lists_arrays(*made), {})
    return {role: file.as_posix() for role, file in files.items()}


def make_lists(
    codes: npt.NDArray[np.int8], scales: Floats, *, former: Documents | None = None, old: Ints | None = None
) -> tuple[Coder, Lists] | None:
    """Lists of these vectors, None where they are too few to learn from; `former` and `old` as for the index."""
    count = len(codes)
    if count < LEAST:
        return None
    wished = list_count(count)
    if former is not None and former.coder is not None and former.lists is not None and old is not None:
        coder = former.coder
        if 0.7 <= len(coder.centres) / wished <= 1.42:
            places, known = by_row(former.lists)
            own, new = old >= 0, np.flatnonzero(old < 0)
            now, pieces = np.empty(count, np.int64), np.empty((count, known.shape[1]), np.uint8)
            now[own], pieces[own] = places[old[own]], known[old[own]]
            for start in range(0, len(new), CHUNK):
                rows = new[start : start + CHUNK]
                now[rows], pieces[rows] = encode(coder, floats(codes, scales, rows))
            return coder, in_lists(now, pieces, len(coder.centres))
    sample = np.arange(0, count, max(1, count // (TAUGHT * wished)))
    coder = learn(floats(codes, scales, sample), count)
    places, pieces = np.empty(count, np.int64), np.empty((count, len(coder.books)), np.uint8)
    for start in range(0, count, CHUNK):
        rows = np.arange(start, min(count, start + CHUNK))
        places[rows], pieces[rows] = encode(coder, floats(codes, scales, rows))
    return coder, in_lists(places, pieces, len(coder.centres))


def open_documents(vectors: Path, lists: Path | None) -> Documents:
    """Map the index's files; the second is None where there are no lists.

    Raises:
        StoreError: a file cannot be read.
        CorruptionError: one is not such a file, or they do not fit together.
    """
    arrays, _ = map_arrays(vectors)
    coder = found = None
    try:
        if lists is not None:
            coder, found = read_lists(map_arrays(lists)[0])
        ids = tuple(i.decode() for i in arrays["ids"].tolist())
        out = Documents(ids, arrays["codes"], arrays["scales"], coder, found)
        fits = len(out.codes) == len(out.scales) == len(ids) and (found is None or len(found.rows) == len(ids))
    except (KeyError, UnicodeDecodeError):
        fits = False
    if not fits:
        raise CorruptionError(f"{vectors}: the document index does not load; see h3-monitor --verify --repair")
    return out


def nearest_documents(index: Documents, query: Floats, *, limit: int, mask: Any = None) -> tuple[Ints, Floats]:
    """Rows and cosines, best first, of the documents nearest to a unit vector [d]; only of those that `mask` [n] has.

    One thread. With lists some are missed: those in lists not looked into, those that their codes put behind others.
    """
    if index.coder is None or index.lists is None:
        rows = np.arange(len(index.ids)) if mask is None else np.flatnonzero(mask)
    else:
        rows, _ = shortlist(index.coder, index.lists, query, limit=max(LOOKED_AT, limit), probes=PROBES)
        rows = rows if mask is None else rows[mask[rows]]
    scores = np.empty(len(rows), np.float32)
    for start in range(0, len(rows), AT_ONCE):
        part = rows[start : start + AT_ONCE]
        scores[start : start + AT_ONCE] = np.vecdot(index.codes[part].astype(np.float32), query)
    scores *= index.scales[rows]
    best = np.argsort(-scores, kind="stable")[:limit]
    return rows[best], scores[best]


def rounded(vectors: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """Vectors [n, d] as bytes and a scale each; the cosine to what they were is above .99 whatever they are."""
    scales = np.maximum(np.abs(vectors).max(axis=1), 1e-12) / 127
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def floats(codes: npt.NDArray[np.int8], scales: Floats, rows: Ints) -> Floats:
    """Vectors float32 [rows, d] again."""
    return codes[rows].astype(np.float32) * scales[rows, None]
