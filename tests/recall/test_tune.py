"""Weights of the ranking: what pairs teach, files that are not weights, and a store's own questions."""

import json

import numpy as np
import pytest

from h3cold.recall.questions import Case
from h3cold.recall.rank import FEATURES
from h3cold.recall.tune import FEWEST, Lesson, fit, lessons
from h3cold.recall.weights import default_weights, load_weights, save_weights
from h3cold.schemas.errors import ConfigError, UsageError

START = default_weights()


def taught(feature, count=20):
    """Lessons in which one feature alone tells answers from the rest, and another misleads a little."""
    row = np.zeros((5, len(FEATURES)), np.float32)
    row[:, FEATURES.index(feature)] = 0.5
    row[:, FEATURES.index("dense")] = -0.2
    return [Lesson(row, {"text": 1.0})] * count


def test_what_tells_answers_apart_gains_weight_and_what_misleads_loses_it():
    learned = fit(taught("headings"), START)
    headings, dense = FEATURES.index("headings"), FEATURES.index("dense")
    assert learned["text"][headings] > START["text"][headings]
    assert learned["text"][dense] < START["text"][dense]
    assert learned["text"].sum() == pytest.approx(1, abs=1e-5) and (learned["text"] >= 0).all()
    assert (learned["structure"] == START["structure"]).all()


def test_too_few_questions_teach_nothing():
    with pytest.raises(UsageError, match=str(FEWEST)):
        fit(taught("headings", FEWEST - 1), START)


def test_weights_survive_their_file_and_other_files_are_named(tmp_path):
    path = tmp_path / "w.json"
    save_weights(START, path)
    read = load_weights(path)
    assert all(np.allclose(read[i], START[i], atol=1e-3) for i in START)
    rows = json.loads(path.read_text())
    rows["text"]["dense"] = -1
    path.write_text(json.dumps(rows))
    with pytest.raises(ConfigError, match=r"w\.json.*0 or more"):
        load_weights(path)
    path.write_text("{}")
    with pytest.raises(ConfigError, match="--tune"):
        load_weights(path)
    with pytest.raises(ConfigError, match=r"none\.json"):
        load_weights(tmp_path / "none.json")
    with pytest.raises(ConfigError, match="null"):
        load_weights("a\0b")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda text: "[" * 100_000, "RecursionError"),
        (lambda text: text.replace("0", "1" + "0" * 400, 1), "not weights"),
        (lambda text: text.replace("0", "NaN", 1), "finite"),
        (lambda text: text.replace('"dense": ', '"dance": 1, "dense": '), "no feature 'dance'; there are"),
        (lambda text: json.dumps({i: dict.fromkeys(row, True) for i, row in json.loads(text).items()}), "is a bool"),
        (lambda text: json.dumps({i: dict.fromkeys(row, "1") for i, row in json.loads(text).items()}), "is a str"),
        (lambda text: json.dumps({i: [*row] for i, row in json.loads(text).items()}), "not weights"),
    ],
)
def test_what_is_wrong_with_weights_is_told(tmp_path, change, told):
    path = tmp_path / "w.json"
    rows = {i: dict.fromkeys(FEATURES, 0) for i in START}
    path.write_text(change(json.dumps(rows)))
    with pytest.raises(ConfigError, match=told):
        load_weights(path)


def test_a_question_teaches_when_its_answer_is_among_the_candidates(tier):
    cases = [Case("a", "对比2022与2023年应收账款周转率", "huaxin.pdf", (2,)),
             Case("b", "zebras in Acme risk factors", "huaxin.pdf", (99,))]  # fmt: skip
    found = lessons(tier, cases)
    assert len(found) == 1 and found[0].differences.shape[1] == len(FEATURES)
    assert np.isfinite(found[0].differences).all()
