"""Caches that callers hold, copies of them, and stored prefixes when the model changes."""

import copy

import pytest
import torch
from transformers import DynamicCache, LlamaConfig, LlamaForCausalLM

from h3cold.h3bridge.engine import GB, H3Engine
from h3cold.h3bridge.serving import new_cache
from h3cold.schemas.errors import UsageError
from h3cold.schemas.tier import Tier

PAGE_BYTES = 2 * 2 * 16 * 16 * 4
"""Keys and values, 2 heads, 16 tokens, 16 dimensions, 4 bytes."""


def make():
    torch.manual_seed(7)
    config = LlamaConfig(vocab_size=97, hidden_size=64, intermediate_size=96, num_hidden_layers=2, pad_token_id=0,
                         num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=512, eos_token_id=None,
                         bos_token_id=1)  # fmt: skip
    return LlamaForCausalLM(config).eval()


def engine_at(folder, hbm=40 * PAGE_BYTES, hbf=GB):
    return H3Engine(hbm_size_gb=hbm / GB, hbf_size_gb=hbf / GB, cold_storage_path=folder)


def prompt(tokens, batch=1, seed=0):
    return torch.randint(2, 97, (batch, tokens), generator=torch.Generator().manual_seed(seed))


def run(model, cache, ids, chunk):
    with torch.no_grad():
        parts = torch.split(ids, chunk, dim=1)
        return torch.cat([model(input_ids=part, cache=cache, use_cache=True).logits for part in parts], dim=1)


@pytest.mark.parametrize("name", ["cache", "past_key_values", None])
def test_the_caller_goes_on_with_his_own_cache_object(tmp_path, name):
    model, ids = make(), prompt(70, batch=2)

    def twice(forward):
        own = DynamicCache(config=model.config)
        logits = []
        with torch.no_grad():
            for part in (ids[:, :30], ids[:, 30:]):
                given = [part, None, None, own] if name is None else [part]
                logits.append(forward(*given, **({name: own} if name else {}), use_cache=True).logits)
        return own, torch.cat(logits, dim=1)

    engine = engine_at(tmp_path)
    _, expected = twice(model.forward)
    own, got = twice(engine.wrap_forward(model.forward))
    assert torch.equal(got, expected)
    assert (own.get_seq_length(), type(own).__name__, isinstance(own, DynamicCache)) == (70, "PagedCache", True)
    assert engine.tiers[Tier.HBM].used > 0
    del own
    assert all(memory.used == 0 for memory in engine.tiers.values())


def test_a_cache_without_config_and_one_left_unused_are_treated_as_transformers_treats_them(tmp_path):
    model, ids = make(), prompt(40)
    forward = engine_at(tmp_path).wrap_forward(model.forward)
    bare, unused = DynamicCache(), DynamicCache(config=model.config)
    with torch.no_grad():
        forward(ids, cache=bare, use_cache=None)
        assert torch.equal(forward(ids, cache=unused, use_cache=False).logits, model(ids).logits)
        with pytest.raises(TypeError):
            forward(ids, input_ids=ids)
    assert bare.get_seq_length() == 40
    assert type(unused) is DynamicCache


def test_copies_are_as_those_of_a_dynamic_cache(tmp_path):
    model, ids, more = make(), prompt(90), prompt(20, seed=5)
    engine = engine_at(tmp_path, hbm=20 * PAGE_BYTES, hbf=4 * 65536)
    reference = DynamicCache(config=model.config)
    run(model, reference, ids, 30)
    cache = new_cache(engine, model)
    for layer in cache.paged:
        layer.window = 16
    run(model, cache, ids, 30)
    assert cache.pages.counts.spilled > 0
    deep, shallow = copy.deepcopy(cache), copy.copy(cache)
    for ours, theirs in zip(cache, reference, strict=True):
        assert torch.equal(ours[0], theirs[0]) and torch.equal(ours[1], theirs[1])
    del cache
    expected = run(model, reference, more, 7)
    assert torch.equal(run(model, shallow, more, 7), expected)
    assert torch.equal(run(model, deep, more, 7), expected)
    assert (shallow.get_seq_length(), deep.get_seq_length()) == (110, 110)
    del deep, shallow, layer, ours  # what was gathered counts while somebody has it
    assert all(memory.used == 0 for memory in engine.tiers.values())
    assert not list(tmp_path.rglob("sessions/*/*.frame"))


def noise(model):
    for weight in model.parameters():
        weight.add_(0.05)


def merge(model):
    weight = model.model.layers[0].self_attn.k_proj.weight
    weight.data += 0.05 * torch.ones_like(weight)


def swap(model):
    weight = model.model.layers[1].mlp.up_proj.weight
    weight[[3, 4]] = weight[[4, 3]]


@pytest.mark.parametrize("change", [noise, merge, swap, lambda model: model.load_state_dict(
    {name: weight + 1 for name, weight in model.state_dict().items()})])  # fmt: skip
def test_changed_weights_find_nothing_of_what_others_stored(tmp_path, change):
    model, ids, engine = make(), prompt(90)[0].tolist(), engine_at(tmp_path)
    engine.prefill(model, ids, reuse="always")
    assert engine.prefill(model, ids, reuse="always").saved == 80
    with torch.no_grad():
        change(model)
        done = engine.prefill(model, ids, reuse="always")
        assert done.saved == 0
        assert torch.allclose(done.logits, model(torch.tensor([ids])).logits[:, -1], atol=1e-4)
    assert engine.prefill(model, ids, reuse="always").saved == 80


def test_another_model_path_is_another_namespace_and_equal_weights_are_one(tmp_path):
    model, ids = make(), prompt(90)[0].tolist()
    engine_at(tmp_path).prefill(model, ids, reuse="always")
    other = H3Engine(hbm_size_gb=0.01, hbf_size_gb=0.01, cold_storage_path=tmp_path, model_path="another")
    assert other.prefill(model, ids, reuse="always").saved == 0
    assert engine_at(tmp_path).prefill(make(), ids, reuse="always").saved == 80


@pytest.mark.parametrize(
    ("ids", "said"),
    [([5, -1], "token 1 has id -1"), ([97], "knows 0 to 96"), ([1.5], "flat list"), (["a"], "flat list"),
     ([[1, 2]], "flat list"), ([], "at least one token")],
)  # fmt: skip
def test_what_are_no_tokens_of_the_model_is_said(tmp_path, ids, said):
    with pytest.raises(UsageError, match=said):
        engine_at(tmp_path).prefill(make(), ids)


def test_a_forward_does_not_look_at_the_weights_which_training_changes(tmp_path):
    model, ids = make(), prompt(40)
    forward = engine_at(tmp_path).wrap_forward(model.forward)
    forward(ids, labels=ids).loss.backward()
    assert model.model.layers[0].self_attn.k_proj.weight.grad.abs().sum() > 0
    assert not hasattr(model, "_h3_weights")
