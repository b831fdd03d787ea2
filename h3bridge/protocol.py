"""What any place that payloads are promoted into must offer, be it our engine or a server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from h3cold.h3bridge.frames import Kind
from h3cold.schemas.tier import Tier


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a target takes: kinds of payload, whether leases hold, and how many promotions may wait."""

    kinds: frozenset[Kind]
    leases: bool
    queue: int


@dataclass(frozen=True, slots=True)
class Payload:
    """Something to promote: `load` gives its bytes when its turn comes.

    Token spans are right for any model with the tokenizer; KV pages only behind the exact prefix and in the namespace
    they were computed in; summary vectors are searched in the middle tier and never fed to a model.
    """

    key: str
    kind: Kind
    namespace: bytes
    load: Callable[[], bytes]
    token_ids: tuple[int, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Ticket:
    """A promotion under way."""

    id: str
    key: str


@dataclass(frozen=True, slots=True)
class Busy:
    """No room to wait in; ask again in so many seconds."""

    retry_after: float


class State(StrEnum):
    """Where a promotion is."""

    WAITING = "waiting"
    LOADING = "loading"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Progress:
    """State of a promotion, the tier reached, and why."""

    state: State
    tier: Tier = Tier.COLD
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Lease:
    """A promise that `key` stays where it is until `expires` (monotonic seconds)."""

    key: str
    owner: str
    expires: float


class PromotionTarget(Protocol):
    """A warmer place.

    Every method answers at once; what takes time is polled.
    """

    def capabilities(self) -> Capabilities:
        """What this target takes."""

    def lookup(self, keys: Sequence[str]) -> Mapping[str, Tier]:
        """The warmest tier that holds each key."""

    def promote(self, payload: Payload, *, demand: bool = True, deadline: float | None = None) -> Ticket | Busy:
        """Ask for a payload; with `demand` before all that is only fetched ahead. `deadline` in seconds from now.

        Raises:
            PromotionError: the payload's kind or namespace is not this target's.
        """

    def poll(self, ticket: Ticket) -> Progress:
        """How far a promotion is.

        Raises:
            PromotionError: not a ticket of this target.
        """

    def cancel(self, ticket: Ticket) -> bool:
        """Give a promotion up; False when it is over already. What others wait for goes on."""

    def lease(self, key: str, owner: str, ttl: float) -> Lease | None:
        """Keep a key where it is for `ttl` seconds; None when it is not warm."""

    def stats(self) -> Mapping[str, float]:
        """Counts and bytes by name."""
