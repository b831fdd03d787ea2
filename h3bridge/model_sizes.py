"""How large a decoder is, from its `config.json`: weights, those that one token uses, keys and values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from h3cold.schemas.errors import UsageError

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
    "mixtral-8x7b": {"hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "vocab_size": 32000,
                     "num_attention_heads": 32, "num_key_value_heads": 8, "num_local_experts": 8,
                     "num_experts_per_tok": 2},
    "qwen3-30b-a3b": {"hidden_size": 2048, "intermediate_size": 6144, "num_hidden_layers": 48, "vocab_size": 151936,
                      "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128, "num_experts": 128,
                      "num_experts_per_tok": 8, "moe_intermediate_size": 768},
    "qwen3-235b-a22b": {"hidden_size": 4096, "intermediate_size": 12288, "num_hidden_layers": 94,
                        "vocab_size": 151936, "num_attention_heads": 64, "num_key_value_heads": 4, "head_dim": 128,
                        "num_experts": 128, "num_experts_per_tok": 8, "moe_intermediate_size": 1536},
    "deepseek-v3": {"hidden_size": 7168, "intermediate_size": 18432, "num_hidden_layers": 61, "vocab_size": 129280,
                    "num_attention_heads": 128, "n_routed_experts": 256, "num_experts_per_tok": 8,
                    "n_shared_experts": 1, "moe_intermediate_size": 2048, "first_k_dense_replace": 3,
                    "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
                    "v_head_dim": 128},
    "gpt-oss-120b": {"hidden_size": 2880, "intermediate_size": 2880, "num_hidden_layers": 36, "vocab_size": 201088,
                     "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64, "num_local_experts": 128,
                     "num_experts_per_tok": 4, "sliding_window": 128, "sliding_window_pattern": 2},
}  # fmt: skip
"""From the models' published config.json."""

EXPERTS = ("num_local_experts", "num_experts", "n_routed_experts")
"""Keys of a config.json that say how many experts a layer has."""

UNGATED = ("gpt_neox", "nemotron", "phi", "starcoder2")
"""Model types whose feed-forward layers are two matrices instead of three."""

ATTENTION = {"full_attention": False, "sliding_attention": True, "chunked_attention": True}
"""Types of layers that are planned, and whether a window bounds what they keep."""

UNPLANNED = ("attn_layer_period", "attn_layer_indices", "attn_type_list", "block_types", "conv_L_cache",
             "full_attention_interval", "hybrid_override_pattern", "layers_block_type", "linear_attn_config",
             "lru_width", "mamba_d_state", "ssm_cfg", "ssm_state_size")  # fmt: skip
"""Keys of a config.json whose layers are not all attention: state spaces (Mamba), convolutions, linear attention."""

MOST_SIZE = 10**8


@dataclass(frozen=True, slots=True)
class Model:
    """Sizes of a decoder. Biases and norms within attention are left out: below .1 % of all.

    `qkv` parameters of a layer's projections, `kv` numbers that a layer keeps of a token, `work` operations of
    attention for a pair of tokens and layer. `windowed` of the `layers` keep `window` tokens at most. `dense` layers
    have a feed-forward network of `inner`; the others `experts` of `expert`, of which a token uses `used`, and one of
    `shared` that all use.
    """

    name: str
    hidden: int
    layers: int
    vocabulary: int
    tied: bool
    qkv: int
    kv: int
    work: int
    windowed: int
    window: int
    dense: int
    inner: int
    experts: int
    used: int
    expert: int
    shared: int
    matrices: int

    @property
    def fc(self) -> int:
        """Parameters of a dense layer's feed-forward network."""
        return self.matrices * self.hidden * self.inner

    @property
    def mixture(self) -> int:
        """Parameters of a layer of experts, the router included."""
        return self.matrices * self.hidden * (self.experts * self.expert + self.shared) + self.hidden * self.experts

    @property
    def mixture_used(self) -> int:
        """Those of `mixture` that one token uses."""
        return self.mixture - self.matrices * self.hidden * (self.experts - self.used) * self.expert

    @property
    def parameters(self) -> int:
        """All parameters, embeddings and norms included."""
        embeddings = self.vocabulary * self.hidden * (1 if self.tied else 2)
        each = self.layers * (self.qkv + 2 * self.hidden)
        return each + self.dense * self.fc + (self.layers - self.dense) * self.mixture + embeddings + self.hidden

    @property
    def active(self) -> int:
        """Parameters that one token uses."""
        return self.parameters - (self.layers - self.dense) * (self.mixture - self.mixture_used)

    def kv_bytes(self, tokens: int, width: float) -> int:
        """Bytes of keys and values of `tokens`, each number of `width` bytes."""
        kept = (self.layers - self.windowed) * tokens + self.windowed * min(tokens, self.window)
        return int(self.kv * width * kept)

    def prefill_operations(self, tokens: int) -> int:
        """Two a used parameter and token, and those of attention to what comes before."""
        pairs = tokens * tokens // 2
        near = min(pairs, tokens * self.window)
        attention = self.work * ((self.layers - self.windowed) * pairs + self.windowed * near)
        return 2 * self.active * tokens + attention


def read_model(name: str) -> Model:
    """A preset by name, or a transformers `config.json`.

    Raises:
        UsageError: neither, or the file lacks what is needed or describes what is not planned; names the field.
    """
    if name.lower() in PRESETS:
        return _model(name.lower(), PRESETS[name.lower()])
    path = Path(name) / "config.json" if Path(name).is_dir() else Path(name)
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except OSError as e:
        raise UsageError(f"{name}: no preset and no config.json ({e.strerror}); presets: {', '.join(PRESETS)}") from e
    except (ValueError, RecursionError) as e:
        raise UsageError(f"{path}: is not JSON ({e}); give a decoder's config.json") from e
    try:
        return _model(path.parent.name or name, config)
    except UsageError as e:
        raise UsageError(f"{path}: no decoder's config.json that can be planned: {e}") from e


def _decoder(config: Any) -> dict[str, Any]:
    """The part of a config.json that describes the decoder."""
    if not isinstance(config, dict):
        raise UsageError("config.json must be a JSON object")
    text = config.get("text_config", config)
    if not isinstance(text, dict):
        raise UsageError(f"text_config is {text!r:.40}; a JSON object is needed")
    if config.get("is_encoder_decoder") or text.get("is_encoder_decoder"):
        raise UsageError("is_encoder_decoder is true; only decoders are planned")
    for key in UNPLANNED:
        if text.get(key) is not None:
            raise UsageError(f"{key} is {text[key]!r:.40}; layers other than attention (Mamba, linear attention) "
                             "are not planned")  # fmt: skip
    return text


def _size(config: Mapping[str, Any], key: str, otherwise: int | None = None, *, least: int = 1) -> int:
    """A whole number of a config.json; where it is missing or null, `otherwise`."""
    if otherwise is None and key not in config:
        raise UsageError(f"{key} is missing")
    value = config.get(key)
    value = otherwise if value is None else value
    if type(value) is not int or not least <= value <= MOST_SIZE:
        raise UsageError(f"{key} is {value!r:.40}; a whole number from {least} to {MOST_SIZE:,} is needed")
    return value


def _model(name: str, config: Any) -> Model:
    config = _decoder(config)
    size = partial(_size, config)
    hidden, layers, heads = size("hidden_size"), size("num_hidden_layers"), size("num_attention_heads")
    inner = size("intermediate_size")
    if config.get("kv_lora_rank") is None:
        pairs, width = size("num_key_value_heads", heads), size("head_dim", hidden // heads)
        if heads % pairs:
            raise UsageError(f"num_key_value_heads is {pairs}; a divisor of num_attention_heads ({heads}) is needed")
        qkv, kept, work = hidden * width * (2 * heads + 2 * pairs), 2 * pairs * width, 4 * heads * width
    else:  # latent attention: one compressed vector a token, and the part of its key that is rotated
        latent, rotated = size("kv_lora_rank"), size("qk_rope_head_dim")
        query, value = size("qk_nope_head_dim") + rotated, size("v_head_dim")
        middle = 0 if config.get("q_lora_rank") is None else size("q_lora_rank")
        qkv = (hidden + heads * query) * middle if middle else hidden * heads * query
        qkv += hidden * (latent + rotated) + latent * heads * (query - rotated + value) + heads * value * hidden
        kept, work = latent + rotated, 2 * heads * (query + value)
    key = next((k for k in EXPERTS if size(k, 0, least=0) > 1), None)
    experts, used, expert, shared, dense = 0, 0, 0, 0, layers
    if key:
        experts = size(key)
        each = "experts_per_token" if config.get("experts_per_token") is not None else "num_experts_per_tok"
        used = size(each)
        if used > experts:
            raise UsageError(f"{each} is {used}, more than {key} ({experts})")
        expert = size("moe_intermediate_size", inner)
        shared = size("n_shared_experts", 0, least=0) * expert or size("shared_expert_intermediate_size", 0, least=0)
        first, step = size("first_k_dense_replace", 0, least=0), size("decoder_sparse_step", 1)
        step = size("interleave_moe_layer_step", step)
        plain = _numbers(config, "mlp_only_layers")
        dense = sum(i < first or (i + 1) % step > 0 or i in plain for i in range(layers))
        if "intermediate_size_mlp" in config:  # Llama 4, where `intermediate_size` is an expert's, and one is shared
            inner, shared = size("intermediate_size_mlp"), inner
    windowed = _windowed(config, layers)
    return Model(
        name, hidden, layers, size("vocab_size"), bool(config.get("tie_word_embeddings", False)), qkv, kept, work,
        windowed, _window(config) if windowed else 0, dense, inner, experts, used, expert, shared,
        2 if config.get("model_type") in UNGATED else 3,
    )  # fmt: skip


def _numbers(config: Mapping[str, Any], key: str) -> frozenset[int]:
    value = config.get(key)
    value = [] if value is None else value
    if not isinstance(value, list) or any(type(each) is not int for each in value):
        raise UsageError(f"{key} is {value!r:.40}; a list of numbers of layers is needed")
    return frozenset(value)


def _window(config: Mapping[str, Any]) -> int:
    chunked = not config.get("sliding_window") and config.get("attention_chunk_size") is not None
    return _size(config, "attention_chunk_size" if chunked else "sliding_window")


def _windowed(config: Mapping[str, Any], layers: int) -> int:
    """Number of layers that keep no more than a window of tokens."""
    types = config.get("layer_types")
    if types is not None:
        if not isinstance(types, list):
            raise UsageError(f"layer_types is {types!r:.40}; a list of a type for each layer is needed")
        for kind in types:
            if not isinstance(kind, str) or kind not in ATTENTION:
                raise UsageError(f"layer_types has layers of type {kind!r:.40}; planned are {', '.join(ATTENTION)}")
        if len(types) != layers:
            raise UsageError(f"layer_types names {len(types)} layers, num_hidden_layers is {layers}")
        return sum(ATTENTION[kind] for kind in types)
    if not config.get("sliding_window") or config.get("use_sliding_window") is False:
        return 0
    if config.get("sliding_window_pattern") is not None or config.get("model_type") == "gemma2":
        return layers - layers // _size(config, "sliding_window_pattern", 2)
    return max(0, layers - _size(config, "max_window_layers", 0, least=0))
