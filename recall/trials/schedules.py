"""Smaller tables and charts that reports hold beside the primary statements, in either language."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import NamedTuple

from h3cold.recall.trials.companies import Company, accounts
from h3cold.recall.trials.paper import Paper

RATIOS = (
    ("Receivables turnover (times)", "应收账款周转率（次）", lambda a: a["revenue"] / a["receivables"]),
    ("Inventory turnover (times)", "存货周转率（次）", lambda a: a["cost_of_sales"] / a["inventories"]),
    ("Gross margin (%)", "毛利率（%）", lambda a: 100 * a["gross"] / a["revenue"]),
    ("Debt to total assets (%)", "资产负债率（%）", lambda a: 100 * a["liabilities"] / a["assets"]),
    ("Return on equity (%)", "加权平均净资产收益率（%）", lambda a: 100 * a["net_income"] / max(a["equity"], 1)),
)
HOLDERS = (
    ("Northgate Asset Management", "泰和资产管理有限公司"),
    ("Harbour Street Partners", "恒安投资合伙企业"),
    ("Whitcombe Family Trust", "萧氏家族投资有限公司"),
    ("Pension Fund of the Western States", "全国社保基金一一三组合"),
    ("Larch Index Trust", "中证指数证券投资基金"),
    ("Bristol Overseas Fund", "香港中央结算有限公司"),
)
REGIONS = (("North America", "华东地区"), ("Europe", "华南地区"), ("Asia Pacific", "西北地区"), ("Other", "境外"))
AGES = (
    ("Within 30 days", "一年以内"),
    ("31 to 90 days", "一至二年"),
    ("91 to 180 days", "二至三年"),
    ("Over 180 days", "三年以上"),
)
PLANT = (
    ("Land", "土地"),
    ("Buildings", "房屋及建筑物"),
    ("Machinery and equipment", "机器设备"),
    ("Vehicles", "运输工具"),
)
STAFF = (("Production", "生产人员"), ("Sales", "销售人员"), ("Engineering", "技术人员"), ("Administration", "行政人员"))
QUARTERS = (("First", "第一季度"), ("Second", "第二季度"), ("Third", "第三季度"), ("Fourth", "第四季度"))


class Schedule(NamedTuple):
    """A caption, the header and rows of a table; `key` is the fact it states."""

    key: str
    caption: str
    header: tuple[str, ...]
    rows: list[list[str]]


def set_sales(paper: Paper, company: Company, year: int) -> None:
    """Where sales came from and when: by region and by quarter."""
    for make in (_regions, _quarters):
        _set(paper, make(company, year))


def set_ratios(paper: Paper, company: Company, year: int) -> None:
    """Ratios of two years, and the chart of spending on research."""
    _set(paper, _ratios(company, year))
    _research(paper, company, year)


def set_debt(paper: Paper, company: Company, year: int) -> None:
    """When long-term debt falls due."""
    debt = accounts(company.key, year)["long_debt"]
    marks = [0, *(round(debt * share) for share in (0.12, 0.3, 0.47, 0.7)), debt]
    due = _years(company, *range(year + 1, year + 6))
    rows = [[when, f"{b - a:,}"] for when, (a, b) in zip(due, pairwise(marks), strict=True)]
    rows.append([_said(company, ("Total", "合计")), f"{debt:,}"])
    caption = ("Maturities of long-term debt (in thousands)", "长期借款到期情况（单位：万元）")
    header = (_said(company, ("Fiscal year", "到期年度")), _said(company, ("Due", "到期金额")))
    _set(paper, Schedule("table:maturities", _said(company, caption), header, rows))


def set_notes(paper: Paper, company: Company, year: int) -> None:
    """What notes break down: receivables by age, property by kind."""
    for make in (_ageing, _plant):
        _set(paper, make(company, year))


def set_owners(paper: Paper, company: Company, year: int) -> None:
    """Who holds the shares, and the chart of who works there."""
    _set(paper, _holders(company, year))
    _staff(paper, company, year)


def _set(paper: Paper, schedule: Schedule) -> None:
    subject = schedule.caption.split(" (")[0].split("（")[0]
    paper.text(f"下表列示了本公司{subject}。" if paper.chinese else
               f"The following table shows {subject[0].lower()}{subject[1:]}.")  # fmt: skip
    label = 0.46 if len(schedule.header) < 5 else 0.28
    paper.table(schedule.caption, schedule.header, schedule.rows, facts=(schedule.key,), label=label)


def _said(company: Company, pair: tuple[str, str]) -> str:
    return pair[company.chinese]


def _years(company: Company, *years: int) -> list[str]:
    return [f"{y}年" if company.chinese else str(y) for y in years]


def _split(whole: int, parts: int, seed: str) -> list[int]:
    """`parts` whole numbers, none much smaller than the others, that sum to `whole`."""
    dice = random.Random(seed)
    shares = [dice.uniform(0.5, 1.5) for _ in range(parts)]
    out = [round(whole * share / sum(shares)) for share in shares[:-1]]
    return [*out, whole - sum(out)]


def _parted(
    company: Company, year: int, item: str, names: tuple[tuple[str, str], ...], total: tuple[str, str]
) -> list[list[str]]:
    """Rows of two years: an item parted among `names`, and its total."""
    of = [accounts(company.key, y)[item] for y in (year, year - 1)]
    parts = [_split(w, len(names), f"{company.key}:{item}:{y}") for w, y in zip(of, (year, year - 1), strict=True)]
    rows = [[_said(company, n), *(f"{p[i]:,}" for p in parts)] for i, n in enumerate(names)]
    return [*rows, [_said(company, total), *(f"{w:,}" for w in of)]]


def _two_years(company: Company, year: int, key: str, caption: tuple[str, str], head: tuple[str, str], item: str,
               names: tuple[tuple[str, str], ...], total: tuple[str, str]) -> Schedule:  # fmt: skip
    header = (_said(company, head), *_years(company, year, year - 1))
    return Schedule(key, _said(company, caption), header, _parted(company, year, item, names, total))


def _regions(company: Company, year: int) -> Schedule:
    return _two_years(
        company, year, "table:regions", ("Net sales by region (in thousands)", "营业收入分地区情况（单位：万元）"),
        ("Region", "地区"), "revenue", REGIONS, ("Consolidated", "合计"),
    )  # fmt: skip


def _ageing(company: Company, year: int) -> Schedule:
    return _two_years(
        company, year, "table:ageing", ("Trade receivables by age (in thousands)", "应收账款按账龄披露（单位：万元）"),
        ("Past due", "账龄"), "receivables", AGES, ("All receivables", "小计"),
    )  # fmt: skip


def _plant(company: Company, year: int) -> Schedule:
    return _two_years(
        company, year, "table:plant", ("Property, plant and equipment (in thousands)", "固定资产情况（单位：万元）"),
        ("Class", "类别"), "plant", PLANT, ("Net carrying amount", "账面价值合计"),
    )  # fmt: skip


def _quarters(company: Company, year: int) -> Schedule:
    own = accounts(company.key, year)
    header = ("", *(_said(company, q) for q in QUARTERS))
    names = (
        ("Sales of the quarter", "分季度营业收入", "revenue"),
        ("Earnings of the quarter", "分季度净利润", "net_income"),
    )
    parts = {item: _split(own[item], 4, f"{company.key}:q{item}:{year}") for _, _, item in names}
    rows = [[_said(company, (en, zh)), *(f"{p:,}" for p in parts[item])] for en, zh, item in names]
    caption = (
        f"Quarterly results of fiscal {year} (unaudited, in thousands)",
        f"{year}年分季度主要财务数据（单位：万元）",
    )
    return Schedule("table:quarters", _said(company, caption), header, rows)


def _ratios(company: Company, year: int) -> Schedule:
    shown = [accounts(company.key, y) for y in (year, year - 1)]
    rows = [[_said(company, (en, zh)), *(f"{value(a):.2f}" for a in shown)] for en, zh, value in RATIOS]
    header = (_said(company, ("Ratio", "指标")), *_years(company, year, year - 1))
    return Schedule("table:ratios", _said(company, ("Selected ratios", "主要财务指标")), header, rows)


def _holders(company: Company, year: int) -> Schedule:
    dice = random.Random(f"{company.key}:holders:{year // 3}")
    held = sorted((dice.uniform(1.2, 24) for _ in range(5)), reverse=True)
    who = dice.sample(HOLDERS, 5)
    rows = [
        [_said(company, n), f"{round(share * 412_300):,}", f"{share:.2f}"] for n, share in zip(who, held, strict=True)
    ]
    caption = ("Principal shareholders", "前五名股东持股情况")
    header = ("Holder", "Shares", "Percent") if not company.chinese else ("股东名称", "持股数量", "持股比例（%）")
    return Schedule("table:shareholders", _said(company, caption), header, rows)


def _chart(paper: Paper, key: str, caption: str, names: list[str], values: list[float]) -> None:
    paper.text("变动情况见下图。" if paper.chinese else "The chart below gives them at a glance.")
    paper.chart(caption, names, values, facts=(key,))


def _research(paper: Paper, company: Company, year: int) -> None:
    years = range(year - 4, year + 1)
    caption = (f"Chart: research and development spending, fiscal {year - 4} to {year}, in thousands of dollars",
               f"图：{year - 4}年至{year}年研发投入（万元）")  # fmt: skip
    spent = [float(accounts(company.key, y)["research"]) for y in years]
    _chart(paper, "figure:research", _said(company, caption), _years(company, *years), spent)


def _staff(paper: Paper, company: Company, year: int) -> None:
    parts = _split(accounts(company.key, year)["employees"], len(STAFF), f"{company.key}:staff:{year}")
    caption = (f"Chart: employees by function at the end of fiscal {year}", f"图：{year}年末员工专业构成（人）")
    _chart(
        paper, "figure:staff", _said(company, caption), [_said(company, n) for n in STAFF], [float(p) for p in parts]
    )
