"""The metrics, on values worked out by hand and by their invariants."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.ingest.scores import Tally, adjacency, edit_distance, indel, match_boxes, normalised, relations, teds
from h3cold.schemas.page import Cell, Table

BOX = (0.0, 0.0, 1.0, 1.0)


def table(rows: list[list[str]]) -> Table:
    cells = tuple(Cell(r, c, text, BOX) for r, row in enumerate(rows) for c, text in enumerate(row))
    return Table(len(rows), len(rows[0]), cells)


def test_relations_look_through_blank_cells_and_count_spans_once():
    assert relations(table([["a", "", "b"], ["c", "d", "e"]])) == {
        ("a", "b", "right"): 1, ("c", "d", "right"): 1, ("d", "e", "right"): 1,
        ("a", "c", "down"): 1, ("b", "e", "down"): 1,
    }  # fmt: skip
    spanning = Table(2, 2, (Cell(0, 0, "h", BOX, colspan=2), Cell(1, 0, "x", BOX), Cell(1, 1, "y", BOX)))
    assert relations(spanning) == {("x", "y", "right"): 1, ("h", "x", "down"): 1, ("h", "y", "down"): 1}


def test_adjacency_of_a_missing_and_of_a_false_table():
    one = table([["a", "b"], ["c", "d"]])
    assert adjacency(one, one) == Tally(4, 4, 4)
    assert adjacency(None, one) == Tally(0, 0, 4)
    assert adjacency(one, None) == Tally(0, 4, 0)


def test_tally():
    tally = Tally(3, 4, 6).plus(Tally(1, 1, 2))
    assert (tally.precision, tally.recall) == (0.8, 0.5)
    assert tally.f1 == pytest.approx(2 * 0.8 * 0.5 / 1.3)
    assert Tally().f1 == 1.0


def test_normalised_text():
    assert normalised("Net  income . . . . . .") == "netincome"
    assert normalised("2022–23") == normalised("2022-23")


def test_boxes_are_matched_best_first_and_once():
    found = [(0, 0, 10, 10), (0, 0, 10, 9), (50, 50, 60, 60)]
    expected = [(0, 0, 10, 9.5), (100, 100, 110, 110)]
    assert len(match_boxes(found, expected)) == 1
    assert match_boxes([(0, 0, 10, 4)], [(0, 0, 10, 10)]) == []


def test_teds_worked_out_by_hand():
    one = table([["ab", "cd"], ["ef", "gh"]])
    assert teds(one, one) == 1.0
    assert teds(None, one) == 0.0
    # of 7 nodes (table, 2 tr, 4 td) one cell differs in one of its two letters
    assert teds(table([["ab", "cd"], ["ef", "gx"]]), one) == pytest.approx(1 - 0.5 / 7)
    # a whole row (tr and two td) is missing
    assert teds(table([["ab", "cd"]]), one) == pytest.approx(1 - 3 / 7)
    # rows in place of columns: more steps than either has nodes
    assert teds(table([[""], ["aa"], ["aaa"], ["a"]]), table([["a", "a", "a"], ["", "", ""]])) == 0.0
    spanning = Table(1, 2, (Cell(0, 0, "ab", BOX, colspan=2),))
    assert teds(spanning, table([["ab"]])) == pytest.approx(1 - 1 / 3)


texts = st.text(alphabet="abc", max_size=12)


@given(texts, texts)
def test_indel_is_the_longest_common_subsequence(a, b):
    longest = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            longest[i + 1][j + 1] = longest[i][j] + 1 if x == y else max(longest[i][j + 1], longest[i + 1][j])
    expected = 2 * longest[-1][-1] / (len(a) + len(b)) if a or b else 1.0
    assert indel(a, b) == pytest.approx(expected)


grids = st.integers(1, 3).flatmap(lambda n: st.lists(st.lists(texts, min_size=n, max_size=n), min_size=1, max_size=4))


@given(grids, grids)
def test_teds_is_symmetric_and_within_bounds(a, b):
    first, second = table(a), table(b)
    assert 0.0 <= teds(first, second) <= 1.0
    assert teds(first, second) == pytest.approx(teds(second, first))
    assert teds(first, first) == 1.0


@given(st.text("ab中", max_size=12), st.text("ab中", max_size=12))
def test_edit_distance_is_levenshteins(a: str, b: str) -> None:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        corner, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (x != y))
    assert edit_distance(a, b) == row[-1]
