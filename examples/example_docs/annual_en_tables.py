"""The annual report of Larkspur Instruments, Inc.: statements, notes, officers and subsidiaries."""

from __future__ import annotations

from h3cold.ingest.generated.tabular import set_table
from h3cold.ingest.generated.typeset import Sheet

INCOME = [
    ["", "2023", "2022"],
    ["Net sales", "$ 512.4", "$ 468.9"],
    ["Cost of sales", "301.8", "282.6"],
    ["Gross profit", "210.6", "186.3"],
    ["Operating expenses:", "", ""],
    ["  Research and development", "46.2", "41.7"],
    ["  Selling, general and administrative", "98.5", "90.4"],
    ["  Acquisition-related costs", "5.9", "1.2"],
    ["Operating income", "60.0", "53.0"],
    ["Interest expense", "(7.4)", "(4.9)"],
    ["Other income, net", "1.8", "0.9"],
    ["Income before income taxes", "54.4", "49.0"],
    ["Income tax expense", "11.9", "10.8"],
    ["Net income", "42.5", "38.2"],
    ["Net income attributable to noncontrolling interest", "1.3", "—"],
    ["Net income attributable to Larkspur", "$ 41.2", "$ 38.2"],
    ["Earnings per share, diluted", "$ 1.61", "$ 1.48"],
]
BALANCE = [
    ["", "2023", "2022"],
    ["Cash and cash equivalents", "$ 61.3", "$ 74.8"],
    ["Accounts receivable, net of allowance of 2.1 and 1.8", "88.6", "79.4"],
    ["Inventories", "97.2", "92.5"],
    ["Prepaid expenses and other", "14.1", "12.7"],
    ["Total current assets", "261.2", "259.4"],
    ["Property, plant and equipment, net", "132.9", "118.6"],
    ["Goodwill", "118.4", "96.2"],
    ["Intangible assets, net", "57.3", "44.0"],
    ["Other assets", "19.6", "17.1"],
    ["Total assets", "$ 589.4", "$ 535.3"],
    ["Accounts payable", "$ 52.4", "$ 49.8"],
    ["Accrued liabilities", "44.9", "41.3"],
    ["Current portion of long-term debt", "12.0", "10.0"],
    ["Total current liabilities", "109.3", "101.1"],
    ["Long-term debt", "138.0", "120.0"],
    ["Deferred taxes and other", "31.6", "29.9"],
    ["Total liabilities", "278.9", "251.0"],
    ["Common stock and paid-in capital", "121.5", "119.7"],
    ["Retained earnings", "179.3", "174.0"],
    ["Accumulated other comprehensive loss", "(8.7)", "(9.4)"],
    ["Noncontrolling interest", "18.4", "—"],
    ["Total equity", "310.5", "284.3"],
    ["Total liabilities and equity", "$ 589.4", "$ 535.3"],
]
CASH = [
    ["", "2023", "2022"],
    ["Net income", "$ 42.5", "$ 38.2"],
    ["Depreciation and amortization", "31.9", "27.6"],
    ["Changes in working capital and other", "(2.6)", "(1.6)"],
    ["Cash provided by operating activities", "71.8", "64.2"],
    ["Capital expenditure", "(28.4)", "(24.9)"],
    ["Acquisitions, net of cash acquired", "(38.9)", "(31.0)"],
    ["Cash used for investing activities", "(67.3)", "(55.9)"],
    ["Borrowings", "35.0", "30.0"],
    ["Repayments", "(15.0)", "(12.0)"],
    ["Dividends", "(15.4)", "(14.7)"],
    ["Share repurchases", "(20.5)", "(10.0)"],
    ["Cash used for financing activities", "(15.9)", "(6.7)"],
    ["Effect of exchange rates", "(2.1)", "(0.4)"],
    ["Change in cash", "$ (13.5)", "$ 1.2"],
]
LEASES = [
    ["Site", "Use", "Owned or leased", "Area (m²)", "Expires"],
    ["Duluth, Minnesota", "Head office, LX assembly", "Owned", "31,200", "—"],
    ["Superior, Wisconsin", "Foundry and machining", "Owned", "18,400", "—"],
    ["Salem, Oregon", "Brightwater radio modules", "Leased", "12,750", "2029"],
    ["Tucson, Arizona", "Valve assembly", "Leased", "9,300", "2026"],
    ["Hanover, Germany", "Sales and calibration", "Leased", "4,150", "2027"],
    ["Ningbo, Zhejiang", "Transducers, lines 1 and 2", "Leased", "15,600", "2031"],
    ["Pune, India", "Software", "Leased", "3,800", "2025"],
    ["Monterrey, Mexico", "Cable and housings", "Leased", "8,900", "2028"],
    ["Leeds, United Kingdom", "Service", "Leased", "2,100", "2026"],
    ["Osaka, Japan", "Sales", "Leased", "650", "2025"],
    ["Toronto, Canada", "Sales and service", "Leased", "1,900", "2027"],
    ["Perth, Australia", "Mining applications", "Leased", "1,200", "2026"],
    ["Rotterdam, Netherlands", "Distribution", "Leased", "6,700", "2030"],
    ["Fargo, North Dakota", "Warehouse", "Owned", "5,500", "—"],
]
OFFICERS = [
    ["Name", "Age", "Position", "Since"],
    ["Margaret Osei", "57", "President, Chief Executive Officer and Director", "2018"],
    ["Daniel Whitcombe", "49", "Senior Vice President and Chief Financial Officer", "2020"],
    ["Ingrid Solvang", "52", "Chief Technology Officer", "2016"],
    ["Tomas Herrera", "61", "General Counsel and Secretary", "2011"],
    ["Priya Raman", "46", "Senior Vice President, Operations", "2021"],
    ["Harold Lindqvist", "68", "Chairman of the Board", "2014"],
    ["Lu Jingming", "59", "Director; Chairman of Qingyu Precision Instruments Co., Ltd.", "2023"],
]
SUBSIDIARIES = [
    ["Subsidiary", "Jurisdiction", "Share held"],
    ["Larkspur Flow Systems LLC", "Minnesota", "100%"],
    ["Brightwater Metering, Inc.", "Oregon", "100%"],
    ["Larkspur Instruments GmbH", "Germany", "100%"],
    ["Larkspur Instruments (UK) Limited", "United Kingdom", "100%"],
    ["Ningbo Hailan Sensing Technology Co., Ltd.", "People’s Republic of China", "51%"],
]


def statements(sheet: Sheet) -> None:
    """Item 8: the three statements, without ruling but for the lines above sums."""
    wide = (5.2, 1, 1)
    sheet.heading("Item 8. Financial Statements", 1)
    sheet.heading("Report of Independent Registered Public Accounting Firm", 2)
    sheet.text("To the stockholders and the board of directors of Larkspur Instruments, Inc.")
    sheet.text(
        "We have audited the consolidated balance sheets of Larkspur Instruments, Inc. as of December 31, 2023 "
        "and 2022 "
        "and the related statements of income and cash flows. In our opinion they present fairly, in all material "
        "respects, the financial position of the Company and the results of its operations in conformity with "
        "accounting principles generally accepted in the United States of America. The fair value of the technology "
        "acquired with Ningbo Hailan was a critical audit matter, since it rests on forecasts of sales to 2033."
    )
    sheet.text("Thornbury & Vance LLP, Minneapolis, Minnesota, February 23, 2024")
    sheet.heading("Consolidated Statements of Income", 2)
    sheet.text("Years ended December 31 (in millions, except per-share data)")
    set_table(sheet, INCOME, widths=wide, aligns="lrr", look="statement", totals=(3, 8, 11, 13, 15))
    sheet.text("The accompanying notes are an integral part of these statements.")
    sheet.open_page()
    sheet.heading("Consolidated Balance Sheets", 2)
    sheet.text("December 31 (in millions)")
    set_table(sheet, BALANCE, widths=wide, aligns="lrr", look="statement", totals=(5, 10, 14, 17, 22, 23))
    sheet.open_page()
    sheet.heading("Consolidated Statements of Cash Flows", 2)
    sheet.text("Years ended December 31 (in millions)")
    set_table(sheet, CASH, widths=wide, aligns="lrr", look="statement", totals=(4, 7, 12, 14))


def notes(sheet: Sheet) -> None:
    """Notes to the statements, with a table that goes on over the page's end."""
    sheet.heading("Notes to Consolidated Financial Statements", 2)
    sheet.heading("Note 1. Basis of presentation", 3)
    sheet.text(
        "The statements comprise Larkspur Instruments, Inc. and all companies it controls. Hailan has been "
        "consolidated since May 16, 2023. Balances and transactions between consolidated companies are eliminated."
    )
    sheet.heading("Note 2. Business combination", 3)
    sheet.text(
        "The purchase price of 51% of Ningbo Hailan Sensing Technology Co., Ltd. was $26.1 million, paid in cash. "
        "Assets acquired were receivables of $4.4 million, inventories of $3.1 million, plant of $9.8 million and "
        "technology of $8.2 million, amortised over ten years; liabilities assumed were $4.1 million. Costs of the "
        "transaction of $2.7 million were expensed. Calder & Finch LLP advised us."
    )
    sheet.heading("Note 3. Properties", 3)
    sheet.text("The table lists every site of more than 500 square metres that we owned or leased at year end.")
    set_table(
        sheet,
        LEASES,
        widths=(2.4, 2.8, 1.5, 1.1, 1),
        aligns="lllrr",
        caption="Table 3. Principal properties",
    )
    sheet.heading("Note 4. Debt", 3)
    sheet.text(
        "Debt consists of $150.0 million drawn under the revolving credit facility with Lakeshore National Bank. "
        "Repayments fall due at $12.0 million in 2024, $12.0 million in 2025, $12.0 million in 2026 and $114.0 million "
        "in 2027. The guarantee of RMB 60 million to the Bank of Dongyu is not recorded as a liability, since we do "
        "not expect to be called on it."
    )
    sheet.heading("Note 5. Income taxes", 3)
    sheet.text(
        "The effective rate was 21.9% in 2023 and 22.0% in 2022. It differs from the statutory rate of 21% because of "
        "state taxes, credits for research and the lower rate of 15% that Hailan enjoys as a high-technology company."
    )


def governance(sheet: Sheet) -> None:
    """Items 10 and 15: officers and subsidiaries, and the signatures."""
    sheet.heading("Item 10. Directors and Executive Officers", 1)
    sheet.text("Our directors and executive officers on February 16, 2024 were:")
    set_table(sheet, OFFICERS, widths=(2, 0.6, 4.4, 0.8), aligns="lcll", look="lines")
    sheet.text(
        "Lu Jingming joined the board on June 1, 2023 as the nominee of Qingyu Precision Instruments Co., Ltd., which "
        "he has chaired since 2009. Before she joined Larkspur, Ingrid Solvang taught acoustics in Trondheim. There "
        "are no family relationships among the persons named above."
    )
    sheet.heading("Audit committee", 2)
    sheet.text(
        "The audit committee met seven times in 2023. Its members are Harold Lindqvist, Ruth Abernathy (chair) and "
        "Samuel Nakamura; the board has determined that each is independent and that Ruth Abernathy is a "
        "financial expert."
    )
    sheet.open_page()
    sheet.heading("Item 15. Subsidiaries of the Registrant", 1)
    sheet.text("Significant subsidiaries of Larkspur Instruments, Inc. on December 31, 2023:")
    set_table(sheet, SUBSIDIARIES, widths=(3.6, 2.4, 1), aligns="llr")
    sheet.heading("Signatures", 2)
    sheet.text(
        "Pursuant to the requirements of Section 13 of the Securities Exchange Act of 1934, the registrant has duly "
        "caused this report to be signed on its behalf on February 23, 2024 in Duluth, Minnesota."
    )
    sheet.items(
        [
            "Margaret Osei, President, Chief Executive Officer and Director",
            "Daniel Whitcombe, Senior Vice President and Chief Financial Officer",
            "Harold Lindqvist, Chairman of the Board",
        ],
        marks="–",
    )
