"""The benchmark of recalled attention asks what its documents answer, and recalls what it says it recalls."""

import random

import pytest
import torch
from transformers import DynamicCache

from h3cold.h3bridge import benchmark_recalled as recalled
from h3cold.h3bridge.engine import H3Engine


@pytest.fixture(scope="module")
def model():
    return recalled.train(2)[0]


def test_a_piece_is_of_the_document_that_is_recalled():
    rng = random.Random(5)
    for _ in range(50):
        ids, piece, (first, end) = recalled.asked(rng)
        assert len(set(ids)) == len(ids) == recalled.DOCUMENTS * recalled.DOCUMENT
        start = ids.index(piece[0])
        assert ids[start : start + recalled.PIECE] == piece
        assert first <= start and start + recalled.PIECE <= end <= first + recalled.DOCUMENT


def test_answers_by_full_attention_are_transformers_own_and_a_window_s_are_not(tmp_path, model):
    ids, piece, span = recalled.asked(random.Random(1))
    engine = H3Engine(hbm_size_gb=0.01, hbf_size_gb=0.01, cold_storage_path=tmp_path)
    answers = {}
    with torch.no_grad():
        for name, spans in {"full": None, "all": [(0, len(ids) + 32)], "some": [span], "window": []}.items():
            answers[name], seconds = recalled.answers(engine, model, ids, piece, spans)
            assert seconds > 0
        reference = model(torch.tensor([ids + piece[:-1]]), cache=DynamicCache(config=model.config)).logits
    assert torch.allclose(answers["full"], reference[0, len(ids) :], atol=1e-4)
    assert torch.allclose(answers["all"], answers["full"], atol=1e-4)
    assert not torch.allclose(answers["some"], answers["full"], atol=1e-4)
    assert not torch.allclose(answers["window"], answers["some"], atol=1e-4)


def test_training_is_the_same_from_run_to_run_and_leaves_other_random_numbers_alone(model):
    torch.manual_seed(3)
    again = recalled.train(2)[0]
    drawn = torch.rand(1)
    torch.manual_seed(3)
    assert torch.equal(drawn, torch.rand(1))
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), again.parameters(), strict=True))
