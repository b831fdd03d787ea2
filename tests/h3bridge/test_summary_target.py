"""Summary vectors in the middle tier: promoted, polled, searched, bounded, and never read for a model."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from h3cold.h3bridge.engine import GB, H3Engine
from h3cold.h3bridge.engine_target import EngineTarget
from h3cold.h3bridge.engines.lmcache_server import LMCacheServer
from h3cold.h3bridge.engines.openai_server import OpenAIServer
from h3cold.h3bridge.frames import ALIGN, Kind
from h3cold.h3bridge.protocol import Payload, State
from h3cold.h3bridge.summary_target import SummaryTarget
from h3cold.schemas.errors import PromotionError, UsageError
from h3cold.schemas.tier import Tier

DIM = 512


@pytest.fixture
def engine(tmp_path):
    return H3Engine(hbm_size_gb=2 * ALIGN / GB, hbf_size_gb=16 * ALIGN / GB, cold_storage_path=tmp_path)


@pytest.fixture
def target(engine):
    with SummaryTarget(engine, embedder="e5-small", dimensions=DIM) as made:
        yield made


def vector(number):
    return np.random.default_rng(number).standard_normal(DIM).astype(np.float32)


def test_summaries_are_promoted_polled_and_searched_in_the_middle_tier(engine, target):
    for number in range(4):
        done = target.wait(target.promote(target.payload(f"b{number}", vector(number))))
        assert (done.state, done.tier) == (State.DONE, Tier.HBF)
    key = target.payload("b2", vector(2)).key
    assert target.lookup([key, "b2"]) == {key: Tier.HBF, "b2": Tier.COLD}
    found = target.search(vector(2) + 0.1 * vector(3), top=2)
    assert [name for name, _ in found] == ["b2", "b3"]
    assert found[0][1] == pytest.approx(1.0, abs=0.02)
    with pytest.raises(UsageError, match="have 512 numbers"):
        target.search(np.zeros(3))


def test_no_summary_reaches_a_model(engine, target):
    payload = target.payload("b", vector(1))
    target.wait(target.promote(payload))
    for other in (OpenAIServer("http://127.0.0.1:1", "m"), LMCacheServer("http://127.0.0.1:1", "m")):
        with pytest.raises(PromotionError):
            other.promote(payload)
    with EngineTarget(engine) as engines, pytest.raises(PromotionError, match="takes PAGE, TEXT, TOKENS"):
        engines.promote(payload)
    assert engine.read(payload.key) is None, "its namespace is not the engine's"


def test_what_is_no_summary_of_this_embedder_is_refused(engine, target):
    with (SummaryTarget(engine, embedder="other", dimensions=DIM) as other,
          pytest.raises(PromotionError, match="another embedder")):  # fmt: skip
        target.promote(other.payload("b", vector(1)))
    with pytest.raises(PromotionError, match="TEXT is not for this target"):
        target.promote(Payload("b", Kind.TEXT, engine.namespace, bytes))
    with pytest.raises(PromotionError, match="it is no block's"):
        target.promote(Payload("b", Kind.VECTOR, target.space, bytes))
    short = Payload(f"{target.prefix}b", Kind.VECTOR, target.space, lambda: b"123")
    assert target.wait(target.promote(short)).state is State.FAILED


def test_a_damaged_summary_is_a_miss(engine, target):
    key = target.payload("b", vector(1)).key
    target.wait(target.promote(target.payload("b", vector(1))))
    held, size = engine.tiers[Tier.HBF]._frames[key]
    engine.tiers[Tier.HBF]._frames[key] = (held[:300] + bytes([held[300] ^ 1]) + held[301:], size)
    assert target.search(vector(1)) == []
    assert target.lookup([key])[key] is Tier.COLD


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9)), max_size=25))
def test_summaries_keep_to_their_share_and_leased_ones_stay(tmp_path_factory, asked):
    engine = H3Engine(hbm_size_gb=2 * ALIGN / GB, hbf_size_gb=16 * ALIGN / GB,
                      cold_storage_path=tmp_path_factory.getbasetemp())  # fmt: skip
    with SummaryTarget(engine, embedder="e5-small", dimensions=DIM) as target:
        first = target.payload("first", vector(99))
        target.wait(target.promote(first))
        target.lease(first.key, "me", 60)
        for demand, number in asked:
            done = target.wait(target.promote(target.payload(f"b{number}", vector(number)), demand=demand))
            assert done.state is State.DONE
            assert engine.tiers[Tier.HBF].used <= 4 * ALIGN
        assert target.lookup([first.key])[first.key] is Tier.HBF
        for name, cosine in target.search(vector(5)):
            assert name != "b5" or cosine == pytest.approx(1.0, abs=1e-5)
