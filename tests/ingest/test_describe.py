from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.ingest import describe as describing
from h3cold.ingest.benchmark_details import judged, measured
from h3cold.ingest.describe import describe, described
from h3cold.ingest.generated.openings import openings
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
from h3cold.ingest.scores import Tally
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
    ("regions", "company", "doctype"),
    [
        (
            [("title", "LEASE"), ("text", "THIS LEASE is made between Acme Mills Ltd (Landlord) and Bolt Foods Inc.")],
            "Acme Mills Ltd", "contract",
        ),
        ([("title", "房屋租赁合同"), ("text", "出租方（甲方）：青屿仪器有限公司")], "青屿仪器有限公司", "contract"),
        ([("title", "关于续签维护合同的函"), ("text", "贵方签订的合同即将到期。")], "", "letter"),
        ([("title", "关于签订重大合同的公告")], "", "notice"),
        (
            [("text", "海岚食品股份有限公司"), ("title", "招股说明书"), ("text", "保荐人：华岳证券股份有限公司")],
            "海岚食品股份有限公司", "prospectus",
        ),
        ([("title", "The Limes"), ("heading", "Inspection report")], "", "report"),
    ],
)  # fmt: skip
def test_whom_and_what_a_document_is_about(regions: list[tuple[RegionKind, str]], company: str, doctype: str) -> None:
    info = describe("a.pdf", [page(*regions)], {})
    assert (info.company, info.doctype) == (company, doctype)


def test_the_end_of_an_annual_reports_year_stands_on_its_form() -> None:
    letter = page(
        ("title", "2012 Annual Report"), ("text", "Dear shareholders, the year ended March 31, 2011 was good.")
    )
    form = page(("text", "FORM 10-K for the fiscal year ended March 31, 2012"), number=9)
    blank = [page(("text", "x"), number=n) for n in range(2, 9)]
    assert describe("a.pdf", [letter, *blank, form], {"creationDate": "D:20120703"}).date == "2012-03-31"


def test_a_cover_without_a_title_is_named_by_company_and_kind() -> None:
    cover = page(("text", "VIAVI MILLS INC.\nNotice of Annual Meeting of Stockholders and Proxy Statement"))
    assert describe("v-2019.pdf", [cover], {}).title == "VIAVI MILLS INC. proxy statement"


def test_a_release_is_dated_by_itself_and_a_report_by_its_period() -> None:
    said = "SPRINGFIELD, May 4, 2021 – Results for the three months ended March 31, 2021."
    assert describe("a.pdf", [page(("title", "Acme reports results"), ("text", said))], {}).date == "2021-05-04"
    assert describe("a.pdf", [page(("title", "Quarterly report"), ("text", said))], {}).date == "2021-03-31"


def test_the_made_openings_are_described_as_they_are(tmp_path: Path) -> None:
    cases = []
    for opening in list(openings())[::19]:
        (tmp_path / opening.name).write_bytes(opening.data)
        cases.append(("made", tmp_path / opening.name, opening.language, opening.truth))
    tallies, files, wrong = measured(cases)
    assert (files, wrong) == ({"made": 6}, [])
    assert tallies["made", "language"] == Tally(6, 6, 6)


def test_how_details_are_judged() -> None:
    assert judged("date", "", ["", "2019-01-01"]) == Tally(0, 0, 0)
    assert judged("date", "2019-01-02", [""]) == Tally(0, 1, 0)
    assert judged("date", "2019-01-02", ["", "2019-01-01"]) == Tally(0, 1, 0)
    assert judged("company", "Acme, Inc.", ["ACME, Inc"]) == Tally(1, 1, 1)
    assert judged("title", "Acme Form 10-K FY2019", ["Acme+10-K+2019"]) == Tally(1, 1, 1)
    assert judged("title", "", ["A title"]) == Tally(0, 0, 1)


def test_a_filing() -> None:
    info = describe(
        "filings/nwd.pdf",
        [
            page(
                ("heading", "FORM 10-K"),
                ("text", "ANNUAL REPORT PURSUANT TO SECTION 13 OR 15(d)"),
                ("text", "For the fiscal year ended December 31, 2016"),
                ("heading", "Northwind Traders, Inc."),
                ("text", "(Exact name of registrant as specified in its charter)"),
            )
        ],
        {"title": "Microsoft Word - x.doc", "author": "admin"},
    )
    assert (info.company, info.doctype, info.period, info.date) == (
        "Northwind Traders, Inc.", "10-K", "FY2016", "2016-12-31",
    )  # fmt: skip
    assert info.title == "Northwind Traders, Inc. Form 10-K FY2016"
    assert info.authors == () and info.language == "en"


def test_a_chinese_report() -> None:
    info = describe(
        "a.pdf",
        [page(("title", "青屿精密仪器股份有限公司二〇二三年年度报告"), ("text", "本公司董事会保证报告真实"))],
        {},
    )
    assert info.company == "青屿精密仪器股份有限公司"
    assert (info.doctype, info.period, info.language) == ("annual report", "FY2023", "zh")


def test_a_contract_and_a_regulation() -> None:
    contract = describe(
        "c.pdf", [page(("text", "This Loan Agreement is made on May 4, 2019 by and between A and B"))], {}
    )
    assert (contract.doctype, contract.date) == ("contract", "2019-05-04")
    rule = describe("r.pdf", [page(("title", "流量计量器具监督管理办法"))], {})
    assert rule.doctype == "regulation" and rule.title == "流量计量器具监督管理办法"


def test_a_paper_and_its_authors() -> None:
    paper = [page(("title", "On Drift"), ("text", "Ann Lee[1,2] Bo Chen[2] and Carl May"), ("heading", "Abstract"))]
    info = describe("p.pdf", paper, {"author": ""})
    assert info.doctype == "paper" and "Carl May" in info.authors


def test_the_file_name_where_nothing_else_names_it() -> None:
    assert describe("dir/site_plan_2.pdf", [page(("text", "x"))], {"title": "untitled"}).title == "site plan 2"


@given(st.text(max_size=200))
def test_any_text_is_described(text: str) -> None:
    info = describe("a.pdf", [page(("text", text))], {"title": text, "author": text, "creationDate": text})
    assert info.title
    assert info.date == "" or len(info.date) == 10


def test_an_annual_report_that_is_a_form_keeps_its_title() -> None:
    info = describe("a.pdf", [page(("title", "Acme Instruments, Inc. 2023 Annual Report"), ("text", "Form 10-K"))], {})
    assert (info.doctype, info.title) == ("10-K", "Acme Instruments, Inc. 2023 Annual Report")
    told = describe("a.pdf", [page(("title", "2023 Annual Report"), ("text", "This is not our Form 10-K."))], {})
    assert told.doctype == "annual report"


def test_a_contract_is_about_its_first_party_and_a_paper_about_no_company() -> None:
    parties = page(("title", "海岚科技有限公司股权转让协议书"), ("text", "甲方（转让方）：青屿精密仪器股份有限公司"))
    assert describe("a.pdf", [parties], {}).company == "青屿精密仪器股份有限公司"
    paper = page(("title", "On meters"), ("text", "A. Smith, Acme Instruments, Inc."), ("heading", "Abstract"))
    assert describe("a.pdf", [paper], {}).company == ""


def test_a_letter_and_a_notice() -> None:
    letter = page(
        ("title", "Acme LLP"), ("text", "Chief Financial Officer, Acme Meters, Inc."), ("text", "Dear Mr. Ng,")
    )
    info = describe("a.pdf", [letter], {})
    assert (info.doctype, info.company) == ("letter", "Acme Meters, Inc.")
    assert describe("a.pdf", [page(("title", "责令整改通知书"))], {}).doctype == "notice"


def test_a_proxy_statement_that_speaks_of_the_annual_report() -> None:
    said = "Our annual report on Form 10-K accompanies this proxy statement."
    assert describe("a.pdf", [page(("heading", "Notice of meeting"), ("text", said))], {}).doctype == "proxy statement"
    form = page(("text", "FORM 10-K"), ("text", "Commission file number 1-1"))
    assert describe("a.pdf", [form], {}).doctype == "10-K"


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


def test_a_fact_that_cannot_be_read_costs_itself_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> str:
        raise KeyError("aprıl")

    monkeypatch.setattr(describing, "company_of", fails)
    info, lost = described("a.pdf", [page(("title", "Rules for the lake"), ("text", "Dated 3 May 2019"))], {})
    assert (info.title, info.date, info.company) == ("Rules for the lake", "2019-05-03", "")
    assert len(lost) == 1 and "company" in lost[0] and "KeyError" in lost[0]
