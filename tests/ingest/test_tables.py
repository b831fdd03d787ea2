"""Tables drawn for the test: what is found, cell by cell, and what is left alone."""

from __future__ import annotations

import pymupdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from table_pages import draw_grid, fill_grid, new_page, put, reread, tables_of

from h3cold.ingest.page_facts import Rule, read_page
from h3cold.ingest.tables import find_tables
from h3cold.ingest.tables.leaders import without_leaders
from h3cold.ingest.tables.rows import Atom

LOREM = (
    "The company reports that its operations continued to develop in line with the plan approved by the board "
    "and that no event after the balance sheet date requires disclosure in these notes. "
)


def test_full_grid_keeps_every_cell_and_its_empty_column():
    page, xs, ys = new_page(), [72, 172, 252, 332, 412], [100, 118, 136, 154]
    rows = [["Region", "Jan", "Feb", "Mar"], ["North", "1", "", "3"], ["South", "4", "", "6"]]
    draw_grid(page, xs, ys)
    fill_grid(page, xs, ys, rows)
    (found,) = tables_of(page)
    assert found.table.grid() == rows
    cell = next(c for c in found.table.cells if c.text == "4")
    assert (cell.row, cell.col) == (2, 1)
    assert cell.bbox == pytest.approx((172, 136, 252, 154), abs=1)
    assert found.table.header_rows() == 1


def test_grid_with_spans_in_both_directions():
    page = new_page()
    xs, ys = [72, 172, 252, 332], [100, 120, 140, 160, 180]
    for y in ys:
        page.draw_line((xs[0] if y != 120 else xs[1], y), (xs[-1], y))
    for x in xs:
        page.draw_line((x, ys[0] if x not in (252,) else ys[1]), (x, ys[-1]))
    put(page, 80, 124, "Product")
    put(page, 220, 114, "Revenue")
    for x, text in ((180, "2022"), (260, "2023")):
        put(page, x, 134, text)
    for y, row in ((154, ("Chips", "10", "12")), (174, ("Boards", "20", "24"))):
        for x, text in zip((76, 180, 260), row, strict=True):
            put(page, x, y, text)
    (found,) = tables_of(page)
    spans = {c.text: (c.row, c.col, c.rowspan, c.colspan) for c in found.table.cells if c.text}
    assert spans["Product"] == (0, 0, 2, 1)
    assert spans["Revenue"] == (0, 1, 1, 2)
    assert spans["2023"] == (1, 2, 1, 1)
    assert spans["24"] == (3, 2, 1, 1)


STATEMENT = [
    ("Cash and cash equivalents", "$", "1,234", "$", "987"),
    ("Accounts receivable, net of allowance", "", "2,345", "", "1,876"),
    ("Loss on investments", "", "(56)", "", "(7)"),
    ("Total current assets", "$", "3,523", "$", "2,856"),
]


def draw_statement(page: pymupdf.Page, y: float = 120, x: float = 72) -> float:
    put(page, x + 300, y, "December 31,", font="hebo")
    page.draw_line((x + 260, y + 3), (x + 420, y + 3))
    put(page, x + 310, y + 16, "2023", right=True, font="hebo")
    put(page, x + 410, y + 16, "2022", right=True, font="hebo")
    for k, (label, sign1, a, sign2, b) in enumerate(STATEMENT):
        line = y + 34 + 14 * k
        put(page, x, line, label)
        for at, sign, value in ((310, sign1, a), (410, sign2, b)):
            if sign:
                put(page, x + at - 60, line, sign)
            put(page, x + at, line, value, right=True)
    return y + 34 + 14 * len(STATEMENT)


def test_financial_statement_without_vertical_rules():
    page = new_page()
    put(page, 200, 80, "CONSOLIDATED BALANCE SHEETS", font="hebo")
    draw_statement(page)
    (found,) = tables_of(page)
    grid = found.table.grid()
    assert found.table.cols == 3
    assert ["Cash and cash equivalents", "$ 1,234", "$ 987"] in grid
    assert ["Loss on investments", "(56)", "(7)"] in grid
    assert grid[found.table.header_rows() - 1][1:] == ["2023", "2022"]
    assert not any("BALANCE" in text for row in grid for text in row)
    head = next(c for c in found.table.cells if c.text == "December 31,")
    assert (head.col, head.colspan, head.header) == (1, 2, True)


def test_leaders_of_signs_without_a_unicode_value_are_no_text():
    def atom(text: str, x: float, line: int = 0) -> Atom:
        return Atom(x, 0, x + 5 * len(text), 10, text, line, 9.0, False, False)

    atoms = [atom("Defense", 10), atom("\x08" + "\ufffd" * 40, 60), atom("\ufffd" * 4, 300), atom("\ufffd" * 40, 10, 1)]
    assert without_leaders(atoms) == [atoms[0], atoms[2], atoms[3]]


def test_dot_leaders_are_no_text_and_wrapped_labels_are_one_cell():
    page = new_page()
    rows = [("Net income", "10"), ("Increase (decrease) in accounts payable, deferred income and accrued", None),
            ("liabilities", "20"), ("Depreciation", "30"), ("Total", "60")]  # fmt: skip
    for k, (label, value) in enumerate(rows):
        y = 100 + 13 * k
        put(page, 82 if label == "liabilities" else 72, y, label)
        if value:
            end = (82 if label == "liabilities" else 72) + pymupdf.get_text_length(label, fontsize=10) + 4
            put(page, end, y, ". " * int((470 - end) / 5.6))
            put(page, 510, y, value, right=True)
            put(page, 560, y, str(int(value) * 2), right=True)
    (found,) = tables_of(page)
    assert found.table.grid() == [
        ["Net income", "10", "20"],
        ["Increase (decrease) in accounts payable, deferred income and accrued liabilities", "20", "40"],
        ["Depreciation", "30", "60"],
        ["Total", "60", "120"],
    ]


def test_two_tables_below_each_other_stay_two():
    page = new_page()
    end = draw_statement(page, 120)
    put(page, 72, end + 30, "The following table shows the same figures for the parent company alone, which are")
    put(page, 72, end + 42, "prepared under the accounting rules of its home country and were not audited at all.")
    draw_statement(page, end + 90)
    found = tables_of(page)
    assert len(found) == 2
    assert found[0].table.grid() == found[1].table.grid()
    assert not found[0].lines & found[1].lines


def test_grids_side_by_side_stay_two():
    page = new_page()
    for x in (72, 330):
        xs, ys = [x, x + 90, x + 180], [100, 118, 136, 154]
        draw_grid(page, xs, ys)
        fill_grid(page, xs, ys, [["Key", f"At {x}"], ["a", "1"], ["b", "2"]])
    found = tables_of(page)
    assert [t.table.grid()[0][1] for t in found] == ["At 72", "At 330"]


def test_table_wrapped_into_two_halves_becomes_two_tables():
    page, xs, ys = new_page(), [72, 172, 252, 352, 432], [100, 118, 136, 154, 172]
    rows = [["Age", "Persons", "Age", "Persons"], ["1 year", "10", "4 years", "13"], ["2 years", "11", "5 years", "14"],
            ["3 years", "12", "6 years", "15"]]  # fmt: skip
    draw_grid(page, xs, ys)
    fill_grid(page, xs, ys, rows)
    first, second = tables_of(page)
    assert first.table.grid() == [row[:2] for row in rows]
    assert second.table.grid() == [row[2:] for row in rows]


@pytest.mark.parametrize("rotate", [90, 270])
def test_table_written_sideways(rotate):
    page = new_page(792, 612)
    draw_statement(page)
    doc = pymupdf.open()
    sideways = doc.new_page(width=612, height=792)
    sideways.show_pdf_page(sideways.rect, page.parent, 0, rotate=rotate)
    (found,) = tables_of(sideways)
    assert ["Loss on investments", "(56)", "(7)"] in found.table.grid()
    for cell in found.table.cells:
        if cell.text == "(56)":
            assert cell.bbox[3] - cell.bbox[1] > cell.bbox[2] - cell.bbox[0]


def test_headings_written_upwards_belong_to_their_columns():
    page, xs, ys = new_page(), [72, 172, 202, 232, 262], [100, 180, 198, 216]
    draw_grid(page, xs, ys)
    put(page, 75, 170, "County")
    for k, name in enumerate(("Adams", "Brown", "Clark")):
        page.insert_text((xs[k + 1] + 18, 175), name, rotate=90, fontsize=10)
    for r, row in enumerate([["Alcona", "1", "2", "3"], ["Curtis", "4", "5", "6"]]):
        for c, text in enumerate(row):
            put(page, xs[c] + 3, ys[r + 1] + 12, text)
    (found,) = tables_of(page)
    assert found.table.grid() == [["County", "Adams", "Brown", "Clark"], ["Alcona", "1", "2", "3"],
                                  ["Curtis", "4", "5", "6"]]  # fmt: skip


def test_rules_across_only_make_rows_of_wrapped_text():
    page = new_page()
    for y in (100, 118, 148, 178, 194):
        page.draw_line((72, y), (520, y))
    for x, text in ((75, "Term"), (200, "Meaning"), (400, "Source")):
        put(page, x, 113, text, font="hebo")
    put(page, 75, 131, "Default")
    put(page, 200, 131, "a payment that was not made")
    put(page, 200, 143, "when it fell due")
    put(page, 400, 131, "clause 4 of the")
    put(page, 400, 143, "general terms")
    put(page, 75, 161, "Notice")
    put(page, 200, 161, "a letter that says what was")
    put(page, 200, 173, "missed and since when")
    put(page, 400, 161, "clause 9")
    put(page, 75, 190, "Cure")
    put(page, 200, 190, "thirty days")
    put(page, 400, 190, "clause 9")
    (found,) = tables_of(page)
    assert found.table.grid() == [
        ["Term", "Meaning", "Source"],
        ["Default", "a payment that was not made when it fell due", "clause 4 of the general terms"],
        ["Notice", "a letter that says what was missed and since when", "clause 9"],
        ["Cure", "thirty days", "clause 9"],
    ]


def test_chinese_statement_joins_lines_without_blanks():
    page, xs, ys = new_page(), [72, 202, 302, 402], [100, 118, 150, 168]
    draw_grid(page, xs, ys)
    rows = [["项目", "期末余额", "期初余额"], ["应收账款", "1,234.00", "987.00"], ["合计", "1,234.00", "987.00"]]
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            put(page, xs[c] + 3, ys[r] + 12, text, font="china-s")
    put(page, 75, 146, "融资", font="china-s")
    (found,) = tables_of(page)
    assert found.table.grid()[1] == ["应收账款融资", "1,234.00", "987.00"]


def prose_column(page: pymupdf.Page, box: tuple[float, float, float, float]) -> None:
    page.insert_textbox(box, LOREM * 5, fontsize=9, align=pymupdf.TEXT_ALIGN_JUSTIFY)


def test_prose_in_two_columns_is_no_table():
    page = new_page()
    prose_column(page, (72, 72, 296, 500))
    prose_column(page, (316, 72, 540, 500))
    assert tables_of(page) == []


def test_a_table_in_one_column_of_two_leaves_the_other_alone():
    page = new_page()
    prose_column(page, (72, 72, 290, 600))
    prose_column(page, (316, 300, 540, 600))
    for k in range(6):
        put(page, 316, 100 + 14 * k, f"Item {k}")
        put(page, 460, 100 + 14 * k, f"{k + 1},234", right=True)
        put(page, 530, 100 + 14 * k, f"{k + 2},567", right=True)
    (found,) = tables_of(page)
    assert found.table.rows == 6
    assert found.bbox[0] > 300


def test_contents_and_lists_are_no_tables():
    page = new_page()
    for k, title in enumerate(("Introduction", "Risk factors", "Properties", "Legal proceedings", "Signatures")):
        put(page, 72, 100 + 16 * k, title)
        put(page, 160, 100 + 16 * k, ". " * 60)
        put(page, 540, 100 + 16 * k, str(3 + 7 * k), right=True)
    for k in range(5):
        put(page, 72, 300 + 16 * k, f"{k + 1}.")
        put(page, 96, 300 + 16 * k, "An item of a list that says something in a short sentence")
    assert tables_of(page) == []


def test_a_bar_chart_is_no_table():
    page = new_page()
    for k, tall in enumerate((40, 80, 65, 120, 90)):
        x = 120 + 50 * k
        page.draw_rect((x, 300 - tall, x + 30, 300), fill=(0.1, 0.3, 0.7), color=None)
        put(page, x + 8, 295 - tall, str(tall))
        put(page, x + 4, 315, str(2019 + k))
        put(page, 90, 300 - 30 * k, str(30 * k), right=True)
    assert tables_of(page) == []


def test_ten_thousand_rules_end_quickly_in_no_table():
    facts = read_page(new_page())
    facts.rules = [Rule(10 + k % 100 * 5, 10 + k // 100 * 7, 14 + k % 100 * 5, 10 + k // 100 * 7, 0.5)
                   for k in range(10_000)]  # fmt: skip
    facts.rules += [Rule(10 + k % 100 * 5, 10 + k // 100 * 7, 10 + k % 100 * 5, 16 + k // 100 * 7, 0.5)
                    for k in range(10_000)]  # fmt: skip
    assert find_tables(facts) == []


words = st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=9)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(2, 5).flatmap(lambda n: st.lists(st.lists(words, min_size=n, max_size=n), min_size=2, max_size=6)))
def test_any_full_grid_comes_back_as_it_was_drawn(rows):
    page = new_page()
    xs = [50 + 90 * c for c in range(len(rows[0]) + 1)]
    ys = [80 + 20 * r for r in range(len(rows) + 1)]
    draw_grid(page, xs, ys)
    fill_grid(page, xs, ys, rows)
    found = tables_of(page)
    got = [[text for t in found for text in t.table.grid()[r]] for r in range(len(rows))]
    assert got == rows


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(st.integers(0, 99_999), min_size=3, max_size=3), min_size=4, max_size=12))
def test_figures_by_alignment_alone_keep_their_places(rows):
    page = new_page()
    for r, row in enumerate(rows):
        put(page, 72, 100 + 14 * r, f"Line {'abcdefghijkl'[r]}")
        for c, value in enumerate(row):
            put(page, 300 + 90 * c, 100 + 14 * r, f"{value:,}", right=True)
    facts = reread(page)
    (found,) = find_tables(facts)
    assert found.table.grid()[-len(rows) :] == [
        [f"Line {'abcdefghijkl'[r]}", *(f"{v:,}" for v in row)] for r, row in enumerate(rows)
    ]
    for cell in found.table.cells:
        assert found.bbox[0] - 0.1 <= cell.bbox[0] and cell.bbox[2] <= found.bbox[2] + 0.1
    assert found.lines == frozenset(range(len(facts.lines)))
