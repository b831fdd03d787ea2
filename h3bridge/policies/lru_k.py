"""LRU-K (O'Neil, O'Neil, Weikum 1993) with K = 2: recency of the last but one use."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from heapq import heappop, heappush

import numpy as np

REMEMBERED = 4
"""Uses of keys that are gone are remembered for this many times as many keys as are resident."""


class LruK:
    """The key whose second last use is longest ago goes first; keys used once only go before all others."""

    def __init__(self) -> None:
        self._clock = 0
        self._uses: OrderedDict[str, tuple[int, int]] = OrderedDict()
        self._resident: set[str] = set()
        self._heap: list[tuple[int, int, str]] = []

    def request(self, keys: Sequence[str], vectors: Mapping[str, np.ndarray] | None = None) -> None:
        self._clock += 1

    def touch(self, key: str) -> None:
        _, last = self._uses.pop(key, (0, 0))
        self._uses[key] = (last, self._clock)
        if key in self._resident:
            heappush(self._heap, (last, self._clock, key))

    def insert(self, key: str) -> None:
        self._resident.add(key)
        self.touch(key)
        while len(self._uses) > REMEMBERED * max(16, len(self._resident)):
            oldest = next(iter(self._uses))
            if oldest in self._resident:
                self._uses.move_to_end(oldest)
            else:
                del self._uses[oldest]

    def remove(self, key: str) -> None:
        self._resident.discard(key)

    def victim(self) -> str | None:
        while self._heap:
            before, last, key = self._heap[0]
            if key in self._resident and self._uses.get(key) == (before, last):
                return key
            heappop(self._heap)
        return None

    def wants(self, key: str) -> bool:
        return True
