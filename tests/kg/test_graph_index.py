"""Names and edges laid down in arrays answer as they do in memory."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from h3cold.kg.graph_index import Edges, graph_arrays, open_graph
from h3cold.kg.query import find_entities, index_entities, unnamed
from h3cold.kg.short_names import index_short
from h3cold.schemas.graph import Entity

WORDS = st.sampled_from(["Orion", "Media", "Bank", "of", "Vega", "海岚", "传感", "公司", "Ltd", "é", "𝄞x", "A", "US"])
NAMES = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
ENTITIES = st.lists(
    st.tuples(st.sampled_from(["ORG", "PERSON", "PLACE", "MONEY"]), NAMES, st.lists(NAMES, max_size=2)), max_size=8
).map(lambda rows: [Entity(f"e{i}", type, name, tuple(more)) for i, (type, name, more) in enumerate(rows)])
NO_EDGES = Edges(*[[] for _ in Edges._fields])


@given(ENTITIES, st.lists(WORDS, max_size=8).map(" ".join))
def test_names_are_found_in_arrays_as_in_memory(entities, question):
    graph, names, short = (
        open_graph(graph_arrays(entities, NO_EDGES, {})),
        index_entities(entities),
        index_short(entities),
    )
    assert find_entities(graph.names, question) == find_entities(names, question)
    assert unnamed(graph.names, question) == unnamed(names, question)
    assert dict(graph.short.rarity) == short.rarity
    assert {p: sorted(graph.short.postings[p]) for p in short.postings} == {
        p: sorted(found) for p, found in short.postings.items()
    }
    assert dict(graph.entities) == {e.id: e.name for e in entities}


@given(st.lists(st.tuples(*[st.sampled_from(["a", "b", "c", "m"])] * 2, st.sampled_from(["p", "q"])), max_size=9))
def test_edges_meet_at_the_entities_that_took_their_ends_up(rows):
    heads, tails, blocks = ([row[i] for row in rows] for i in range(3))
    n = len(rows)
    edges = Edges(heads, tails, blocks, blocks, ["owns"] * n, [0.5] * n, ["51 %"] * n, ["2023"] * n, list(range(n)))
    entities = [Entity(id, "ORG", id.upper() * 3) for id in "abc"]
    graph = open_graph(graph_arrays(entities, edges, {"m": "a", "x": "unknown"}))
    ties = graph.facts.ties
    assert dict(graph.ends) == {"m": "a"}
    for id, node in graph.facts.nodes.items():
        meet = np.unique(ties.order[ties.start[node] : ties.start[node + 1]]).tolist()
        assert meet == [i for i, row in enumerate(rows) if id in {"a" if end == "m" else end for end in row[:2]}]
    assert (
        [graph.blocks[i] for i in ties.blocks.tolist()] == blocks == [graph.documents[i] for i in graph.papers.tolist()]
    )
    assert set(graph.facts.years.tolist()) <= {2023} and set(graph.facts.numbers.tolist()) <= {51.0}
