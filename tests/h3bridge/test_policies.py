"""One contract for every replacement policy, and what each is known for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.h3bridge.benchmark import hit_rate, recall_trace
from h3cold.h3bridge.policies import POLICIES, open_policy
from h3cold.schemas.errors import UsageError

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


def test_the_trace_is_the_same_every_time():
    first, second = (list(recall_trace(50, blocks=500, seed=3)) for _ in range(2))
    assert [keys for keys, _ in first] == [keys for keys, _ in second]


def test_an_unknown_policy_names_the_known_ones():
    with pytest.raises(UsageError, match="known: ahas, lru"):
        open_policy("fifo")
