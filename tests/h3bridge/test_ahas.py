"""The scheduler's order is that of decayed access frequency, at any time."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.h3bridge.policies.ahas import Ahas
from h3cold.h3bridge.policies.ahas_queue import AhasQueue
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


def test_relevance_to_recent_queries_outweighs_heat():
    scheduler = Ahas(Scheduler())
    near, far = np.array([1.0, 0.0], dtype=np.float32), np.array([0.0, 1.0], dtype=np.float32)
    scheduler.request(["near"], {"near": near})
    for _ in range(5):
        scheduler.request(["far"], {"far": far})
    for _ in range(18):
        scheduler.request(["topic"], {"topic": near})
    assert scheduler.relevance("near") > scheduler.relevance("far") == 0.0
    assert scheduler.heat("near") < scheduler.heat("far")
    assert scheduler.priority("near") > scheduler.priority("far")


def test_a_new_topic_counts_at_once_and_a_scan_does_not():
    scheduler = Ahas(Scheduler())
    axes = np.eye(8, dtype=np.float32)
    for i in range(6):
        scheduler.request([f"a{i}", "a"], {f"a{i}": axes[0], "a": axes[0]})
        scheduler.request([f"x{i}"], {f"x{i}": axes[2 + i]})
    scheduler.request(["a"], {"a": axes[0]})
    before = scheduler.relevance("a")
    scheduler.request(["s1", "s2", "s3", "s4"], {f"s{i}": axes[i] for i in range(1, 5)})
    assert scheduler.relevance("a") == before
    scheduler.request(["b"], {"b": axes[1]})
    assert scheduler.relevance("a") == 0.0
    assert scheduler.relevance("b") > 0.5


def test_equals_do_not_take_turns_and_hbm_tightens_when_nearly_full():
    scheduler = Ahas(Scheduler(cold_threshold=0.0))
    queue = AhasQueue(scheduler)

    def ask(key):
        scheduler.request([key])
        queue.request([key])

    for _ in range(3):
        ask("a")
    queue.insert("a")
    assert queue.victim() == "a"
    assert not queue.wants("b")
    for _ in range(5):
        ask("b")
    assert queue.wants("b")
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
