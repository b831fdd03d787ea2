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

from h3cold.recall.corpus import Corpus
from h3cold.recall.rank import coverage
from h3cold.recall.understand import Question
from h3cold.recall.words import Ints, Texts, number_of

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
    rarity = {word: _idf(corpus, word) for word in question.words}
    whole = sum(rarity.values())
    unknown = sum(r for word, r in rarity.items() if number_of(corpus.words, word) <= 0) / whole if whole else 0.0
    covered = float(coverage(rarity, texts.place, texts.present[list(best[:BEST])], question).max())
    if corpus.languages[int(corpus.language[rows[best[0]]])] != question.language:
        if covered > 0:
            return _logistic(_COVERED_ABROAD * covered + _CLOSER_ABROAD * closer + _BIAS_ABROAD)
        return UNSAID
    chinese = _CHINESE * (question.language == "zh")
    return _logistic(_COVERED * covered + _CLOSER * closer + _UNKNOWN * unknown + chinese + _BIAS)


def _idf(corpus: Corpus, word: str) -> float:
    """As in `words.bm25`."""
    number, n = number_of(corpus.words, word), len(corpus)
    start, end = corpus.words.rows_at[number : number + 2].tolist() if number > 0 else (0, 0)
    return math.log(1 + (n - (end - start) + 0.5) / (end - start + 0.5))


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))
