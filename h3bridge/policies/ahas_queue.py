"""Replacement by AHAS among the residents of one tier, adapting to what the requests are like.

Heat, recency, number of uses and relevance are weighed differently by each of `MODES`: none is best for chats, scans,
loops and recalls alike. Each mode is followed on a shadow, a list of the keys it would hold (ghosts, no payloads),
and the tier imitates the mode whose shadow was hit most of late: what the leader does not hold goes first, and what
it holds besides may be fetched ahead. Adapting by what shadows would have hit is Gramacy et al. 2002.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise

import numpy as np

from h3cold.h3bridge.policies.ahas import Ahas, Weights
from h3cold.schemas.config import Hbf, Scheduler

MEMORY, LEAD = 0.9995, 0.01
"""Decay of a shadow's hits by access, and how much more a challenger must hit before it leads: no taking of turns."""

DOUBT = 0.5
"""Log-heat that a block fetched ahead counts less than one that was asked for."""

TURNOVER = 0.1
"""Share of a shadow that blocks fetched ahead may fill before the first of them is used."""


RUN = 3
"""Neighbours asked for in one request that make it reading in sequence."""


def next_block(key: str) -> str | None:
    """The block that follows in the document, whether or not there is one; None for a key that is no block's."""
    parts = key.rsplit("-", 2)
    if len(parts) != 3 or not parts[1].isdigit():
        return None
    return f"{parts[0]}-{int(parts[1]) + 1:0{len(parts[1])}d}-{parts[2]}"


@dataclass(frozen=True, slots=True)
class Mode:
    """Weights of its order; a newcomer must exceed the weakest resident by `margin`."""

    name: str
    weights: Weights
    margin: float = 0.02
    ahead: bool = False


MODES = (
    Mode("uses, however long ago", Weights(recency=-0.001, uses=3.0)),
    Mode("relevance and recency", Weights(recency=0.02, relevance=2.0)),
    Mode("the same, fetching ahead", Weights(recency=0.02, relevance=2.0), ahead=True),
    Mode("heat", Weights()),
    Mode("recency", Weights(recency=1.0)),
    Mode("recency of what was used again", Weights(recency=0.02, uses=3.0)),
    Mode("those that are here stay", Weights(uses=1.0), margin=1.5),
)
"""The first leads until another is hit more: no scan empties a tier before anything is known."""


class _Shadow:
    """The keys that one mode would hold, and its share of hits."""

    def __init__(self, mode: Mode, scheduler: Ahas) -> None:
        self.mode, self._scheduler = mode, scheduler
        self.keys: dict[str, float] = {}
        self.hits = 0.0
        self._heap: list[tuple[float, str]] = []
        self._epoch = -1
        self._waiting: dict[str, None] = {}

    def order(self, key: str) -> float:
        return self._scheduler.order(key, self.mode.weights)

    def orders(self, keys: Collection[str]) -> dict[str, float]:
        """`order` of many, by key."""
        return dict(zip(keys, self._scheduler.orders(keys, self.mode.weights).tolist(), strict=True))

    def access(self, key: str, capacity: int) -> list[str]:
        """One use of `key`; returns what had to go."""
        self.hits = self.hits * MEMORY + (1 - MEMORY) * (key in self.keys)
        self._waiting.pop(key, None)
        if key in self.keys:
            self._set(key, self.order(key))
            return []
        return self._admit(key, self.order(key), capacity, self.mode.margin)

    def fetch(self, keys: Sequence[str], capacity: int, limit: int) -> list[str]:
        """Take up to `limit` of `keys` in ahead of use, the first first; returns what had to go."""
        gone: list[str] = []
        for key in keys:
            if limit <= 0 or len(self._waiting) >= TURNOVER * capacity:
                break
            if key in self.keys:
                continue
            limit -= 1
            before = len(gone)
            hoped = self._scheduler.expected(key, self.mode.weights)
            gone += self._admit(key, hoped - DOUBT, capacity, self.mode.margin)
            if key in self.keys:
                self._waiting[key] = None
            elif len(gone) == before:
                break  # the next are colder still
        return gone

    def refresh(self, capacity: int) -> list[str]:
        """Take changed relevance and capacity in; returns what had to go."""
        if self.mode.weights.relevance and self._epoch != self._scheduler.epoch:
            self._epoch = self._scheduler.epoch
            now = self.orders(self.keys)
            self.keys = {k: p if k in self._waiting else now[k] for k, p in self.keys.items()}
            self._heap = [(p, k) for k, p in self.keys.items()]
            heapify(self._heap)
        gone: list[str] = []
        while len(self.keys) > capacity and (weakest := self.weakest()) is not None:
            self.forget(weakest[1])
            gone.append(weakest[1])
        return gone

    def weakest(self) -> tuple[float, str] | None:
        while self._heap:
            noted, key = self._heap[0]
            if self.keys.get(key) == noted:
                return noted, key
            heappop(self._heap)
        return None

    def forget(self, key: str) -> None:
        self.keys.pop(key, None)
        self._waiting.pop(key, None)

    def _set(self, key: str, order: float) -> None:
        self.keys[key] = order
        heappush(self._heap, (order, key))
        if len(self._heap) > 4 * len(self.keys) + 64:
            self._heap = [(p, k) for k, p in self.keys.items()]
            heapify(self._heap)

    def _admit(self, key: str, order: float, capacity: int, margin: float) -> list[str]:
        gone: list[str] = []
        while len(self.keys) >= max(1, capacity):
            weakest = self.weakest()
            if weakest is None or order <= weakest[0] + margin:
                return gone
            self.forget(weakest[1])
            gone.append(weakest[1])
        self._set(key, order)
        return gone


class AhasQueue:
    """One tier's residents under AHAS; tiers share the `Ahas` that knows the heat."""

    def __init__(
        self,
        scheduler: Ahas | None = None,
        *,
        window: int = Hbf().prefetch_window,
        requests: float = Hbf().prefetch_requests,
        follower: Callable[[str], str | None] = next_block,
    ) -> None:
        self._shared = scheduler is not None
        self.scheduler = scheduler or Ahas(Scheduler())
        self._least, self._requests, self._follower = window, requests, follower
        self._reading: dict[str, None] = {}
        self._resident: set[str] = set()
        self._strangers: dict[str, None] = {}
        self._shadows = [_Shadow(mode, self.scheduler) for mode in MODES]
        self._leader = self._shadows[0]
        self._seen = 0.0
        self._capacity = 0

    @property
    def window(self) -> int:
        """Blocks fetched ahead at most: a few times what a request takes, so that the next ones are there."""
        return max(self._least, round(self._requests * self.scheduler.mean_request)) if self._least else 0

    @property
    def mode(self) -> str:
        """Name of the mode that is followed."""
        return self._leader.mode.name

    def request(self, keys: Sequence[str], vectors: Mapping[str, np.ndarray] | None = None) -> None:
        if not self._shared:
            self.scheduler.request(keys, vectors)
        self._read_on(keys)
        capacity = self._capacity or len(self._resident) + len(keys)
        for shadow in self._shadows:
            gone = shadow.refresh(capacity)
            gone += [k for key in keys for k in shadow.access(key, capacity)]
            if shadow.mode.ahead and self._capacity:
                gone += shadow.fetch(self.scheduler.near(), capacity, self.window)
            if shadow is self._leader:
                self._strangers.update(dict.fromkeys(k for k in gone if k in self._resident and k not in shadow.keys))
        best = max(self._shadows, key=lambda s: s.hits)
        self._seen = min(1.0, self._seen + (1 - self._seen) * (1 - MEMORY ** len(keys)))
        if best.hits > self._leader.hits + LEAD * self._seen:  # shares of hits are still small in the beginning
            self._leader = best
            strangers = best.orders(self._resident - best.keys.keys())
            self._strangers = dict.fromkeys(sorted(strangers, key=lambda k: (strangers[k], k)))

    def touch(self, key: str) -> None:
        return

    def insert(self, key: str) -> None:
        self._resident.add(key)
        if key not in self._leader.keys and key not in self._reading:
            self._strangers[key] = None

    def remove(self, key: str) -> None:
        self._resident.discard(key)
        self._strangers.pop(key, None)

    def victim(self) -> str | None:
        """The resident that the leading mode would part with first."""
        self._capacity = max(1, len(self._resident))
        for key in list(self._strangers):
            if key in self._resident and key not in self._leader.keys and key not in self._reading:
                return key
            del self._strangers[key]
        weakest = self._leader.weakest()
        if weakest is not None and weakest[1] in self._resident:
            return weakest[1]
        rest = self._leader.orders(self._resident - self._reading.keys() or self._resident)
        return min(rest, key=lambda k: (rest[k], k), default=None)

    def wants(self, key: str) -> bool:
        """Whether the leading mode, having seen the request, holds the key."""
        self._capacity = max(1, len(self._resident))
        return key in self._leader.keys or key in self._reading

    def ahead(self) -> list[str]:
        """Keys worth fetching before they are asked for, at most `window`.

        What follows, while requests read in sequence; else what is like the recent queries, where that pays.
        """
        if self._reading:
            return [k for k in self._reading if k not in self._resident]
        if not self._leader.mode.ahead:
            return []
        near = (k for k in self.scheduler.near() if k in self._leader.keys and k not in self._resident)
        return [k for k, _ in zip(near, range(self.window), strict=False)]

    def _read_on(self, keys: Sequence[str]) -> None:
        """Note what follows when a request reads in sequence; what was noted and not read is given up."""
        for stale in self._reading.keys() - set(keys):
            if stale in self._resident and stale not in self._leader.keys:
                self._strangers[stale] = None
        self._reading = {}
        last = keys[-RUN:]
        if len(last) < RUN or any(self._follower(a) != b for a, b in pairwise(last)):
            return
        key: str | None = keys[-1]
        for _ in range(min(self.window, max(1, int(TURNOVER * self._capacity)) if self._capacity else self.window)):
            key = self._follower(key) if key else None
            if key:
                self._reading[key] = None
