"""Twenty companies that do not exist, and what each reports year by year: one seed a company, no two years alike."""

from __future__ import annotations

import random
from functools import cache
from typing import NamedTuple

from h3cold.recall.trials.wording import read_rows

FIRST, YEARS = 2010, 10
"""The first reported year, and how many there are."""

BEFORE = 4
"""Years before the first that five-year tables look back on."""


class Company(NamedTuple):
    """`asked` are the names that people use for it; `ends` the day its fiscal year ends; `segments` its three."""

    key: str
    chinese: bool
    name: str
    asked: tuple[str, ...]
    ticker: str
    city: str
    trade: str
    segments: tuple[str, str, str]
    ends: tuple[int, int]


def companies() -> tuple[Company, ...]:
    """All twenty, as companies.txt has them."""
    out = []
    for key, language, name, asked, ticker, city, trade, segments, ends in read_rows("companies.txt"):
        one, two, three = segments.split("; ")
        month, day = ends.split("-")
        names = tuple(asked.split("; "))
        out.append(
            Company(key, language == "zh", name, names, ticker, city, trade, (one, two, three), (int(month), int(day)))
        )
    return tuple(out)


SHARES = {
    "cost_of_sales": (0.55, 0.72), "research": (0.02, 0.09), "selling": (0.08, 0.16), "interest": (0.004, 0.02),
    "cash": (0.06, 0.2), "receivables": (0.1, 0.2), "inventories": (0.07, 0.17), "plant": (0.25, 0.6),
    "goodwill": (0.03, 0.18), "intangibles": (0.02, 0.08), "payables": (0.06, 0.12), "short_debt": (0.01, 0.07),
    "long_debt": (0.1, 0.3), "deferred_tax": (0.01, 0.04), "depreciation": (0.03, 0.07), "capex": (0.03, 0.1),
    "acquisitions": (0.005, 0.05), "dividends": (0.005, 0.03), "repurchases": (0.003, 0.04),
    "allowance": (0.001, 0.006), "warranty": (0.002, 0.01), "leases": (0.005, 0.02), "pension": (0.001, 0.01),
    "stock_pay": (0.003, 0.02), "backlog": (0.2, 0.6), "advertising": (0.003, 0.02), "subsidies": (0.001, 0.008),
    "remediation": (0.001, 0.01),
}  # fmt: skip
"""Each item's share of revenue: a company's lies somewhere between, and wanders from year to year."""


def _round(value: float) -> int:
    return max(1, round(value))


@cache
def accounts(company: str, year: int) -> dict[str, int]:
    """Every item of a year, in thousands of dollars or ten thousands of yuan; `employees` in persons."""
    dice = random.Random(f"{company}:size")
    revenue = dice.uniform(90_000, 2_400_000)
    path = random.Random(f"{company}:revenue")
    for _ in range(FIRST - BEFORE, year + 1):
        revenue *= path.uniform(0.93, 1.19)
    out = {"revenue": _round(revenue)}
    for item, (low, high) in SHARES.items():
        usual = random.Random(f"{company}:{item}").uniform(low, high)
        out[item] = _round(revenue * usual * random.Random(f"{company}:{item}:{year}").uniform(0.85, 1.15))
    out["gross"] = out["revenue"] - out["cost_of_sales"]
    out["operating"] = out["gross"] - out["research"] - out["selling"]
    before_tax = out["operating"] - out["interest"]
    out["tax"] = round(before_tax * random.Random(f"{company}:tax:{year}").uniform(0.17, 0.29))
    out["net_income"] = before_tax - out["tax"]
    out["assets"] = sum(out[i] for i in ("cash", "receivables", "inventories", "plant", "goodwill", "intangibles"))
    out["liabilities"] = sum(out[i] for i in ("payables", "short_debt", "long_debt", "deferred_tax"))
    out["equity"] = out["assets"] - out["liabilities"]
    out["operating_cash"] = out["net_income"] + out["depreciation"] + out["stock_pay"]
    out["employees"] = _round(revenue / random.Random(f"{company}:people").uniform(120, 420))
    parts = random.Random(f"{company}:segments:{year}")
    cut = (parts.uniform(0.2, 0.45), parts.uniform(0.55, 0.85))
    first, second = round(out["revenue"] * cut[0]), round(out["revenue"] * (cut[1] - cut[0]))
    out |= {"segment1": first, "segment2": second, "segment3": out["revenue"] - first - second}
    return out


@cache
def restated(company: str, year: int) -> dict[str, int]:
    """A year's items as the next year's report shows them: one year in three is restated, by up to 4 percent."""
    own = accounts(company, year)
    dice = random.Random(f"{company}:restated:{year}")
    if dice.random() > 1 / 3:
        return own
    return {item: _round(value * dice.uniform(0.96, 1.04)) if value > 0 else value for item, value in own.items()}


_FIRST_EN = (
    "Alice",
    "Martin",
    "Priya",
    "George",
    "Helen",
    "Omar",
    "Susan",
    "Peter",
    "Janet",
    "Victor",
    "Laura",
    "Dean",
)
_LAST_EN = ("Whitcombe", "Okafor", "Lindqvist", "Marsh", "Delacroix", "Prentice", "Yamada", "Hargrove", "Novak", "Bell")
_LAST_ZH, _FIRST_ZH = (
    "陈林黄郑谢许沈韩冯曹彭曾萧蔡潘",
    ("志远", "海燕", "建国", "文博", "雪梅", "立群", "晓东", "桂芳", "振华", "子涵"),
)
AUDITORS_EN = ("Marlow & Finch LLP", "Kessler Grant LLP", "Aldous Peat LLP", "Thornbury Hale LLP")
AUDITORS_ZH = ("信达会计师事务所", "中瑞会计师事务所", "正和会计师事务所", "立诚会计师事务所")


def people(company: Company, year: int) -> dict[str, str]:
    """Who held which office: `chief`, `finance`, `chair`, and `auditor`; each changes every three years or so."""
    out = {}
    for office, span in (("chief", 4), ("finance", 3), ("chair", 5), ("auditor", 4)):
        dice = random.Random(f"{company.key}:{office}:{(year + len(company.key)) // span}")
        if office == "auditor":
            out[office] = dice.choice(AUDITORS_ZH if company.chinese else AUDITORS_EN)
        elif company.chinese:
            out[office] = dice.choice(_LAST_ZH) + dice.choice(_FIRST_ZH)
        else:
            out[office] = f"{dice.choice(_FIRST_EN)} {dice.choice(_LAST_EN)}"
    return out
