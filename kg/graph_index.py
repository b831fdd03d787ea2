"""All that relation recall looks up, as arrays that can be mapped from a file: names, and edges by their ends.

Arrays, texts as `kg.spelt` lays them down:

- `ids` of the entities in order, `names` as shown;
- `forms`: folded names and aliases in order, `owners` the entities of each; `prefixes` (two characters as one number),
  `sizes` the lengths, longest first, of the forms that begin so;
- `parts` of names in order, `rarity` of each, `holders` the entities whose name has it, `shares` of their names;
- `nodes`, ids at the ends of edges, in order; of each edge `heads`, `tails` (nodes), `passages` (in `blocks`), `papers`
  (in `documents`), `types`, `confidence`, `years`, `numbers`, `rowid` in the table; `start`, `order` of `kg.walk.Ties`;
- `merged`, ids of mentions in order that other entities took up, `into` which.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from h3cold.kg.edge_rows import EdgeRows, open_rows
from h3cold.kg.facts import TYPES, Facts, facts_of
from h3cold.kg.lexicon import PREFIX, Lexicon
from h3cold.kg.query import EntityIndex, index_entities
from h3cold.kg.short_names import ShortNames, index_short
from h3cold.kg.spelt import Array, Spelt, Texts, coded, listed, spelt
from h3cold.kg.walk import Ties
from h3cold.schemas.graph import Entity

PREFIXES = 1 << 13
"""Beginnings of names of which it is kept whether there are any."""


class Edges(NamedTuple):
    """Columns of the table of relations, of one length."""

    heads: Sequence[str]
    tails: Sequence[str]
    blocks: Sequence[str]
    documents: Sequence[str]
    types: Sequence[str]
    confidence: Sequence[float]
    values: Sequence[str]
    periods: Sequence[str]
    rowids: Sequence[int]


class Graph(NamedTuple):
    """The store's entities and what finds their names, whole or short, in a question; its edges."""

    entities: Mapping[str, str]
    """Id -> name as shown."""
    names: EntityIndex
    short: ShortNames
    facts: Facts
    rowids: Array
    """Of each edge, its row in the table of relations."""
    blocks: Texts
    """Ids of the blocks that `facts` numbers."""
    documents: Texts
    papers: Array
    """Of each edge, its document's place in `documents`."""
    ends: Mapping[str, str]
    """Id that a mention has -> id of the entity that it was merged into, where they differ."""
    rows: EdgeRows | None = None
    """Of each edge, what else its row says; None where an older version left it out."""

    def row(self, edge: int) -> dict[str, Any] | None:
        """An edge's row of the table of relations, None where only the table has it."""
        if self.rows is None:
            return None
        facts = self.facts
        return self.rows.row(edge) | {
            "type": TYPES[int(facts.types[edge])],
            "document": self.documents[int(self.papers[edge])],
            "block": self.blocks[int(facts.ties.blocks[edge])],
        }


def graph_arrays(entities: Iterable[Entity], edges: Edges, merged: Mapping[str, str]) -> dict[str, Array]:
    """The arrays; `merged` is id of a mention -> id of the entity that took it up, where they differ."""
    known = sorted(entities, key=lambda e: coded(e.id))
    place = {e.id: row for row, e in enumerate(known)}
    out = spelt("ids", [e.id for e in known]) | spelt("names", [e.name for e in known])
    taken = {id: into for id, into in merged.items() if into in place}
    gone = sorted(taken, key=coded)
    out |= spelt("merged", gone) | {"into": np.array([place[taken[id]] for id in gone], np.int32)}
    return out | _name_arrays(known, place) | _edge_arrays(edges, taken)


def _name_arrays(known: Sequence[Entity], place: Mapping[str, int]) -> dict[str, Array]:
    names = index_entities(known).lexicon
    forms = sorted(names.names, key=coded)
    owners = [sorted(place[id] for id in names.names[form]) for form in forms]
    prefixes = sorted({form[:PREFIX] for form in forms}, key=_number)
    short = index_short(known)
    parts = sorted(short.rarity, key=coded)
    postings = [short.postings[part] for part in parts]
    return {
        **spelt("forms", forms),
        **listed("owners", owners),
        "prefixes": np.array([_number(p) for p in prefixes], np.uint64),
        **listed("sizes", [names.lengths.get(p) or [] for p in prefixes]),
        **spelt("parts", parts),
        "rarity": np.array([short.rarity[p] for p in parts], np.float64),
        **listed("holders", [[place[id] for id, _ in found] for found in postings]),
        "shares": np.array([share for found in postings for _, share in found], np.float64),
    }


def _edge_arrays(edges: Edges, merged: Mapping[str, str]) -> dict[str, Array]:
    heads, tails = ([merged.get(id, id) for id in ends] for ends in (edges.heads, edges.tails))
    nodes, blocks, documents = (sorted(set(c), key=coded) for c in ([*heads, *tails], edges.blocks, edges.documents))
    node, block, document = ({id: row for row, id in enumerate(column)} for column in (nodes, blocks, documents))
    facts = facts_of(
        nodes,
        np.array([node[id] for id in heads], np.int64),
        np.array([node[id] for id in tails], np.int64),
        np.array([block[id] for id in edges.blocks], np.int64),
        types=edges.types, confidence=edges.confidence, values=edges.values, periods=edges.periods,
    )  # fmt: skip
    ties = facts.ties
    return {
        **spelt("nodes", nodes), **spelt("blocks", blocks), **spelt("documents", documents),
        "heads": ties.heads, "tails": ties.tails, "passages": ties.blocks, "start": ties.start, "order": ties.order,
        "papers": np.array([document[id] for id in edges.documents], np.int64),
        "types": facts.types, "confidence": facts.confidence, "years": facts.years, "numbers": facts.numbers,
        "rowid": np.array(edges.rowids, np.int64),
    }  # fmt: skip


def open_graph(arrays: Mapping[str, Array]) -> Graph:
    """What `graph_arrays` laid down, read only where it is looked at."""
    a, ids = arrays, Texts(arrays, "ids")
    names = Texts(a, "names")

    def owners(row: int) -> frozenset[str]:
        return frozenset(ids[i] for i in a["owners"][a["owners_at"][row] : a["owners_at"][row + 1]].tolist())

    def holders(row: int) -> list[tuple[str, float]]:
        part = slice(a["holders_at"][row], a["holders_at"][row + 1])
        return [(ids[i], s) for i, s in zip(a["holders"][part].tolist(), a["shares"][part].tolist(), strict=True)]

    parts = Texts(a, "parts")
    lexicon = Lexicon.over(Spelt(Texts(a, "forms"), owners), Sizes(a["prefixes"], a["sizes"], a["sizes_at"]))
    facts = Facts(
        Ties(a["heads"], a["tails"], a["passages"], a["start"], a["order"]), Spelt(Texts(a, "nodes"), int),
        a["types"], a["confidence"], a["years"], a["numbers"],
    )  # fmt: skip
    return Graph(
        Spelt(ids, lambda row: str(names[row])), EntityIndex(lexicon),
        ShortNames(Spelt(parts, holders), Spelt(parts, lambda row: float(a["rarity"][row]))),
        facts, a["rowid"], Texts(a, "blocks"), Texts(a, "documents"), a["papers"],
        Spelt(Texts(a, "merged"), lambda row: str(ids[int(a["into"][row])])), open_rows(a),
    )  # fmt: skip


class Sizes:
    """Lengths of the names that begin with two characters, longest first; those asked for last are kept at hand.

    Each letter of a question is asked for.
    """

    def __init__(self, prefixes: Array, sizes: Array, at: Array) -> None:
        self.get = lru_cache(PREFIXES)(partial(_sizes_of, prefixes, sizes, at))


def _sizes_of(prefixes: Array, sizes: Array, at: Array, prefix: str) -> list[int] | None:
    """None where no name begins so."""
    wanted = np.uint64(_number(prefix))
    row = int(prefixes.searchsorted(wanted))
    if row == len(prefixes) or prefixes[row] != wanted:
        return None
    found: list[int] = sizes[at[row] : at[row + 1]].tolist()
    return found


def _number(prefix: str) -> int:
    return ord(prefix[0]) << 32 | ord(prefix[PREFIX - 1])
