"""Who holds what where it is, and until when."""

from __future__ import annotations

import time


class Leases:
    """Holds on blocks, each by an owner until a time; what ran out is forgotten when it is looked at."""

    def __init__(self) -> None:
        self._owners: dict[str, dict[str, float]] = {}

    def __contains__(self, block: str) -> bool:
        owners = self._owners.get(block)
        if owners is None:
            return False
        now = time.monotonic()
        alive = {owner: ends for owner, ends in owners.items() if ends > now}
        if alive:
            self._owners[block] = alive
        else:
            del self._owners[block]
        return bool(alive)

    def __len__(self) -> int:
        return sum(block in self for block in list(self._owners))

    def hold(self, block: str, owner: str, seconds: float) -> float:
        """Keep a block for an owner, anew if he holds it; returns when that ends, in monotonic seconds."""
        ends = time.monotonic() + seconds
        self._owners.setdefault(block, {})[owner] = ends
        return ends

    def release(self, block: str, owner: str) -> None:
        """End an owner's hold on a block, if there is one."""
        owners = self._owners.get(block, {})
        owners.pop(owner, None)
        if not owners:
            self._owners.pop(block, None)
