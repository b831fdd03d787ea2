"""Periods as questions say them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.recall.catalog import make_catalog, named, stands, weigh
from h3cold.recall.periods import find_periods, same_month
from h3cold.recall.relative import Now
from h3cold.recall.understand import understand


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("FY2018 revenue", ["FY2018"]),
        ("revenue in FY'18", ["FY2018"]),
        ("Q2 2023 and 3Q22", ["2023Q2", "2022Q3"]),
        ("北辰港务FY14现金流", ["FY2014"]),
        ("北辰港务2014Q3营业收入", ["2014Q3"]),
        ("北辰港务Q3 2014营业收入", ["2014Q3"]),
        ("second quarter of fiscal 2021", ["2021Q2"]),
        ("in 2016, 2015 and 2014", ["FY2016", "FY2015", "FY2014"]),
        ("from 2010 to 2012", ["FY2010", "FY2011", "FY2012"]),
        ("year ended December 31, 2019", ["FY2019"]),
        ("H1 2022", ["2022H1"]),
        ("2022年度营业收入", ["FY2022"]),
        ("2023年三季度末", ["2023Q3"]),
        ("2023年上半年", ["2023H1"]),
        ("2023年1-6月营业收入", ["2023H1"]),
        ("2023年7月至12月与2022年4-6月", ["2023H2", "2022Q2"]),
        ("revenue January to June 2023", ["2023H1"]),
        ("six months ended June 30, 2023 and 2022", ["2023H1", "FY2022"]),
        ("三个月 2023年1-9月", ["FY2023"]),
        ("nine months ended September 30, 2023", ["FY2023"]),
        ("year ended June 30, 2019", ["FY2019"]),
        ("二〇二二年", ["FY2022"]),
        ("２０２１年", ["FY2021"]),
        ("对比2022与2023年应收账款周转率", ["FY2022", "FY2023"]),
        ("paid $2,016 to 1999.5 people, 2016%", []),
        ("no period here", []),
    ],
)
def test_periods(text, keys):
    assert [p.key for p in find_periods(text)] == keys


def test_months_of_two_texts():
    assert same_month("acquired in June 2019", "June 27, 2019") and same_month("2019年6月", "27 June 2019")
    assert not same_month("acquired in June 2019", "May 21, 2019") and not same_month("2019年12月", "2019年2月1日")
    assert same_month("whom it may acquire", "May 21, 2019") and same_month("in 2019", "June 27, 2019")


def test_last_year_is_the_stores_newest_and_only_where_no_year_is_named():
    assert [p.key for p in find_periods("net income last year", now=Now(2021, 2021))] == ["FY2021"]
    for text in ("上年度净利润", "去年净利润", "prior year's net income", "net income of the previous fiscal year"):
        assert [p.key for p in find_periods(text, now=Now(2021, 2021))] == ["FY2021"], text
    assert [p.key for p in find_periods("近一年的净利润", now=Now(2021, 2021))] == ["FY2021"]
    for text in ("近三年营业收入", "revenue of the past three years", "last 3 fiscal years", "最近三个会计年度"):
        assert [p.key for p in find_periods(text, now=Now(2021, 2021))] == ["FY2019", "FY2020", "FY2021"]
        assert find_periods(text) == []
    assert [p.key for p in find_periods("近三年 2018年", now=Now(2021, 2021))] == ["FY2018"]
    assert [p.key for p in find_periods("2018 against the prior year", now=Now(2021, 2021))] == ["FY2018", "FY2017"]
    assert find_periods("net income last year") == []


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("去年净利润", ["FY2017"]),
        ("revenue this year", ["FY2018"]),
        ("今年与去年的净利润", ["FY2018", "FY2017"]),
        ("the year before", ["FY2016"]),
        ("the year before the merger", []),
        ("去年一季度收入", ["2017Q1"]),
        ("revenue in the first half of last year", ["2017H1"]),
        ("三季度末货币资金", ["2017Q3"]),
        ("Q1 revenue", ["2018Q1"]),
        ("revenue of the last quarter", ["2018Q1"]),
        ("H2 revenue", ["2018H2"]),
        ("2018年一季度", ["2018Q1"]),
    ],
)
def test_periods_said_from_where_the_asker_stands(text, keys):
    """Of a company whose newest report is one of a first quarter, that year is not over."""
    assert [p.key for p in find_periods(text, now=Now(2018, 2017, ((2017, "Q3"), (2018, "Q1"))))] == keys


def test_a_years_quarter_report_leaves_the_year_open():
    rows = [("FY2016", "a"), ("2017Q1", "a"), ("FY2020", "scan")]
    catalog = make_catalog([
        {"company": company, "title": "", "source": f"{period}.pdf", "period": period, "doctype": "", "date": ""}
        for period, company in rows
    ])  # fmt: skip
    assert stands(catalog, np.array([True, True, False])) == Now(2017, 2016, ((2017, "Q1"),))
    assert stands(catalog, np.array([True, True, True])) == Now(2020, 2020, ((2017, "Q1"),))
    assert stands(catalog, np.zeros(3, bool)) is None


@given(st.integers(1900, 2099), st.sampled_from(["{}", "FY{}", "in {}?", "{}年", "{}年度", "fiscal {}"]))
def test_every_way_to_write_a_year_is_read(year, form):
    assert [p.year for p in find_periods(form.format(year))] == [year]


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("11年商誉", 2011),
        ("华岳重工12年度收入", 2012),
        ("18年报", 2018),
        ("过去10年的收入", None),
        ("10年期债券", None),
        ("近20年", None),
    ],
)
def test_years_of_two_digits_in_chinese(text, year):
    assert [p.year for p in find_periods(text)] == ([year] if year else [])


def test_the_wording_of_a_period_says_when_not_what():
    question = understand("Acme net sales by year for the year ended December 31, 2018")
    assert {"decemb", "31", "end"} <= question.spent and "2018" not in question.spent and "sale" not in question.spent
    assert "year" not in question.spent  # "by year" says it as well
    assert understand("华岳重工2010年度合并利润表").spent >= {"年度"}
    assert not understand("operating lease years remaining").spent


def test_last_year_is_that_of_whom_the_question_names():
    rows = [
        {
            "company": company,
            "title": "",
            "source": f"{company}_{year}.pdf",
            "period": f"FY{year}",
            "doctype": "",
            "date": "",
        }
        for company, years in (("Borealis", (2017, 2018)), ("Zephyr", (2020, 2021)))
        for year in years
    ]
    catalog = make_catalog(rows)
    for text, year in (("Borealis revenue last year", 2018), ("Zephyr revenue last year", 2021), ("revenue", None)):
        now = stands(catalog, named(weigh(catalog, understand(text))))
        assert (now and now.year) == year
