"""Search by summaries: 48 bytes a block in memory instead of the whole vector; the best are read whole from the disk.

What the index gives stands in for a FAISS index where recall uses one: `d`, `ntotal`, `scores`, `reconstruct_batch`.
Scores are brought to the scale of the embedding model's own, which the ranking knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from h3cold.ingest.compress.codes import BYTES, KEPT, Grid, decoded, products
from h3cold.ingest.compress.network import Leading, ids_digest, leading, read_network, summaries
from h3cold.ingest.compress.runs import runs_of
from h3cold.ingest.embed import Embedder, gives_tokens
from h3cold.ingest.store.arrays import map_arrays
from h3cold.ingest.store.reader import ColdStore
from h3cold.recall.descent import DescentIndex
from h3cold.recall.words import Floats, Ints
from h3cold.schemas.errors import CorruptionError, ModelError, StoreError

CHUNK = 1 << 14

SHARE = 12
"""Candidates of one search that are read whole: at most one block in so many, or a small store would be read whole."""


def fewer(candidates: int, blocks: int, top: int) -> int:
    """How many candidates of each search to take where those found are read from the disk, for `top` hits."""
    return min(candidates, max(blocks // SHARE, top * 3 // 2))


class SummaryIndex:
    """The summaries of a snapshot's blocks, in order of id; scores are inner products with summaries of questions."""

    d = KEPT

    def __init__(self, codes: Any, grid: Grid, network: Leading, slope: float) -> None:
        self.codes = codes
        self.grid = grid
        self.network = network
        self.slope = slope
        self.ntotal = len(codes)

    def scores(self, query: Floats) -> Floats:
        """Scores of all blocks for `query` [d], some thousand at a time."""
        out = np.empty(self.ntotal, np.float32)
        for start in range(0, self.ntotal, CHUNK):
            part = slice(start, start + CHUNK)
            out[part] = products(self.grid, self.codes[part], query)
        return out

    def reconstruct_batch(self, rows: Ints) -> Floats:
        """Summaries of these rows, float32 [rows, d]."""
        return decoded(self.grid, self.codes[rows])


class TableVectors:
    """Whole vectors, read from the table row by row as they are asked for."""

    def __init__(self, store: ColdStore, rowids: Any) -> None:
        self._store = store
        self._rowids = rowids
        self.d = int(store.table("blocks").schema.field("vector").type.list_size)
        self.ntotal = len(rowids)
        self.read = 0

    def reconstruct_batch(self, rows: Ints) -> Floats:
        """Vectors of these rows, float32 [rows, d]; `read` counts their bytes."""
        table = self._store.take("blocks", self._rowids[rows].tolist(), ["vector"])
        flat = table["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        self.read += flat.nbytes
        return np.asarray(flat.reshape(len(rows), -1), dtype=np.float32)


class SummaryEmbedder:
    """Questions as recall by summaries takes them: the summary [KEPT], to scale, and behind it the whole vector."""

    def __init__(self, embedder: Any, index: SummaryIndex | DescentIndex) -> None:
        self._embedder = embedder
        self._index = index
        self.id: str = embedder.id

    def queries(self, texts: Sequence[str]) -> Floats:
        """float32 [len(texts), KEPT + dimension of the embedder]."""
        vectors, states = self._embedder.query_states(texts)
        short = summaries(self._index.network.network(), [runs_of(s) for s in states], kept=KEPT) * np.float32(
            self._index.slope
        )
        return np.concatenate([short, vectors], axis=1)


def open_summaries(store: ColdStore, ids: Sequence[str]) -> SummaryIndex:
    """The summaries of the snapshot, whose blocks are `ids`.

    Raises:
        StoreError: it has none; says why.
        CorruptionError: a file is damaged, or they belong to other blocks.
    """
    if "summaries" not in store.manifest.index:
        why = store.manifest.models.get("summaries") or "made by an older version; index the folder again"
        raise StoreError(f"{store.path}: no summaries in snapshot {store.manifest.snapshot}: {why}")
    network, notes = read_network(store.index_path("summaries.network"))
    arrays, about = map_arrays(store.index_path("summaries"))
    fits = about["ids"] == ids_digest(ids) and about["network"] == store.manifest.index["summaries.network"]
    if not fits or arrays["codes"].shape != (len(ids), BYTES):
        raise CorruptionError(f"{store.path}: summaries and blocks disagree; see h3-monitor --verify --repair")
    return SummaryIndex(arrays["codes"], network.grid, leading(network), float(notes["slope"]))


def summary_embedder(embedder: Embedder, index: SummaryIndex | DescentIndex) -> SummaryEmbedder:
    """The embedder of questions for recall by summaries.

    Raises:
        ModelError: the model gives no token vectors.
    """
    if not gives_tokens(embedder):
        raise ModelError(f"{embedder.id} gives no token vectors, of which summaries of questions are made")
    return SummaryEmbedder(embedder, index)
