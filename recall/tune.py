"""Weights learned from labelled questions: a linear ranker fitted to put what answers before all that came with it.

The loss is the cross entropy of a softmax over an answering candidate and its rivals of the same question (the top one
of ListNet, Cao et al., 2007, with a linear scorer), weights held at 0 or more and drawn towards those at hand: a few
questions change little. A loss over pairs was tried: it minds all rivals alike, and lost on questions held out.
"""

from __future__ import annotations

import math
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

STEEP = 40.0
"""Score differences are multiplied by this before the softmax: 0.1 apart is sure."""

HOLD = 3.0
"""Pull of the weights at hand, as a share of the loss a question."""


class Lesson(NamedTuple):
    """One question: differences [rivals, FEATURES] of what answers minus what does not; shares of its intents."""

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
        best, rivals = next(i for i in order if good[i]), [i for i in order if not good[i]][:RIVALS]
        whole = sum(asked.guess.shares[i] for i in asked.guess.intents)
        shares = {i: asked.guess.shares[i] / whole for i in asked.guess.intents}
        out.append(Lesson(found.matrix[best] - found.matrix[rivals], shares))
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
        table = snapshot.store.take("blocks", rowids, ["text", "caption"])
        for i, block in zip(chosen.tolist(), table.to_pylist(), strict=True):
            out[i] = words.casefold() in f"{block['caption']}\n{block['text']}".casefold()
    return out


def fit(taught: Sequence[Lesson], start: Weights) -> Weights:
    """Weights for the intents that enough questions speak of; the others keep theirs.

    Raises:
        UsageError: no intent has enough questions.
    """
    speak = {i: sum(t.shares.get(i, 0.0) > 0 for t in taught) for i in INTENTS}
    learned = [i for i in INTENTS if speak[i] >= FEWEST]
    if not learned:
        raise UsageError(
            f"only {len(taught)} questions have their answer among what recall finds; tuning takes {FEWEST} or more"
        )
    return {**start, **_fitted(taught, start, learned)}


def _fitted(taught: Sequence[Lesson], start: Weights, learned: Sequence[Intent]) -> dict[Intent, Floats]:
    from scipy.optimize import minimize

    at = np.stack([start[i] for i in INTENTS]).astype(np.float64)
    rows = [INTENTS.index(i) for i in learned]
    lists = [(t.differences.astype(np.float64), np.array([t.shares.get(i, 0.0) for i in INTENTS])) for t in taught]

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:  # type: ignore[type-arg]
        w, slope, risk = at.copy(), np.zeros_like(at), 0.0
        w[rows] = flat.reshape(len(rows), -1)
        for differences, shares in lists:
            odds = np.exp(np.clip(-STEEP * differences @ (shares @ w), -50, 50))
            risk += math.log1p(odds.sum())
            slope -= np.outer(shares, STEEP * (odds / (1 + odds.sum())) @ differences)
        pull = w - at
        whole = slope / len(lists) + 2 * HOLD * pull
        return risk / len(lists) + HOLD * float((pull * pull).sum()), whole[rows].ravel()

    many = len(rows) * len(FEATURES)
    found = minimize(loss, at[rows].ravel(), jac=True, method="L-BFGS-B", bounds=[(0, None)] * many)
    w = np.maximum(found.x, 0).reshape(len(rows), -1)
    return {i: np.asarray(row / row.sum(), dtype=np.float32) for i, row in zip(learned, w, strict=True)}
