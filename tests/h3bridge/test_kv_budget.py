"""What a paged cache holds and gathers stays within the budget of HBM, looked at while attention is at work."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import (
    AttentionInterface,
    AttentionMaskInterface,
    DynamicCache,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
)
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from h3cold.h3bridge.engine import GB, H3Engine
from h3cold.h3bridge.serving import new_cache
from h3cold.schemas.errors import PromotionError
from h3cold.schemas.tier import Tier

SIZE = {"vocab_size": 97, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 3, "num_attention_heads": 4,
        "max_position_embeddings": 512, "pad_token_id": 0, "eos_token_id": None, "bos_token_id": 1,
        "attn_implementation": "looked_at"}  # fmt: skip
SLIDING = 24
LOOK = []
"""Called with keys and values whenever a layer attends."""


def looked_at(module, query, key, value, *args, **kwargs):
    for look in LOOK:
        look(key, value)
    return sdpa_attention_forward(module, query, key, value, *args, **kwargs)


AttentionInterface.register("looked_at", looked_at)
AttentionMaskInterface.register("looked_at", sdpa_mask)


def make(kind, heads, dtype=torch.float32):
    torch.manual_seed(7)
    if kind == "full":
        model = LlamaForCausalLM(LlamaConfig(**SIZE, num_key_value_heads=heads))
    elif kind == "mixed":
        model = Qwen2ForCausalLM(Qwen2Config(**SIZE, num_key_value_heads=heads, use_sliding_window=True,
                                             sliding_window=SLIDING, max_window_layers=1))  # fmt: skip
    else:
        model = MistralForCausalLM(MistralConfig(**SIZE, num_key_value_heads=heads, sliding_window=SLIDING))
    return model.to(dtype).eval()


def engine_at(folder, hbm, hbf=GB):
    return H3Engine(hbm_size_gb=hbm / GB, hbf_size_gb=hbf / GB, cold_storage_path=folder)


def token_bytes(model, batch):
    """Bytes of a token's keys and values in one layer."""
    return 2 * batch * model.config.num_key_value_heads * 16 * model.dtype.itemsize


def run(model, cache, ids, chunks):
    with torch.no_grad():
        parts = torch.split(ids, chunks, dim=1)
        return torch.cat([model(input_ids=part, cache=cache, use_cache=True).logits for part in parts], dim=1)


def watch(cache, engine, seen):
    """Note what is there of keys and values at each attention, by the tensors themselves, and that it was counted."""

    def look(key, value):
        there = cache.hbm_bytes() + sum(t.untyped_storage().nbytes() for t in (key, value))
        assert there <= engine.tiers[Tier.HBM].used
        seen.append(there)

    LOOK.append(look)


@settings(max_examples=20, deadline=None)
@given(
    kind=st.sampled_from(["full", "mixed", "windows"]),
    heads=st.sampled_from([1, 2, 4]),
    dtype=st.sampled_from([torch.float32, torch.bfloat16]),
    batch=st.integers(1, 3),
    chunks=st.lists(st.integers(1, 50), min_size=1, max_size=6),
    spare=st.integers(-40, 60),
    hbf=st.sampled_from([GB, 3 * 65536]),
)
def test_the_peak_stays_in_the_budget_and_outputs_are_the_same(
    tmp_path_factory, kind, heads, dtype, batch, chunks, spare, hbf
):
    model, tokens = make(kind, heads, dtype), sum(chunks)
    ids = torch.randint(2, 97, (batch, tokens), generator=torch.Generator().manual_seed(tokens))
    # One layer's gathered keys and values, a page on its way, and of each layer its newest tokens or its window twice.
    needed = token_bytes(model, batch) * (tokens + 16 + 3 * 2 * SLIDING)
    budget = max(0, needed + spare * token_bytes(model, batch) * 4)
    engine = engine_at(tmp_path_factory.mktemp("store"), budget, hbf)
    cache, seen = new_cache(engine, model), []
    watch(cache, engine, seen)
    try:
        out = run(model, cache, ids, chunks)
    except PromotionError as e:
        assert "give a larger hbm_size_gb" in str(e)
        assert budget < needed
    else:
        LOOK.clear()
        assert torch.equal(out, run(model, DynamicCache(config=model.config), ids, chunks))
        assert cache.hbm_bytes() == engine.tiers[Tier.HBM].used, "what was gathered is gone"
    finally:
        LOOK.clear()
    peak = engine.residency()[0].peak
    assert max(seen, default=0) <= peak <= budget
    cache.close()
    assert all(memory.used == 0 for memory in engine.tiers.values())


@pytest.mark.parametrize(("kind", "tokens"), [("full", 230), ("mixed", 170)])
def test_beams_stay_in_the_budget(tmp_path, kind, tokens):
    model, ids = make(kind, 2), torch.randint(2, 97, (2, 50), generator=torch.Generator().manual_seed(3))
    options = {"max_new_tokens": 20, "do_sample": False, "num_beams": 3}
    expected = model.generate(ids, **options)
    engine = engine_at(tmp_path, token_bytes(model, 6) * tokens)
    cache, seen = new_cache(engine, model), []
    watch(cache, engine, seen)
    try:
        assert torch.equal(model.generate(ids, cache=cache, **options), expected)
    finally:
        LOOK.clear()
    assert 0 < max(seen) <= engine.residency()[0].peak <= engine.tiers[Tier.HBM].budget
    assert cache.pages.counts.demoted > 0


def test_a_quiet_cache_gives_way_to_one_at_work(tmp_path):
    model = make("full", 2)
    quiet_ids, ids = torch.randint(2, 97, (2, 1, 96), generator=torch.Generator().manual_seed(4))
    engine = engine_at(tmp_path, token_bytes(model, 1) * (96 + 16 + 3 * 16 + 40))
    quiet, busy = new_cache(engine, model), new_cache(engine, model)
    run(model, quiet, quiet_ids[:, :80], 40)
    before = quiet.hbm_bytes()
    expected = run(model, DynamicCache(config=model.config), ids, 40)
    assert torch.equal(run(model, busy, ids, 40), expected)
    assert quiet.hbm_bytes() < before
    reference = DynamicCache(config=model.config)
    run(model, reference, quiet_ids[:, :80], 40)
    assert torch.equal(run(model, quiet, quiet_ids[:, 80:], 16), run(model, reference, quiet_ids[:, 80:], 16))
    assert engine.residency()[0].peak <= engine.tiers[Tier.HBM].budget
