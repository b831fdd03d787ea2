"""The row, the columns and the unit that a table answers with."""

from itertools import takewhile

import pytest

from h3cold.recall.cells import amount, is_number
from h3cold.recall.row_labels import label_agreement, sought_in_labels
from h3cold.recall.shared_words import spelt
from h3cold.recall.structure import answer_in, told_by
from h3cold.recall.table_columns import year_told
from h3cold.recall.understand import tokens_of, understand
from h3cold.schemas.page import Cell, Table


def grid(rows, header=1):
    """A table whose heads reach over the empty cells on their right."""
    cells = []
    for r, line in enumerate(rows):
        for c, text in enumerate(line):
            span = 1 + len(list(takewhile(lambda t: not t, line[c + 1 :]))) if r < header and c else 1
            box = (c * 10.0, r * 10.0, c * 10.0 + 9, r * 10.0 + 9)
            cells += [Cell(r, c, text, box, colspan=span, header=r < header)] if text else []
    return Table(len(rows), len(rows[0]), tuple(cells))


def told(rows, text, *, header=1, about="", above=(), year=None):
    answer = answer_in(grid(rows, header), understand(text), about, above=above, year=year)
    return answer.row, dict(zip(answer.columns, answer.values, strict=True)), answer.unit


SALES = [
    ["In thousands", "2019", "", "2018", ""],
    ["", "$", "%", "$", "%"],
    ["Kefir", "71,822", "77%", "78,523", "76%"],
    ["Cheese", "11,459", "12%", "11,486", "11%"],
    ["Cream and other", "4,228", "4%", "5,276", "5%"],
    ["Net Sales", "93,662", "100%", "103,350", "100%"],
]
STATEMENT = [
    ["", "2019", "2018", "Change"],
    ["Net sales", "93,662", "103,350", "(9.4%)"],
    ["Inventories, net", "6,392", "5,817", "9.9%"],
    ["Deferred income taxes, net", "922", "390", "-"],
    ["Net income (loss)", "453", "(3,086)", "-"],
]
PERIODS = [
    ["", "本报告期", "上年同期", "本报告期比上年同期增减"],
    ["营业收入（元）", "4,755,785.11", "5,699,227.63", "-16.55%"],
    ["基本每股收益（元/股）", "-0.0053", "-0.0178", "70.22%"],
]


@pytest.mark.parametrize("about", ["Net sales of products by category", ""])
def test_the_questions_own_word_beats_what_all_of_the_table_is_about(about):
    row, values, unit = told(SALES, "net sales of cheese in 2018", header=2, about=about)
    assert (row, unit) == ("Cheese", "thousands")
    assert next(iter(values.values())) == "11,486"
    assert told(SALES, "net sales in 2019", header=2, about=about)[0] == "Net Sales"


def test_a_label_that_holds_the_whole_term_beats_one_that_shares_a_word():
    assert told(STATEMENT, "net income")[0] == "Net income (loss)"
    assert told(STATEMENT, "净利润")[0] == "Net income (loss)"
    assert answer_in(grid(STATEMENT[:4]), understand("net income")) is None


def test_a_code_behind_a_name_is_no_word_of_it():
    table = [["", "Schools", "Students"], ["Ireland", "148", "4,524"], ["Northern Ireland-GBR", "136", "3,586"]]
    assert told(table, "students assessed in Northern Ireland") == ("Northern Ireland-GBR", {"Students": "3,586"}, "")
    assert told(table, "students assessed in Ireland")[0] == "Ireland"


def test_a_heading_among_rows_of_years_gives_way_to_the_year():
    table = [["Year", "Total", "PK-12"], ["2016", "5,750", "5,300"], ["Projected", "", ""], ["2021", "5,331", "4,910"]]
    assert told(table, "projected total for 2021") == ("2021", {"Total": "5,331"}, "")


def test_a_change_is_told_by_its_column():
    assert told(STATEMENT, "how much did revenue fall year over year") == ("Net sales", {"Change": "(9.4%)"}, "%")
    row, values, unit = told(PERIODS, "营业收入同比下降了多少")
    assert (row, values, unit) == ("营业收入（元）", {"本报告期比上年同期增减": "-16.55%"}, "%")
    two = [row[:3] for row in STATEMENT]
    assert told(two, "how much did net sales fall in 2019")[1] == {"2019": "93,662", "2018": "103,350"}


def test_this_period_and_the_one_before_are_columns_and_years_of_the_document():
    assert told(PERIODS, "上年同期的营业收入") == ("营业收入（元）", {"上年同期": "5,699,227.63"}, "元")
    assert told(PERIODS, "2017年营业收入", year=2018)[1] == {"上年同期": "5,699,227.63"}
    assert told(PERIODS, "2018年每股收益", year=year_told("2018Q1"))[1:] == ({"本报告期": "-0.0053"}, "元/股")


def test_columns_without_a_head_are_told_by_their_place_or_a_head_among_the_rows():
    bare = [["Accounts payable", "$", "5,282", "4,570"], ["Accrued expenses", "", "4,087", "2,777"]]
    row, values, _ = told(bare, "accounts payable", header=0)
    assert (row, values) == ("Accounts payable", {"column 3": "$ 5,282", "column 4": "4,570"})
    inner = [["Assets", "", ""], ["", "2019", "2018"], ["Cash", "7", "6"]]
    assert told(inner, "cash in 2018", header=0)[1] == {"2018": "6"}


def test_a_column_is_chosen_by_the_words_of_its_head():
    tests = [
        ["项目", "结果", "单位", "参考范围"],
        ["白细胞计数(WBC)", "3.9", "E+9/L", "[4.0-10.0]"],
        ["血红蛋白(HGB)", "159", "g/L", "[130-175]"],
    ]
    assert told(tests, "白细胞计数的参考范围") == ("白细胞计数(WBC)", {"参考范围": "[4.0-10.0]"}, "E+9/L")
    assert told(SALES, "share of cheese in net sales in 2019", header=2)[1:] == ({"2019 > %": "12%"}, "%")


def test_a_column_is_named_by_its_last_head_below_a_shared_one():
    table = [
        ["Year", "Total", "Race/ethnicity", "Race/ethnicity", "Race/ethnicity"],
        ["", "", "White", "Black", "Hispanic"],
        ["2009", "48,000", "26,702", "8,136", "10,918"],
    ]
    asked = "How many Hispanic students were enrolled in 2009?"
    assert told(table, asked, header=2)[1] == {"Race/ethnicity > Hispanic": "10,918"}


def test_the_largest_and_the_smallest_are_looked_for_beside_sums():
    assert told(SALES, "Which product had the highest net sales in 2019?", header=2)[0] == "Kefir"
    assert told(SALES, "Which product had the lowest net sales in 2018?", header=2)[0] == "Cream and other"


def test_a_row_is_read_under_the_heading_above_it():
    shares = [
        ["", "2019"], ["Net sales", "9"], ["Earnings per share:", ""], ["Basic", "0.03"], ["Diluted", "0.02"],
        ["Total", "4"],
    ]  # fmt: skip
    assert told(shares, "diluted earnings per share in 2019")[:2] == ("Diluted", {"2019": "0.02"})
    assert told(shares, "每股收益 稀释每股收益 2019")[0] == "Diluted"


@pytest.mark.parametrize(("above", "unit"), [
    (["单位：万元 币种：人民币"], "万元"), (["(In thousands, except per share data)"], "thousands"),
    (["Amounts in millions of US dollars"], "millions of dollars"), (["Balance sheet"], ""),
])  # fmt: skip
def test_the_unit_is_taken_from_what_the_table_stands_under(above, unit):
    rows = [["", "2019"], ["Net sales", "9"], ["Net income per share", "0.3"]]
    assert told(rows, "net sales", above=above)[2] == unit
    assert told(rows, "net income per share", above=["(In thousands, except per share data)"])[2] == ""


def test_numbers_are_known_as_they_are_printed():
    assert [amount(t) for t in ("$ (9,688 )", "-16.55%", "4,755,785.11", "△747", "12%", "–", "5 – 12 years")] == [
        -9688, -16.55, 4755785.11, -747, 12, None, None]  # fmt: skip
    assert not is_number("[4.0-10.0]") and not is_number("") and is_number("１２")


def test_the_parents_own_statement_answers_less_than_that_of_all():
    table, question = grid([["项目", "期末余额"], ["存货", "12"]]), understand("存货期末余额")
    whole = told_by(table, question, above=["1、合并资产负债表"])
    assert whole.fit > told_by(table, question, above=["2、母公司资产负债表"]).fit
    parents = understand("母公司存货期末余额")
    assert told_by(table, parents, above=["2、母公司资产负债表"]).fit >= whole.fit - 0.1


def test_a_row_of_labels_and_values_in_turn_and_one_without_a_label_are_read():
    pairs = [["普通股股东总数", "79,053", "优先股股东总数", "0"]]
    assert told(pairs, "普通股股东总数", header=0)[:2] == ("普通股股东总数", {"column 2": "79,053"})
    assert told(pairs, "优先股股东总数", header=0)[:2] == ("优先股股东总数", {"column 4": "0"})
    lone = [["监控通信分中心", "监控通信站"], ["1.7333", "0.8667"]]
    assert told(lone, "监控通信分中心用地指标", about="用地指标（公顷/处）") == (
        "",
        {"监控通信分中心": "1.7333"},
        "公顷/处",
    )


def test_shared_words_are_told_as_they_are_written():
    assert spelt("financi", "Our FINANCIAL statements") == "financial"
    assert spelt("股份", "青屿精密仪器股份有限公司") == "股份" and spelt("份有", "股份有限公司") == ""


def test_words_for_a_trend_tell_where_to_look_where_it_is_asked_how_much():
    asked = understand("营业收入同比下降了多少")
    assert {"同比", "下降"} <= asked.spent and "增减" in dict(asked.terms)
    assert "declin" in understand("how much did revenue decline?").spent
    assert "declin" not in understand("Why did revenue decline?").spent


def test_a_unit_in_a_label_is_no_word_of_it():
    asked = understand("营业收入是多少")
    sought = sought_in_labels(dict.fromkeys(asked.words, 1.0), asked)
    labels = [tokens_of("营业收入（元）")]
    assert label_agreement(labels, sought) == label_agreement([tokens_of("营业收入")], sought) > 0


def test_a_row_of_a_sum_says_it_of_what_another_row_says_more_of_only_where_that_is_asked_for():
    asked = understand("total equity securities and total assets")
    sought = sought_in_labels(dict.fromkeys(asked.words, 1.0), asked)
    alone, both = [tokens_of("Equity securities")], [tokens_of("Equity securities"), tokens_of("Total equities")]
    assert label_agreement(both, sought) == label_agreement(alone, sought) > 0
    whole = [tokens_of("Total equity securities"), tokens_of("Equity securities")]
    assert label_agreement(whole, sought) > label_agreement(alone, sought)
    assert label_agreement([*alone, tokens_of("Total assets")], sought) == 1
    assert label_agreement(alone, sought, frozenset(["total"])) == label_agreement(alone, sought)


def test_a_unit_is_said_of_no_ages_names_or_rates_and_of_no_values_of_several():
    people = [["姓名", "性别", "年龄", "报酬"], ["沈维", "男", "58", "212.5"], ["周若", "女", "41", "90"]]
    units = [told(people, f"沈维的{what}", above=["单位：万元"])[2] for what in ("报酬", "年龄", "性别")]
    assert units == ["万元", "", ""]
    rates = [["项目", "2023年", "增减(%)"], ["营业收入", "184", "20.7"]]
    assert told(rates, "营业收入", above=["单位：万元"])[1:] == ({"2023年": "184", "增减(%)": "20.7"}, "")
    assert told(rates, "2023年营业收入", above=["单位：万元"])[2] == "万元"
    assert told(rates, "营业收入增减", above=["单位：万元"])[2] == "%"


@pytest.mark.parametrize("unit", ["GBP million", "US$ millions", "EUR thousand"])
def test_a_currency_and_its_scale_are_a_unit_without_brackets(unit):
    years = [["Year", "2022", f"{unit} 2021"], ["Revenue", "212.6", "121.9"], ["Gearing ratio", "41", "40"]]
    assert told(years, "revenue in 2022")[1:] == ({"2022": "212.6"}, unit)
    assert told(years, "gearing ratio in 2022")[2] == ""
    plain = [["Year", "2022"], ["Revenue", "212.6"]]
    assert told(plain, "revenue", above=[f"Results, {unit}"])[2] == unit
    assert told(plain, "revenue", above=["A facility of GBP 120 million"])[2] == ""


def test_columns_under_a_shared_head_are_told_apart_by_the_one_below():
    owned = [["Name", "Number of Shares Owned", ""], ["", "Number", "Percentage"], ["Oleg Kay", "622,267", "1.2"]]
    both = {"Number of Shares Owned > Number": "622,267", "Number of Shares Owned > Percentage": "1.2"}
    assert told(owned, "Oleg Kay shares owned", header=2)[1] == both
    assert list(told(owned, "Oleg Kay number of shares", header=2)[1].values()) == ["622,267"]
    assert list(told(owned, "Oleg Kay percentage owned", header=2)[1].values()) == ["1.2"]


def test_a_table_of_other_years_is_told():
    table = grid(STATEMENT)
    assert told_by(table, understand("net sales in 2021")).elsewhen
    for text, year in (("net sales in 2021", 2021), ("net sales in 2018", None), ("net sales", None)):
        assert not told_by(table, understand(text), year=year).elsewhen
    debts = grid([["", "2019"], ["Notes due 2021", "9"]])
    assert not told_by(debts, understand("notes due in 2021")).elsewhen


PAY = [
    ["Name", "Year", "Salary ($)", "Total ($)"],
    ["Oleg Kay", "", "", ""],
    ["Chief executive", "2019", "800", "6,942"],
    ["", "2018", "750", "4,953"],
    ["Ann Mal", "2019", "500", "3,023"],
    ["", "2018", "425", "2,433"],
]


def test_a_name_that_is_told_once_stands_for_the_rows_of_years_below_it():
    assert told(PAY, "Oleg Kay total in 2018") == ("Oleg Kay", {"Total ($)": "4,953"}, "")
    assert told(PAY, "Oleg Kay total in 2019")[1] == {"Total ($)": "6,942"}
    assert told(PAY, "Ann Mal salary 2018")[:2] == ("Ann Mal", {"Salary ($)": "425"})
    assert told_by(grid(PAY), understand("Oleg Kay total in 2015")).elsewhen
    assert not told_by(grid(PAY), understand("Oleg Kay total in 2018")).elsewhen
    assert told_by(grid(PAY), understand("Oleg Kay total in 2018")).fit > 0.5
    lower = [["Name", "", "Salary", "Other compensation", "Total"], ["Position", "Year", "($)", "($)", "($)"]]
    lower += [["Oleg Kay", "2019", "8", "1", "9"], ["", "2018", "6", "1", "7"]]
    assert told(lower, "Oleg Kay total compensation in 2018")[1] == {"Total > ($)": "7"}


def test_a_long_head_that_says_all_that_a_short_one_does_and_more_is_asked_for():
    table = grid([
        ["System", "Coverage", "Weighted student response rate",
         "Combined weighted school participation and student response rate"],
        ["Norway", "100", "86", "71"], ["Spain", "99", "97", "94"], ["Malta", "98", "95", "95"],
    ])  # fmt: skip
    lowest = answer_in(table, understand("Which system has the lowest combined response rate?"))
    assert lowest is not None and (lowest.row, lowest.values) == ("Norway", ("71",))
    plain = answer_in(table, understand("What is the student response rate of Spain?"))
    assert plain is not None and plain.values == ("97",)


def test_a_row_of_the_year_that_is_asked_for_fits_as_far_as_its_column_is():
    question = understand("Enrollment in grade 9 in 2016")
    grades = grid(
        [["Year", "Grade", "", ""], ["", "8", "9", "10"], ["2015", "1", "2", "3"], ["2016", "4", "5", "6"]], 2
    )
    levels = grid([["Year", "PK-8", "9-12"], ["2015", "1", "2"], ["2016", "3", "4"]])
    best, other = told_by(grades, question), told_by(levels, question)
    assert best.answer is not None and (best.answer.columns, best.answer.values) == (("Grade > 9",), ("5",))
    assert best.fit == 1 > other.fit and not best.elsewhen
