"""The tiers' figures: bandwidth as ratios to plain reads and copies of the same bytes, and hit rates by policy."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from h3cold.h3bridge import frames
from h3cold.h3bridge.engine import GB, H3Engine
from h3cold.h3bridge.policies import POLICIES, open_policy
from h3cold.h3bridge.replay import belady, replay
from h3cold.h3bridge.traces import Request, chat_trace, loop_trace, recall_trace, scan_trace, zipf_trace
from h3cold.schemas.errors import UsageError

PAYLOAD, COUNT = 256 * 1024, 400
BLOCKS, CAPACITIES = 10_000, (0.01, 0.03, 0.05)


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
    """Hit rates by policy and workload at small capacities, AHAS also without fetching ahead, and Belady's bound."""
    out: dict[str, float] = {}
    for name, (trace, blocks) in workloads().items():
        for share in CAPACITIES:
            capacity = int(blocks * share)
            for policy in POLICIES:
                done = replay(open_policy(policy), trace, capacity)
                out[f"{name} {share:.0%} {policy}"] = done.hit_rate
                if policy == "ahas":
                    out[f"{name} {share:.0%} ahas, blocks fetched ahead a request"] = done.ahead / done.requests
                    alone = replay(open_policy(policy), trace, capacity, ahead=False)
                    out[f"{name} {share:.0%} ahas without fetching ahead"] = alone.hit_rate
            out[f"{name} {share:.0%} Belady, on demand"] = belady([keys for keys, _ in trace], capacity)
    return out


def workloads() -> dict[str, tuple[list[Request], int]]:
    """Request traces and the number of blocks they touch, by name."""
    return {
        "recall": (list(recall_trace(2_500, blocks=BLOCKS, seed=1)), BLOCKS),
        "chat": (list(chat_trace(1_500, seed=1)), 9_000),
        "zipf": (list(zipf_trace(15_000, blocks=BLOCKS, seed=1)), BLOCKS),
        "scan": (list(scan_trace(8_000, blocks=BLOCKS, seed=1)), BLOCKS),
        "loop": (list(loop_trace(8_000, blocks=1_000)), 1_000),
    }


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
