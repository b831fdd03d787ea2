"""Rows that are labelled with a period, and rows of years below a name in several lines."""

import pytest

from h3cold.recall.row_periods import parts_said
from h3cold.recall.structure import answer_in
from h3cold.recall.understand import understand
from h3cold.schemas.page import Cell, Table


def answer(rows, text):
    cells = [
        Cell(r, c, value, (c * 10.0, r * 10.0, c * 10.0 + 9, r * 10.0 + 9), header=r < 1)
        for r, line in enumerate(rows)
        for c, value in enumerate(line)
        if value
    ]
    return answer_in(Table(len(rows), len(rows[0]), tuple(cells)), understand(text))


MONTHS = [
    ["", "Passengers", "Load factor"],
    ["FY2014", "31,557", "66.1"],
    ["Jul-2015", "2,665", "65.7"],
    ["Aug-2015", "2,945", "70.0"],
    ["Sep-2015", "2,934", "75.6"],
    ["FY15 2nd Q TTL", "8,544", "70.4"],
    ["FY15 3rd Q TTL", "8,294", "70.4"],
    ["FY2015 TTL", "24,377", "68.0"],
]


@pytest.mark.parametrize(
    ("row", "saying"),
    [
        ("FY15 3rd Q TTL", ["Q3 2015", "3Q FY15", "third quarter of FY2015", "FY2015 third quarter", "2015年第三季度"]),
        ("FY15 3rd Q TTL", ["2015年三季度", "2015财年第3季度", "3rd quarter FY15", "fiscal 2015 3Q"]),
        ("Aug-2015", ["August 2015", "Aug 2015", "2015年8月", "2015年8月份", "2015-08"]),
        ("FY2015 TTL", ["FY2015", "FY15", "fiscal year 2015", "2015年度"]),
    ],
)
def test_a_row_of_a_period_is_found_however_the_period_is_written(row, saying):
    for said in saying:
        found = answer(MONTHS, f"passengers {said}")
        assert found is not None and (found.row, found.columns) == (row, ("Passengers",)), said


def test_a_month_told_by_its_days_is_one():
    bought = [["Period", "Shares"], ["1/1/2019 to 1/31/2019", "46"], ["February 1 – 28, 2019", "9"], ["FY2019", "81"]]
    assert [answer(bought, f"shares in {month} 2019").values for month in ("January", "February")] == [("46",), ("9",)]


def test_a_month_is_one_beside_its_year_only():
    assert parts_said("What may passengers march for in 2015?") == frozenset()
    assert parts_said("31 December 2015 and May-15") == {"M12", "M5"}


def test_a_name_over_several_lines_stands_for_the_rows_of_years_below():
    pay = [["Name", "Year", "Stock ($)", "Total ($)"], ["Oleg Kay", "", "", ""], ["President", "2019", "50", "69"]]
    pay += [["", "2018", "40", "49"], ["Paul Nab", "", "", ""], ["Vice President and", "", "", ""]]
    pay += [["Officer", "2019", "7", "14"], ["", "2018", "5", "11"], ["Ann Mal", "2018", "1", "2"]]
    found = answer(pay, "stock of Paul Nab in 2018")
    assert found is not None and (found.row, found.values) == ("Paul Nab", ("5",))
    assert answer(pay, "Oleg Kay total 2018").values == ("49",)


COSTS = [["项目", "报告期末余额", "期初余额", "增减%", "变动原因"], ["应收票据", "50", "158", "-99.69%", "票据到期"]]
TESTS = [["项目", "方法", "结果", "参考范围"], ["血红蛋白(HGB)", "仪器法", "159", "[130-175]"]]


@pytest.mark.parametrize("text", ["应收票据减少的原因", "应收票据为什么下降"])
def test_where_a_reason_is_asked_for_the_column_of_reasons_is_told(text):
    found = answer(COSTS, text)
    assert found is not None and (found.columns, found.values) == (("变动原因",), ("票据到期",))
    assert answer(COSTS, "应收票据减少了多少").columns == ("增减%",)


def test_two_columns_that_are_named_beside_each_other_are_both_told():
    assert answer(TESTS, "血红蛋白的结果和参考范围").columns == ("结果", "参考范围")
    assert answer(TESTS, "血红蛋白的参考范围").columns == ("参考范围",)
    shares = [["Name", "Shares", "Value", "Percent"], ["Oleg Kay", "6", "70", "1%"]]
    assert answer(shares, "shares and value of Oleg Kay").values == ("6", "70")
    assert answer(shares, "value of Oleg and Ann").values == ("70",)


def test_a_row_is_named_by_the_capitals_in_brackets_behind_its_label():
    tests = [*TESTS, ["平均血小板体积(MPV)", "仪器法", "13.2", "[6.5-12.0]"]]
    assert answer(tests, "mean platelet volume MPV").row == "平均血小板体积(MPV)"
    assert answer(tests, "mean platelet volume") is None


def test_a_holder_is_named_without_the_address_behind_the_name():
    owned = [["Name", "Number", "Percent"], ["BlackRock, Inc. 55 East 52nd Street New York, NY 10055 (2)", "355", "15"]]
    owned += [["The Vanguard Group 100 Vanguard Blvd. Malvern, PA 19355 (3)", "239", "10"], ["Oleg Kay (4)", "6", "1"]]
    assert answer(owned, "number of shares of The Vanguard Group").values[0] == "239"
    assert answer(owned, "BlackRock, Inc. number of shares").values[0] == "355"


def test_a_sum_that_is_asked_for_is_told_before_its_parts():
    pay = [["Name", "Salary ($)", "Other Compensation ($)", "Total ($)"], ["首席财务官", "425", "4", "1,249"]]
    assert answer(pay, "首席财务官的总薪酬").values == ("1,249",)
    assert answer(pay, "首席财务官 salary").values[0] == "425"


def test_of_a_name_over_rows_of_years_all_years_that_are_asked_for_are_told():
    pay = [["Name", "Year", "Stock ($)", "Total ($)"], ["Oleg Kay", "2019", "50", "69"], ["", "2018", "40", "49"]]
    found = answer(pay, "Oleg Kay stock 2019 vs 2018")
    assert (found.columns, found.values) == (("2019 > Stock ($)", "2018 > Stock ($)"), ("50", "40"))
    assert answer(pay, "Oleg Kay stock 2018").columns == ("Stock ($)",)


def test_the_least_is_looked_for_in_the_column_whose_initials_are_said():
    routes = [["Route", "Passengers", "L/F (%)"], ["Europe", "42", "62.0"], ["Guam", "13", "85.3"]]
    routes += [["China", "97", "58.9"], ["Korea", "47", "79.9"]]
    found = answer(routes, "which route has the lowest load factor")
    assert found is not None and (found.row, found.values) == ("China", ("58.9",))


def test_the_most_is_looked_for_in_the_column_that_is_asked_for_not_in_one_at_its_place():
    owned = [["Holder", "Kind", "持股比例", "Number"], ["Ann", "person", "29%", "257"], ["Ben", "person", "9%", "81"]]
    owned += [["Cai", "person", "3%", "27"], ["Holder", "Kind", "无限售股份", "Type"], ["Dan", "person", "2,050", "A"]]
    owned += [[name, "person", number, "B"] for name, number in (("Ben", "81"), ("Cai", "27"), ("Ann", "257"))]
    assert answer(owned, "持股比例最高的是谁").values == ("29%",)


def test_nothing_is_told_where_a_row_has_no_values_or_only_columns_are_named():
    empty = [["", "2019", "2018"], ["Costs of goods", "", ""], ["Rent", "5", "6"]]
    assert answer(empty, "costs of goods") is None
    assert answer(empty, "passengers in 2019") is None
