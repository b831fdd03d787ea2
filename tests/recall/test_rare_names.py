"""Does what says a name that few blocks say come before what says all else of the question?"""

import blake3
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.ingest.embed import open_embedder
from h3cold.ingest.store.make import make_store
from h3cold.recall import ColdTier
from h3cold.recall.catalog import Evidence
from h3cold.recall.rare_names import _among, rare_names
from h3cold.recall.understand import understand
from h3cold.schemas.block import Block, block_id
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.geometry import PageBox

BOX = (72.0, 72.0, 540.0, 200.0)
TEXTS = {
    "stage_2015.pdf": (
        "FY2015",
        "In 2015 she was offered the role of the queen, the role for which she is known.",
        "Her role in 2015 was that of a nurse; the role was written for her.",
        "Critics praised the role that she played in 2015 and the play's main role.",
    ),
    "harbour.pdf": (
        "",
        "The works at the harbour were led by Ludwig Spaeth, an engineer who had built three bridges before.",
        "The quay is 300 metres long and was widened twice.",
    ),
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    blocks, info, sources = [], {}, {}
    for source, (period, *texts) in TEXTS.items():
        id = blake3.blake3(source.encode()).hexdigest(16)
        info[id], sources[id] = DocumentInfo(source[:-4], "en", "", period), source
        blocks += [
            Block(block_id(id, i), id, i, "passage", text, (), (PageBox(i + 1, BOX, 0, len(text)),), language="en")
            for i, text in enumerate(texts)
        ]
    made = make_store(
        tmp_path_factory.mktemp("names") / "h3_cold", blocks, embedder=open_embedder(), info=info, sources=sources
    )
    with ColdTier.open(made.path) as opened:
        yield opened


@pytest.mark.parametrize(
    "query", ["What was the role of Spaeth in 2015?", "Which role did Ludwig Spaeth play in 2015?"]
)
def test_what_says_a_rare_name_comes_first(store, query):
    assert "Spaeth" in store.recall(query)[0].text


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("What was the role of Spaeth in 2015?", 1),
        ("What was the role of Tesla?", 0),  # said nowhere
        ("Which role was hers in Aug. 2015?", 0),
        ("which role was hers", 0),
    ],
)
def test_names_that_few_blocks_say(store, query, named):
    snapshot, asked = store.prepare(query, "text", 3)
    assert len(rare_names(snapshot.corpus.words, asked.question, asked.evidence)) == named


def test_a_name_of_documents_is_not_looked_for_in_blocks(store):
    words = store.prepare("harbour", "text", 3)[0].corpus.words
    one = np.ones(2, np.float32)
    assert rare_names(words, understand("What was the role of Spaeth?"), Evidence(one, one, one, {})) == []


@given(st.lists(st.integers(0, 9)), st.sets(st.integers(0, 9), min_size=1))
def test_which_rows_are_among_others(rows, held):
    among = _among(np.array(rows, np.int64), np.array(sorted(held), np.int64))
    assert among.tolist() == [row in held for row in rows]
