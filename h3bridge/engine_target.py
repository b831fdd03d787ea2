"""The reference engine as a promotion target: a bounded queue in front of it, and one thread that loads."""

from __future__ import annotations

import itertools
import threading
import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType

from h3cold.h3bridge import frames
from h3cold.h3bridge.engine import H3Engine
from h3cold.h3bridge.frames import Kind
from h3cold.h3bridge.protocol import Busy, Capabilities, Lease, Payload, Progress, State, Ticket
from h3cold.schemas.errors import H3Error, PromotionError
from h3cold.schemas.tier import Tier

KEPT = 10_000
"""Finished promotions that can still be polled."""


@dataclass(slots=True)
class _Job:
    payload: Payload
    demand: bool
    tickets: dict[str, float | None] = field(default_factory=dict)
    loading: bool = False


class EngineTarget:
    """Use as a context manager: leaving it cancels what waits and ends the thread.

    Text and token spans are for the engine's model; KV pages are whole frames of a stored prefix, of a model that this
    engine has served (`stored_pages` makes the payloads). Summary vectors are refused: they are for `SummaryTarget`.

    Args:
        engine: where payloads go.
        queue: promotions that may wait; one more is `Busy`.
    """

    kinds = frozenset({Kind.TEXT, Kind.TOKENS, Kind.PAGE})
    changing = False  # whether the bytes behind a key may change: then what is warm is read again and the newest counts

    def __init__(self, engine: H3Engine, *, queue: int = 64) -> None:
        self.engine, self.queue = engine, queue
        self._numbers = itertools.count(1)
        self._turn = threading.Condition()
        self._demand: deque[_Job] = deque()
        self._ahead: deque[_Job] = deque()
        self._jobs: dict[str, _Job] = {}
        self._progress: dict[str, Progress] = {}
        self._counts: Counter[str] = Counter()
        self._load_seconds = 0.01
        self._closed = False
        self._worker = threading.Thread(target=self._work, name="h3-promotions", daemon=True)
        self._worker.start()

    def __enter__(self) -> EngineTarget:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Cancel what waits, wait for what is loading, end the thread."""
        with self._turn:
            self._closed = True
            for job in (*self._demand, *self._ahead):
                self._finish(job, Progress(State.CANCELLED, reason="the target was closed"))
            self._demand.clear()
            self._ahead.clear()
            self._turn.notify_all()
        self._worker.join()

    def capabilities(self) -> Capabilities:
        return Capabilities(self.kinds, leases=True, queue=self.queue)

    def lookup(self, keys: Sequence[str]) -> Mapping[str, Tier]:
        with self.engine.guard:
            return {key: self.engine.tier_of(key) for key in keys}

    def promote(self, payload: Payload, *, demand: bool = True, deadline: float | None = None) -> Ticket | Busy:
        if payload.kind not in self.kinds:
            taken = ", ".join(sorted(kind.name for kind in self.kinds))
            raise PromotionError(f"{payload.key}: {payload.kind.name} is not for this target; it takes {taken}")
        self._check(payload)
        ends = None if deadline is None else time.monotonic() + deadline
        with self._turn:
            if self._closed:
                raise PromotionError("this target is closed")
            job = self._jobs.get(payload.key)
            if job is None:
                if len(self._demand) + len(self._ahead) >= self.queue and not (demand and self._drop_ahead()):
                    self._counts["busy"] += 1
                    return Busy(round(self._load_seconds * (1 + len(self._demand)), 4))
                job = self._jobs[payload.key] = _Job(payload, demand)
                (self._demand if demand else self._ahead).append(job)
            elif demand and not job.demand:  # it was only fetched ahead: now somebody waits
                job.demand = True
                if not job.loading:
                    self._ahead.remove(job)
                    self._demand.append(job)
            if self.changing:
                job.payload = payload
            ticket = Ticket(f"p{next(self._numbers)}", payload.key)
            job.tickets[ticket.id] = ends
            self._progress[ticket.id] = Progress(State.LOADING if job.loading else State.WAITING)
            self._turn.notify()
        return ticket

    def poll(self, ticket: Ticket) -> Progress:
        with self._turn:
            if ticket.id not in self._progress:
                raise PromotionError(f"ticket {ticket.id}: not of this target, or over long ago")
            return self._progress[ticket.id]

    def wait(self, ticket: Ticket, timeout: float = 60.0) -> Progress:
        """Poll until the promotion is over, at most `timeout` seconds.

        Raises:
            PromotionError: the ticket is not of this target, or was over long ago.
        """
        ends = time.monotonic() + timeout
        with self._turn:
            while (done := self.poll(ticket)).state in (State.WAITING, State.LOADING):
                if not self._turn.wait(ends - time.monotonic()):
                    break
            return done

    def cancel(self, ticket: Ticket) -> bool:
        with self._turn:
            job = self._jobs.get(ticket.key)
            if job is None or ticket.id not in job.tickets:
                return False
            del job.tickets[ticket.id]
            self._over(ticket.id, Progress(State.CANCELLED, reason="cancelled"))
            if not job.tickets and not job.loading:
                (self._demand if job.demand else self._ahead).remove(job)
                del self._jobs[ticket.key]
            self._turn.notify_all()
            return True

    def lease(self, key: str, owner: str, ttl: float) -> Lease | None:
        with self.engine.guard:
            if self.engine.tier_of(key) is Tier.COLD:
                return None
            return Lease(key, owner, self.engine.leases.hold(key, owner, ttl))

    def release(self, lease: Lease) -> None:
        """Let a lease go before its time."""
        with self.engine.guard:
            self.engine.leases.release(lease.key, lease.owner)

    def stats(self) -> Mapping[str, float]:
        with self._turn, self.engine.guard:
            tiers = {f"{r.tier.value}_bytes": float(r.used) for r in self.engine.residency()}
            tiers |= {f"{r.tier.value}_peak_bytes": float(r.peak) for r in self.engine.residency()}
            waiting = {"waiting": float(len(self._demand) + len(self._ahead)), "leases": float(len(self.engine.leases))}
            return {**tiers, **waiting, **{k: float(v) for k, v in self._counts.items()}}

    def _check(self, payload: Payload) -> None:
        known = self.engine.cold if payload.kind is Kind.PAGE else (self.engine.namespace,)
        if payload.namespace not in known:
            raise PromotionError(f"{payload.key}: made for another model or tokenizer than this engine's")

    def _put(self, payload: Payload, data: bytes, *, demand: bool) -> Progress:
        """Place what was loaded; empty where it was warm already."""
        if payload.kind is Kind.PAGE:
            return self._put_page(payload, data, demand=demand)
        if demand:
            self.engine.request([payload.key])
            done = self.engine.promote(payload.key, lambda: data or payload.load(), kind=payload.kind)
            return Progress(State.DONE, done.tier, done.reason)
        self.engine.prefetch(payload.key, lambda: data or payload.load(), "fetched ahead", kind=payload.kind)
        return Progress(State.DONE, self.engine.tier_of(payload.key), "fetched ahead")

    def _put_page(self, payload: Payload, data: bytes, *, demand: bool) -> Progress:
        if demand:
            self.engine.request([payload.key])
        reason = "already warm"
        if data:
            frames.decode(data, key=payload.key, namespace=payload.namespace)
            reason = self.engine.take_page(payload.key, data, demand=demand)
        return Progress(State.DONE, self.engine.tier_of(payload.key), reason)

    def _drop_ahead(self) -> bool:
        """Make room for a demand by giving up what was to be fetched ahead last."""
        if not self._ahead:
            return False
        job = self._ahead.pop()
        self._finish(job, Progress(State.CANCELLED, reason="gave way to a demand"))
        return True

    def _finish(self, job: _Job, progress: Progress) -> None:
        self._leave(job)
        for ticket in job.tickets:
            self._over(ticket, progress)
        job.tickets.clear()
        self._turn.notify_all()

    def _leave(self, job: _Job) -> None:
        """From here on, who asks for the key gets a job of his own."""
        if self._jobs.get(job.payload.key) is job:
            del self._jobs[job.payload.key]

    def _over(self, ticket: str, progress: Progress) -> None:
        self._progress.pop(ticket, None)
        self._progress[ticket] = progress
        self._counts[progress.state.value] += 1
        if len(self._progress) > KEPT:
            oldest = next(iter(self._progress))
            if self._progress[oldest].state not in (State.WAITING, State.LOADING):
                del self._progress[oldest]

    def _work(self) -> None:
        while True:
            with self._turn:
                while not (self._demand or self._ahead or self._closed):
                    self._turn.wait()
                if self._closed:
                    return
                job = (self._demand or self._ahead).popleft()
                self._expire(job)
                if not job.tickets:
                    self._jobs.pop(job.payload.key, None)
                    continue
                job.loading = True
                for ticket in job.tickets:
                    self._progress[ticket] = Progress(State.LOADING)
            progress = self._load(job)
            with self._turn:
                self._finish(job, progress)

    def _expire(self, job: _Job) -> None:
        now = time.monotonic()
        for ticket, ends in list(job.tickets.items()):
            if ends is not None and ends < now:
                del job.tickets[ticket]
                self._over(ticket, Progress(State.EXPIRED, reason="its deadline passed before its turn came"))
        self._turn.notify_all()

    def _load(self, job: _Job) -> Progress:
        payload, start = job.payload, time.monotonic()
        try:
            data = payload.load() if self.changing or self.lookup([payload.key])[payload.key] is Tier.COLD else b""
            with self._turn:
                self._expire(job)
                wanted, demand = bool(job.tickets), job.demand
                self._leave(job)  # what joins after this would find its demand uncounted, or itself cancelled
            if not wanted:  # cancelled, or too late: nothing is placed
                return Progress(State.CANCELLED, reason="cancelled")
            if job.payload is not payload:  # it changed while the former one was read
                payload = job.payload
                data = payload.load()
            with self.engine.guard:
                if not data and self.lookup([payload.key])[payload.key] is Tier.COLD:
                    data = payload.load()  # it was warm a moment ago
                return self._put(payload, data, demand=demand)
        except (H3Error, OSError) as e:
            return Progress(State.FAILED, reason=str(e))
        except BaseException as e:  # a reader of somebody else's, even one that exits: the thread must outlive it
            return Progress(State.FAILED, reason=f"{type(e).__name__}: {e}")
        finally:
            self._load_seconds = 0.8 * self._load_seconds + 0.2 * (time.monotonic() - start)
