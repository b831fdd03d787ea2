"""Questions for all edges of a kind are ones for relations; the words alone are not."""

import json
from importlib.resources import files

import pytest

from h3cold.recall.intent import SEEN, cues, guess


@pytest.mark.parametrize(
    "question",
    ["all penalties of 2023", "list all acquisitions of 2022", "所有罚款", "2023年有哪些处罚", "担保事项有哪些"],
)
def test_all_of_a_kind_is_a_question_for_relations(question: str) -> None:
    assert guess(question).intents == ("relation",)


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("explain all penalties under the policy", "text"),
        ("What acquisition costs were expensed in 2019?", "structure"),
        ("total penalties and interest in 2023", "structure"),
    ],
)
def test_words_of_a_kind_alone_are_none(question: str, intent: str) -> None:
    assert guess(question).best == intent


def test_what_is_looked_for_in_ascii_texts_finds_there_what_all_does() -> None:
    told = files("h3cold.recall").joinpath("intents.jsonl").read_text(encoding="utf-8").splitlines()
    heads = [json.loads(line)["query"][:SEEN].lower() for line in told]
    assert any(map(str.isascii, heads)) and not all(map(str.isascii, heads))
    for whole, plain in zip(cues(), cues(plain=True), strict=True):
        assert whole[:3] == plain[:3]
        for head in filter(str.isascii, heads):
            assert bool(whole.pattern.search(head)) == bool(plain.pattern.search(head)), (whole.name, head)
