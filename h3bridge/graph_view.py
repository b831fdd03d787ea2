"""A store's knowledge graph for people and other tools: its figures, its files, and why a node is one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from h3cold.ingest.store import ColdStore
from h3cold.ingest.store.rows import row_mention, row_relation
from h3cold.kg.user_aliases import UserAliases
from h3cold.schemas.errors import UsageError
from h3cold.schemas.graph import Mention, Relation

if TYPE_CHECKING:
    import networkx as nx

BEST = 10
"""Best connected nodes that a report shows."""


class Rows(NamedTuple):
    """What the store's documents say, and the user's word on names."""

    mentions: list[Mention]
    relations: list[Relation]
    user: UserAliases


def read_rows(store: ColdStore, user: UserAliases) -> Rows:
    """The rows of a store.

    Raises:
        StoreError: the tables cannot be read.
    """
    mentions = [row_mention(r) for r in store.table("mentions").to_table().to_pylist()]
    return Rows(mentions, [row_relation(r) for r in store.table("relations").to_table().to_pylist()], user)


def build_graph(rows: Rows) -> nx.MultiDiGraph:
    """The graph as networkx has it."""
    from h3cold.kg.graph import build
    from h3cold.kg.linking import link

    return build(link(*rows), *rows)


def graph_report(rows: Rows) -> dict[str, Any]:
    """Counts of nodes and edges by type, documents, nodes that no edge touches, and the best connected nodes."""
    from h3cold.kg.graph import statistics

    graph = build_graph(rows)
    best = sorted(graph.degree, key=lambda d: (-d[1], d[0]))[:BEST]
    names = [{"name": graph.nodes[n]["name"], "type": graph.nodes[n]["type"], "relations": d} for n, d in best if d]
    return {**statistics(graph), "best_connected": names, **_unfollowed(rows)}


def _unfollowed(rows: Rows) -> dict[str, Any]:
    """Lines of the user's alias file that these rows cannot follow; no key where there are none."""
    from h3cold.kg.linking import unfollowed

    lines = unfollowed(rows.mentions, rows.user)
    return {"alias_lines_not_followed": lines} if lines else {}


def export_graph(rows: Rows, path: Path) -> dict[str, Any]:
    """Writes the graph in the format of the path's suffix; the files and what they hold.

    Raises:
        UsageError: no format has this suffix, or the file cannot be written.
    """
    from h3cold.kg.exports import write

    graph = build_graph(rows)
    return {"files": [str(p) for p in write(graph, path)], "nodes": len(graph), "edges": graph.number_of_edges()}


def explain_node(store: ColdStore, rows: Rows, name: str) -> dict[str, Any]:
    """The nodes that go by a name, and why each is one.

    Raises:
        UsageError: none does.
    """
    from h3cold.kg.explain import explain

    documents = store.table("documents").to_table(columns=["id", "source"]).to_pylist()
    sources = {d["id"]: d["source"] for d in documents}
    found = explain(name, rows.mentions, rows.relations, sources=sources, user=rows.user)
    if not found:
        raise UsageError(f"{name!r}: no node of the graph goes by this name; give it whole, as a document has it")
    out: dict[str, Any] = _unfollowed(rows)
    for number, node in enumerate(found, 1):
        title = f"node {number}" if len(found) > 1 else "node"
        out[title] = {
            k: ", ".join(v) if k == "documents" else v
            for k, v in node.items()
            if k in ("name", "type", "mentions", "documents")
        }
        out[f"names of {title}"] = node["names"]
        out[f"merges of {title}"] = node["merges"]
    return out
