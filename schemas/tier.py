"""The memory hierarchy's names."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Tier(StrEnum):
    """Where a block's payload sits, warmest first."""

    HBM = "hbm"
    HBF = "hbf"
    COLD = "cold"


@dataclass(frozen=True, slots=True)
class Promotion:
    """A finished journey of one block: `bytes` payload size, `seconds` wall time, `reason` the scheduler's."""

    block: str
    tier: Tier
    bytes: int
    seconds: float
    reason: str
