"""Recall by summaries and by descent finds what recall by full vectors does, reading less."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_blocks import Toy, blocks

from h3cold.ingest.compress import summaries as stage
from h3cold.ingest.compress import training
from h3cold.ingest.store.make import make_store
from h3cold.recall import ColdTier, descent, opening, search
from h3cold.recall.descent import Node, open_trees
from h3cold.recall.summary_search import fewer
from h3cold.schemas.config import Config, Recall
from h3cold.schemas.errors import CorruptionError, QueryError, StoreError

DOCUMENTS, EACH = 12, 24


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stage, "LEAST", 60)
        patch.setattr(stage, "LEAST_PAIRS", 20)
        patch.setattr(training, "STEPS", 8)
        return make_store(tmp_path_factory.mktemp("modes") / "s", blocks(DOCUMENTS, each=EACH), embedder=Toy())


@pytest.fixture
def opened(store, monkeypatch):
    for name, most in (("DOCUMENTS", 3), ("CHAPTERS", 4), ("SECTIONS", 6)):
        monkeypatch.setattr(descent, name, most)
    monkeypatch.setattr(opening, "_embedder", lambda models: (Toy(), ""))

    def open_in(mode):
        return ColdTier.open(store.path, config=Config(recall=Recall(mode=mode)))

    return open_in


def asked(tier, question):
    return [hit.block for hit in tier.recall(question, top=5)]


@pytest.mark.parametrize("mode", ["summaries", "descent"])
def test_the_same_blocks_are_found(opened, mode):
    questions = [" ".join(f"{topic}x{w}" for w in range(6)) for topic in (0, 1, 8, 30, 44)]
    with opened("full") as full, opened(mode) as small:
        assert small.status()["without"] == full.status()["without"]
        same = [len(set(asked(full, q)) & set(asked(small, q))) for q in questions]
    assert sum(same) >= 0.8 * 5 * len(questions)


def test_descent_reads_less_than_all(opened, store):
    with opened("descent") as tier:
        asked(tier, "7x1 7x2 7x3")
        index = tier._snapshot.index
        assert 0 < index.read < store.count("blocks") * 128


def test_a_store_without_summaries_is_searched_by_full_vectors_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "_embedder", lambda models: (Toy(), ""))
    made = make_store(tmp_path / "s", blocks(2), embedder=Toy())
    with ColdTier.open(made.path, config=Config(recall=Recall(mode="descent"))) as tier:
        assert asked(tier, "0x1 0x2")
        assert "by full vectors, not by descent" in tier.status()["without"][0]


@pytest.mark.parametrize("role", ["summaries", "summaries.network", "trees"])
def test_a_damaged_file_is_refused(tmp_path, monkeypatch, role):
    monkeypatch.setattr(stage, "LEAST", 60)
    monkeypatch.setattr(stage, "LEAST_PAIRS", 20)
    monkeypatch.setattr(training, "STEPS", 2)
    monkeypatch.setattr(opening, "_embedder", lambda models: (Toy(), ""))
    made = make_store(tmp_path / "s", blocks(4), embedder=Toy())
    path = made.path / made.manifest.index[role]
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(bytes(data))
    with pytest.raises(CorruptionError, match="content is not what was written"):
        ColdTier.open(made.path, config=Config(recall=Recall(mode="descent")))


def test_trees_belong_to_their_blocks(store):
    ids = [row["id"] for row in store.table("blocks").to_table(columns=["id"]).to_pylist()]
    assert open_trees(store, sorted(ids)).ids == tuple(sorted(store.documents()))
    with pytest.raises(CorruptionError, match="disagree"):
        open_trees(store, sorted(ids)[:-1])


def leaves(node):
    return [span for child in node.children for span in leaves(child)] or [(node.first, node.last)]


def test_an_outline_covers_its_document(opened, store):
    document = sorted(store.documents())[3]
    with opened("full") as tier:
        tree = tier.outline(document)
        assert tree == tier.outline(store.documents()[document]["source"])
        with pytest.raises(StoreError, match="no document"):
            tier.outline("nothing.pdf")
    spans = leaves(tree)
    assert isinstance(tree, Node) and (tree.first, tree.last) == (3 * EACH, 4 * EACH)
    assert spans[0][0] == tree.first and spans[-1][1] == tree.last
    assert all(a[1] == b[0] for a, b in pairwise(spans))
    assert len(tree.summary.encode()) < 1024 and tree.summary


def test_going_down_tells_what_it_passed_and_read(opened, store):
    with opened("full") as tier:
        found = tier.descend("15x1 15x2 15x3 15x4", top=3)
    document = sorted(store.documents())[2]
    assert found.documents[0][0] == found.sections[0][0] == document
    assert found.blocks[0][0].startswith(document) and found.blocks[0][1].summary
    assert 0 < found.read < store.count("blocks") * 128
    scores = [node.score for _, node in found.blocks]
    assert len(scores) == 3 and scores == sorted(scores, reverse=True) and np.isfinite(scores).all()


def test_documents_like_a_document_and_like_a_question(opened, store):
    ids = sorted(store.documents())
    with opened("full") as tier:
        near = tier.documents_like(ids[0], top=4)
        assert ids[0] not in {hit.document for hit in near} and len(near) == 4
        about = tier.documents_like("22x1 22x2 22x3 22x4", top=3)
    assert about[0].document == ids[3] and about[0].source and about[0].reason
    assert [hit.rank for hit in near] == [1, 2, 3, 4]


def test_a_file_that_is_not_there_is_no_question(opened):
    with opened("full") as tier, pytest.raises(QueryError, match=r"no document 'nosuch\.pdf'"):
        tier.documents_like("nosuch.pdf")


@pytest.mark.parametrize("name", ["nosuch.pdf", "./nosuch.pdf", "/data/no such.pdf", "./nosuch", "../a/b.PDF"])
def test_what_is_spelt_like_a_file_is_no_question(opened, name):
    with opened("full") as tier, pytest.raises(QueryError, match="no document"):
        tier.documents_like(name)


def test_a_document_is_known_by_any_path_that_leads_to_it(opened, store, monkeypatch, tmp_path):
    source = sorted(row["source"] for row in store.documents().values())[0]
    (tmp_path / "docs").mkdir()
    (tmp_path / "link").symlink_to("docs")
    monkeypatch.chdir(tmp_path)
    with opened("full") as tier:
        manifest = replace(tier.store.manifest, root=str(tmp_path / "docs"))
        monkeypatch.setattr(tier.store, "manifest", manifest)
        like, outline = tier.documents_like(source), tier.outline(source)
        for name in (f"./{source}", f"x/../{source}", f"docs/{source}", f"{tmp_path}/docs/{source}", f"link/{source}"):
            assert tier.documents_like(name) == like and tier.outline(name) == outline


@pytest.mark.parametrize("top", [0, -1, 2.5, "3", None, float("nan"), True, 1001])
def test_a_number_of_hits_that_cannot_be_is_refused(opened, store, top):
    with opened("full") as tier:
        for what in ("15x1 15x2", sorted(store.documents())[0]):
            with pytest.raises(QueryError, match="top must be"):
                tier.documents_like(what, top=top)
        with pytest.raises(QueryError, match="top must be"):
            tier.descend("15x1 15x2", top=top)


def test_a_lost_file_costs_only_what_needs_it(opened, store, monkeypatch):
    document = sorted(store.documents())[0]
    with opened("full") as tier:
        outline, blocks = tier.outline(document), tier.descend("15x1 15x2").blocks
    with opened("full") as tier:
        lost = {"documents": "index/1/documents.arrays", "doc2vec": "index/1/doc2vec.npz"}
        manifest = replace(tier.store.manifest, index={**tier.store.manifest.index, **lost})
        monkeypatch.setattr(tier.store, "manifest", manifest)
        assert (tier.outline(document), tier.descend("15x1 15x2").blocks) == (outline, blocks)
        with pytest.raises(CorruptionError, match=r"is missing; see h3-monitor --verify --repair"):
            tier.documents_like("15x1 15x2")
        monkeypatch.setattr(search, "wavers", lambda *known: True)
        hits = tier.recall("15x1 15x2")
        assert len(hits) == 5 and "equals are not parted by vectors of documents" in hits[0].reason
        assert "is missing; see h3-monitor --verify --repair" in hits[0].reason


def test_a_question_that_is_cut_says_so(opened):
    with opened("full") as tier:
        assert all("first 2,000 characters" in hit.reason for hit in tier.documents_like("15x1 15x2 " * 300))
        assert "2,000" not in tier.documents_like("15x1 15x2")[0].reason


def test_names_that_no_file_has_are_told_or_asked(opened):
    with opened("full") as tier:
        for name in ("\ud800", "a\0b", "x" * 5000, ""):
            with pytest.raises(StoreError, match="no document"):
                tier.outline(name)
        assert tier.documents_like("15x1 15x2 \ud800")


@given(st.integers(1, 200), st.integers(1, 100_000), st.integers(1, 60))
def test_a_small_store_is_not_read_whole(candidates, count, top):
    most = fewer(candidates, count, top)
    assert most <= candidates and (most >= min(candidates, top))
    assert most <= max(count / 12, 1.5 * top)


def test_candidates_are_fewer_only_where_vectors_are_on_the_disk(opened, store):
    question = "7x1 7x2 7x3"
    for mode, most in (("full", 100), ("summaries", 24), ("descent", 24)):
        with opened(mode) as tier:
            assert tier.prepare(question, top=2)[1].candidates == most
            assert len(tier.recall(question, top=30)) >= 20
