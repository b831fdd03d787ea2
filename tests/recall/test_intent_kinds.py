"""Questions for all edges of a kind are ones for relations; the words alone are not."""

import pytest

from h3cold.recall.intent import guess


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
