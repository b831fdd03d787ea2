"""Which rows of a table are the company's own figures: no parts, shares, changes, averages or other segments' rows."""
# ruff: noqa: E501  (a pattern is read as one piece, however long)

from __future__ import annotations

import re
from collections.abc import Sequence

from h3cold.kg.names import fold

NUMBER = re.compile(
    r"^[(（]?-?\s*(?:US\$|HK\$|RMB|[$€£¥￥])?\s*[(（-]?\d[\d,]{0,20}(?:\.\d{1,6})?\s?[)）]?\s?[%％]?[)）]?$"
)
SMALL = re.compile(r"^[$￥¥€£]?\s?[(（]?\d{1,2}\.\d\d[)）]?$")
APART = re.compile(
    r"per (?:common |diluted |basic )?(?:ordinary )?share|percent(?:age)? of|% of|as a %"
    r"|stock[- ]based|share[- ]based|compensation|pro forma|每股|占.{0,8}比|同比",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"minimum|required ratio|well[- ]capitalized|discontinued|level 3|roll-?forward"
    r"|stock[- ]based|share[- ]based|(?:percent(?:age)?|%) of (?:total |net )?(?:revenue|sales)"
    r"|average balance|deferred (?:income )?tax(?:es)? (?:assets|liabilities)"
    r"|fair value|pro forma|hedg|derivative|unrecognized|gains? and losses|gains? \(losses\)|占营业收入|占比",
    re.IGNORECASE,
)
"""Tables in which a measure's name stands for a part, a share or a change of it."""
AVERAGE = re.compile(r"^average|\baverages?\b(?!.*\bshares\b)|平均", re.IGNORECASE)
_FLOWS = re.compile(
    r"changes in (?:certain |other |operating |working )+(?:assets|capital|items)|adjustments to reconcile"
    r"|net cash (?:provided|used|flows?)|(?:in|de)crease \((?:in|de)crease\) in|经营性应收项目|经营活动产生的现金流量净额",
    re.IGNORECASE,
)
_FLOW_STATEMENT = re.compile(
    r"statements? of (?:consolidated )?cash flows?|cash flow statements?|现金流量表", re.IGNORECASE
)
BALANCE = re.compile(
    r"receivable|inventor|payable|prepaid|accrued|deferred|liabilit|\bdebt\b|assets|应收|应付|存货|预付|预收|负债|资产$",
    re.IGNORECASE,
)
_MOVES = frozenset({"purchases", "settlements", "issuances", "transfers into level 3", "transfers out of level 3"})
_PARTS = re.compile(r"stock[- ]based|share[- ]based|restructuring|severance|impairment", re.IGNORECASE)
_SALES = re.compile(r"^(?:total |net )*(?:revenues?|sales)|营业总?收入", re.IGNORECASE)
_TOTAL = re.compile(r"total (?:current )?(?:assets|liabilities)|资产总计|负债合计", re.IGNORECASE)


def is_cash_flow(around: str, rows: Sequence[Sequence[str]]) -> bool:
    """True for a statement of cash flows, whose rows named as balances are their changes."""
    if _FLOW_STATEMENT.search(around):
        return True
    return any(_FLOWS.search(row[0]) for row in rows) and not any(_TOTAL.search(row[0]) for row in rows)


def said_twice(rows: Sequence[Sequence[str]]) -> set[str]:
    """Labels under which a table has several rows of different amounts; shares and amounts a share do not count."""
    found: dict[str, tuple[str, ...]] = {}
    out, apart = set(), False
    for row in rows:
        cells = tuple(" ".join(cell.split()) for cell in row[1:])
        if not any(NUMBER.match(cell) for cell in cells):
            apart = APART.search(row[0]) is not None
            continue
        numbers = [cell for cell in cells if NUMBER.match(cell) and any(c.isdigit() for c in cell)]
        if apart or all(SMALL.match(n) or n.endswith(("%", "％")) for n in numbers):
            continue
        label = fold(row[0]).strip(" .:$")
        if found.setdefault(label, cells) != cells:
            out.add(label)
    return out


def is_statement(around: str, rows: Sequence[Sequence[str]]) -> bool:
    """False for a table whose rows are named as measures but are parts, shares or changes of them."""
    labels = [fold(row[0]).strip(" .:") for row in rows]
    if _ELSEWHERE.search(around) or not _MOVES.isdisjoint(labels):
        return False
    sales = [row for row in rows if _SALES.search(row[0].strip())]
    if any(
        cell.strip() in ("100", "100.0", "100.00", "100%", "100.0%", "100.00%") for row in sales for cell in row[1:]
    ):
        return False
    return bool(sales) or not any(_PARTS.search(label) for label in labels)
