"""Which rows of a table are its header, and which lines are one row."""

from __future__ import annotations

from table_pages import draw_grid, new_page, put, tables_of


def test_names_in_bold_beside_what_they_stand_for_have_no_header():
    page = new_page()
    rows = [("Established", "June 21"), ("Location", "Washington"), ("Method", "Nomination"), ("Term", "For life")]
    for k, (name, value) in enumerate(rows):
        put(page, 72, 100 + 18 * k, name, font="hebo")
        put(page, 200, 100 + 18 * k, value)
        page.draw_line((70, 105 + 18 * k), (320, 105 + 18 * k))
    page.draw_line((70, 86), (320, 86))
    (found,) = tables_of(page)
    assert found.table.grid() == [list(row) for row in rows]
    assert found.table.header_rows() == 0


def test_rows_of_words_between_a_bold_header_and_figures_are_body():
    page = new_page()
    rows = [("", "Indonesia", "Germany"), ("Continent", "Asia", "Europe"), ("Capital", "Jakarta", "Berlin"),
            ("Population", "273,879", "83,190")]  # fmt: skip
    xs, ys = [72.0, 172, 272, 372], [100.0 + 20 * k for k in range(5)]
    draw_grid(page, xs, ys)
    for k, row in enumerate(rows):
        for c, text in enumerate(row):
            put(page, xs[c] + 4, ys[k] + 14, text, font="helv" if k and c else "hebo")
    (found,) = tables_of(page)
    assert found.table.header_rows() == 1


def test_the_mark_of_a_signature_is_no_column():
    page = new_page()
    for x, text in ((110, "SIGNATURE"), (300, "TITLE"), (450, "DATE")):
        put(page, x, 100, text, size=7)
    names = ("MICHAEL MINOR", "ROBERT LONG", "GERALD AUST", "LOUIS E. LATAIF")
    for k, name in enumerate(names):
        put(page, 95 + 4 * k, 116 + 14 * k, "/S/", size=7)
        put(page, 111 + 4 * k, 116 + 14 * k, name, size=7)
        put(page, 300, 116 + 14 * k, "Director", size=7)
        put(page, 450, 116 + 14 * k, "June 4, 2012", size=7)
    (found,) = tables_of(page)
    assert [row[0] for row in found.table.grid()] == ["SIGNATURE", *(f"/S/ {name}" for name in names)]


def test_a_label_that_announces_others_is_a_row_of_its_own():
    page = new_page()
    lines = ["Financings, short-term", "Financings, long-term:", "2018", "2019", "2020", "Total financings"]
    for k, label in enumerate(lines):
        put(page, 72, 120 + 16 * k, label)
        if k != 1:
            put(page, 300, 120 + 16 * k, f"{k + 1},575", right=True)
            page.draw_line((70, 124 + 16 * k), (302, 124 + 16 * k))
    put(page, 72, 104, "In millions")
    put(page, 300, 104, "2016", right=True)
    page.draw_line((70, 108), (302, 108))
    (found,) = tables_of(page)
    assert [row[0] for row in found.table.grid()] == ["In millions", *lines]


def test_tall_cells_with_little_in_them_are_a_table_where_none_is_empty():
    page = new_page()
    xs, ys = [36.0, 216, 396, 576], [250.0, 440, 550]
    draw_grid(page, xs, ys)
    for c, texts in enumerate((("Main text", "Secondary text"), ("Published", "n/a"), ("Print", "n/a"))):
        for r, text in enumerate(texts):
            put(page, xs[c] + 4, ys[r] + 14, text)
    (found,) = tables_of(page)
    assert found.table.grid() == [["Main text", "Published", "Print"], ["Secondary text", "n/a", "n/a"]]


def test_lines_of_a_form_above_a_table_are_none_of_its_header():
    page = new_page()
    for y in (86, 138):
        page.draw_line((60, y), (540, y))
    form = [["性别：男", "年龄：五十岁", "送检科室："], ["门诊号：", "采样时间：六月四日", "样本状态：正常"]]
    head = ["项目", "方法", "结果", "参考范围"]
    body = [["白细胞计数", "仪器法", "3.9", "[4.0-10.0]"], ["淋巴细胞计数", "仪器法", "1.16", "[1.1-3.2]"],
            ["血红蛋白", "仪器法", "159", "[130-175]"], ["血小板计数", "仪器法", "149", "[125-350]"]]  # fmt: skip
    for k, row in enumerate(form):
        for x, text in zip((60, 220, 390), row, strict=True):
            put(page, x, 104 + 14 * k, text, font="china-s", size=9)
    for k, row in enumerate([head, *body]):
        for x, text in zip((60, 240, 350, 450), row, strict=True):
            put(page, x, 152 + 14 * k, text, font="china-s", size=9)
    (found,) = tables_of(page)
    assert found.table.grid() == [head, *body]
    assert found.table.header_rows() == 1
