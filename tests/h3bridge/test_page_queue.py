"""Stored pages of keys and values through the promotion queue: exact prefix, equal namespace, else refused."""

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from h3cold.h3bridge.engine import GB, H3Engine
from h3cold.h3bridge.engine_target import EngineTarget
from h3cold.h3bridge.frames import PAGE_ALIGN, Kind
from h3cold.h3bridge.protocol import Payload, State
from h3cold.schemas.errors import PromotionError
from h3cold.schemas.tier import Tier

SIZE = {"vocab_size": 97, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "max_position_embeddings": 512}  # fmt: skip
IDS = torch.randint(2, 97, (90,), generator=torch.Generator().manual_seed(0)).tolist()


def make(seed=7):
    torch.manual_seed(seed)
    return LlamaForCausalLM(LlamaConfig(**SIZE)).eval()


def engine_at(folder, hbf=GB):
    return H3Engine(hbm_size_gb=0.01, hbf_size_gb=hbf / GB, cold_storage_path=folder)


def test_promoted_pages_are_what_prefill_reads(tmp_path):
    model = make()
    expected = engine_at(tmp_path).prefill(model, IDS, reuse="always").logits
    engine = engine_at(tmp_path)
    pages = engine.stored_pages(model, [*IDS[:85], 3, 4])
    assert len(pages) == 2 * (85 // 16), "the pages of two layers up to where the prompts part"
    with EngineTarget(engine) as target:
        done = [target.wait(target.promote(page)) for page in pages]
        assert {(d.state, d.tier) for d in done} == {(State.DONE, Tier.HBF)}
        again = target.wait(target.promote(pages[0]))
        assert (again.state, again.reason) == (State.DONE, "already warm")
    for file in tmp_path.rglob("*.frame"):
        file.unlink()
    result = engine.prefill(model, IDS, reuse="always")
    assert result.saved == 80
    assert torch.allclose(result.logits, expected, atol=1e-5)


def test_pages_of_another_model_and_damaged_ones_are_never_placed(tmp_path):
    model, engine = make(), engine_at(tmp_path)
    engine.prefill(model, IDS, reuse="always")
    pages = engine.stored_pages(model, IDS)
    assert engine.stored_pages(make(8), IDS) == [], "other weights, other pages"
    with EngineTarget(engine) as target, EngineTarget(engine_at(tmp_path)) as stranger:
        with pytest.raises(PromotionError, match="another model"):
            stranger.promote(pages[0])
        moved = Payload(pages[1].key, Kind.PAGE, pages[0].namespace, pages[0].load)
        assert target.wait(target.promote(moved)).state is State.FAILED
        flipped = bytearray(pages[0].load())
        flipped[300] ^= 1
        broken = Payload(pages[0].key, Kind.PAGE, pages[0].namespace, lambda: bytes(flipped))
        assert "checksum" in target.wait(target.promote(broken)).reason
        next(tmp_path.rglob("*.frame")).unlink()
        states = {target.wait(target.promote(page)).state for page in pages}
        assert states == {State.DONE, State.FAILED}


def test_pages_stay_within_the_budget_and_go_when_others_deserve_it(tmp_path):
    model = make()
    engine_at(tmp_path).prefill(model, IDS, reuse="always")
    engine = engine_at(tmp_path, hbf=3 * PAGE_ALIGN)
    pages = engine.stored_pages(model, IDS)
    with EngineTarget(engine) as target:
        ahead = [target.wait(target.promote(page, demand=False)).tier for page in pages[:4]]
        assert ahead == [Tier.HBF] * 3 + [Tier.COLD]
        for _ in range(9):
            wanted = target.wait(target.promote(pages[5]))
        assert wanted.tier is Tier.HBF
        assert engine.tiers[Tier.HBF].used <= 3 * PAGE_ALIGN
        lease = target.lease(pages[5].key, "me", 60)
        assert not engine.evict(pages[5].key)
        target.release(lease)
        assert engine.evict(pages[5].key)
