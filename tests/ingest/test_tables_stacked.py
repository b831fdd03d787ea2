"""Tables of one width under each other, each between rules of its own."""

from __future__ import annotations

import pymupdf
import pytest
from table_pages import new_page, put, tables_of


def booktabs(page: pymupdf.Page, y: float, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> float:
    """Set a table of three rules; returns where it ends."""
    page.draw_line((72, y), (540, y))
    for k, row in enumerate((header, *rows)):
        y += 13
        put(page, 72, y, row[0], size=9)
        for column, text in enumerate(row[1:]):
            put(page, 420 + 115 * column, y, text, right=True, size=9)
        if k in (0, len(rows)):
            page.draw_line((72, y + 4), (540, y + 4))
            y += 2
    return y + 10


@pytest.mark.parametrize("intro", [[], ["The following table shows property."]])
def test_a_line_or_two_between_tables_of_one_width_part_them(intro):
    page = new_page()
    y = booktabs(page, 100, ("Past due", "2016", "2015"), [("Within 30 days", "173,235", "130,269"),
                                                           ("31 to 90 days", "90,065", "84,618")])  # fmt: skip
    for line in (*intro, "Property by class (in thousands)"):
        y += 13
        put(page, 72, y, line)
    booktabs(
        page, y + 4, ("Class", "2016", "2015"), [("Land", "306,299", "571,345"), ("Vehicles", "372,932", "541,944")]
    )
    assert [[row[0] for row in t.table.grid()] for t in tables_of(page)] == [
        ["Past due", "Within 30 days", "31 to 90 days"], ["Class", "Land", "Vehicles"],
    ]  # fmt: skip


def test_a_section_between_rules_stays_in_its_table():
    page = new_page()
    y = booktabs(
        page, 100, ("", "2016", "2015"), [("Cash", "173,235", "130,269"), ("Total assets", "90,065", "84,618")]
    )
    put(page, 72, y + 6, "Liabilities", size=9)
    page.draw_line((72, y + 10), (540, y + 10))
    for k, row in enumerate([("Payables", "5,119", "4,876"), ("Borrowings", "12,400", "11,900")]):
        for x, text in zip((72, 420, 535), row, strict=True):
            put(page, x, y + 22 + 13 * k, text, size=9, right=x > 72)
    (found,) = tables_of(page)
    assert [row[0] for row in found.table.grid()][-3:] == ["Liabilities", "Payables", "Borrowings"]


def test_a_table_with_a_rule_below_each_row_keeps_its_sections():
    page = new_page()
    rows = [("Name", "Office"), ("Board",), ("Iris Stone", "Chair"), ("Hugo Marsh", "Member"), ("Management",),
            ("Lena Fall", "President"), ("Omar Reed", "Treasurer"), ("Ada Quill", "Secretary")]  # fmt: skip
    page.draw_line((72, 100), (540, 100))
    for k, row in enumerate(rows):
        for x, text in zip((72, 420), row, strict=False):
            put(page, x, 113 + 17 * k, text, size=9, right=x > 72)
        page.draw_line((72, 117 + 17 * k), (540, 117 + 17 * k))
    (found,) = tables_of(page)
    assert [row[0] for row in found.table.grid()][-6:] == [row[0] for row in rows[2:]]


def test_the_labels_below_a_chart_are_no_rows_of_the_table_after_its_caption():
    page = new_page()
    for column in range(5):
        put(page, 90 + 85 * column, 100, str(2011 + column), size=8)
    put(page, 72, 116, "Chart: net sales of fiscal 2011 to 2015")
    put(page, 72, 134, "The following table shows selected ratios.")
    put(page, 72, 150, "Selected ratios")
    rows = [("Receivables turnover", "7.54", "6.61"), ("Gross margin", "36.69", "32.61"), ("Return", "35.02", "27.54")]
    booktabs(page, 154, ("Ratio", "2015", "2014"), rows)
    (found,) = tables_of(page)
    assert [row[0] for row in found.table.grid()] == [
        "Ratio",
        "Receivables turnover",
        "Gross margin",
        "Return",
    ]


def test_row_labels_that_come_again_start_a_second_table():
    page = new_page()
    for k, label in enumerate(("Assets", "Deposits", "Securities", "Loans receivable", "Other assets", "Total")):
        for x in (72, 320):
            put(page, x, 100 + 14 * k, label)
            if k:
                put(page, x + 150, 100 + 14 * k, f"{k},{x}", right=True)
                put(page, x + 220, 100 + 14 * k, f"{k + 1},{x}", right=True)
    first, second = tables_of(page)
    assert [t.table.cols for t in (first, second)] == [3, 3]
    assert second.table.grid()[-1] == ["Total", "5,320", "6,320"]
    assert not first.lines & second.lines
