"""How near the sentences of the graph's edges are to what a question means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from h3cold.ingest.store.arrays import Array
from h3cold.kg.walk import Floats, Ints
from h3cold.schemas.errors import CorruptionError

if TYPE_CHECKING:
    from h3cold.ingest.store.reader import ColdStore
    from h3cold.recall.relation import Like, Meaning

SPREAD = 0.03
"""Cosine by which a sentence must fall behind the nearest to count 1/e of it: e5's cosines lie close together."""


class Statements(NamedTuple):
    """Of each edge the row of its sentence (-1: none), and the sentences' vectors: int8 codes times scales."""

    of_edge: Array
    codes: Array
    scales: Array


def open_statements(store: ColdStore, *, edges: int | None = None) -> Statements | None:
    """The snapshot's, mapped; None where an older version made it. `edges` is how many its graph has, where known.

    Raises:
        StoreError: the file cannot be read.
        CorruptionError: its arrays are not those of such an index, or it is of another graph.
    """
    from h3cold.ingest.store.statements import ROLE, read_statements

    if ROLE not in store.manifest.index:
        return None
    path = store.index_path(ROLE)
    arrays, _ = read_statements(path)
    if edges is not None and len(arrays["of_edge"]) != edges:
        raise CorruptionError(f"{path}: it is not of this graph; see h3-monitor --verify --repair")
    return Statements(arrays["of_edge"], arrays["codes"], arrays["scales"]) if len(arrays["scales"]) else None


def meaning_by(statements: Statements | None, embedder: Any) -> Meaning | None:
    """`Meaning` by these sentences and the model of the question's vector, None where either is missing.

    Where that gives a vector for summaries with the sentences' own, the latter stands behind.
    """
    if statements is None or embedder is None:
        return None
    return lambda text: likeness(statements, embedder.queries([text])[0][-statements.codes.shape[1] :])


def likeness(statements: Statements, vector: Floats) -> Like:
    """For edges by number how like each one's sentence is to a question's vector, 0..1, the likest of them 1.

    An edge without a sentence is as like as the least: 0.
    """

    def like(edges: Ints) -> Floats:
        rows = statements.of_edge[edges]
        said = rows >= 0
        out = np.zeros(len(edges), np.float32)
        if said.any():
            cosines = (statements.codes[rows[said]].astype(np.float32) @ vector) * statements.scales[rows[said]]
            out[said] = np.exp((cosines - cosines.max()) / SPREAD)
        return out

    return like
