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
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from h3cold.schemas.config import Scheduler
from h3cold.schemas.tier import Tier

REFRESH = 10
RELEVANCE_WEIGHT = 1.0
TIGHT_OCCUPANCY, TIGHT_HBM = 0.85, 0.98
HYSTERESIS = 0.02
KNOWN = 200_000
"""Blocks whose heat is remembered; the coldest tenth is forgotten when there are more."""


class Ahas:
    """Heat and relevance of blocks, and the decisions that follow from them."""

    def __init__(self, settings: Scheduler) -> None:
        self.settings = settings
        self.tick = 0
        self._log_alpha = math.log(settings.ahas_alpha)
        self._heat: dict[str, tuple[float, int]] = {}
        self._relevance: dict[str, float] = {}
        self._vectors: dict[str, np.ndarray] = {}
        self._queries: deque[np.ndarray] = deque(maxlen=REFRESH)
        self._ranked: list[float] = []

    def request(self, keys: Sequence[str], vectors: Mapping[str, np.ndarray] | None = None) -> None:
        """One request that touched `keys`, best first; `vectors` are their L2-normed embeddings where known."""
        self.tick += 1
        for key in keys:
            value, last = self._heat.get(key, (0.0, self.tick))
            self._heat[key] = (value * self.settings.ahas_alpha ** (self.tick - last) + 1.0, self.tick)
        if vectors:
            self._vectors.update(vectors)
            weights = [1 / (1 + i) for i, k in enumerate(keys) if k in vectors]
            known = [vectors[k] for k in keys if k in vectors]
            if known:
                mean = np.average(np.stack(known), axis=0, weights=weights)
                self._queries.append(mean / (np.linalg.norm(mean) or 1.0))
        if self.tick % REFRESH == 0 or self.tick == 1:
            self._refresh()
        if len(self._heat) > KNOWN:
            self._forget()

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

    def score(self, key: str) -> float:
        """Rank of the block's priority among all known blocks, 0 (coldest) .. 1 (hottest)."""
        if key not in self._heat:
            return 0.0
        if len(self._ranked) < 2:
            return 1.0
        return min(1.0, bisect_left(self._ranked, self.priority(key)) / (len(self._ranked) - 1))

    def threshold(self, tier: Tier, occupancy: float) -> float:
        """Score that admits a block to `tier`; HBM asks for more when it is nearly full."""
        if tier is Tier.HBM:
            return max(TIGHT_HBM, self.settings.hbm_threshold) if occupancy > TIGHT_OCCUPANCY else (
                self.settings.hbm_threshold)  # fmt: skip
        return self.settings.hbf_threshold if tier is Tier.HBF else 0.0

    def victim(self, resident: Iterable[str]) -> str | None:
        """The resident block that deserves its place least; ties are broken by key."""
        return min(resident, key=lambda k: (self.priority(k), k), default=None)

    def displaces(self, key: str, victim: str) -> bool:
        """Whether `key` deserves the place of `victim`: clearly, so that equals do not take turns."""
        if self.score(victim) < self.settings.cold_threshold:
            return True
        return self.priority(key) > self.priority(victim) + HYSTERESIS

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

    def _refresh(self) -> None:
        if self._queries and self._vectors:
            keys = list(self._vectors)
            matrix = np.stack([self._vectors[k] for k in keys])
            cosine = (matrix @ np.stack(self._queries).T).max(axis=1)
            self._relevance = dict(zip(keys, np.clip(cosine, 0, 1).tolist(), strict=True))
        self._ranked = sorted(self.priority(k) for k in self._heat)

    def _forget(self) -> None:
        coldest = sorted(self._heat, key=self.priority)[: KNOWN // 10]
        for key in coldest:
            del self._heat[key]
            self._relevance.pop(key, None)
            self._vectors.pop(key, None)
        self._ranked = sorted(self.priority(k) for k in self._heat)
