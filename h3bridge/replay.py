"""Replaying request traces: what a policy would have hit, and what nobody can hit more of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from h3cold.h3bridge.policies import Policy
from h3cold.h3bridge.policies.ahas_queue import AhasQueue
from h3cold.h3bridge.traces import Request


@dataclass(frozen=True, slots=True)
class Replay:
    """`requests` for single blocks, `hits` among them, blocks `loaded` on demand and `ahead` of it."""

    requests: int
    hits: int
    loaded: int
    ahead: int

    @property
    def hit_rate(self) -> float:
        """Share of requests found resident, 0..1."""
        return self.hits / self.requests if self.requests else 0.0


def replay(policy: Policy, trace: Iterable[Request], capacity: int, *, ahead: bool = True) -> Replay:
    """Keep `capacity` blocks by `policy`; with `ahead`, also what it wants to fetch before it is asked for."""
    resident: set[str] = set()
    requests = hits = loaded = fetched = 0

    def take(key: str) -> bool:
        if len(resident) >= capacity:
            if not policy.wants(key):
                return False
            victim = policy.victim()
            if victim is not None:
                policy.remove(victim)
                resident.discard(victim)
        policy.insert(key)
        resident.add(key)
        return True

    for keys, vectors in trace:
        policy.request(keys, vectors)
        for key in keys:
            requests += 1
            if key in resident:
                hits += 1
                policy.touch(key)
            else:
                loaded += take(key)
        if ahead and isinstance(policy, AhasQueue):
            fetched += sum(take(key) for key in policy.ahead())
    return Replay(requests, hits, loaded, fetched)


def belady(trace: Sequence[Sequence[str]], capacity: int) -> float:
    """Hit rate when what is needed furthest in the future goes (Belady 1966), the newcomer too; the bound on demand.

    A policy that fetches ahead may in principle exceed it: blocks asked for once count as hits where they were guessed.
    """
    flat = [key for keys in trace for key in keys]
    after = [len(flat)] * len(flat)
    seen: dict[str, int] = {}
    for i in range(len(flat) - 1, -1, -1):
        after[i] = seen.get(flat[i], len(flat))
        seen[flat[i]] = i
    resident: dict[str, int] = {}
    furthest: list[tuple[int, str]] = []
    hits = 0
    for i, key in enumerate(flat):
        hits += key in resident
        resident[key] = after[i]
        heappush(furthest, (-after[i], key))
        while len(resident) > capacity:
            need, victim = heappop(furthest)
            if resident.get(victim) == -need:
                del resident[victim]
    return hits / len(flat) if flat else 0.0
