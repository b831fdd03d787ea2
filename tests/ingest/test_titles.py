from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from pdf_pages import LOREM, put, save, wrapped

from h3cold.ingest.parse import ParseOptions, parse_document
from h3cold.schemas.document import ParsedDocument

FAST = ParseOptions(ocr="off", layout="fast")
PROSE = [
    "甲方与乙方依照有关法律的规定，本着平等自愿的原则，就本合同所载事项协商一致，订立以下各条款，",
    "双方应当共同遵守。合同未尽事宜由双方另行协商，并以书面形式作出补充，补充条款与本合同具有同等效力。",
    "任何一方违反约定的，应当承担相应的责任，并赔偿对方因此受到的全部损失，包括为主张权利所支出的费用。",
]


def made(tmp_path: Path, lines: list[tuple[str, float]], *, font: str = "china-s", left: float = 0.0) -> ParsedDocument:
    """A page with these lines centred (or from `left`), each in its size, and prose below."""
    doc = pymupdf.open()
    page = doc.new_page()
    y = 80.0
    for text, size in lines:
        width = pymupdf.get_text_length(text, font, size)
        y = put(page, left or (page.rect.width - width) / 2, y, text, size=size, font=font) + 0.8 * size
    put(
        page,
        60,
        y + 10,
        PROSE if font == "china-s" else wrapped(LOREM, 85),
        font="china-s" if font == "china-s" else "helv",
    )
    return parse_document(save(doc, tmp_path / "a.pdf"), options=FAST)


@pytest.mark.parametrize(
    ("lines", "title", "company", "doctype", "period", "date"),
    [
        (
            [("青屿精密仪器股份有限公司", 24), ("2023年年度报告", 24), ("披露日期：2024年4月26日", 11)],
            "青屿精密仪器股份有限公司2023年年度报告", "青屿精密仪器股份有限公司", "annual report", "FY2023",
            "2024-04-26",
        ),
        (
            [("海岚传感科技股份有限公司", 22), ("2022 年半年度报告", 18), ("二〇二二年八月二十日", 11)],
            "海岚传感科技股份有限公司2022 年半年度报告", "海岚传感科技股份有限公司", "interim report", "2022H1",
            "2022-08-20",
        ),
        (
            [("设备采购合同", 22), ("甲方：青屿精密仪器股份有限公司", 11), ("签订日期：2021年5月20日", 11)],
            "设备采购合同", "青屿精密仪器股份有限公司", "contract", "", "2021-05-20",
        ),
        (
            [("东屿市中级人民法院", 22), ("民事判决书", 22), ("（2020）东民终字第12号", 11)],
            "东屿市中级人民法院民事判决书", "", "judgment", "", "",
        ),
        (
            [("流量计量器具监督管理规定", 22), ("2019年3月1日公布", 11)],
            "流量计量器具监督管理规定", "", "regulation", "", "2019-03-01",
        ),
        (
            [("行政处罚决定书", 22), ("当事人：海岚传感科技有限公司", 11), ("日期：2018-07-09", 11)],
            "行政处罚决定书", "海岚传感科技有限公司", "decision", "", "2018-07-09",
        ),
    ],
)  # fmt: skip
def test_facts_of_chinese_documents(
    tmp_path: Path, lines: list[tuple[str, float]], title: str, company: str, doctype: str, period: str, date: str
) -> None:
    info = made(tmp_path, lines).info
    assert (info.title, info.company, info.doctype) == (title, company, doctype)
    assert (info.period, info.date, info.language) == (period, date, "zh")


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        ([("THE STATE OF METERING IN", 20), ("OPEN CHANNELS", 36), ("AND CLOSED CONDUITS", 20)],
         "THE STATE OF METERING IN OPEN CHANNELS AND CLOSED CONDUITS"),
        ([("Flow Meters (Selection and", 20), ("Maintenance)", 17), ("Second edition", 12)],
         "Flow Meters (Selection and Maintenance)"),
        ([("Access Control Support in Metering", 26), ("Redbook", 40)], "Access Control Support in Metering"),
        ([("SUPERIOR COURT", 16), ("Larkspur Holdings v. Calder", 12), ("MOTION TO DISMISS", 14)], "MOTION TO DISMISS"),
        ([("FOR RELEASE MARCH 9, 2020", 22), ("How People Use Meters", 18)], "How People Use Meters"),
    ],
)  # fmt: skip
def test_lines_that_make_the_title(tmp_path: Path, lines: list[tuple[str, float]], title: str) -> None:
    assert made(tmp_path, lines, font="hebo").info.title == title


def test_a_letter_is_called_by_its_subject(tmp_path: Path) -> None:
    lines = [("Calder & Finch LLP", 20.0), ("Re: Guarantee for Hailan Sensing", 10.0), ("Dear Ms. Okafor,", 10.0)]
    doc = made(tmp_path, lines, font="helv", left=60)
    assert doc.info.title.endswith("Guarantee for Hailan Sensing") and doc.info.doctype == "letter"
    assert [r.text for r in doc.pages[0].regions if r.kind == "heading" and r.text.startswith("Dear")] == []


def test_larger_sections_do_not_outrank_the_first_heading(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = put(page, 60, 70, "The history of meters", size=12, font="hebo") + 8
    for name in ("Origins", "First patents", "Growth", "Today", "Outlook"):
        y = put(page, 60, put(page, 60, y, wrapped(LOREM, 85)) + 16, name, size=14, font="hebo") + 8
    put(page, 60, y, wrapped(LOREM, 85))
    parsed = parse_document(save(doc, tmp_path / "a.pdf"), options=FAST)
    assert parsed.info.title == "The history of meters"
    assert {r.level for r in parsed.pages[0].regions if r.kind == "heading"} == {1}


def test_what_stands_above_the_title_is_no_chapter(tmp_path: Path) -> None:
    lines = [("FORM 10-K", 13.0), ("Larkspur Instruments, Inc.", 24.0), ("Item 1. Business", 15.0)]
    (page,) = made(tmp_path, lines, font="hebo").pages
    assert [(r.kind, r.text) for r in page.regions if len(r.text) < 60] == [
        ("text", "FORM 10-K"),
        ("title", "Larkspur Instruments, Inc."),
        ("heading", "Item 1. Business"),
    ]


def test_a_firms_abbreviation_ends_no_sentence_in_a_title(tmp_path: Path) -> None:
    lines = [("Tansley Biologics, Inc. Reports Third Quarter Results", 18.0), ("Sales rose in all regions.", 11.0)]
    assert made(tmp_path, lines, font="hebo").info.title == "Tansley Biologics, Inc. Reports Third Quarter Results"
