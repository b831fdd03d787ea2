"""S3-FIFO (Yang et al. 2023): a small queue filters one-hit wonders, a main queue gives second chances."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence

import numpy as np

SMALL = 0.1
MAX_USES = 3


class S3Fifo:
    """Small queue (a tenth of the residents), main queue, and the ghosts of what left the small one."""

    def __init__(self) -> None:
        self._small: OrderedDict[str, int] = OrderedDict()
        self._main: OrderedDict[str, int] = OrderedDict()
        self._ghosts: OrderedDict[str, None] = OrderedDict()

    def request(self, keys: Sequence[str], vectors: Mapping[str, np.ndarray] | None = None) -> None:
        return

    def touch(self, key: str) -> None:
        queue = self._small if key in self._small else self._main
        queue[key] = min(MAX_USES, queue[key] + 1)

    def insert(self, key: str) -> None:
        if key in self._ghosts:
            del self._ghosts[key]
            self._main[key] = 0
        else:
            self._small[key] = 0

    def remove(self, key: str) -> None:
        if key in self._small:
            del self._small[key]
            self._ghosts[key] = None
            while len(self._ghosts) > max(1, len(self._main)):
                self._ghosts.popitem(last=False)
        self._main.pop(key, None)

    def victim(self) -> str | None:
        while self._small or self._main:
            if self._small and (len(self._small) > SMALL * (len(self._small) + len(self._main)) or not self._main):
                key, uses = next(iter(self._small.items()))
                if uses <= 1:
                    return key
                del self._small[key]
                self._main[key] = 0
            else:
                key, uses = next(iter(self._main.items()))
                if not uses:
                    return key
                self._main[key] = uses - 1
                self._main.move_to_end(key)
        return None

    def wants(self, key: str) -> bool:
        return True
