"""Rows of one label under several, columns that are named by their group, rows of months."""

import pytest

from h3cold.recall.head_words import is_whole, led_to
from h3cold.recall.row_groups import with_groups
from h3cold.recall.structure import told_by
from h3cold.recall.table_rows import rows_of
from h3cold.recall.understand import tokens_of, understand
from h3cold.schemas.page import Cell, Table

FLIGHTS = [
    ["", "Domestic", "International", "TTL"],
    ["TTL Trips", "800", "90", "890"],
    ["Trips delayed", "16", "5", "21"],
    ["Due to weather", "4", "2", "6"],
    ["Mechanical reasons", "9", "3", "12"],
    ["Other causes", "3", "0", "3"],
    ["Trips cancelled", "7", "3", "10"],
    ["Due to weather", "6", "1", "7"],
    ["Mechanical reasons", "1", "2", "3"],
    ["Trips returned", "2", "2", "4"],
    ["Due to weather", "2", "2", "4"],
]
LINES = [
    ["", "", "2023"],
    ["Cancelled", "Weather", "7"],
    ["", "Repairs", "3"],
    ["Delayed", "Weather", "6"],
    ["", "Repairs", "12"],
]


def grid(rows, spans=(), inset=()):
    """A table of one row of heads, or of two where `spans` tells how many columns each cell of the first is over."""
    cells = []
    for r, line in enumerate(rows):
        for c, text in enumerate(line):
            left = c * 90.0 + (10 if c == 0 and text in inset else 0)
            box = (left, r * 10.0, c * 90.0 + 89, r * 10.0 + 9)
            span = spans[c] if spans and r == 0 else 1
            head = r < (2 if spans else 1)
            cells += [Cell(r, c, text, box, colspan=span, header=head)] if text else []
    return Table(len(rows), len(rows[0]), tuple(cells))


def told(table, text):
    answer = told_by(table, understand(text)).answer
    return answer.row, answer.values


@pytest.mark.parametrize(
    ("question", "row", "value"),
    [
        ("domestic trips cancelled due to weather", "Trips cancelled > Due to weather", "6"),
        ("international trips delayed for mechanical reasons", "Trips delayed > Mechanical reasons", "3"),
        ("trips returned due to weather in total", "Trips returned > Due to weather", "4"),
        ("trips cancelled for mechanical reasons", "Trips cancelled > Mechanical reasons", "3"),
        ("cancelled due to weather", "Trips cancelled > Due to weather", "7"),
        ("how many trips were delayed", "Trips delayed", "21"),
        ("other causes of delayed trips", "Other causes", "3"),
    ],
)
def test_a_row_is_chosen_and_told_by_the_one_whose_part_it_is(question, row, value):
    assert told(grid(FLIGHTS), question) == (row, (value,))


def test_a_row_fits_less_where_its_heading_is_open():
    said, open_ = (
        told_by(grid(FLIGHTS), understand(q)).fit for q in ("trips cancelled due to weather", "due to weather")
    )
    assert open_ < said


def groups(rows, **how):
    table = grid(rows, **how)
    return [row.group for row in with_groups(list(rows_of(table, table.grid(), 1)), table.grid(), table)]


def test_rows_are_parts_by_their_sum_by_where_they_begin_or_by_coming_alike():
    rates = [["", "2023"], ["Young", "51"], ["Own a car", "20"], ["Old", "40"], ["Own a car", "70"]]
    assert groups(rates) == ["", "", "", ""]
    assert groups(rates, inset={"Own a car"}) == ["", "Young", "", "Old"]
    sums = [["", "2023"], ["Boys", "5"], ["At home", "3"], ["Away", "2"], ["Girls", "9"], ["At home", "9"]]
    assert groups(sums) == ["", "Boys", "Boys", "", "Girls"]
    alike = [["", "2023"], ["A", "1"], ["Men", "7"], ["Women", "8"], ["B", "2"], ["Men", "6"], ["Women", "9"]]
    assert groups(alike) == ["", "A", "A", "", "B", "B"]


def test_sums_and_lone_others_are_no_parts_of_the_row_above_them():
    sheet = [
        ["", "2023"],
        ["Stocks", "5"],
        ["Other", "3"],
        ["Total", "8"],
        ["Debts", "4"],
        ["Other", "1"],
        ["Total", "5"],
    ]
    assert groups(sheet) == [""] * 6


def test_labels_that_follow_each_other_are_parts_of_nothing():
    assert groups([["", "2023"], ["Net", "5"], ["Net", "3"], ["Cash", "8"], ["Net", "1"]]) == [""] * 4


def test_a_first_cell_stands_for_the_empty_ones_below_it():
    assert told(grid(LINES), "delayed by weather in 2023") == ("Delayed > Weather", ("6",))
    assert told(grid(LINES), "cancelled for repairs in 2023") == ("Cancelled > Repairs", ("3",))
    people = [["", "", "2023"], ["Ann Lee", "Director", "5"], ["", "Chair of audit", "6"], ["Bo Yu", "Member", "7"]]
    assert groups(people) == ["", "", ""]


ROUTES = [
    ["Route", "North", "South", "West Group TTL", "", ""],
    ["", "Home PAX", "Home PAX", "Home PAX", "Abroad PAX", "GROUP TOTAL"],
    ["Cancelled", "4", "51", "227", "2", "229"],
]


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("how many South trips were cancelled", ("51",)),
        ("how many West Group trips were cancelled", ("229",)),
        ("West trips cancelled", ("229",)),
        ("West home trips cancelled", ("227",)),
        ("trips cancelled", ("229",)),
        ("trips cancelled by line", ("4", "51", "227", "2", "229")),
    ],
)
def test_columns_are_named_by_their_group_and_a_sum_stands_for_its_parts(question, values):
    assert told(grid(ROUTES, spans=(1, 1, 1, 3, 1, 1)), question)[1] == values


def test_a_head_of_initials_is_named_by_their_words():
    paths = [("2015", "Pax"), ("2015", "RPK (000)"), ("2015", "L/F(%)")]
    asked = "load factor to Europe"
    assert led_to(paths, tokens_of(asked), asked) == [2]
    assert led_to(paths, tokens_of("revenue passenger kilometres"), "revenue passenger kilometres") == [1]
    assert led_to(paths, tokens_of("trips to Europe"), "trips to Europe") == []


@pytest.mark.parametrize(
    ("path", "whole"),
    [(("JAL", "JAL TTL"), True), (("合计",), True), (("Total shares",), False), ((), False), (("JAL",), False)],
)
def test_a_sum_of_columns_says_nothing_else(path, whole):
    assert is_whole(path) is whole
