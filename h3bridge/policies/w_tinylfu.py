"""W-TinyLFU (Einziger, Friedman, Manes 2017): a recency window before a segmented LRU that admits by frequency."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence

import numpy as np

WINDOW, PROTECTED = 0.01, 0.8
SAMPLE = 10
"""Counts are halved after this many uses a resident key."""


class WTinyLfu:
    """Window, probation and protected segments; a key leaves the window only for a less frequent one's place.

    The counts are exact instead of a sketch: the tiers' key sets are small.
    """

    def __init__(self) -> None:
        self._window: OrderedDict[str, None] = OrderedDict()
        self._probation: OrderedDict[str, None] = OrderedDict()
        self._protected: OrderedDict[str, None] = OrderedDict()
        self._counts: Counter[str] = Counter()
        self._uses = 0

    def request(self, keys: Sequence[str], vectors: Mapping[str, np.ndarray] | None = None) -> None:
        return

    def _count(self, key: str) -> None:
        self._counts[key] += 1
        self._uses += 1
        if self._uses > SAMPLE * max(64, self._size()):
            self._counts = Counter({k: c // 2 for k, c in self._counts.items() if c > 1})
            self._uses //= 2

    def _size(self) -> int:
        return len(self._window) + len(self._probation) + len(self._protected)

    def touch(self, key: str) -> None:
        self._count(key)
        if key in self._window:
            self._window.move_to_end(key)
            return
        self._probation.pop(key, None)
        self._protected[key] = None
        self._protected.move_to_end(key)
        if (
            len(self._protected) > PROTECTED * (len(self._probation) + len(self._protected))
            and len(self._protected) > 1
        ):
            demoted, _ = self._protected.popitem(last=False)
            self._probation[demoted] = None

    def insert(self, key: str) -> None:
        self._count(key)
        self._window[key] = None

    def remove(self, key: str) -> None:
        for segment in (self._window, self._probation, self._protected):
            segment.pop(key, None)

    def victim(self) -> str | None:
        room = max(1, int(WINDOW * self._size()))
        while len(self._window) > room + 1:  # it grew while there was room for all: no duel for these
            self._probation[self._window.popitem(last=False)[0]] = None
        while len(self._window) > room:
            candidate = next(iter(self._window))
            weakest = next(iter(self._probation or self._protected), None)
            if weakest is not None and self._counts[candidate] <= self._counts[weakest]:
                return candidate
            self._window.popitem(last=False)
            self._probation[candidate] = None
            if weakest is not None:
                return weakest
        return next(iter(self._probation or self._protected or self._window), None)

    def wants(self, key: str) -> bool:
        return True
