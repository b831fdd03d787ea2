"""Sentences, headings and tables for the generated documents: made up from small vocabularies, never twice the same."""

from __future__ import annotations

import re
from random import Random
from typing import NamedTuple

_BLANK = re.compile(r"\{(\w+)\}")


class Vocabulary(NamedTuple):
    """One language's words. `sentences` name the lists they draw from in braces; `{n}` is a number."""

    lists: dict[str, tuple[str, ...]]
    sentences: tuple[str, ...]
    join: str


ENGLISH = Vocabulary(
    {
        "who": (
            "The board of directors", "The audit committee", "Management", "The northern division", "Our supplier",
            "The regulator", "The joint venture", "A group of customers", "The research department", "The trustee",
        ),
        "did": (
            "reviewed", "postponed", "approved", "reported on", "questioned", "extended", "withdrew", "measured",
            "renegotiated", "published",
        ),
        "what": (
            "the maintenance contract", "the pension plan", "the lease of the harbour site", "the pilot programme",
            "a change of the accounting policy", "the transfer of two licences", "the forecast for the winter season",
            "the revised safety rules", "the sale of spare capacity", "the survey of soil moisture",
        ),
        "why": (
            "because energy prices had fallen", "although demand remained weak", "after a delay of several weeks",
            "while the currency lost value", "before the new rules took effect", "as the figures had been restated",
        ),
        "thing": (
            "Revenue", "The average cost per unit", "The number of staff", "Output", "The share of recycled water",
            "Interest expense", "The backlog of orders", "The leakage rate",
        ),
        "moved": ("rose", "fell", "grew", "declined", "recovered", "dropped"),
        "place": (
            "in the coastal region", "in the second half of the year", "across all plants", "outside Europe",
            "in the valley stations", "at the two largest sites",
        ),
    },
    (
        "{who} {did} {what} {why}.",
        "{thing} {moved} by {p}% to ${n} million {place}.",
        "In {y}, {thing} {moved} {place}, and {who} {did} {what}.",
        "{who} {did} {what}; see Note {k} for details.",
        "{thing} {moved} {place} {why}, from {n} to {n} thousand tonnes.",
        "For the period from {y} onwards, {who} {did} {what} {place}.",
    ),
    " ",
)  # fmt: skip

CHINESE = Vocabulary(
    {
        "who": (
            "公司董事会", "审计委员会", "管理层", "北方事业部", "主要供应商", "监管部门", "合资企业", "研究中心",
            "受托管理人", "各分支机构",
        ),
        "did": (
            "审议通过了", "推迟了", "批准了", "披露了", "质询了", "延长了", "撤回了", "复核了", "重新商定了",
            "公布了",
        ),
        "what": (
            "设备维护合同", "补充养老计划", "港区土地租赁协议", "试点项目实施方案", "会计政策变更事项",
            "两项特许经营权的转让", "冬季用水预测", "修订后的安全规程", "闲置产能处置方案", "土壤墒情调查结果",
        ),
        "why": (
            "主要原因是能源价格回落", "尽管市场需求依然疲软", "比原计划晚了数周", "同期人民币汇率有所波动",
            "以适应新的监管要求",
        ),
        "thing": (
            "营业收入", "单位平均成本", "在岗职工人数", "主要产品产量", "再生水利用率", "利息支出", "在手订单",
            "管网漏损率",
        ),
        "moved": ("增长", "下降", "上升", "回落", "提高"),
        "place": ("沿海地区", "下半年", "各生产基地", "境外市场", "山区监测站点", "两家最大的工厂"),
    },
    (
        "{who}{did}{what}，{why}。",
        "报告期内，{place}{thing}为{n}万元，同比{moved}{p}%。",
        "{y}年，{place}的{thing}{moved}了{p}个百分点，{who}{did}{what}。",
        "{who}{did}{what}，详见附注{k}。",
        "受上述因素影响，{place}{thing}由{n}万吨{moved}至{n}万吨；{why}。",
        "自{y}年起，{who}根据有关规定{did}{what}，并报{who}备案。",
    ),
    "",
)  # fmt: skip

MIXED = Vocabulary(
    {
        **CHINESE.lists,
        "name": (
            "Larkspur Instruments", "Northgate Metering", "Ultrasonic Flow Labs", "Calder & Finch", "Borealis Grid",
            "Helmholtz-Zentrum",
        ),
        "term": ("SCADA", "LoRaWAN", "Kalman filter", "ISO 9001:2015", "GB/T 778.1-2018", "OpenAPI", "DN50", "pH 7.2"),
    },
    (
        "{who}与{name}签署协议，引进{term}系统，总投资{n}万元。",
        "根据{term}标准，{place}{thing}{moved}{p}%（{y}年：{n}万元）。",
        "{name}是{place}的主要客户，其{term}设备占比为{p}%。",
        "{who}{did}{what}，并委托{name}对{term}进行测试；{why}。",
    ),
    "",
)  # fmt: skip

TOPICS = {
    "en": (
        "Scope and purpose", "Market conditions", "Operations", "Risk factors", "Liquidity", "Human resources",
        "Water and energy", "Quality control", "Outlook", "Capital projects", "Supply chain", "Legal proceedings",
        "Customer service", "Field measurements", "Safety record", "Research and development", "Pricing and tariffs",
        "Land and buildings", "Environmental duties", "Internal control",
    ),
    "zh": (
        "适用范围", "市场环境分析", "生产经营情况", "主要风险因素", "流动性分析", "人力资源", "水资源与能源",
        "质量控制", "未来展望", "重大工程项目", "供应链管理", "诉讼与仲裁", "客户服务", "现场观测", "安全生产",
        "研究与开发", "价格与收费", "土地与房屋", "环境保护责任", "内部控制",
    ),
}  # fmt: skip

ROWS = {
    "en": (
        "Water supply", "Waste water", "District heating", "Metering", "Laboratory services", "Consulting",
        "Spare parts", "Licence fees", "Rental income", "Transport", "Training", "Other income",
    ),
    "zh": (
        "供水业务", "污水处理", "集中供热", "计量服务", "检测服务", "技术咨询", "备品备件", "特许费收入", "租赁收入",
        "运输服务", "培训服务", "其他业务",
    ),
}  # fmt: skip


class Labels(NamedTuple):
    """Words of tables and charts; captions name their number and what they show in braces."""

    item: str
    total: str
    table: str
    figure: str
    unit: str
    note: str
    halves: tuple[str, str]
    region: str
    regions: tuple[str, ...]
    plan: str
    actual: str


LABELS = {
    "en": Labels(
        "Item", "Total", "Table {k}. {what} by line of business", "Figure {k}. {what} by year", "$ million", "Note",
        ("First half", "Second half"), "Region", ("North", "South", "Coast"), "Plan", "Actual",
    ),
    "zh": Labels(
        "项目", "合计", "表{k}  各业务{what}情况", "图{k}  历年{what}", "单位：万元", "附注",
        ("上半年", "下半年"), "地区", ("北部", "南部", "沿海"), "计划", "实际",
    ),
}  # fmt: skip


def vocabulary(language: str) -> Vocabulary:
    """The words of "en", "zh" or "mixed": Chinese with English names and terms."""
    return {"en": ENGLISH, "zh": CHINESE, "mixed": MIXED}[language]


def number(rng: Random, *, digits: int = 5) -> str:
    """An amount as filings print it, with thousands separators and two decimals."""
    return f"{rng.randrange(100, 10**digits) / rng.choice((1, 10, 100)):,.2f}"


def sentence(rng: Random, words: Vocabulary) -> str:
    """One sentence; the first letter is a capital."""
    parts = _BLANK.split(rng.choice(words.sentences))
    parts[1::2] = [_fill(rng, words, name) for name in parts[1::2]]
    out = "".join(parts)
    return out[0].upper() + out[1:]


def _fill(rng: Random, words: Vocabulary, name: str) -> str:
    if name == "n":
        return number(rng)
    if name == "p":
        return f"{rng.randrange(1, 400) / 10}"
    if name == "y":
        return str(rng.randrange(2011, 2025))
    return str(rng.randrange(1, 30)) if name == "k" else rng.choice(words.lists[name])


def paragraph(rng: Random, words: Vocabulary, *, least: int = 2, most: int = 5) -> str:
    """Some sentences."""
    return words.join.join(sentence(rng, words) for _ in range(rng.randint(least, most)))
