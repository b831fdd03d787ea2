"""Relations that a question asks for: the entities it names, the edges around them, the blocks that say so."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from h3cold.ingest.store.reader import ColdStore, quoted
from h3cold.ingest.store.rows import row_entity
from h3cold.kg.query import Edge as Statement
from h3cold.kg.query import EntityIndex, find_entities, index_entities, relation_types
from h3cold.recall.naming import ShortNames, index_short, named_shortly
from h3cold.recall.understand import Question
from h3cold.schemas.graph import Entity

EDGES = 400
"""Edges around the question's entities that are looked at, the surest first."""

_FAMILIES: tuple[frozenset[str], ...] = (
    frozenset({"owns", "acquires", "subsidiary_of", "invests_in"}),
    frozenset({"officer_of", "employed_by"}),
    frozenset({"regulated_by", "penalised_by"}),
    frozenset({"supplies", "party_to"}),
)
"""Relations of which one often answers a question for another: who bought a company owns it."""

_ASKS_DOWN = re.compile(r"subsidiar(?:y|ies)\b(?! of\b)|子公司|参股公司", re.IGNORECASE)
"""Asks what a company owns, not who owns it."""

_ASKS_UP = re.compile(
    r"\bwho (?:owns|holds|controls|acquired|bought)\b|\bowned by\b|\bparent (?:company )?of\b"
    r"|\b(?:share|stock)holders? (?:of|in)\b"
    r"|谁.{0,4}(?:控股|控制|持有|拥有|收购)|(?:控股|大)股东|实际控制人|实控人|母公司|被谁",
    re.IGNORECASE,
)
"""Asks who owns a company, not what it owns."""

_DOWN = frozenset({"owns", "acquires", "invests_in"})

FORMS = 40
"""Names of one entity that are looked up among the mentions, at most."""


class Graph(NamedTuple):
    """The store's entities by id, and what finds their names, whole or short, in a question."""

    entities: Mapping[str, Entity]
    names: EntityIndex
    short: ShortNames


class Edge(NamedTuple):
    """A block that answers, how well (0..1), and the path it states: "A —owns (51%)→ B, p. 12"."""

    block: str
    score: float
    path: str


class Around(NamedTuple):
    """Rows of relations around the question's entities, and the entity (of the entities table) that each end is."""

    rows: list[dict[str, Any]]
    ends: dict[str, str]
    names: dict[str, str]


def load_graph(store: ColdStore) -> Graph:
    """Read the entities.

    Raises:
        StoreError: the table cannot be read.
    """
    entities = [row_entity(row) for row in store.table("entities").to_table().to_pylist()]
    return Graph({e.id: e for e in entities}, index_entities(entities), index_short(entities))


def named_in(graph: Graph, text: str) -> dict[str, float]:
    """Entities that a text names, with how strongly: 1 by their whole name, less by a part of it."""
    return {**named_shortly(text, graph.short), **dict.fromkeys(find_entities(graph.names, text), 1.0)}


def answers(
    store: ColdStore, graph: Graph, question: Question, *, documents: Sequence[str] = ()
) -> tuple[list[Edge], tuple[str, ...]]:
    """Blocks whose edges answer the question, best first, and the names of the entities that it speaks of.

    Around the entities it names; where it names none, edges of the type it asks for in `documents` (ids of the
    documents that fit its words). Where it names several, paths that tie two of them by way of a third count too.

    Raises:
        StoreError: the tables cannot be read.
    """
    named = named_in(graph, question.text)
    wanted = set(relation_types(question.text))
    around = _around(store, graph, named)
    if not around.rows and wanted and documents:
        listed, kinds = _listed(documents), _listed(sorted(wanted))
        around = _named(store, graph, _relations(store, f"document IN ({listed}) AND type IN ({kinds})"), {})
    best: dict[str, Edge] = {}
    for row in around.rows:
        path = _path(around, row)
        value = score(row, around, named, wanted, question) * (0.7 + 0.3 * said(path, question))
        if value > 0:
            _keep(best, Edge(row["block"], value, path))
    for one, two, value in _joined(around, named):
        for row in (one, two):
            _keep(best, Edge(row["block"], value, f"{_path(around, one)}; {_path(around, two)}"))
    speaks = tuple(graph.entities[i].name for i in named if i in graph.entities)
    return sorted(best.values(), key=lambda e: (-e.score, e.block)), speaks


def said(path: str, question: Question) -> float:
    """Share of the question's words, or of other forms of its concepts, that an edge's own words hold."""
    from h3cold.ingest.tokens import lexical

    tokens = frozenset(lexical(path))
    there = {w for w in question.words if w in tokens}
    for unit in question.units:
        if any(form and form <= tokens for form in unit.forms):
            there |= unit.words & set(question.words)
    return len(there) / max(len(question.words), 1)


def _keep(best: dict[str, Edge], edge: Edge) -> None:
    if edge.block not in best or edge.score > best[edge.block].score:
        best[edge.block] = edge


def _around(store: ColdStore, graph: Graph, named: Mapping[str, float]) -> Around:
    """Edges of these entities. Relations carry the ids of mentions; an entity may stand for several of those."""
    ends: dict[str, str] = {}
    for entity in (graph.entities[i] for i in named if i in graph.entities):
        ends[entity.id] = entity.id
        where = f"text IN ({_listed((entity.name, *entity.aliases)[:FORMS])}) AND type = {quoted(entity.type)}"
        found = store.table("mentions").to_table(filter=where, columns=["entity", "document"]).to_pylist()
        for row in found:
            if row["document"] in entity.documents and row["entity"] not in graph.entities:
                ends[row["entity"]] = entity.id
    if not ends:
        return Around([], {}, {})
    listed = _listed(sorted(ends))
    return _named(store, graph, _relations(store, f"head IN ({listed}) OR tail IN ({listed})"), ends)


def _named(store: ColdStore, graph: Graph, rows: list[dict[str, Any]], ends: dict[str, str]) -> Around:
    """Names for both ends of every edge: the entity's, or as the mention has it where it was merged into another."""
    ids = {row[end] for row in rows for end in ("head", "tail")}
    names = {i: graph.entities[ends.get(i, i)].name for i in ids if ends.get(i, i) in graph.entities}
    missing = sorted(ids - names.keys())
    for row in store.rows("mentions", "entity", missing, ["entity", "text"]):
        text = " ".join(row["text"].split())
        if len(text) > len(names.get(row["entity"], "")):
            names[row["entity"]] = text
    return Around(rows, ends, names)


def _relations(store: ColdStore, condition: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = store.table("relations").to_table(filter=condition).to_pylist()
    return sorted(rows, key=lambda r: (-r["confidence"], r["id"]))[:EDGES]


def _listed(values: Iterable[str]) -> str:
    return ", ".join(quoted(v) for v in values)


def _path(around: Around, row: Mapping[str, Any]) -> str:
    head, tail = (around.names.get(row[end], "?") for end in ("head", "tail"))
    return f"{Statement(**row, head_name=head, tail_name=tail)}, p. {row['page']}"


def score(
    row: Mapping[str, Any], around: Around, named: Mapping[str, float], wanted: set[Any], question: Question
) -> float:
    """0..1: which ends the question names, whether it asks for this relation and time, how sure the edge is."""
    years = {str(y) for y in question.years}
    ends = {around.ends[row[end]] for end in ("head", "tail") if row[end] in around.ends}
    near = any(row["type"] in family and wanted & family for family in _FAMILIES)
    kind = 1.0 if row["type"] in wanted else 0.75 if not wanted or near else 0.3
    if row["type"] == "measure_of" and row["type"] not in wanted:
        kind = 0.0  # a figure ties nobody to anybody: the search finds it by its words
    time = 1.0 if not years or any(y in row["period"] for y in years) else 0.9 if not row["period"] else 0.7
    head, tail = (named.get(around.ends.get(row[end], ""), 0.0) for end in ("head", "tail"))
    if _ASKS_DOWN.search(question.text) and row["type"] in _DOWN and head < tail:
        kind *= 0.5
    if _ASKS_UP.search(question.text) and row["type"] in _DOWN:
        kind *= 0.5 if tail < head else 0.9 + 0.1 * _share(row["value"])
    return float((0.5 + 0.25 * sum(named.get(e, 0.0) for e in ends)) * kind * time * (0.6 + 0.4 * row["confidence"]))


def _share(value: str) -> float:
    """A percentage as 0..1, half and more as 1; 1 where the edge states no share."""
    found = re.search(r"(\d+(?:\.\d+)?)\s*[%％]", value)
    return min(1.0, float(found.group(1)) / 50) if found else 1.0


def _joined(around: Around, named: Mapping[str, float]) -> list[tuple[dict[str, Any], dict[str, Any], float]]:
    """Pairs of edges that tie two of the named entities by way of a third; none where an edge ties them already."""
    if any(row["head"] in around.ends and row["tail"] in around.ends for row in around.rows):
        return []
    by_far: defaultdict[str, list[tuple[str, dict[str, Any]]]] = defaultdict(list)
    for row in around.rows:
        near = [around.ends[row[end]] for end in ("head", "tail") if row[end] in around.ends]
        if len(near) == 1 and near[0] in named:
            far = row["tail"] if row["head"] in around.ends else row["head"]
            by_far[around.names.get(far, far)].append((near[0], row))
    out = []
    for edges in by_far.values():
        first = edges[0]
        other = next((e for e in edges if e[0] != first[0]), None)
        if other is not None:
            sure = min(first[1]["confidence"], other[1]["confidence"])
            out.append((first[1], other[1], 0.8 * sure))
    return out
