"""From candidates to an order: features of each candidate, weighed per intent."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np

from h3cold.recall.catalog import NAMED, Evidence
from h3cold.recall.corpus import Corpus, is_abroad, last_pages
from h3cold.recall.filters import KINDS
from h3cold.recall.places import LAST
from h3cold.recall.understand import Question
from h3cold.recall.words import Bools, Floats, Ints, Texts, product

FEATURES = ("lexical", "dense", "page", "document", "name", "period", "doctype", "headings", "coverage", "phrases",
            "years", "structural", "asked kind", "place", "numbered", "page by words", "substance")  # fmt: skip
"""Every feature lies in 0..1; their meaning stands in `features`."""

DENSE_SPAN = 0.10
"""Inner product below the best one at which the dense feature reaches 0: e5's lie close together."""


RANKS = 60
"""Added to each place before its reciprocal is taken."""

STAND_IN = 0.75
"""Share of the dense feature that counts as agreement in words for a text of the other language."""

SPENT = 0.3
"""What a word weighs among the candidates once it has named their document."""

OTHER_FORM = 0.9
"""What a word counts where the text has another form of its concept."""

WORDY = 40
"""Search tokens, those of its headings and document among them, from which a block is more than a heading."""


class Pool(NamedTuple):
    """Candidates: rows of the corpus, BM25 (0 where not found by words) and inner product of each."""

    rows: Ints
    lexical: Floats
    dense: Floats


def asked_words(question: Question) -> tuple[str, ...]:
    """All tokens that the features look for: the question's, those of its concepts' forms, its years."""
    units = (token for unit in question.units for form in (unit.words, *unit.forms) for token in sorted(form))
    parts = (token for part in question.parts for form in part for token in form)
    return tuple(dict.fromkeys((*question.words, *units, *map(str, question.years), *parts)))


def asked_pairs(question: Question) -> list[tuple[str, str]]:
    """Pairs of words that are looked for side by side: neighbours in the question, then those of its numbered parts."""
    parts = (pair for part in question.parts for form in part for pair in pairwise(form))
    return list(dict.fromkeys((*pairwise(question.words), *parts)))


def features(
    pool: Pool, texts: Texts, rarity: Mapping[str, float], corpus: Corpus, question: Question, evidence: Evidence
) -> Floats:
    """[candidates, FEATURES], each in 0..1.

    lexical, dense: relative to the best of the pool. document: how much of the pool's best lies in the candidate's
    document. name (see `relative`), period, doctype: the catalog's evidence. headings, coverage, page: share of the
    question's words, weighted by how rare they are in the pool (`rarity`), in headings, in the text, and in the page's
    candidates together. phrases: share of its pairs of neighbouring words that stand together. years: share of its
    years in the text. structural: a table or formula, or a figure where a kind is named (amounts seldom stand in
    pictures). asked kind: of the kind that the question names. place: on a page that it names, half for the next one.
    numbered: headed by a numbered part that it names, half for speaking of it. page by words: 1, 1/2, 1/3, ... on the
    page of the best block by words, of the second, the third. substance: less than 1 below `WORDY` tokens, as of mere
    headings, which both searches like.
    """
    if not len(pool.rows):
        return np.zeros((0, len(FEATURES)), np.float32)
    foreign = np.array([name != question.language for name in corpus.languages], np.bool_)[corpus.language[pool.rows]]
    for i in np.flatnonzero(foreign).tolist():
        foreign[i] = is_abroad(corpus, int(pool.rows[i]), question.language)
    document = corpus.document[pool.rows]
    dense = np.maximum(1 - (pool.dense.max() - pool.dense) / DENSE_SPAN, 0)
    lexical = pool.lexical / max(float(pool.lexical.max()), 1e-9)
    page = _grouped(document * 1_000_000 + corpus.page[pool.rows])
    covered, headed, together = _coverages(page, rarity, texts, question)
    paired = phrases(rarity, texts, question)
    by_meaning = STAND_IN * dense * foreign  # words of another language cannot agree: meaning stands in for them
    lexical, covered, together = (np.maximum(f, by_meaning) for f in (lexical, covered, together))
    years = [texts.place[str(y)] for y in question.years]
    kind, held = corpus.kind[pool.rows], corpus.words.tokens.at
    columns: list[Any] = [
        lexical,
        dense,
        together,
        gathered(document, lexical + dense, best=8),
        relative(evidence.name)[document],
        evidence.period[document],
        evidence.doctype[document],
        headed,
        covered,
        paired,
        texts.present[:, years].sum(axis=1) / len(years) if years else 0,
        ~_is_any(kind, ("passage", "figure")[: 1 if question.kinds else 2]),
        _is_any(kind, question.kinds),
        placed(pool.rows, corpus, question),
        numbered(texts, question),
        _standing(page, pool.lexical),
        np.minimum(1, (held[pool.rows + 1] - held[pool.rows]) / WORDY),
    ]
    out = np.empty((len(kind), len(FEATURES)), np.float32)
    for place, column in enumerate(columns):
        out[:, place] = column
    return out


def _is_any(kind: Ints, names: Sequence[str]) -> Bools:
    """Which of the `kind`s, places in `KINDS`, are of these names."""
    return np.array([name in names for name in KINDS])[kind]


def fused(pool: Pool) -> Floats:
    """Reciprocal rank fusion of words and meaning (Cormack et al., 2009, k = 60), relative to the best, 0..1.

    What the ranking is compared with. As a feature beside the scores it lost on five sets of seven, at any weight.
    """
    places = [np.argsort(np.argsort(-scores, kind="stable")) for scores in (pool.lexical, pool.dense)]
    sums = sum((1 / (RANKS + place) for place in places), np.zeros(len(pool.rows)))
    return np.asarray(sums / sums.max(initial=1e-9), dtype=np.float32)


def relative(name: Floats) -> Floats:
    """Name evidence as a share of the best document's, where that is named for certain: then no other is meant."""
    best = float(name.max(initial=0.0))
    return name / best if best >= NAMED else name


def gathered(keys: Ints, values: Floats, *, best: int) -> Floats:
    """For each candidate the sum of its key's `best` largest values, relative to the best key's, 0..1."""
    order = np.lexsort((-values, keys))
    firsts, which = _runs(keys[order])
    counted = np.arange(len(order)) - firsts[which] < best
    sums = np.bincount(which, weights=np.where(counted, values[order], 0.0))
    out = np.empty(len(keys), np.float32)
    out[order] = sums[which] / (sums.max() or 1.0)
    return out


def _runs(keys: Ints) -> tuple[Ints, Ints]:
    """Of ascending keys the place where each one first stands, and for each place which key stands there."""
    begins = np.ones(len(keys), np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=begins[1:])
    return np.flatnonzero(begins), np.cumsum(begins) - 1


class _Grouped(NamedTuple):
    """Candidates by key: their `order`, where each key first stands in it, and which key stands at each place."""

    order: Ints
    firsts: Ints
    which: Ints


def _grouped(keys: Ints) -> _Grouped:
    order = np.argsort(keys, kind="stable")
    return _Grouped(order, *_runs(keys[order]))


def pool_rarity(words: Sequence[str], texts: Texts, *, spent: frozenset[str] = frozenset()) -> dict[str, float]:
    """Inverse frequency of each question word among the candidates; less for those `spent`, 0 where none has them."""
    n, counts = len(texts.present), texts.present.sum(axis=0).tolist()
    rarity = {w: math.log(1 + n / max(counts[texts.place[w]], 1)) for w in words}
    share = {w: SPENT if counts[texts.place[w]] else 0.0 for w in spent}  # none has two letters of different words
    return {w: r * share.get(w, 1.0) for w, r in rarity.items()}


def coverage(rarity: Mapping[str, float], place: Mapping[str, int], present: Bools, question: Question) -> Floats:
    """Share of the question's words that are `present` [texts, words], rare ones weighing more, for each text.

    The words of a concept count as there where all words of another of its forms are: "capital expenditure" where
    it says "purchases of property, plant and equipment".
    """
    whole = sum(rarity.values())
    if not whole:
        return np.zeros(len(present), np.float32)
    column = {word: i for i, word in enumerate(rarity)}
    there = present[:, [place[word] for word in rarity]].astype(np.float64)
    units = [(unit, [form for form in unit.forms if form]) for unit in question.units]
    units = [(unit, forms) for unit, forms in units if forms and unit.words]
    sets = [tokens for unit, forms in units for tokens in (unit.words, *forms)]
    if sets:  # all at once, eight texts a byte: numpy takes as long for a set as for fifty, and for truth values more
        flat = [place[t] for tokens in sets for t in tokens]
        starts = list(accumulate(map(len, sets[:-1]), initial=0))
        said = np.bitwise_and.reduceat(np.packbits(np.ascontiguousarray(present.T), axis=1)[flat], starts, axis=0)
        own = list(accumulate((1 + len(forms) for _, forms in units), initial=0))
        ends = [at for first, last in pairwise(own) for at in (first + 1, last)][:-1]
        others = np.bitwise_or.reduceat(said, ends, axis=0)[::2] & ~said[own[:-1]]
        for i in np.flatnonzero(others.any(axis=1)).tolist():
            other = np.flatnonzero(np.unpackbits(others[i], count=len(present)))
            for word in units[i][0].words & rarity.keys():
                there[other, column[word]] = OTHER_FORM
    return np.asarray(product(there, np.array(list(rarity.values()))) / whole, dtype=np.float32)


def standing(keys: Ints, values: Floats) -> Floats:
    """For each candidate the reciprocal place of its key among all, by the largest value of each; equals share one."""
    return _standing(_grouped(keys), values)


def _standing(groups: _Grouped, values: Floats) -> Floats:
    order, firsts, which = groups
    best = -np.maximum.reduceat(values[order], firsts) if len(order) else values
    ascending = np.sort(best)
    place = np.searchsorted(ascending[_runs(ascending)[0]], best)
    out = np.empty(len(order), np.float32)
    out[order] = 1 / (1 + place[which])
    return out


def _coverages(
    pages: _Grouped, rarity: Mapping[str, float], texts: Texts, question: Question
) -> tuple[Floats, Floats, Floats]:
    """Coverage of the question by each candidate's text, by its headings, and by all candidates of its page together.

    All at once: numpy takes about as long for one of them as for three.
    """
    order, firsts, which = pages
    bits = np.bitwise_or.reduceat(np.packbits(texts.present[order], axis=1), firsts, axis=0)
    together = np.unpackbits(bits, axis=1, count=len(texts.place)).view(np.bool_)
    every = coverage(rarity, texts.place, np.concatenate([texts.present, texts.heads, together]), question)
    n = len(order)
    of_page = np.empty(n, np.float32)
    of_page[order] = every[2 * n :][which]
    return every[:n], every[n : 2 * n], of_page


def page_coverage(pages: Ints, rarity: Mapping[str, float], texts: Texts, question: Question) -> Floats:
    """Coverage of the question by all candidates of a page together, for each candidate."""
    return _coverages(_grouped(pages), rarity, texts, question)[2]


def phrases(rarity: Mapping[str, float], texts: Texts, question: Question) -> Floats:
    """Share of the question's pairs of neighbours, weighing as its rarer word does, that stand together."""
    pairs = list(dict.fromkeys(pairwise(question.words)))
    weights = np.array([min(rarity[a], rarity[b]) for a, b in pairs])
    whole = weights.sum()
    together = texts.paired[:, : len(pairs)]
    return np.asarray(product(together, weights) / whole if whole else np.zeros(len(together)), dtype=np.float32)


def placed(rows: Ints, corpus: Corpus, question: Question) -> Floats:
    """1 on a page that the question names, 1/2 next to one (printed numbers are not always those of the file)."""
    out = np.zeros(len(rows), np.float32)
    first, last = corpus.page[rows].astype(np.int64), corpus.last_page[rows].astype(np.int64)
    for page in question.pages:
        wanted = last_pages(corpus)[corpus.document[rows]] if page == LAST else page
        near = np.maximum(np.maximum(first - wanted, wanted - last), 0)
        out = np.maximum(out, np.where(near == 0, 1.0, np.where((near == 1) & (page > 1), 0.5, 0.0)))
    return out.astype(np.float32)


def numbered(texts: Texts, question: Question) -> Floats:
    """1 where headings or caption name a numbered part that the question does, 1/2 where the text speaks of it."""
    out = np.zeros(len(texts.present), np.float32)
    at = {pair: i for i, pair in enumerate(asked_pairs(question))} if question.parts else {}
    for form in (form for part in question.parts for form in part):
        said = texts.paired[:, [at[pair] for pair in pairwise(form)]].all(axis=1)
        head = texts.heads[:, [texts.place[token] for token in form]].all(axis=1)
        out = np.maximum(out, np.where(said, np.where(head, 1.0, 0.5), 0.0))
    return out.astype(np.float32)


def scored(matrix: Floats, weights: Floats) -> Floats:
    """Weighted sum of the features by weights that sum to 1: 0..1."""
    return np.asarray(product(matrix, weights), dtype=np.float32)
