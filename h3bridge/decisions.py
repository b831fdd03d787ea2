"""What the scheduler did, and what sits where, as plain data."""

from __future__ import annotations

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
    """What sits in a tier: bytes as held (headers and padding included)."""

    tier: Tier
    medium: str
    budget: int
    used: int
    blocks: tuple[str, ...]
