"""Where a table ends: the next table, a chart, a line of units; and where its cells end."""

from __future__ import annotations

import pymupdf
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


def statement(page, y: float, rows: list[tuple[str, str, str]]) -> None:
    for k, (label, a, b) in enumerate(rows):
        put(page, 76, y + 16 * k, label, font="china-s", size=9)
        put(page, 390, y + 16 * k, a, right=True, font="china-s", size=9)
        put(page, 518, y + 16 * k, b, right=True, font="china-s", size=9)


def test_the_line_of_units_above_a_statement_is_no_header():
    page = new_page()
    rows = [("项目", "2023年度", "2022年度"), ("一、营业总收入", "186,420.35", "171,905.62"),
            ("减：营业成本", "121,873.10", "114,230.48"), ("二、营业利润", "26,246.68", "21,125.02")]  # fmt: skip
    put(page, 518, 100, "单位：万元 币种：人民币", right=True, font="china-s", size=10)
    statement(page, 118, rows)
    (found,) = tables_of(page)
    assert found.table.grid() == [list(row) for row in rows]
    assert found.table.header_rows() == 1


def test_a_shaded_first_row_is_the_header_and_stripes_are_none():
    for shaded, header in (((0,), 1), ((0, 2), 0), ((0, 1, 2, 3), 0)):
        page, xs, ys = new_page(), [72, 172, 412], [100, 118, 136, 154, 172]
        for r in shaded:
            page.draw_rect((72, ys[r], 412, ys[r + 1]), color=None, fill=(0.85, 0.9, 0.95))
        draw_grid(page, xs, ys)
        rows = [["Entry", "What it says"], ["Name", "Larkspur"], ["Place", "Duluth"], ["Secretary", "A. Moreau"]]
        fill_grid(page, xs, ys, rows)
        (found,) = tables_of(page)
        assert found.table.grid() == rows
        assert found.table.header_rows() == header


def test_headings_of_two_lines_beside_headings_of_one():
    page = new_page()
    for y in (100, 124, 178):
        page.draw_line((72, y), (420, y))
    for x, lines in ((76, ["Method"]), (230, ["MAE", "(%)"]), (300, ["Max (%)"]), (372, ["Energy", "(uJ)"])):
        for k, text in enumerate(lines):
            wide = pymupdf.get_text_length(text, fontname="hebo", fontsize=8.5)
            put(
                page, x + (40 - wide) / 2, (114.5 if len(lines) == 1 else 109.5) + 10.5 * k, text, font="hebo", size=8.5
            )
    rows = [["No correction", "1.14", "3.62", "41"], ["Stored offset", "0.71", "2.05", "41"],
            ["Cross-correlation", "0.48", "1.33", "96"], ["Proposed", "0.23", "0.61", "44"]]  # fmt: skip
    for r, row in enumerate(rows):
        put(page, 76, 134 + 13 * r, row[0], size=8.5)
        for x, text in zip((270, 340, 412), row[1:], strict=True):
            put(page, x, 134 + 13 * r, text, right=True, size=8.5)
    (found,) = tables_of(page)
    assert found.table.grid() == [["Method", "MAE (%)", "Max (%)", "Energy (uJ)"], *rows]
    assert found.table.header_rows() == 1


def test_numbered_headings_matrices_and_running_feet_are_no_tables():
    page = new_page()
    page.draw_line((72, 96), (520, 96))
    page.draw_line((72, 176), (520, 176))
    for k, (mark, text) in enumerate((("11.2", "Overview of risks"), ("•", "Forms may rely on what is outside of them"),
                                      ("•", "Forms may look different from what was meant"),
                                      ("11.3", "History of interactive features"))):  # fmt: skip
        put(page, 72, 110 + 20 * k, mark)
        put(page, 110, 110 + 20 * k, text)
    page.draw_line((72, 722), (520, 722))
    for k, row in enumerate((("Author:", "J. Rivers", "Draft"), ("Date:", "20-10-2009", "Plan"),
                             ("Version:", "0.2", "Page: 37"))):  # fmt: skip
        for x, text in zip((72, 150, 400), row, strict=True):
            put(page, x, 735 + 10 * k, text, size=8)
    assert tables_of(page) == []


def test_the_heading_of_the_next_section_is_no_row():
    page = new_page()
    for y in (100, 116, 148):
        page.draw_line((72, y), (500, y))
    page.draw_line((72, 178), (500, 178))
    rows = [["Feature", "Support from version"], ["Forms", "PDF 1.2"], ["Forms of the newer kind", "PDF 1.5"]]
    for k, row in enumerate(rows):
        for x, text in zip((76, 378), row, strict=True):
            put(page, x, 112 + 15 * k, text, size=11, font="helv" if k else "hebo")
    put(page, 72, 174, "11.4", size=12)
    put(page, 110, 174, "Identification", size=12)
    (found,) = tables_of(page)
    assert found.table.grid() == rows


def test_rows_by_alignment_in_a_frame_below_a_ruled_header():
    page, xs = new_page(), [72, 152, 282, 352, 532]
    draw_grid(page, xs, [100, 118])
    page.draw_rect((72, 118, 532, 240))
    fill_grid(page, xs, [100], [["Number", "Payee", "Date", "Description"]])
    rows = [["D-1", "Travel card", "03/04/2019", "Transport"], ["D-2", "Senator card", "03/10/2019", "Meals"],
            ["D-3", "Travel card", "03/21/2019", "Rent"], ["D-4", "Payroll", "04/16/2019", "Salaries"]]  # fmt: skip
    for r, row in enumerate(rows):
        for x, text in zip(xs, row, strict=False):
            put(page, x + 3, 134 + 26 * r, text)
    put(page, xs[3] + 3, 146, "Airfare to Saint Louis")
    (found,) = tables_of(page)
    grid = found.table.grid()
    assert grid[0] == ["Number", "Payee", "Date", "Description"]
    assert [row[:3] for row in grid[1:] if row[0]] == [row[:3] for row in rows]
    assert all(row[3].startswith(want[3]) for row, want in zip([r for r in grid[1:] if r[0]], rows, strict=True))
    assert any("Airfare" in row[3] for row in grid)


def test_a_label_at_middle_height_of_two_unruled_rows_spans_both():
    page, xs, ys = new_page(), [72, 132, 212, 292], [100, 118, 148, 178]
    draw_grid(page, xs, ys)
    fill_grid(page, xs, [100], [["Layers", "Language", "Score"]])
    for k, (label, a, b) in enumerate((("6", "0.965", "0.969"), ("4", "0.938", "0.952"))):
        put(page, 95, 136.5 + 30 * k, label)
        for n, (name, value) in enumerate((("OTSL", a), ("HTML", b))):
            put(page, 150, 130 + 13 * n + 30 * k, name)
            put(page, 240, 130 + 13 * n + 30 * k, value)
    (found,) = tables_of(page)
    assert found.table.grid() == [["Layers", "Language", "Score"], ["6", "OTSL", "0.965"], ["", "HTML", "0.969"],
                                  ["4", "OTSL", "0.938"], ["", "HTML", "0.952"]]  # fmt: skip
    assert [(c.text, c.row, c.rowspan) for c in found.table.cells if c.rowspan > 1] == [("6", 1, 2), ("4", 3, 2)]


def test_paragraphs_in_four_boxes_are_no_table():
    page, xs, ys = new_page(), [60, 300, 540], [100, 190, 280]
    draw_grid(page, xs, ys)
    words = (
        "The committee reviewed the figures of the quarter and found that the margin had improved because the plant "
    )
    for x in xs[:2]:
        for y in ys[:2]:
            page.insert_textbox((x + 5, y + 5, x + 235, y + 85), words * 2, fontsize=9)
    assert tables_of(page) == []


def test_signatures_side_by_side_are_no_table():
    page = new_page()
    for k, (left, right) in enumerate((("Party A (seal):", "Party B (seal):"), ("Signed by:", "Signed by:"),
                                       ("Date: 16 May 2023", "Date: 16 May 2023"))):  # fmt: skip
        put(page, 72, 500 + 24 * k, left)
        put(page, 320, 500 + 24 * k, right)
    assert tables_of(page) == []


def test_text_wrapped_around_a_table_is_no_part_of_it():
    page = new_page()
    lines = [
        "Ownership of phones is",
        "low along the whole age",
        "range of older people and",
        "then falls off steeply",
    ] * 4
    for k, text in enumerate(lines[:14]):
        put(page, 67, 150 + 16 * k, text, font="tiro", size=11)
    for k, wide in enumerate(("goes on below the table over the full width of the page, as here it does.",) * 3):
        put(page, 67, 150 + 16 * (14 + k), f"{wide} {wide[:30]}", font="tiro", size=11)
    rows = [("", "Cell phone", "Smartphone"), ("Total", "77%", "18%"), ("Age", "", ""), ("65-69", "84", "29"),
            ("70-74", "84", "21"), ("75-79", "72", "10"), ("80+", "61", "5"), ("Income", "", ""),
            ("<$30,000", "67", "8"), ("$75,000+", "92", "42")]  # fmt: skip
    for k, (label, *values) in enumerate(rows):
        put(page, 260, 165 + 14.3 * k, label, size=8)
        for x, text in zip((430, 520), values, strict=True):
            put(page, x, 165 + 14.3 * k, text, size=8, right=True)
    found = tables_of(page)
    assert [t.table.grid() for t in found] == [[list(row) for row in rows]]


def test_sign_at_the_end_of_a_figure_goes_to_the_next_one():
    page = new_page()
    put(page, 440, 100, "Chair", right=True)
    put(page, 540, 100, "Member", right=True)
    rows = (("Audit", "30,000", "15,000"), ("Pay", "20,000", "10,000"), ("Board", "5,000", "1"))
    for k, (label, a, b) in enumerate(rows):
        put(page, 72, 114 + 14 * k, label)
        put(page, 446, 114 + 14 * k, f"{a} $", right=True)
        put(page, 400, 114 + 14 * k, "$", right=True)
        put(page, 540, 114 + 14 * k, b, right=True)
    grids = [t.table.grid() for t in tables_of(page)]
    assert grids == [[["", "Chair", "Member"], ["Audit", "$ 30,000", "$ 15,000"], ["Pay", "$ 20,000", "$ 10,000"],
                      ["Board", "$ 5,000", "$ 1"]]]  # fmt: skip


def test_labels_of_a_chart_below_the_closing_rule_are_no_rows():
    page = new_page()
    for y in (100, 117, 162):
        page.draw_line((60, y), (530, y), width=0.6)
    rows = [("Segment", "2010", "2009"), ("Gathering", "699,385", "680,072"), ("Storage", "433,002", "601,982")]
    for n, (name, *values) in enumerate([*rows, ("Total", "779,518", "635,316")]):
        y = 113 + 15 * n
        put(page, 60, y, name)
        for x, value in zip((400, 526), values, strict=True):
            put(page, x, y, value, right=True)
    for x, height, value in ((97, 80, "1,447"), (183, 95, "1,597"), (354, 110, "1,917"), (438, 110, "1,912")):
        page.draw_rect((x, 300 - height, x + 50, 300), fill=(0.2, 0.4, 0.6), color=None)
        put(page, x, 297 - height, value, size=8)
    (found,) = tables_of(page)
    assert found.table.grid()[-1] == ["Total", "779,518", "635,316"]
    assert (found.table.rows, found.table.cols) == (4, 3)


def test_a_wrapped_label_beside_one_line_of_figures_is_one_row():
    page = new_page()
    xs, ys = [60.0, 160.0, 260.0, 360.0, 520.0], [100.0, 124.0, 172.0, 196.0]
    draw_grid(page, xs, ys)
    fill_grid(page, xs, [100.0, 124.0], [["Holder", "Share", "Number", "Remark"]])
    fill_grid(page, xs, [172.0, 196.0], [["Able", "9.33%", "81,494", "none"]])
    for n, line in enumerate(["Fund of the bank -", "third plan for", "all employees"]):
        put(page, 64, 136 + 13 * n, line)
    for x, text in ((164, "1.23%"), (264, "10,739")):
        put(page, x, 149, text)
    for n, line in enumerate(["pledged in part,", "see below"]):
        put(page, 364, 142 + 13 * n, line)
    (table,) = tables_of(page)
    assert table.table.grid()[1] == [
        "Fund of the bank - third plan for all employees", "1.23%", "10,739", "pledged in part, see below",
    ]  # fmt: skip


def test_words_above_a_striped_grid_are_its_header():
    page = new_page()
    xs, ys = [60.0, 160.0, 260.0, 360.0, 460.0], [130.0, 150.0, 170.0]
    draw_grid(page, xs, ys)
    fill_grid(page, xs, ys, [["Kruger", "1.9", "56.4", "846"], ["Stine", "1.8", "55.3", "830"]])
    put(page, 262, 113, "Yield")
    for x, text in zip(xs, ["Company", "Mat.", "Bu/A", "Income"], strict=False):
        put(page, x + 2, 125, text)
    put(page, 60, 80, "A sentence over the table that reaches across all of its columns and more")
    (table,) = tables_of(page)
    assert table.table.grid() == [
        ["Company", "Mat.", "Yield Bu/A", "Income"], ["Kruger", "1.9", "56.4", "846"], ["Stine", "1.8", "55.3", "830"],
    ]  # fmt: skip
    assert [c.header for c in table.table.cells] == [True] * 4 + [False] * 8


def test_a_sentence_right_above_a_grid_is_no_header():
    page = new_page()
    xs, ys = [60.0, 160.0, 260.0, 360.0, 460.0], [130.0, 150.0, 170.0]
    draw_grid(page, xs, ys)
    fill_grid(page, xs, ys, [["Kruger", "1.9", "56.4", "846"], ["Stine", "1.8", "55.3", "830"]])
    put(page, 62, 125, "The yields of all varieties that were tested in the county, in bushels an acre")
    (table,) = tables_of(page)
    assert table.table.rows == 2


def test_lines_of_a_wrapped_cell_set_far_apart_are_one_row():
    page, xs, ys = new_page(), [72, 172, 252, 352], [100, 124, 200, 224]
    draw_grid(page, xs, ys)
    for k, row in enumerate((["股东名称", "性质", "数量"], [], ["史宇波", "境内自然人", "3,992,100"])):
        for x, text in zip(xs, row, strict=False):
            put(page, x + 3, ys[k] + 16, text, font="china-s", size=9)
    for k, line in enumerate(("泰达宏利基金－", "民生银行－泰达宏利", "策略分级三十一号资", "产管理计划")):
        put(page, 75, 118 + 17 * (k + 1), line, font="china-s", size=9)
    put(page, 175, 160, "基金", font="china-s", size=9)
    put(page, 255, 160, "10,739,518", font="china-s", size=9)
    (found,) = tables_of(page)
    assert found.table.grid() == [
        ["股东名称", "性质", "数量"],
        ["泰达宏利基金－民生银行－泰达宏利策略分级三十一号资产管理计划", "基金", "10,739,518"],
        ["史宇波", "境内自然人", "3,992,100"],
    ]


def test_rules_beside_dark_cells_alone_part_the_rows_of_the_open_columns():
    page, xs, ys = new_page(), [72, 372, 440], [100 + 14 * k for k in range(8)]
    rows = [["Any injury", "1.9", "2.1"], ["Acute illness", "4.5", "5.6"], ["Chronic illness", "5.1", "4.1"],
            ["Disease of the heart", "8.9", "9.3"], ["Persons with fever", "2.2", "1.5"]]  # fmt: skip
    for y in ys:
        page.draw_line((xs[1], y), (xs[2], y))
    for x in xs:
        page.draw_line((x, ys[0]), (x, ys[-1]))
    for y in (ys[0], ys[1], ys[2], ys[-1]):
        page.draw_line((xs[0], y), (xs[2], y))
    for r in range(2, 7):
        page.draw_rect((374, ys[r] + 1, 404, ys[r + 1] - 1), fill=(0.3, 0.3, 0.3), color=None)
        page.draw_rect((408, ys[r] + 1, 438, ys[r + 1] - 1), fill=(0.3, 0.3, 0.3), color=None)
    for r, row in enumerate([["Indicators", "Total", "Rural"], ["", "2013", "2013"], *rows]):
        for x, text in zip((76, 260, 320), row, strict=True):
            put(page, x, ys[r] + 10, text, size=9)
    put(page, 376, 110, "Before", size=9)
    (found,) = tables_of(page)
    assert [row[:3] for row in found.table.grid()][-5:] == rows
