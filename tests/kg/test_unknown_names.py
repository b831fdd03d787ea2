import pytest

from h3cold.kg.unknown_names import names_company, names_in, names_somebody, own_words, telling_words


@pytest.mark.parametrize(
    "question",
    [
        "Who owns Borealis Grid Services?",
        "Which company acquired Zephyr?",
        "Borealis Grid's subsidiaries",
        "谁收购了北极星集团？",
        "Debconf2会议在哪里举行",
        "北冥电网有限公司的控股股东是谁？",
        "谁控股北冥电网",
        "北冥电网的母公司是哪家？",
        "Who is the CEO of Tesla?",
        "谁控制华为",
        "华为的董事长是谁",
        "宁德时代2023年的净利润是多少",
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
        "集中通过的议案有哪些",
        "雷耶斯属于哪家漫画公司",
        "WHO IS THE CHIEF OF THE ZEPHYR GROUP",
    ],
)
def test_a_question_that_names_nobody(question):
    assert not names_somebody(question)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who is the CEO of Tesla?", ["CEO of Tesla"]),
        ("What was Tesla's revenue in 2019?", ["Tesla"]),
        ("Huawei net income 2016", ["Huawei"]),
        ("Revenue of 2016", []),
        ("MIT OpenCourseWare指什么？", ["MIT OpenCourseWare"]),
        ("北冥电网有限公司的控股股东是谁？", ["北冥电网有限公司"]),
        ("谁收购了北极星集团？", ["北极星"]),
        ("2010年度担任北极星科技董事长的是哪位", ["北极星"]),
        ("2012财年回购股份支付的现金", []),
    ],
)
def test_names_end_where_the_question_goes_on(question, names):
    assert names_in(question) == names


def test_words_of_a_names_kind_tell_nobody():
    assert telling_words("CEO of Tesla") == ["Tesla"] and telling_words("Borealis Group") == ["Borealis"]


def test_a_company_is_told_by_script_form_kind_or_fame():
    for name, question in (
        ("北极星", "谁控股北极星"),
        ("Zephyr", "revenue of Zephyr, Inc."),
        ("Zephyr Holdings", "Zephyr Holdings net income"),
        ("Tesla", "Tesla deliveries"),
    ):
        assert names_company(name, question)
    assert not names_company("Zhan Xugang", "When was Zhan Xugang chosen?")
    assert own_words("Northfield Power Holdings") == ["Northfield"] and own_words("Power Holdings") == [
        "Power",
        "Holdings",
    ]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What is eBay's revenue?", ["eBay"]),
        ("苹果iPhone的销量", ["iPhone"]),
        ("How many kWh were sold at a pH of 7?", []),
        ("What does mRNA-1273 cost?", []),
        ("students in Côte d'Ivoire", ["Côte"]),
    ],
)
def test_a_part_of_a_word_is_no_name(question, names):
    assert names_in(question) == names
