"""Letters that patterns take for i and s, and digits of other scripts: in documents, on edges and in questions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.ingest.periods import (
    day_comes_first,
    find_date,
    find_end,
    find_labelled_date,
    find_period,
    lone_date,
    plain_years,
    without_received,
)
from h3cold.kg.amounts import amount
from h3cold.kg.periods import period
from h3cold.kg.table_facts import column_period
from h3cold.recall.periods import find_periods, same_month
from h3cold.recall.relative import Now
from h3cold.recall.understand import understand

WORDS = """
April Aprıl FİRST fırst ſecond ſeptember Auguſt quarter half ended year years fiscal annual report Q1 H2 FY 2023 '23
19٢٣ ٢٠٢٣ ² ³ ²3 ²nd 5 31 １２ 二〇二三 年 十十 十 三十一 二 月 日 第 前 近 季度 上半年 to - / . , dated Date: of 10-K
年报 日期： months six ſix fıve last past page pages $5 mıllion bıllıon % ( 一千 点 revenue
"""
TEXTS = st.builds(
    str.join,
    st.sampled_from([" ", ""]),
    st.lists(st.sampled_from(WORDS.split()) | st.text("ıİſK²٣１十年月日. ", max_size=3), max_size=9),
)


@given(TEXTS)
def test_no_letter_or_digit_keeps_a_text_from_being_read(text: str) -> None:
    for find in (find_date, find_period, find_labelled_date, lone_date, day_comes_first, without_received):
        find(text)
        find(plain_years(text))
    find_end(text, "FY2023")
    period(text)
    amount(text)
    column_period(text)


@given(TEXTS)
def test_no_letter_or_digit_keeps_a_question_from_being_understood(text: str) -> None:
    understand(text)
    find_periods(text, now=Now(2023, 2023))
    same_month(text, text)


@pytest.mark.parametrize(
    ("text", "date", "named"),
    [
        ("Aprıl 5, 2023", "2023-04-05", ""),
        ("5 Aprıl 2023", "2023-04-05", ""),
        ("As of ſeptember 30, 2023", "2023-09-30", ""),
        ("FİRST QUARTER 2023", "", "2023Q1"),
        ("ſecond quarter 2023", "", "2023Q2"),
        ("fıscal year 2023", "", "FY2023"),
    ],
)
def test_dates_of_documents(text: str, date: str, named: str) -> None:
    assert (find_date(text), find_period(text)[0]) == (date, named)


def test_what_is_no_chinese_number_stays() -> None:
    assert plain_years("2023年十十月三日，2023年十月三十日") == "2023年十十月三日，2023年10月30日"


@pytest.mark.parametrize(
    ("text", "key"),
    [("FİRST QUARTER 2023", "2023Q1"), ("ſecond quarter 2023", "2023Q2"), ("the fırst half of 2023", "2023H1")],
)
def test_periods_of_questions(text: str, key: str) -> None:
    assert [p.key for p in find_periods(f"revenue {text}")] == [key]


def test_months_of_questions() -> None:
    assert same_month("Auguſt 2023", "August 2023") and not same_month("Aprıl 2023", "May 2023")
