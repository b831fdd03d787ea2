"""What a model needs at a context length, what fits where, and how fast it can go: arithmetic, no measurement.

Decoding one token reads the weights that it uses and the whole KV cache once, so its time is the sum over tiers of
bytes over bandwidth (memory-bound; the tiers of one device are read one after the other, which is the safe assumption).
Of a mixture of experts all weights take room, and those of the chosen experts are read, in each tier the same share.
Prefill takes 2 operations a used parameter and token, and those of attention.
"""

from __future__ import annotations

import re
from typing import Any

from h3cold.h3bridge.memtier import MemTier, Share, allocate, parse_bytes
from h3cold.h3bridge.model_sizes import Model
from h3cold.h3bridge.placement import Memory, Sublayer, place, step_seconds
from h3cold.schemas.errors import UsageError

BYTES = {"fp32": 4.0, "bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "int8": 1.0, "int4": 0.5}
FLOPS = 400e12
"""Operations a second assumed for prefill: what an accelerator of 990 TFLOP/s (bf16) reaches in practice."""

MOST_TOKENS = 10**12


def parse_tokens(text: str) -> int:
    """`128K`, `1M` (powers of 1000), `4096` in tokens.

    Raises:
        UsageError: no such number.
    """
    match = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,15})?)([KkMm]?)", text)
    tokens = int(float(match[1]) * {"": 1, "K": 1000, "M": 1_000_000}[match[2].upper()]) if match else 0
    if not 1 <= tokens <= MOST_TOKENS:
        raise UsageError(f"context {text[:40]!r}: give a number of tokens such as 4096, 128K or 1M, 1 to 10^12")
    return tokens


def plan(
    model: Model, tokens: int, tiers: list[MemTier], *, weights: str = "fp8", kv: str = "bf16", history: str = "0B",
    flops: float = FLOPS,
) -> dict[str, Any]:  # fmt: skip
    """What is needed, what fits where, and predicted speed, as plain data.

    Raises:
        UsageError: an unknown width or size.
    """
    for width in (weights, kv):
        if width not in BYTES:
            raise UsageError(f"width {width!r}; known: {', '.join(BYTES)}")
    try:
        kept = parse_bytes(history)
    except ValueError as e:
        raise UsageError(f"history {e}") from None
    sizes = {"weights": int(model.parameters * BYTES[weights]), "kv": model.kv_bytes(tokens, BYTES[kv])}
    if kept:
        sizes["history"] = kept
    shares = allocate(sizes, tiers)
    placed = {kind: sum(s.bytes for s in shares if s.kind == kind) for kind in sizes}
    missing = {kind: sizes[kind] - placed[kind] for kind in sizes if placed[kind] < sizes[kind]}
    short = bool(missing.keys() - {"history"})  # without weights and KV cache nothing runs
    step = None if short else _step(model, shares, tiers)
    reading = _first_token(model, shares, tiers)
    prefill = model.prefill_operations(tokens) / flops
    priced = [(s, t.price) for s in shares for t in tiers if t.name == s.tier]
    return {
        "model": {"name": model.name, "parameters": model.parameters, "active_parameters": model.active,
                  "weights": weights, "kv": kv, "context": tokens},
        "bytes": {**sizes, "kv_per_token": model.kv_bytes(1, BYTES[kv])},
        "placement": [
            {"kind": s.kind, "tier": s.tier, "bytes": s.bytes, "share": s.bytes / sizes[s.kind]}
            for s in shares
        ],
        "does_not_fit": missing,
        "assumed": {
            "operations_per_second": flops,
            "bytes_per_second": {t.name: t.bandwidth for t in tiers},
        },
        "predicted": {
            "tokens_per_second": 1 / step if step else None,
            "tokens_per_second_both_memories_at_once": None if short else _overlapped(model, sizes, tiers),
            "first_token_seconds_computed": prefill,
            "first_token_seconds_loaded": None if short else reading,
            "worth_loading": None if short else reading < prefill,
        },
        "cost": None if any(p is None for _, p in priced) else sum(s.bytes / 1e9 * (p or 0) for s, p in priced),
    }  # fmt: skip


def _step(model: Model, shares: list[Share], tiers: list[MemTier]) -> float:
    speed, used = {t.name: t.bandwidth for t in tiers}, model.active / model.parameters
    read = {"weights": used, "kv": 1.0, "history": 0.0}
    return sum(read[s.kind] * s.bytes / speed[s.tier] for s in shares)


def _first_token(model: Model, shares: list[Share], tiers: list[MemTier]) -> float:
    """Time to read the stored KV cache of the context from where it is, plus one step."""
    by_name = {t.name: t for t in tiers}
    read = sum(by_name[s.tier].latency + s.bytes / by_name[s.tier].bandwidth for s in shares if s.kind == "kv")
    return read + _step(model, shares, tiers)


def _overlapped(model: Model, sizes: dict[str, int], tiers: list[MemTier]) -> float | None:
    """Tokens a second when sublayers are split over the two fastest memories and both are read at once."""
    if len(tiers) < 2:
        return None
    fast, large = sorted(tiers, key=lambda t: -t.bandwidth)[:2]
    width = sizes["weights"] / model.parameters
    shares = {"attention": sizes["kv"] // model.layers, "qkv": int(model.qkv * width)}
    dense = {**shares, "fc": int(model.fc * width)}
    mixed = {**shares, "experts": int(model.mixture * width)}
    sublayers = [
        Sublayer(kind, size)
        for layer in range(model.layers)
        for kind, size in (dense if layer < model.dense else mixed).items()
    ]
    # Experts take room for all and are read in part, alike in either memory.
    used = {"experts": model.mixture_used / model.mixture} if model.mixture else {}
    memories = [Memory(t.capacity, t.bandwidth, used) for t in (fast, large)]
    try:
        split = place(sublayers, *memories)
    except ValueError:
        return None
    return 1 / step_seconds(sublayers, split, *memories)
