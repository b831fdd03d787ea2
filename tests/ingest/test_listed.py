"""What tells tables from lists of contents: heads, columns of words, and how the last column's numbers run."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from table_pages import new_page, put, tables_of

COLUMNS = (72.0, 230.0, 430.0)
CITIES = ("Fremont", "Oakland", "San Jose")


def grids(rows: Sequence[Sequence[str]], xs: Sequence[float] = COLUMNS) -> list[list[list[str]]]:
    page = new_page()
    for k, row in enumerate(rows):
        for x, text in zip(xs, row, strict=True):
            put(page, x, 100 + 17 * k, text)
    return [[list(row) for row in found.table.grid()] for found in tables_of(page)]


@pytest.mark.parametrize("step", [1, 7, 0])
def test_two_columns_of_words_before_rising_numbers_are_a_table(step: int):
    rows = [[CITIES[k % 3], f"Acme{k} LLC", str(100 + step * k)] for k in range(12)]
    assert grids(rows) == [rows]
    headed = [["City", "Company", "Layoffs"], *rows]
    assert grids(headed) == [headed]


def test_a_head_that_names_no_pages_makes_a_table():
    rows = [["City", "Layoffs"], *([f"{CITIES[k % 3]} office", str(10 + k * k)] for k in range(8))]
    assert grids(rows, (72, 330)) == [rows]
    numbered = [["No.", "Company", "Layoffs"], *([f"{k + 1}.", f"Acme{k} LLC", str(100 + k)] for k in range(8))]
    assert grids(numbered) == [numbered]


def test_titles_with_one_number_are_a_table():
    rows = [[f"Office of {CITIES[k % 3]}", "123"] for k in range(8)]
    assert grids(rows, (72, 330)) == [rows]


@pytest.mark.parametrize("labels", ["Item {}.", "Note {}", "Chapter {}", "{}.1", "{}"])
@pytest.mark.parametrize("head", [[], [["", "", "Page"]], [["Part I", "Financial information", "Page No."]]])
def test_numbered_titles_with_their_pages_are_contents(labels: str, head: list[list[str]]):
    rows = [[labels.format(k + 1), f"Discussion of matter {CITIES[k % 3]}", str(3 + k * 2)] for k in range(10)]
    page = new_page()
    for k, row in enumerate([*head, *rows]):
        for x, text in zip(COLUMNS, row, strict=True):
            if text:
                put(page, x, 100 + 17 * k, text)
    assert tables_of(page) == []


def test_titles_with_their_pages_are_contents():
    rows = [[f"Discussion of matter {k}", str(101 + 3 * k)] for k in range(10)]
    assert grids(rows, (72, 430)) == []
    assert grids([["Index", "Page"], *rows], (72, 430)) == []
    assert grids([[title, f"F-{k + 2}"] for k, (title, _) in enumerate(rows)], (72, 430)) == []


def test_raised_figures_are_no_numbers_of_pages_or_columns():
    raised = [["Founding of towns", "²"], *([f"Chapter on lakes {k}", str(3 + k)] for k in range(9))]
    assert grids(raised, COLUMNS[::2]) in ([], [raised])
    marked = [["Town", "5²", "6³"], *([f"Fremont {k}", f"{k}1.5", f"{k}2.5"] for k in range(6))]
    assert grids(marked) == [marked]
