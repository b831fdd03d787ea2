"""The annual report of Larkspur Instruments, Inc.: cover, contents and the narrative Items."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from example_docs.annual_en_tables import governance, notes, statements
from h3cold.ingest.generated.drawings import bar_chart
from h3cold.ingest.generated.lettering import Style, width
from h3cold.ingest.generated.tabular import set_table
from h3cold.ingest.generated.truth import TruthDocument, TruthRegion
from h3cold.ingest.generated.typeset import Book, Sheet

FILE = "larkspur_annual_report_2023.pdf"
TITLE = "Larkspur Instruments, Inc. 2023 Annual Report"
NAVY = (0.1, 0.2, 0.38)

BOOK = Book(
    title=Style("hebo", 26, 34, color=NAVY),
    headings=(Style("hebo", 15, 20, color=NAVY), Style("hebo", 12, 16), Style("tibo", 10.5, 14)),
    body=Style("tiro", 10.5, 13.5),
    small=Style("tiro", 8.5, 10.5),
    table=Style("helv", 9, 11.5),
    table_head=Style("hebo", 9, 11.5),
    running=Style("helv", 8, 10, color=(0.35, 0.35, 0.35)),
)


def build() -> tuple[bytes, TruthDocument]:
    """The file's bytes and its truth."""

    def running(number: int) -> tuple[str, str]:
        if number == 1:
            return "", ""
        return "Larkspur Instruments, Inc. | 2023 Annual Report on Form 10-K", f"Page {number}"

    # Set twice: the contents need the pages that the Items come to stand on.
    items = [entry for entry in _set_all(running, []).outline if entry[0] == 1 and entry[1].startswith("Item")]
    sheet = _set_all(running, items)
    data, pages = sheet.finish(title=TITLE, author="Larkspur Instruments, Inc.", outline=True)
    return data, TruthDocument(FILE, "en", TITLE, "Larkspur Instruments, Inc.", "FY2023", "10-K", pages)


def _set_all(running: Callable[[int], tuple[str, str]], items: Sequence[tuple[int, str, int]]) -> Sheet:
    sheet = Sheet(BOOK, running=running)
    _cover(sheet)
    _contents(sheet, items)
    sheet.open_page()
    _business(sheet)
    sheet.open_page()
    _risks(sheet)
    _legal(sheet)
    sheet.open_page()
    _discussion(sheet)
    sheet.open_page()
    statements(sheet)
    notes(sheet)
    sheet.open_page()
    governance(sheet)
    return sheet


def _cover(sheet: Sheet) -> None:
    big, plain = Style("hebo", 13, 18), Style("tiro", 11, 15)
    sheet.pen.box((0, 0, 595, 54), color=None, fill=NAVY)
    sheet.y = 130
    sheet.text("FORM 10-K", style=big, align="center")
    sheet.text(
        "Annual report pursuant to Section 13 of the Securities Exchange Act of 1934", style=plain, align="center"
    )
    sheet.text("For the fiscal year ended December 31, 2023", style=plain, align="center")
    sheet.y = 260
    sheet.title("Larkspur Instruments, Inc. 2023 Annual Report")
    sheet.y = 400
    for line in (
        "Incorporated in Delaware · Commission file number 001-90417",
        "1180 Harbor Street, Duluth, Minnesota 55802 · Telephone (218) 555-0142",
        "Common stock, $0.01 par value, listed on the Nasdaq Global Market under the symbol LRKS",
    ):
        sheet.text(line, style=plain, align="center")
    sheet.y = 560
    sheet.text(
        "As of June 30, 2023, the aggregate market value of common stock held by non-affiliates was $684.2 million. "
        "On February 16, 2024 there were 25,481,300 shares of common stock outstanding.",
        style=plain,
    )


def _contents(sheet: Sheet, items: Sequence[tuple[int, str, int]]) -> None:
    sheet.open_page()
    sheet.heading("Table of Contents", 1)
    style = sheet.book.body
    top, rows = sheet.y, []
    for _, name, page in items:
        base = sheet.y + 14
        number = str(page)
        dots = "." * int((sheet.room - width(name, style) - width(number, style) - 12) / width(".", style))
        sheet.pen.draw(sheet.x0, base, f"{name} {dots}", style)
        sheet.pen.draw(sheet.x1 - width(number, style), base, number, style)
        rows.append(f"{name} {dots} {number}")
        sheet.y += 20
    sheet.add(TruthRegion("list", "\n".join(rows), (sheet.x0, top, sheet.x1, sheet.y)))
    sheet.y += 12
    sheet.text(
        "Unless the context requires otherwise, “Larkspur”, “we”, “our” and “the Company” mean Larkspur Instruments, "
        "Inc. and its consolidated subsidiaries. All amounts are in millions of U.S. dollars except per-share data."
    )
    sheet.text(
        "This report contains forward-looking statements. They rest on what we expect today, and what happens may "
        "differ for the reasons given in Item 1A. We do not undertake to update them."
    )


def _business(sheet: Sheet) -> None:
    sheet.heading("Item 1. Business", 1)
    sheet.heading("Overview", 2)
    sheet.text(
        "Larkspur designs and makes ultrasonic and electromagnetic flow meters, the valves that go with them, and the "
        "sensing components inside. Our meters measure water, process liquids and gas for about 4,100 customers in 46 "
        "countries. We were founded in Duluth in 1974 and employed 2,318 people on December 31, 2023."
    )
    sheet.heading("Segments", 2)
    sheet.text("We report three segments, which differ in what they sell and to whom:")
    sheet.items(
        [
            "Industrial Flow: meters and control valves for chemical, food and energy plants.",
            "Water Utilities: meters, radio modules and leak detection for municipal water suppliers, sold under the "
            "Brightwater name since we bought Brightwater Metering, Inc. in 2022.",
            "Sensing Components: transducers and signal boards, made in Ningbo and sold to other makers of meters.",
        ]
    )
    set_table(
        sheet,
        [
            ["Segment", "Net sales", "", "Operating margin", ""],
            ["", "2023", "2022", "2023", "2022"],
            ["Industrial Flow", "287.1", "271.5", "14.2%", "13.6%"],
            ["Water Utilities", "168.7", "152.3", "9.8%", "9.1%"],
            ["Sensing Components", "56.6", "45.1", "5.3%", "4.4%"],
            ["Total", "512.4", "468.9", "11.7%", "11.3%"],
        ],
        widths=(3, 1.4, 1.4, 1.4, 1.4),
        aligns="lrrrr",
        head=2,
        spans=((0, 0, 2, 1), (0, 1, 1, 2), (0, 3, 1, 2)),
        caption="Table 1. Segment results (in millions of U.S. dollars)",
    )
    sheet.heading("Products and research", 2)
    sheet.heading("Ultrasonic meters", 3)
    sheet.text(
        "The LX series measures flow from the difference of two transit times. Its drift correction, described by our "
        "chief technology officer Ingrid Solvang with Shen Wei of Qingyu Precision Instruments Co., Ltd., holds the "
        "error below 0.25% of reading for three years without recalibration."
    )
    sheet.heading("Control valves", 3)
    sheet.text(
        "Qingyu Precision Instruments Co., Ltd. supplies most of the valve bodies that we fit in China under a "
        "framework agreement that runs to 2027. We spent $46.2 million on research and development in 2023."
    )


def _risks(sheet: Sheet) -> None:
    sheet.heading("Item 1A. Risk Factors", 1)
    sheet.columns(2, height=300)
    for text in (
        "We depend on few suppliers. In 2023 three suppliers stood for 41% of the materials we bought. If one of them "
        "stopped delivering, we would need six to nine months to qualify another, and sales of our LX meters "
        "would fall.",
        "Part of our business is in China. Ningbo Hailan Sensing Technology Co., Ltd. earns in renminbi, and its "
        "products fall under the Measures for the Supervision of Flow Metering Instruments. A change in these rules, "
        "or in how they are enforced, may delay deliveries.",
        "Our customers postpone projects when interest rates rise. Orders from municipal suppliers fell by 4% in the "
        "second half of 2023, and we cannot say when they will recover.",
        "Attacks on our computers may stop production. In March 2023 a supplier’s account was misused to send false "
        "invoices; we lost $0.3 million and have since changed how payments are approved.",
        "New meters may fail in the field. We give warranties of up to ten years on battery life. Warranty cost "
        "was $4.4 "
        "million in 2023, and a fault found late in a widely sold model would cost a multiple of that.",
        "Skilled people are scarce in Duluth and Ningbo. It takes us about a year to train an engineer in acoustics, "
        "and 11% of our engineers left in 2023.",
        "We may have to write down goodwill. On December 31, 2023 goodwill was $118.4 million, or 20% of total assets.",
    ):
        sheet.text(text)
    sheet.one_column()


def _legal(sheet: Sheet) -> None:
    sheet.heading("Item 3. Legal Proceedings", 1)
    sheet.heading("Environmental matters", 2)
    sheet.text(
        "On August 3, 2023 the U.S. Environmental Protection Agency fined Brightwater Metering, Inc. $1.25 million for "
        "discharging rinse water with excess copper from its Salem, Oregon plant between 2019 and 2021. The penalty "
        "was paid in October 2023. The former owners of Brightwater have to reimburse us for 60% of it."
    )
    sheet.heading("Metrology penalty in China", 2)
    sheet.text(
        "On September 12, 2023 the Dongyu Municipal Metrology Supervision Administration fined our supplier and "
        "shareholder partner Qingyu Precision Instruments Co., Ltd. RMB 320,000 for selling 46 flow meters without "
        "verification. We were not a party to the proceeding and expect no effect on deliveries."
    )
    sheet.heading("Patent litigation", 2)
    sheet.text(
        "In November 2022 we sued Castellan Sensors Corp. in the U.S. District Court for the District of Minnesota "
        "for infringing two patents on drift correction. Trial is set for June 2024."
    )


def _discussion(sheet: Sheet) -> None:
    sheet.heading("Item 7. Management’s Discussion and Analysis", 1)
    sheet.heading("Results of operations", 2)
    sheet.text(
        "Net sales rose by 9.3% to $512.4 million in 2023, from $468.9 million in 2022. Volume added 4.1 points, "
        "prices "
        "2.6 points and the first-time consolidation of Ningbo Hailan Sensing Technology Co., Ltd. 2.6 points. Gross "
        "margin improved to 41.1% from 39.7%, because freight cost less and the mix moved towards LX meters.(1)"
    )
    sheet.text(
        "Selling, general and administrative expenses were $98.5 million, 19.2% of net sales, against 19.3% the year "
        "before. Operating income rose to $60.0 million. Interest expense rose to $7.4 million as we borrowed for the "
        "acquisition described below and as rates went up.(2)"
    )
    bar_chart(
        sheet,
        groups=("2019", "2020", "2021", "2022", "2023"),
        series=(
            ("Net sales", (388.2, 371.9, 421.6, 468.9, 512.4)),
            ("Gross profit", (147.1, 138.4, 163.2, 186.3, 210.6)),
        ),
        unit="USD million",
        caption="Figure 1. Net sales and gross profit, 2019 to 2023",
    )
    sheet.footnotes(
        "(1) Gross margin is gross profit divided by net sales.",
        "(2) The average rate on our revolving credit facility was 6.1% in 2023 and 3.8% in 2022.",
    )
    sheet.heading("Acquisition of Ningbo Hailan", 2)
    sheet.text(
        "On May 16, 2023 we acquired 51% of Ningbo Hailan Sensing Technology Co., Ltd. from Qingyu Precision "
        "Instruments Co., Ltd. for RMB 186.4 million ($26.1 million) in cash. Hailan makes piezoelectric transducers "
        "in Ningbo, Zhejiang and employed 264 people at closing. Qingyu keeps the other 49%. Goodwill of $21.8 million "
        "arose, mainly for the workforce and for savings in purchasing. Hailan added $12.2 million to net sales."
    )
    sheet.heading("Liquidity and capital resources", 2)
    sheet.heading("Cash flows", 3)
    sheet.text(
        "Operating activities provided $71.8 million in 2023 and $64.2 million in 2022. Capital expenditure was $28.4 "
        "million, most of it for the second transducer line in Ningbo. We paid dividends of $15.4 million and bought "
        "back shares for $20.5 million."
    )
    sheet.heading("Borrowings and guarantees", 3)
    sheet.text(
        "Our revolving credit facility of $200.0 million with Lakeshore National Bank runs to March 2027; $150.0 "
        "million "
        "was drawn on December 31, 2023. In July 2023 we guaranteed a loan of RMB 60 million that the Bank of Dongyu "
        "made to Ningbo Hailan Sensing Technology Co., Ltd. We were in compliance with all covenants."
    )
    sheet.heading("Working capital", 3)
    sheet.text(
        "Receivables turnover was 6.1 times in 2023 and 6.2 times in 2022, computed on average net receivables. "
        "Inventories rose by $4.7 million as we held more transducers in stock. The table shows the ratios we watch."
    )
    set_table(
        sheet,
        [
            ["Ratio", "2023", "2022", "2021"],
            ["Receivables turnover (times)", "6.1", "6.2", "6.0"],
            ["Inventory turnover (times)", "3.2", "3.1", "3.3"],
            ["Current ratio", "2.39", "2.57", "2.41"],
            ["Debt to equity", "0.48", "0.46", "0.40"],
            ["Return on equity (%)", "13.8", "13.9", "12.2"],
        ],
        widths=(3, 1, 1, 1),
        aligns="lrrr",
        look="lines",
        caption="Table 2. Working capital and leverage ratios",
    )
    sheet.heading("Outlook", 2)
    sheet.text(
        "We expect net sales of $535 to $550 million in 2024 and capital expenditure of about $30 million. We plan to "
        "open a calibration laboratory in Duluth in the third quarter of 2024 and to hire 60 engineers."
    )
    sheet.heading("Critical accounting estimates", 2)
    sheet.text(
        "We recognise revenue when control passes, in most cases on delivery. For meters installed by us, which stood "
        "for 8% of net sales, we recognise revenue over time by costs incurred; an error of 5% in expected costs would "
        "change operating income by $0.9 million. We test goodwill every October. The fair value of each "
        "reporting unit "
        "exceeded its carrying amount by at least 22% in 2023; for Sensing Components, a discount rate higher by one "
        "point would have cut that margin to 9%."
    )
