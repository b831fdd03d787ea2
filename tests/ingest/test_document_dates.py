"""Dates and periods of documents."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.ingest.describe import describe
from h3cold.ingest.periods import (
    day_comes_first,
    find_date,
    find_labelled_date,
    find_period,
    lone_date,
    names_month,
    plain_years,
    without_received,
)
from h3cold.schemas.page import Page, Region, RegionKind


def page(*regions: tuple[RegionKind, str], number: int = 1) -> Page:
    found = tuple(Region(kind, (0, 10 * i, 100, 10 * i + 8), text, i) for i, (kind, text) in enumerate(regions))
    return Page(number, 595, 842, 0, "text", "geometry", found)


@pytest.mark.parametrize(
    ("text", "period", "date"),
    [
        ("For the fiscal year ended December 31, 2016", "FY2016", "2016-12-31"),
        ("for the year ended 2 January 2021", "FY2020", "2021-01-02"),
        ("quarterly period ended June 30, 2023", "2023Q2", "2023-06-30"),
        ("for the six months ended June 30, 2022", "2022H1", "2022-06-30"),
        ("Results of Q3 2015", "2015Q3", ""),
        ("the third quarter of 2015", "2015Q3", ""),
        ("2023 Annual Report", "FY2023", ""),
        ("Annual Report 2019", "FY2019", ""),
        ("2023年年度报告", "FY2023", ""),
        ("2023年第一季度报告", "2023Q1", ""),
        ("2023年半年度报告", "2023H1", ""),
        ("a letter to all", "", ""),
    ],
)
def test_periods(text: str, period: str, date: str) -> None:
    assert find_period(text) == (period, date)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("dated as of March 3, 2020 between", "2020-03-03"),
        ("11 Oct 2023", "2023-10-11"),
        ("2021年5月20日公布", "2021-05-20"),
        ("on 2024-02-09", "2024-02-09"),
        ("발행일 2020년 4월 2일", "2020-04-02"),
        ("May 2020", ""),
        ("2020-13-45", ""),
        ("31 February 2020, then 3 March 2020", "2020-03-03"),
        ("29 Feb 2020", "2020-02-29"),
        ("29 Feb 2019", ""),
        ("2023年2月30日", ""),
        ("31.04.2020 and 02/30/2019", ""),
        ("version 1.2.2019", ""),
        ("V1.2.2019", ""),
        ("版本号 1.2.2019", ""),
        ("Software version 2019.1.2.5", ""),
        ("10.11.2019.5", ""),
        ("5.10.11.2019", ""),
        ("Signed 10.11.2019.", "2019-10-11"),
        ("am 1. May 2019", "2019-05-01"),
        ("see 2.1. May 2019", ""),
    ],
)
def test_dates(text: str, date: str) -> None:
    assert find_date(text) == date


def test_chinese_figures_for_years() -> None:
    assert plain_years("二〇二三年度") == "2023年度"
    assert plain_years("一二三四五") == "一二三四五"


def test_chinese_figures_for_days() -> None:
    assert plain_years("二〇一八年六月五日、一九九九年十月三十一日") == "2018年6月5日、1999年10月31日"
    assert plain_years("二〇二〇年二十月") == "2020年二十月"


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Bern, 3 May 2019", "2019-05-03"),
        ("of 12 May 2016", "2016-05-12"),
        ("July 9-14, 2023", "2023-07-14"),
        ("（2019年3月1日）", "2019-03-01"),
        ("审判长 陈立2018年6月5日", "2018-06-05"),
        ("租赁期限至2018年6月5日", ""),
        ("For the year ended December 31, 2019", ""),
        ("The lease ends on 3 May 2019 unless it is renewed", ""),
        ("", ""),
    ],
)
def test_a_date_that_stands_alone(text: str, date: str) -> None:
    assert lone_date(text, closing=True) == date
    assert find_date(lone_date(text)) in ("", date)


def test_days_that_are_not_a_documents_own() -> None:
    text = without_received("Received 4 October 2005 Revised 7 March 2006 Accepted 8 March 2006; 收稿日期：2019-03-02")
    assert find_date(text) == "2006-03-08" and "2019" not in text
    assert names_month("in April of 2018年04月", 2018, 4) and names_month("5 May 2020", 2020, 5)
    assert not names_month("In 2018, sales fell by 4 %", 2018, 4)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Date of inspection visit: 7 and 10 July 2015\nDate of publication: 05/10/2015", "2015-10-05"),
        ("Report Date: 10/5/2012", "2012-10-05"),
        ("Signed on 13.05.2019", "2019-05-13"),
        ("Posted 3.13.2019 of 2024", "2019-03-13"),
        ("Dated 5.4.2021, after 1. May 2019", "2021-04-05"),
        ("12/31/99 and 45/13/2019", ""),
        ("Period: 7/1/2015 to 03-25-2016", "2016-03-25"),
        ("January 1, 2012 through December 31, 2012", "2012-12-31"),
    ],
)
def test_dates_in_figures_follow_the_dates_in_words(text: str, date: str) -> None:
    first = day_comes_first(text)
    assert (find_labelled_date(text, day_first=first) or find_date(text, day_first=first)) == date


@pytest.mark.parametrize(
    ("approved", "date"), [("Approved 3 May 2021", "2021-04-05"), ("Approved May 3, 2021", "2021-05-04")]
)
def test_the_last_day_of_a_period_follows_the_dates_in_words(approved: str, date: str) -> None:
    said = (("title", "Accounts"), ("text", f"Report for the year ended 05/04/2021. {approved}."))
    info = describe("accounts.pdf", [page(*said)], {})
    assert (info.period, info.date) == ("FY2021", date)


@given(st.integers(1, 31), st.integers(1, 12), st.integers(1900, 2099))
def test_only_days_of_the_calendar_are_dates(day: int, month: int, year: int) -> None:
    try:
        expected = datetime.date(year, month, day).isoformat()
    except ValueError:
        expected = ""
    assert find_date(f"{year}年{month}月{day}日") == find_date(f"{day}.{month}.{year}", day_first=True) == expected


def test_a_period_of_two_years_is_the_later_one() -> None:
    assert find_period("FOR THE YEARS ENDED DECEMBER 31, 2019 AND 2018") == ("FY2019", "2019-12-31")
    assert find_period("DISCLOSURE REPORT Calendar Year - 2012") == ("FY2012", "")
