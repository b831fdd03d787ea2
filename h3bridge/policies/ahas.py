"""AHAS, the adaptive heat-aware scheduler: which block deserves which tier.

A block's heat is the sum of alpha^(now - t) over the requests t that touched it, the clock ticking once a request.
All heats decay alike, so their order never changes between accesses: `log(heat at last access) - last * log(alpha)`
is a key that orders blocks by heat at any later time, and needs no refresh. Relevance to the recent queries (the
cosine of the block's vector with theirs, refreshed every `REFRESH` requests) is added to that key, in units of
log-heat. A block's score is its rank among the blocks known, 0..1: absolute thresholds on a decayed sum would admit
everything once.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from h3cold.h3bridge.policies.vectors import UNKNOWN, Vectors
from h3cold.schemas.config import Scheduler
from h3cold.schemas.tier import Tier

REFRESH = 10
QUERIES = 5
"""Recent queries that count; fewer than `REFRESH`, since talk turns faster than heat."""

TURN, COHERENT = 0.3, 0.5
"""A query less near the recent ones than `TURN` starts a new topic; one whose blocks are less near each other than
`COHERENT` (a scan) is about nothing. Both on the 0..1 scale of relevance."""

SPREADS = 2.0
"""Standard deviations above the typical cosine that count as fully relevant."""

RELEVANCE_WEIGHT = 8.0
"""Log-heat that full relevance is worth: more than any difference in heat that builds up in practice."""

SIMILAR, AHEAD = 0.7, 64
"""Relevance above which a known block is worth fetching ahead, and how many of them are noted, hottest first."""

LATELY = 0.01
"""Weight of one request in the mean number of blocks a request."""

TIGHT_OCCUPANCY, TIGHT_HBM = 0.85, 0.98
MANY = 64
"""Uses are counted up to this."""

KNOWN = 200_000
"""Blocks whose heat is remembered; the coldest tenth is forgotten when there are more."""


COLUMNS = ("_heat", "_last", "_base", "_uses", "_doublings", "_relevance")


@dataclass(frozen=True, slots=True)
class Weights:
    """Of a request of recency, a doubling of uses, and relevance, in log-heat."""

    recency: float = 0.0
    uses: float = 0.0
    relevance: float = 0.0


PRIORITY = Weights(relevance=RELEVANCE_WEIGHT)


class Ahas:
    """Heat and relevance of blocks, and the decisions that follow from them."""

    def __init__(self, settings: Scheduler) -> None:
        self.settings = settings
        self.tick = 0
        self.mean_request = 0.0
        self.epoch = 0
        self._log_alpha = math.log(settings.ahas_alpha)
        self._vectors = Vectors()
        self._queries: deque[np.ndarray] = deque(maxlen=QUERIES)
        self._typical = UNKNOWN
        self._ranked: np.ndarray | None = None
        self._near: list[str] | None = None
        self._clear(0)

    def _clear(self, room: int) -> None:
        # Columns by row: accumulated heat and its tick, the order it makes, doublings of uses, relevance.
        self._rows: dict[str, int] = {}
        self._names: list[str] = []
        self._heat, self._last, self._base = (np.zeros(room) for _ in range(3))
        self._uses, self._doublings, self._relevance = (np.zeros(room) for _ in range(3))

    def _row(self, key: str) -> int:
        row = self._rows.setdefault(key, len(self._names))
        if row == len(self._names):
            self._names.append(key)
        if row >= len(self._heat):
            more = max(256, len(self._heat))
            for name in COLUMNS:
                setattr(self, name, np.concatenate([getattr(self, name), np.zeros(more)]))
        return row

    def request(self, keys: Sequence[str], vectors: Mapping[str, np.ndarray] | None = None) -> None:
        """One request that touched `keys`, best first; `vectors` are their L2-normed embeddings where known."""
        self.tick += 1
        self.mean_request += (len(keys) - self.mean_request) * max(1 / self.tick, LATELY)
        for key in keys:
            row = self._row(key)
            heat = float(self._heat[row]) * math.exp(self._log_alpha * (self.tick - float(self._last[row]))) + 1.0
            uses = min(MANY, float(self._uses[row]) + 1)
            self._heat[row], self._last[row], self._uses[row] = heat, self.tick, uses
            self._base[row] = math.log(heat) - self.tick * self._log_alpha
            self._doublings[row] = math.log2(uses)
        known = [k for k in keys if vectors and k in vectors]
        if vectors and known:
            self._ask(known, np.stack([vectors[k] for k in known]))
        if self.tick % REFRESH == 0 or self.tick == 1:
            self._refresh()
        if len(self._rows) > KNOWN:
            self._forget()

    def _ask(self, keys: Sequence[str], vectors: np.ndarray) -> None:
        """Take what one request was about into account, unless it was about nothing, as a scan is."""
        self._vectors.add(dict(zip(keys, vectors, strict=True)))
        mean = np.average(vectors, axis=0, weights=1 / np.arange(1, len(keys) + 1))
        query = mean / (float(np.linalg.norm(mean)) or 1.0)
        turned = False
        if self._relative(vectors @ query).mean() > COHERENT or not self._queries:
            turned = bool(self._queries) and self._relative(np.stack(self._queries) @ query).max() < TURN
            if turned:
                self._queries.clear()
            self._queries.append(query)
        near = vectors @ np.stack(self._queries).T
        self._relevance[[self._rows[k] for k in keys]] = self._relative(near.max(axis=1))
        if turned:
            self._refresh()

    def heat(self, key: str) -> float:
        """Decayed access count now; 0 for a block never touched."""
        row = self._rows.get(key)
        if row is None:
            return 0.0
        return float(self._heat[row]) * math.exp(self._log_alpha * (self.tick - float(self._last[row])))

    def relevance(self, key: str) -> float:
        """Cosine with the recent queries as of the last refresh, 0..1; 0 where the vector is not known."""
        row = self._rows.get(key)
        return 0.0 if row is None else float(self._relevance[row])

    def priority(self, key: str) -> float:
        """Orders blocks by how much they deserve a warm place; only comparable with other priorities."""
        return self.order(key, PRIORITY)

    def order(self, key: str, weights: Weights) -> float:
        """`priority` with other weights; -inf for a block that was never asked for."""
        row = self._rows.get(key)
        if row is None:
            return -math.inf
        order = self._base.item(row)
        if weights.recency:
            order += weights.recency * self._last.item(row)
        if weights.uses:
            order += weights.uses * self._doublings.item(row)
        return order + weights.relevance * self._relevance.item(row) if weights.relevance else order

    def orders(self, keys: Collection[str], weights: Weights) -> np.ndarray:
        """`order` of many."""
        rows = np.fromiter((self._rows.get(k, -1) for k in keys), dtype=np.intp, count=len(keys))
        asked = rows >= 0
        out = np.full(len(keys), -np.inf)
        out[asked] = self._weighed(weights, rows[asked])
        return out

    def expected(self, key: str, weights: Weights) -> float:
        """`order` as if the block were used now, with the heat it has left."""
        row = self._rows.get(key)
        last = self.tick if row is None else float(self._last[row])
        return self.order(key, weights) + (self.tick - last) * weights.recency

    def near(self) -> Sequence[str]:
        """Known blocks that are like the recent queries, hottest first, as of the last refresh."""
        if self._near is None:
            rows = np.flatnonzero(self._relevance[: len(self._rows)] > SIMILAR)
            hottest = rows[np.argsort(-self._base[rows], kind="stable")][:AHEAD].tolist()
            self._near = [self._names[row] for row in hottest]
        return self._near

    def score(self, key: str) -> float:
        """Rank of the block's priority among all known blocks, 0 (coldest) .. 1 (hottest)."""
        if key not in self._rows:
            return 0.0
        if self._ranked is None:  # as of the last refresh or the first question since
            self._ranked = np.sort(self._weighed(PRIORITY, slice(len(self._rows))))
        if len(self._ranked) < 2:
            return 1.0
        below, upto = (np.searchsorted(self._ranked, self.priority(key), side) for side in ("left", "right"))
        rank = (float(below) + max(float(upto) - 1, float(below))) / 2  # equals share the middle of their ranks
        return min(1.0, rank / (len(self._ranked) - 1))

    def threshold(self, tier: Tier, occupancy: float) -> float:
        """Score that admits a block to `tier`; HBM asks for more when it is nearly full."""
        if tier is Tier.HBM:
            return max(TIGHT_HBM, self.settings.hbm_threshold) if occupancy > TIGHT_OCCUPANCY else (
                self.settings.hbm_threshold)  # fmt: skip
        return self.settings.hbf_threshold if tier is Tier.HBF else 0.0

    def explain(self, key: str) -> str:
        """Heat, relevance and score in words."""
        return f"heat {self.heat(key):.2f}, relevance {self.relevance(key):.2f}, score {self.score(key):.2f}"

    def dump(self) -> dict[str, tuple[float, int]]:
        """What a later process needs to go on: accumulated heat and its tick, by key."""
        return {k: (float(self._heat[row]), int(self._last[row])) for k, row in self._rows.items()}

    def restore(self, tick: int, heat: Mapping[str, tuple[float, int]], mean_request: float = 0.0) -> None:
        """Go on from a `dump`."""
        given = [(k, float(v), int(t), math.log(v)) for k, (v, t) in heat.items()]
        self.tick, self.mean_request = int(tick), float(mean_request)
        self._clear(len(given))
        for key, value, last, log in given:
            row = self._row(key)
            self._heat[row], self._last[row], self._uses[row] = value, last, 1
            self._base[row] = log - last * self._log_alpha
        self._refresh()

    def _weighed(self, weights: Weights, rows: np.ndarray | slice) -> np.ndarray:
        order = self._base[rows] + weights.recency * self._last[rows] + weights.uses * self._doublings[rows]
        weighed: np.ndarray = order + weights.relevance * self._relevance[rows]
        return weighed

    def _relative(self, cosines: np.ndarray) -> np.ndarray:
        """Cosines as 0..1 against what is typical of the known blocks: embedders differ in their baseline."""
        mean, spread = self._typical
        return np.clip((cosines - mean) / (SPREADS * spread), 0.0, 1.0)

    def _refresh(self) -> None:
        self._near = self._ranked = None
        if self._queries and self._vectors.rows:
            self.epoch += 1
            self._typical = self._vectors.typical()
            rows = np.fromiter((self._rows[k] for k in self._vectors.rows), dtype=np.intp)
            self._relevance[rows] = self._relative(self._vectors.nearness(self._queries))

    def _forget(self) -> None:
        """Let the coldest tenth go."""
        order = np.argsort(self._weighed(PRIORITY, slice(len(self._names))), kind="stable")
        kept = np.sort(order[KNOWN // 10 :])
        for name in COLUMNS:
            setattr(self, name, getattr(self, name)[kept])
        self._names = [self._names[row] for row in kept.tolist()]
        self._rows = {key: row for row, key in enumerate(self._names)}
        self._vectors.keep(self._rows)
        self._near = self._ranked = None
