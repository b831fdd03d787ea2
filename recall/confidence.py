"""How sure recall is that its best hits are about the question: what nothing fits should not look like an answer.

A store always has a nearest block. What tells an answer from it is how much of what the question says, but for names
of documents and periods, stands in one of the best hits, rare words weighing more, whether neighbouring words stand
together there, and how much closer in meaning the best block is than blocks of its language are on average. The weights
are those of a logistic regression on 519 labelled questions that were answered (reports, Wikipedia pages, made filings;
English and Chinese) and 153 that their documents say nothing about (recipes, questions of other stores), each set by
the root of its size, each side weighing half.

A question in another language than its best hits seldom shares a word with them. What counts there is whether it has a
name, a number or a term of the glossary in common with them, and how much closer the nearest document is than all
others: what is about the question stands out, what lies near a recipe does not, however large the store is. Those
weights are of 83 answered questions and 288 others, over five stores.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from h3cold.kg.query import relation_types
from h3cold.recall.catalog import NAMED
from h3cold.recall.corpus import Corpus, is_abroad
from h3cold.recall.ownership import asks_for_owners
from h3cold.recall.pool import vectors_of
from h3cold.recall.rank import Pool, coverage
from h3cold.recall.row_periods import part_words
from h3cold.recall.strangers import would_be_said
from h3cold.recall.understand import Question, without_kinds
from h3cold.recall.unheard import unheard
from h3cold.recall.unsaid import unsaid
from h3cold.recall.words import Ints, Texts, number_of

if TYPE_CHECKING:
    from h3cold.recall.relation import Edge
    from h3cold.recall.search import Asked, Snapshot

BEST = 5
"""Best hits, of which the one that says most of the question counts."""

PLAIN = 0.07
"""How much closer than on average the best block of an answered question is, for want of a measurement."""

ALL_TOLD, NEAR = 0.99, 0.042
"""Where one of the best says all that is asked it counts as this close at least: in a store of one long table all
blocks are alike, and none is closer than others."""

_TOLD, _PAIRED, _CLOSER, _CHINESE, _BIAS = 6.8, 4.2, 70.0, 0.75, -9.85

_TOLD_ABROAD, _CLOSER_ABROAD, _APART_ABROAD, _CHINESE_ABROAD, _BIAS_ABROAD = 7.0, 50.0, 60.0, -1.4, -5.5
"""Where the best hit is in another language."""

_UNSAID_ABROAD, LEFT = 30.0, 0.1
"""What it takes that words are left out that have forms in the language of the answer, but for a little of them. Not of
the regression: set by a score of questions, and none of 506 right first hits of the labelled sets ceased to fit."""

FEW, MOST = 3, 0.6
"""Words of an English question of which one is said by chance, where none of the best says this share, or a pair."""

LONE, MOST_APART = 0.012, 0.03
"""How far apart the nearest block's document is from others, for want of others, and how much of it counts."""

CALLED = 0.5
"""What it tells at least of a question in another language that it names documents."""

UNSAID = 0.15
"""Where something tells that the hits are about others than are asked about."""

STATED = 0.6
"""Confidence where the graph states what is asked, at least."""

UNHEARD = 3.0
"""What it takes of the sum that no document says a word of the question."""

UNSTATED = 2.0
"""What it takes of the regression's sum that the graph knows whom a question names, and no edge of the kind asked for:
its words stand there, but of somebody else."""

FIRM = 0.38
"""Score from which an edge states what is asked: of the kind asked for, at somebody who is named."""

_ENDS = {"Q1": 1, "Q2": 2, "H1": 2, "Q3": 3, "Q4": 4, "H2": 4}
"""Quarter that ends with a part of a year."""

_NAMES = re.compile(r"\b(?=[a-z]*[A-Z\d])\w[\w-]*(?:\s+(?=[a-z]*[A-Z\d])\w[\w-]*)*")  # with capitals or digits

_OWNING = frozenset(("own", "who", "control", "hold", "控股", "持有", "拥有", "控制", "谁"))
"""Search tokens of questions for owners that a text may have for another reason."""

SAMPLE = 1024
"""Blocks that the average one is worked out from."""


def how_sure(
    snapshot: Snapshot, asked: Asked, pool: Pool, texts: Texts, kept: Sequence[int], edges: Sequence[Edge], *,
    met: bool, strange: Sequence[str],
) -> float:  # fmt: skip
    """0..1 for the candidates of `pool` that are `kept`, best first.

    `edges` are those that answer in the best, `met` says that the graph knows whom the question names; `strange` are
    its names where no document says one of them: where one would, the hits are about others.
    """
    corpus, question = snapshot.corpus, asked.question
    named = len(asked.evidence.name) > 0 and float(asked.evidence.name.max()) >= NAMED
    sure = confidence(corpus, question, texts, pool, kept, _closer(snapshot, asked, pool), named=named)
    related = asked.guess.best == "relation" and bool(relation_types(question.text))
    if related and edges and all(edge.elsewhen for edge in edges):
        return min(sure, UNSAID)
    if met and related and any(edge.score >= FIRM and not edge.elsewhen for edge in edges):
        sure = max(sure, STATED)
    elif met and related:
        sure = sure / (sure + (1 - sure) * math.exp(UNSTATED))
        if asks_for_owners(question.text) and not _says_owners(question, texts, kept):
            sure = min(sure, UNSAID)
    if sure > UNSAID and unheard(corpus, question):  # it takes some milliseconds where a word is not known
        sure = sure / (sure + (1 - sure) * math.exp(UNHEARD))
    if question.years and not _dated(snapshot, asked, texts, pool.rows, kept):
        sure = min(sure, UNSAID)
    if strange and len(corpus) and would_be_said(corpus, strange, question):
        sure = min(sure, UNSAID)
    return sure


def _dated(snapshot: Snapshot, asked: Asked, texts: Texts, rows: Ints, kept: Sequence[int]) -> bool:
    """Whether one of the best is of a year that the question names, or says one, or of no known year.

    A report of a quarter does not know a later one.
    """
    best, catalog, question = list(kept[:BEST]), snapshot.catalog, asked.question
    documents = snapshot.corpus.document[rows[best]].tolist()
    years = [texts.place[str(year)] for year in question.years]
    there = np.any(texts.present[best][:, years] | texts.heads[best][:, years], axis=1).tolist()
    parts = [(period.year, _ENDS.get(period.part, 0)) for period in question.periods if period.part]
    for document, said in zip(documents, there, strict=True):
        known = (int(catalog.year[document]), _ENDS.get(catalog.part[document], 4))
        later = known[0] > 0 and parts and all(part > known for part in parts)
        later = later and not (said and not catalog.part[document])  # statistics of many years, known by their first
        if (said or asked.evidence.period[document] > 0) and not later:
            return True
    return False


def _says_owners(question: Question, texts: Texts, kept: Sequence[int]) -> bool:
    """Whether one of the best says who holds shares, in whatever words; True where the question has a word for them."""
    best = texts.present[list(kept[:BEST])]
    forms = {form for unit in question.units if unit.words & _OWNING for form in unit.forms if form}
    forms -= {form for form in forms if form <= _OWNING}
    return not forms or any(best[:, [texts.place[t] for t in form]].all(axis=1).any() for form in forms)


def _closer(snapshot: Snapshot, asked: Asked, pool: Pool) -> float | None:
    """How much closer to the question the nearest candidate is than blocks on average, None without a model.

    Where a store has several languages, the candidates' scores are measured from the centres of theirs already.
    """
    whole, best = snapshot.whole, float(pool.dense.max(initial=0.0))
    if asked.vector is None:
        return None
    if (snapshot.centres if whole is None else whole.centres) is not None:
        return best
    index = snapshot.index if whole is None else whole.table
    if snapshot.typical is None:
        rows = np.arange(0, len(snapshot.corpus), -(-len(snapshot.corpus) // SAMPLE))
        snapshot.typical = vectors_of(snapshot.store, snapshot.corpus, index, rows).mean(axis=0)
    return best - float(snapshot.typical @ asked.vector()[0 if whole is None else snapshot.index.d :])


class Signs(NamedTuple):
    """What tells whether hits are about a question.

    `told`: share of its words, but for periods and names of documents, in one of the best hits; `paired`: share of its
    pairs of neighbours that stand together in one; `closer`: how much closer the nearest block is than blocks are on
    average; then whether it is `chinese`, and whether the best hit is in the other language (`abroad`); of one that is,
    `apart` is how much closer the nearest block is than the nearest of another document, and `unsaid` the share of the
    words that would be said in that language, too, and are not.
    """

    told: float
    paired: float
    closer: float
    chinese: bool
    abroad: bool
    apart: float = LONE
    unsaid: float = 0.0


def confidence(
    corpus: Corpus, question: Question, texts: Texts, pool: Pool, best: Sequence[int], closer: float | None, *,
    named: bool = False,
) -> float:  # fmt: skip
    """0..1 for the `best` of the candidates of `pool`, of which `texts` says what they hold; 0 where there are none.

    `closer` is by how much the nearest block's inner product with the question exceeds that of its language's centre,
    None where there is no measurement; `named` says that the question names documents.
    """
    if not len(best):
        return 0.0
    signs = signs_of(corpus, question, texts, pool, best, PLAIN if closer is None else closer, named=named)
    if signs.told >= ALL_TOLD and not signs.abroad:
        signs = signs._replace(closer=max(signs.closer, NEAR))
    return weighed(signs)


def weighed(signs: Signs) -> float:
    """The signs as one number, 0..1."""
    if not signs.abroad:
        at_home = _TOLD * signs.told + _PAIRED * signs.paired + _CLOSER * signs.closer + _CHINESE * signs.chinese
        return _logistic(at_home + _BIAS)
    abroad = _TOLD_ABROAD * signs.told + _CLOSER_ABROAD * signs.closer + _APART_ABROAD * signs.apart
    abroad -= _UNSAID_ABROAD * max(0.0, signs.unsaid - LEFT)
    return _logistic(abroad + _CHINESE_ABROAD * signs.chinese + _BIAS_ABROAD)


def signs_of(
    corpus: Corpus, question: Question, texts: Texts, pool: Pool, best: Sequence[int], closer: float, *, named: bool
) -> Signs:
    """The signs for the `best` of the candidates of `pool`; a document named in the other language tells something."""
    there = list(best[:BEST])
    rarity = _rarity(corpus, question)
    years = {str(year) for year in question.years} | part_words(question.text)
    telling = {w: r for w, r in rarity.items() if w not in years and w not in question.spent}
    said = texts.present[there] | texts.heads[there]
    abroad = is_abroad(corpus, int(pool.rows[best[0]]), question.language)
    if abroad and question.language != "zh":
        said[:, [texts.place[word] for word in _common(question, texts, there)]] = False
    told = float(coverage(telling or rarity, texts.place, said, question).max())
    if abroad and named:
        told = max(told, CALLED, float(coverage(rarity, texts.place, said, question).max()))
    pairs = list(dict.fromkeys(pairwise(question.words)))
    # A name says where, not what: where nothing else is said, its words side by side tell nothing.
    own = [i for i, pair in enumerate(pairs) if told or not question.spent.issuperset(pair)]
    paired = float(texts.paired[np.ix_(there, own)].sum(axis=1).max()) / len(pairs) if pairs else told
    if not abroad:
        if question.language != "zh" and len(telling) <= FEW and not paired and told < MOST:
            told = 0.0
        return Signs(told, paired, closer, question.language == "zh", abroad)
    left = unsaid(question, telling or rarity, texts.place, texts.present[there] | texts.heads[there])
    return Signs(told, paired, closer, question.language == "zh", abroad, _apart(corpus, pool), left)


def _common(question: Question, texts: Texts, best: Sequence[int]) -> list[str]:
    """Words of a question that are of no name that one of the best says, nor stand beside another of its words there.

    One of these alone in a Chinese text is of a title there: "water" and "best" of songs.
    """
    from h3cold.ingest.tokens import lexical

    told: set[str] = set()
    for i, pair in enumerate(dict.fromkeys(pairwise(question.words))):
        if texts.paired[best, i].any():
            told.update(pair)
    for run in _NAMES.findall(question.text):
        name = [token for token in lexical(run) if token in texts.place]
        if name and texts.present[best, texts.place[name[0]]].any():  # "airport" says little of "Frankfurt Airport"
            told.update(name)
    return [word for word in question.words if word not in told]


def _apart(corpus: Corpus, pool: Pool) -> float:
    """How much closer to the question the nearest candidate is than the nearest of other documents."""
    document = corpus.document[pool.rows]
    others = pool.dense[document != document[pool.dense.argmax()]]
    return min(MOST_APART, float(pool.dense.max() - others.max())) if len(others) else LONE


def _rarity(corpus: Corpus, question: Question) -> dict[str, float]:
    """How rare each word is; one that no text says as its commonest other form: 公司 tells as little as "company"."""
    out = {word: _idf(corpus, word) for word in _said(question)}
    for unit in question.units:
        unsaid = [word for word in unit.words if word in out and number_of(corpus.words, word) <= 0]
        forms = [max(_idf(corpus, token) for token in form) for form in unit.forms if form] if unsaid else []
        for word in unsaid:
            out[word] = min([out[word], *forms])
    return out


def _said(question: Question) -> tuple[str, ...]:
    """The question's words, without those for tables, charts and so on: a chart does not say that it is one."""
    if not question.kinds:
        return question.words
    from h3cold.ingest.tokens import lexical

    left = set(lexical(without_kinds(question.text)))
    return tuple(word for word in question.words if word in left) or question.words


def _idf(corpus: Corpus, word: str) -> float:
    """As in `words.bm25`."""
    number, n = number_of(corpus.words, word), len(corpus)
    start, end = corpus.words.rows_at[number : number + 2].tolist() if number > 0 else (0, 0)
    return math.log(1 + (n - (end - start) + 0.5) / (end - start + 0.5))


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))
