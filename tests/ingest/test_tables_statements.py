"""Financial statements without ruled cells: one table each, whatever their layout."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pymupdf
import pytest
from statement_pages import BALANCE, CHINESE, Layout, Row, draw_statement
from table_pages import new_page, put, tables_of

from h3cold.ingest.tables.attached import with_heads
from h3cold.ingest.tables.ruled import Grid

TITLE = ("BOREALIS FOODS, INC.", "Consolidated Balance Sheets", "(In thousands)")
STYLES = [
    Layout(signs=True),
    Layout(stripes=True, blank=14, signs=True),
    Layout(rules=True, blank=14, close=True),
    Layout(stripes=True, rules=True),
]


def _widened(rows: list[Row], columns: int) -> list[Row]:
    more = itertools.cycle(("1,204", "(88)", "", "12.5%", "40,319", "7"))
    return [(i, t, (*f, *itertools.islice(more, columns - len(f))) if f else ()) for i, t, f in rows]


def _with_notes(rows: list[Row]) -> list[Row]:
    return [(i, t, (str(n) if n % 3 == 0 else "", *f) if f else ()) for n, (i, t, f) in enumerate(rows)]


def _check(layout: Layout, title: tuple[str, ...], head: tuple[str, ...], rows: list[Row]) -> None:
    page, truth = draw_statement(layout, title, head, rows)
    found = tables_of(page)
    assert len(found) == 1
    assert found[0].table.grid() == truth
    assert found[0].table.header_rows() == 1 + bool(layout.levels)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("levels", [(), (("December 31,", 0, 1),)])
def test_balance_sheet_is_one_table(style, levels):
    layout = replace(style, levels=levels)
    _check(layout, TITLE, ("", "2019", "2018"), BALANCE)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("levels", [(), (("Year ended December 31,", 0, 4),)])
def test_titles_above_five_years_stay_outside(style, levels):
    layout = replace(style, levels=levels, left=60, edge=560, step=62)
    _check(layout, TITLE, ("", "2019", "2018", "2017", "2016", "2015"), _widened(BALANCE, 5))


@pytest.mark.parametrize("style", STYLES)
def test_headings_over_pairs_of_columns(style):
    layout = replace(style, levels=(("Three months", 0, 1), ("Nine months", 2, 3)), left=60, edge=560, step=70)
    _check(layout, TITLE, ("", "2019", "2018", "2019", "2018"), _widened(BALANCE, 4))


@pytest.mark.parametrize("style", STYLES)
def test_column_of_notes_is_kept(style):
    layout = replace(style, levels=(("December 31,", 1, 2),), marked="")
    _check(layout, TITLE, ("", "Note", "2019", "2018"), _with_notes(BALANCE))


@pytest.mark.parametrize("style", STYLES)
def test_chinese_statement(style):
    layout = replace(style, levels=(("合并", 1, 2),), font="china-s", bold="china-s", step=100, marked="", signs=False)
    _check(
        layout, ("合并资产负债表", "编制单位：北辰食品"), ("项目", "附注", "期末余额", "期初余额"), _with_notes(CHINESE)
    )


def test_a_row_of_boxes_is_the_head_of_a_grid_and_not_of_another_shaded_row():
    xs = (72.0, 390.0, 456.0, 470.0, 536.0)

    def grid(*ys: float) -> Grid:
        cells = tuple((r, c, 1, 1) for r in range(len(ys) - 1) for c in range(4))
        return Grid((xs[0], ys[0], xs[-1], ys[-1]), xs, ys, cells)

    head, stripe, body = grid(282, 295), grid(307, 319), grid(307, 319, 331)
    assert with_heads([head, stripe], []) == [head, stripe]
    (joined,) = with_heads([head, body], [])
    assert joined.bbox == (72, 282, 536, 331) and len(joined.ys) == 4 and len(joined.cells) == 12


def test_a_mark_raised_much_behind_a_name_stands_in_its_row():
    page = new_page()
    names = (("Blackrock", "(2)"), ("Vanguard", "(3)"), ("Ableman", "(4)"), ("Baker", ""))
    put(page, 60, 100, "Name")
    put(page, 300, 100, "Shares")
    put(page, 400, 100, "Percent")
    page.draw_line((60, 104), (450, 104))
    for n, (name, mark) in enumerate(names):
        y = 118 + 15 * n
        put(page, 60, y, f"{name} ", font="china-s")
        x = 65 + pymupdf.get_text_length(name, fontname="china-s", fontsize=10)
        page.insert_text((x, y - 5.05), mark, fontname="china-s", fontsize=6.5)
        put(page, 300, y, f"{35 - n},533")
        put(page, 400, y, f"{15 - n}.4")
    page.draw_line((60, 168), (450, 168))
    (table,) = tables_of(page)
    rows = {(c.row, c.col): c.text for c in table.table.cells}
    assert [rows[n + 1, 0] for n in range(4)] == [f"{name} {mark}".strip() for name, mark in names]
