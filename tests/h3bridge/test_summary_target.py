"""Summary vectors in the middle tier: promoted, polled, searched, bounded, and never read for a model."""

import threading

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


def test_targets_of_one_engine_find_the_same_and_keep_to_one_share(engine, target):
    target.wait(target.promote(target.payload("p", vector(1))))
    with (SummaryTarget(engine, embedder="e5-small", dimensions=DIM) as second,
          SummaryTarget(engine, embedder="other", dimensions=DIM) as other):  # fmt: skip
        assert second.search(vector(1)) == target.search(vector(1)) != []
        assert second.wait(second.promote(second.payload("p", vector(1)))).reason == "already warm"
        assert other.search(vector(1)) == [], "of another embedder"
        for number in range(10):
            for made in (target, second, other):
                assert made.wait(made.promote(made.payload(f"b{number}", vector(number)))).tier is Tier.HBF
                assert engine.tiers[Tier.HBF].used <= 4 * ALIGN
        assert second.search(vector(9)) == target.search(vector(9)) != []
        assert other.search(vector(9))[0][0] == "b9"


def test_what_the_engine_evicted_is_not_counted(engine, target):
    for number in range(4):
        target.wait(target.promote(target.payload(f"b{number}", vector(number))))
    engine.evict(target.payload("b1", vector(1)).key)
    target.wait(target.promote(target.payload("b4", vector(4))))
    assert sorted(name for name, _ in target.search(vector(0))) == ["b0", "b2", "b3", "b4"]


@pytest.mark.parametrize("demand", [True, False])
def test_a_changed_vector_replaces_the_former_one_within_a_full_share(engine, target, demand):
    for number in range(4):
        target.wait(target.promote(target.payload(f"b{number}", vector(number))))
    done = target.wait(target.promote(target.payload("b1", vector(9)), demand=demand))
    assert (done.state, done.tier, done.reason) == (State.DONE, Tier.HBF, "replaced the former vector")
    assert target.search(vector(9))[0] == ("b1", pytest.approx(1.0, abs=1e-5))
    assert len(target.search(vector(9))) == 4
    assert engine.tiers[Tier.HBF].used == 4 * ALIGN


@pytest.mark.parametrize("loading", [True, False])
def test_the_newest_vector_counts_while_the_former_one_waits_or_is_read(target, loading):
    started, go_on = threading.Event(), threading.Event()

    def slowly():
        started.set()
        assert go_on.wait(30)
        return vector(1).tobytes()

    busy = "b" if loading else "another"
    first = target.promote(Payload(f"{target.prefix}{busy}", Kind.VECTOR, target.space, slowly))
    assert started.wait(30)
    tickets = [first, *(target.promote(target.payload("b", vector(n))) for n in (2, 3))]
    go_on.set()
    assert [target.wait(ticket).state for ticket in tickets] == [State.DONE] * 3
    assert dict(target.search(vector(3)))["b"] == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(
    ("value", "why"),
    [(np.nan, "NaN or infinity"), (np.inf, "NaN or infinity"), (-np.inf, "NaN or infinity"),
     (1e300, "scale it"), (1e30, "scale it"), (1e-30, "scale it"), ("a", "give 512 numbers")],
)  # fmt: skip
def test_what_has_no_cosine_is_refused(target, value, why):
    target.wait(target.promote(target.payload("b", vector(1))))
    bad = [value] * DIM
    for ask in (target.search, lambda numbers: target.payload("bad", numbers)):
        with pytest.raises(UsageError, match=why):
            ask(bad)
    assert [name for name, _ in target.search(vector(1))] == ["b"]


def test_bytes_that_have_no_cosine_fail(target):
    for value in (np.nan, np.inf, 1e30):
        data = np.full(DIM, value, "<f4").tobytes()
        done = target.wait(target.promote(Payload(f"{target.prefix}b", Kind.VECTOR, target.space, lambda d=data: d)))
        assert (done.state, done.tier) == (State.FAILED, Tier.COLD)
    assert target.search(vector(1)) == []


def test_lists_are_vectors_and_zeros_are_like_nothing(target):
    target.wait(target.promote(target.payload("b", vector(1).tolist())))
    target.wait(target.promote(target.payload("zero", [0] * DIM)))
    assert target.search(vector(1).tolist()) == [("b", pytest.approx(1.0, abs=1e-5)), ("zero", 0.0)]
    assert [cosine for _, cosine in target.search([0] * DIM)] == [0.0, 0.0]
    with pytest.raises(UsageError, match=r"shape \(2, 256\)"):
        target.payload("square", vector(1).reshape(2, -1))


@pytest.mark.parametrize("top", [0, -1])
def test_less_than_one_block_cannot_be_asked_for(target, top):
    with pytest.raises(UsageError, match="1 block or more"):
        target.search(vector(1), top=top)


@pytest.mark.parametrize("dimensions", [0, -1, 8.5, True, "8", 10**12])
def test_dimensions_are_a_sensible_whole_number(engine, dimensions):
    with pytest.raises(UsageError, match="1 to 65536"):
        SummaryTarget(engine, embedder="e5-small", dimensions=dimensions)
