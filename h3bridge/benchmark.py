"""The tiers' figures: bandwidth as ratios to plain reads and copies of the same bytes, and hit rates by policy."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from pathlib import Path

import numpy as np

from h3cold.h3bridge import frames
from h3cold.h3bridge.engine import GB, H3Engine
from h3cold.h3bridge.policies import POLICIES, Policy, open_policy
from h3cold.schemas.errors import UsageError

PAYLOAD, COUNT = 256 * 1024, 400
BLOCKS, CAPACITIES = 10_000, (0.01, 0.05)


def run(data: Path, sets: Sequence[str] | None) -> dict[str, dict[str, float]]:
    """All figures, or those of the named sets: `bandwidth`, `policies`. `data` is not used.

    Raises:
        UsageError: an unknown set.
    """
    known: dict[str, Callable[[], dict[str, float]]] = {"bandwidth": bandwidth, "policies": policies}
    for name in sets or known:
        if name not in known:
            raise UsageError(f"unknown set {name!r}; known: {', '.join(known)}")
    return {name: known[name]() for name in sets or known}


def bandwidth() -> dict[str, float]:
    """COLD -> HBF -> HBM of 256 KiB payloads in a file, against a plain read and a memory copy of the same bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "payloads"
        path.write_bytes(random.Random(0).randbytes(PAYLOAD) * COUNT)
        engine = H3Engine(hbm_size_gb=2 * PAYLOAD * COUNT / GB, hbf_size_gb=2 * PAYLOAD * COUNT / GB,
                          cold_storage_path=folder)  # fmt: skip
        keys = [f"d-{i:05d}-c1" for i in range(COUNT)]
        whole = PAYLOAD * COUNT / GB
        with path.open("rb", buffering=0) as file:
            read_s = _seconds(lambda: [file.read(PAYLOAD) for _ in keys])
            file.seek(0)
            cold = _seconds(lambda: [engine.prefetch(k, lambda: file.read(PAYLOAD), "benchmark") for k in keys])
        all_bytes = memoryview(path.read_bytes())
        parts = [all_bytes[i * PAYLOAD : (i + 1) * PAYLOAD] for i in range(COUNT)]
        copy_s = _seconds(lambda: [bytearray(p) for p in parts])
        engine.request(keys)
        up = _seconds(lambda: [engine.promote(k, bytes) for k in keys])
        frame = frames.encode(frames.Frame(keys[0], engine.namespace, frames.Kind.TEXT, bytes(parts[0])))
        check = _seconds(lambda: [frames.decode(frame, key=keys[0], namespace=engine.namespace) for _ in keys])
    return {
        "plain read GB/s": whole / read_s,
        "cold to HBF / plain read": read_s / cold,
        "memory copy GB/s": whole / copy_s,
        "HBF to HBM / memory copy": copy_s / up,
        "checksum check GB/s": whole / check,
        "promotions/s": COUNT / up,
    }


def policies() -> dict[str, float]:
    """Hit rates by policy, and Belady's bound, on recall-shaped requests at small capacities (in blocks)."""
    out: dict[str, float] = {}
    trace = list(recall_trace(6_000, blocks=BLOCKS, seed=1))
    for share in CAPACITIES:
        capacity = int(BLOCKS * share)
        for name in POLICIES:
            out[f"{name} hit rate at {share:.0%}"] = hit_rate(open_policy(name), trace, capacity)
        out[f"Belady hit rate at {share:.0%}"] = _belady([keys for keys, _ in trace], capacity)
    return out


Request = tuple[list[str], dict[str, np.ndarray]]


def recall_trace(requests: int, *, blocks: int, seed: int) -> Iterator[Request]:
    """Requests of 5 blocks each as recall makes them: topics with favourites, drift between topics, rare scans.

    Topics are drawn by a Zipf law and change every 50 requests on average; one request in 40 scans 30 blocks of a
    document. A block's vector (32-d) is its topic's plus noise; blocks of no topic have random vectors.
    """
    rng, noise = random.Random(seed), np.random.default_rng(seed)
    topics = [rng.sample(range(blocks), 200) for _ in range(100)]
    centres = noise.standard_normal((100, 32))
    vectors = noise.standard_normal((blocks, 32))
    for members, centre in zip(topics, centres, strict=True):
        vectors[members] = centre + 0.7 * noise.standard_normal((200, 32))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    weights = [1 / (i + 1) for i in range(len(topics))]
    inner = [1 / (i + 1) for i in range(200)]
    topic = topics[0]
    for _ in range(requests):
        if rng.random() < 1 / 50:
            (topic,) = rng.choices(topics, weights)
        if rng.random() < 1 / 40:
            start = rng.randrange(blocks - 30)
            asked = list(range(start, start + 30))
        else:
            asked = list(dict.fromkeys(rng.choices(topic, inner, k=5)))
        yield [f"b{i}" for i in asked], {f"b{i}": vectors[i] for i in asked}


def hit_rate(policy: Policy, trace: Iterable[Request], capacity: int) -> float:
    """Share of block requests found resident when `policy` keeps `capacity` blocks."""
    resident: set[str] = set()
    hits = total = 0
    for keys, vectors in trace:
        policy.request(keys, vectors)
        for key in keys:
            total += 1
            if key in resident:
                hits += 1
                policy.touch(key)
                continue
            if len(resident) >= capacity:
                if not policy.wants(key):
                    continue
                victim = policy.victim()
                if victim is not None:
                    policy.remove(victim)
                    resident.discard(victim)
            policy.insert(key)
            resident.add(key)
    return hits / total


def _belady(trace: list[list[str]], capacity: int) -> float:
    """Evict what is needed furthest in the future (Belady 1966), bypassing when that is the newcomer."""
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
    return hits / len(flat)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
