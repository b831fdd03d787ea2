"""The index of the graph's statements: a vector for each edge's sentence, made with the model of the blocks' vectors.

Derived, one file a snapshot, beside the graph's index: `of_edge` is for each edge of that the row of its sentence (-1:
it has none), `codes` int8 [sentences, dimension] times `scales` their vectors, `digests` the sentences' in order. Equal
sentences have one row; a build embeds only those that the former index does not have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from blake3 import blake3

from h3cold.ingest.store.arrays import Array, map_arrays, write_arrays
from h3cold.ingest.store.checksums import Checksums
from h3cold.ingest.store.graph import ROLE as GRAPH
from h3cold.kg.facts import TYPES
from h3cold.kg.graph_index import open_graph
from h3cold.kg.statements import LEFT_OUT, statement
from h3cold.schemas.errors import CorruptionError, H3Error

ROLE = "statements"
SLICE = 256
"""Sentences embedded at a time."""

_WIDTH = 16
_KINDS = {"of_edge": ("<i4", 1), "codes": ("|i1", 2), "scales": ("<f4", 1), "digests": ("|u1", 2)}
"""Of each array its dtype and how many axes it has."""

Floats = np.ndarray[Any, np.dtype[np.float32]]
Embed = Callable[[Sequence[str]], Floats]


def build_statements(
    store: Path,
    relations: Any,
    index: Mapping[str, str],
    *,
    snapshot: int,
    embedder: str,
    embed: Embed,
    former: Mapping[str, str],
) -> dict[str, str]:
    """Index the statements of the graph whose own index is in `index`; role -> path below the store for the manifest.

    `relations` is the table, `embedder` the id of the model whose passages `embed` makes, asked for new sentences
    only; `former` are the index files of the snapshot before.

    Raises:
        StoreError: the file cannot be written.
    """
    arrays, _ = map_arrays(store / index[GRAPH])
    said = sentences(arrays, relations)
    texts = {digest(text): text for text in said if text}
    digests = sorted(texts)
    place = {one: row for row, one in enumerate(digests)}
    known = _former(store, former, embedder)
    new = [one for one in digests if one not in known]
    parts = [embed([texts[one] for one in new[i : i + SLICE]]) for i in range(0, len(new), SLICE)]
    made = dict(zip(new, zip(*_coded(np.concatenate(parts)), strict=True), strict=True)) if parts else {}
    rows = [known[one] if one in known else made[one] for one in digests]
    out: dict[str, Array] = {
        "of_edge": np.array([place[digest(text)] if text else -1 for text in said], np.int32),
        "codes": np.stack([codes for codes, _ in rows]) if rows else np.zeros((0, 0), np.int8),
        "scales": np.array([scale for _, scale in rows], np.float32),
        "digests": np.frombuffer(b"".join(digests), np.uint8).reshape(-1, _WIDTH),
    }
    relative = Path("index") / str(snapshot) / ROLE
    write_arrays(store / relative, out, {"embedder": embedder, "vectors": _vectors_digest(out)})
    return {ROLE: relative.as_posix()}


def sentences(arrays: Mapping[str, Array], relations: Any) -> list[str]:
    """Of each edge of the graph's index its sentence, "" for those that have none."""
    graph = open_graph(arrays)
    rows = relations.scanner(columns=["value", "period"], with_row_id=True).to_table()
    order = {row: i for i, row in enumerate(rows["_rowid"].to_pylist())}
    values, periods = rows["value"].to_pylist(), rows["period"].to_pylist()
    nodes = list(graph.facts.nodes)
    names = [graph.entities.get(id, "") for id in nodes]
    out = []
    ties = graph.facts.ties
    for edge, (head, tail) in enumerate(zip(ties.heads.tolist(), ties.tails.tolist(), strict=True)):
        type, row = TYPES[int(graph.facts.types[edge])], order[int(graph.rowids[edge])]
        if type in LEFT_OUT or not (names[head] and names[tail]):
            out.append("")
        else:
            out.append(statement(type, names[head], names[tail], value=values[row], period=periods[row]))
    return out


def of_graph(file: Path, graph: Path, relations: Any) -> bool:
    """Whether an index of sentences is of the graph whose index the other file is, and its vectors are as written.

    Raises:
        StoreError: a file cannot be read.
    """
    arrays, notes = read_statements(file)
    if not _vectors_hold(arrays, notes):
        return False
    edges, _ = map_arrays(graph)
    said = [digest(text) if text else b"" for text in sentences(edges, relations)]
    mine = [arrays["digests"][row].tobytes() if row >= 0 else b"" for row in arrays["of_edge"].tolist()]
    return mine == said


def read_statements(path: Path) -> tuple[dict[str, Array], dict[str, Any]]:
    """Arrays, mapped, and notes of the index.

    Raises:
        StoreError: the file cannot be read.
        CorruptionError: it is not such a file, or its arrays do not fit together.
    """
    arrays, notes = map_arrays(path)
    found = {name: (array.dtype.str, array.ndim) for name, array in arrays.items()}
    whole = found == _KINDS and isinstance(notes.get("embedder"), str)
    if whole:
        edges, rows = arrays["of_edge"], len(arrays["scales"])
        whole = len(arrays["codes"]) == rows and arrays["digests"].shape == (rows, _WIDTH)
        whole = whole and (not len(edges) or (int(edges.min()) >= -1 and int(edges.max()) < rows))
    if not whole:
        raise CorruptionError(f"{path}: the index does not load; see h3-monitor --verify --repair")
    return arrays, notes


def digest(text: str) -> bytes:
    """Of a sentence, 16 bytes."""
    return blake3(text.encode("utf-8", "surrogatepass")).digest(_WIDTH)


def _vectors_digest(arrays: Mapping[str, Array]) -> str:
    return blake3(arrays["codes"].tobytes() + arrays["scales"].tobytes()).hexdigest()


def _vectors_hold(arrays: Mapping[str, Array], notes: Mapping[str, Any]) -> bool:
    """Whether the vectors, which no table has, are as written; an older version kept no digest of them."""
    return "vectors" not in notes or notes["vectors"] == _vectors_digest(arrays)


def _coded(vectors: Floats) -> tuple[Array, Array]:
    """Vectors [n, d] as int8 and their scales: the cosine of two changes by less than .002."""
    scales = np.maximum(np.abs(vectors).max(axis=1), 1e-9) / 127
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def _former(store: Path, files: Mapping[str, str], embedder: str) -> dict[bytes, tuple[Array, float]]:
    """Codes and scales by digest of the former index; none where there is none of this model that holds."""
    if ROLE not in files or not Checksums(store).hold([files[ROLE]]):
        return {}
    try:
        arrays, notes = read_statements(store / files[ROLE])
        if notes["embedder"] != embedder or not _vectors_hold(arrays, notes):
            return {}
        digests = arrays["digests"]
        return {bytes(d): (c, float(s)) for d, c, s in zip(digests, arrays["codes"], arrays["scales"], strict=True)}
    except H3Error:  # derived: what is damaged is made anew
        return {}
