"""Heads of columns that no words name outright: by initials, by a group, beside words that most heads have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from h3cold.recall.label_text import BRACKETS
from h3cold.recall.table_rows import SUMS
from h3cold.recall.understand import tokens_of

ENOUGH = 0.5
"""Share of a head's own words that the question must hold, words that most heads have counting `COMMON`."""

COMMON = 0.1

_INITIALS = re.compile(r"[A-Z](?:[/&.]?[A-Z]){1,4}\.?")
_WORD = re.compile(r"[a-z]+")
_SHORT = 3
"""Letters of a word of which initials tell: none of "of", "in", "to"."""


def led_to(paths: Sequence[tuple[str, ...]], words: frozenset[str], text: str) -> list[int]:
    """Which of several heads (`paths`) a question leads to if it names none outright; none where it is open.

    That are those of whose heads one is made of the initials of words of the `text` ("L/F": load factor), else those
    whose group it names ("JTA" of "JTA > Domestic"), else those that it names but for words that most of them have.
    """
    if len(paths) < 2:
        return []
    initials = _initials(text)
    short = [n for n, path in enumerate(paths) if any(letters in initials for letters in _abbreviated(path))]
    if short and len(short) < len(paths):
        return short
    every = list(map(_steps, paths))
    heads = [frozenset[str]().union(*steps) for steps in every]
    if words.isdisjoint(frozenset[str]().union(*heads)):
        return []
    count = Counter(token for head in heads for token in head)
    usual = {token for token, n in count.items() if n == len(paths)}
    groups = {step for steps in every for step in steps[:-1]}
    part = [step for step in groups if step & words - usual - SUMS]
    named = [0.0] * len(paths)
    for n, (steps, head) in enumerate(zip(every, heads, strict=True)):
        under = [own for step in steps[:-1] if _says(own := step - SUMS - usual, words, alone=part == [step])]
        own = head - usual
        weights = {token: COMMON if 2 * count[token] > len(paths) or token in SUMS else 1.0 for token in own}
        said = sum(weight for token, weight in weights.items() if token in words)
        sure = any(token in words and weight == 1.0 for token, weight in weights.items())
        if under or (sure and said >= ENOUGH * sum(weights.values())):
            named[n] = said + len(under)
    best = max(named)
    found = [n for n, score in enumerate(named) if score == best] if best else []
    return found if len(found) < len(paths) else []


def _says(own: frozenset[str], words: frozenset[str], *, alone: bool) -> bool:
    """Whether a question names a group: by all of its words, or by half where it has no word of another (`alone`)."""
    return bool(own) and len(own & words) >= (ENOUGH if alone else 1.0) * len(own)


@lru_cache(maxsize=1 << 12)
def _steps(path: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    """The tokens of each step of a head, without what is in brackets."""
    return tuple(tokens_of(BRACKETS.sub(" ", step)) for step in path)


@lru_cache(maxsize=1 << 12)
def _abbreviated(path: tuple[str, ...]) -> tuple[str, ...]:
    """The steps of a head that are made of initials, in small letters: "lf" of "L/F(%)"."""
    steps = (BRACKETS.sub("", step).strip() for step in path)
    return tuple("".join(_WORD.findall(step.lower())) for step in steps if _INITIALS.fullmatch(step))


@lru_cache(maxsize=1 << 8)
def _initials(text: str) -> str:
    """The first letters of the longer words of a text: words that follow each other are a part of it."""
    return "".join(word[0] for word in _WORD.findall(text.lower()) if len(word) >= _SHORT)


@lru_cache(maxsize=1 << 12)
def is_whole(path: tuple[str, ...]) -> bool:
    """Whether a column's own head says that it sums up those beside it, and not what: "JAL > JAL total"."""
    own = tokens_of(BRACKETS.sub(" ", path[-1])) if path else frozenset[str]()
    return not own.isdisjoint(SUMS) and (own - SUMS).issubset(tokens_of(" ".join(path[:-1])))
