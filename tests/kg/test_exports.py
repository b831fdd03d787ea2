import csv
import json

import networkx as nx
import pytest

from h3cold.kg.exports import write
from h3cold.schemas.errors import UsageError


@pytest.fixture(scope="module")
def graph(english, chinese):
    one, two = english.graph()[1], chinese.graph()[1]
    return nx.compose(one, two)


def test_graphml_and_gexf_read_back(graph, tmp_path):
    back = {
        ".graphml": nx.read_graphml(*write(graph, tmp_path / "g.graphml"), force_multigraph=True),
        ".gexf": nx.read_gexf(*write(graph, tmp_path / "g.gexf")),
    }
    for suffix, kind in ((".graphml", "type"), (".gexf", "relation")):
        one = back[suffix]
        assert {n: d["name"] for n, d in one.nodes(data=True)} == {n: d["name"] for n, d in graph.nodes(data=True)}
        edges = sorted((h, d[kind], t, d["value"], d["page"]) for h, t, d in one.edges(data=True))
        assert edges == sorted((h, d["type"], t, d["value"], d["page"]) for h, t, d in graph.edges(data=True))


def test_json_ld_and_csv_hold_each_node_and_statement(graph, tmp_path):
    (path,) = write(graph, tmp_path / "g.jsonld")
    items = json.loads(path.read_text(encoding="utf-8"))["@graph"]
    statements = {i["@id"].rsplit(":", 1)[1]: i for i in items if i["@type"] == "Statement"}
    expected = {id: (h, d) for h, _, id, d in graph.edges(keys=True, data=True)}
    assert set(statements) == set(expected) and len(items) == len(expected) + len(graph)
    for id, (head, data) in expected.items():
        assert statements[id]["head"].endswith(head) and statements[id]["confidence"] == data["confidence"]
    nodes, edges = (list(csv.DictReader(p.open(encoding="utf-8"))) for p in write(graph, tmp_path / "g.csv"))
    assert {(n["id:ID"], n["name"], n[":LABEL"]) for n in nodes} == {
        (n, d["name"], d["type"]) for n, d in graph.nodes(data=True)
    }
    assert {(e[":START_ID"], e[":TYPE"].lower(), e[":END_ID"]) for e in edges} == {
        (h, d["type"], t) for h, t, d in graph.edges(data=True)
    }
    assert {tuple(filter(None, n["aliases:string[]"].split("|"))) for n in nodes} == {
        d["aliases"] for _, d in graph.nodes(data=True)
    }


def test_what_xml_cannot_hold_is_left_out(tmp_path):
    graph = nx.MultiDiGraph()
    more = {"type": "ORG", "aliases": ("A\x0b",), "documents": ("d",), "mentions": 1}
    graph.add_node("n", name="Ac\x00me & <Sons>", **more)
    back = nx.read_graphml(*write(graph, tmp_path / "g.graphml"))
    assert back.nodes["n"]["name"] == "Acme & <Sons>"


def test_an_unknown_suffix_is_said(graph, tmp_path):
    with pytest.raises(UsageError, match="graphml"):
        write(graph, tmp_path / "g.xls")
    with pytest.raises(UsageError, match="cannot be written"):
        write(graph, tmp_path / "none" / "g.gexf")


def test_a_cell_of_the_csv_is_one_line(tmp_path):
    one = nx.MultiDiGraph()
    one.add_node("a" * 24, type="ORG", name="Acme", aliases=("Acme\nRobotics", "A|B"), documents=(), mentions=2)
    nodes, _ = write(one, tmp_path / "g.csv")
    assert len(nodes.read_text(encoding="utf-8").splitlines()) == 2 and "Acme Robotics|A/B" in nodes.read_text("utf-8")
