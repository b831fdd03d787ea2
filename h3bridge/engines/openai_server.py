"""Any server with an OpenAI-compatible API, warmed by a completion of one token over the canonical prefix.

The server computes the prefix and keeps it in its own prefix cache, if it has one: this says that it was asked to,
not that it kept it. Use with vLLM, SGLang, llama.cpp and others that cache prefixes.
"""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from h3cold.h3bridge.engines.http import Answer, call
from h3cold.h3bridge.frames import Kind
from h3cold.h3bridge.protocol import Busy, Capabilities, Lease, Payload, Progress, State, Ticket
from h3cold.schemas.errors import PromotionError
from h3cold.schemas.tier import Tier

RETRY = 1.0
"""Seconds to wait where the server does not say."""


class OpenAIServer:
    """A promotion target; payloads carry `token_ids` or `text`.

    Args:
        url: address without `/v1`, as http://127.0.0.1:8000.
        model: the model's name there.
        token: API key, if one is asked for.
        at_once: completions under way at most; one more is `Busy`.
        timeout: seconds for one completion.
    """

    def __init__(self, url: str, model: str, *, token: str = "", at_once: int = 2, timeout: float = 600.0) -> None:
        self.url, self.model, self._token, self.at_once, self.timeout = url.rstrip("/"), model, token, at_once, timeout
        self._pool = ThreadPoolExecutor(at_once, thread_name_prefix="h3-warm")
        self._numbers = itertools.count(1)
        self._guard = threading.Lock()
        self._asked: dict[str, Future[Answer]] = {}
        self._warm: set[str] = set()
        self._pause = RETRY
        self._counts: Counter[str] = Counter()

    def capabilities(self) -> Capabilities:
        return Capabilities(frozenset({Kind.TEXT, Kind.TOKENS}), leases=False, queue=self.at_once)

    def lookup(self, keys: Sequence[str]) -> Mapping[str, Tier]:
        """What was warmed through here counts as HBM; the server may have let it go since."""
        return {key: Tier.HBM if key in self._warm else Tier.COLD for key in keys}

    def promote(self, payload: Payload, *, demand: bool = True, deadline: float | None = None) -> Ticket | Busy:
        if payload.kind not in self.capabilities().kinds:
            raise PromotionError(
                f"{payload.key}: a server of completions takes text and tokens, no {payload.kind.name}"
            )
        prompt: str | list[int] = list(payload.token_ids) or payload.text or payload.load().decode()
        body = {"model": self.model, "prompt": prompt, "max_tokens": 1, "temperature": 0}
        with self._guard:
            if sum(not f.done() for f in self._asked.values()) >= self.at_once:
                self._counts["busy"] += 1
                return Busy(self._pause)
            ticket = Ticket(f"o{next(self._numbers)}", payload.key)
            timeout = self.timeout if deadline is None else min(deadline, self.timeout)
            self._asked[ticket.id] = self._pool.submit(
                call, f"{self.url}/v1/completions", body, token=self._token, timeout=max(0.001, timeout)
            )
        return ticket

    def poll(self, ticket: Ticket) -> Progress:
        with self._guard:
            future = self._asked.get(ticket.id)
        if future is None:
            raise PromotionError(f"ticket {ticket.id}: not of this target")
        if future.cancelled():
            return Progress(State.CANCELLED, reason="cancelled")
        if not future.done():
            return Progress(State.LOADING if future.running() else State.WAITING)
        try:
            answer = future.result()
        except PromotionError as e:
            return Progress(State.FAILED, reason=str(e))
        if answer.status == 200:
            self._warm.add(ticket.key)
            return Progress(State.DONE, Tier.HBM, "computed by the server")
        self._pause = answer.retry_after or RETRY
        said = (answer.body or {}).get("error", answer.body)
        return Progress(State.FAILED, reason=f"{self.url} answered {answer.status}: {str(said)[:200]}")

    def cancel(self, ticket: Ticket) -> bool:
        """Only what has not been sent can be cancelled."""
        future = self._asked.get(ticket.id)
        return future is not None and future.cancel()

    def lease(self, key: str, owner: str, ttl: float) -> Lease | None:
        return None

    def stats(self) -> Mapping[str, float]:
        with self._guard:
            under_way = sum(not f.done() for f in self._asked.values())
            return {
                "asked": float(len(self._asked)),
                "under_way": float(under_way),
                "busy": float(self._counts["busy"]),
            }

    def close(self) -> None:
        """Wait for what is under way."""
        self._pool.shutdown(cancel_futures=True)
