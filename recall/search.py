"""One search from question to hits: candidates, evidence, order, hits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from h3cold.ingest.store.reader import ColdStore
from h3cold.recall.beside import Beside
from h3cold.recall.catalog import whose
from h3cold.recall.confidence import BEST, UNSAID, how_sure
from h3cold.recall.copies import alike
from h3cold.recall.corpus import Corpus, pieces_of
from h3cold.recall.filters import KINDS
from h3cold.recall.fuse import COPY, distinct, hold, worths
from h3cold.recall.hits import Chosen, look, make_hits
from h3cold.recall.intent import Guess
from h3cold.recall.languages import Centres, Meaning, meaning_of
from h3cold.recall.last_order import ANSWERING, LOOKED, SPARED, in_last_order
from h3cold.recall.missing import missing
from h3cold.recall.pool import Found, about, drop, gather, pool_of
from h3cold.recall.rank import (
    Pool,
    asked_pairs,
    asked_words,
    features,
    pool_rarity,
    scored,
)
from h3cold.recall.rare_names import rare_names, say_them
from h3cold.recall.reasons import serves, signs, understood
from h3cold.recall.related import Related, relate
from h3cold.recall.row_labels import labels_say
from h3cold.recall.strangers import strangers
from h3cold.recall.summary_search import TableVectors
from h3cold.recall.unsaid import about_others, drop_garbled, may_tell
from h3cold.recall.wavering import DocumentVectors, open_vectors, say, wavers
from h3cold.recall.weights import Weights
from h3cold.recall.wishes import wants_itself
from h3cold.recall.words import Bools, Floats, Ints, look_up, read_first, read_more
from h3cold.schemas.hit import Hits

if TYPE_CHECKING:
    from h3cold.kg.graph_index import Graph
    from h3cold.recall.bilingual import Name
    from h3cold.recall.catalog import Catalog, Evidence
    from h3cold.recall.cross_encoder import CrossEncoder
    from h3cold.recall.like import Coarse
    from h3cold.recall.relation import Edge
    from h3cold.recall.statements import Statements
    from h3cold.recall.understand import Question

SPARE = 24
"""Candidates beyond four times the wanted hits that are looked at: copies and pieces of a table use some up."""

CLOSE, NAMED_CLOSE = 0.02, 0.05
"""Where years are compared, or a kind of block is named, one of it comes before what is not better by more."""

LABEL_WEIGHT = 0.125
"""What row labels that say all of the question add to a table's score."""

RELATION_WEIGHT = 0.6
"""What a perfect edge adds to a block's score, beside at most 1 for its text."""

UNDATED = 0.6
"""What an edge loses in a document of none of the question's years: offices and stakes change."""

SAYS_NAME, OF_NAME = 0.2, 0.1
"""What a name that few blocks say adds to those that do, where text or relations are wanted, and to their documents."""

TEXT_PLACE = 2
"""Where the best answer by text alone stands at the latest (0 is the first hit) when the intent is not sure."""

PAGES = 1_000_000
"""More than any document has pages: document * PAGES + page is a page's key."""


@dataclass(slots=True)
class Snapshot:
    """One snapshot of a store, opened for searching; what its graph knows is read on first use.

    All that a question depends on is of this one object, as another can take its place at any time.
    """

    store: ColdStore
    corpus: Corpus
    catalog: Catalog
    index: Any
    weights: Weights
    embedder: Any = None  # the model of its vectors; None where that cannot be had, `missing` says why
    missing: str = ""
    centres: Centres | None = None
    names: tuple[Name, ...] | None = field(default=None)
    graph: Graph | None = field(default=None)
    statements: Statements | None = field(default=None)
    mode: str = "full"
    whole: Whole | None = None
    coarse: Coarse | None = None
    typical: Floats | None = field(default=None)
    documents: DocumentVectors | Literal[False] | str | None = False  # not looked for yet; why they do not open
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
    vector: Beside | None
    top: int
    candidates: int
    mask: Bools | None
    strict: bool
    reader: CrossEncoder | None = None


class Order(NamedTuple):
    """Candidates, their features and scores, their order, the edges by candidate and the entities met.

    `confidence` (0..1) is how sure it is that the first ones are about the question at all; `own` are the candidates of
    documents that the question names, all where it names none; `labels` is how far row labels say the question;
    `strange` are its names that no document says, `unsaid` its names and years that none of the best says; `undecided`
    is why vectors of documents had no say where they should.
    """

    pool: Pool
    matrix: Floats
    scores: Floats
    order: list[int]
    copies: dict[int, list[int]]
    edges: dict[int, Edge]
    met: tuple[str, ...]
    confidence: float
    own: Bools
    labels: Floats
    strange: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()
    undecided: str = ""


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
    # A hit that was held before better scored ones shows the score of the best of those.
    rows, scores = found.pool.rows[found.order], found.scores[found.order]
    shown = np.maximum.accumulate(scores[::-1])[::-1]
    chosen: list[Chosen] = []
    met: set[int] = set()
    answers = asked.guess.best == "structure"
    plain = asked.guess.best == "text" and "structure" in asked.guess.intents
    looked = max(asked.top, LOOKED if answers else SPARED)
    may = may_answer(corpus, asked, found) if answers or plain else np.zeros(len(found.own), np.bool_)
    worth_of = worths(scores, corpus.document[rows] * PAGES + corpus.page[rows])
    each = zip(found.order, rows.tolist(), shown.tolist(), corpus.group[rows].tolist(), worth_of, strict=True)
    for i, row, score, group, worth in each:
        if len(chosen) == looked:
            break
        if group in met:
            continue  # a piece of a table that is among the hits as a whole
        if group >= 0:
            met.add(group)
        parts = tuple(pieces_of(corpus, row).tolist()) if group >= 0 else ()
        spoke = partial(signs, i, found, snapshot, asked, evidence)
        copies = tuple(int(found.pool.rows[j]) for j in found.copies.get(i, ()))
        says = bool(may[i]) and (len(chosen) < ANSWERING or (bool(found.labels[i]) and len(chosen) < LOOKED))
        chosen.append(Chosen(row, parts, score, serves(i, found, snapshot, asked), spoke, copies, worth, says))
    read = partial(look, snapshot.store, corpus, question=asked.question)
    seen = in_last_order(chosen, read, asked.question, asked.top)
    best = [one for one, _ in seen[:BEST]]
    if others := about_others(snapshot, asked, found, best):
        found = found._replace(confidence=min(found.confidence, UNSAID))
    known = asked.guess.best == "relation" or found.strange
    if unsaid := () if known else missing(snapshot, best, asked.question):
        found = found._replace(confidence=min(found.confidence, UNSAID), unsaid=unsaid)
    prefix = understood(asked, found, snapshot.lacking)
    told = may_tell(asked, found, others=others)
    hits = make_hits(snapshot.store, corpus, seen, asked.question, prefix=prefix, told=told)
    return Hits(hits, confidence=found.confidence)


def may_answer(corpus: Corpus, asked: Asked, found: Order) -> Bools:
    """Candidates whose tables may come first for what they answer: of the documents named, and of these of the
    question's period if any is; none but of the kind that is asked for, and none where a table is wanted as such."""
    question, rows = asked.question, found.pool.rows
    may = found.own
    if question.periods and may.any():
        agree = asked.evidence.period[corpus.document[rows]]
        may = may & (agree >= agree[may].max())
    if question.kinds:
        kinds = [KINDS.index(kind) for kind in question.kinds]
        may = may & np.isin(corpus.kind[rows], kinds) & (not wants_itself(question.text))
    return may


def order_all(snapshot: Snapshot, asked: Asked) -> Order:
    """Every candidate in order.

    Raises:
        StoreError: the store cannot be read.
    """
    corpus, store, guess, evidence = snapshot.corpus, snapshot.store, asked.guess, asked.evidence
    mask = asked.mask
    if asked.strict and guess.best == "structure":
        narrowed = corpus.structural if mask is None else corpus.structural & mask
        mask = narrowed if narrowed.any() else mask

    known: list[Meaning] = []

    def meaning() -> Meaning | None:
        if asked.vector is None:
            return None
        if not known:
            known.append(meaning_of(asked.vector()[: snapshot.index.d], snapshot.centres, snapshot.index))
        return known[0]

    strange = strangers(corpus.words, asked.question, evidence, asks_who=guess.best == "relation")
    sought = look_up(corpus.words, asked_words(asked.question), asked_pairs(asked.question))
    early: list[tuple[Ints, Bools]] = []  # what the words found holds, looked at while the question is embedded
    related: list[Callable[[Found], Related]] = []
    rare: list[Ints] = []

    def meanwhile(rows: Iterable[int]) -> None:
        early.append(read_first(corpus.words, rows, sought))
        rare.extend(rare_names(corpus.words, asked.question, evidence))
        if "relation" in guess.intents:
            related.append(relate(snapshot, asked, mask, strange))

    found = gather(
        store, corpus, snapshot.index, asked.question, meaning, evidence, limit=asked.candidates, mask=mask,
        structural="structure" in guess.intents, meanwhile=meanwhile, beside=asked.vector,
    )  # fmt: skip
    if "structure" not in guess.intents:
        drop(found, corpus.blank)  # a reader of text wants something to read
    by_row, met, strange = related[0](found) if related else Related({}, (), strange)
    drop_garbled(store, corpus, found, asked.question.language)
    whole = snapshot.whole
    if whole is None or asked.vector is None:
        pool = pool_of(store, corpus, snapshot.index, found, meaning(), by_row)
    else:  # what was found by less is held against whole vectors
        sharper = meaning_of(asked.vector()[snapshot.index.d :], whole.centres, whole.table)
        pool = pool_of(store, corpus, whole.table, Found(found.lexical, {}), sharper, {*by_row, *found.dense})
    texts = read_more(corpus.words, pool.rows, sought, early[0])
    rarity = pool_rarity(asked.question.words, texts, spent=asked.question.spent)
    matrix = features(pool, texts, rarity, corpus, asked.question, evidence)
    weight = {i: guess.shares[i] for i in guess.intents}
    scores = np.zeros(len(matrix), np.float32)
    for intent, share in weight.items():
        scores += share / sum(weight.values()) * scored(matrix, snapshot.weights[intent])
    labels = np.zeros(len(scores), np.float32)
    kinds = asked.question.kinds
    if "structure" in weight and (not kinds or ("table" in kinds and not wants_itself(asked.question.text))):
        labels = labels_say(snapshot, asked, pool, texts, rarity, scores)
        scores += LABEL_WEIGHT * weight["structure"] * labels
    undecided = ""
    if asked.vector is not None and wavers(pool, corpus, evidence):
        if snapshot.documents is False:
            snapshot.documents = open_vectors(store)
        if isinstance(snapshot.documents, str):
            undecided = snapshot.documents
        elif snapshot.documents is not None:
            scores += say(snapshot.documents, asked.question.text, pool, corpus)
    if rare:
        said, of = say_them(rare, pool.rows, corpus)
        plain_share = 1 - weight.get("structure", 0.0) / sum(weight.values())
        scores += SAYS_NAME * plain_share * said + OF_NAME * of
    edges = {i: by_row[row] for i, row in enumerate(pool.rows.tolist()) if row in by_row} if by_row else {}
    for i, edge in edges.items():
        when = float(evidence.period[corpus.document[pool.rows[i]]]) if asked.question.years else 1.0
        scores[i] += RELATION_WEIGHT * guess.shares["relation"] * edge.score * (1 - UNDATED * (1 - when))
    pages = corpus.document[pool.rows] * PAGES + corpus.page[pool.rows]

    def same(candidates: Ints) -> tuple[Ints, Ints]:
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
    own = whose(snapshot.catalog, evidence)[corpus.document[pool.rows]]
    first = next((i for i in kept if own[i]), None)
    told = edges if met else {}
    if first is not None and kept[0] not in told and not own[kept[0]]:  # who is named is asked about
        kept = hold(kept, copies, first, place=0)
    sure = how_sure(snapshot, asked, pool, texts, [i for i in kept[:BEST] if own[i] or i in told or first is None],
                    [edges[i] for i in kept[: asked.top] if i in edges], met=bool(met), strange=strange)  # fmt: skip
    return Order(pool, matrix, scores, kept, copies, edges, met, sure, own if own.any() else ~own, labels, strange,
                 undecided=undecided)  # fmt: skip
