import pytest

from h3cold.kg.unknown_names import names_somebody


@pytest.mark.parametrize(
    "question",
    [
        "Who owns Borealis Grid Services?",
        "Which company acquired Zephyr?",
        "Borealis Grid's subsidiaries",
        "谁收购了北极星集团？",
        "北冥电网有限公司的控股股东是谁？",
        "谁控股北冥电网",
        "北冥电网的母公司是哪家？",
    ],
)
def test_a_question_that_names_somebody(question):
    assert names_somebody(question)


@pytest.mark.parametrize(
    "question",
    [
        "Who was fined in 2023?",
        "List all penalties of 2023",
        "Which Chinese companies were fined in China?",
        "Who is the CEO?",
        "哪些公司被处罚？",
        "谁收购了哪家公司？",
        "公司的控股股东是谁？",
        "有哪些上市公司被罚款",
    ],
)
def test_a_question_that_names_nobody(question):
    assert not names_somebody(question)
