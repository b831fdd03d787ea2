"""One English annual report of some 25 pages: most of it as in every other, its figures its own."""

from __future__ import annotations

from datetime import date

from h3cold.recall.trials.companies import Company, accounts, people, restated
from h3cold.recall.trials.items import Item, items
from h3cold.recall.trials.paper import Paper
from h3cold.recall.trials.schedules import set_debt, set_notes, set_owners, set_ratios, set_sales
from h3cold.recall.trials.wording import passages


def fiscal_end(company: Company, year: int) -> str:
    """The day that a fiscal year ends: "December 31, 2014"."""
    day = date(year, *company.ends)
    return f"{day:%B} {day.day}, {year}"


def money(value: int) -> str:
    """As in a statement: thousands parted, losses in brackets."""
    return f"({-value:,})" if value < 0 else f"{value:,}"


def dollars(value: int) -> str:
    """As in running text: "$12.4 million"."""
    return f"${value / 1000:,.1f} million"


def set_report(company: Company, year: int) -> Paper:
    """The report of one fiscal year. Facts: an item's key, and `table:…`, `figure:…`, an office of `people`."""
    ends = fiscal_end(company, year)

    def running(number: int) -> tuple[str, str]:
        return ("", "") if number == 1 else (f"{company.name}  |  Annual Report on Form 10-K", str(number))

    paper = Paper(chinese=False, running=running)
    _cover(paper, company, ends)
    _business(paper, company, year)
    _shared(paper, company, year)
    _selected(paper, company, year)
    _discussion(paper, company, year)
    _statements(paper, company, year)
    _notes(paper, company, year)
    _people(paper, company, year)
    return paper


def _cover(paper: Paper, company: Company, ends: str) -> None:
    paper.y = 120
    paper.line("UNITED STATES", size=11, centred=True)
    paper.line("SECURITIES AND EXCHANGE COMMISSION", size=11, centred=True)
    paper.line("FORM 10-K", size=16, centred=True)
    paper.line(f"For the fiscal year ended {ends}", centred=True)
    paper.y += 40
    paper.line(company.name, size=20, centred=True)
    paper.line(f"{company.city}", centred=True)
    paper.y += 30
    paper.text(
        f"Securities registered pursuant to Section 12(b) of the Act: common stock, par value $0.01 per share, trading "
        f"symbol {company.ticker}. Indicate by check mark whether the registrant has filed all reports required to be "
        "filed by Section 13 of the Securities Exchange Act of 1934 during the preceding 12 months: Yes"
    )
    paper.open_page()


def _business(paper: Paper, company: Company, year: int) -> None:
    own, before = accounts(company.key, year), accounts(company.key, year - 1)
    paper.heading("PART I")
    paper.heading("Item 1. Business", 2)
    paper.text(
        f"{company.name} (“{company.asked[0]}”, “we” or the “Company”) is engaged in {company.trade}. We report in "
        f"three segments: {', '.join(company.segments[:2])} and {company.segments[2]}. Our headquarters are in "
        f"{company.city}."
    )
    paper.heading("Backlog", 3)
    paper.text(
        f"Orders that had been accepted and not yet shipped amounted to {dollars(own['backlog'])} at the end of fiscal "
        f"{year}, against {dollars(before['backlog'])} a year earlier. Most of them should be delivered within twelve "
        "months; customers may cancel or change them.", "backlog",
    )  # fmt: skip
    paper.heading("Employees", 3)
    paper.text(
        f"At {fiscal_end(company, year)} we had {own['employees']:,} employees, of whom about a third are covered by "
        "collective agreements. We consider our relations with them to be good.", "employees",
    )  # fmt: skip


def _shared(paper: Paper, company: Company, year: int) -> None:
    paper.heading("Item 1A. Risk Factors", 2)
    for passage in passages(company, "risk", year):
        paper.heading(passage.heading, 3)
        paper.text(passage.text)
    for passage in passages(company, "plain", year):
        paper.heading(passage.heading, 2)
        paper.text(passage.text)


def _selected(paper: Paper, company: Company, year: int) -> None:
    paper.heading("PART II")
    paper.heading("Item 6. Selected Financial Data", 2)
    years = range(year, year - 5, -1)
    told = [i for i in items("income", "assets") if i.key in ("revenue", "net_income", "assets")]
    rows = [[i.label_en, *(money(accounts(company.key, y)[i.key]) for y in years)] for i in told]
    paper.table(
        "Five-year summary (in thousands)", ["Fiscal year", *(str(y) for y in years)], rows,
        facts=("table:summary", *(i.key for i in told)),
    )  # fmt: skip


def _discussion(paper: Paper, company: Company, year: int) -> None:
    own, before = accounts(company.key, year), restated(company.key, year - 1)
    paper.heading("Item 7. Management's Discussion and Analysis", 2)
    paper.heading("Results of operations", 3)
    change = (own["revenue"] / before["revenue"] - 1) * 100
    paper.text(
        f"Net sales of fiscal {year} were {dollars(own['revenue'])}, {abs(change):.1f} percent "
        f"{'more' if change >= 0 else 'less'} than in fiscal {year - 1}. Cost of products sold was "
        f"{dollars(own['cost_of_sales'])}, which left a gross profit of {dollars(own['gross'])}.",
        "revenue", "cost_of_sales", "gross",
    )  # fmt: skip
    paper.text(
        f"We spent {dollars(own['research'])} on research and development and {dollars(own['selling'])} on selling, "
        f"general and administrative expenses. Income from operations was {dollars(own['operating'])} and net earnings "
        f"were {dollars(own['net_income'])}.", "research", "selling", "operating", "net_income",
    )  # fmt: skip
    rows = [[name, *(money(a[f"segment{i}"]) for a in (own, before))] for i, name in enumerate(company.segments, 1)]
    paper.table(
        "Net sales by segment (in thousands)", ["Segment", str(year), str(year - 1)], rows,
        facts=("table:segments", "segment1", "segment2", "segment3"),
    )  # fmt: skip
    set_sales(paper, company, year)
    years = range(year - 4, year + 1)
    sales = [accounts(company.key, y)["revenue"] / 1000 for y in years]
    paper.chart(
        f"Chart: net sales of fiscal {year - 4} to {year}, in millions of dollars", [str(y) for y in years], sales,
        facts=("figure:sales",),
    )  # fmt: skip
    set_ratios(paper, company, year)
    paper.heading("Liquidity and capital resources", 3)
    paper.text(
        f"Operating activities provided {dollars(own['operating_cash'])} of cash in fiscal {year}. Purchases of "
        f"property, plant and equipment took {dollars(own['capex'])}. We paid dividends of {dollars(own['dividends'])} "
        f"and bought treasury stock for {dollars(own['repurchases'])}.",
        "operating_cash", "capex", "dividends", "repurchases",
    )  # fmt: skip
    set_debt(paper, company, year)


def _statements(paper: Paper, company: Company, year: int) -> None:
    paper.open_page()
    paper.heading("Item 8. Financial Statements and Supplementary Data", 2)
    auditor = people(company, year)["auditor"]
    paper.heading("Report of Independent Registered Public Accounting Firm", 3)
    paper.text(
        f"To the shareholders of {company.name}: We have audited the accompanying consolidated balance sheet as of "
        f"{fiscal_end(company, year)} and the related statements of earnings and cash flows. In our opinion they "
        f"present fairly, in all material respects, the financial position of the Company. {auditor}, {company.city}.",
        "auditor",
    )  # fmt: skip
    for title, groups, count, key in (
        ("CONSOLIDATED STATEMENTS OF EARNINGS", (("", "income"),), 3, "table:earnings"),
        ("CONSOLIDATED BALANCE SHEETS", (("ASSETS", "assets"), ("LIABILITIES AND EQUITY", "liabilities")), 2,
         "table:balance"),
        ("CONSOLIDATED STATEMENTS OF CASH FLOWS", (("", "cash"),), 3, "table:cash"),
    ):  # fmt: skip
        paper.open_page()
        paper.heading(title, 3)
        years = range(year, year - count, -1)
        rows: list[list[str]] = []
        for name, group in groups:
            rows += [[name]] if name else []
            rows += [[i.label_en, *(money(_as_shown(company, y, year)[i.key]) for y in years)] for i in items(group)]
        stated = [i.key for _, group in groups for i in items(group)]
        header = [f"Fiscal years ended {fiscal_end(company, year).split(',')[0]}", *(str(y) for y in years)]
        paper.table("(in thousands of dollars)", header, rows, facts=(key, *stated))


def _as_shown(company: Company, year: int, report: int) -> dict[str, int]:
    """A year's items in the report of another: the year before may be restated."""
    return accounts(company.key, year) if year == report else restated(company.key, year)


def _notes(paper: Paper, company: Company, year: int) -> None:
    own, before = accounts(company.key, year), restated(company.key, year - 1)
    paper.open_page()
    paper.heading("Notes to Consolidated Financial Statements", 2)
    for passage in passages(company, "policy", year):
        paper.heading(passage.heading, 3)
        paper.text(passage.text)
    for heading, text, item in _note_texts(company, year):
        paper.heading(heading, 3)
        paper.text(text.format(now=dollars(own[item.key]), then=dollars(before[item.key])), item.key)
    rows = [
        ["Federal and state", money(round(own["tax"] * 0.7)), money(round(before["tax"] * 0.7))],
        ["Foreign", money(own["tax"] - round(own["tax"] * 0.7)), money(before["tax"] - round(before["tax"] * 0.7))],
        ["Total provision", money(own["tax"]), money(before["tax"])],
    ]
    paper.table(
        "Components of the provision for income taxes (in thousands)", ["", str(year), str(year - 1)], rows,
        facts=("table:taxes", "tax"),
    )  # fmt: skip
    set_notes(paper, company, year)


def _note_texts(company: Company, year: int) -> list[tuple[str, str, Item]]:
    from h3cold.recall.trials.items import items

    told = {
        "allowance": "Receivables are stated net of an allowance for doubtful accounts of {now} ({then} before).",
        "warranty": "What we expect to spend on repairs under warranty is accrued when products are sold. It "
        "was {now} at the end of the year and {then} a year earlier.",
        "leases": "Rent expense under operating leases for offices, warehouses and vehicles was {now}, against {then}.",
        "pension": "Contributions to pension plans were {now} in the year and {then} in the year before.",
        "stock_pay": "Share-based compensation charged to income was {now} ({then} in the year before).",
        "advertising": "Advertising costs are expensed as incurred. They were {now}, and {then} in the year before.",
        "subsidies": "Government grants received for investments were {now}, and {then} in the year before.",
        "remediation": "For cleaning up sites {now} was accrued at the end of the year, against {then} a year earlier.",
    }
    offset = 3 + year % 2
    return [(f"Note {offset + n}. {item.label_en}", told[item.key], item) for n, item in enumerate(items("notes"))]


def _people(paper: Paper, company: Company, year: int) -> None:
    paper.heading("PART III")
    paper.heading("Item 10. Directors and Executive Officers", 2)
    who = people(company, year)
    rows = [
        [who["chief"], "President and Chief Executive Officer"],
        [who["finance"], "Senior Vice President and Chief Financial Officer"],
        [who["chair"], "Chairman of the Board"],
    ]
    paper.table(
        f"Executive officers at {fiscal_end(company, year)}", ["Name", "Office"], rows, label=0.3,
        facts=("table:officers", "chief", "finance", "chair"),
    )  # fmt: skip
    paper.heading("Item 12. Security Ownership of Certain Beneficial Owners", 2)
    set_owners(paper, company, year)
