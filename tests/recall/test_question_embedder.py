"""Which model embeds questions: the short one in large stores, if there is one; the whole one in all others."""

import numpy as np
import pytest
from silent_model import SilentModel

from h3cold.ingest.embed.e5 import E5
from h3cold.ingest.embed.e5_short import QuickE5
from h3cold.recall import ColdTier, opening
from h3cold.recall.opening import QUICK_FROM, question_embedder


def test_the_short_model_is_for_large_stores() -> None:
    whole, other = E5(), SilentModel()
    assert question_embedder(whole, QUICK_FROM) is whole
    assert isinstance(question_embedder(whole, QUICK_FROM + 1), QuickE5)
    assert question_embedder(other, QUICK_FROM + 1) is other


def test_a_language_of_none_of_the_documents_is_embedded_by_the_whole_model(made, monkeypatch) -> None:
    monkeypatch.setattr(opening, "QUICK_FROM", 0)
    whole = E5()
    asked = ("Which raw material's price is a risk?", "原材料价格上涨有什么风险")
    for share, exact in ((0.02, (False, False)), (0.5, (False, True)), (0.99, (True, True))):
        monkeypatch.setattr(opening, "SPOKEN", share)
        with ColdTier.open(made.store) as tier:
            vectors = [np.asarray(tier.prepare(question)[1].vector()).reshape(-1) for question in asked]
        assert tuple(np.array_equal(v, w) for v, w in zip(vectors, whole.queries(asked), strict=True)) == exact


@pytest.mark.parametrize(("above", "short"), [(0, True), (QUICK_FROM, False)])
def test_a_store_is_asked_with_its_model(made, monkeypatch, above: int, short: bool) -> None:
    monkeypatch.setattr(opening, "QUICK_FROM", above)
    question = "Which raw material's price is a risk?"
    with ColdTier.open(made.store) as tier:
        _, asked = tier.prepare(question)
        assert "steel" in tier.recall(question)[0].text
        vector = np.asarray(asked.vector()).reshape(-1)
    whole = E5().queries([question])[0]
    assert np.array_equal(vector, whole) != short
    assert vector @ whole >= 0.97
