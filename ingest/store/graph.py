"""The index of the graph: names and edges as relation recall looks them up, one file a snapshot, mapped.

Derived from the tables `entities`, `relations` and `mentions`; `kg.graph_index` says what lies in it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from blake3 import blake3

from h3cold.ingest.store.arrays import Array, map_arrays, same, write_arrays
from h3cold.ingest.store.rows import row_entity
from h3cold.kg.edge_rows import EdgeColumns, row_arrays
from h3cold.kg.graph_index import Edges, graph_arrays
from h3cold.schemas.graph import Entity

ROLE = "graph"
SAID = ["entity", "type", "text", "document"]
_EDGE = ["head", "tail", "block", "document", "type", "confidence", "value", "period"]
_TOLD = ["id", "page", "start", "end"]
_NAMED = ["id", "type", "name", "aliases"]
Row = Mapping[str, Any]


def build_graph_index(store: Path, table: Callable[[str], Any], *, snapshot: int) -> dict[str, str]:
    """Index the graph of the store's tables (`table(name)` opens one); role -> path below the store for the manifest.

    Raises:
        StoreError: the file cannot be written.
    """
    relative = Path("index") / str(snapshot) / ROLE
    said = partial(mentions_of, table("mentions"))
    write_arrays(store / relative, *make_graph(table("entities"), table("relations"), said))
    return {ROLE: relative.as_posix()}


def mentions_of(mentions: Any, ids: list[str]) -> Iterator[Row]:
    """What the `lance.LanceDataset` has of these ids, columns `SAID`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    wanted = pa.array(ids, pa.string())
    for batch in mentions.to_batches(columns=SAID):
        yield from batch.filter(pc.is_in(batch["entity"], value_set=wanted)).to_pylist()


def is_whole(path: Path) -> bool:
    """Whether an index of the graph, which holds, has all that this version puts into one."""
    return "row_ids" in map_arrays(path)[0]


def make_graph(
    entities: Any, relations: Any, said: Callable[[list[str]], Iterable[Row]]
) -> tuple[dict[str, Array], dict[str, str]]:
    """Arrays and notes; tables are `lance.LanceDataset`s, `said(ids)` gives mentions of ids (columns `SAID`)."""
    known = [row_entity(row) for row in entities.to_table().to_pylist()]
    rows = relations.scanner(columns=[*_EDGE, *_TOLD], with_row_id=True).to_table()
    edges = Edges(*(rows[name].to_pylist() for name in (*_EDGE, "_rowid")))
    there = {e.id for e in known}
    missing = sorted({*edges.heads, *edges.tails} - there)
    mentioned = list(said(missing)) if missing else []
    merged = _merged(known, mentioned)
    called = _called(row for row in mentioned if row["entity"] not in merged)
    told = row_arrays(
        EdgeColumns(*(rows[name].to_pylist() for name in _TOLD)), heads=edges.heads, tails=edges.tails,
        confidence=edges.confidence, values=edges.values, periods=edges.periods, called=called,
    )  # fmt: skip
    return graph_arrays(known, edges, merged) | told, {"of": tables_digest(entities, relations)}


def _called(mentions: Iterable[Row]) -> dict[str, str]:
    """The longest text of each id's mentions."""
    out: dict[str, str] = {}
    for row in mentions:
        text = " ".join(row["text"].split())
        if len(text) > len(out.get(row["entity"], "")):
            out[row["entity"]] = text
    return out


def is_made_of(path: Path, table: Callable[[str], Any]) -> bool:
    """Whether an index is, to the last bit, what the tables make; of an older version's, what it has of that.

    Raises:
        StoreError: it, or a table, cannot be read.
    """
    arrays, notes = map_arrays(path)
    made, told = make_graph(table("entities"), table("relations"), partial(mentions_of, table("mentions")))
    return notes == told and all(name in made and same(array, made[name]) for name, array in arrays.items())


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
