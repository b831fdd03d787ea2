"""The tiers' figures: bandwidth, promotions and first tokens as ratios within one run, and hit rates by policy."""

from __future__ import annotations

import math
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from h3cold.h3bridge import frames
from h3cold.h3bridge.benchmark_recalled import recalled_attention
from h3cold.h3bridge.cold_pages import ColdPages
from h3cold.h3bridge.engine import GB, H3Engine
from h3cold.h3bridge.placement import MEMORY_PAGE, Memory, Sublayer, exhaustive, place, step_seconds
from h3cold.h3bridge.policies import POLICIES, open_policy
from h3cold.h3bridge.replay import belady, replay
from h3cold.h3bridge.serving import Prefill, new_cache, page_chain, warm_pages
from h3cold.h3bridge.tiers import HostMemory, TierMemory
from h3cold.h3bridge.traces import Request, chat_trace, loop_trace, recall_trace, scan_trace, zipf_trace
from h3cold.schemas.errors import UsageError

PAYLOAD, COUNT, ROUNDS = 512 * 1024 - 128, 64, 7
BLOCKS, CAPACITIES = 10_000, (0.01, 0.03, 0.05)
READERS = 4
PROMPT, QUESTION, CHUNK = 768, 32, 256


Time = tuple[float, float]
"""Seconds on the clock and of the processor."""


def run(data: Path, sets: Sequence[str] | None) -> dict[str, dict[str, float]]:
    """All figures, or those of the named sets. `data` is not used.

    Raises:
        UsageError: an unknown set.
    """
    known: dict[str, Callable[[], dict[str, float]]] = {
        "bandwidth": bandwidth, "promotions": promotions, "first-token": first_token, "placement": placement,
        "policies": policies, "recalled": recalled_attention,
    }  # fmt: skip
    for name in sets or known:
        if name not in known:
            raise UsageError(f"unknown set {name!r}; known: {', '.join(known)}")
    return {name: known[name]() for name in sets or known}


def bandwidth() -> dict[str, float]:
    """COLD -> HBF -> HBM of framed pages in files, against a plain read and a memory copy of the same bytes.

    Rounds of either are taken in turns, and the ratio is the median of the rounds' ratios: other work on the machine
    slows both. Ratios of processor time hold on a busy machine, too.
    """
    with tempfile.TemporaryDirectory() as folder:
        space = frames.namespace("benchmark")
        cold = ColdPages(Path(folder), space, compress=False)
        rng = random.Random(0)
        keys = [f"page {i}" for i in range(COUNT)]
        for key in keys:
            cold.put(frames.Frame(key, space, frames.Kind.PAGE, rng.randbytes(PAYLOAD)))
        files = sorted(Path(folder).rglob("*.frame"))
        size = sum(f.stat().st_size for f in files)
        reads: list[Time] = []
        colds: list[Time] = []
        copies: list[Time] = []
        ups: list[Time] = []
        checks: list[Time] = []
        for _ in range(ROUNDS):
            hbf, hbm = (TierMemory(name, 2 * size, HostMemory()) for name in ("HBF", "HBM"))
            reads.append(_times(partial(_read_all, files)))
            colds.append(_times(partial(warm_pages, keys, cold, hbf)))
            held = [hbf.get(key) or b"" for key in keys]
            copies.append(_times(partial(_copy_all, held)))
            ups.append(_times(partial(_up, keys, hbf, hbm, space)))
            checks.append(_times(partial(_check_all, keys, held, space)))
    return {
        "plain sequential read GB/s": _rate(size, reads),
        "cold to HBF / plain read": _ratio(reads, colds, 0),
        "cold to HBF / plain read, processor time": _ratio(reads, colds, 1),
        "memory copy GB/s": _rate(size, copies),
        "HBF to HBM / memory copy": _ratio(copies, ups, 0),
        "HBF to HBM / memory copy, processor time": _ratio(copies, ups, 1),
        "checksum check GB/s": _rate(size, checks),
    }


def promotions() -> dict[str, float]:
    """Promotions of 2 KiB texts a second, alone and beside threads that read what is warm and check it."""
    texts = {f"d-{i:05d}-c1": random.Random(i).randbytes(2048) for i in range(2000)}
    out: dict[str, float] = {}
    for readers in (0, READERS):
        with tempfile.TemporaryDirectory() as folder:
            engine = H3Engine(hbm_size_gb=0.002, hbf_size_gb=0.02, cold_storage_path=folder)
            stop, wrong, read = threading.Event(), [0], [0]

            def reading(engine: H3Engine = engine, stop: threading.Event = stop, wrong: list[int] = wrong,
                        read: list[int] = read) -> None:  # fmt: skip
                names = list(texts)
                rng = random.Random(threading.get_ident())
                while not stop.is_set():
                    name = rng.choice(names)
                    with engine.guard:
                        found = engine.read(name)
                    read[0] += 1
                    wrong[0] += found is not None and found != texts[name]

            threads = [threading.Thread(target=reading) for _ in range(readers)]
            for thread in threads:
                thread.start()
            took = _seconds(partial(_promote_all, engine, texts))
            stop.set()
            for thread in threads:
                thread.join()
        label = f"with {readers} readers" if readers else "alone"
        out[f"promotions/s, {label}"] = len(texts) / took
        out[f"wrong reads, {label}"] = float(wrong[0])
    return out


def first_token() -> dict[str, float]:
    """Time to the first token of a prompt of recalled documents: computed, read from files, and warmed before.

    The model is a transformers Llama of 6 layers and width 512 with random weights, in fp32: no weights come with the
    package. Keys and values, and so the time to compute or read them, are those of a trained one.
    """
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    model: Any = LlamaForCausalLM(LlamaConfig(
        vocab_size=4096, hidden_size=512, intermediate_size=1376, num_hidden_layers=6, num_attention_heads=8,
        num_key_value_heads=4, max_position_embeddings=2048)).eval()  # fmt: skip
    rng = random.Random(0)
    ids = [rng.randrange(4096) for _ in range(PROMPT)]
    with tempfile.TemporaryDirectory() as folder:

        def ask(engine: H3Engine, question: int) -> tuple[Prefill, float]:
            asked = random.Random(question)
            prompt = [*ids, *(asked.randrange(4096) for _ in range(QUESTION))]
            start = time.perf_counter()
            done = engine.prefill(model, prompt, chunk=CHUNK, reuse="always")
            return done, time.perf_counter() - start

        def engine() -> H3Engine:
            return H3Engine(hbm_size_gb=0.05, hbf_size_gb=0.2, cold_storage_path=folder)

        with torch.no_grad():
            model(input_ids=torch.tensor([ids[:64]]))  # the first call of a process is slower
        first, computed = ask(engine(), 0)
        from_files, files = ask(engine(), 1)
        warm = engine()
        warm.prefixes[""] = (from_files.cache.pages.cold.space, tuple(page_chain(ids)), len(from_files.cache.layers))
        warmed = warm.warmup_tokens(PROMPT)
        from_hbf, hbf = ask(warm, 2)
        agreement = _agreement(engine(), model, ids)
    return {
        "prompt tokens": float(first.tokens),
        "prefill tokens saved": float(from_files.saved),
        "tokens warmed": float(warmed),
        "first token, computed, s": computed,
        "first token, read from files, s": files,
        "first token, promoted to HBF before, s": hbf,
        "computed / read from files": computed / files,
        "computed / promoted before": computed / hbf,
        "saved from HBF": float(from_hbf.saved),
        **agreement,
    }


def placement() -> dict[str, float]:
    """The linear mapping of sublayers to two memories against the best of all, and its time for 126 layers."""
    rng = random.Random(0)
    shares = []
    for _ in range(60):
        kinds = [rng.choice(("attention", "qkv", "fc")) for _ in range(rng.randint(1, 5))]
        sublayers = [Sublayer(kind, rng.randint(1, 6) * MEMORY_PAGE) for kind in kinds]
        fast = Memory(rng.randint(0, 12) * MEMORY_PAGE, rng.uniform(2, 20), {})
        large = Memory(100 * MEMORY_PAGE, 1.0, {"attention": rng.uniform(1, 3)})
        best = step_seconds(sublayers, exhaustive(sublayers, fast, large), fast, large)
        shares.append(best / step_seconds(sublayers, place(sublayers, fast, large), fast, large))
    layers = [Sublayer(kind, size) for _ in range(126) for kind, size in
              (("attention", 4 << 30), ("qkv", 600 << 20), ("fc", 2600 << 20))]  # fmt: skip
    took = _seconds(lambda: place(layers, Memory(640 * GB, 26.8e12, {}), Memory(4000 * GB, 1.6e12, {})))
    return {"of the best speed, least": min(shares), "of the best speed, mean": statistics.mean(shares),
            "decision for 126 layers, ms": took * 1000}  # fmt: skip


def policies() -> dict[str, float]:
    """Hit rates by policy and workload at small capacities, AHAS also without fetching ahead, and Belady's bound.

    "AHAS / best other" is the least ratio of hit rates over capacities: above 1 it beats all, .98 is 2 % less.
    """
    out: dict[str, float] = {}
    for name, (trace, blocks) in workloads().items():
        least = math.inf
        for share in CAPACITIES:
            capacity = int(blocks * share)
            done = {policy: replay(open_policy(policy), trace, capacity) for policy in POLICIES}
            out |= {f"{name} {share:.0%} {policy}": replayed.hit_rate for policy, replayed in done.items()}
            ours = done.pop("ahas")
            best = max(other.hit_rate for other in done.values())
            least = min(least, ours.hit_rate / best if best else math.inf)
            # Where nothing was fetched ahead, the same comes out without.
            alone = replay(open_policy("ahas"), trace, capacity, ahead=False) if ours.ahead else ours
            out[f"{name} {share:.0%} ahas, blocks fetched ahead a request"] = ours.ahead / ours.requests
            out[f"{name} {share:.0%} ahas without fetching ahead"] = alone.hit_rate
            out[f"{name} {share:.0%} Belady, on demand"] = belady([keys for keys, _ in trace], capacity)
        if least < math.inf:
            out[f"{name}: AHAS / best other, least"] = least
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


def _agreement(engine: H3Engine, model: Any, ids: list[int]) -> dict[str, float]:
    """How often attending to a window and an eighth of the prompt chooses the token that full attention does."""
    import torch

    outputs = []
    for exact in (True, False):
        cache = new_cache(engine, model, exact=exact)
        if not exact:
            cache.attend_to([(0, len(ids) // 8)])
            for layer in cache.paged:
                layer.window = len(ids) // 8
        with torch.no_grad():
            parts = [model(input_ids=torch.tensor([ids[i : i + CHUNK // 4]]), cache=cache, use_cache=True).logits
                     for i in range(0, len(ids), CHUNK // 4)]  # fmt: skip
        outputs.append(torch.cat(parts, dim=1)[:, len(ids) // 2 :])
        cache.close()
    full, part = outputs
    return {
        "recalled attention: same token as full": float((full.argmax(-1) == part.argmax(-1)).float().mean()),
        "recalled attention: difference of logits / their deviation": float((full - part).std() / full.std()),
    }


def _promote_all(engine: H3Engine, texts: Mapping[str, bytes]) -> None:
    for key, text in texts.items():
        with engine.guard:
            engine.request([key])
            engine.promote(key, partial(bytes, text))


def _read_all(files: Sequence[Path]) -> list[bytes]:
    """All bytes, kept, as the tier keeps them."""
    out = []
    for path in files:
        with path.open("rb", buffering=0) as file:
            out.append(file.read())
    return out


def _copy_all(held: Sequence[bytes]) -> list[bytearray]:
    return [bytearray(data) for data in held]


def _check_all(keys: Sequence[str], held: Sequence[bytes], space: bytes) -> None:
    for key, data in zip(keys, held, strict=True):
        frames.decode(data, key=key, namespace=space)


def _up(keys: Sequence[str], hbf: TierMemory, hbm: TierMemory, space: bytes) -> None:
    for key in keys:
        data = hbf.get(key)
        if data is not None:
            frames.decode(data, key=key, namespace=space)
            hbm.put(key, memoryview(data))  # copied, as a device would do


def _ratio(plain: Sequence[Time], ours: Sequence[Time], clock: int) -> float:
    return statistics.median(p[clock] / o[clock] for p, o in zip(plain, ours, strict=True))


def _rate(size: int, taken: Sequence[Time]) -> float:
    return size / GB / statistics.median(seconds for seconds, _ in taken)


def _times(work: Callable[[], object]) -> Time:
    start, busy = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start, time.process_time() - busy


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
