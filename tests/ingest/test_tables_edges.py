"""Where a table ends: the next table, a chart, a line of units; and where its cells end."""

from __future__ import annotations

from table_pages import draw_grid, fill_grid, new_page, put, tables_of


def test_borders_of_shaded_cells_part_their_texts():
    page, xs, ys = new_page(), [72, 172, 252, 342, 412], [100, 130, 148, 166]
    for r in range(3):
        for c in range(4):
            shade = (0.9, 0.92, 0.95) if r == 0 else None
            page.draw_rect((xs[c], ys[r], xs[c + 1], ys[r + 1]), color=(0.3, 0.3, 0.3), fill=shade, width=0.6)
    for c, text in enumerate(("Measure", "2023", "Change on the", "2021")):
        put(page, xs[c] + 3, 112 if c == 2 else 118, text)
    put(page, 290, 124, "year (%)")
    fill_grid(page, xs, ys[1:], [["Sales", "10", "8.4", "9"], ["Cost", "7", "6.7", "6"]])
    (found,) = tables_of(page)
    assert found.table.grid() == [["Measure", "2023", "Change on the year (%)", "2021"], ["Sales", "10", "8.4", "9"],
                                  ["Cost", "7", "6.7", "6"]]  # fmt: skip
    assert found.table.header_rows() == 1


def test_a_table_of_three_rules_close_below_a_grid_is_another():
    page, xs, ys = new_page(), [72, 192, 302, 412], [100, 118, 136, 154]
    first = [["Figure", "2023", "2022"], ["Sales", "186", "171"], ["Cost", "121", "114"]]
    second = [["Ratio", "2023", "2022"], ["Turnover", "4.55", "4.21"], ["Debt", "38.6", "41.2"]]
    draw_grid(page, xs, ys)
    fill_grid(page, xs, ys, first)
    for y in (164, 182, 218):
        page.draw_line((72, y), (412, y))
    fill_grid(page, xs, [164, 182, 200], second)
    found = tables_of(page)
    assert [t.table.grid() for t in found] == [first, second]
    assert [t.table.header_rows() for t in found] == [1, 1]
