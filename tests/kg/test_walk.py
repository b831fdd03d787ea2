from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from h3cold.kg.facts import asks_for_all, every, facts_of, nested, passages, weights
from h3cold.kg.walk import MOST, tie, walk

EDGES = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 5)), min_size=1, max_size=25)


def ties_of(edges, nodes=8):
    heads, tails, blocks = (np.array(column, np.int64) for column in zip(*edges, strict=True))
    return tie(heads, tails, blocks, nodes)


def alike(edges):
    return np.ones(len(edges), np.float32)


@settings(max_examples=200, deadline=None)
@given(EDGES, st.sets(st.integers(0, 7), min_size=1, max_size=3))
def test_every_path_leads_from_a_seed_to_its_passage(edges, seeds):
    ties = ties_of(edges)
    found = walk(ties, dict.fromkeys(seeds, 1.0), alike)
    assert {w.block for w in found} == {w.block for w in walk(ties, dict.fromkeys(sorted(seeds), 1.0), alike)}
    for one in found:
        assert 0 < one.share <= 1 and ties.blocks[one.path[-1]] == one.block
        ends = [{int(ties.heads[e]), int(ties.tails[e])} for e in one.path]
        assert ends[0] & seeds
        assert all(a & b for a, b in pairwise(ends))
    near = {int(ties.blocks[e]) for e in range(len(edges)) if {int(ties.heads[e]), int(ties.tails[e])} & seeds}
    assert near <= {w.block for w in found}


def test_edges_of_no_weight_are_not_followed():
    ties = ties_of([(0, 1, 0), (1, 2, 1)])
    assert [w.block for w in walk(ties, {0: 1.0}, lambda e: (e != 1).astype(np.float32))] == [0]
    assert walk(ties, {7: 1.0}, alike) == []


def test_a_hub_is_bounded():
    edges = [(0, 1 + n % 5000, n) for n in range(20_000)] + [(1 + n % 5000, 6000 + n, n) for n in range(20_000)]
    found = walk(ties_of(edges, 30_000), {0: 1.0}, alike)
    assert 0 < len(found) <= MOST


def graph():
    """a owns b; b owns c; c was fined in 2023 and d in 2022; a reports a figure."""
    rows = [
        ("a", "b", 0, "owns", "51%", "2021"), ("b", "c", 1, "owns", "80%", ""),
        ("c", "z", 2, "penalised_by", "$3 million", "May 2023"),
        ("d", "z", 3, "penalised_by", "$4 million", "2022年3月"), ("a", "m", 4, "measure_of", "12", "2023"),
    ]  # fmt: skip
    nodes = list("abcdmz")
    heads, tails = (np.array([nodes.index(r[i]) for r in rows], np.int64) for i in (0, 1))
    return facts_of(
        nodes, heads, tails, np.array([r[2] for r in rows]), types=[r[3] for r in rows],
        confidence=[0.8] * len(rows), values=[r[4] for r in rows], periods=[r[5] for r in rows],
    )  # fmt: skip


def test_what_is_asked_for_weighs_most():
    weight = weights(graph(), "Who owns B?")
    assert weight.argmax() == 0 and weight[4] == 0 and 0 < weight[2] < weight[1]
    assert weights(graph(), "Who owns 80% of it?").argmax() == 1
    assert weights(graph(), "Which penalties of 2023?").argmax() == 2


def test_aggregates_take_every_edge_of_the_kind_and_year():
    assert every(graph(), "all penalties of 2023", limit=9).tolist() == [2]
    assert set(every(graph(), "列出所有处罚", limit=9).tolist()) == {2, 3}
    assert asks_for_all("谁控制谁") and set(every(graph(), "谁控制谁", limit=9).tolist()) == {0, 1}
    assert every(graph(), "hello", limit=9).tolist() == []


def test_a_walk_reaches_over_two_edges():
    found = passages(graph(), {"a": 1.0}, "Was the company fined that the holding of A owns?")
    assert next(w.path for w in found if w.block == 2) == (0, 1, 2)
    assert nested("谁控制甲公司的第一大股东") and nested("Who runs the buyer of X?") and not nested("Where is X?")
