"""Documents of every make from a seed: columns, furniture, headings, tables, notes and boxes in many combinations."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Literal, NamedTuple

import pymupdf

from h3cold.ingest.generated import words
from h3cold.ingest.generated.drawings import bar_chart
from h3cold.ingest.generated.lettering import Style
from h3cold.ingest.generated.truth import TruthDocument
from h3cold.ingest.generated.typeset import Book, Sheet
from h3cold.ingest.generated.varied_tables import varied_table

Numbering = Literal["decimal", "plain", "item", "chapter", "han"]


class Plan(NamedTuple):
    """What a document is to look like; `columns` 1 to 3, `sides` = running lines alternate left and right."""

    name: str
    language: str
    seed: int
    columns: int
    numbering: Numbering
    font: str
    sides: bool = False
    header: bool = True
    letter: bool = False
    sections: int = 5
    sidebars: bool = False


PLANS = (
    Plan("report_en", "en", 1, 1, "decimal", "tiro", sides=True),
    Plan("filing_en", "en", 2, 1, "item", "helv", letter=True, header=False),
    Plan("paper_en", "en", 3, 2, "decimal", "tiro", sides=True),
    Plan("bulletin_en", "en", 4, 3, "plain", "helv", sections=6),
    Plan("guide_en", "en", 5, 1, "plain", "helv", sidebars=True, letter=True),
    Plan("report_zh", "zh", 6, 1, "chapter", "cjk", sides=True),
    Plan("notice_zh", "zh", 7, 1, "han", "cjk", header=False),
    Plan("journal_zh", "zh", 8, 2, "decimal", "cjk", sides=True),
    Plan("bulletin_zh", "zh", 9, 3, "plain", "cjk", sections=6),
    Plan("guide_zh", "zh", 10, 1, "han", "cjk", sidebars=True),
)
"""The documents of the benchmark's set `generated`."""

_HAN = "一二三四五六七八九十"
_TITLES = {
    "en": ("Annual Review of the Regional Water Utilities", "Handbook for Operators of Metering Stations"),
    "zh": ("区域水务企业年度运行评估报告", "计量站运行人员工作手册"),
}


def build(plan: Plan) -> tuple[bytes, TruthDocument]:
    """The file's bytes (the same on every run) and its truth."""
    rng = Random(plan.seed)
    title = _TITLES[plan.language][plan.seed % 2]
    sheet = Sheet(
        _book(plan),
        size=(612.0, 792.0) if plan.letter else (595.0, 842.0),
        margins=(60.0, 78.0, 60.0, 70.0),
        running=lambda n: _running(plan, title, n),
        sides=plan.sides,
    )
    sheet.title(title)
    sheet.space(10)
    counts = {"table": 0, "figure": 0}
    topics = rng.sample(words.TOPICS[plan.language], 3 * plan.sections)
    if plan.columns > 1:
        sheet.text(words.paragraph(rng, words.vocabulary(plan.language), least=3))
        sheet.columns(plan.columns, gap=20.0)
    for k in range(plan.sections):
        _section(sheet, plan, rng, k, topics[3 * k : 3 * k + 3], counts)
    data, pages = sheet.finish(title=title)
    doctype = "report" if title.endswith("报告") else ""
    document = TruthDocument(f"{plan.name}.pdf", plan.language, title, "", "", doctype, pages)
    return data, document


def first_pages(data: bytes, document: TruthDocument, count: int) -> tuple[bytes, TruthDocument]:
    """The first pages of a document, as a scan to be made of them; its truth says that it is one."""
    with pymupdf.open(stream=data) as doc:
        doc.select(range(min(count, doc.page_count)))
        return doc.tobytes(no_new_id=True), replace(document, pages=document.pages[:count], scanned=True)


def _book(plan: Plan) -> Book:
    if plan.language == "zh":
        body = Style("cjk", (10.5, 9.5, 9.0)[plan.columns - 1], (17.0, 15.0, 14.0)[plan.columns - 1])
        heads = (
            replace_style(body, size=body.size + 4, heavy=True),
            replace_style(body, size=body.size + 1, heavy=True),
        )
        return Book(
            title=Style("cjk", 20, 30, heavy=True), headings=heads, body=body, small=Style("cjk", 8, 11),
            table=Style("cjk", 8.5, 12), table_head=Style("cjk", 8.5, 12, heavy=True), running=Style("cjk", 8, 10),
            indent=2 * body.size, gap=4.0,
        )  # fmt: skip
    bold = {"tiro": "tibo", "helv": "hebo"}[plan.font]
    size = (10.5, 9.5, 8.5)[plan.columns - 1]
    return Book(
        title=Style(bold, 20, 26), headings=(Style(bold, size + 4, size + 9), Style(bold, size + 1, size + 4)),
        body=Style(plan.font, size, size * 1.3), small=Style(plan.font, 7.5, 9.5), table=Style(plan.font, 8.5, 11),
        table_head=Style(bold, 8.5, 11), running=Style(plan.font, 8, 10), gap=5.0, justify=plan.columns == 2,
        indent=10.0 if plan.columns == 2 else 0.0,
    )  # fmt: skip


def replace_style(style: Style, *, size: float, heavy: bool) -> Style:
    """The style at another size, its lines as far apart as becomes it."""
    return style._replace(size=size, leading=1.5 * size, heavy=heavy)


def _running(plan: Plan, title: str, page: int) -> tuple[str, str]:
    foot = f"第 {page} 页" if plan.language == "zh" and plan.seed % 2 else str(page)
    if not plan.header or page == 1:
        return "", foot
    return (
        title if page % 2 else words.LABELS[plan.language].note + f" {plan.seed + 2014}"
    ) if plan.sides else title, foot


def _numbers(plan: Plan, k: int, sub: int) -> tuple[str, str]:
    """What stands before the headings of section `k` and of its part `sub`."""
    if plan.numbering == "decimal":
        return f"{k + 1} ", f"{k + 1}.{sub + 1} "
    if plan.numbering == "item":
        return f"Item {k + 1}. ", ""
    if plan.numbering == "chapter":
        return f"第{_HAN[k]}章  ", f"第{_HAN[sub]}节  "
    if plan.numbering == "han":
        return f"{_HAN[k]}、", f"（{_HAN[sub]}）"
    return "", ""


def _section(sheet: Sheet, plan: Plan, rng: Random, k: int, topics: list[str], counts: dict[str, int]) -> None:
    vocabulary = words.vocabulary(plan.language)
    if plan.columns == 1 and k in (1, 3):
        sheet.open_page()
    sheet.heading(_numbers(plan, k, 0)[0] + topics[0], 1)
    if plan.columns == 1 and sheet.y < sheet.floor - 300 and k in (1, 3):
        sheet.footnotes(*(f"{n} {words.sentence(rng, vocabulary)}" for n in range(1, rng.randint(2, 3))))
    for _ in range(rng.randint(1, 3)):
        sheet.text(words.paragraph(rng, vocabulary))
    if plan.sidebars and k % 2 == 0:
        sheet.boxed([words.paragraph(rng, vocabulary, most=3) for _ in range(2)])
    for sub in range(2):
        sheet.heading(_numbers(plan, k, sub)[1] + topics[sub + 1], 2)
        sheet.text(words.paragraph(rng, vocabulary))
        what = (k * 2 + sub + plan.seed) % 4
        if what == 0:
            _list(sheet, plan, rng)
        elif what == 2 and plan.columns < 3 and k % 2:
            _chart(sheet, plan, rng, counts)
        else:
            counts["table"] += 1
            varied_table(sheet, rng, counts["table"], language=plan.language, wide=plan.columns == 1)
        sheet.text(words.paragraph(rng, vocabulary))


def _list(sheet: Sheet, plan: Plan, rng: Random) -> None:
    items = [words.sentence(rng, words.vocabulary(plan.language)) for _ in range(rng.randint(3, 5))]
    marks = [f"({chr(97 + i)})" for i in range(len(items))] if plan.language == "en" and plan.seed % 2 else "•"
    sheet.items(items, marks=[f"{i + 1}." for i in range(len(items))] if plan.language == "zh" else marks, hang=18)


def _chart(sheet: Sheet, plan: Plan, rng: Random, counts: dict[str, int]) -> None:
    counts["figure"] += 1
    text = words.LABELS[plan.language]
    what = rng.choice(words.vocabulary(plan.language).lists["thing"])
    bar_chart(
        sheet,
        groups=[str(y) for y in range(2019, 2023)],
        series=[(name, [rng.randrange(10, 90) / 10 for _ in range(4)]) for name in (text.plan, text.actual)],
        unit=text.unit,
        caption=text.figure.format(k=counts["figure"], what=what),
        height=140,
    )
