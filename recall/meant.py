"""What a question means in a store: whom it names, and whose last year."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from h3cold.recall.bilingual import load_names, other_names
from h3cold.recall.catalog import Catalog, Evidence, named, spend, stands, weigh
from h3cold.recall.corpus import Corpus
from h3cold.recall.relative import Now, is_relative, without_relative
from h3cold.recall.spelling import read_names
from h3cold.recall.understand import HAN, Question, understand
from h3cold.recall.words import Bools, bm25, done_with, number_of

if TYPE_CHECKING:
    from h3cold.recall.glossary import Concept
    from h3cold.recall.search import Snapshot

NEAR = 0.6
"""Share of the best block's score by words from which a block's document is one that the question may be about."""

SPOKEN = 0.2
"""Share of a store's blocks in a language from which a question in it is met by answers in it."""


def read_question(snapshot: Snapshot, text: str, mask: Bools | None = None) -> tuple[Question, Evidence]:
    """A clean question as this store can understand it, and what it says of each document; `mask` leaves out blocks.

    Raises:
        StoreError: the store cannot be read.
    """
    words = snapshot.corpus.words
    text, read = read_names(text, snapshot.catalog, lambda token: number_of(words, token) > 0)
    if snapshot.names is None:
        snapshot.names = load_names(snapshot.store) if len(snapshot.corpus.languages) > 1 else ()
    also = other_names(text, snapshot.names)
    places: list[Concept] = []
    if snapshot.corpus.spoken.get("zh" if HAN.search(text) else "en", 0.0) < SPOKEN:
        from h3cold.recall.foreign import other_places

        places = other_places(text, also)
    question = understand(text, also=also, places=places)
    evidence = weigh(snapshot.catalog, question)
    if is_relative(text):
        question = understand(
            text, also=also, places=places, now=now_meant(snapshot.catalog, snapshot.corpus, question, evidence, mask)
        )
        evidence = weigh(snapshot.catalog, question)
    return replace(spend(snapshot.catalog, question, evidence), read=read), evidence


def now_meant(
    catalog: Catalog, corpus: Corpus, question: Question, evidence: Evidence, mask: Bools | None
) -> Now | None:
    """Where the documents that a question is about stand in time.

    Those it names; else, of the kind that it names if there are such, those that say its words best; `mask` [blocks]
    leaves out others. An unrelated scan may be newer than all reports.
    """
    allowed = np.ones(len(catalog.year), np.bool_)
    if mask is not None:
        allowed[:] = False
        allowed[corpus.document[mask]] = True
    called, kind = named(evidence) & allowed, (evidence.doctype > 0) & allowed
    if called.any() and (now := stands(catalog, called & kind) or stands(catalog, called)):
        return now
    among = kind if stands(catalog, kind) else allowed
    return stands(catalog, among & _saying(corpus, question, among)) or stands(catalog, among)


def _saying(corpus: Corpus, question: Question, among: Bools) -> Bools:
    """Documents of which a block says the question, but for its relative years, nearly as well as the best does."""
    out = np.zeros(len(among), np.bool_)
    text = without_relative(question.text)
    if not text.strip(" ?？.,，。"):
        return among
    every = bm25(corpus.words, understand(text, also=question.also).terms)
    scores = np.where(among[corpus.document], every, 0.0)
    done_with(corpus.words, every)
    best = float(scores.max(initial=0.0))
    if best > 0:
        out[corpus.document[scores >= NEAR * best]] = True
    return out
