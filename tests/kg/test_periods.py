"""Dates, parts of years and ranges as days, and on edges in both languages."""

from calendar import month_name

import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.kg.benchmark_edges import block
from h3cold.kg.extract import extract
from h3cold.kg.periods import period
from h3cold.kg.table_facts import column_period
from h3cold.schemas.document import DocumentInfo

FIRST_HALF, THIRD_QUARTER, NINE_MONTHS = (
    ("2023-01-01", "2023-06-30"),
    ("2023-07-01", "2023-09-30"),
    ("2023-01-01", "2023-09-30"),
)
ENGLISH = {
    "H1 2023": FIRST_HALF, "1H 2023": FIRST_HALF, "1H23": FIRST_HALF, "first half of 2023": FIRST_HALF,
    "first six months of 2023": FIRST_HALF, "six months ended June 30, 2023": FIRST_HALF,
    "January to June 2023": FIRST_HALF,
    "half year ended 30 June 2023": FIRST_HALF, "January 1, 2023 to June 30, 2023": FIRST_HALF,
    "twenty-six weeks ended June 30, 2023": ("2022-12-31", "2023-06-30"),
    "second half of fiscal 2023": ("2023-07-01", "2023-12-31"),
    "Q3 2023": THIRD_QUARTER, "3Q23": THIRD_QUARTER, "third quarter of 2023": THIRD_QUARTER,
    "three months ended September 30, 2023": THIRD_QUARTER, "quarter ended September 30, 2023": THIRD_QUARTER,
    "nine months ended September 30, 2023": NINE_MONTHS, "first nine months of 2023": NINE_MONTHS,
    "fiscal year ended June 30, 2023": ("2022-07-01", "2023-06-30"), "FY23": ("2023-01-01", "2023-12-31"),
    "May 2023": ("2023-05-01", "2023-05-31"),
}  # fmt: skip
CHINESE = {
    "2023年1-6月": FIRST_HALF, "2023年1月至6月": FIRST_HALF, "2023年上半年": FIRST_HALF, "2023年半年度": FIRST_HALF,
    "2023年前六个月": FIRST_HALF, "截至2023年6月30日止六个月": FIRST_HALF, "2023年1月1日至2023年6月30日": FIRST_HALF,
    "2023年下半年": ("2023-07-01", "2023-12-31"), "2023年7-12月": ("2023-07-01", "2023-12-31"),
    "2023年第三季度": THIRD_QUARTER, "2023年三季度": THIRD_QUARTER, "2023Q3": THIRD_QUARTER,
    "2023年前三季度": NINE_MONTHS, "2023年1-9月": NINE_MONTHS, "2023年全年": ("2023-01-01", "2023-12-31"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("March 3, 2022", "2022-03-03", "2022-03-03"), ("12 November 2020", "2020-11-12", "2020-11-12"),
        ("October 2020", "2020-10-01", "2020-10-31"), ("2024年2月", "2024-02-01", "2024-02-29"),
        ("2023年5月8日", "2023-05-08", "2023-05-08"), ("2022-06-30", "2022-06-30", "2022-06-30"),
        ("Q2 2021", "2021-04-01", "2021-06-30"), ("second quarter of fiscal 2019", "2019-04-01", "2019-06-30"),
        ("2020年第三季度", "2020-07-01", "2020-09-30"), ("2021年上半年", "2021-01-01", "2021-06-30"),
        ("fiscal year 2018", "2018-01-01", "2018-12-31"), ("二〇二二年三月", "2022-03-01", "2022-03-31"),
    ],
)  # fmt: skip
def test_periods_are_days(text, first, last):
    assert period(text) == (first, last)


@pytest.mark.parametrize("text", [*ENGLISH, *CHINESE])
def test_parts_of_years_and_ranges_are_days(text):
    assert period(text) == (ENGLISH | CHINESE)[text]


@pytest.mark.parametrize("text", ["last May", "", "报告期内", "Q3", "six months ended June 30"])
def test_what_names_no_year_is_no_period(text):
    assert period(text) is None


@given(st.text(alphabet="0123 -至到年月日止个六QH1first half of months ended June ,to", max_size=40))
def test_any_text_is_survived(text):
    when = period(text)
    assert when is None or when[0] <= when[1]


@given(st.integers(1950, 2049), st.integers(1, 12), st.sampled_from([3, 6, 9, 12]))
def test_months_up_to_a_day_are_those_of_a_range(year, last, many):
    names = list(month_name)[1:]
    before = year * 12 + last - many
    spelt = {3: "three", 6: "six", 9: "nine", 12: "twelve"}[many]
    whole = period(f"{names[last - 1]} {year}")
    ended = period(f"{spelt} months ended {names[last - 1]} {whole[1][-2:]}, {year}")
    assert ended == period(f"{names[before % 12]} {before // 12} to {names[last - 1]} {year}")


def edges(text, language):
    return extract([block(text, 0, "0" * 32, language)], info=DocumentInfo(language=language)).relations


@pytest.mark.parametrize("text", ENGLISH)
def test_english_edges_have_their_period(text):
    said = f"Granite Peak Corp. reported revenue of $1.2 billion for the {text}."
    said += f" Granite Peak Corp. acquired Sable Pipelines Inc. in the {text}."
    assert {(r.type, r.period) for r in edges(said, "en")} == {("acquires", text), ("measure_of", text)}


@pytest.mark.parametrize("text", CHINESE)
def test_chinese_edges_have_their_period(text):
    said = f"海隆石油股份有限公司{text}实现营业收入12.6亿元。{text}，海隆石油股份有限公司收购永德矿业有限公司。"
    assert {(r.type, r.period) for r in edges(said, "zh")} == {("acquires", text), ("measure_of", text)}


def test_a_period_between_a_measure_and_its_value_is_its_own():
    said = "Granite Peak Corp.'s revenue for the six months ended June 30, 2023 was $1.2 billion."
    assert [(r.value, r.period) for r in edges(said, "en")] == [("$1.2 billion", "six months ended June 30, 2023")]


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("Six Months Ended June 30, 2019", "Six Months Ended June 30, 2019"), ("Year Ended December 31, 2019", "2019"),
        ("2019 First Quarter", "2019 First Quarter"), ("Fiscal 2019", "2019"), ("2023年1-6月", "2023年1-6月"),
        ("本期发生额", "本期发生额"), ("Change", ""),
    ],
)  # fmt: skip
def test_a_column_is_of_the_part_of_a_year_over_it(header, said):
    assert column_period(header) == said
