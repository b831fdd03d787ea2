"""The reference engine: two warm tiers over a cold store, filled by AHAS within byte budgets."""

from __future__ import annotations

import math
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from h3cold.h3bridge import engine_state, frames
from h3cold.h3bridge.cold_pages import ColdPages
from h3cold.h3bridge.decisions import Decision, Residency, Tally
from h3cold.h3bridge.leases import Leases
from h3cold.h3bridge.policies import Policy, open_policy
from h3cold.h3bridge.policies.ahas import Ahas
from h3cold.h3bridge.policies.ahas_queue import AhasQueue
from h3cold.h3bridge.speeds import Speeds
from h3cold.h3bridge.tiers import DeviceMemory, HostMemory, PinnedMemory, TierMemory, cuda_present
from h3cold.schemas.config import Config
from h3cold.schemas.errors import CorruptionError, UsageError
from h3cold.schemas.tier import Promotion, Tier

if TYPE_CHECKING:
    from h3cold.h3bridge.kv_pages import KVPages
    from h3cold.h3bridge.protocol import Payload
    from h3cold.h3bridge.serving import Prefill

GB = 1_000_000_000
STATE_FILE = Path("meta") / "scheduler_state.json"


def _budget(name: str, size_gb: float) -> int:
    if not isinstance(size_gb, int | float) or not math.isfinite(size_gb) or size_gb < 0:
        raise UsageError(f"{name}: {size_gb!r} is no budget; give a number of 10^9 bytes, 0 or more")
    return int(size_gb * GB)


class H3Engine:
    """Holds recalled payloads warm.

    Args:
        model_path: model whose tokenizer the payloads are for; None = the blocks' text itself.
        hbm_size_gb, hbf_size_gb: budgets in 10^9 bytes; 0 makes a tier that holds nothing. Without a CUDA device
            the HBM tier is a budget of host memory, and its `medium` says so.
        cold_storage_path: the cold store; the scheduler's state is kept in its `meta/`. It is never made here: where
            there is none, `save` answers False and paging to it raises PromotionError.
        config: thresholds and decay of the scheduler.
        policy: who goes when room is needed, by name (see `h3bridge.policies`); the heat is known in any case.

    Raises:
        UsageError: a budget is no number of bytes, or the policy is not known.
    """

    def __init__(
        self,
        *,
        model_path: str | None = None,
        hbm_size_gb: float = 1.0,
        hbf_size_gb: float = 4.0,
        cold_storage_path: str | Path = "h3_cold",
        config: Config | None = None,
        policy: str = "ahas",
    ) -> None:
        self.config = config or Config()
        self.cold_path = Path(cold_storage_path)
        self.model_path = model_path
        self.namespace = frames.namespace("text", model_path or "")
        self.cold: dict[bytes, ColdPages] = {}
        self.prefixes: dict[str, tuple[bytes, tuple[str, ...], int]] = {}
        self.scheduler = Ahas(self.config.scheduler)
        cuda = cuda_present()
        hbm = DeviceMemory() if cuda else HostMemory("host memory, no GPU here")
        self.tiers = {
            Tier.HBM: TierMemory("HBM", _budget("hbm_size_gb", hbm_size_gb), hbm),
            Tier.HBF: TierMemory("HBF", _budget("hbf_size_gb", hbf_size_gb), PinnedMemory() if cuda else HostMemory()),
        }
        hbf = self.config.hbf
        self.queues: dict[Tier, Policy] = {
            tier: AhasQueue(self.scheduler, window=hbf.prefetch_window, requests=hbf.prefetch_requests)
            if policy == "ahas"
            else open_policy(policy)
            for tier in self.tiers
        }
        self.thresholds = policy == "ahas"
        self.tally = Tally()
        self.decisions = self.tally.last
        self.guard = threading.RLock()
        self.caches: weakref.WeakSet[KVPages] = weakref.WeakSet()
        self.leases = Leases()
        self.summaries: dict[str, int] = {}  # bytes of each summary vector put into HBF, the oldest first
        self.speeds = Speeds()
        engine_state.restore(self, self.cold_path / STATE_FILE)

    def wrap_forward(self, forward: Callable[..., Any], *, attention: str = "exact") -> Callable[..., Any]:
        """Serve a transformers model's KV cache from the tiers: `model.forward = engine.wrap_forward(model.forward)`.

        Args:
            forward: the bound method of a model of transformers.
            attention: "exact" gives the outputs of `DynamicCache`, bit for bit; "recalled" attends only to the first
                tokens, the recent ones and what `PagedCache.attend_to` names: approximate, for batches of one
                prompt without padding.

        Raises:
            UsageError: not such a method, an unknown `attention`, or a transformers release this was not built for.
        """
        from h3cold.h3bridge.serving import wrapped

        return wrapped(self, forward, attention=attention)

    def prefill(self, model: Any, token_ids: Sequence[int], *, chunk: int = 512, reuse: str = "auto") -> Prefill:
        """A cache that holds the prompt, its longest stored prefix read from the cold store, the rest computed.

        The prefix is stored for the next time. `chunk` tokens are computed at once. `reuse` "auto" reads the prefix
        where that is quicker than computing it, by speeds measured so far; "always" and "never" say so.

        Raises:
            UsageError: no token, an unknown `reuse`, or the model's cache cannot be paged.
            PromotionError: the budgets or the cold store do not allow it.
        """
        from h3cold.h3bridge.serving import prefill

        return prefill(self, model, token_ids, chunk=chunk, reuse=reuse)

    def stored_pages(self, model: Any, token_ids: Sequence[int]) -> list[Payload]:
        """The pages of the prompt's longest stored prefix as payloads, to be promoted by queue before its `prefill`."""
        from h3cold.h3bridge.serving import stored_pages

        return stored_pages(self, model, token_ids)

    def warmup_tokens(self, n: int) -> int:
        """Bring the stored prefixes used last into free HBF room, up to `n` tokens; returns how many are warm."""
        from h3cold.h3bridge.serving import warmup_tokens

        return warmup_tokens(self, n)

    def tier_of(self, block: str) -> Tier:
        """The warmest tier that holds the block."""
        return next((name for name, memory in self.tiers.items() if block in memory), Tier.COLD)

    def read(self, block: str) -> bytes | None:
        """The payload of a warm block, checksum verified; None when it is cold, not known, or was damaged."""
        with self.guard:
            for name, memory in self.tiers.items():
                data = memory.get(block)
                if data is not None:
                    frame = self._checked(block, data, name)
                    return None if frame is None else bytes(frame.payload)
        return None

    def request(self, blocks: Sequence[str], vectors: Mapping[str, np.ndarray] | None = None) -> None:
        """Tell the scheduler that one request asked for `blocks`, best first."""
        for block in blocks:
            self.tally.asked[self.tier_of(block)] += 1
        self.scheduler.request(blocks, vectors)
        for tier, queue in self.queues.items():
            queue.request(blocks, vectors)
            for block in blocks:
                if block in self.tiers[tier]:
                    queue.touch(block)

    def promote(self, block: str, cold: Callable[[], bytes], *, kind: frames.Kind = frames.Kind.TEXT) -> Promotion:
        """Bring a block as near to HBM as the budgets and its score allow; `cold` reads its payload from COLD."""
        start = time.perf_counter()
        data = self._warm_copy(block)
        if data is None:
            data = frames.encode(frames.Frame(block, self.namespace, kind, cold()))
        reached = self.tier_of(block)
        reason = f"already in HBM; {self.scheduler.explain(block)}"
        if reached is not Tier.HBM:
            reason = self._place(block, data, Tier.HBF)
            # What crosses into HBM is what HBF holds, checked once more; without an HBF place it comes straight.
            crossing = self._warm_copy(block) or data
            above = self._place(block, crossing, Tier.HBM)
            if block in self.tiers[Tier.HBM]:
                self._take(block, Tier.HBF)
            reached = self.tier_of(block)
            reason = above if reached is not Tier.COLD else f"{reason}; {above}"
        self.tally.note(Decision(self.scheduler.tick, "promote", block, reached, reason))
        seconds = time.perf_counter() - start
        self.tally.seconds.observe(seconds)
        return Promotion(block, reached, len(data), seconds, reason)

    def prefetch(
        self, block: str, cold: Callable[[], bytes], why: str, *, kind: frames.Kind = frames.Kind.TEXT
    ) -> bool:
        """Bring a block that was not asked for into HBF, if there is free room; never displaces anything."""
        if self.tier_of(block) is not Tier.COLD:
            return False
        data = frames.encode(frames.Frame(block, self.namespace, kind, cold()))
        if not self.tiers[Tier.HBF].fits(len(data)):
            return False
        self._give(block, data, Tier.HBF)
        self.tally.note(Decision(self.scheduler.tick, "prefetch", block, Tier.HBF, why))
        return True

    def ahead(self) -> list[str]:
        """Blocks that the scheduler would fetch into HBF before they are asked for, the hottest first."""
        queue = self.queues[Tier.HBF]
        return [b for b in queue.ahead() if self.tier_of(b) is Tier.COLD] if isinstance(queue, AhasQueue) else []

    def take_page(self, key: str, frame: bytes, *, demand: bool = True) -> str:
        """Put a stored page's frame into HBF, where `prefill` finds it; says what came of it.

        On demand it may displace what deserves a place less; else it takes free room only.
        """
        if demand:
            reason = self._place(key, frame, Tier.HBF)
            self.tally.note(Decision(self.scheduler.tick, "promote", key, self.tier_of(key), reason))
            return reason
        if not self.tiers[Tier.HBF].fits(len(frame)):
            return "HBF has no free room"
        self._give(key, frame, Tier.HBF)
        self.tally.note(Decision(self.scheduler.tick, "prefetch", key, Tier.HBF, "a stored page"))
        return "fetched ahead"

    @property
    def prefetch_window(self) -> int:
        """Blocks that one request may have fetched ahead, by configuration and the mean request."""
        queue = self.queues[Tier.HBF]
        return queue.window if isinstance(queue, AhasQueue) else self.config.hbf.prefetch_window

    def evict(self, block: str) -> bool:
        """Let a block go from every warm tier; its cold copy stays. False where a lease holds it."""
        if block in self.leases:
            return False
        for tier in self.tiers:
            self._take(block, tier)
        return True

    def make_room(self, size: int) -> bool:
        """Demote blocks from HBM until `size` bytes fit beside them; False when they do not."""
        return self._displace(None, size, Tier.HBM)

    def residency(self) -> list[Residency]:
        """What sits in which warm tier, warmest first."""
        return [Residency(t, m.holder.medium, m.budget, m.used, tuple(m), m.peak) for t, m in self.tiers.items()]

    def state(self) -> dict[str, Any]:
        """Tick, every known block with heat, relevance, score, tier and reason, and the last decisions."""
        return engine_state.snapshot(self)

    def save(self) -> bool:
        """Write the state for `h3-monitor` and the next process; False where the store cannot be written to."""
        return engine_state.save(self, self.cold_path / STATE_FILE)

    def _warm_copy(self, block: str) -> bytes | None:
        name = self.tier_of(block)
        if name is Tier.COLD:
            return None
        data = self.tiers[name].get(block)
        return data if data is not None and self._checked(block, data, name) is not None else None

    def _checked(self, block: str, data: bytes, tier: Tier) -> frames.Frame | None:
        try:
            return frames.decode(data, key=block, namespace=self.namespace)
        except CorruptionError as e:
            self._take(block, tier)
            self.tally.note(Decision(self.scheduler.tick, "miss", block, tier, f"dropped: {e}"))
            return None

    def _place(self, block: str, data: bytes, tier: Tier) -> str:
        """Put the frame into `tier` if it deserves a place there; says why, either way."""
        memory, why = self.tiers[tier], self.scheduler.explain(block)
        if block in memory:
            return f"already in {memory.name}; {why}"
        if len(data) > memory.budget:
            return f"{len(data)} bytes exceed the {memory.name} budget of {memory.budget}"
        if memory.fits(len(data)):
            self._give(block, data, tier)
            return f"{memory.name} has room; {why}"
        needed = self.scheduler.threshold(tier, memory.occupancy)
        if self.thresholds and self.scheduler.score(block) < needed:
            return f"{memory.name} is full and asks for a score of {needed:.2f}; {why}"
        if not self._displace(block, len(data), tier):
            return f"{memory.name} is full of blocks that deserve it more, or are on lease; {why}"
        self._give(block, data, tier)
        return f"displaced colder blocks in {memory.name}; {why}"

    def _displace(self, block: str | None, size: int, tier: Tier) -> bool:
        """Demote victims until `size` bytes fit for `block` (None: for what must be), leased ones left out."""
        memory, queue = self.tiers[tier], self.queues[tier]
        aside = []
        while (
            not memory.fits(size) and (block is None or queue.wants(block)) and (victim := queue.victim()) is not None
        ):
            if victim in self.leases:
                queue.remove(victim)
                aside.append(victim)
            else:
                self._demote(victim, tier)
        for leased in aside:
            queue.insert(leased)
        return memory.fits(size)

    def _give(self, block: str, data: bytes, tier: Tier) -> None:
        self.tiers[tier].put(block, data)
        self.queues[tier].insert(block)

    def _take(self, block: str, tier: Tier) -> None:
        self.tiers[tier].drop(block)
        self.queues[tier].remove(block)

    def _demote(self, victim: str, tier: Tier) -> None:
        data = self.tiers[tier].get(victim)
        self._take(victim, tier)
        below = Tier.COLD
        if tier is Tier.HBM and data is not None and self.tiers[Tier.HBF].fits(len(data)):
            self._give(victim, data, Tier.HBF)
            below = Tier.HBF
        action = "demote" if below is Tier.HBF else "evict"
        self.tally.note(Decision(self.scheduler.tick, action, victim, below, self.scheduler.explain(victim)))
