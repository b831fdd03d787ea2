"""From coarse to fine: documents by their tops, chapters, sections, blocks, reading no more than a question needs.

Of every document the top is looked at; of the best of them the chapters, of the best of those the sections, and of the
best of those the blocks. What is read is counted in bytes: vectors, titles and sentences, as the file has them.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from h3cold.ingest.compress.codes import KEPT, Grid, decoded
from h3cold.ingest.compress.network import Leading, ids_digest, read_network
from h3cold.ingest.store.arrays import map_arrays
from h3cold.ingest.store.reader import ColdStore
from h3cold.recall.words import Floats, Ints
from h3cold.schemas.errors import CorruptionError, StoreError

DOCUMENTS, CHAPTERS, SECTIONS = 16, 48, 64
"""How many of each level are gone into."""


class Trees(NamedTuple):
    """The file `trees` of a snapshot (see `ingest.compress.trees`), mapped; `leaves` are the blocks' codes, by `grid`
    where they are summaries.
    """

    arrays: dict[str, Any]
    leaves: Any
    grid: Grid | None
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a document: its blocks are rows `first` to `last` (exclusive) of the snapshot's blocks by id.

    `level` is 0 for the document, 1 for a chapter, 2 for a section, 3 for a block, which has its sentence as `summary`
    and its `score` where a question was asked.
    """

    level: int
    title: str
    summary: str
    first: int
    last: int
    children: tuple[Node, ...] = ()
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Descent:
    """What a question was led to: the best of each level, best first, and the bytes that were read for it."""

    documents: tuple[tuple[str, Node], ...]
    chapters: tuple[tuple[str, Node], ...]
    sections: tuple[tuple[str, Node], ...]
    blocks: tuple[tuple[str, Node], ...]
    read: int


class Found(NamedTuple):
    """Numbers and scores of what was gone into on each level, best first."""

    documents: Ints
    chapters: Ints
    sections: Ints
    rows: Ints
    scores: tuple[Floats, Floats, Floats, Floats]


class Reader:
    """Reads from trees, and counts the bytes; one a question or a thread."""

    def __init__(self, trees: Trees) -> None:
        self.trees = trees
        self.read = 0

    def codes(self, name: str, at: Any) -> Floats:
        """Codes of `tops` or `codes` at these places, as float32."""
        found = self.trees.arrays[name][at]
        self.read += found.nbytes
        return np.asarray(found, dtype=np.float32)

    def leaves(self, rows: Ints) -> Floats:
        """Vectors of these blocks."""
        found = self.trees.leaves[rows]
        self.read += found.nbytes
        if self.trees.grid is not None:
            return decoded(self.trees.grid, found)
        return np.asarray(found * self.trees.arrays["leaf_scales"], dtype=np.float32)

    def text(self, name: str, at: int) -> str:
        """The words at a place of `said` or `leaf`."""
        start, end = self.trees.arrays[f"{name}_at"][at : at + 2].tolist()
        self.read += end - start + 8
        return bytes(self.trees.arrays[name][start:end]).decode("utf-8", "replace")

    def node(self, number: int, score: float = 0.0, children: tuple[Node, ...] = ()) -> Node:
        """A document, chapter or section by its number, with its words."""
        a = self.trees.arrays
        title, _, summary = self.text("said", number).partition("\n")
        return Node(int(a["level"][number]), title, summary, int(a["first"][number]), int(a["last"][number]), children,
                    round(float(score), 4))  # fmt: skip

    def leaf(self, row: int, score: float = 0.0) -> Node:
        """A block by its row, with its sentence."""
        return Node(3, "", self.text("leaf", row), row, row + 1, (), round(float(score), 4))


def open_trees(store: ColdStore, ids: Sequence[str]) -> Trees:
    """Map the trees of a snapshot whose blocks are `ids`.

    Raises:
        StoreError: it has none.
        CorruptionError: they do not load, or are of other blocks.
    """
    arrays, notes = map_arrays(store.index_path("trees")) if "trees" in store.manifest.index else ({}, {})
    if "scales" not in arrays or bool(notes["summaries"]) == ("leaf_scales" in arrays):
        raise StoreError(f"{store.path}: snapshot {store.manifest.snapshot} has no trees: an older version made it;"
                         " index the folder again")  # fmt: skip
    grid, leaves = None, arrays.get("leaves")
    if notes["summaries"]:
        leaves = map_arrays(store.index_path("summaries"))[0]["codes"]
        grid = read_network(store.index_path("summaries.network"))[0].grid
    if leaves is None or notes["ids"] != ids_digest(ids) or len(leaves) != len(ids):
        raise CorruptionError(f"{store.path}: trees and blocks disagree; see h3-monitor --verify --repair")
    return Trees(arrays, leaves, grid, tuple(i.decode("utf-8", "surrogatepass") for i in arrays["documents"].tolist()))


def outline(trees: Trees, document: str) -> Node | None:
    """The whole tree of a document, without its blocks; None where it is not in the snapshot, or has no blocks."""
    if document not in trees.ids:
        return None
    place = trees.ids.index(document)
    first, last = trees.arrays["nodes_at"][place : place + 2].tolist()
    reader = Reader(trees)
    levels = trees.arrays["level"][first:last].tolist()
    chapters: list[Node] = []
    sections: list[Node] = []
    for number in range(last - 1, first, -1):
        if levels[number - first] == 2:
            sections.insert(0, reader.node(number))
        else:
            chapters.insert(0, reader.node(number, children=tuple(sections)))
            sections = []
    return reader.node(first, children=tuple(chapters))


def go_down(reader: Reader, query: Floats, *, limit: int, mask: Any = None) -> Found:
    """What `query` (in the space of the trees' codes) leads to; of blocks the best `limit` that `mask` [n] has."""
    trees = reader.trees
    a = trees.arrays
    weighted = query * a["scales"]
    tops = reader.codes("tops", slice(None)) @ weighted
    promise = tops.max(axis=1)
    if mask is not None:  # a document none of whose blocks may be found is not gone into
        counted = np.concatenate([[0], np.cumsum(mask)])
        roots = a["nodes_at"][:-1]
        own = counted[a["last"][roots]] - counted[a["first"][roots]]
        promise = np.where(own > 0, promise, -np.inf)
    documents = _best(promise, DOCUMENTS)
    nodes = np.concatenate([np.arange(a["nodes_at"][d] + 1, a["nodes_at"][d + 1]) for d in documents.tolist()]
                           or [np.zeros(0, np.int64)])  # fmt: skip
    level = a["level"][nodes]
    chapters, of_chapters = _narrowed(reader, nodes[level == 1], weighted, CHAPTERS)
    kept = nodes[level == 2]
    inside = np.zeros(len(kept), np.bool_)
    for chapter in chapters.tolist():
        inside |= (a["first"][kept] >= a["first"][chapter]) & (a["last"][kept] <= a["last"][chapter])
    sections, of_sections = _narrowed(reader, kept[inside], weighted, SECTIONS)
    spans = [np.arange(a["first"][s], a["last"][s]) for s in sections.tolist()]
    rows = np.sort(np.concatenate(spans)) if spans else np.zeros(0, np.int64)
    rows = rows if mask is None else rows[mask[rows]]
    scores = reader.leaves(rows) @ query
    best = np.argsort(-scores, kind="stable")[:limit]
    return Found(documents, chapters, sections, rows[best],
                 (promise[documents], of_chapters, of_sections, scores[best]))  # fmt: skip


def _narrowed(reader: Reader, nodes: Ints, weighted: Floats, most: int) -> tuple[Ints, Floats]:
    scores = reader.codes("codes", nodes) @ weighted
    best = _best(scores, most)
    return nodes[best], scores[best]


def _best(scores: Floats, most: int) -> Ints:
    order = np.argsort(-scores, kind="stable")[:most]
    return order[np.isfinite(scores[order])]


def descend(trees: Trees, query: Floats, ids: Sequence[str], *, top: int) -> Descent:
    """What a question leads to, `top` of each level, with their words: `ids` are the blocks' ids by row."""
    reader = Reader(trees)
    found = go_down(reader, query, limit=top)
    starts = trees.arrays["nodes_at"]

    def named(numbers: Ints, scores: Floats) -> tuple[tuple[str, Node], ...]:
        owners = np.searchsorted(starts, numbers, side="right") - 1
        return tuple((trees.ids[o], reader.node(n, s)) for o, n, s in
                     zip(owners.tolist(), numbers.tolist()[:top], scores.tolist(), strict=False))  # fmt: skip

    whole, chapters, sections, blocks = found.scores
    return Descent(
        named(starts[found.documents], whole),
        named(found.chapters, chapters),
        named(found.sections, sections),
        tuple((ids[r], reader.leaf(r, s)) for r, s in zip(found.rows.tolist(), blocks.tolist(), strict=True)),
        reader.read,
    )


class DescentIndex:
    """Stands in for an index of blocks: what is nearest is found by going down; `read` counts the bytes."""

    d = KEPT

    def __init__(self, trees: Trees, network: Leading, slope: float) -> None:
        self.trees = trees
        self.network = network
        self.slope = slope
        self.ntotal = len(trees.leaves)
        self.read = 0
        self._guard = threading.Lock()

    def nearest(self, query: Floats, *, limit: int, bits: Any = None) -> tuple[Ints, Floats]:
        """Rows and scores, best first, of blocks near to `query` [d], of those whose bit is set."""
        mask = None if bits is None else np.unpackbits(bits, count=self.ntotal, bitorder="little").astype(np.bool_)
        reader = Reader(self.trees)
        found = go_down(reader, query, limit=limit, mask=mask)
        self._count(reader.read)
        return found.rows, found.scores[3]

    def reconstruct_batch(self, rows: Ints) -> Floats:
        """Summaries of these rows, float32 [rows, d]."""
        reader = Reader(self.trees)
        out = reader.leaves(rows)
        self._count(reader.read)
        return out

    def _count(self, read: int) -> None:
        with self._guard:
            self.read += read
