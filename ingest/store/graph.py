"""The index of the graph: names and edges as relation recall looks them up, one file a snapshot, mapped.

Derived from the tables `entities`, `relations` and `mentions`; `kg.graph_index` says what lies in it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from blake3 import blake3

from h3cold.ingest.store.arrays import Array, write_arrays
from h3cold.ingest.store.rows import row_entity
from h3cold.kg.graph_index import Edges, graph_arrays
from h3cold.schemas.graph import Entity

ROLE = "graph"
SAID = ["entity", "type", "text", "document"]
_EDGE = ["head", "tail", "block", "document", "type", "confidence", "value", "period"]
_NAMED = ["id", "type", "name", "aliases"]
Row = Mapping[str, Any]


def build_graph_index(store: Path, table: Callable[[str], Any], *, snapshot: int) -> dict[str, str]:
    """Index the graph of the store's tables (`table(name)` opens one); role -> path below the store for the manifest.

    Raises:
        StoreError: the file cannot be written.
    """
    relative = Path("index") / str(snapshot) / ROLE

    def said(ids: list[str]) -> Iterable[Row]:
        wanted = pa.array(ids, pa.string())
        for batch in table("mentions").to_batches(columns=SAID):
            yield from batch.filter(pc.is_in(batch["entity"], value_set=wanted)).to_pylist()

    write_arrays(store / relative, *make_graph(table("entities"), table("relations"), said))
    return {ROLE: relative.as_posix()}


def make_graph(
    entities: Any, relations: Any, said: Callable[[list[str]], Iterable[Row]]
) -> tuple[dict[str, Array], dict[str, str]]:
    """Arrays and notes; tables are `lance.LanceDataset`s, `said(ids)` gives mentions of ids (columns `SAID`)."""
    known = [row_entity(row) for row in entities.to_table().to_pylist()]
    rows = relations.scanner(columns=_EDGE, with_row_id=True).to_table()
    edges = Edges(*(rows[name].to_pylist() for name in (*_EDGE, "_rowid")))
    there = {e.id for e in known}
    missing = sorted({*edges.heads, *edges.tails} - there)
    merged = _merged(known, said(missing)) if missing else {}
    return graph_arrays(known, edges, merged), {"of": tables_digest(entities, relations)}


def tables_digest(entities: Any, relations: Any) -> str:
    """A digest of what the index is made from, rows in any order."""
    total = 0
    for table, columns in ((entities, _NAMED), (relations, _EDGE)):
        for batch in table.scanner(columns=columns, with_row_id=table is relations).to_batches():
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                total += int.from_bytes(blake3(repr(row).encode("utf-8", "surrogatepass")).digest(16), "little")
    return f"{total % (1 << 128):032x}"


def _merged(entities: Sequence[Entity], said: Iterable[Row]) -> dict[str, str]:
    """Entities that ids of mentions were merged into: those of their name and type in their document."""
    called: defaultdict[tuple[str, str], list[Entity]] = defaultdict(list)
    for entity in entities:
        for name in (entity.name, *entity.aliases):
            called[entity.type, name].append(entity)
    documents = {entity.id: frozenset(entity.documents) for entity in entities}
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in said:
        for entity in called.get((row["type"], " ".join(row["text"].split())), ()):
            if row["document"] in documents[entity.id]:
                votes[row["entity"]][entity.id] += 1
    return {id: min(counts, key=lambda e: (-counts[e], e)) for id, counts in votes.items()}
