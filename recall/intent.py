"""Which intent a question has, decided by what it says: no model, no store, well under 2 ms."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple, cast

from h3cold.schemas.hit import INTENTS, Intent

SEEN = 400
"""Characters of a question that are looked at: what a question wants stands at its head."""

PRIOR: dict[Intent, float] = {"text": 1.0, "structure": 0.0, "relation": 0.0}
"""With no sign at all a question is one for text."""

SURE = 0.75
"""Confidence above which one intent alone is run."""

ALSO = 0.12
"""Share at which a second intent is run beside the first, when the first is not sure."""


class Cue(NamedTuple):
    """One sign of an intent: `name` is what a reader of the reason sees, a negative `weight` speaks against."""

    intent: Intent
    weight: float
    name: str
    pattern: re.Pattern[str]


class Guess(NamedTuple):
    """The intents worth running, best first, with the best one's confidence (0..1) and what spoke for it."""

    intents: tuple[Intent, ...]
    confidence: float
    reason: str
    shares: dict[Intent, float]

    @property
    def best(self) -> Intent:
        """The most likely intent."""
        return self.intents[0]


def chosen(intent: Intent) -> Guess:
    """The guess for an intent that the caller chose."""
    return Guess((intent,), 1.0, "as asked", {i: float(i == intent) for i in INTENTS})


def guess(query: str) -> Guess:
    """Weigh the cues in `query`; shares are a softmax over the summed weights."""
    head = query[:SEEN].lower()
    scores = dict(PRIOR)
    signs: dict[Intent, list[str]] = {i: [] for i in INTENTS}
    for cue in cues(head.isascii()):
        if cue.pattern.search(head):
            scores[cue.intent] += cue.weight
            if cue.weight > 0:
                signs[cue.intent].append(cue.name)
    weights = {i: math.exp(scores[i]) for i in INTENTS}
    whole = sum(weights.values())
    shares = {i: weights[i] / whole for i in INTENTS}
    ranked = sorted(INTENTS, key=lambda i: -shares[i])
    best = ranked[0]
    run = tuple(i for i in ranked if i == best or (shares[best] < SURE and shares[i] >= ALSO))
    return Guess(run, shares[best], ", ".join(signs[best]) or "no sign of another intent", shares)


@lru_cache(maxsize=2)
def cues(plain: bool = False) -> tuple[Cue, ...]:
    """The signs in `intent_cues.txt`, whose head says how it is written; `plain` ones find the same in ASCII texts.

    They take a third of the time: nothing Chinese is looked for.
    """
    named: dict[str, str] = {}
    out = []
    for line in files("h3cold.recall").joinpath("intent_cues.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("@"):
            name, pattern = line[1:].split("\t")
            named[name] = pattern
        elif line and not line.startswith("#"):
            intent, weight, name, *patterns = line.split("\t")
            whole = re.sub(r"\{([A-Z_]+)\}", lambda m: named[m[1]], "|".join(patterns[:1] if plain else patterns))
            out.append(Cue(cast(Intent, intent), float(weight), name, re.compile(whole, re.ASCII if plain else 0)))
    return tuple(out)
