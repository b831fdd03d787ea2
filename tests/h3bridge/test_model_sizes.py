"""Sizes of models: those that transformers makes come out, and what makes no model is refused by its field."""

import json

import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st

from h3cold.h3bridge.cli_monitor import main as monitor
from h3cold.h3bridge.model_sizes import read_model
from h3cold.schemas.errors import UsageError


def test_a_config_json_is_read(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"hidden_size": 64, "intermediate_size": 96, "vocab_size": 97,
        "num_hidden_layers": 2, "num_attention_heads": 4, "tie_word_embeddings": True}))  # fmt: skip
    model = read_model(str(tmp_path))
    assert (model.kv, model.qkv) == (2 * 4 * 16, 4 * 64 * 64)
    assert model.parameters == 2 * (64 * 64 * 4 + 3 * 64 * 96 + 128) + 97 * 64 + 64
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(UsageError, match="no decoder's"):
        read_model(str(tmp_path))
    with pytest.raises(UsageError, match="presets: llama"):
        read_model("gpt-9")


TINY = {"hidden_size": 64, "intermediate_size": 96, "vocab_size": 97, "num_hidden_layers": 4, "num_attention_heads": 4,
        "num_key_value_heads": 2}  # fmt: skip
MIXED = {"num_experts_per_tok": 2, "moe_intermediate_size": 32}
GROUPS = {"n_routed_experts": 8, "n_group": 2, "topk_group": 1}


@pytest.mark.parametrize(
    ("kind", "more", "windowed"),
    [("Llama", {}, 0), ("Qwen3", {"head_dim": 32}, 0), ("Mistral", {}, 4), ("Gemma2", {"head_dim": 32}, 2),
     ("Mixtral", {"num_local_experts": 4}, 0),
     ("Qwen3Moe", MIXED | {"num_experts": 6, "decoder_sparse_step": 2, "mlp_only_layers": [1]}, 0),
     ("Qwen2Moe", MIXED | {"num_experts": 6, "shared_expert_intermediate_size": 64}, 0),
     ("DeepseekV3", MIXED | GROUPS, 0), ("DeepseekV3", MIXED | GROUPS | {"q_lora_rank": None}, 0),
     ("Glm4Moe", MIXED | GROUPS | {"head_dim": 16}, 0)],
)  # fmt: skip
def test_sizes_are_those_of_the_models_that_transformers_makes(tmp_path, kind, more, windowed):
    config = getattr(transformers, f"{kind}Config")(**TINY, **more)
    config.save_pretrained(tmp_path)
    with torch.device("meta"):
        made = transformers.AutoModelForCausalLM.from_config(config)
    model = read_model(str(tmp_path))
    assert model.parameters == pytest.approx(sum(p.numel() for p in made.parameters()), rel=0.005)
    assert model.windowed == windowed
    assert model.active < model.parameters or kind in ("Llama", "Qwen3", "Mistral", "Gemma2")


def test_a_window_bounds_what_its_layers_keep_and_attention_counts_in_prefill(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(TINY | {"sliding_window": 10, "sliding_window_pattern": 2}))
    model = read_model(str(tmp_path))
    assert model.kv_bytes(100, 2) == 2 * 2 * 2 * 16 * (2 * 100 + 2 * 10)
    pairs = 2 * 100 * 100 // 2 + 2 * 100 * 10
    assert model.prefill_operations(100) == 2 * model.parameters * 100 + 4 * 4 * 16 * pairs


SIZES = {"hidden_size": 64, "intermediate_size": 96, "vocab_size": 97, "num_hidden_layers": 2, "num_attention_heads": 4}


@pytest.mark.parametrize(
    ("change", "said"),
    [({"num_attention_heads": 0}, "num_attention_heads is 0"), ({"hidden_size": float("inf")}, "hidden_size is inf"),
     ({"intermediate_size": -1000}, "intermediate_size is -1000"), ({"vocab_size": "97"}, "vocab_size is '97'"),
     ({"hidden_size": None}, "hidden_size is None"), ({"num_attention_heads": 128}, "head_dim is 0"),
     ({"num_key_value_heads": -2}, "num_key_value_heads is -2"), ({"text_config": None}, "no decoder's"),
     ({"num_hidden_layers": 10**400}, "num_hidden_layers is 1"),
     ({"num_local_experts": 8}, "num_experts_per_tok is missing"),
     ({"num_experts": 4, "num_experts_per_tok": 5}, r"num_experts_per_tok is 5, more than num_experts \(4\)"),
     ({"num_experts": True}, "num_experts is True"), ({"num_experts": -8}, "num_experts is -8"),
     ({"num_experts": 4, "num_experts_per_tok": 2, "mlp_only_layers": 5}, "mlp_only_layers is 5; a list"),
     ({"layer_types": ["full_attention", "linear_attention"]}, "layers of type 'linear_attention'"),
     ({"layer_types": ["full_attention"] * 3}, "layer_types names 3 layers, num_hidden_layers is 2"),
     ({"layer_types": ["sliding_attention"], "sliding_window": 8}, "layer_types names 1 layers"),
     ({"layer_types": []}, "layer_types names 0 layers"), ({"layer_types": "full_attention"}, "a list of a type"),
     ({"layer_types": [["x"], None]}, "layers of type \\['x'\\]"),
     ({"layer_types": ["sliding_attention"] * 2}, "sliding_window is missing"),
     *(({"sliding_window": 8, "max_window_layers": n}, "max_window_layers is") for n in (-10, "abc", 1.5)),
     *(({"sliding_window": 8, "sliding_window_pattern": n}, "sliding_window_pattern is") for n in (-3, 1.5, "x", 0)),
     ({"sliding_window": -5}, "sliding_window is -5"), ({"kv_lora_rank": 512}, "qk_rope_head_dim is missing"),
     ({"num_key_value_heads": 8}, r"num_key_value_heads is 8; a divisor of num_attention_heads \(4\)"),
     ({"num_key_value_heads": 3}, "num_key_value_heads is 3; a divisor"),
     ({"text_config": 3}, "text_config is 3; a JSON object"),
     ({"is_encoder_decoder": True}, "is_encoder_decoder is true"),
     ({"attn_layer_period": 8, "model_type": "jamba"}, "attn_layer_period is 8; layers other than attention"),
     ({"text_config": SIZES | {"mamba_d_state": 16}}, "mamba_d_state is 16")],
)  # fmt: skip
def test_sizes_that_make_no_model_are_said(tmp_path, change, said):
    (tmp_path / "config.json").write_text(json.dumps(SIZES | change).replace("Infinity", "1e400"))
    with pytest.raises(UsageError, match=said):
        read_model(str(tmp_path))


@pytest.mark.parametrize(
    ("text", "said"),
    [("[]", "must be a JSON object"), ("null", "must be a JSON object"),
     ('{"hidden_size": 64', "is not JSON"), ("[" * 200_000, "is not JSON")],
)  # fmt: skip
def test_a_file_that_is_no_json_object_is_said(tmp_path, capsys, text, said):
    (tmp_path / "sizes.json").write_text(text)
    given = ["plan", "--context", "1M", "--tiers", "memtier.conf", "--model", str(tmp_path / "sizes.json")]
    assert monitor(given) == 2
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1 and said in shown and "sizes.json" in shown and "attribute" not in shown


@pytest.mark.parametrize(
    "kind", ["Jamba", "Bamba", "Zamba", "Zamba2", "NemotronH", "FalconH1", "RecurrentGemma", "Qwen3Next", "Lfm2",
             "Mamba", "Mamba2", "FalconMamba", "Rwkv", "MiniMax", "GraniteMoeHybrid", "T5", "Bart"],
)  # fmt: skip
def test_models_that_are_no_decoders_of_attention_are_refused(tmp_path, kind):
    getattr(transformers, f"{kind}Config")().save_pretrained(tmp_path)
    with pytest.raises(UsageError, match="no decoder's config"):
        read_model(str(tmp_path))


@pytest.mark.parametrize("experts", [0, 1, None])
def test_no_experts_or_one_is_a_dense_model(tmp_path, experts):
    for name, more in (("plain", {}), ("experts", {"num_experts": experts, "num_local_experts": experts})):
        (tmp_path / name).write_text(json.dumps(SIZES | more))
    plain, made = (read_model(str(tmp_path / name)) for name in ("plain", "experts"))
    assert made.dense == 2 and (made.parameters, made.active) == (plain.parameters, plain.parameters)


@settings(deadline=None)
@given(st.fixed_dictionaries({}, optional={
    "layer_types": st.lists(st.sampled_from(["full_attention", "sliding_attention", "x"]), max_size=4),
    "num_experts_per_tok": st.integers(-1, 3),
    **{key: st.one_of(st.integers(-3, 12), st.floats(), st.text(max_size=2), st.none(), st.lists(st.integers(-2, 3)))
       for key in ("sliding_window", "sliding_window_pattern", "max_window_layers", "num_key_value_heads",
                   "num_experts", "attention_chunk_size", "mlp_only_layers", "first_k_dense_replace",
                   "decoder_sparse_step")},
}))  # fmt: skip
def test_a_plan_has_sizes_from_nought_to_those_of_full_attention_or_the_file_is_refused(tmp_path_factory, more):
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_text(json.dumps(SIZES | more))
    try:
        model = read_model(str(path))
    except UsageError as e:
        assert any(key in str(e) for key in (*more, "num_experts_per_tok", "sliding_window"))
        return
    assert 0 <= model.windowed <= model.layers and 0 <= model.dense <= model.layers
    assert 0 < model.kv_bytes(1000, 2) <= 2 * model.kv * model.layers * 1000
    assert 0 < model.active <= model.parameters
