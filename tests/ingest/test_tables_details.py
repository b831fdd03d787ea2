"""Lines that say more about one cell of the row above."""

from __future__ import annotations

from table_pages import draw_grid, new_page, put, tables_of

ROWS = [("D001", "City Bank", "Staff travel", "920.68"), ("D002", "Air Line", "Staff travel", "907.96"),
        ("D003", "City Bank", "Train fares", "737.94"), ("D004", "Hotel Plaza", "Two nights", "903.90")]  # fmt: skip
MORE = [
    "fare for E Johnson to Springfield",
    "fare for S Cowing to Kansas City",
    "fare for M Berg and return",
    "for K Ford",
]
XS = (60, 140, 240, 480)


def rows(page, y: float) -> float:
    for row, more in zip(ROWS, MORE, strict=True):
        for x, text in zip(XS, row, strict=True):
            put(page, x, y, text, size=8)
        put(page, 240, y + 9, more, size=8)
        y += 20
    return y


def test_lines_below_a_text_in_the_midst_of_a_row_are_in_its_cell():
    page = new_page()
    for x, text in zip(XS, ("No.", "Payee", "Description", "Amount"), strict=True):
        put(page, x, 92, text, size=8, font="hebo")
    rows(page, 110)
    (table,) = tables_of(page)
    grid = table.table.grid()
    assert grid[1:4] == [[a, b, f"{c} {m}", d] for (a, b, c, d), m in zip(ROWS[:3], MORE, strict=False)]
    assert table.table.rows == 5


def test_the_same_below_a_ruled_header_in_a_frame():
    page = new_page()
    draw_grid(page, [50.0, 130.0, 230.0, 470.0, 550.0], [76.0, 98.0])
    for x, text in zip(XS, ("No.", "Payee", "Description", "Amount"), strict=True):
        put(page, x, 90, text, size=8)
    draw_grid(page, [50.0, 550.0], [98.0, rows(page, 114)])
    (table,) = tables_of(page)
    assert table.table.grid()[1][2] == f"{ROWS[0][2]} {MORE[0]}"
    assert table.table.rows == 5
    assert len(table.lines) == 4 + 5 * len(ROWS)


def test_names_of_sections_stay_rows():
    page = new_page()
    y = 100.0
    for n in range(4):
        put(page, 140, y, f"Region {n}", size=8)
        for k in range(2):
            for x, text in zip(XS, (f"D{n}{k}", "Payee", "Things", f"{n}{k}.50"), strict=True):
                put(page, x, y + 10 + 10 * k, text, size=8)
        y += 34
    assert "Region 2" in {cell for t in tables_of(page) for row in t.table.grid() for cell in row}


def test_names_of_sections_over_rows_that_count_anew_are_no_details():
    page = new_page()
    y = 100.0
    for n in range(5):
        for k, mark in enumerate("abc"):
            for x, text in zip(
                XS, (mark, f"Group {n}{k}" + " and others" * (k == 1), "Some of them", f"{n}{k}"), strict=True
            ):
                put(page, x, y + 10 * k, text, size=8)
        put(page, XS[1], y + 30, f"Region {n}", size=8)
        y += 40
    cells = {cell for t in tables_of(page) for row in t.table.grid() for cell in row}
    assert {"Region 0", "Region 3", "Group 02"} <= cells


def test_currency_signs_part_figures_that_stand_close_on_one_line():
    page = new_page()
    xs = (300, 340, 372, 404, 436)
    for n, row in enumerate([["Less than one year", "332", "4,907", "12,595", "7,006"],
                             ["Netting", "862", "6,898", "12,814", "10,227"],
                             ["OTC derivative assets", "$ 2,516", "$ 14,110", "$ 13,447", "$ 15,026"],
                             ["Net exposure", "2,283", "8,366", "8,401", "9,829"]]):  # fmt: skip
        y = 100 + 12 * n
        put(page, 220, y, row[0], size=7.5)
        for x, text in zip(xs[:4], row[1:], strict=True):
            put(page, x + 26, y, text, size=7.5, right=True)
    (table,) = tables_of(page)
    assert table.table.grid()[2] == ["OTC derivative assets", "$ 2,516", "$ 14,110", "$ 13,447", "$ 15,026"]


def test_three_dots_that_stand_for_none_are_cells():
    page = new_page()
    for n, row in enumerate([("Coal", "550.00", "...", "50.00"), ("Posts", "286.70", "513.30", "..."),
                             ("Crops", "...", "3.70", "6.06"), ("Trade", "192.70", "27.30", "75.79")]):  # fmt: skip
        for x, text in zip((60, 200, 300, 400), row, strict=True):
            put(page, x, 100 + 14 * n, text)
    (table,) = tables_of(page)
    assert table.table.grid()[0] == ["Coal", "550.00", "...", "50.00"]
    assert len(table.lines) == 16


def test_a_date_without_figures_is_a_row_over_those_that_are_its():
    page = new_page()
    rows = [
        ("As of December 2016", "", ""),
        ("Less than a year", "332", "490"),
        ("One to five years", "862", "689"),
        ("As of December 2015", "", ""),
        ("Less than a year", "411", "605"),
        ("One to five years", "121", "1,087"),
    ]
    for n, row in enumerate(rows):
        for x, text in zip((60, 300, 400), row, strict=True):
            put(page, x, 100 + 13 * n, text)
    (table,) = tables_of(page)
    assert ["As of December 2015", "", ""] in table.table.grid()
