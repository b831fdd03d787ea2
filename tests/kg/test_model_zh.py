"""The small model of Chinese names, what it learns from, and the known names."""

from __future__ import annotations

import hashlib
import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from h3cold.kg import model_zh
from h3cold.kg.model_zh import names, spelt_out
from h3cold.kg.ner_zh import find_names
from h3cold.kg.silver_zh import silver
from h3cold.kg.train_chinese import train
from h3cold.kg.words_zh import words_of


def test_tags_of_tokens_are_names_of_characters() -> None:
    tags = ["B-ORG", "I-ORG", "L-ORG", "O", "U-PLACE", "U-PERSON", "B-ORG", "B-ORG", "L-ORG"]
    pieces = ["华", "信", "Tech", "在", "京", "王", "甲", "乙", "丙"]
    assert spelt_out(tags, pieces) == [
        (0, 6, "ORG"), (7, 8, "PLACE"), (8, 9, "PERSON"), (9, 10, "ORG"), (10, 12, "ORG"),
    ]  # fmt: skip


def test_training_texts_are_the_same_for_one_seed_and_hold_their_names() -> None:
    first, again = (list(itertools.islice(silver(3, 1, held_out=False), 60)) for _ in range(2))
    assert first == again
    for one in first:
        assert all(0 <= a < b <= len(one.text) for a, b, _ in one.names)
        assert all(x[1] <= y[0] for x, y in itertools.pairwise(one.names))


def test_trainings_give_the_same_bytes_whatever_the_process() -> None:
    """Another hash seed orders sets in another way, and another process has not used random numbers before."""
    code = (
        "import hashlib; from h3cold.kg.train_chinese import train\n"
        "print(*(hashlib.sha256(w).hexdigest() for *_, w in train(rounds=1, epochs=1)))"
    )
    env = os.environ | {"PYTHONHASHSEED": "3"}
    with subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True) as other:
        here = [hashlib.sha256(w).hexdigest() for *_, w in train(rounds=1, epochs=1)]
        told, _ = other.communicate()
    assert other.returncode == 0
    assert here == told.split()


def test_the_network_read_without_spacy_gives_what_spacy_gives() -> None:
    nlp = model_zh.blank()
    pipe = nlp.get_pipe(model_zh.PIPE)
    pipe.from_bytes(Path(model_zh.__file__).with_name(model_zh.FILE).read_bytes(), exclude=["vocab"])
    texts = [one.text for one in itertools.islice(silver(5, 1, held_out=False), 12)]
    read = [(text, 0, words_of(text, 0, len(text))) for text in texts]
    for (text, _, words), mine in zip(read, names(read, 0.5), strict=True):
        doc, pieces = model_zh.document(nlp.vocab, text, words)
        (found,) = pipe.predict([doc])
        theirs = spelt_out([pipe.labels[c] for c in found], pieces)
        assert [(s.start, s.end, s.type) for s in mine] == theirs


def test_the_model_finds_names_of_templates_that_it_was_not_trained_on() -> None:
    right = found = asked = 0
    for one in itertools.islice(silver(11, 2, held_out=True), 60):
        mine = {s[:3] for s in names([(one.text, 0, words_of(one.text, 0, len(one.text)))], 0.5)[0]}
        right, found, asked = right + len(mine & set(one.names)), found + len(mine), asked + len(one.names)
    assert right / found > 0.4
    assert right / asked > 0.4


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("小天鹅今日公告，拟收购后者所持荣事达10%股权。", "荣事达"),
        ("海螺水泥对冀东水泥第三次举牌之后，", "海螺水泥"),
        ("*ST商务发行股票购买上海三湘股份有限公司10%股权。", "商务"),
        ("沃达丰公司已买入新天科技股票10万股。", "沃达丰公司"),
    ],
)
def test_short_names_of_companies_are_found(text: str, name: str) -> None:
    assert any(s.text == name and s.type == "ORG" for s in find_names(text))


def test_a_short_name_within_other_words_is_none() -> None:
    assert not [s for s in find_names("董事会集中通过了三项议案，不同方案都有风险。") if s.text in ("中通", "同方")]


def test_the_model_guesses_no_names_within_english() -> None:
    assert not [s for s in find_names("Reported by wholly-owned units in Jun 2020 (报告).") if s.text.isascii()]
