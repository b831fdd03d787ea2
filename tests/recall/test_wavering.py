"""Document vectors part equals where a question names no document and words and meaning lead to different ones."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

from h3cold.ingest.compress.documents import Documents, rounded
from h3cold.ingest.embed import doc2vec
from h3cold.ingest.tokens import lexical
from h3cold.recall.catalog import Evidence
from h3cold.recall.rank import Pool
from h3cold.recall.wavering import SAY, DocumentVectors, say, wavers

TOPICS = {
    "beer": "barley malt hop yeast ferment brewery bottle lager taste grain water kettle cellar",
    "lease": "tenant landlord premise rent deposit repair insure sublet terminate notice covenant floor",
    "ship": "vessel port cargo freight charter hull crew container voyage harbour tonnage anchor",
}
IDS = [f"{topic}{i}" for topic in TOPICS for i in range(5)]
COUNT = len(IDS)
CORPUS = SimpleNamespace(document=np.arange(COUNT), documents=[{"id": i} for i in IDS])


@pytest.fixture(scope="module")
def known():
    draw = random.Random(1)
    texts = {i: draw.choices(lexical(TOPICS[i[:-1]]), k=400) for i in IDS}
    model = doc2vec.train(texts)
    return DocumentVectors(Documents(tuple(IDS), *rounded(model.vectors([texts[i] for i in IDS])), None, None), model)


def pool(lexical, dense):
    return Pool(np.arange(COUNT), np.array(lexical, np.float32), np.array(dense, np.float32))


@pytest.mark.parametrize("topic", TOPICS)
def test_the_document_most_like_the_question_gains_most(known, topic):
    question = f"Which document speaks of {TOPICS[topic]}?"
    gains = say(known, question, pool(range(COUNT), range(COUNT)), CORPUS)
    assert IDS[int(gains.argmax())][:-1] == topic
    assert gains.max() == pytest.approx(SAY)
    assert gains.min() == 0


def test_a_question_without_a_known_word_moves_nothing(known):
    assert not say(known, "zzz qqq", pool(range(COUNT), range(COUNT)), CORPUS).any()


def test_it_has_a_say_only_where_nothing_is_named_and_the_searches_differ():
    unnamed = Evidence(np.zeros(COUNT), np.zeros(COUNT), np.zeros(COUNT), {})
    named = Evidence(np.eye(COUNT)[2], np.zeros(COUNT), np.zeros(COUNT), {})
    apart, together = pool(range(COUNT), range(COUNT, 0, -1)), pool(range(COUNT), range(COUNT))
    assert wavers(apart, CORPUS, unnamed)
    assert not wavers(together, CORPUS, unnamed)
    assert not wavers(apart, CORPUS, named)
