"""Names that stand in few blocks of a store: what says them is meant, whatever else fits the question."""

from __future__ import annotations

import re

import numpy as np

from h3cold.kg.unknown_names import names_in, own_words
from h3cold.recall.catalog import NAMED, Evidence
from h3cold.recall.corpus import Corpus
from h3cold.recall.understand import Question
from h3cold.recall.words import Bools, Floats, Ints, Words, number_of

FEW = 8
"""Blocks that say a name, at most, for it to be rare."""

MANY = 2000
"""Blocks from which a name's rarest word is too common for a name of few blocks to be looked for."""

_MONTH = re.compile(
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)",
    re.IGNORECASE,
)
_SHORT = re.compile(r"(?<![\w.&'’-])[A-Z][A-Z\d&]{1,5}(?![\w&-])")
"""Names in capitals alone."""


def rare_names(words: Words, question: Question, evidence: Evidence) -> list[Ints]:
    """Of each name of a question that few blocks say those blocks, ascending; none where it names documents."""
    from h3cold.ingest.tokens import lexical

    if len(evidence.name) and evidence.name.max() >= NAMED:
        return []
    known = {form.casefold() for concept in question.also for form in (concept.found, *concept.others)}
    out = []
    terms = {word for unit in question.units for word in unit.words}
    shorts = [] if question.text.isupper() else _SHORT.findall(question.text)
    shorts = [word for word in shorts if not terms & set(lexical(word))]
    for name in dict.fromkeys((*names_in(question.text), *shorts)):
        if _MONTH.fullmatch(name):
            continue
        if name.casefold() not in known and len(rows := _said_in(words, name, question)):
            out.append(rows)
    return out


def say_them(names: list[Ints], rows: Ints, corpus: Corpus) -> tuple[Floats, Floats]:
    """Share of the `names` that each of `rows` says, and that its document does."""
    said, of = np.zeros(len(rows), np.float32), np.zeros(len(rows), np.float32)
    for name in names:
        said += _among(rows, name)
        of += _among(corpus.document[rows], np.unique(corpus.document[name]))
    share = np.float32(1 / len(names))
    return said * share, of * share


def _said_in(words: Words, name: str, question: Question) -> Ints:
    """The few blocks that have all words of a name, or all but those that are in none with the rarest."""
    from h3cold.ingest.tokens import lexical

    held = []
    for token in {token for word in own_words(name) for token in lexical(word)} - question.spent:
        number = number_of(words, token)
        if number > 0:
            start, end = words.rows_at[number : number + 2].tolist()
            held.append(words.rows[start:end])
    held.sort(key=len)
    if not held or len(held[0]) > MANY:
        return np.zeros(0, np.int64)
    rows = held[0]
    for other in held[1:]:
        both = rows[_among(rows, other)]
        rows = both if len(both) else rows
    return rows if len(rows) <= FEW else rows[:0]


def _among(rows: Ints, held: Ints) -> Bools:
    """Which of `rows` are `held`, ascending."""
    at = np.minimum(np.searchsorted(held, rows), len(held) - 1)
    return held[at] == rows
