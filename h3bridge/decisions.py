"""What the scheduler did, and what sits where, as plain data."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, deque
from dataclasses import dataclass

from h3cold.schemas.tier import Tier


@dataclass(frozen=True, slots=True)
class Decision:
    """One thing the scheduler did: at request `tick`, `action` (promote, keep, demote, evict, miss) on a block."""

    tick: int
    action: str
    block: str
    tier: Tier
    reason: str


@dataclass(frozen=True, slots=True)
class Residency:
    """What sits in a tier: bytes as held (headers and padding included), `peak` the most since the engine began."""

    tier: Tier
    medium: str
    budget: int
    used: int
    blocks: tuple[str, ...]
    peak: int


BOUNDS = (1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0)
"""Upper bounds, in seconds, of the classes that promotions are counted in; one more has none."""


class Latencies:
    """How long promotions took, by class."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.total = 0.0

    def observe(self, seconds: float) -> None:
        """Count one."""
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.total += seconds


class Tally:
    """Counts since the engine began: decisions by action and tier, blocks asked for by the tier they were found in."""

    def __init__(self) -> None:
        self.last: deque[Decision] = deque(maxlen=200)
        self.actions: Counter[tuple[str, Tier]] = Counter()
        self.asked: Counter[Tier] = Counter()
        self.seconds = Latencies()

    def note(self, decision: Decision) -> None:
        """Count a decision and keep it among the last ones."""
        self.last.append(decision)
        self.actions[decision.action, decision.tier] += 1
