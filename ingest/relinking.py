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
from h3cold.kg.user_aliases import UserAliases, load_aliases
from h3cold.schemas.errors import StoreError
from h3cold.schemas.manifest import Manifest

NAMES = ["entity", "type", "text"]
TIES = ["head", "tail"]


ALIASES = "aliases"
"""Entry of a manifest's `models` that has the user's word on names."""


def kept_aliases(manifest: Manifest | None) -> UserAliases:
    """The user's word on names that a snapshot's entities were linked by."""
    return load_aliases("" if manifest is None else manifest.models.get(ALIASES, ""))


def linked(writer: StoreWriter, user: UserAliases) -> pa.Table:
    """The entities that all of the store's mentions and relations make, by id."""
    return _linked(writer.table("mentions").to_batches(), writer.table("relations").to_batches(), user)


def relinked(writer: StoreWriter, user: UserAliases) -> pa.Table:
    """The same, made of the published ones and the rows of documents that the writer put in or took out since."""
    base = writer.base
    if base is None or writer.fresh or kept_aliases(base) != user:
        return linked(writer, user)
    try:
        then = ColdStore(writer.path, base)  # which does not believe damaged files
        before = [then.table(name).to_table() for name in ("mentions", "relations", "entities")]
    except (StoreError, *LANCE_ERRORS):
        return linked(writer, user)
    mentions, relations = (writer.table(name).to_table() for name in ("mentions", "relations"))
    touched = _touched(before[:2], [mentions, relations], pa.array(sorted(writer.redone), pa.string()), user)
    said, told = _among(mentions, "entity", touched), _among(relations, "head", touched)
    anew = _linked(said.to_batches(), told.to_batches(), user)
    kept = before[2].filter(pc.invert(pc.is_in(before[2]["id"], value_set=touched)))
    return pa.concat_tables([kept, anew]).sort_by("id")


def _touched(before: list[pa.Table], now: list[pa.Table], changed: pa.Array, user: UserAliases) -> pa.Array:
    """Ids of the nodes that the rows of the changed documents, as they were and as they are, can have a part in."""
    from h3cold.kg.linking import TYING, reach

    names, ties = _distinct(now[0], NAMES), _distinct(_among(now[1], "type", pa.array(TYING)), TIES)
    seeds: set[Any] = set()
    seed_ties: set[Any] = set()
    for mentions, relations in (before, now):
        seeds |= _distinct(_among(mentions, "document", changed), NAMES)
        tying = _among(relations, "type", pa.array(TYING))
        seed_ties |= _distinct(_among(tying, "document", changed), TIES)
    return pa.array(sorted(reach(names | seeds, ties | seed_ties, seeds, seed_ties, user)), pa.string())


def _among(table: pa.Table, column: str, values: pa.Array) -> pa.Table:
    return table.filter(pc.is_in(table[column], value_set=values))


def _distinct(table: pa.Table, columns: list[str]) -> set[tuple[Any, ...]]:
    rows = table.select(columns).group_by(columns).aggregate([])
    return set(zip(*(rows[name].to_pylist() for name in columns), strict=True))


def _linked(mentions: Iterable[Any], relations: Iterable[Any], user: UserAliases) -> pa.Table:
    from h3cold.kg.linking import link

    said = [row_mention(row) for batch in mentions for row in batch.to_pylist()]
    told = [row_relation(row) for batch in relations for row in batch.to_pylist()]
    return pa.Table.from_pylist(entity_rows(link(said, told, user)), schema=ENTITIES)
