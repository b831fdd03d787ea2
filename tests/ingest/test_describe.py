from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.ingest import describe as describing
from h3cold.ingest.benchmark_details import judged, measured
from h3cold.ingest.describe import describe, described
from h3cold.ingest.doctypes import doctype_of
from h3cold.ingest.generated.openings import openings
from h3cold.ingest.scores import Tally
from h3cold.schemas.page import Page, Region, RegionKind


def page(*regions: tuple[RegionKind, str], number: int = 1) -> Page:
    found = tuple(Region(kind, (0, 10 * i, 100, 10 * i + 8), text, i) for i, (kind, text) in enumerate(regions))
    return Page(number, 595, 842, 0, "text", "geometry", found)


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


def test_a_fact_that_cannot_be_read_costs_itself_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> str:
        raise KeyError("aprıl")

    monkeypatch.setattr(describing, "company_of", fails)
    info, lost = described("a.pdf", [page(("title", "Rules for the lake"), ("text", "Dated 3 May 2019"))], {})
    assert (info.title, info.date, info.company) == ("Rules for the lake", "2019-05-03", "")
    assert len(lost) == 1 and "company" in lost[0] and "KeyError" in lost[0]


@pytest.mark.parametrize(
    ("opening", "kind"),
    [
        ("Portions of the Proxy Statement for the meeting are incorporated by reference.", ""),
        ("PART II\nItem 5. Market for Registrant’s Common Equity 18\nItem 7. Management’s Discussion 20\n"
         "Portions of the Proxy Statement are incorporated by reference.", "10-K"),
        ("Item 1A. Risk Factors\nitem 2. Management's Discussion and Analysis 14", "10-Q"),
        ("NOTICE OF ANNUAL MEETING AND\nPROXY STATEMENT\nThe board asks", "proxy statement"),
        ("All forward-looking statements in this Annual Report on Form 10-K are made", "10-K"),
    ],
)  # fmt: skip
def test_a_filing_without_its_cover_is_known_by_its_items(opening: str, kind: str) -> None:
    assert doctype_of("", opening) == kind
