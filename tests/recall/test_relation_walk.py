"""Relation recall over a graph that real extraction made: several documents, merged names, aggregates."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

from h3cold.ingest.embed import open_embedder
from h3cold.ingest.repair import repair
from h3cold.ingest.store import ColdStore
from h3cold.ingest.store.arrays import map_arrays, write_arrays
from h3cold.ingest.store.checksums import Checksums
from h3cold.ingest.store.graph import is_made_of
from h3cold.ingest.store.make import make_store
from h3cold.kg.extract import extract
from h3cold.kg.linking import link
from h3cold.kg.query import index_entities
from h3cold.recall import ColdTier
from h3cold.recall.relation import _listed, answers, load_graph
from h3cold.recall.statements import meaning_by, open_statements
from h3cold.recall.understand import understand
from h3cold.schemas.block import Block, block_id
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.errors import CorruptionError
from h3cold.schemas.geometry import PageBox
from h3cold.schemas.graph import Entity

TEXTS = {
    "a.pdf": "Orion Media, Inc. is a wholly-owned subsidiary of Vega Holdings, Inc. It prints maps.",
    "b.pdf": "Maria Lopez is the Chief Executive Officer of Vega Holdings, Inc. She lives in Leeds.",
    "c.pdf": "On May 4, 2023, the Federal Trade Commission fined Vega Holdings, Inc. $3 million.",
    "d.pdf": "On June 9, 2021, the Federal Trade Commission fined Quill Paper Ltd. $2 million.",
    "e.pdf": "海棠控股有限公司（Haitang Holdings Limited）持有青禾农业有限公司60%的股权。",
    "f.pdf": "Haitang Holdings Limited acquired Reed Farms Inc. in 2020.",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    blocks, mentions, relations, info, sources = [], [], [], {}, {}
    for number, (source, text) in enumerate(TEXTS.items()):
        document = f"{number:032x}"
        box = PageBox(1, (50.0, 50.0, 500.0, 90.0), 0, len(text))
        language = "zh" if source == "e.pdf" else "en"
        block = Block(block_id(document, 0), document, 0, "passage", text, (), (box,), language)
        info[document], sources[document] = DocumentInfo(source, language), source
        found = extract([block], info=info[document])
        blocks.append(block)
        mentions += found.mentions
        relations += found.relations
    path = tmp_path_factory.mktemp("walk") / "h3_cold"
    make_store(
        path, blocks, embedder=open_embedder(), info=info, sources=sources, root=str(path.parent),
        entities=link(mentions, relations), relations=relations, mentions=mentions,
    )  # fmt: skip
    with ColdTier.open(path) as tier:
        yield tier._open_snapshot().store


def found(store, question):
    edges, speaks = answers(store, load_graph(store), understand(question))
    documents = {block_id(f"{i:032x}", 0): source for i, source in enumerate(TEXTS)}
    return [(documents[e.block], e) for e in edges], speaks


def test_a_word_that_asks_still_asks_where_it_is_somebodys_name(store):
    graph = load_graph(store)
    known = [Entity(id, "ORG", name) for id, name in graph.entities.items()]
    graph = graph._replace(names=index_entities([*known, Entity("s" * 24, "ORG", "Subsidiaries")]))
    edges, _ = answers(store, graph, understand("What subsidiaries does Vega Holdings have?"))
    assert [edge.block for edge in edges] == [block_id(f"{list(TEXTS).index('a.pdf'):032x}", 0)]


def test_a_question_in_words_that_no_rule_knows_is_answered_by_what_edges_mean(store):
    meaning = meaning_by(open_statements(store), open_embedder())
    graph = load_graph(store)
    for question, source in (
        ("Who calls the shots at Vega Holdings?", "b.pdf"),
        ("What did Vega Holdings have to cough up?", "c.pdf"),
        ("青禾农业是谁家的？", "e.pdf"),
    ):
        edges, _ = answers(store, graph, understand(question), meaning=meaning)
        assert edges[0].block == block_id(f"{list(TEXTS).index(source):032x}", 0), (question, edges[0].path)


def test_sentences_weigh_the_way_to_what_is_not_named(store):
    meaning = meaning_by(open_statements(store), open_embedder())
    with_sentences = answers(
        store, load_graph(store), understand("Who is the boss of the owner of Orion Media?"), meaning=meaning
    )[0]
    paths = [e.path for e in with_sentences if "Maria Lopez" in e.path]
    assert paths and "subsidiary" in paths[0]


def test_a_store_without_sentences_answers_by_its_rules(store):
    older = ColdStore(store.path, replace(store.manifest, index={**store.manifest.index}))
    del older.manifest.index["statements"]
    assert open_statements(older) is None and meaning_by(None, open_embedder()) is None
    assert meaning_by(open_statements(store), None) is None


def test_sentences_that_do_not_fit_the_graph_are_told_before_they_are_read(store, tmp_path):
    shutil.copytree(store.path, tmp_path / "s")
    (tmp_path / "s" / "meta" / "checksums.json").unlink()
    own = ColdStore.open(tmp_path / "s")
    path, edges = own.index_path("statements"), len(load_graph(own).rowids)
    arrays, notes = map_arrays(path)
    assert len(open_statements(own, edges=edges).of_edge) == edges
    of_edge = arrays["of_edge"].copy()
    for spoilt in (
        {name: array for name, array in arrays.items() if name != "codes"},
        arrays | {"of_edge": of_edge + len(arrays["scales"])},
        arrays | {"of_edge": of_edge - 2},
        arrays | {"of_edge": of_edge.astype(np.float32)},
        arrays | {"of_edge": of_edge[1:]},
        arrays | {"codes": arrays["codes"][1:]},
        arrays | {"scales": arrays["scales"][:, None]},
    ):
        write_arrays(path, spoilt, notes)
        with pytest.raises(CorruptionError, match=r"statements: .*--verify --repair"):
            open_statements(own, edges=edges)
        assert any(line.startswith("index statements") for line in own.verify())


@pytest.mark.parametrize("harm", ["flip", "remove"])
@pytest.mark.parametrize("role", ["statements", "graph"])
def test_a_damaged_index_of_the_graph_is_done_without_and_said(store, tmp_path, role, harm):
    shutil.copytree(store.path, tmp_path / "s")
    own = ColdStore.open(tmp_path / "s")
    path = own.path / own.manifest.index[role]
    if harm == "remove":
        path.unlink()
    else:
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 16
        path.write_bytes(bytes(data))
    question = "Who is the chief executive of the parent of Orion Media?"
    with ColdTier.open(store.path) as whole, ColdTier.open(own.path) as tier:
        hits = tier.recall(question)
        assert [h.block for h in hits][:2] == [h.block for h in whole.recall(question)][:2]
        assert all(str(path) in h.reason and "--verify --repair" in h.reason for h in hits)
        assert not any("--repair" in h.reason for h in tier.recall("What was fined?", intent="text"))
    repair(own.path)
    with ColdTier.open(own.path) as tier:
        assert not any("--repair" in h.reason for h in tier.recall(question))


def test_edges_are_told_the_same_by_the_table_of_an_older_store(store, tmp_path):
    shutil.copytree(store.path, tmp_path / "s")
    path = tmp_path / "s" / store.manifest.index["graph"]
    arrays, notes = map_arrays(path)
    assert "row_ids" in arrays
    own = {"loose", "loose_at", "called", "called_at", "ends", "ends_at"}
    write_arrays(path, {n: a for n, a in arrays.items() if n not in own and not n.startswith("row_")}, notes)
    (tmp_path / "s" / "meta" / "checksums.json").unlink()
    older, newer = ColdStore.open(tmp_path / "s"), ColdStore.open(store.path)
    graph, whole = load_graph(older), load_graph(newer)
    assert graph.rows is None is graph.row(0)
    questions = ("Who owns Orion Media?", "Who is the chief executive of the parent of Orion Media?", "What was fined?")
    for question in map(understand, questions):
        assert answers(older, graph, question) == answers(newer, whole, question)
    rows = older.take("relations", graph.rowids.tolist()).to_pylist()
    assert [whole.row(edge) for edge in range(len(rows))] == rows


def test_without_index_and_table_of_relations_texts_answer_and_say_so(store, tmp_path):
    shutil.copytree(store.path, tmp_path / "s")
    with ColdTier.open(tmp_path / "s") as tier:
        (tmp_path / "s" / store.manifest.index["graph"]).unlink()
        for file in (tmp_path / "s" / "tables" / "relations.lance" / "data").iterdir():
            file.unlink()
        hits = tier.recall("Who owns Orion Media?")
        assert hits and all("relations cannot be read: " in h.reason and "relations.lance" in h.reason for h in hits)
        assert "subsidiary of Vega" in hits[0].text
        with pytest.raises(CorruptionError, match=r"relations\.lance"):
            tier.recall("Who owns Orion Media?", intent="relation")


def test_a_name_in_lower_case_that_no_text_says_gives_no_edge_of_others(store):
    with ColdTier.open(store.path) as tier:
        for question in ("who owns globex", "list all fines of zenithal"):
            hits = tier.recall(question, intent="relation")
            assert hits and all("the graph knows no entity of the question, so by text" in h.reason for h in hits)
        assert "penalised" not in tier.recall("WHO FINED ZENITHAL?")[0].reason
        assert "subsidiary" in tier.recall("WHO OWNS ORION MEDIA?")[0].reason
        assert any("fined" in h.text and "penalised" in h.reason for h in tier.recall("all fines", intent="relation"))


def test_edges_of_one_block_that_answer_alike_are_all_told(store):
    edges, _ = answers(store, load_graph(store), understand("Who runs Vega Holdings?"))
    assert "Maria Lopez" in edges[0].path
    listed = _listed("b", [(0.5, "one"), (0.9, "two"), (0.8, "three")])
    assert (listed.score, listed.path) == (0.9, "two; three")
    assert _listed("b", [(0.9, str(i)) for i in range(9)]).path == "0; 1; 2; 3; 4; and 4 more"


def test_a_question_over_two_documents_is_answered_by_both_with_the_path(store):
    edges, speaks = found(store, "Who is the chief executive of the parent of Orion Media?")
    assert {d for d, _ in edges[:3]} >= {"a.pdf", "b.pdf"} and "Orion Media, Inc." in speaks
    path = next(e.path for d, e in edges if d == "b.pdf")
    assert path.index("subsidiary") < path.index("Maria Lopez") and path.count("p. 1") == 2


def test_every_edge_of_a_kind_and_year_is_listed(store):
    edges, speaks = found(store, "all penalties of 2023")
    assert [d for d, _ in edges] == ["c.pdf"] and speaks == ()
    assert {d for d, _ in found(store, "list all fines")[0]} == {"c.pdf", "d.pdf"}
    assert {"a.pdf", "e.pdf"} <= {d for d, _ in found(store, "谁控制谁？列出全部")[0]}


def test_an_edge_said_of_the_other_language_s_name_is_found(store):
    edges, _ = found(store, "海棠控股收购了谁？")
    assert edges[0][0] == "f.pdf" and "Reed Farms" in edges[0][1].path


def test_a_store_without_an_index_of_the_graph_gives_the_same_answers(store):
    older = ColdStore(store.path, replace(store.manifest, index={**store.manifest.index}))
    del older.manifest.index["graph"]
    for question in (
        "Who owns Orion Media?",
        "all penalties of 2023",
        "海棠控股收购了谁？",
        "the parent of Orion Media?",
    ):
        there, here = (answers(s, load_graph(s), understand(question)) for s in (store, older))
        assert there == here and there[0]


def test_an_index_of_the_graph_that_is_not_the_tables_is_told(store, tmp_path):
    shutil.copytree(store.path, tmp_path / "s")
    copy = ColdStore.open(tmp_path / "s")
    assert copy.verify() == []
    arrays, notes = map_arrays(copy.index_path("graph"))
    write_arrays(copy.index_path("graph"), arrays, notes | {"of": "0" * 32})
    (copy.path / "meta" / "checksums.json").unlink()
    Checksums(copy.path).save()
    assert ColdStore.open(copy.path).verify() == ["index graph: its rows are not those of the tables"]


def test_a_flipped_bit_anywhere_in_the_index_of_the_graph_is_told_whatever_its_checksum_says(store, tmp_path):
    arrays, notes = map_arrays(store.index_path("graph"))
    write_arrays(tmp_path / "graph", arrays, notes)
    assert is_made_of(tmp_path / "graph", store.table)
    for name in sorted(name for name, array in arrays.items() if array.nbytes):
        flipped = bytearray(arrays[name].tobytes())
        flipped[len(flipped) // 2] ^= 1
        array = np.frombuffer(flipped, arrays[name].dtype).reshape(arrays[name].shape)
        write_arrays(tmp_path / "graph", {**arrays, name: array}, notes)
        assert not is_made_of(tmp_path / "graph", store.table), name


def test_a_name_that_the_graph_does_not_know_gives_nothing(store):
    assert found(store, "Who owns Nobody Ltd.?") == ([], ())
