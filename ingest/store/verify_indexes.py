"""Do a snapshot's indexes hold, and do they say what the tables say from which they were made?"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from h3cold.ingest.store.arrays import map_arrays
from h3cold.ingest.store.codes import ROLE as CODES
from h3cold.ingest.store.codes import wrong_list
from h3cold.ingest.store.indexes import ROWS, read_ids, read_index, rows_hold
from h3cold.ingest.store.said import ROLE, Said, open_said, read_said
from h3cold.ingest.store.words import row_key, tokens_of
from h3cold.schemas.errors import CorruptionError, H3Error

if TYPE_CHECKING:
    from h3cold.ingest.store.reader import ColdStore

SAMPLE = 100
NEAREST = 20
"""Index rows that are compared with the table, and among how many of its neighbours a row must be."""


def column_of(store: ColdStore, table: str, column: str) -> set[Any]:
    """Values of a column of a table."""
    return set(store.table(table).to_table(columns=[column])[column].to_pylist())


def _graph(store: ColdStore) -> Iterator[str]:
    """The index of the graph, where there is one, is what the tables make."""
    from h3cold.ingest.store.graph import ROLE as GRAPH
    from h3cold.ingest.store.graph import is_made_of

    if GRAPH in store.manifest.index and not is_made_of(store.index_path(GRAPH), store.table):
        yield f"index {GRAPH}: its rows are not those of the tables"


def _told(store: ColdStore) -> Iterator[str]:
    """The index of what is told of documents and names, where there is one, says what the tables say."""
    from h3cold.ingest.store.told import ROLE as TOLD
    from h3cold.ingest.store.told import is_of

    if TOLD in store.manifest.index and not is_of(store.index_path(TOLD), store.table):
        yield f"index {TOLD}: its rows are not those of the tables"


def _words(store: ColdStore) -> Iterator[str]:
    """The index of words is of the rows that the table has, in the places where they are, and says what they say."""
    arrays, _ = map_arrays(store.index_path("blocks.words"))
    ids = [i.decode() for i in arrays["ids"].tolist()]
    table = store.table("blocks")
    keys = {
        row["id"]: row_key(row)
        for batch in table.to_batches(columns=["id", "digest", "tokens_text"])
        for row in batch.to_pylist()
    }
    if ids != sorted(keys) or arrays["keys"].tolist() != [keys[i] for i in ids]:
        yield "index blocks.words: its blocks are not those of the table"
        return
    picked = [int(i) for i in np.linspace(0, len(ids) - 1, min(len(ids), SAMPLE))]
    found = table._take_rows(arrays["rowid"][picked].tolist(), columns=["id", "tokens_text"]).to_pylist()
    for place, row in zip(picked, found, strict=True):
        if row["id"] != ids[place] or row["tokens_text"].split() != tokens_of(arrays, place):
            yield f"index blocks.words: row {place} is not {ids[place]}"
            return


def _said(store: ColdStore) -> Iterator[str]:
    """The index of what blocks say, where there is one, is of the rows that the table has, and says what they say."""
    if ROLE not in store.manifest.index:
        return
    said = open_said(store.index_path(ROLE))
    table = store.table("blocks").to_table(columns=["id", "digest"]).sort_by("id")
    if [digest.decode() for digest in said.digests.tolist()] != table["digest"].to_pylist():
        yield f"index {ROLE}: its blocks are not those of the table"
        return
    wrong = [row for row in range(len(said.digests)) if not _holds(said, row)]
    if wrong:
        yield f"index {ROLE}: what it has for {len(wrong)} of {len(said.digests)} blocks is not what was written"


def _holds(said: Said, row: int) -> bool:
    try:
        read_said(said, row)
    except CorruptionError:
        return False
    return True


def vectors(store: ColdStore) -> Iterator[str]:
    """Every vector index has a row for each of its ids, those are all there are, and rows are the table's vectors."""
    for role in store.manifest.index:
        if not (store.path / store.manifest.index[role]).exists():
            yield f"index {role}: {store.path / store.manifest.index[role]} is missing"
            return
    for role in sorted(r for r in store.manifest.index if f"{r}.ids" in store.manifest.index):
        ids = read_ids(store.index_path(f"{role}.ids"))
        index = read_index(store.index_path(role), ids)
        if role in store.manifest.tables and ids != sorted(column_of(store, role, "id")):
            yield f"index {role}: its ids are not those of the table"
        elif role == "blocks":
            yield from _own_vectors(store, index, ids)
            if ROWS in store.manifest.index and not rows_hold(store.index_path(ROWS), ids, store.table("blocks")):
                yield f"index {ROWS}: what it has of vectors is not what the table has"
            yield from _codes(store, index)


def _own_vectors(store: ColdStore, index: Any, ids: Sequence[str]) -> Iterator[str]:
    """Some rows, spread over the index, are nearest to the vector that the table has under their ids."""
    picked = [int(i) for i in np.linspace(0, len(ids) - 1, min(len(ids), SAMPLE))]
    for row in store.rows("blocks", "id", [ids[i] for i in picked], ["id", "vector"]):
        place = bisect_left(ids, row["id"])
        vector = np.asarray([row["vector"]], dtype=np.float32)
        found = index.search(vector, min(len(ids), NEAREST))
        if place not in found[1][0] and not np.isclose(found[0][0][0], found[0][0][-1], atol=1e-3):
            yield f"index blocks: row {place} is not the vector of {row['id']}"
            return


def _codes(store: ColdStore, index: Any) -> Iterator[str]:
    """Where there are codes of the index's lists, some lists have those of their vectors."""
    if CODES not in store.manifest.index:
        return
    wrong = wrong_list(store.index_path(CODES), index, sample=SAMPLE)
    if wrong is not None:
        yield f"index {CODES}: the codes of list {wrong} are not those of its vectors"


def _documents(store: ColdStore) -> Iterator[str]:
    """The document index, where there is one, has a row for each document."""
    if "documents" not in store.manifest.index or "documents.ids" in store.manifest.index:
        return  # none, or one of an older kind, which `_vectors` looks at
    from h3cold.ingest.compress.documents import open_documents

    lists = store.index_path("documents.lists") if "documents.lists" in store.manifest.index else None
    if list(open_documents(store.index_path("documents"), lists).ids) != sorted(column_of(store, "documents", "id")):
        yield "index documents: its documents are not those of the table"


def _compressed(store: ColdStore) -> Iterator[str]:
    """Summaries and trees, where there are any, are of the table's blocks, and summaries of the network beside them."""
    from h3cold.ingest.compress.network import ids_digest, read_network

    index = store.manifest.index
    roles = [role for role in ("summaries", "trees") if role in index]
    blocks = ids_digest(sorted(column_of(store, "blocks", "id"))) if roles else ""
    for role in roles:
        arrays, notes = map_arrays(store.index_path(role))
        if notes["ids"] != blocks:
            yield f"index {role}: its blocks are not those of the table"
        if role == "summaries":
            try:
                read_network(store.index_path("summaries.network"))
            except H3Error as e:  # whole as a file, but not one that this version reads: made anew by a repair
                yield f"index summaries: {e}"
            if notes["network"] != index["summaries.network"] or len(arrays["codes"]) != store.count("blocks"):
                yield "index summaries: they were not made by the network beside them"


def _statements(store: ColdStore) -> Iterator[str]:
    """The index of the graph's sentences, where there is one, has those that the graph's edges say."""
    from h3cold.ingest.store.statements import ROLE as STATEMENTS
    from h3cold.ingest.store.statements import of_graph

    index = store.manifest.index
    if STATEMENTS in index and "graph" in index:
        files = store.index_path(STATEMENTS), store.index_path("graph")
        if not of_graph(*files, store.table("relations")):
            yield f"index {STATEMENTS}: its sentences are not those of the graph"


INDEXES: Mapping[str, Callable[[ColdStore], Iterator[str]]] = {
    "graph": _graph, "blocks.words": _words, ROLE: _said, "of vectors": vectors, "documents": _documents,
    "of summaries and trees": _compressed, "statements": _statements, "told": _told,
}  # fmt: skip
"""Checks by what they look at; they need all tables, but for that of vectors."""
