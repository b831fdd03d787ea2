"""How like two documents are by the words that they share, those that few documents hold weighing most.

A cosine of tf-idf weights, (1 + ln tf) ln((documents + 1) / df), over all their blocks (Salton and Buckley, 1988). It
has a zero that means something, which vectors learned on a small store have not: there a report was nearest to lorem
ipsum.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from h3cold.ingest.store.words import taken
from h3cold.recall.corpus import Corpus
from h3cold.recall.understand import HAN
from h3cold.recall.words import Floats, Ints

ALIKE = 0.15
"""Likeness from which documents count as like each other: filings of any two companies, papers on one subject, an
agreement and the report of the firm that made it lie above; encyclopaedia articles on other things mostly below."""

PORTION = 1 << 22
"""Places of words that are looked at at once."""

SHOWN = 4
"""Words told of those that are shared."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_RUN = re.compile(r"[\u3400-\u9fff]+")


class Bag(NamedTuple):
    """The words of a document by number, ascending, and their weights, of length 1 together."""

    words: Ints
    weights: Floats


def document_counts(corpus: Corpus) -> Ints:
    """In how many documents each word of the vocabulary stands, by its number."""
    words = corpus.words
    out = np.zeros(len(words.rows_at) - 1, np.int64)
    start = 0
    while start < len(out):
        end = int(np.searchsorted(words.rows_at, words.rows_at[start] + PORTION, side="right")) - 1
        end = min(max(end, start + 1), len(out))
        first, last = words.rows_at[[start, end]].tolist()
        documents = corpus.document[words.rows[first:last]]  # a word's rows ascend, and so do their documents
        new = np.ones(len(documents), np.bool_)
        new[1:] = documents[1:] != documents[:-1]
        begins = words.rows_at[start:end] - first
        new[begins[begins < len(new)]] = True
        sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(new)])
        out[start:end] = sums[words.rows_at[start + 1 : end + 1] - first] - sums[begins]
        start = end
    return out


def bag_of(corpus: Corpus, counts: Ints, document: int) -> Bag:
    """The words of a document, by its place in the corpus."""
    flat = taken(corpus.words.tokens, np.arange(corpus.starts[document], corpus.starts[document + 1])).flat
    words, times = np.unique(flat[flat > 0], return_counts=True)
    weights = (1 + np.log(times)) * np.log((len(corpus.documents) + 1) / np.maximum(counts[words], 1))
    return Bag(words, np.asarray(weights / max(float(np.linalg.norm(weights)), 1e-12), np.float32))


def likeness(one: Bag, other: Bag) -> tuple[float, Ints]:
    """0..1, and the numbers of the shared words that make most of it, those first that do most."""
    words, left, right = np.intersect1d(one.words, other.words, assume_unique=True, return_indices=True)
    shares = one.weights[left] * other.weights[right]
    return float(shares.sum()), words[np.argsort(-shares, kind="stable")]


def telling(corpus: Corpus, words: Ints) -> list[tuple[int, str]]:
    """The first of these words, by number, and the search tokens that they are; numbers left out."""
    out = []
    for number in words[: 8 * SHOWN].tolist():
        start, end = corpus.words.token_at[number : number + 2].tolist()
        token = bytes(corpus.words.vocabulary[start:end]).decode("utf-8", "replace")
        if not any(c.isdigit() for c in token):
            out.append((number, token))
    return out


def row_with(corpus: Corpus, number: int, document: int) -> int | None:
    """The first row of a document, by its place in the corpus, that holds a word."""
    start, end = corpus.words.rows_at[number : number + 2].tolist()
    rows = corpus.words.rows[start:end]
    first = int(np.searchsorted(rows, corpus.starts[document]))
    return int(rows[first]) if first < len(rows) and rows[first] < corpus.starts[document + 1] else None


def spelt(token: str, text: str) -> str:
    """A search token as a word of the text that holds it; "" where it is none, but two letters of Chinese words."""
    from h3cold.ingest.tokens import lexical

    if HAN.search(token):
        from h3cold.ingest.han import dictionary

        return token if any(token in dictionary().cut_for_search(run) for run in _RUN.findall(text)) else ""
    return next((w.lower() for w in _WORD.findall(text) if token in lexical(w)), token)
