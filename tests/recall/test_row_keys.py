"""Rows that a question tells by a number, a day, or what stands beside their label."""

import pytest
from test_table_answers import grid, told

from h3cold.recall.structure import told_by
from h3cold.recall.understand import understand

WEEKS = [
    ["year", "week", "Bavaria", "Threshold"],
    ["2012", "51", "7", "4"],
    ["2013", "50", "1", "3"],
    ["2013", "51", "2", "3"],
    ["2013", "52", "3", "2"],
]
DAYS = [["Date", "HbA1c", "Pulse"], ["18.02.2015", "10.0", "64"], ["23.04.2015", "6.0", "68"]]
CODES = [["Code", "Description"], ["E17", "Opens the outer door"], ["E18", "Shows the whole map"]]


@pytest.mark.parametrize("text", ["cases in Bavaria in week 51 of 2013", "Bavaria 2013, week no. 51"])
def test_a_number_under_its_head_tells_the_row(text):
    assert told(WEEKS, text)[:2] == ("week 51", {"Bavaria": "2"})


def test_a_number_said_as_in_chinese_does_too():
    rows = [["周", "病例", "阈值"], ["50", "1", "3"], ["51", "2", "3"]]
    assert told(rows, "第51周的病例数")[:2] == ("周 51", {"病例": "2"})


def test_a_value_said_with_its_head_tells_the_row():
    rows = [["Population", "Income", "Life expectancy"], ["3615", "3624", "69.05"], ["21198", "5114", "71.71"]]
    assert told(rows, "life expectancy of the state with a population of 21198")[1] == {"Life expectancy": "71.71"}


@pytest.mark.parametrize("day", ["23.04.2015", "April 23, 2015", "2015-04-23", "2015年4月23日"])
def test_a_day_tells_the_row_however_it_is_written(day):
    assert told(DAYS, f"HbA1c on {day}")[1] == {"HbA1c": "6.0"}


def test_what_stands_beside_a_label_tells_the_row():
    assert told(CODES, "Which code opens the outer door?")[:2] == ("E17", {"Description": "Opens the outer door"})


def test_a_row_without_a_number_answers_nothing_where_an_amount_is_asked_for():
    table = grid([["recommends", "priority"], ["recommend", "medium"], ["memory", "512 MB"]])
    assert told_by(table, understand("How much priority do you recommend?")).fit == 0
    assert told_by(table, understand("What priority do you recommend?")).fit > 0


def test_a_table_of_contents_answers_nothing():
    rows = [["3 Before you begin", "", ""], ["3.1", "Hardware", "12"], ["3.2", "Minimum memory", "13"]]
    assert told_by(grid(rows), understand("minimum memory")).answer is None
    rows[1][2] = "512"
    assert told_by(grid(rows), understand("minimum memory")).answer is not None
