"""Least recently used."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence

import numpy as np


class Lru:
    """The key unused for longest goes first; every newcomer is taken."""

    def __init__(self) -> None:
        self._order: OrderedDict[str, None] = OrderedDict()

    def request(self, keys: Sequence[str], vectors: Mapping[str, np.ndarray] | None = None) -> None:
        return

    def touch(self, key: str) -> None:
        self._order.move_to_end(key)

    def insert(self, key: str) -> None:
        self._order[key] = None

    def remove(self, key: str) -> None:
        self._order.pop(key, None)

    def victim(self) -> str | None:
        return next(iter(self._order), None)

    def wants(self, key: str) -> bool:
        return True
