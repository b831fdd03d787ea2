"""Many vectors in 12 bytes each: an inverted file with product quantisation (Jégou, Douze & Schmid, 2011, TPAMI 33).

A vector of unit length is projected to `KEPT` principal directions and laid in the list of the nearest of some centres.
What it differs from that centre by is kept as `PIECES` bytes, each of which has its fair share of it to tell (Ge et
al., 2013, "Optimized product quantization", CVPR: directions are dealt out so that their variances have like products).
With its row as four bytes that is all that stays in memory; the centres do not grow with the store.

By inner products, q · x ≈ y · c + Σ table[piece, code], with y the projected question: one table serves every list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

KEPT = 64
PIECES = 8
CODES = 256
LEAST = 39 * CODES
"""Vectors from which training makes sense: FAISS asks for 39 to a centre. Fewer are compared one by one."""

TAUGHT = 64
"""Vectors to a list that it is learned from."""

CHUNK = 8192
_SEED = 20261129

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


class Coder(NamedTuple):
    """`basis` [KEPT, d], `centres` [lists, KEPT], `books` [PIECES, CODES, KEPT / PIECES]: what was learned.

    `halves` [lists] are half the centres' squared lengths, so that no search works them out; no file has them.
    """

    basis: Floats
    centres: Floats
    books: Floats
    halves: Floats


class Lists(NamedTuple):
    """The rows of list l are `rows[starts[l] : starts[l + 1]]`, uint32, with `codes` [n, PIECES] in the same order."""

    codes: npt.NDArray[np.uint8]
    rows: npt.NDArray[np.uint32]
    starts: Ints


def learn(vectors: Floats, count: int) -> Coder:
    """Learn from a sample [m, d] of `count` vectors; the same sample gives the same coder on the same machine."""
    import faiss

    lists = list_count(count)
    second = np.zeros((vectors.shape[1],) * 2)
    for start in range(0, len(vectors), CHUNK):
        part = vectors[start : start + CHUNK].astype(np.float64)
        second += part.T @ part
    _, directions = np.linalg.eigh(second)
    kept = min(KEPT, vectors.shape[1])
    basis = np.ascontiguousarray(directions[:, ::-1][:, :kept].T, dtype=np.float32)
    low = np.ascontiguousarray(vectors @ basis.T)
    coarse = faiss.Kmeans(kept, lists, niter=12, seed=_SEED % 2**31, max_points_per_centroid=TAUGHT)
    coarse.train(low)
    centres = np.asarray(coarse.centroids, np.float32)
    rest = low - centres[nearest_centres(low, centres)]
    turn = _dealt(rest)
    rest, centres, basis = rest @ turn, centres @ turn, turn.T @ basis
    width = kept // PIECES
    books = []
    for piece in range(PIECES):
        fine = faiss.Kmeans(width, CODES, niter=16, seed=_SEED % 2**31 + piece)
        fine.train(np.ascontiguousarray(rest[:, piece * width : (piece + 1) * width]))
        books.append(np.asarray(fine.centroids, np.float32))
    return Coder(basis, centres, np.stack(books), _halves(centres))


def _halves(centres: Floats) -> Floats:
    return np.asarray(np.vecdot(centres, centres) / 2, dtype=np.float32)


def _dealt(rest: Floats) -> Floats:
    """Turns vectors [n, kept] into their principal directions, in an order that gives each piece its fair share."""
    variances, directions = np.linalg.eigh(rest.T.astype(np.float64) @ rest / len(rest))
    pieces: list[list[int]] = [[] for _ in range(PIECES)]
    held = [0.0] * PIECES
    size = np.log(np.maximum(variances, 1e-12) / max(float(variances[0]), 1e-12)) + 1e-3
    for place in range(len(variances) - 1, -1, -1):
        least = min((p for p in range(PIECES) if len(pieces[p]) < len(variances) // PIECES), key=held.__getitem__)
        pieces[least].append(place)
        held[least] += float(size[place])
    return np.asarray(directions[:, [place for own in pieces for place in own]], dtype=np.float32)


def list_count(count: int) -> int:
    """Lists for so many vectors."""
    return max(16, min(int(4 * np.sqrt(count)), count // 39))


def nearest_centres(low: Floats, centres: Floats) -> Ints:
    """Number of the centre nearest to each of the projected vectors [n, kept]."""
    out = np.empty(len(low), np.int64)
    half = (centres**2).sum(axis=1) / 2
    for start in range(0, len(low), CHUNK):
        part = low[start : start + CHUNK]
        out[start : start + len(part)] = np.argmax(part @ centres.T - half, axis=1)
    return out


def encode(coder: Coder, vectors: Floats) -> tuple[Ints, npt.NDArray[np.uint8]]:
    """List and code [n, PIECES] of each of the vectors [n, d]."""
    low = np.ascontiguousarray(vectors @ coder.basis.T)
    places = nearest_centres(low, coder.centres)
    rest = low - coder.centres[places]
    width = coder.books.shape[2]
    codes = np.empty((len(vectors), len(coder.books)), np.uint8)
    for piece, book in enumerate(coder.books):
        part = rest[:, piece * width : (piece + 1) * width]
        codes[:, piece] = np.argmax(part @ book.T - (book**2).sum(axis=1) / 2, axis=1)
    return places, codes


def in_lists(places: Ints, codes: npt.NDArray[np.uint8], lists: int) -> Lists:
    """Codes by row, row r in list `places[r]`, laid out list by list, each in order of row."""
    order = np.argsort(places, kind="stable")
    starts = np.searchsorted(places[order], np.arange(lists + 1))
    return Lists(codes[order], order.astype(np.uint32), starts.astype(np.int64))


def by_row(lists: Lists) -> tuple[Ints, npt.NDArray[np.uint8]]:
    """Inverse of `in_lists`."""
    places = np.empty(len(lists.rows), np.int64)
    codes = np.empty_like(lists.codes)
    places[lists.rows] = np.repeat(np.arange(len(lists.starts) - 1), np.diff(lists.starts))
    codes[lists.rows] = lists.codes
    return places, codes


def shortlist(coder: Coder, lists: Lists, query: Floats, *, limit: int, probes: int) -> tuple[Ints, Floats]:
    """Rows, in their order, and estimated inner products of the best from the `probes` lists nearest to `query` [d]."""
    low = np.vecdot(coder.basis, query)  # by rows: a product by BLAS would wake other threads
    promise = np.vecdot(coder.centres, low)
    probes = min(probes, len(promise))
    away = coder.halves - promise  # a vector is in the list of the centre nearest to it
    best = np.sort(np.argpartition(away, probes - 1)[:probes])
    starts, sizes = lists.starts[best], lists.starts[best + 1] - lists.starts[best]
    # A code as one number: joining rows takes twice as long.
    whole = lists.codes.view(f"<u{lists.codes.shape[1]}").ravel()
    parts = [whole[a : a + n] for a, n in zip(starts.tolist(), sizes.tolist(), strict=True)]
    both = np.concatenate(parts).view("<u2").reshape(-1, lists.codes.shape[1] // 2)
    pieces, width = len(coder.books), coder.books.shape[2]
    table = np.einsum("pcw,pw->pc", coder.books, low.reshape(pieces, width))
    scores = np.repeat(promise[best], sizes)
    # Two bytes at a time: half as many look-ups. None is out of bounds, which "clip" does not look at.
    two = (table[1::2, :, None] + table[::2, None, :]).reshape(pieces // 2, -1)
    found = np.empty_like(scores)
    for own, column in zip(two, both.T, strict=True):
        scores += own.take(column, mode="clip", out=found)
    chosen = np.arange(len(scores))
    if len(scores) > limit:
        chosen = np.argpartition(scores, len(scores) - limit)[len(scores) - limit :]
    ends = np.cumsum(sizes)
    place = np.searchsorted(ends, chosen, side="right")
    rows = lists.rows[(starts - ends + sizes)[place] + chosen].astype(np.int64)
    order = np.argsort(rows)
    return rows[order], scores[chosen[order]]


def lists_arrays(coder: Coder, lists: Lists) -> dict[str, npt.NDArray[Any]]:
    """Everything as arrays by name, for `store.arrays.write_arrays`."""
    return {name: a for name, a in {**coder._asdict(), **lists._asdict()}.items() if name != "halves"}


def read_lists(arrays: Mapping[str, npt.NDArray[Any]]) -> tuple[Coder, Lists]:
    """Inverse of `lists_arrays`."""
    coder = Coder(arrays["basis"], arrays["centres"], arrays["books"], _halves(arrays["centres"]))
    return coder, Lists(*(arrays[f] for f in Lists._fields))
