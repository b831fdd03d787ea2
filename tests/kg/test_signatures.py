"""Officers by their signatures: lines and tables, in both languages, and of whose paper."""

import pytest

from h3cold.kg.benchmark_edges import block
from h3cold.kg.extract import extract
from h3cold.kg.signatures import signed, signed_rows
from h3cold.schemas.document import DocumentInfo

LEAD = (
    "Pursuant to the requirements of Section 13 or 15(d) of the Securities Exchange Act of 1934, the registrant has "
    "duly caused this report to be signed on its behalf by the undersigned, thereunto duly authorized.\n"
)
FILINGS = [
    (
        LEAD
        + "HALDEN ROBOTICS, INC.\nBy: /s/ INES A. TEAL Ines A. Teal President, Chief Executive Officer and Director "
        "(Principal Executive Officer)\nDate: March 4, 2021",
        [("Ines A. Teal", "President, Chief Executive Officer and Director", "March 4, 2021")],
    ),
    (
        LEAD + "Date: March 4, 2021 By:/s/ Ines Teal\nInes Teal Chief Executive Officer\n"
        "Date: March 5, 2021 By:/s/ Bo Marsh\nBo Marsh Chief Financial & Accounting Officer",
        [
            ("Ines Teal", "Chief Executive Officer", "March 4, 2021"),
            ("Bo Marsh", "Chief Financial & Accounting Officer", "March 5, 2021"),
        ],
    ),
    (
        LEAD + "By: /s/ Ines Teal Name: Ines Teal Capacity: Director Date: March 4, 2021\n"
        "By: /s/ Bo Marsh, Jr. Name: Bo Marsh, Jr. Capacity: Director Date: March 5, 2021",
        [("Ines Teal", "Director", "March 4, 2021"), ("Bo Marsh, Jr.", "Director", "March 5, 2021")],
    ),
]


def officers(text, language, company):
    found = extract([block(text, 0, "0" * 32, language)], info=DocumentInfo(language=language, company=company))
    names = {m.entity: m.text for m in reversed(found.mentions)}
    return {
        (names[r.head], names[r.tail], r.value, r.period): text[r.start : r.end]
        for r in found.relations
        if r.type == "officer_of"
    }


@pytest.mark.parametrize(("text", "expected"), FILINGS)
def test_who_signs_a_filing_is_an_officer_as_of_its_date(text, expected):
    found = officers(text, "en", "Halden Robotics, Inc.")
    assert {(person, value, period) for person, _, value, period in found} == set(expected)
    assert {company.casefold() for _, company, _, _ in found} == {"halden robotics, inc."}
    assert all(person in shown and value in shown for (person, _, value, _), shown in found.items())


def test_who_signs_a_contract_signs_for_the_company_above_alone():
    text = (
        "IN WITNESS WHEREOF, the parties hereto have executed this Agreement.\nORRIN LENDERS, INC.\n"
        "By: /s/ Bo Marsh\nName: Bo Marsh\nTitle: Vice President\n\nBy: /s/ Una Cole\nUna Cole"
    )
    assert {k[:3] for k in officers(text, "en", "Halden Robotics, Inc.")} == {
        ("Bo Marsh", "ORRIN LENDERS, INC.", "Vice President")
    }


def test_an_auditor_holds_no_office():
    assert not officers(LEAD + "/s/ Kessler Vogt McCann P.C.\nChicago, Illinois", "en", "Halden Robotics, Inc.")


def test_a_table_of_signatures_goes_over_several_rows():
    rows = [
        ["/S/ INES TEAL", "Chairman of the Board and", "March 4, 2021"],
        ["Ines Teal", "Chief Executive Officer", ""],
        ["", "(Principal Executive Officer)", ""],
        ["/s/ Bo A. Marsh Bo A. Marsh", "Director", "March 4, 2021"],
        ["/s/ UNA COLE", "", "March 4, 2021"],
        ["Una Cole", "", ""],
    ]
    assert list(signed_rows(rows)) == [
        ("Ines Teal", "Chairman of the Board and Chief Executive Officer", "March 4, 2021", "/S/ INES TEAL"),
        ("Bo A. Marsh", "Director", "March 4, 2021", "/s/ Bo A. Marsh Bo A. Marsh"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("法定代表人（签字）：王建国", {("王建国", "法定代表人", "")}),
        ("海隆石油股份有限公司董事会\n董事长：王建国\n2023年4月28日", {("王建国", "董事长", "2023年4月28日")}),
        ("独立董事：王建国、李志平、张文丰", {(n, "独立董事", "") for n in ("王建国", "李志平", "张文丰")}),
        ("公司董事签名：\n王建国　李志平　张文丰", {(n, "董事", "") for n in ("王建国", "李志平", "张文丰")}),
        (
            "公司负责人王建国、主管会计工作负责人李志平及会计机构负责人张文丰声明：保证财务报告真实。",
            {("王建国", "负责人", ""), ("李志平", "主管会计工作负责人", ""), ("张文丰", "会计机构负责人", "")},
        ),
    ],
)
def test_who_signs_a_chinese_report_is_an_officer(text, expected):
    found = officers(text, "zh", "海隆石油股份有限公司")
    assert {(person, value, period) for person, _, value, period in found} >= expected
    assert {company for _, company, _, _ in found} == {"海隆石油股份有限公司"}


@pytest.mark.parametrize(
    "text",
    [
        "甲方：永德矿业有限公司\n乙方：王建国\n授权签字：李志平",
        "注册会计师：王建国",
        "法定代表人：",
        "总经理：另行公告",
    ],
)
def test_others_who_sign_hold_no_office(text):
    assert not officers(text, "zh", "海隆石油股份有限公司")


@pytest.mark.parametrize("text", ["/s/", "/s/ " * 400, "/s/ " + "A" * 5000, "/s/ " + "Bo " * 2000, "x/s/y"])
def test_no_signature_is_none(text):
    assert [s for s in signed(text) if s.office] == []
