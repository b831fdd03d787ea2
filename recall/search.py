"""One search from question to hits: candidates, evidence, order, hits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from h3cold.ingest.store.reader import ColdStore
from h3cold.recall.bilingual import Name, load_names, other_names
from h3cold.recall.catalog import Catalog, Evidence, newest_named, spend, weigh
from h3cold.recall.confidence import how_sure
from h3cold.recall.corpus import Corpus, pieces_of, row_of
from h3cold.recall.filters import KINDS
from h3cold.recall.fuse import COPY, distinct, hold
from h3cold.recall.hits import Chosen, make_hits
from h3cold.recall.intent import SURE, Guess
from h3cold.recall.languages import Centres, Meaning, meaning_of
from h3cold.recall.periods import find_periods
from h3cold.recall.pool import Found, about, best_documents, drop, gather, pool_of
from h3cold.recall.rank import (
    Pool,
    asked_pairs,
    asked_words,
    features,
    label_agreement,
    pool_rarity,
    scored,
    sought_in_labels,
)
from h3cold.recall.reasons import serves, signs, understood
from h3cold.recall.strangers import strangers, strangers_beside
from h3cold.recall.summary_search import TableVectors
from h3cold.recall.understand import Question, understand
from h3cold.recall.wavering import DocumentVectors, open_vectors, say, wavers
from h3cold.recall.weights import Weights
from h3cold.recall.words import Bools, Floats, Ints, Texts, alike, read_first, read_labels, read_more
from h3cold.schemas.hit import Hits

if TYPE_CHECKING:
    from h3cold.kg.graph_index import Graph
    from h3cold.recall.cross_encoder import CrossEncoder
    from h3cold.recall.like import Coarse
    from h3cold.recall.relation import Edge
    from h3cold.recall.statements import Statements

SPARE = 24
"""Candidates beyond four times the wanted hits that are looked at: copies and pieces of one table use some up."""

CLOSE, NAMED_CLOSE = 0.02, 0.05
"""Where years are compared, or a kind of block is named, one of the kind comes before what is not better by more."""

LABEL_WEIGHT = 0.125
"""What row labels that say all of the question add to a table's score."""

LABEL_FLOOR = 0.3
"""Agreement below which row labels say nothing: any table has a "Total" or an "Other"."""

LABELLED = 48
"""Best tables whose row labels are read."""

RELATION_WEIGHT = 0.6
"""What a perfect edge adds to a block's score, beside at most 1 for its text."""

UNDATED = 0.6
"""What an edge loses in a document of none of the question's years: offices and stakes change."""

TEXT_PLACE = 2
"""Where the best answer by text alone stands at the latest (0 is the first hit) when the intent is not sure."""

PAGES = 1_000_000
"""More than any document has pages: document * PAGES + page is a page's key."""

SHOWN_DOCUMENTS = 5
"""Best documents whose edges are looked at when the question names no entity."""


@dataclass(slots=True)
class Snapshot:
    """One snapshot of a store, opened for searching; what its graph knows is read on first use."""

    store: ColdStore
    corpus: Corpus
    catalog: Catalog
    index: Any
    weights: Weights
    centres: Centres | None = None
    names: tuple[Name, ...] | None = field(default=None)
    graph: Graph | None = field(default=None)
    statements: Statements | None = field(default=None)
    mode: str = "full"
    whole: Whole | None = None
    coarse: Coarse | None = None
    typical: Floats | None = field(default=None)
    documents: DocumentVectors | Literal[False] | None = False  # not looked for yet
    lacking: tuple[str, ...] = ()  # what answers about relations do without, as its file is damaged


class Whole(NamedTuple):
    """Where `index` holds less than whole vectors: these, read as they are asked for, and their centres."""

    table: TableVectors
    centres: Centres | None


class Asked(NamedTuple):
    """A question with all that goes with it.

    `vector()` waits for the embedded question, None where there is no model. `strict`: the caller chose the intent,
    so structure means structure. `reader` is the user's own model that has a say on the best, if any.
    """

    question: Question
    evidence: Evidence
    guess: Guess
    vector: Callable[[], Floats] | None
    top: int
    candidates: int
    mask: Bools | None
    strict: bool
    reader: CrossEncoder | None = None
    embedder: Any = None  # the model of `vector()`, for other texts


class Order(NamedTuple):
    """Candidates, their features and scores, their order, the edges by candidate and the entities met.

    `confidence` (0..1) is how sure it is that the first ones are about the question at all; `strange` are the
    question's names where no document says one of them.
    """

    pool: Pool
    matrix: Floats
    scores: Floats
    order: list[int]
    copies: dict[int, list[int]]
    edges: dict[int, Edge]
    met: tuple[str, ...]
    confidence: float
    strange: tuple[str, ...] = ()


def read_question(snapshot: Snapshot, text: str) -> tuple[Question, Evidence]:
    """A clean question as this store can understand it, by its newest year and its names, and what it says of each
    document.

    Raises:
        StoreError: the store cannot be read.
    """
    if snapshot.names is None:
        snapshot.names = load_names(snapshot.store) if len(snapshot.corpus.languages) > 1 else ()
    also = other_names(text, snapshot.names)
    question = understand(text, newest=snapshot.catalog.newest, also=also)
    evidence = weigh(snapshot.catalog, question)
    own = newest_named(snapshot.catalog, evidence)
    if own is not None and own != snapshot.catalog.newest and question.periods and not find_periods(text):
        question = understand(text, newest=own, also=also)  # "last year" of one whose reports end earlier
        evidence = weigh(snapshot.catalog, question)
    return spend(snapshot.catalog, question, evidence), evidence


def search(snapshot: Snapshot, asked: Asked) -> Hits:
    """The best hits, at most `asked.top`.

    Raises:
        StoreError: the store cannot be read.
    """
    corpus, evidence = snapshot.corpus, asked.evidence
    found = order_all(snapshot, asked)
    if asked.reader is not None:
        from h3cold.recall.cross_encoder import reordered

        order = reordered(asked.reader, snapshot.store, corpus, found, asked.question.text)
        found = found._replace(order=order)
    prefix = understood(asked, found, snapshot.lacking)
    # A hit that was held before better scored ones shows the score of the best of those.
    shown = np.maximum.accumulate(found.scores[found.order][::-1])[::-1]
    groups = corpus.group[found.pool.rows[found.order]]
    chosen: list[Chosen] = []
    met: set[int] = set()
    for i, score, group in zip(found.order, shown.tolist(), groups.tolist(), strict=True):
        if len(chosen) == asked.top:
            break
        if group in met:
            continue  # a piece of a table that is among the hits as a whole
        if group >= 0:
            met.add(group)
        row = int(found.pool.rows[i])
        parts = tuple(pieces_of(corpus, row).tolist())
        spoke = partial(signs, i, found, snapshot, asked, evidence)
        copies = tuple(int(found.pool.rows[j]) for j in found.copies.get(i, ()))
        chosen.append(Chosen(row, parts, score, serves(i, found, snapshot, asked), spoke, copies))
    return Hits(make_hits(snapshot.store, corpus, chosen, asked.question, prefix=prefix), confidence=found.confidence)


def order_all(snapshot: Snapshot, asked: Asked) -> Order:
    """Every candidate in order.

    Raises:
        StoreError: the store cannot be read.
    """
    corpus, store, guess, evidence = snapshot.corpus, snapshot.store, asked.guess, asked.evidence
    mask = asked.mask
    if asked.strict and guess.best == "structure":
        structural = corpus.kind != KINDS.index("passage")
        narrowed = structural if mask is None else structural & mask
        mask = narrowed if narrowed.any() else mask

    @cache
    def meaning() -> Meaning | None:
        if asked.vector is None:
            return None
        return meaning_of(asked.vector()[: snapshot.index.d], snapshot.centres, snapshot.index)

    strange = strangers(corpus.words, asked.question, evidence, asks_who=guess.best == "relation")
    words, pairs = asked_words(asked.question), asked_pairs(asked.question)
    early: list[tuple[Ints, Texts]] = []  # what the words found holds, looked at while the question is embedded
    found = gather(
        store, corpus, snapshot.index, asked.question, meaning, evidence, limit=asked.candidates, mask=mask,
        structural="structure" in guess.intents,
        meanwhile=lambda found: early.append(read_first(corpus.words, found.lexical, words, pairs)),
    )  # fmt: skip
    if "structure" not in guess.intents:
        drop(found, corpus.blank)  # a reader of text wants something to read
    by_row: dict[int, Edge] = {}
    met: tuple[str, ...] = ()
    if "relation" in guess.intents:
        by_row, met, strange = _edges(snapshot, asked, found, mask, strange)
    whole = snapshot.whole
    if whole is None or asked.vector is None:
        pool = pool_of(store, corpus, snapshot.index, found, meaning(), by_row)
    else:  # what was found by less is held against whole vectors
        sharper = meaning_of(asked.vector()[snapshot.index.d :], whole.centres, whole.table)
        pool = pool_of(store, corpus, whole.table, Found(found.lexical, {}), sharper, {*by_row, *found.dense})
    texts = read_more(corpus.words, pool.rows, words, pairs, early[0])
    matrix = features(pool, texts, corpus, asked.question, evidence)
    weight = {i: guess.shares[i] for i in guess.intents}
    scores = np.zeros(len(matrix), np.float32)
    for intent, share in weight.items():
        scores += share / sum(weight.values()) * scored(matrix, snapshot.weights[intent])
    if "structure" in weight and ("table" in asked.question.kinds or not asked.question.kinds):
        scores += LABEL_WEIGHT * weight["structure"] * _labels(snapshot, asked, pool, texts, scores)
    if asked.vector is not None and wavers(pool, corpus, evidence):
        if snapshot.documents is False:
            snapshot.documents = open_vectors(store)
        if snapshot.documents is not None:
            scores += say(snapshot.documents, asked.question.text, pool, corpus)
    edges = {i: by_row[row] for i, row in enumerate(pool.rows.tolist()) if row in by_row}
    for i, edge in edges.items():
        when = float(evidence.period[corpus.document[pool.rows[i]]]) if asked.question.years else 1.0
        scores[i] += RELATION_WEIGHT * guess.shares["relation"] * edge.score * (1 - UNDATED * (1 - when))
    pages = corpus.document[pool.rows] * PAGES + corpus.page[pool.rows]

    def same(candidates: Ints) -> Bools:
        rows = pool.rows[candidates]
        return alike(corpus.words, rows, [about(corpus, d) for d in corpus.document[rows].tolist()], share=COPY)

    kept, copies = distinct(scores, pages, same, depth=4 * asked.top + SPARE)
    if len(weight) > 1 and "text" in weight and kept:
        plain = scored(matrix, snapshot.weights["text"]) - corpus.blank[pool.rows]
        kept = hold(kept, copies, int(plain.argmax()), place=TEXT_PLACE)
    if guess.best == "structure" and (len(asked.question.years) > 1 or asked.question.kinds) and kept:
        kind = corpus.kind[pool.rows]
        named = np.isin(kind, [KINDS.index(k) for k in asked.question.kinds])
        shown = [i for i in kept if (named[i] if asked.question.kinds else kind[i] != KINDS.index("passage"))]
        if shown and scores[kept[0]] - scores[shown[0]] < (NAMED_CLOSE if named.any() else CLOSE):
            kept = hold(kept, copies, shown[0], place=0)
    sure = how_sure(snapshot, asked, pool, texts, kept, stated=any(i in edges for i in kept[: asked.top]),
                    unstated=guess.best == "relation" and bool(met) and not edges, strange=strange)  # fmt: skip
    return Order(pool, matrix, scores, kept, copies, edges, met, sure, strange)


def _labels(snapshot: Snapshot, asked: Asked, pool: Pool, texts: Texts, scores: Floats) -> Floats:
    """How far the row labels of the best tables say what the question asks for, 0 for all other candidates."""
    out = np.zeros(len(scores), np.float32)
    tables = snapshot.corpus.kind[pool.rows] == KINDS.index("table")
    order = np.argsort(-scores, kind="stable")
    best = order[tables[order]][:LABELLED]
    rarity = pool_rarity(asked.question.words, texts, spent=asked.question.spent)
    sought = sought_in_labels(rarity, asked.question)
    every = read_labels(snapshot.corpus.words, pool.rows[best], texts.place)
    heads = texts.heads[np.ix_(best, [texts.place[word] for word in sought.wanted])].tolist()
    for i, labels, above in zip(best.tolist(), every, heads, strict=True):
        if not labels:
            continue
        headed = frozenset(compress(sought.wanted, above))
        agreement = label_agreement(labels, sought, headed)
        out[i] = max(0.0, agreement - LABEL_FLOOR) / (1 - LABEL_FLOOR)
    return out


def _edges(
    snapshot: Snapshot, asked: Asked, found: Found, mask: Bools | None, strange: tuple[str, ...]
) -> tuple[dict[int, Edge], tuple[str, ...], tuple[str, ...]]:
    """Edges that answer the question by the row of their block, the names of the entities that it speaks of, and its
    names that neither the documents nor the graph know; no edge of others where there are such names."""
    from h3cold.kg.query import find_entities
    from h3cold.recall.naming import says
    from h3cold.recall.opening import graph_of
    from h3cold.recall.relation import answers
    from h3cold.recall.statements import meaning_by

    corpus = snapshot.corpus
    graph = graph_of(snapshot)
    if strange and not find_entities(graph.names, "; ".join(strange)):
        return {}, (), strange
    beside = strangers_beside(corpus, asked.question) if asked.guess.best == "relation" and not strange else ()
    beside = tuple(name for name in beside if not find_entities(graph.names, name))
    documents = [corpus.documents[d]["id"] for d in best_documents(corpus, found, count=SHOWN_DOCUMENTS)]
    edges, met = answers(snapshot.store, graph, asked.question, documents=documents,
                         meaning=meaning_by(snapshot.statements, asked.embedder),
                         sure=asked.guess.shares["relation"] >= SURE, known=partial(says, corpus.words),
                         partly=bool(beside))  # fmt: skip
    rows = {row_of(corpus, edge.block): edge for edge in edges}
    there = {r: e for r, e in rows.items() if r is not None and (mask is None or mask[r])}
    return there, met, beside if beside and not there else () if met else strange
