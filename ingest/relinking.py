"""Entities of the snapshot that is about to be published: linked anew only where documents changed.

Which rows a node depends on is for `kg.linking.reach` to say; the rows of all other nodes stay as they were published.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from h3cold.ingest.store.lance_errors import LANCE_ERRORS
from h3cold.ingest.store.reader import ColdStore
from h3cold.ingest.store.rows import entity_rows, row_mention, row_relation
from h3cold.ingest.store.tables import ENTITIES
from h3cold.ingest.store.writer import StoreWriter
from h3cold.schemas.errors import StoreError

NAMES = ["entity", "type", "text"]
TIES = ["head", "tail"]


def linked(writer: StoreWriter) -> pa.Table:
    """The entities that all of the store's mentions and relations make, by id."""
    return _linked(writer.table("mentions").to_batches(), writer.table("relations").to_batches())


def relinked(writer: StoreWriter) -> pa.Table:
    """The same, made of the published ones and the rows of documents that the writer put in or took out since."""
    base = writer.base
    if base is None or writer.fresh:
        return linked(writer)
    try:
        then = ColdStore(writer.path, base)  # which does not believe damaged files
        before = [then.table(name).to_table() for name in ("mentions", "relations", "entities")]
    except (StoreError, *LANCE_ERRORS):
        return linked(writer)
    mentions, relations = (writer.table(name).to_table() for name in ("mentions", "relations"))
    touched = _touched(before[:2], [mentions, relations], pa.array(sorted(writer.redone), pa.string()))
    anew = _linked(_among(mentions, "entity", touched).to_batches(), _among(relations, "head", touched).to_batches())
    kept = before[2].filter(pc.invert(pc.is_in(before[2]["id"], value_set=touched)))
    return pa.concat_tables([kept, anew]).sort_by("id")


def _touched(before: list[pa.Table], now: list[pa.Table], changed: pa.Array) -> pa.Array:
    """Ids of the nodes that the rows of the changed documents, as they were and as they are, can have a part in."""
    from h3cold.kg.linking import TYING, reach

    names, ties = _distinct(now[0], NAMES), _distinct(_among(now[1], "type", pa.array(TYING)), TIES)
    seeds: set[Any] = set()
    seed_ties: set[Any] = set()
    for mentions, relations in (before, now):
        seeds |= _distinct(_among(mentions, "document", changed), NAMES)
        tying = _among(relations, "type", pa.array(TYING))
        seed_ties |= _distinct(_among(tying, "document", changed), TIES)
    return pa.array(sorted(reach(names | seeds, ties | seed_ties, seeds, seed_ties)), pa.string())


def _among(table: pa.Table, column: str, values: pa.Array) -> pa.Table:
    return table.filter(pc.is_in(table[column], value_set=values))


def _distinct(table: pa.Table, columns: list[str]) -> set[tuple[Any, ...]]:
    rows = table.select(columns).group_by(columns).aggregate([])
    return set(zip(*(rows[name].to_pylist() for name in columns), strict=True))


def _linked(mentions: Iterable[Any], relations: Iterable[Any]) -> pa.Table:
    from h3cold.kg.linking import link

    said = [row_mention(row) for batch in mentions for row in batch.to_pylist()]
    told = [row_relation(row) for batch in relations for row in batch.to_pylist()]
    return pa.Table.from_pylist(entity_rows(link(said, told)), schema=ENTITIES)
