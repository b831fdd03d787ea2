"""One contract for every replacement policy, and what each is known for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.h3bridge.policies import POLICIES, open_policy
from h3cold.h3bridge.policies.ahas_queue import AhasQueue, next_block
from h3cold.h3bridge.replay import belady, replay
from h3cold.h3bridge.traces import chat_trace, loop_trace, recall_trace, scan_trace, zipf_trace
from h3cold.schemas.errors import UsageError


def hit_rate(policy, trace, capacity):
    return replay(policy, trace, capacity).hit_rate


keys = st.sampled_from("abcdefghij")
operations = st.lists(st.tuples(st.sampled_from(["use", "use", "use", "drop"]), keys), max_size=120)


@pytest.mark.parametrize("name", sorted(POLICIES))
@given(operations=operations, capacity=st.integers(1, 6))
def test_the_victim_is_always_a_resident(name, operations, capacity):
    policy, resident = open_policy(name), set()
    for action, key in operations:
        if action == "drop":
            policy.remove(key)
            resident.discard(key)
        else:
            policy.request([key])
            if key in resident:
                policy.touch(key)
            elif len(resident) < capacity or policy.wants(key):
                while len(resident) >= capacity:
                    victim = policy.victim()
                    assert victim in resident
                    policy.remove(victim)
                    resident.discard(victim)
                policy.insert(key)
                resident.add(key)
        victim = policy.victim()
        assert (victim in resident) if resident else (victim is None)


@pytest.mark.parametrize("name", sorted(POLICIES))
def test_everything_is_hit_when_everything_fits(name):
    trace = [([key], {}) for _ in range(10) for key in "abcde"]
    assert hit_rate(open_policy(name), trace, 5) == 45 / 50


@pytest.mark.parametrize("name", sorted(set(POLICIES) - {"lru"}))
def test_a_hot_key_survives_a_scan_that_lru_falls_for(name):
    scan = [[f"s{i}"] for i in range(40)]
    hot = [["hot"]] * 20
    trace = [(k, {}) for k in [*hot, *scan[:20], *hot, *scan[20:], *hot]]
    assert hit_rate(open_policy(name), trace, 12) > hit_rate(open_policy("lru"), trace, 12) - 1e-9
    assert hit_rate(open_policy(name), trace, 12) >= 58 / 100


def test_an_unknown_policy_names_the_known_ones():
    with pytest.raises(UsageError, match="known: ahas, lru"):
        open_policy("fifo")


WORKLOADS = {
    "zipf": lambda: zipf_trace(4000, blocks=2000, seed=1),
    "scan": lambda: scan_trace(3000, blocks=2000, seed=1),
    "loop": lambda: loop_trace(4000, blocks=500),
    "chat": lambda: chat_trace(500, seed=1),
}
CAPACITY = {"zipf": 60, "scan": 60, "loop": 25, "chat": 90}


@pytest.mark.parametrize("name", sorted(WORKLOADS))
def test_ahas_loses_to_no_policy_by_more_than_two_percent(name):
    trace = list(WORKLOADS[name]())
    rates = {policy: hit_rate(open_policy(policy), trace, CAPACITY[name]) for policy in POLICIES}
    assert rates["ahas"] >= 0.98 * max(rates.values()), rates
    assert max(rates.values()) <= belady([k for k, _ in trace], CAPACITY[name])


@pytest.mark.parametrize("share", [0.01, 0.05])
def test_ahas_beats_each_policy_on_recalls(share):
    trace = list(recall_trace(700, blocks=4000, seed=4))
    capacity = int(4000 * share)
    rates = {policy: hit_rate(open_policy(policy), trace, capacity) for policy in POLICIES if policy != "ahas"}
    alone = replay(open_policy("ahas"), trace, capacity, ahead=False)
    with_ahead = replay(open_policy("ahas"), trace, capacity)
    assert alone.ahead == 0
    assert alone.hit_rate >= max(rates.values()) - 0.02
    assert with_ahead.hit_rate > max(rates.values())
    assert 0 < with_ahead.ahead < with_ahead.requests


def test_reading_in_sequence_fetches_what_follows_and_jumping_does_not():
    queue = AhasQueue(window=3, requests=1)
    queue.request([f"doc-{i:05d}-c1" for i in (7, 8, 9)])
    assert queue.ahead() == [f"doc-{i:05d}-c1" for i in (10, 11, 12)]
    queue.request([f"doc-{i:05d}-c1" for i in (3, 9, 1)])
    assert queue.ahead() == []
    assert next_block("no block") is None


def test_the_window_is_a_few_mean_requests_within_what_is_configured():
    queue = AhasQueue(window=4, requests=2.5)
    assert queue.window == 4
    for start in range(0, 400, 4):
        queue.request([f"doc-{i:05d}-c1" for i in range(start, start + 4)])
    assert queue.window == 10
    assert len(queue.ahead()) == 10
    assert AhasQueue(queue.scheduler, window=20).window == 20
    assert AhasQueue(queue.scheduler, window=0).window == 0


def test_belady_is_the_best_by_hand():
    assert belady([["a"], ["b"], ["c"], ["a"], ["b"]], 2) == 2 / 5
    assert belady([], 2) == 0.0
