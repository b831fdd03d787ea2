"""The graph as a file for other tools, by the file's suffix: GraphML, GEXF, JSON-LD, CSV for `neo4j-admin import`."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import networkx as nx

from h3cold.schemas.errors import UsageError

LIST = " | "
"""Stands between the items of a list where a format has none."""
_CONTEXT = {
    "@vocab": "urn:h3cold:",
    "schema": "https://schema.org/",
    "name": "schema:name",
    "aliases": {"@id": "schema:alternateName", "@container": "@set"},
    "head": {"@type": "@id"},
    "tail": {"@type": "@id"},
}
_NODE = (("name", ""), ("aliases", "string[]"), ("documents", "string[]"), ("mentions", "int"))
_EDGE = (
    ("confidence", "float"), ("value", ""), ("period", ""), ("document", ""), ("block", ""), ("page", "int"),
    ("start", "int"), ("end", "int"), ("amount", "double"), ("unit", ""), ("since", ""), ("until", ""),
)  # fmt: skip


def write(graph: nx.MultiDiGraph, path: Path) -> list[Path]:
    """Writes a graph of `kg.graph.build` in the format of the path's suffix; returns the files.

    Raises:
        UsageError: no format has this suffix, or the file cannot be written.
    """
    known: dict[str, Callable[[nx.MultiDiGraph, Path], list[Path]]] = {
        ".graphml": _graphml, ".gexf": _gexf, ".jsonld": _jsonld, ".csv": _neo4j,
    }  # fmt: skip
    if path.suffix.lower() not in known:
        raise UsageError(f"{path}: no graph format has this suffix; the known ones: {', '.join(known)}")
    try:
        return known[path.suffix.lower()](graph, path)
    except OSError as e:
        raise UsageError(f"{path}: the graph cannot be written ({e.strerror})") from e


def _flat(graph: nx.MultiDiGraph) -> nx.MultiDiGraph:
    """The same graph with lists as text, and without what XML cannot hold."""
    flat = nx.MultiDiGraph()
    for node, data in graph.nodes(data=True):
        flat.add_node(node, label=_plain(data["name"]), **{k: _plain(v) for k, v in data.items()})
    for head, tail, id, data in graph.edges(keys=True, data=True):
        # An attribute has one type in a file: an edge without an amount has none.
        flat.add_edge(head, tail, key=id, **{k: _plain(v) for k, v in data.items() if (k, v) != ("amount", "")})
    return flat


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        value = LIST.join(value)
    if isinstance(value, str):
        return "".join(
            c
            for c in value
            if c in "\t\n" or (c >= " " and not "\ud800" <= c <= "\udfff" and c < "\ufffe") or c > "\uffff"
        )
    return value


def _graphml(graph: nx.MultiDiGraph, path: Path) -> list[Path]:
    nx.write_graphml(_flat(graph), path)
    return [path]


def _gexf(graph: nx.MultiDiGraph, path: Path) -> list[Path]:
    """GEXF keeps attributes called "start", "end" and "type" for itself; ours take another name."""
    renamed = nx.MultiDiGraph()
    for node, data in _flat(graph).nodes(data=True):
        renamed.add_node(node, **{"kind" if k == "type" else k: v for k, v in data.items()})
    names = {"type": "relation", "start": "from_char", "end": "to_char"}
    for head, tail, id, data in _flat(graph).edges(keys=True, data=True):
        renamed.add_edge(head, tail, key=id, id=id, **{names.get(k, k): v for k, v in data.items()})
    nx.write_gexf(renamed, path)
    return [path]


def _jsonld(graph: nx.MultiDiGraph, path: Path) -> list[Path]:
    """Nodes and statements, one a line within `@graph`; a statement is a node, as it has evidence of its own."""

    def lines() -> Iterator[str]:
        for node, data in graph.nodes(data=True):
            yield _json({"@id": f"urn:h3cold:entity:{node}", "@type": data["type"], **_rest(data, _NODE)})
        for head, tail, id, data in graph.edges(keys=True, data=True):
            ends = {"head": f"urn:h3cold:entity:{head}", "tail": f"urn:h3cold:entity:{tail}"}
            stated = {"@id": f"urn:h3cold:relation:{id}", "@type": "Statement", "relation": data["type"]}
            yield _json({**stated, **ends, **_rest(data, _EDGE)})

    with path.open("w", encoding="utf-8") as file:
        file.write(f'{{"@context": {_json(_CONTEXT)}, "@graph": [\n')
        file.write(",\n".join(lines()))
        file.write("\n]}\n")
    return [path]


def _rest(data: dict[str, Any], columns: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    return {name: list(data[name]) if isinstance(data[name], tuple) else data[name] for name, _ in columns}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _neo4j(graph: nx.MultiDiGraph, path: Path) -> list[Path]:
    """FILE-nodes.csv, FILE-edges.csv with headers for `neo4j-admin database import full --array-delimiter "|"`."""
    nodes, edges = (path.with_name(f"{path.stem}-{part}.csv") for part in ("nodes", "edges"))
    with nodes.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, quoting=csv.QUOTE_MINIMAL)
        rows.writerow(["id:ID", *(f"{n}:{t}" if t else n for n, t in _NODE), ":LABEL"])
        for node, data in graph.nodes(data=True):
            rows.writerow([node, *(_cell(data[name]) for name, _ in _NODE), data["type"]])
    with edges.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, quoting=csv.QUOTE_MINIMAL)
        rows.writerow([":START_ID", "id", *(f"{n}:{t}" if t else n for n, t in _EDGE), ":END_ID", ":TYPE"])
        for head, tail, id, data in graph.edges(keys=True, data=True):
            rows.writerow([head, id, *(_cell(data[name]) for name, _ in _EDGE), tail, data["type"].upper()])
    return [nodes, edges]


def _cell(value: Any) -> Any:
    if isinstance(value, tuple):
        return "|".join(" ".join(item.replace("|", "/").split()) for item in value)
    return " ".join(value.split()) if isinstance(value, str) else value
