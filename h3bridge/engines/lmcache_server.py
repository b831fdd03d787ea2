"""LMCache's multi-process server, asked to bring a prompt's stored keys and values from its L2 into its L1.

`POST /cache/prefetches` answers 202 with an id (or "noop" for less than a chunk), 503 while no engine has registered
the model's layout, 400 and 422 for what it cannot take; `GET /cache/prefetches/{id}` answers "pending" or
"completed", and 404 once a completed one has been read. (Read in lmcache 0.5.6.)
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from h3cold.h3bridge.engines.http import call
from h3cold.h3bridge.frames import Kind
from h3cold.h3bridge.protocol import Busy, Capabilities, Lease, Payload, Progress, State, Ticket
from h3cold.schemas.errors import PromotionError
from h3cold.schemas.tier import Tier

RETRY = 2.0


class LMCacheServer:
    """A promotion target; payloads carry `token_ids`, from the prompt's beginning.

    Args:
        url: address of the server's HTTP side, as http://127.0.0.1:8080.
        model: the model's name as its engine registered it.
        world_size: number of ranks of that engine.
        salt: the engine's `cache_salt`.
    """

    def __init__(self, url: str, model: str, *, world_size: int = 1, salt: str = "", timeout: float = 30.0) -> None:
        self.url, self.model, self.world_size, self.salt = url.rstrip("/"), model, world_size, salt
        self.timeout = timeout
        self._guard = threading.Lock()
        self._over: dict[str, Progress] = {}
        self._known: set[str] = set()
        self._warm: dict[str, Tier] = {}
        self._counts: Counter[str] = Counter()

    def capabilities(self) -> Capabilities:
        return Capabilities(frozenset({Kind.TOKENS}), leases=False, queue=1)

    def lookup(self, keys: Sequence[str]) -> Mapping[str, Tier]:
        """What was found whole by a prefetch counts as HBF, which LMCache's L1 is; it may have gone since."""
        return {key: self._warm.get(key, Tier.COLD) for key in keys}

    def promote(self, payload: Payload, *, demand: bool = True, deadline: float | None = None) -> Ticket | Busy:
        if payload.kind is not Kind.TOKENS or not payload.token_ids:
            raise PromotionError(f"{payload.key}: LMCache finds by token ids; give a payload of tokens")
        body = {"model_name": self.model, "world_size": self.world_size, "token_ids": list(payload.token_ids),
                "cache_salt": self.salt}  # fmt: skip
        answer = call(f"{self.url}/cache/prefetches", body, timeout=self.timeout)
        said: dict[str, Any] = answer.body or {}
        if answer.status == 503:  # no engine has this model yet
            self._counts["busy"] += 1
            return Busy(answer.retry_after or RETRY)
        if answer.status != 202:
            raise PromotionError(f"{self.url} answered {answer.status}: {str(said.get('detail', said))[:200]}")
        with self._guard:
            self._counts["asked"] += 1
            ticket = Ticket(str(said.get("request_id", f"noop-{self._counts['asked']}")), payload.key)
            self._known.add(ticket.id)
            if said.get("status") == "noop":
                self._over[ticket.id] = Progress(State.DONE, reason="less than a chunk: nothing to fetch")
        return ticket

    def poll(self, ticket: Ticket) -> Progress:
        with self._guard:
            if ticket.id in self._over:
                return self._over[ticket.id]
            if ticket.id not in self._known:
                raise PromotionError(f"ticket {ticket.id}: not of this target")
        answer = call(f"{self.url}/cache/prefetches/{ticket.id}", timeout=self.timeout)
        said: dict[str, Any] = answer.body or {}
        if answer.status == 503:
            return Progress(State.WAITING, reason="the server is not ready")
        if answer.status == 200 and said.get("status") == "pending":
            return Progress(State.LOADING)
        if answer.status == 200 and said.get("status") == "completed":
            found, total = int(said.get("found_keys", 0)), int(said.get("total_keys", 0))
            reached = Tier.HBF if total and found == total else Tier.COLD
            over = Progress(State.DONE, reached, f"{found} of {total} keys were stored")
            self._warm[ticket.key] = reached
        elif answer.status == 404:
            over = Progress(State.FAILED, reason="the server does not know this prefetch (any more)")
        else:
            over = Progress(State.FAILED, reason=f"{self.url} answered {answer.status}: {str(said)[:200]}")
        with self._guard:
            return self._over.setdefault(ticket.id, over)

    def cancel(self, ticket: Ticket) -> bool:
        """The server has no way to cancel."""
        return False

    def lease(self, key: str, owner: str, ttl: float) -> Lease | None:
        return None

    def stats(self) -> Mapping[str, float]:
        with self._guard:
            return {k: float(self._counts[k]) for k in ("asked", "busy")}
