"""The paged cache gives what transformers' own gives, bit for bit, within its budgets."""

import re

import pytest
import torch
from transformers import (
    DynamicCache,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
)

from h3cold.h3bridge.engine import GB, H3Engine
from h3cold.h3bridge.kv_cache import check_release
from h3cold.h3bridge.serving import new_cache
from h3cold.h3bridge.speeds import Rate, Speeds
from h3cold.schemas.errors import CorruptionError, PromotionError, UsageError
from h3cold.schemas.tier import Tier

SIZE = {"vocab_size": 97, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "max_position_embeddings": 512, "pad_token_id": 0, "eos_token_id": None,
        "bos_token_id": 1}  # fmt: skip
PAGE_BYTES = 2 * 2 * 16 * 16 * 4
"""Keys and values, 2 heads, 16 tokens, 16 dimensions, 4 bytes."""


def make(kind, dtype=torch.float32):
    torch.manual_seed(7)
    if kind == "llama":
        model = LlamaForCausalLM(LlamaConfig(**SIZE))
    elif kind == "qwen":
        model = Qwen2ForCausalLM(Qwen2Config(**SIZE))
    else:
        model = MistralForCausalLM(MistralConfig(**SIZE, sliding_window=24))
    return model.to(dtype).eval()


def engine_at(folder, hbm=40 * PAGE_BYTES, hbf=GB):
    return H3Engine(hbm_size_gb=hbm / GB, hbf_size_gb=hbf / GB, cold_storage_path=folder)


def prompt(tokens, batch=1, seed=0):
    return torch.randint(2, 97, (batch, tokens), generator=torch.Generator().manual_seed(seed))


def run(model, cache, ids, chunks):
    out = []
    with torch.no_grad():
        for part in torch.split(ids, chunks, dim=1):
            out.append(model(input_ids=part, cache=cache, use_cache=True).logits)
    return torch.cat(out, dim=1)


@pytest.mark.parametrize("kind", ["llama", "qwen", "mistral"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("hbf", [GB, 2 * 65536, 0])
def test_logits_are_equal_bit_for_bit(tmp_path, kind, dtype, hbf):
    model, ids = make(kind, dtype), prompt(101, batch=2)
    engine = engine_at(tmp_path, hbm=24 * PAGE_BYTES, hbf=hbf)
    cache = new_cache(engine, model)
    for layer in cache.paged:
        layer.window = 16
    chunks = [40, 33, 1, 1, 26]
    assert torch.equal(run(model, cache, ids, chunks), run(model, DynamicCache(config=model.config), ids, chunks))
    hbm = engine.tiers[Tier.HBM]
    assert cache.get_seq_length() == 101
    assert hbm.used <= hbm.budget
    if kind != "mistral":
        assert cache.hbm_bytes() == hbm.used < 2 * 2 * 2 * 101 * 32 * 4
        assert cache.pages.counts.demoted + cache.pages.counts.spilled > 0
        assert (cache.pages.counts.spilled > 0) == (hbf < GB)
    cache.close()
    assert all(m.used == 0 for m in engine.tiers.values())
    assert not list(tmp_path.rglob("*.frame"))


@pytest.mark.parametrize("beams", [1, 3])
def test_generate_through_a_wrapped_forward_is_the_same(tmp_path, beams):
    model, ids = make("llama"), prompt(40, batch=2)
    ids[0, :9] = 0
    options = {"max_new_tokens": 24, "do_sample": False, "num_beams": beams, "attention_mask": (ids != 0).long()}
    expected = model.generate(ids, **options)
    engine = engine_at(tmp_path, hbm=48 * PAGE_BYTES)
    model.forward = engine.wrap_forward(model.forward)
    out = model.generate(ids, **options, return_dict_in_generate=True)
    assert torch.equal(out.sequences, expected)
    assert type(out.cache).__name__ == "PagedCache"
    assert out.cache.pages.counts.peak_working > 0


@pytest.mark.parametrize("removed", [1, 5, 17, 60, 101])
def test_crop_and_go_on(tmp_path, removed):
    model, ids, more = make("llama"), prompt(101), prompt(20, seed=5)
    caches = [new_cache(engine_at(tmp_path), model), DynamicCache(config=model.config)]
    outputs = []
    for cache in caches:
        run(model, cache, ids, 50)
        cache.crop(-removed)
        assert cache.get_seq_length() == 101 - removed
        outputs.append(run(model, cache, more, 7))
    assert torch.equal(*outputs)


def test_a_prefix_is_computed_once_and_read_the_next_time(tmp_path):
    model, ids = make("llama"), prompt(90)[0].tolist()
    first = engine_at(tmp_path).prefill(model, ids, chunk=32, reuse="always")
    assert (first.saved, first.tokens) == (0, 90)
    again = engine_at(tmp_path)
    second = again.prefill(model, ids, chunk=32, reuse="always")
    assert second.saved == 80
    reference = DynamicCache(config=model.config)
    run(model, reference, torch.tensor([ids[:80]]), [32, 32, 16])
    assert torch.equal(second.logits, run(model, reference, torch.tensor([ids[80:]]), 10)[:, -1])
    changed = again.prefill(model, [*ids[:40], (ids[40] + 1) % 97, *ids[41:]], chunk=32, reuse="always")
    assert changed.saved == 32
    assert again.warmup_tokens(48) == 48
    assert again.tiers[Tier.HBF].used > 0
    with torch.no_grad():
        model.model.layers[0].self_attn.k_proj.weight[0, 0] += 1
    assert again.prefill(model, ids, chunk=32, reuse="always").saved == 0


def test_a_damaged_stored_page_is_a_miss_and_quarantined(tmp_path):
    model, ids = make("llama"), prompt(90)[0].tolist()
    engine = engine_at(tmp_path)
    expected = engine.prefill(model, ids, reuse="always").logits
    files = sorted(tmp_path.rglob("*.frame"))
    for file in files:
        data = bytearray(file.read_bytes())
        data[200] ^= 4
        file.write_bytes(data)
    result = engine_at(tmp_path).prefill(model, ids, reuse="always")
    assert result.saved == 0
    assert torch.equal(result.logits, expected)
    assert list((tmp_path / "pages" / "quarantine").iterdir())


def test_a_page_damaged_under_a_running_cache_is_an_error_never_wrong_output(tmp_path):
    model, ids = make("llama"), prompt(101)
    engine = engine_at(tmp_path, hbm=12 * PAGE_BYTES, hbf=0)
    cache = new_cache(engine, model)
    run(model, cache, ids, 101)
    for file in tmp_path.rglob("sessions/*/*.frame"):
        file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(CorruptionError, match="run the prompt again"):
        run(model, cache, prompt(1), 1)


def test_a_budget_without_room_for_the_newest_tokens_is_refused(tmp_path):
    with pytest.raises(PromotionError, match="give a larger hbm_size_gb"):
        run(make("llama"), new_cache(engine_at(tmp_path, hbm=100), make("llama")), prompt(20), 20)


def test_recalled_attention_sees_all_when_all_is_recalled_and_less_otherwise(tmp_path):
    model, ids = make("llama"), prompt(160)
    engine = engine_at(tmp_path)
    expected = run(model, DynamicCache(config=model.config), ids, 16)
    model.forward = engine.wrap_forward(model.forward, attention="recalled")

    def seen(spans):
        cache = new_cache(engine, model, exact=False)
        for layer in cache.paged:
            layer.window = 32
        cache.attend_to(spans)
        return run(model, cache, ids, 16)

    assert torch.equal(seen([(0, 160)]), expected)
    less = seen([(40, 60)])
    assert torch.equal(less[:, :48], expected[:, :48])
    assert not torch.equal(less, expected)
    agreement = (less.argmax(-1) == expected.argmax(-1)).float().mean()
    assert agreement > 0.5


def test_other_releases_and_other_things_are_refused(tmp_path):
    check_release("5.24.0")
    for version in ("4.57.1", "5.23.9", "6.0.0"):
        with pytest.raises(UsageError, match="built for 5"):
            check_release(version)
    engine = engine_at(tmp_path)
    with pytest.raises(UsageError, match="bound forward"):
        engine.wrap_forward(print)
    with pytest.raises(UsageError, match="known are exact, recalled"):
        engine.wrap_forward(make("llama").forward, attention="sparse")


def test_generating_goes_on_from_a_prefilled_prompt(tmp_path):
    model, ids = make("llama"), prompt(90)
    expected = model.generate(ids, max_new_tokens=12, do_sample=False)
    engine = engine_at(tmp_path)
    engine.prefill(model, ids[0].tolist(), reuse="always")
    done = engine.prefill(model, ids[0].tolist(), reuse="always")
    assert done.saved == 80
    done.cache.crop(-1)
    assert torch.equal(model.generate(ids, cache=done.cache, max_new_tokens=12, do_sample=False), expected)


def test_recalled_blocks_give_way_to_a_model_s_newest_tokens(tmp_path):
    model, ids = make("llama"), prompt(64)
    engine = engine_at(tmp_path, hbm=8 * PAGE_BYTES)
    for number in range(20):
        engine.request([f"b{number}"])
        engine.promote(f"b{number}", lambda: bytes(3000))
    assert engine.tiers[Tier.HBM].occupancy > 0.9
    cache = new_cache(engine, model)
    reference = DynamicCache(config=model.config)
    assert torch.equal(run(model, cache, ids, 10), run(model, reference, ids, 10))
    assert engine.tiers[Tier.HBM].used <= engine.tiers[Tier.HBM].budget


def test_a_prefix_is_read_only_where_that_is_quicker(tmp_path):
    model, ids = make("llama"), prompt(90)[0].tolist()
    engine = engine_at(tmp_path)
    assert engine.prefill(model, ids).saved == 0
    assert engine.prefill(model, ids).saved == 80, "nothing was measured yet"
    engine.speeds = Speeds(cold=Rate(1e3, 1.0), hbf=Rate(1e12, 1.0), prefill=Rate(1e6, 1.0))
    slow = engine.prefill(model, ids)
    assert slow.saved == 0
    assert engine.warmup_tokens(80) == 80
    engine.speeds = Speeds(cold=Rate(1e3, 1.0), hbf=Rate(1e12, 1.0), prefill=Rate(1e6, 1.0))
    assert engine.prefill(model, ids).saved == 80
    assert engine.prefill(model, ids, reuse="never").saved == 0
    with pytest.raises(UsageError, match="reuse as auto"):
        engine.prefill(model, ids, reuse="sometimes")


def test_measured_speeds_follow_the_last_measurements():
    rate = Rate()
    assert rate.value == 0.0
    for _ in range(30):
        rate.add(100, 1)
    assert rate.value == pytest.approx(100)
    for _ in range(30):
        rate.add(10, 1)
    assert rate.value == pytest.approx(10, rel=0.01)


@pytest.mark.parametrize("tokens", [20, 101, 300])
def test_the_size_that_a_refusal_advises_does(tmp_path, tokens):
    model, ids = make("llama"), prompt(tokens)

    def at(size):
        return run(model, new_cache(engine_at(tmp_path, hbm=size * GB), model), ids, tokens)

    with pytest.raises(PromotionError) as refused:
        at(1e-7)
    advised = float(re.search(r"hbm_size_gb, (\S+) or more", str(refused.value))[1])
    assert torch.equal(at(advised), run(model, DynamicCache(config=model.config), ids, tokens))
