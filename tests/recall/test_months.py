"""Columns headed by months, and rows that are called a growth."""

import pytest
from test_table_answers import grid, told

from h3cold.recall.months import months_asked
from h3cold.recall.structure import told_by
from h3cold.recall.understand import understand

SALES = [
    ["", "Jan", "Feb", "Mar", "Apr"],
    ["Sales", "1,200", "1,300", "1,400", "1,500"],
    ["Costs", "900", "800", "700", "600"],
]
AIRPORTS = [
    ["机场", "1月", "2月", "3月", "4月"],
    ["关西机场", "120", "130", "140", "150"],
    ["成田机场", "220", "230", "240", "250"],
]
OUTLOOK = [
    ["Percent", "Actual", "", "Projected", ""],
    ["", "2022", "2023", "2024", "2025"],
    ["GDP growth", "1.0", "2.0", "3.0", "4.0"],
    ["Inflation", "5.0", "6.0", "7.0", "8.0"],
]


@pytest.mark.parametrize(
    ("rows", "text", "heads", "values"),
    [
        (SALES, "What were sales in March?", ["Mar"], ["1,400"]),
        (SALES, "sales of april", ["Apr"], ["1,500"]),
        (SALES, "costs from February to April", ["Feb", "Mar", "Apr"], ["800", "700", "600"]),
        (AIRPORTS, "成田机场3月的旅客", ["3月"], ["240"]),
        (AIRPORTS, "成田机场二月旅客", ["2月"], ["230"]),
    ],
)
def test_a_month_is_its_column_however_it_is_written(rows, text, heads, values):
    row, found, _ = told(rows, text)
    assert (list(found), list(found.values())) == (heads, values)
    assert row in ("Sales", "Costs", "成田机场")


def test_the_month_is_said_by_its_column():
    table = grid(SALES)
    assert told_by(table, understand("sales in March")).fit == told_by(table, understand("sales in Mar")).fit > 0.9


def test_a_word_that_may_be_a_month_chooses_no_column():
    assert list(told(SALES, "sales, may I ask")[1]) == ["Jan", "Feb", "Mar", "Apr"]


def test_small_words_and_beginnings_are_no_months():
    assert months_asked("May I march in line?") == set()
    assert months_asked("3个月内的利率") == set()
    assert months_asked("sales in may and Dec.") == {5, 12}
    assert months_asked("十一月至十二月") == {11, 12}


def test_a_row_that_is_a_growth_is_asked_for_in_its_year_alone():
    assert told(OUTLOOK, "GDP growth forecast for 2024", header=2)[1] == {"Projected > 2024": "3.0"}


@pytest.mark.parametrize(
    ("rows", "text", "found"),
    [
        (SALES, "In which month were sales the highest?", {"Apr": "1,500"}),
        (SALES, "which month had the lowest costs", {"Apr": "600"}),
        (AIRPORTS, "关西机场哪个月旅客最少", {"1月": "120"}),
        (
            [["", "2021", "2022", "2023"], ["Revenue", "30", "20", "10"]],
            "Which year had the highest revenue?",
            {"2021": "30"},
        ),
    ],
)
def test_the_period_of_the_largest_value_is_its_column(rows, text, found):
    assert told(rows, text)[1] == found
