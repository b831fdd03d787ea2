import random
import subprocess
import sys

import networkx as nx

from h3cold.kg.graph import build, statistics, support
from h3cold.kg.linking import link, same_as
from h3cold.kg.query import find, find_entities, index_entities, relation_types


def rows(*readings):
    return [m for r in readings for m in r.mentions], [e for r in readings for e in r.relations]


def test_linking_does_not_depend_on_order(english, chinese):
    mentions, relations = rows(english, chinese)
    expected = link(mentions, relations)
    shuffled = random.Random(3).sample(mentions, len(mentions)), random.Random(4).sample(relations, len(relations))
    assert link(*shuffled) == expected
    assert [e.id for e in expected] == sorted({e.id for e in expected})


def test_one_company_in_two_documents_and_two_languages_is_one_node(chinese, reading):
    other = reading("Tencent Holdings Limited acquired Riot Games, Inc. in 2011.", document="9" * 32)
    mentions, relations = rows(chinese, other)
    entities = link(mentions, relations)
    tencent = [e for e in entities if "Tencent Holdings Limited" in (e.name, *e.aliases)]
    assert len(tencent) == 1
    assert tencent[0].documents == ("9" * 32, "b" * 32)
    graph = build(entities, mentions, relations)
    assert {d["document"] for *_, d in graph.out_edges(tencent[0].id, data=True)} == {"9" * 32, "b" * 32}


def test_taking_a_document_away_takes_away_its_merge(chinese, reading):
    other = reading("Tencent Holdings Limited acquired Riot Games, Inc. in 2011.", document="9" * 32)
    assert same_as(*rows(chinese, other))
    assert not same_as(*rows(other))
    assert link(*rows(other)) == link(other.mentions, other.relations)


def test_namesakes_of_two_employers_stay_two_and_one_employer_makes_one(reading):
    one = reading("John Miller is the President of Acme Tools, Inc.", document="1" * 32)
    two = reading("John Miller is the President of Zenith Foods, Inc.", document="2" * 32)
    three = reading("John Miller is the President of Acme Tools, Inc. and lives in Texas.", document="3" * 32)
    people = [e for e in link(*rows(one, two, three)) if e.name == "John Miller"]
    assert sorted(e.documents for e in people) == [("1" * 32, "3" * 32), ("2" * 32,)]


def test_the_graph_has_what_the_rows_say(english):
    _, graph = english.graph()
    assert isinstance(graph, nx.MultiDiGraph)
    assert graph.number_of_edges() == len(english.relations)
    figures = statistics(graph)
    assert figures["nodes"] == len(graph) and figures["edges_by_type"]["acquires"] == 1
    edge = next((h, t, d) for h, t, d in graph.edges(data=True) if d["type"] == "acquires")
    assert support(graph, edge[0], edge[1], "acquires") == {"a" * 32}
    assert not any(graph.nodes[n]["type"] in ("MONEY", "DATE") for n in graph)


def test_questions_name_relations_in_both_languages():
    assert "owns" in relation_types("谁控股这家公司") and "owns" in relation_types("Who owns it?")
    assert "penalised_by" in relation_types("被证监会处罚") and "penalised_by" in relation_types(
        "Which banks were fined?"
    )
    assert "officer_of" in relation_types("董事长是谁") and "officer_of" in relation_types("Who is the CEO?")
    assert relation_types("hello") == []


def test_answers_with_their_paths(english, chinese):
    mentions, relations = rows(english, chinese)
    entities = link(mentions, relations)
    graph, index = build(entities, mentions, relations), index_entities(entities)
    best = find(graph, index, "Who is the CEO of Acme Robotics?")[0]
    assert best.path.startswith("Jane Q. Smith —is an officer of (Chief Executive Officer)→ Acme Robotics")
    assert best.path.endswith(", p. 1")
    assert find(graph, index, "北京星辰软件的总经理是谁")[0].edges[0].head_name == "王芳"
    assert find(graph, index, "证监会处罚了谁")[0].edges[0].value == "300万元"
    fines = [a.edges[0] for a in find(graph, index, "all penalties of 2023")]
    assert {e.value for e in fines if e.type == "penalised_by"} == {"$3 million", "300万元"}
    assert find(graph, index, "hello there") == []
    assert find_entities(index, "nobody we know") == []


def test_a_path_of_two_edges_answers_a_question_over_two_documents(reading):
    one = reading("Orion Media, Inc. is a wholly-owned subsidiary of Vega Holdings, Inc.", document="1" * 32)
    two = reading("Maria Lopez is the Chief Executive Officer of Vega Holdings, Inc.", document="2" * 32)
    mentions, relations = rows(one, two)
    entities = link(mentions, relations)
    graph, index = build(entities, mentions, relations), index_entities(entities)
    paths = [
        a for a in find(graph, index, "Who is the chief executive of the parent of Orion Media?") if len(a.edges) == 2
    ]
    assert {e.document for e in paths[0].edges} == {"1" * 32, "2" * 32}
    assert "Maria Lopez" in paths[0].path


def test_the_light_modules_load_no_model():
    code = (
        "import sys, h3cold.kg.graph, h3cold.kg.query, h3cold.kg.linking, h3cold.kg.names;"
        "sys.exit(any(m in sys.modules for m in ('spacy', 'torch', 'jieba', 'thinc')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
