"""What a model needs at a context length, what fits where, and how fast it can go: arithmetic, no measurement.

Decoding one token reads all weights and the whole KV cache once, so its time is the sum over tiers of bytes over
bandwidth (memory-bound; the tiers of one device are read one after the other, which is the safe assumption). Prefill
takes 2 operations a parameter and token.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from h3cold.h3bridge.memtier import MemTier, Share, allocate, parse_bytes
from h3cold.h3bridge.placement import Memory, Sublayer, place, step_seconds
from h3cold.schemas.errors import UsageError

BYTES = {"fp32": 4.0, "bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "int8": 1.0, "int4": 0.5}
PRESETS: dict[str, dict[str, Any]] = {
    "llama-3.1-8b": {"hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "vocab_size": 128256,
                     "num_attention_heads": 32, "num_key_value_heads": 8},
    "llama-3.1-70b": {"hidden_size": 8192, "intermediate_size": 28672, "num_hidden_layers": 80, "vocab_size": 128256,
                      "num_attention_heads": 64, "num_key_value_heads": 8},
    "llama-3.1-405b": {"hidden_size": 16384, "intermediate_size": 53248, "num_hidden_layers": 126,
                       "vocab_size": 128256, "num_attention_heads": 128, "num_key_value_heads": 8},
    "qwen2.5-7b": {"hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28, "vocab_size": 152064,
                   "num_attention_heads": 28, "num_key_value_heads": 4},
    "mistral-7b": {"hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "vocab_size": 32000,
                   "num_attention_heads": 32, "num_key_value_heads": 8},
}  # fmt: skip
"""From the models' published config.json."""

FLOPS = 400e12
"""Operations a second assumed for prefill: what an accelerator of 990 TFLOP/s (bf16) reaches in practice."""

MOST_TOKENS = 10**12
MOST_SIZE = 10**8
EXPERTS = ("num_local_experts", "num_experts", "n_routed_experts")
"""Keys of a config.json by which a mixture of experts is known."""


@dataclass(frozen=True, slots=True)
class Model:
    """Sizes of a dense decoder with gated feed-forward layers."""

    name: str
    hidden: int
    inner: int
    layers: int
    vocabulary: int
    heads: int
    kv_heads: int
    head_dim: int
    tied: bool

    @property
    def qkv(self) -> int:
        """Parameters of one layer's query, key, value and output projections."""
        return self.hidden * self.head_dim * (2 * self.heads + 2 * self.kv_heads)

    @property
    def fc(self) -> int:
        """Parameters of one layer's feed-forward network."""
        return 3 * self.hidden * self.inner

    @property
    def parameters(self) -> int:
        """All parameters, embeddings and norms included."""
        embeddings = self.vocabulary * self.hidden * (1 if self.tied else 2)
        return self.layers * (self.qkv + self.fc + 2 * self.hidden) + embeddings + self.hidden

    def kv_bytes(self, tokens: int, width: float) -> int:
        """Bytes of keys and values of `tokens`, each number of `width` bytes."""
        return int(2 * self.layers * self.kv_heads * self.head_dim * width * tokens)


def read_model(name: str) -> Model:
    """A preset by name, or a transformers `config.json`.

    Raises:
        UsageError: neither, or the file lacks what is needed.
    """
    if name.lower() in PRESETS:
        return _model(name.lower(), PRESETS[name.lower()])
    path = Path(name) / "config.json" if Path(name).is_dir() else Path(name)
    try:
        return _model(path.parent.name or name, json.loads(path.read_text(encoding="utf-8")))
    except OSError as e:
        raise UsageError(f"{name}: no preset and no config.json ({e.strerror}); presets: {', '.join(PRESETS)}") from e
    except (ValueError, KeyError, TypeError, AttributeError) as e:
        raise UsageError(f"{path}: no decoder's config.json ({e} is missing or unreadable)") from e


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
    step = None if short else _step(shares, tiers)
    reading = _first_token(model, tokens, shares, tiers)
    prefill = 2 * model.parameters * tokens / flops
    priced = [(s, t.price) for s in shares for t in tiers if t.name == s.tier]
    return {
        "model": {"name": model.name, "parameters": model.parameters, "weights": weights, "kv": kv, "context": tokens},
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


def _step(shares: list[Share], tiers: list[MemTier]) -> float:
    speed = {t.name: t.bandwidth for t in tiers}
    return sum(s.bytes / speed[s.tier] for s in shares if s.kind != "history")


def _first_token(model: Model, tokens: int, shares: list[Share], tiers: list[MemTier]) -> float:
    """Time to read the stored KV cache of the context from where it is, plus one step."""
    by_name = {t.name: t for t in tiers}
    read = sum(by_name[s.tier].latency + s.bytes / by_name[s.tier].bandwidth for s in shares if s.kind == "kv")
    return read + _step(shares, tiers)


def _overlapped(model: Model, sizes: dict[str, int], tiers: list[MemTier]) -> float | None:
    """Tokens a second when sublayers are split over the two fastest memories and both are read at once."""
    if len(tiers) < 2:
        return None
    fast, large = sorted(tiers, key=lambda t: -t.bandwidth)[:2]
    width = sizes["weights"] / model.parameters
    sublayers = [
        Sublayer(kind, size) for _ in range(model.layers)
        for kind, size in (("attention", sizes["kv"] // model.layers), ("qkv", int(model.qkv * width)),
                           ("fc", int(model.fc * width)))
    ]  # fmt: skip
    memories = [Memory(t.capacity, t.bandwidth, {}) for t in (fast, large)]
    try:
        split = place(sublayers, *memories)
    except ValueError:
        return None
    return 1 / step_seconds(sublayers, split, *memories)


def _model(name: str, config: dict[str, Any]) -> Model:
    config = config.get("text_config", config)
    experts = next((key for key in EXPERTS if isinstance(config.get(key), int) and config[key] > 1), None)
    if experts:
        raise UsageError(
            f"{name}: a mixture of experts ({experts} is {config[experts]}); only dense models are planned"
        )

    def size(key: str, otherwise: int | None = None) -> int:
        value = config[key] if otherwise is None else config.get(key)
        value = otherwise if value is None else value
        if type(value) is not int or not 1 <= value <= MOST_SIZE:
            raise UsageError(
                f"{name}: config.json: {key} is {value!r:.40}; a whole number from 1 to {MOST_SIZE:,} is needed"
            )
        return value

    heads = size("num_attention_heads")
    return Model(
        name, size("hidden_size"), size("intermediate_size"), size("num_hidden_layers"), size("vocab_size"), heads,
        size("num_key_value_heads", heads), size("head_dim", size("hidden_size") // heads),
        bool(config.get("tie_word_embeddings", False)),
    )  # fmt: skip
