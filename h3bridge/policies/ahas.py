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
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

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

PAIRS, ENOUGH = 500, 50
UNKNOWN = (0.0, 0.5)
"""Mean and deviation of cosines assumed while fewer than `ENOUGH` blocks are known."""

RELEVANCE_WEIGHT = 8.0
"""Log-heat that full relevance is worth: more than any difference in heat that builds up in practice."""

SIMILAR, AHEAD = 0.7, 64
"""Relevance above which a known block is worth fetching ahead, and how many of them are noted, hottest first."""

TIGHT_OCCUPANCY, TIGHT_HBM = 0.85, 0.98
MANY = 64
"""Uses are counted up to this."""

KNOWN = 200_000
"""Blocks whose heat is remembered; the coldest tenth is forgotten when there are more."""


class _Vectors:
    """Embeddings of the known blocks as rows of one matrix, so that relevance is one product."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self._matrix = np.zeros((0, 0), dtype=np.float32)

    def add(self, vectors: Mapping[str, np.ndarray]) -> None:
        for key, vector in vectors.items():
            row = self.rows.setdefault(key, len(self.rows))
            if row >= len(self._matrix):
                grown = np.zeros((max(256, 2 * len(self._matrix)), len(vector)), dtype=np.float32)
                if row:
                    grown[:row] = self._matrix[:row]
                self._matrix = grown
            self._matrix[row] = vector

    def keep(self, keys: Iterable[str]) -> None:
        kept = [k for k in keys if k in self.rows]
        self._matrix = self._matrix[[self.rows[k] for k in kept]]
        self.rows = {k: i for i, k in enumerate(kept)}

    def nearness(self, queries: Sequence[np.ndarray]) -> np.ndarray:
        """Largest cosine of each row with any of the queries."""
        return (self._matrix[: len(self.rows)] @ np.stack(queries).T).max(axis=1)

    def typical(self) -> tuple[float, float]:
        """Mean and standard deviation of the cosine of two blocks, from up to `PAIRS` pairs."""
        n = len(self.rows)
        if n < ENOUGH:
            return UNKNOWN
        one, other = np.random.default_rng(n).integers(0, n, (2, PAIRS))
        different = one != other
        cosines = np.einsum("ij,ij->i", self._matrix[one[different]], self._matrix[other[different]])
        return float(cosines.mean()), max(float(cosines.std()), 0.02)


class Ahas:
    """Heat and relevance of blocks, and the decisions that follow from them."""

    def __init__(self, settings: Scheduler) -> None:
        self.settings = settings
        self.tick = 0
        self.epoch = 0
        self._log_alpha = math.log(settings.ahas_alpha)
        self._heat: dict[str, tuple[float, int]] = {}
        self._uses: dict[str, int] = {}
        self._relevance: dict[str, float] = {}
        self._vectors = _Vectors()
        self._queries: deque[np.ndarray] = deque(maxlen=QUERIES)
        self._typical = UNKNOWN
        self._ranked = np.zeros(0)
        self._near: list[str] | None = []

    def request(self, keys: Sequence[str], vectors: Mapping[str, np.ndarray] | None = None) -> None:
        """One request that touched `keys`, best first; `vectors` are their L2-normed embeddings where known."""
        self.tick += 1
        for key in keys:
            value, last = self._heat.get(key, (0.0, self.tick))
            self._heat[key] = (value * self.settings.ahas_alpha ** (self.tick - last) + 1.0, self.tick)
            self._uses[key] = min(MANY, self._uses.get(key, 0) + 1)
        known = [k for k in keys if vectors and k in vectors]
        if vectors and known:
            self._ask(known, np.stack([vectors[k] for k in known]))
        if self.tick % REFRESH == 0 or self.tick == 1:
            self._refresh()
        if len(self._heat) > KNOWN:
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
        self._relevance.update(zip(keys, self._relative(near.max(axis=1)).tolist(), strict=True))
        if turned:
            self._refresh()

    def heat(self, key: str) -> float:
        """Decayed access count now; 0 for a block never touched."""
        value, last = self._heat.get(key, (0.0, self.tick))
        return value * self.settings.ahas_alpha ** (self.tick - last)

    def relevance(self, key: str) -> float:
        """Cosine with the recent queries as of the last refresh, 0..1; 0 where the vector is not known."""
        return self._relevance.get(key, 0.0)

    def priority(self, key: str) -> float:
        """Orders blocks by how much they deserve a warm place; only comparable with other priorities."""
        value, last = self._heat.get(key, (0.0, 0))
        if not value:
            return -math.inf
        return math.log(value) - last * self._log_alpha + RELEVANCE_WEIGHT * self.relevance(key)

    def order(self, key: str, *, recency: float, uses: float, relevance: float) -> float:
        """`priority` with other weights, in log-heat: of a request of recency, a doubling of uses, relevance."""
        value, last = self._heat.get(key, (0.0, 0))
        if not value:  # fetched ahead, never asked for
            return -math.inf
        return (
            math.log(value)
            + last * (recency - self._log_alpha)
            + uses * math.log2(self._uses.get(key, 1))
            + relevance * self.relevance(key)
        )

    def expected(self, key: str, *, recency: float, uses: float, relevance: float) -> float:
        """`order` as if the block were used now, with the heat it has left."""
        _, last = self._heat.get(key, (0.0, self.tick))
        order = self.order(key, recency=recency, uses=uses, relevance=relevance)
        return order + (self.tick - last) * recency

    def near(self) -> Sequence[str]:
        """Known blocks that are like the recent queries, hottest first, as of the last refresh."""
        if self._near is None:
            near = [k for k, r in self._relevance.items() if r > SIMILAR and k in self._heat]
            self._near = sorted(near, key=self.heat, reverse=True)[:AHEAD]
        return self._near

    def score(self, key: str) -> float:
        """Rank of the block's priority among all known blocks, 0 (coldest) .. 1 (hottest)."""
        if key not in self._heat:
            return 0.0
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
        return dict(self._heat)

    def restore(self, tick: int, heat: Mapping[str, tuple[float, int]]) -> None:
        """Go on from a `dump`."""
        self.tick = tick
        self._heat = {k: (float(v), int(t)) for k, (v, t) in heat.items()}
        self._refresh()

    def _relative(self, cosines: np.ndarray) -> np.ndarray:
        """Cosines as 0..1 against what is typical of the known blocks: embedders differ in their baseline."""
        mean, spread = self._typical
        return np.clip((cosines - mean) / (SPREADS * spread), 0.0, 1.0)

    def _refresh(self) -> None:
        self.epoch += 1
        self._near = None
        if self._queries and self._vectors.rows:
            self._typical = self._vectors.typical()
            cosines = self._vectors.nearness(self._queries)
            self._relevance = dict(zip(self._vectors.rows, self._relative(cosines).tolist(), strict=True))
        self._rank()

    def _rank(self) -> None:
        self._ranked = np.sort(np.fromiter(map(self.priority, self._heat), dtype=float, count=len(self._heat)))

    def _forget(self) -> None:
        coldest = sorted(self._heat, key=self.priority)[: KNOWN // 10]
        for key in coldest:
            del self._heat[key]
            self._uses.pop(key, None)
            self._relevance.pop(key, None)
        self._vectors.keep(self._heat)
        self._rank()
