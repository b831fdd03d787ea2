"""Words of an English question that no document of a large store says: what it asks about is not there."""

from __future__ import annotations

import re
from string import ascii_lowercase

from h3cold.ingest.store.words import find_token
from h3cold.recall.corpus import Corpus
from h3cold.recall.understand import Question
from h3cold.recall.wishes import wish_words
from h3cold.recall.words import Words, number_of

LARGE = 2000
"""English blocks from which a word that stands in none is telling: in fewer many a plain word is missing."""

SHORT, LONG = 4, 5
"""Letters from which a word may tell, and from which one of them may be wrong."""

ENDING = 4
"""Letters that an ending has at most."""

_HOW = re.compile(r"(?:ing|ed|est|ly|ical|ous|able|ible)$")
"""Endings of words that seldom name a thing: "in descending order", "the longest"."""

_WORD = re.compile(r"(?<![\w.&'’/-])[a-z]+(?![\w&'’/-])")


def unheard(corpus: Corpus, question: Question) -> bool:
    """Whether no English text says a word of the question, in any form that is known, nor one that is spelt about so.

    Words that are written large are names: others look after those (`strangers`, `missing`).
    """
    if question.language != "en" or corpus.spoken.get("en", 0.0) * len(corpus) < LARGE:
        return False
    from h3cold.ingest.tokens import lexical

    known = question.spent | wish_words(question.text)
    known = known.union(*(unit.words for unit in question.units))
    for word in _WORD.findall(question.text):
        tokens = lexical(word)
        if (
            len(word) < SHORT
            or _HOW.search(word)
            or len(tokens) != 1
            or tokens[0] in known
            or tokens[0] not in question.words
        ):
            continue
        if number_of(corpus.words, tokens[0]) > 0:
            continue
        if not (len(tokens[0]) >= LONG and _misspelt(corpus.words, tokens[0])):
            return True
    return False


def _misspelt(words: Words, token: str) -> bool:
    """Whether the documents say a word that differs by one letter, or is this one without an ending ("leadership")."""
    parts = [(token[:i], token[i:]) for i in range(1, len(token) + 1)]
    near = {a + b[1:] for a, b in parts if b}
    near |= {a + b[1] + b[0] + b[2:] for a, b in parts if len(b) > 1}
    near |= {token[:end] for end in range(max(LONG, len(token) - ENDING), len(token))}
    near |= {a + letter + rest for a, b in parts for letter in ascii_lowercase for rest in {b, b[1:]}}
    return any(find_token(words.vocabulary, words.token_at, other) > 0 for other in near)
