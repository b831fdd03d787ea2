"""Edges that answer a question, told while it is embedded as far as they do not hang on what is found."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from h3cold.recall.corpus import row_of
from h3cold.recall.intent import SURE
from h3cold.recall.pool import Found, best_documents
from h3cold.recall.strangers import strangers_beside
from h3cold.recall.words import Bools
from h3cold.schemas.errors import StoreError

if TYPE_CHECKING:
    from h3cold.recall.relation import Edge
    from h3cold.recall.search import Asked, Snapshot

SHOWN_DOCUMENTS = 5
"""Best documents whose edges are looked at when the question names no entity."""

Result = TypeVar("Result")


class Related(NamedTuple):
    """Edges by the row of their block, the names of the entities that the question speaks of, and its names that
    neither the documents nor the graph know; no edge of others where there are such names."""

    edges: dict[int, Edge]
    met: tuple[str, ...]
    strange: tuple[str, ...]


def relate(
    snapshot: Snapshot, asked: Asked, mask: Bools | None, strange: tuple[str, ...]
) -> Callable[[Found], Related]:
    """What gives the edges that answer, in the rows of `mask`, once it is found where a question's words lead.

    Most are told at once: those of documents that fit wait for these.

    Raises:
        StoreError: the graph cannot be read, and the caller wants nothing else.
    """
    nothing = Related({}, (), strange)
    begun = _or(lambda _: nothing, snapshot, asked, partial(_begin, snapshot, asked, mask, strange))
    return lambda found: _or(nothing, snapshot, asked, partial(begun, found))


def _or(instead: Result, snapshot: Snapshot, asked: Asked, work: Callable[[], Result]) -> Result:
    """Texts and tables answer without what says who is tied to whom."""
    try:
        return work()
    except StoreError as e:
        if asked.strict:
            raise
        snapshot.lacking = tuple(dict.fromkeys((*snapshot.lacking, f"relations cannot be read: {e}")))
        return instead


def _begin(
    snapshot: Snapshot, asked: Asked, mask: Bools | None, strange: tuple[str, ...]
) -> Callable[[Found], Related]:
    from h3cold.kg.query import find_entities
    from h3cold.recall.naming import says
    from h3cold.recall.opening import graph_of
    from h3cold.recall.relation import answers, begin
    from h3cold.recall.statements import meaning_by

    corpus = snapshot.corpus
    graph = graph_of(snapshot)
    if strange and not find_entities(graph.names, "; ".join(strange)):
        return lambda _: Related({}, (), strange)
    beside = strangers_beside(corpus, asked.question) if asked.guess.best == "relation" and not strange else ()
    beside = tuple(name for name in beside if not find_entities(graph.names, name))
    begun = begin(graph, asked.question, known=partial(says, corpus.words))

    def finish(documents: list[str]) -> Related:
        edges, met = answers(snapshot.store, graph, asked.question, begun=begun, documents=documents,
                             meaning=meaning_by(snapshot.statements, snapshot.embedder),
                             sure=asked.guess.shares["relation"] >= SURE, partly=bool(beside))  # fmt: skip
        rows = {row_of(corpus, edge.block): edge for edge in edges}
        there = {r: e for r, e in rows.items() if r is not None and (mask is None or mask[r])}
        return Related(there, met, beside if beside and not there else () if met else strange)

    if begun.anywhere:
        best = partial(best_documents, corpus, count=SHOWN_DOCUMENTS)
        return lambda found: finish([corpus.documents[d]["id"] for d in best(found)])
    told = finish([])
    return lambda _: told
