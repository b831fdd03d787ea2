"""Documents like a document: by what both say, and told where nothing is like it."""

import json

import numpy as np
import pytest
from silent_model import SilentModel

from h3cold.ingest.store.make import make_store
from h3cold.recall import ColdTier, like
from h3cold.recall.cli import main
from h3cold.recall.serve import answer
from h3cold.recall.shared_words import bag_of, document_counts, likeness
from h3cold.schemas.block import Block, block_id
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.geometry import PageBox

TEXTS = {
    "kefir_2018.pdf": "Our kefir and probiotic drinks sell in groceries. Kefir plants in Waukesha grew in 2018.",
    "kefir_2019.pdf": "Our kefir and probiotic drinks sell in groceries. The Waukesha plant was enlarged in 2019.",
    "lorem.pdf": "Lorem ipsum dolor sit amet consectetur adipiscing elit sed eiusmod tempor.",
    "pumps.pdf": "Heart pumps support patients in hospitals while the heart recovers. Impella sells best.",
    "合同.pdf": "甲方向乙方采购信号控制设备，乙方应于六十日内交付。",
    "年报.pdf": "公司向甲方销售信号控制设备，报告期内交付设备一百二十套。",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    ids = {name: f"{i:x}" * 32 for i, name in enumerate(TEXTS)}
    blocks = [
        Block(block_id(ids[name], n), ids[name], n, "passage", part, (), (PageBox(1, (0, 0, 9, 9), 0, len(part)),))
        for name, text in TEXTS.items()
        for n, part in enumerate(text.replace("。", "。\n").replace(". ", ".\n").split("\n"))
        if part
    ]
    info = {i: DocumentInfo("", "en") for name, i in ids.items()}
    store = make_store(tmp_path_factory.mktemp("like") / "s", blocks, embedder=SilentModel(), info=info,
                       sources={i: name for name, i in ids.items()})  # fmt: skip
    with ColdTier.open(store.path) as tier:
        yield tier


def test_the_likest_comes_first_and_what_is_not_alike_says_so(made):
    hits = made.documents_like("kefir_2018.pdf")
    assert hits[0].source == "kefir_2019.pdf" and hits[0].fits and "kefir" in hits[0].reason
    assert all(not h.fits and h.reason.startswith("nothing fits well") for h in hits[1:])
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True) and len(hits) == len(TEXTS) - 1
    assert made.documents_like("合同.pdf")[0].source == "年报.pdf"
    assert not any(h.fits for h in made.documents_like("pumps.pdf"))


def test_the_command_and_the_server_say_so_too(made, capsys):
    assert main(["pumps.pdf", "--store", str(made.path), "--intent", "document"]) == 0
    assert "Nothing is like it" in capsys.readouterr().out
    assert main(["pumps.pdf", "--store", str(made.path), "--intent", "document", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["fits"] is False and told["hits"][0]["fits"] is False
    assert answer(made, "GET", "/recall?query=pumps.pdf&intent=document").body == told
    assert answer(made, "GET", "/recall?query=kefir_2018.pdf&intent=document").body["fits"] is True


def test_a_question_that_nothing_fits_is_told_of_documents_too(made):
    assert made.documents_like("kefir plants in Waukesha")[0].fits
    about = made.documents_like("how do plants grow from seeds when nobody waters them")
    assert about and not about[0].fits


def test_likeness_is_that_of_all_the_words(made, monkeypatch):
    corpus = made.prepare("first")[0].corpus
    counts = document_counts(corpus)
    held = [bag_of(corpus, np.ones_like(counts), d) for d in range(len(TEXTS))]
    assert (
        counts.tolist()[1:] == np.bincount(np.concatenate([b.words for b in held]), minlength=len(counts)).tolist()[1:]
    )
    monkeypatch.setattr("h3cold.recall.shared_words.PORTION", 3)
    assert document_counts(corpus).tolist() == counts.tolist()
    bags = [bag_of(corpus, counts, d) for d in range(len(TEXTS))]
    dense = np.zeros((len(bags), len(counts)))
    for row, bag in enumerate(bags):
        dense[row, bag.words] = bag.weights
        assert likeness(bag, bag)[0] == pytest.approx(1)
    for i, one in enumerate(bags):
        for j, other in enumerate(bags):
            assert likeness(one, other)[0] == pytest.approx(float(dense[i] @ dense[j]), abs=1e-5)
            assert 0 <= likeness(one, other)[0] <= 1 + 1e-6


def test_of_many_documents_those_near_by_vectors_are_compared(made, monkeypatch):
    whole = made.documents_like("kefir_2018.pdf")
    monkeypatch.setattr(like, "COMPARED", 2)
    some = made.documents_like("kefir_2018.pdf", top=1)
    assert some[0].source in {h.source for h in whole} and "near by summaries" in some[0].reason
