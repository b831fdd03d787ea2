"""The reference engine under any sequence of requests: budgets hold, payloads come back whole."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from h3cold.h3bridge.engine import STATE_FILE, H3Engine
from h3cold.h3bridge.frames import ALIGN, frame_bytes
from h3cold.h3bridge.policies import POLICIES
from h3cold.h3bridge.tiers import HostMemory, TierMemory
from h3cold.schemas.errors import PromotionError, UsageError
from h3cold.schemas.tier import Tier

GB = 1_000_000_000


def engine_with(tmp_path, hbm_frames, hbf_frames, policy="ahas"):
    return H3Engine(
        hbm_size_gb=hbm_frames * ALIGN / GB, hbf_size_gb=hbf_frames * ALIGN / GB, cold_storage_path=tmp_path
    )


def payload(block):
    return block.encode() * (1 + sum(block.encode()) % 3000)


def promote(engine, block):
    return engine.promote(block, lambda: payload(block))


steps = st.lists(
    st.tuples(st.sampled_from(["ask", "ahead", "evict"]), st.sampled_from([f"b{i}" for i in range(12)])), max_size=80
)


@settings(max_examples=60, deadline=None)
@given(steps, st.integers(0, 6), st.integers(0, 12), st.sampled_from(sorted(POLICIES)))
def test_budgets_hold_and_payloads_are_whole(tmp_path_factory, sequence, hbm_frames, hbf_frames, policy):
    engine = engine_with(tmp_path_factory.getbasetemp(), hbm_frames, hbf_frames, policy)
    for action, block in sequence:
        if action == "ask":
            engine.request([block])
            done = promote(engine, block)
            assert done.tier is engine.tier_of(block)
            assert done.bytes == frame_bytes(len(payload(block)))
        elif action == "ahead":
            engine.prefetch(block, lambda block=block: payload(block), "a test")
        else:
            engine.evict(block)
            assert engine.tier_of(block) is Tier.COLD
        held = [b for r in engine.residency() for b in r.blocks]
        assert len(held) == len(set(held)), "a block sits in one warm tier"
        for resident in engine.residency():
            assert resident.used == sum(frame_bytes(len(payload(b))) for b in resident.blocks) <= resident.budget
        for b in held:
            assert engine.read(b) == payload(b)


def test_hot_blocks_displace_cold_ones(tmp_path):
    engine = engine_with(tmp_path, 1, 2)
    for block in ("b1", "b2", "b3"):
        engine.request([block])
        engine.promote(block, lambda: b"x")
    for _ in range(30):
        engine.request(["b9"])
        last = engine.promote("b9", lambda: b"x")
    assert last.tier is Tier.HBM
    assert engine.tier_of("b1") in (Tier.HBF, Tier.COLD)
    assert any(d.action in ("demote", "evict") for d in engine.decisions)


@pytest.mark.parametrize("tier", [Tier.HBM, Tier.HBF])
def test_a_damaged_warm_copy_is_a_miss_never_a_wrong_text(tmp_path, tier):
    engine = engine_with(tmp_path, 4 if tier is Tier.HBM else 0, 4)
    engine.request(["b1"])
    assert engine.promote("b1", lambda: b"the text").tier is tier
    memory = engine.tiers[tier]
    held, size = memory._frames["b1"]
    damaged = bytearray(memory.holder.fetch(held))
    damaged[100] ^= 1
    memory._frames["b1"] = (memory.holder.hold(bytes(damaged)), size)
    assert engine.read("b1") is None
    assert engine.tier_of("b1") is Tier.COLD
    assert "checksum" in engine.decisions[-1].reason
    assert engine.promote("b1", lambda: b"the text").tier is tier
    assert engine.read("b1") == b"the text"


def test_the_state_explains_itself_and_survives_a_restart(tmp_path):
    engine = engine_with(tmp_path, 4, 4)
    engine.request(["b1", "b2"])
    promote(engine, "b1")
    assert engine.save()
    saved = json.loads((tmp_path / STATE_FILE).read_text())
    assert saved["blocks"][0]["block"] == "b1"
    assert "HBM has room" in saved["blocks"][0]["reason"]
    later = engine_with(tmp_path, 4, 4)
    assert later.scheduler.heat("b1") == engine.scheduler.heat("b1")
    (tmp_path / STATE_FILE).write_text("{broken")
    assert engine_with(tmp_path, 4, 4).scheduler.tick == 0


def test_a_budget_is_never_exceeded_nor_negative():
    memory = TierMemory("HBF", 10, HostMemory())
    memory.put("a", b"12345678")
    with pytest.raises(PromotionError, match="do not fit, 2 are free"):
        memory.put("b", b"123")
    assert ("a" in memory, "b" in memory, memory.used) == (True, False, 8)
    with pytest.raises(PromotionError, match="makes no tier"):
        TierMemory("HBM", -1, HostMemory())


@pytest.mark.parametrize("size", [-1, float("nan"), float("inf"), "4", None])
def test_what_is_no_budget_is_refused_by_name(tmp_path, size):
    with pytest.raises(UsageError, match=r"hbf_size_gb: .* is no budget"):
        H3Engine(hbm_size_gb=1, hbf_size_gb=size, cold_storage_path=tmp_path)


def test_a_mistyped_store_does_not_grow_a_folder(tmp_path):
    assert not H3Engine(cold_storage_path=tmp_path / "typo").save()
    assert not (tmp_path / "typo").exists()
