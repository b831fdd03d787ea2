"""ARC (Megiddo, Modha 2003): recency and frequency lists that adapt to what was evicted too early."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence

import numpy as np


class Arc:
    """Two resident lists (used once, used again) and their ghosts; hits on a ghost move the balance `p`."""

    def __init__(self) -> None:
        self._once: OrderedDict[str, None] = OrderedDict()
        self._again: OrderedDict[str, None] = OrderedDict()
        self._ghost_once: OrderedDict[str, None] = OrderedDict()
        self._ghost_again: OrderedDict[str, None] = OrderedDict()
        self._p = 0.0

    def request(self, keys: Sequence[str], vectors: Mapping[str, np.ndarray] | None = None) -> None:
        return

    def touch(self, key: str) -> None:
        self._once.pop(key, None)
        self._again[key] = None
        self._again.move_to_end(key)

    def wants(self, key: str) -> bool:
        """Always; asking is also where a ghost hit is noticed, before the victim is chosen."""
        size = len(self._once) + len(self._again)
        if key in self._ghost_once:
            self._p = min(float(size), self._p + max(1.0, len(self._ghost_again) / len(self._ghost_once)))
        elif key in self._ghost_again:
            self._p = max(0.0, self._p - max(1.0, len(self._ghost_once) / len(self._ghost_again)))
        return True

    def insert(self, key: str) -> None:
        known = key in self._ghost_once or key in self._ghost_again
        self._ghost_once.pop(key, None)
        self._ghost_again.pop(key, None)
        (self._again if known else self._once)[key] = None

    def remove(self, key: str) -> None:
        for resident, ghosts in ((self._once, self._ghost_once), (self._again, self._ghost_again)):
            if key in resident:
                del resident[key]
                ghosts[key] = None
        size = max(1, len(self._once) + len(self._again) + 1)
        while len(self._ghost_once) + len(self._once) > size and self._ghost_once:
            self._ghost_once.popitem(last=False)
        while len(self._ghost_once) + len(self._ghost_again) > size and self._ghost_again:
            self._ghost_again.popitem(last=False)

    def victim(self) -> str | None:
        from_once = self._once and (len(self._once) > self._p or not self._again)
        return next(iter(self._once if from_once else self._again), None)
