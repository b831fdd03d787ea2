"""One Chinese annual report of some 20 pages: most of it as in every other, its figures its own."""

from __future__ import annotations

from h3cold.recall.trials.companies import Company, accounts, people, restated
from h3cold.recall.trials.items import items
from h3cold.recall.trials.paper import Paper
from h3cold.recall.trials.schedules import set_debt, set_notes, set_owners, set_ratios, set_sales
from h3cold.recall.trials.wording import passages


def money(value: int) -> str:
    """As in a statement: thousands parted."""
    return f"{value:,}.00"


def yuan(value: int) -> str:
    """As in running text: "12,345万元"."""
    return f"{value:,}万元"


def set_report(company: Company, year: int) -> Paper:
    """The report of one year. Facts: an item's key, and `table:…`, `figure:…`, an office of `people`."""

    def running(number: int) -> tuple[str, str]:
        return ("", "") if number == 1 else (f"{company.name}{year}年年度报告", f"第{number}页")

    paper = Paper(chinese=True, running=running)
    paper.y = 200
    paper.line(company.name, size=22, centred=True)
    paper.line(f"{year}年年度报告", size=18, centred=True)
    paper.line(f"股票代码：{company.ticker}", size=12, centred=True)
    paper.open_page()
    _first(paper, company, year)
    _business(paper, company, year)
    _statements(paper, company, year)
    _notes(paper, company, year)
    return paper


def _first(paper: Paper, company: Company, year: int) -> None:
    paper.heading("第一节 重要提示和释义")
    for passage in passages(company, "plain", year):
        paper.heading(passage.heading, 2)
        paper.text(passage.text)
    paper.text(f"本报告中，“公司”“本公司”“{company.asked[0]}”均指{company.name}。")
    paper.heading("第二节 公司简介和主要财务指标")
    years = range(year, year - 5, -1)
    told = [i for i in items("income", "assets") if i.key in ("revenue", "net_income", "assets")]
    rows = [[i.label_zh, *(money(accounts(company.key, y)[i.key]) for y in years)] for i in told]
    paper.table(
        "近五年主要会计数据（单位：万元）", ["项目", *(f"{y}年" for y in years)], rows, label=0.25,
        facts=("table:summary", *(i.key for i in told)),
    )  # fmt: skip


def _business(paper: Paper, company: Company, year: int) -> None:
    own, before = accounts(company.key, year), restated(company.key, year - 1)
    paper.heading("第三节 管理层讨论与分析")
    paper.heading("一、主营业务情况", 2)
    paper.text(
        f"公司总部位于{company.city}，主要从事{company.trade}业务。{year}年度，公司实现营业收入{yuan(own['revenue'])}，"
        f"上年同期为{yuan(before['revenue'])}；营业成本{yuan(own['cost_of_sales'])}，毛利{yuan(own['gross'])}；"
        f"实现净利润{yuan(own['net_income'])}。", "revenue", "cost_of_sales", "gross", "net_income",
    )  # fmt: skip
    paper.text(
        f"报告期内研发费用{yuan(own['research'])}，销售及管理费用{yuan(own['selling'])}，营业利润"
        f"{yuan(own['operating'])}。", "research", "selling", "operating",
    )  # fmt: skip
    rows = [[name, *(money(a[f"segment{i}"]) for a in (own, before))] for i, name in enumerate(company.segments, 1)]
    paper.table(
        "营业收入分产品情况（单位：万元）", ["产品", f"{year}年", f"{year - 1}年"], rows,
        facts=("table:segments", "segment1", "segment2", "segment3"),
    )  # fmt: skip
    set_sales(paper, company, year)
    years = range(year - 4, year + 1)
    paper.chart(
        f"图：{year - 4}年至{year}年营业收入（万元）", [f"{y}年" for y in years],
        [accounts(company.key, y)["revenue"] for y in years], facts=("figure:sales",),
    )  # fmt: skip
    set_ratios(paper, company, year)
    paper.heading("二、在手订单与员工情况", 2)
    paper.text(f"截至报告期末，公司在手订单{yuan(own['backlog'])}，上年末为{yuan(before['backlog'])}。", "backlog")
    paper.text(f"截至报告期末，公司在职员工数量为{own['employees']:,}人。", "employees")
    paper.heading("三、现金流", 2)
    paper.text(
        f"经营活动产生的现金流量净额为{yuan(own['operating_cash'])}，购建固定资产、无形资产和其他长期资产支付的现金为"
        f"{yuan(own['capex'])}，分配股利支付的现金为{yuan(own['dividends'])}。", "operating_cash", "capex", "dividends",
    )  # fmt: skip
    set_debt(paper, company, year)
    paper.heading("四、可能面对的风险", 2)
    for number, passage in enumerate(passages(company, "risk", year), 1):
        paper.heading(f"{number}、{passage.heading}", 3)
        paper.text(passage.text)
    paper.heading("第四节 董事、监事、高级管理人员")
    who = people(company, year)
    rows = [[who["chair"], "董事长"], [who["chief"], "总经理"], [who["finance"], "财务总监"]]
    paper.table(
        "现任高级管理人员", ["姓名", "职务"], rows, facts=("table:officers", "chair", "chief", "finance")
    )  # fmt: skip
    paper.heading("股份变动及股东情况", 2)
    set_owners(paper, company, year)


def _statements(paper: Paper, company: Company, year: int) -> None:
    paper.open_page()
    paper.heading("第五节 财务报告")
    paper.heading("一、审计报告", 2)
    paper.text(
        f"{company.name}全体股东：我们审计了贵公司{year}年12月31日的合并资产负债表以及{year}年度的合并利润表和合并现金流量表。"
        f"我们认为，后附的财务报表在所有重大方面按照企业会计准则的规定编制。{people(company, year)['auditor']}。",
        "auditor",
    )  # fmt: skip
    for title, groups, key in (
        ("合并资产负债表", (("资产：", "assets"), ("负债和所有者权益：", "liabilities")), "table:balance"),
        ("合并利润表", (("", "income"),), "table:earnings"),
        ("合并现金流量表", (("", "cash"),), "table:cash"),
    ):
        paper.open_page()
        paper.heading(title, 2)
        rows: list[list[str]] = []
        for name, group in groups:
            rows += [[name]] if name else []
            shown = (accounts(company.key, year), restated(company.key, year - 1))
            rows += [[i.label_zh, *(money(a[i.key]) for a in shown)] for i in items(group)]
        stated = [i.key for _, group in groups for i in items(group)]
        paper.table("单位：万元", ["项目", f"{year}年", f"{year - 1}年"], rows, facts=(key, *stated))


def _notes(paper: Paper, company: Company, year: int) -> None:
    own, before = accounts(company.key, year), restated(company.key, year - 1)
    paper.open_page()
    paper.heading("二、财务报表附注", 2)
    for number, passage in enumerate(passages(company, "policy", year), 1):
        paper.heading(f"{number}、{passage.heading}", 3)
        paper.text(passage.text)
    for number, item in enumerate(items("notes"), 20 + year % 2):
        paper.heading(f"{number}、{item.label_zh}", 3)
        paper.text(f"{item.label_zh}本年为{yuan(own[item.key])}，上年为{yuan(before[item.key])}。", item.key)
    rows = [
        ["当期所得税", money(round(own["tax"] * 0.8)), money(round(before["tax"] * 0.8))],
        ["递延所得税", money(own["tax"] - round(own["tax"] * 0.8)), money(before["tax"] - round(before["tax"] * 0.8))],
        ["合计", money(own["tax"]), money(before["tax"])],
    ]
    paper.table(
        "所得税费用明细（单位：万元）", ["项目", f"{year}年", f"{year - 1}年"], rows, facts=("table:taxes", "tax")
    )
    set_notes(paper, company, year)
