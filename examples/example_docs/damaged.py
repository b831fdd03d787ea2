"""A file that needs a password and one whose download broke off."""

from __future__ import annotations

from dataclasses import replace

import pymupdf

from h3cold.ingest.generated.lettering import Style
from h3cold.ingest.generated.tabular import set_table
from h3cold.ingest.generated.truth import TruthDocument
from h3cold.ingest.generated.typeset import Book, Sheet

FILE_ENCRYPTED = "board_minutes_encrypted.pdf"
FILE_TRUNCATED = "truncated_report.pdf"
PASSWORD = "h3-example"
TITLE = "Minutes of the Board of Directors, March 27, 2023"

BOOK = Book(
    title=Style("hebo", 17, 23), headings=(Style("hebo", 12, 16),), body=Style("tiro", 11, 14.5),
    small=Style("tiro", 9, 11), table=Style("helv", 9.5, 12), table_head=Style("hebo", 9.5, 12),
    running=Style("helv", 8, 10),
)  # fmt: skip


def encrypted() -> tuple[bytes, TruthDocument]:
    """Board minutes under AES-256. Its bytes differ from run to run: AES takes fresh random keys and vectors."""

    def running(number: int) -> tuple[str, str]:
        return "Confidential", f"Minutes 2023-03, page {number}"

    sheet = Sheet(BOOK, running=running)
    sheet.title(TITLE, align="left")
    sheet.text("Held at 1180 Harbor Street, Duluth, from 9:00 to 12:40. Harold Lindqvist took the chair.")
    sheet.heading("1. Attendance", 1)
    sheet.text(
        "Present were Harold Lindqvist, Margaret Osei, Ruth Abernathy and Samuel Nakamura. Tomas Herrera kept "
        "the minutes."
    )
    sheet.heading("2. Purchase of 51% of Ningbo Hailan", 1)
    sheet.text(
        "Margaret Osei presented the draft agreement with Qingyu Precision Instruments Co., Ltd. The seller "
        "first asked "
        "for RMB 205 million; the price now agreed is RMB 186.4 million. Daniel Whitcombe, as a guest, explained "
        "that the "
        "purchase pays back in 7.4 years if margins reach 12% by 2026."
    )
    set_table(
        sheet,
        [
            ["Case", "Net sales 2026 (RMB million)", "Margin", "Payback (years)"],
            ["Low", "148", "8%", "11.2"],
            ["Base", "176", "12%", "7.4"],
            ["High", "203", "14%", "5.9"],
        ],
        widths=(1, 2.4, 1, 1.4),
        aligns="lrrr",
        caption="Cases considered",
    )
    sheet.text(
        "Resolved unanimously: the purchase is approved at up to RMB 190 million, with closing before August 31, 2023."
    )
    sheet.open_page()
    sheet.heading("3. Seat on the board", 1)
    sheet.text(
        "Qingyu wishes to nominate its chairman Lu Jingming as a director. Ruth Abernathy asked how conflicts would be "
        "handled. Resolved, with three votes for and one against: Lu Jingming is proposed for election on June "
        "1, 2023 and "
        "will not take part in decisions on purchases from Qingyu."
    )
    sheet.heading("4. Retention payments", 1)
    sheet.text(
        "Resolved: eleven engineers of Hailan receive retention payments of RMB 3.2 million in all, half of it "
        "after two years."
    )
    data, pages = sheet.finish(title=TITLE)
    locked = pymupdf.open(stream=data).tobytes(
        garbage=3,
        deflate=True,
        no_new_id=True,
        encryption=pymupdf.PDF_ENCRYPT_AES_256,
        user_pw=PASSWORD,
        owner_pw=PASSWORD + "-owner",
    )
    company = "Larkspur Instruments, Inc."
    return locked, TruthDocument(FILE_ENCRYPTED, "en", TITLE, company, "", "minutes", pages, password=PASSWORD)


def truncated(whole: bytes, truth: TruthDocument) -> tuple[bytes, TruthDocument]:
    """The first half of a file; `truth` keeps the pages of the whole."""
    return whole[: len(whole) // 2], replace(truth, file=FILE_TRUNCATED, broken=True)
