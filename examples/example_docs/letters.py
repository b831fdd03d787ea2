"""Two scanned letters, one in each language: pictures only, slightly skewed and noisy."""

from __future__ import annotations

from dataclasses import replace

from h3cold.ingest.generated.lettering import Style
from h3cold.ingest.generated.scans import scanned
from h3cold.ingest.generated.truth import TruthDocument
from h3cold.ingest.generated.typeset import Book, Sheet

FILE_EN = "scanned_guarantee_letter.pdf"
FILE_ZH = "扫描件_整改通知书.pdf"
DPI = 200
SKEW = 0.5
"""Degrees, clockwise: what a hand-fed scanner does."""


def build() -> list[tuple[bytes, TruthDocument]]:
    """Both files' bytes and truths."""
    return [_english(), _chinese()]


def _english() -> tuple[bytes, TruthDocument]:
    body = Style("tiro", 11.5, 15)
    book = Book(
        title=Style("tibo", 15, 20), headings=(Style("tibo", 12, 16),), body=body, small=body,
        table=body, table_head=body, running=Style("tiit", 9, 11), gap=9,
    )  # fmt: skip
    sheet = Sheet(book, margins=(80.0, 90.0, 80.0, 90.0))
    sheet.title("Calder & Finch LLP", align="left")
    sheet.text("410 Superior Street, Duluth, Minnesota 55802")
    sheet.space(14)
    sheet.text("July 21, 2023")
    for line in ("Mr. Daniel Whitcombe", "Chief Financial Officer, Larkspur Instruments, Inc."):
        sheet.text(line)
    sheet.space(6)
    sheet.heading("Guarantee for Ningbo Hailan Sensing Technology Co., Ltd.", 1)
    for text in (
        "Dear Mr. Whitcombe,",
        "You asked us to review the guarantee that Larkspur Instruments, Inc. is to give to the Bank of Dongyu "
        "for a loan "
        "of RMB 60 million to its subsidiary Ningbo Hailan Sensing Technology Co., Ltd. We have read the draft "
        "of July 14 "
        "and have three comments.",
        "First, the guarantee is joint and several. The bank may therefore claim the full amount from Larkspur, "
        "although "
        "Qingyu Precision Instruments Co., Ltd. guarantees RMB 40 million of the same loan.",
        "Second, the guarantee ends on July 31, 2026, two months after the loan falls due. A claim made later is void, "
        "provided that the bank has been told of the date in writing.",
        "Third, the guarantee has to be registered with the foreign exchange authority within fifteen working days. "
        "Without registration a payment under it cannot leave China.",
        "Subject to these points we see no obstacle to signing. Our fee for this advice is $8,400.",
        "Yours sincerely,",
        "Eleanor Finch, Partner",
    ):
        sheet.text(text)
    title = "Guarantee for Ningbo Hailan Sensing Technology Co., Ltd."
    return _scan(
        sheet, TruthDocument(FILE_EN, "en", title, "Larkspur Instruments, Inc.", "", "letter", (), scanned=True)
    )


def _chinese() -> tuple[bytes, TruthDocument]:
    body = Style("cjk", 13, 24)
    book = Book(
        title=Style("cjk", 20, 34, heavy=True), headings=(Style("cjk", 14, 26, heavy=True),), body=body, small=body,
        table=body, table_head=body, running=body, indent=26,
    )  # fmt: skip
    sheet = Sheet(book, margins=(84.0, 90.0, 84.0, 90.0))
    sheet.title("东屿市计量监督管理局")
    sheet.title("责令整改通知书")
    sheet.text("东计监改〔2023〕31号", align="center")
    sheet.space(10)
    sheet.text("青屿精密仪器股份有限公司：", indent=0)
    for text in (
        "经查，你公司2022年3月至11月向三家供水企业销售QF-300型超声流量计46台，均未经强制检定，违反了《流量计量器具监督管理办法》"
        "第十九条的规定。",
        "现责令你公司自收到本通知之日起三十日内完成以下整改：一、召回全部46台流量计并送检；二、修订出厂放行制度，设立专职检定管理员；"
        "三、向本局提交书面整改报告。",
        "逾期不整改的，本局将依法从重处罚。如对本通知不服，可以在六十日内申请行政复议。",
        "联系人：顾长风　　电话：0570-555-0188",
    ):
        sheet.text(text)
    sheet.space(20)
    sheet.text("东屿市计量监督管理局", align="right")
    sheet.text("2023年8月7日", align="right")
    title = "责令整改通知书"
    company = "青屿精密仪器股份有限公司"
    return _scan(sheet, TruthDocument(FILE_ZH, "zh", title, company, "", "notice", (), scanned=True))


def _scan(sheet: Sheet, truth: TruthDocument) -> tuple[bytes, TruthDocument]:
    data, pages = sheet.finish(title=truth.title)
    return scanned(data, title=truth.title, dpi=DPI, skew=SKEW, seed=2023), replace(truth, pages=pages)
