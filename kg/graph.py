"""The graph of a store's rows, its figures, and its export."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import networkx as nx

from h3cold.kg.amounts import amount
from h3cold.kg.linking import same_as
from h3cold.kg.periods import period
from h3cold.kg.user_aliases import UserAliases
from h3cold.schemas.graph import Entity, Mention, Relation

_VALUES = frozenset({"MONEY", "PERCENT", "DATE"})


def build(
    entities: Sequence[Entity],
    mentions: Sequence[Mention],
    relations: Sequence[Relation],
    user: UserAliases | None = None,
) -> nx.MultiDiGraph:
    """Nodes are entity ids (attributes type, name, aliases, documents, mentions), edges relation ids.

    An edge has type, confidence, value, period, document, block, page, start and end; value and period also in a form
    that compares (amount and unit, first and last day, "" where there is none): one edge a statement, so that
    the statements that support a tie can be counted, and a document's go with it. Amounts and dates are values on
    edges, and no nodes unless an edge ends there.
    """
    merged = same_as(mentions, relations, user)
    graph = nx.MultiDiGraph()
    ends = {merged.get(e, e) for r in relations for e in (r.head, r.tail)}
    for entity in sorted(entities, key=lambda e: e.id):
        if entity.type not in _VALUES or entity.id in ends:
            graph.add_node(
                entity.id,
                type=entity.type,
                name=entity.name,
                aliases=entity.aliases,
                documents=entity.documents,
                mentions=entity.mentions,
            )
    for relation in sorted(relations, key=lambda r: r.id):
        head, tail = merged.get(relation.head, relation.head), merged.get(relation.tail, relation.tail)
        if head == tail or head not in graph or tail not in graph:
            continue
        worth, time = amount(relation.value), period(relation.period)
        graph.add_edge(
            head, tail, key=relation.id, type=relation.type, confidence=relation.confidence, value=relation.value,
            period=relation.period, document=relation.document, block=relation.block, page=relation.page,
            start=relation.start, end=relation.end,
            amount=worth.number if worth else "", unit=worth.unit if worth else "",
            since=time[0] if time else "", until=time[1] if time else "",
        )  # fmt: skip
    return graph


def statistics(graph: nx.MultiDiGraph) -> dict[str, object]:
    """Counts: nodes, edges, nodes and edges by type, documents, and nodes that no edge touches."""
    return {
        "nodes": graph.number_of_nodes(),
        "edges": graph.number_of_edges(),
        "nodes_by_type": dict(sorted(Counter(t for _, t in graph.nodes(data="type")).items())),
        "edges_by_type": dict(sorted(Counter(t for *_, t in graph.edges(data="type")).items())),
        "documents": len({d for *_, d in graph.edges(data="document")}),
        "isolated": sum(1 for n in graph if graph.degree(n) == 0),
    }


def support(graph: nx.MultiDiGraph, head: str, tail: str, type: str) -> frozenset[str]:
    """Documents that state a tie; when the last of them goes, the tie goes."""
    edges = graph.get_edge_data(head, tail) or {}
    return frozenset(data["document"] for data in edges.values() if data["type"] == type)
