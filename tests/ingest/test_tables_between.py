"""Tables beside other things: between rules, captions, charts and formulas."""

from __future__ import annotations

from table_pages import draw_grid, fill_grid, new_page, put, tables_of

from h3cold.ingest.figures import find_figures
from h3cold.ingest.page_facts import read_page


def test_a_label_and_a_paragraph_between_rules_are_a_row():
    page = new_page()
    sentence = "The answer to the question is found by looking at what the words say about the time of the event. "
    for y in (84, 100, 160, 220, 280):
        page.draw_line((108, y), (505, y))
    put(page, 114, 96, "dataset")
    put(page, 222, 96, "example")
    for k in range(3):
        put(page, 114, 112 + 60 * k, f"Question set {k}")
        page.insert_textbox((222, 102 + 60 * k, 503, 160 + 60 * k), f"Case {k}: " + sentence * 2, fontsize=9)
    (found,) = tables_of(page)
    assert [row[0] for row in found.table.grid()] == ["dataset", *(f"Question set {k}" for k in range(3))]
    assert found.table.cols == 2
    assert found.table.grid()[2][1].startswith("Case 1: The answer")


def test_paragraphs_between_rules_are_no_rows():
    page = new_page()
    sentence = "The answer to the question is found by looking at what the words say about the time of the event. "
    for y in (84, 160, 220, 280):
        page.draw_line((108, y), (505, y))
    for k in range(3):
        page.insert_textbox((110, 102 + 60 * k, 503, 160 + 60 * k), f"Case {k}: " + sentence * 2, fontsize=9)
    assert tables_of(page) == []


def test_the_colour_behind_words_in_a_ruled_cell_is_no_cell():
    page = new_page()
    xs, ys = [72.0, 172, 272, 372], [100.0, 126, 146, 166]
    page.draw_rect((178, 106, 266, 120), fill=(0.8, 0.8, 0.8), color=None, width=0)
    draw_grid(page, xs, ys)
    rows = [["Goal", "Measure", "Target"], ["A", "time", "late"], ["B", "cost", "low"]]
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            put(page, xs[c] + 10, ys[r] + 15, text)
    (found,) = tables_of(page)
    assert found.table.grid() == rows


def test_a_matrix_in_brackets_of_one_piece_is_no_table():
    page = new_page()
    for k, row in enumerate((("(1", "0", "5)", "x", "3"), ("0", "1", "7", "y", "2"), ("4", "2", "8", "z", "1"))):
        for c, text in enumerate(row):
            put(page, 200 + 40 * c, 300 + 14 * k, text)
    assert tables_of(page) == []


def test_a_caption_between_two_grids_parts_them():
    page, xs = new_page(), [72, 192, 302, 412]
    first = [["Figure", "2023", "2022"], ["Sales", "186", "171"], ["Cost", "121", "114"]]
    second = [["Ratio", "2023", "2022"], ["Turnover", "4.55", "4.21"], ["Debt", "38.6", "41.2"]]
    draw_grid(page, xs, [100, 118, 136, 154])
    fill_grid(page, xs, [100, 118, 136, 154], first)
    put(page, 180, 172, "Table 7.6 Ratios")
    draw_grid(page, xs, [180, 198, 216, 234])
    fill_grid(page, xs, [180, 198, 216, 234], second)
    assert [t.table.grid() for t in tables_of(page)] == [first, second]


def test_a_head_of_boxes_set_apart_from_its_grid_belongs_to_it():
    page, xs = new_page(), [72, 192, 302, 412]
    draw_grid(page, xs, [100, 118])
    fill_grid(page, xs, [100, 118], [["Figure", "Source", "Fine"]])
    body = [["Conduct", "CR 601", "5000"], ["Neglect", "CR 602", "2500"]]
    draw_grid(page, xs, [130, 148, 166])
    fill_grid(page, xs, [130, 148, 166], body)
    (found,) = tables_of(page)
    assert found.table.grid() == [["Figure", "Source", "Fine"], *body]


def test_figures_on_the_bars_of_a_chart_are_no_table():
    page = new_page()
    put(page, 80, 100, "$ million")
    put(page, 260, 100, "Plan")
    for x, y, text in ((80, 130, "7.7"), (160, 130, "8.2"), (220, 130, "7.8"), (80, 155, "5.0"), (80, 180, "2.5"),
                       (220, 180, "2.3"), (300, 180, "2.3")):  # fmt: skip
        put(page, x, y, text)
    assert tables_of(page) == []


def test_rows_between_rules_hold_a_label_and_a_text_below_the_rule_of_a_header():
    page = new_page()
    put(page, 72, 40, "A running title")
    page.draw_line((72, 46), (412, 46))
    for y in (200, 250, 300, 350):
        page.draw_line((73, y), (411, y))
    told = ("The first of these lines fills its column here", "and so does the second that goes on below it")
    for y, label in ((216, "Question"), (266, "Principles"), (316, "Answer")):
        put(page, 76, y, label)
        for k, text in enumerate(told):
            put(page, 150, y + 13 * k, text)
    (found,) = tables_of(page)
    assert found.table.grid() == [[label, " ".join(told)] for label in ("Question", "Principles", "Answer")]


def test_arrows_made_of_letters_are_no_table():
    page = new_page()
    rows = [("Makefile.am -+", "", "+-> Makefile.in"), ("src/Makefile.am -+", "", "+-> src/Makefile.in"),
            ("", "|", "+-> config.h.in"), ("", "automake", "")]  # fmt: skip
    for k, row in enumerate(rows):
        for x, text in zip((72, 200, 260), row, strict=True):
            put(page, x, 100 + 13 * k, text, font="cour")
    assert tables_of(page) == []


def test_a_table_ends_at_the_sentence_that_leads_to_a_chart():
    page = new_page()
    for y in (90, 106, 178):
        page.draw_line((64, y), (527, y))
    rows = [["Ratio", "2011", "2010"], *([f"Turnover of kind {k} (times)", f"{k}.29", f"{k}.80"] for k in range(5))]
    for r, row in enumerate(rows):
        for x, text in zip((70, 330, 500), row, strict=True):
            put(page, x, 101 + 14.5 * r, text)
    put(page, 64, 198, "The chart below gives them at a glance.")
    for k, (top, value) in enumerate(
        ((232, "197,194"), (232, "196,353"), (246, "175,889"), (218, "237,687"), (218, "236,847"))
    ):
        page.draw_rect((84 + 90 * k, top, 134 + 90 * k, 330), fill=(0.2, 0.4, 0.6), color=None, width=0)
        put(page, 84 + 90 * k, top - 4, value)
        put(page, 84 + 90 * k, 342, str(2007 + k))
    (found,) = tables_of(page)
    assert found.table.grid() == rows
    (figure,) = find_figures(read_page(page), [found.bbox])
    assert len(figure.lines) == 10  # values and years, though two pairs of bars are as high


def test_a_table_right_above_a_chart_is_read_without_what_is_written_at_its_bars():
    page = new_page()
    xs = (70.0, 275.0, 359.0, 443.0, 527.0)
    rows = [
        ["", "First", "Second", "Third", "Fourth"],
        ["Sales of the quarter", "69,935", "52,642", "107,377", "141,569"],
    ]
    rows.append(["Net profit", "17,288", "10,564", "19,177", "13,352"])
    for k, row in enumerate(rows):
        for x, text in zip(xs, row, strict=True):
            put(page, x, 100 + 13 * k, text, size=9, right=x > 80)
    for y in (88, 104, 132):
        page.draw_line((64, y), (531, y), width=0.6)
    for k, high in enumerate((81.6, 76.7, 91.2, 98.6, 110)):
        page.draw_rect((101 + 85.4 * k, 271 - high, 152 + 85.4 * k, 271), fill=(0.2, 0.4, 0.6), color=None)
        put(page, 101 + 85.4 * k, 268 - high, f"{high * 3377:,.0f}", size=8)
        put(page, 101 + 85.4 * k, 282, f"{2006 + k}", size=8)
    page.draw_line((84, 271), (511, 271), width=0.8)
    (found,) = tables_of(page)
    assert found.table.grid() == rows
