"""From candidates to an order: features of each candidate, weighed per intent."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from h3cold.recall.catalog import Evidence
from h3cold.recall.corpus import Corpus, Floats, Ints
from h3cold.recall.filters import KINDS
from h3cold.recall.understand import Question

FEATURES = ("lexical", "dense", "page", "document", "name", "period", "doctype", "headings", "coverage", "phrases",
            "years", "structural", "asked kind")  # fmt: skip
"""Every feature lies in 0..1; their meaning stands in `features`."""

DENSE_SPAN = 0.10
"""Inner product below the best one at which the dense feature reaches 0: e5's lie close together."""


STAND_IN = 0.75
"""Share of the dense feature that counts as agreement in words for a text of the other language."""

OTHER_FORM = 0.9
"""What a word counts where the text has another form of its concept."""


class Pool(NamedTuple):
    """Candidates: rows of the corpus, BM25 (0 where not found by words) and inner product of each."""

    rows: Ints
    lexical: Floats
    dense: Floats


class Texts(NamedTuple):
    """Search tokens of each candidate's text in order, as a set, and those of its headings and caption."""

    ordered: Sequence[str]
    tokens: Sequence[frozenset[str]]
    heads: Sequence[frozenset[str]]


def features(pool: Pool, texts: Texts, corpus: Corpus, question: Question, evidence: Evidence) -> Floats:
    """[candidates, FEATURES], each in 0..1.

    lexical, dense: relative to the best of the pool. document: how much of the pool's best lies in the candidate's
    document. name, period, doctype: the catalog's evidence. headings, coverage, page: share of the question's words,
    weighted by how rare they are in the pool, in headings, in the text, and in the page's candidates together.
    phrases: share of its pairs of neighbouring words that stand together. years: share of its years in the text.
    structural: a table, figure or formula. asked kind: of the kind that the question names.
    """
    if not len(pool.rows):
        return np.zeros((0, len(FEATURES)), np.float32)
    spoken = [name == question.language for name in corpus.languages]
    foreign = ~np.array(spoken, dtype=bool)[corpus.language[pool.rows]]
    dense = np.clip(1 - (pool.dense.max() - pool.dense) / DENSE_SPAN, 0, 1)
    lexical = pool.lexical / max(float(pool.lexical.max()), 1e-9)
    document = corpus.document[pool.rows]
    page = document * 1_000_000 + corpus.page[pool.rows]
    rarity = pool_rarity(question.words, texts.tokens)
    covered = np.array([coverage(rarity, tokens, question) for tokens in texts.tokens])
    pairs = [(f" {a} {b} ", min(rarity[a], rarity[b])) for a, b in pairwise(question.words)]
    paired = np.array([phrases(pairs, ordered) for ordered in texts.ordered])
    together = page_coverage(page.tolist(), rarity, texts.tokens, question)
    by_meaning = STAND_IN * dense * foreign  # words of another language cannot agree: meaning stands in for them
    lexical, covered, together = (np.maximum(f, by_meaning) for f in (lexical, covered, together))
    years = {str(y) for y in question.years}
    kind = corpus.kind[pool.rows]
    columns = [
        lexical,
        dense,
        together,
        gathered(document, lexical + dense, best=8),
        evidence.name[document],
        evidence.period[document],
        evidence.doctype[document],
        np.array([coverage(rarity, heads, question) for heads in texts.heads]),
        covered,
        paired,
        np.array([len(years & tokens) / len(years) if years else 0.0 for tokens in texts.tokens]),
        kind != KINDS.index("passage"),
        np.isin(kind, [KINDS.index(k) for k in question.kinds]),
    ]
    return np.stack(columns, axis=1).astype(np.float32)


def gathered(keys: Ints, values: Floats, *, best: int) -> Floats:
    """For each candidate the sum of its key's `best` largest values, relative to the best key's, 0..1."""
    order = np.lexsort((-values, keys))
    sums: dict[int, float] = {}
    seen: Counter[int] = Counter()
    for i in order:
        key = int(keys[i])
        if seen[key] < best:
            seen[key] += 1
            sums[key] = sums.get(key, 0.0) + float(values[i])
    top = max(sums.values()) or 1.0
    return np.array([sums[int(k)] / top for k in keys], np.float32)


def pool_rarity(words: Sequence[str], tokens: Sequence[frozenset[str]]) -> dict[str, float]:
    """Inverse frequency of each question word among the candidates."""
    n = len(tokens)
    counts = {w: sum(w in t for t in tokens) for w in words}
    return {w: math.log(1 + n / max(c, 1)) for w, c in counts.items()}


def coverage(rarity: dict[str, float], tokens: frozenset[str], question: Question) -> float:
    """Share of the question's words in `tokens`, rare ones weighing more.

    The words of a concept count as there where all words of another of its forms are: "capital expenditure" where
    it says "purchases of property, plant and equipment".
    """
    whole = sum(rarity.values())
    if not whole:
        return 0.0
    there = {w: 1.0 for w in rarity if w in tokens}
    for unit in question.units:
        if not unit.words <= tokens and any(form <= tokens for form in unit.forms if form):
            for word in unit.words & rarity.keys():
                there[word] = OTHER_FORM
    return sum(rarity[w] * share for w, share in there.items()) / whole


def page_coverage(
    pages: Sequence[int], rarity: dict[str, float], tokens: Sequence[frozenset[str]], question: Question
) -> Floats:
    """Coverage of the question by all candidates of a page together, for each candidate."""
    together: dict[int, frozenset[str]] = {}
    for page, own in zip(pages, tokens, strict=True):
        together[page] = together.get(page, frozenset()) | own
    shares = {page: coverage(rarity, all_of_it, question) for page, all_of_it in together.items()}
    return np.array([shares[page] for page in pages], np.float32)


def phrases(pairs: Sequence[tuple[str, float]], ordered: str) -> float:
    """Share, by weight, of the (pair of neighbours, weight) that stand in `ordered` (tokens joined by blanks)."""
    text = f" {ordered} "
    whole = sum(weight for _, weight in pairs)
    return sum(weight for pair, weight in pairs if pair in text) / whole if whole else 0.0


def label_agreement(labels: Sequence[frozenset[str]], rarity: dict[str, float], question: Question) -> float:
    """Share of the question's words, years aside, that stand in row labels made of its words only (or of synonyms).

    "Debt" and "Total assets" are two rows that answer for the debt-to-total-assets ratio; "Debt securities" is not.
    """
    years = {str(y) for y in question.years}
    wanted = {w: r for w, r in rarity.items() if w not in years}
    whole = sum(wanted.values())
    asked = wanted.keys() | {w for unit in question.units for form in unit.forms for w in form}
    there: set[str] = set()
    for label in labels:
        if label and label <= asked:
            there |= label & wanted.keys()
            there |= {w for unit in question.units if any(label == form for form in unit.forms) for w in unit.words}
    return sum(wanted.get(w, 0.0) for w in there) / whole if whole else 0.0


def scored(matrix: Floats, weights: Floats) -> Floats:
    """Weighted sum of the features by weights that sum to 1: 0..1."""
    return np.asarray(matrix @ weights, dtype=np.float32)
