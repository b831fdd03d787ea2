"""The scheduler's order is that of decayed access frequency, at any time."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.h3bridge.ahas import HYSTERESIS, Ahas
from h3cold.schemas.config import Scheduler
from h3cold.schemas.tier import Tier

traces = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=3, unique=True), min_size=1, max_size=60)


@given(traces, st.floats(0.5, 0.9999))
def test_heat_is_the_decayed_sum_and_priority_its_order(trace, alpha):
    scheduler = Ahas(Scheduler(ahas_alpha=alpha))
    for keys in trace:
        scheduler.request(keys)
    heat = {k: sum(alpha ** (len(trace) - 1 - i) for i, keys in enumerate(trace) if k in keys) for k in "abcdef"}
    for key, expected in heat.items():
        assert scheduler.heat(key) == pytest.approx(expected)
    for a in heat:
        for b in heat:
            if heat[a] and heat[b] and abs(math.log(heat[a] / heat[b])) > 1e-6:
                assert (scheduler.priority(a) > scheduler.priority(b)) == (heat[a] > heat[b])


def test_scores_rank_known_blocks_between_0_and_1():
    scheduler = Ahas(Scheduler())
    for i in range(20):
        for _ in range(i + 1):
            scheduler.request([f"b{i:02}"])
    for _ in range(10):
        scheduler.request(["b19"])
    scores = [scheduler.score(f"b{i:02}") for i in range(20)]
    assert scores == sorted(scores)
    assert (scores[0], scores[-1]) == (0.0, 1.0)
    assert scheduler.score("never seen") == 0.0


def test_relevance_to_recent_queries_breaks_ties_of_heat():
    scheduler = Ahas(Scheduler())
    near, far = np.array([1.0, 0.0], dtype=np.float32), np.array([0.0, 1.0], dtype=np.float32)
    scheduler.request(["near"], {"near": near})
    scheduler.request(["far"], {"far": far})
    for _ in range(18):
        scheduler.request(["topic"], {"topic": near})
    assert scheduler.relevance("near") == pytest.approx(1.0)
    assert scheduler.relevance("far") == pytest.approx(0.0)
    assert scheduler.heat("near") < scheduler.heat("far")
    assert scheduler.displaces("near", "far")
    assert not scheduler.displaces("far", "near")


def test_equals_do_not_take_turns_and_hbm_tightens_when_nearly_full():
    scheduler = Ahas(Scheduler(cold_threshold=0.0))
    scheduler.request(["a", "b"])
    assert not scheduler.displaces("a", "b")
    assert not scheduler.displaces("b", "a")
    assert scheduler.priority("a") == pytest.approx(scheduler.priority("b"), abs=HYSTERESIS)
    assert scheduler.threshold(Tier.HBM, 0.5) == 0.95
    assert scheduler.threshold(Tier.HBM, 0.9) == 0.98
    assert scheduler.threshold(Tier.HBF, 0.9) == 0.30


def test_a_dump_restores_the_order():
    scheduler = Ahas(Scheduler())
    for keys in (["a"], ["a", "b"], ["c"], ["a"]):
        scheduler.request(keys)
    later = Ahas(Scheduler())
    later.restore(scheduler.tick, scheduler.dump())
    assert [later.heat(k) for k in "abc"] == [scheduler.heat(k) for k in "abc"]
    assert later.score("a") == 1.0
