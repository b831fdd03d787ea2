"""Older snapshots of a store that is served: opened when they are asked for, the last few kept open."""

from __future__ import annotations

import threading
from collections import OrderedDict

from h3cold.ingest.store.as_of import AsOf, resolve
from h3cold.ingest.store.manifest import history, read_manifest
from h3cold.recall.cold_tier import ColdTier
from h3cold.recall.filters import shown
from h3cold.schemas.errors import UsageError

KEPT = 2
"""Older snapshots that stay open; each takes a second to open and the memory of its index."""


class Older:
    """Opened older snapshots, by number. Safe to use from several threads."""

    def __init__(self) -> None:
        self._open: OrderedDict[int, ColdTier] = OrderedDict()
        self._guard = threading.Lock()

    def at(self, tier: ColdTier, as_of: AsOf) -> ColdTier:
        """The tier of the snapshot that was current then, with the settings of `tier`; this one where it is that.

        Raises:
            UsageError: `as_of` is neither a number nor a time.
            StoreError: no snapshot of that time is kept, or it cannot be read.
        """
        if as_of is not None and (isinstance(as_of, bool) or not isinstance(as_of, int | str)):
            raise UsageError(f"as of {shown(as_of)}: give a snapshot's number or a time such as 2026-11-29T14:30")
        number = resolve(tier.path, as_of)
        if number is None or number == tier.store.manifest.snapshot:
            return tier
        read_manifest(tier.path)  # says what is wrong where none reads
        kept = {m.snapshot: m for m in history(tier.path)}
        with self._guard:
            for gone in [n for n, opened in self._open.items() if kept.get(n) != opened.store.manifest]:
                del self._open[gone]  # given up since, or of a store that was made anew
            found = self._open.get(number)
            if found is None:
                found = self._open[number] = _opened(tier, number)
            self._open.move_to_end(number)
            while len(self._open) > KEPT:  # who still asks it keeps it
                self._open.popitem(last=False)
            return found


def _opened(tier: ColdTier, number: int) -> ColdTier:
    from h3cold.recall.opening import open_snapshot

    own = tier._open_snapshot()
    snapshot = open_snapshot(tier.path, number, own.weights, own.mode)
    other = ColdTier(tier.path, snapshot, top=tier.top, candidates=tier.candidates)
    other._reader = tier._reader
    return other
