"""How sure recall is that its best hits are about the question: what nothing fits should not look like an answer.

A store always has a nearest block. What tells an answer from it is how much of what the question says stands in one of
the best hits, rare words weighing more, whether the store knows its words at all, and how much closer in meaning the
best block is than blocks of its language are on average. The weights are those of a logistic regression on 312 labelled
questions (reports, Wikipedia pages, the examples; English and Chinese, a fifth of them in the other language) and 123
that their documents say nothing about, such as recipes, each side weighing half.

A question in another language than its best hits seldom shares a word with them, but it has a name, a number, a year or
a term of the glossary in common with them, if they are about it. Where it has not, how close it is says nothing: what
is close to a recipe depends on the store's size, and how far it stands out told no more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from h3cold.kg.query import relation_types
from h3cold.recall.corpus import Corpus
from h3cold.recall.pool import vectors_of
from h3cold.recall.rank import Pool, coverage
from h3cold.recall.strangers import would_be_said
from h3cold.recall.understand import Question, without_kinds
from h3cold.recall.words import Ints, Texts, number_of

if TYPE_CHECKING:
    from h3cold.recall.search import Asked, Snapshot

BEST = 5
"""Best hits, of which the one that says most of the question counts."""

PLAIN = 0.07
"""How much closer than on average the best block of an answered question is, for want of a measurement."""

_COVERED, _CLOSER, _UNKNOWN, _CHINESE, _BIAS = 6.7, 56.0, -2.75, 3.75, -7.7
"""Chinese words are longer shots than stems: as sure an answer holds fewer of them."""

_COVERED_ABROAD, _CLOSER_ABROAD, _BIAS_ABROAD = 2.0, 40.0, -2.2
"""Where the best hit is in another language and says something of the question."""

UNSAID = 0.15
"""Where it says nothing of it: 185 of 206 questions about other things (`trials/unfit.txt`), 11 of 62 labelled ones."""


STATED = 0.6
"""Confidence where the graph states what is asked, at least."""

UNSTATED = 2.0
"""What it takes of the regression's sum that the graph knows whom a question names, and no edge of the kind asked for:
its words stand there, but of somebody else."""

SAMPLE = 1024
"""Blocks that the average one is worked out from."""


def how_sure(
    snapshot: Snapshot, asked: Asked, pool: Pool, texts: Texts, kept: Sequence[int], *, stated: bool, unstated: bool,
    strange: Sequence[str],
) -> float:  # fmt: skip
    """0..1 for the candidates of `pool` that are `kept`, best first.

    `stated` says that the graph states what is asked in one of the best, `unstated` that it knows who
    is named and does not state it; `strange` are the question's names where no
    document says one of them: where one would, the hits are about others.
    """
    corpus = snapshot.corpus
    sure = confidence(corpus, asked.question, texts, pool.rows, kept, _closer(snapshot, asked, pool))
    if stated:
        sure = max(sure, STATED)
    elif unstated and relation_types(asked.question.text):
        sure = sure / (sure + (1 - sure) * math.exp(UNSTATED))
    if strange and len(corpus) and would_be_said(corpus, strange, asked.question):
        sure = min(sure, UNSAID)
    return sure


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


def confidence(
    corpus: Corpus, question: Question, texts: Texts, rows: Ints, best: Sequence[int], closer: float | None
) -> float:
    """0..1 for the `best` of the candidates `rows`, of which `texts` says what they hold; 0 where there are none.

    `closer` is by how much the nearest block's inner product with the question exceeds that of its language's centre,
    None where there is no measurement.
    """
    if not len(best):
        return 0.0
    closer = PLAIN if closer is None else closer
    rarity = {word: _idf(corpus, word) for word in _said(question)}
    whole = sum(rarity.values())
    unknown = sum(r for word, r in rarity.items() if number_of(corpus.words, word) <= 0) / whole if whole else 0.0
    covered = float(coverage(rarity, texts.place, texts.present[list(best[:BEST])], question).max())
    if corpus.languages[int(corpus.language[rows[best[0]]])] != question.language:
        if covered > 0:
            return _logistic(_COVERED_ABROAD * covered + _CLOSER_ABROAD * closer + _BIAS_ABROAD)
        return UNSAID
    chinese = _CHINESE * (question.language == "zh")
    return _logistic(_COVERED * covered + _CLOSER * closer + _UNKNOWN * unknown + chinese + _BIAS)


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
