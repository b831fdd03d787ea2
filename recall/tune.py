"""Weights learned from labelled questions: a linear ranker fitted to prefer what answers over what came with it.

The loss is the logistic one over pairs of an answering and another candidate of the same question (RankNet, Burges et
al., 2005, with a linear scorer), weights held at 0 or more and drawn towards those at hand, so that a few questions
change little.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from h3cold.recall.filters import KINDS
from h3cold.recall.measures import Came, where
from h3cold.recall.questions import Case
from h3cold.recall.rank import FEATURES
from h3cold.recall.search import Snapshot, order_all
from h3cold.recall.weights import Weights
from h3cold.recall.words import Bools, Floats, Ints
from h3cold.schemas.errors import UsageError
from h3cold.schemas.hit import INTENTS, Intent

if TYPE_CHECKING:
    from h3cold.recall.cold_tier import ColdTier

FEWEST = 10
"""Questions with an answer among the candidates that an intent needs to have weights of its own learned."""

RIVALS = 30
"""Best-scored candidates that do not answer which each answering one is held against."""

ANSWERS = 3
"""Best-scored answering candidates of a question; a long page has many blocks."""

STEEP = 12.0
"""Score differences are multiplied by this before the logistic: 0.1 apart is fairly sure."""

HOLD = 3.0
"""Pull of the weights at hand, as a share of the loss a question."""


class Lesson(NamedTuple):
    """One question: differences [pairs, FEATURES] of what answers minus what does not, by intent and its share."""

    differences: Floats
    shares: dict[Intent, float]


def lessons(tier: ColdTier, cases: Sequence[Case]) -> list[Lesson]:
    """What the candidates of each question teach; questions without an answer among theirs teach nothing.

    Raises:
        QueryError: a question holds no word.
        StoreError: the store cannot be read.
    """
    out = []
    for case in cases:
        snapshot, asked = tier.prepare(case.query, case.intent)
        if asked is None:
            continue
        found = order_all(snapshot, asked)
        good = _answering(case, snapshot, found.pool.rows)
        if not good.any() or good.all():
            continue
        order = np.argsort(-found.scores, kind="stable")
        best, rivals = [i for i in order if good[i]][:ANSWERS], [i for i in order if not good[i]][:RIVALS]
        pairs = [found.matrix[i] - found.matrix[j] for i in best[:1] for j in rivals]
        pairs += [found.matrix[i] - found.matrix[j] for i in best[1:] for j in rivals[:5]]
        out.append(Lesson(np.array(pairs, np.float32), {i: asked.guess.shares[i] for i in asked.guess.intents}))
    return out


def _answering(case: Case, snapshot: Snapshot, rows: Ints) -> Bools:
    """Which blocks stand on an evidence page, and are of the kind and hold the words that are asked for, if any [n]."""
    corpus, out = snapshot.corpus, np.zeros(len(rows), np.bool_)
    kind, _, words = case.holds.partition(":")
    for i, row in enumerate(rows.tolist()):
        if not kind or KINDS[int(corpus.kind[row])] == kind:
            source = corpus.documents[int(corpus.document[row])]["source"]
            pages = (int(corpus.page[row]), int(corpus.last_page[row]))
            out[i] = where(case, [Came(source, pages)]).page is not None
    if words and out.any():
        chosen = np.flatnonzero(out)
        rowids = corpus.rowid[rows[chosen]].tolist()
        table = snapshot.store.table("blocks")._take_rows(rowids, columns=["text", "caption"])
        for i, block in zip(chosen.tolist(), table.to_pylist(), strict=True):
            out[i] = words.casefold() in f"{block['caption']}\n{block['text']}".casefold()
    return out


def fit(taught: Sequence[Lesson], start: Weights) -> Weights:
    """Weights for the intents that enough questions speak of; the others keep theirs.

    Raises:
        UsageError: no intent has enough questions.
    """
    out = dict(start)
    learned = False
    for intent in INTENTS:
        some = [(t.differences, t.shares[intent]) for t in taught if t.shares.get(intent, 0.0) > 0]
        if len(some) >= FEWEST:
            out[intent] = _fitted(some, start[intent])
            learned = True
    if not learned:
        raise UsageError(
            f"only {len(taught)} questions have their answer among what recall finds; tuning takes {FEWEST} or more"
        )
    return out


def _fitted(some: Sequence[tuple[Floats, float]], start: Floats) -> Floats:
    from scipy.optimize import minimize

    pairs = np.concatenate([d for d, _ in some]).astype(np.float64)
    weight = np.concatenate([np.full(len(d), share / len(d)) for d, share in some])
    whole = weight.sum()

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:  # type: ignore[type-arg]
        margin = STEEP * pairs @ w
        risk = np.logaddexp(0.0, -margin)
        slope = -STEEP * weight / (1 + np.exp(np.clip(margin, -50, 50)))
        pull = w - start
        return (
            float(weight @ risk / whole + HOLD * pull @ pull),
            pairs.T @ slope / whole + 2 * HOLD * pull,
        )

    found = minimize(loss, start.astype(np.float64), jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(FEATURES))
    w = np.maximum(found.x, 0)
    return np.asarray(w / w.sum(), dtype=np.float32)
