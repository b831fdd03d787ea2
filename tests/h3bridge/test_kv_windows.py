"""Stored prefixes of models with sliding windows: read the next time, bit for bit, a damaged one is computed anew."""

import pytest
import torch
from transformers import DynamicCache, MistralConfig, MistralForCausalLM, Qwen2Config, Qwen2ForCausalLM

from h3cold.h3bridge.engine import H3Engine
from h3cold.h3bridge.engine_target import EngineTarget
from h3cold.h3bridge.protocol import State

SIZE = {"vocab_size": 97, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "max_position_embeddings": 512}  # fmt: skip
IDS = torch.randint(2, 97, (90,), generator=torch.Generator().manual_seed(0)).tolist()


def make(kind, dtype=torch.float32):
    torch.manual_seed(7)
    if kind == "all":
        return MistralForCausalLM(MistralConfig(**SIZE, sliding_window=24)).to(dtype).eval()
    mixed = Qwen2Config(**SIZE, use_sliding_window=True, sliding_window=24, max_window_layers=1)
    return Qwen2ForCausalLM(mixed).to(dtype).eval()


def engine_at(folder):
    return H3Engine(hbm_size_gb=0.01, hbf_size_gb=1.0, cold_storage_path=folder)


def reference(model, chunks):
    """Logits of the last token, computed by transformers' own cache in the same chunks."""
    cache, start = DynamicCache(config=model.config), 0
    with torch.no_grad():
        for size in chunks:
            part = torch.tensor([IDS[start : start + size]])
            logits = model(input_ids=part, cache=cache, use_cache=True).logits[:, -1]
            start += size
    return logits


@pytest.mark.parametrize("kind", ["all", "mixed"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_prefix_is_read_the_next_time_bit_for_bit(tmp_path, kind, dtype):
    model = make(kind, dtype)
    first = engine_at(tmp_path).prefill(model, IDS, chunk=40, reuse="always")
    assert first.saved == 0
    assert torch.equal(first.logits, reference(model, [40, 40, 10]))
    again = engine_at(tmp_path).prefill(model, IDS, chunk=40, reuse="always")
    assert again.saved == 80
    assert torch.equal(again.logits, first.logits)
    assert again.cache.get_seq_length() == 90
    shorter = engine_at(tmp_path).prefill(model, [*IDS[:45], 3], chunk=16, reuse="always")
    assert shorter.saved == 32, "any page's end will do to go on from"
    for mine, theirs in zip(again.cache.layers, first.cache.layers, strict=True):
        assert mine.get_seq_length() == theirs.get_seq_length()


def test_a_damaged_window_is_computed_anew(tmp_path):
    model = make("mixed")
    expected = engine_at(tmp_path).prefill(model, IDS, chunk=40, reuse="always").logits
    for file in tmp_path.rglob("*.frame"):
        data = bytearray(file.read_bytes())
        data[200] ^= 4
        file.write_bytes(data)
    result = engine_at(tmp_path).prefill(model, IDS, chunk=40, reuse="always")
    assert result.saved == 0
    assert torch.equal(result.logits, expected)
    assert engine_at(tmp_path).prefill(model, IDS, chunk=40, reuse="always").saved == 80


def test_windows_go_through_the_queue_as_other_pages_do(tmp_path):
    model = make("all")
    expected = engine_at(tmp_path).prefill(model, IDS, chunk=40, reuse="always").logits
    engine = engine_at(tmp_path)
    with EngineTarget(engine) as target:
        done = [target.wait(target.promote(page)).state for page in engine.stored_pages(model, IDS)]
    assert done == [State.DONE] * 10
    for file in tmp_path.rglob("*.frame"):
        file.unlink()
    result = engine.prefill(model, IDS, chunk=40, reuse="always")
    assert result.saved == 80
    assert torch.equal(result.logits, expected)
