"""An index with lists as recall uses it: which lists hold what, a first choice by codes, vectors by row."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from h3cold.recall.corpus import Bits, nearest, one_thread, plain_vectors, selecting
from h3cold.recall.words import Bools, Floats, Ints, product
from h3cold.schemas.errors import CorruptionError

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


class Lists(NamedTuple):
    """Lists of an index, by number [k], that hold some rows; `looked` of them are gone through.

    `bits` are those rows' where the lists hold others as well.
    """

    numbers: Ints
    looked: int
    bits: Bits | None


class ListIndex:
    """`index` is one of FAISS's with lists, `codes` that of the codes of what lies in them (see `ingest.store.codes`).

    Where there are codes, searches go by them and compare the vectors of the best with the question. `centroids` are
    those of the lists [lists, d]; `whole` says whether lists hold whole vectors, which alone may be asked for.

    Raises:
        CorruptionError: the index keeps its centroids in a way of its own.
    """

    def __init__(self, index: Any, codes: Any = None) -> None:
        import faiss

        self.index, self.codes = index, codes
        self.d, self.ntotal = int(index.d), int(index.ntotal)
        self.whole = not isinstance(index, faiss.IndexIVFPQ)
        centroids = plain_vectors(faiss.downcast_index(index.quantizer))
        if centroids is None:
            raise CorruptionError(
                "the index of vectors is of a kind that recall does not know; index again with --rebuild"
            )
        self.centroids = centroids
        index.make_direct_map()
        untyped: Any = faiss
        self._places: Ints = untyped.rev_swig_ptr(index.direct_map.array.data(), self.ntotal)
        self._mapped = _mapped(index) if self.whole else None

    def lists_of(self, mask: Bools, bits: Bits) -> Lists:
        """The lists that hold the rows of a mask, `bits` being the same.

        As many are gone through as is their share, and never less than 8.
        """
        held = np.bincount(self._places >> 32, minlength=self.index.nlist)  # FAISS's lo_build: the list's number above
        own = np.bincount(self._places[mask] >> 32, minlength=self.index.nlist)
        numbers = np.flatnonzero(own)
        looked = min(len(numbers), max(8, -(-self.index.nprobe * len(numbers) // self.index.nlist)))
        mixed = (held[numbers] > own[numbers]).any()
        return Lists(numbers, looked, bits if mixed else None)

    def chosen(self, lists: Lists, coarse: Floats) -> tuple[Ints, Floats]:
        """Which of the lists to go through, and the inner products of their centroids of all, `coarse`."""
        near = coarse[lists.numbers]
        best = np.flatnonzero(near >= np.partition(near, -lists.looked)[-lists.looked])[: lists.looked]
        return lists.numbers[best], near[best]

    def among(
        self, query: Floats, numbers: Ints, near: Floats, *, limit: int, bits: Bits | None = None
    ) -> tuple[Ints, Floats]:
        """Rows and inner products of the nearest in these lists, of all or of those whose bit is set.

        `near` are the products of the lists' centroids. By codes products are about right, so that `first(limit)` are
        to be asked for, and less by as much as `near` is.
        """
        import faiss

        rows, scores = np.empty(limit, np.int64), np.empty(limit, np.float32)
        parameters = selecting(self.index, bits, lists=len(numbers))
        searched: Any = self.index if self.codes is None else self.codes
        asked, which, close, told, found = (faiss.swig_ptr(array) for array in (query, numbers, near, scores, rows))
        with one_thread():
            searched.search_preassigned_c(1, asked, limit, which, close, told, found, False, parameters)
        good = (rows >= 0) & (rows < self.ntotal)
        return rows[good], scores[good]

    def products(self, rows: Ints, query: Floats) -> Floats:
        """Inner products of the whole vectors of these rows with `query` [rows], read in order of their places."""
        order = np.argsort(self._places[rows])
        out = np.empty(len(rows), np.float32)
        out[order] = product(self.reconstruct_batch(rows[order]), query)
        return out

    def first(self, limit: int) -> int:
        """How many to choose by what `among` gives for the `limit` nearest to be among them."""
        return limit if self.codes is None else limit + SPARE

    def nearest(self, query: Floats, *, limit: int, bits: Bits | None = None) -> tuple[Ints, Floats]:
        """As `corpus.nearest`."""
        if self.codes is None:
            return nearest(self.index, query, limit=limit, bits=bits)
        rows = nearest(self.codes, query, limit=self.first(limit), bits=bits)[0]
        rows = rows[rows < self.ntotal]
        products = self.products(rows, query)
        best = np.argsort(-products, kind="stable")[:limit]
        return rows[best], products[best]

    def reconstruct_batch(self, rows: Ints) -> Floats:
        """Whole vectors of these rows, float32 [rows, d]."""
        if self._mapped is None:
            return np.asarray(self.index.reconstruct_batch(np.ascontiguousarray(rows)), dtype=np.float32)
        vectors, starts = self._mapped
        places = self._places[rows]
        return floats_of(vectors[starts[places >> 32] + (places & 0xFFFFFFFF) * vectors.shape[1]].view(np.float16))


SPARE = 100
"""Vectors that are compared besides as many as are sought. Of the 100 nearest of a million .998 are among the 200
chosen; of the 400, .983, of the 100 first and the 50 first tables and figures that are taken of these, .9992."""


def _mapped(index: Any) -> tuple[Bytes, Ints] | None:
    """The bytes of a vector by where it begins in the index's file, and where lists do; None if it is not mapped."""
    import faiss

    untyped: Any = faiss
    lists = untyped.downcast_InvertedLists(index.invlists)
    if not isinstance(lists, untyped.OnDiskInvertedLists) or index.sq.qtype != untyped.ScalarQuantizer.QT_fp16:
        return None
    places = np.empty((index.nlist, 3), np.uint64)  # size, capacity and start of each
    untyped.memcpy(untyped.swig_ptr(places), lists.lists.data(), places.nbytes)
    file = untyped.rev_swig_ptr(lists.ptr, lists.totsize)
    return np.lib.stride_tricks.sliding_window_view(file, index.code_size), places[:, 2].astype(np.int64)


def floats_of(halves: Any) -> Floats:
    """Finite half floats [n, d] as floats, by whole numbers: the processor's own way is one by one in numpy."""
    bits = halves.view(np.int16).astype(np.int32)
    bits <<= 13  # the exponent's bits and the fraction's come to lie where a float has them, the sign stays
    bits &= np.int32(-0x70002000)
    out = bits.view(np.float32)
    out *= np.float32(2.0**112)  # what the exponents of the two kinds differ by
    return out
