"""Two hundred annual reports that differ in company and year only, and questions that name both as people do."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from h3cold.recall.questions import Case
from h3cold.recall.trials import report_en, report_zh
from h3cold.recall.trials.companies import FIRST, YEARS, Company, companies
from h3cold.recall.trials.items import items
from h3cold.recall.trials.wording import read_rows

ASKS_EN = ("What was {who}'s {what} {when}?", "How much {what} did {who} report {when}?", "{who} {what} {when}",
           "{when}, what did {who} state as {what}?")  # fmt: skip
ASKS_ZH = (
    "{who}{when}的{what}是多少？",
    "{when}{who}{what}",
    "请问{who}{when}{what}为多少万元",
    "{who}在{when}披露的{what}",
)

TEXTS, STRUCTURES = 3, 3
"""Questions about each report; one more is asked in the other language."""

OFFICES = 0.3
"""Share of reports of which one question asks for a person or the auditor."""


class _Asked(NamedTuple):
    """A line of asked.txt in one language: phrases parted by "; ", what the right block holds, the row that answers."""

    key: str
    phrases: str
    held: str
    row: str


def make_filings(folder: Path, *, of: Sequence[Company] = (), years: int = YEARS) -> None:
    """Write the reports of these companies (default: all), and questions.jsonl beside them.

    The questions are as `questions.read_jsonl` takes them. The names of the files say nothing of company or year:
    only what the files hold can tell them apart.
    """
    folder.mkdir(parents=True, exist_ok=True)
    of = of or companies()
    lines = []
    dice = random.Random("names")
    codes = dice.sample(range(100_000, 999_999), len(of) * years)
    for number, (company, year) in enumerate((c, FIRST + y) for c in of for y in range(years)):
        name = f"filing_{codes[number]}.pdf"
        paper = (report_zh if company.chinese else report_en).set_report(company, year)
        facts = {key: sorted(pages) for key, pages in paper.facts.items()}
        data = paper.finish(f"{company.name} annual report" if not company.chinese else f"{company.name}年度报告")
        (folder / name).write_bytes(data)
        lines += [json.dumps(_row(case), ensure_ascii=False) for case in questions(company, year, name, facts)]
    (folder / "questions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _row(case: Case) -> dict[str, object]:
    return {"id": case.id, "query": case.query, "source": case.source, "pages": list(case.pages), "kind": case.kind,
            "holds": case.holds, "row": case.row}  # fmt: skip


def questions(company: Company, year: int, source: str, facts: Mapping[str, Sequence[int]]) -> list[Case]:
    """Some questions about one report; `kind` ends in "tune" for one half of the companies, in "test" for the other."""
    dice = random.Random(f"{company.key}:{year}:questions")
    half = ("tune", "test")[[c.key for c in companies()].index(company.key) // 2 % 2]
    kind = f"{'zh' if company.chinese else 'en'}+{half}"
    asked = [_Asked(row[0], *row[1 + company.chinese :: 2]) for row in read_rows("asked.txt")]
    told = [a for a in asked if a.key in facts and a.phrases]
    out = []
    for number in range(TEXTS):
        who, when = dice.choice(names(company)), dice.choice(periods(company, year))
        if number == 0 and dice.random() < OFFICES:
            office = dice.choice([a for a in told if ":" not in a.key])
            key, query = office.key, office.phrases.format(who=who, when=when)
        else:
            item = dice.choice([i for i in items() if i.key in facts])
            key, what = item.key, dice.choice(item.asked_zh if company.chinese else item.asked_en)
            query = dice.choice(ASKS_ZH if company.chinese else ASKS_EN).format(who=who, what=what, when=when)
        query = query.strip()
        query = query[0].upper() + query[1:]
        out.append(Case(f"{source}:{number}", query, source, tuple(facts[key]), kind=f"text+{kind}"))
    out.append(_crossed(company, year, source, facts, dice, kind))
    some = dice.sample([a for a in told if ":" in a.key], STRUCTURES)
    for number, a in enumerate(some):
        who, when = dice.choice(names(company)), dice.choice(periods(company, year))
        phrase = dice.choice(a.phrases.split("; "))
        query = phrase.format(who=who, when=when, year=year, before=year - 1).strip()
        out.append(Case(f"{source}:s{number}", query[0].upper() + query[1:], source, tuple(facts[a.key]),
                        kind=f"structure+{kind}", holds=f"{a.key.split(':')[0]}:{a.held}", row=a.row))  # fmt: skip
    return out


def _crossed(
    company: Company, year: int, source: str, facts: Mapping[str, Sequence[int]], dice: random.Random, kind: str
) -> Case:
    """A question in the language that the report is not in: names as printed, the word for the item translated."""
    item = dice.choice([i for i in items() if i.key in facts])
    who = company.ticker if company.chinese else dice.choice(names(company))
    if company.chinese:
        query = dice.choice(ASKS_EN).format(who=who, what=dice.choice(item.asked_en), when=f"in fiscal {year}")
    else:
        query = dice.choice(ASKS_ZH).format(who=f"{who} ", what=dice.choice(item.asked_zh), when=f"{year}年")
    return Case(f"{source}:x", query[0].upper() + query[1:], source, tuple(facts[item.key]), kind=f"crossed+{kind}")


def names(company: Company) -> tuple[str, ...]:
    """What people call it: its whole name, shorter ones, its ticker."""
    return (company.name, *company.asked, f" {company.ticker} " if company.chinese else company.ticker)


def periods(company: Company, year: int) -> tuple[str, ...]:
    """What people call a fiscal year."""
    if company.chinese:
        digits = "".join("〇一二三四五六七八九"[int(d)] for d in str(year))
        return (f"{year}年", f"{year}年度", f"{year % 100:02d}年", f"{digits}年", f"{year}财年", f"FY{year}")
    return (f"in fiscal {year}", f"in FY{year}", f"in FY{year % 100:02d}", f"for fiscal year {year}",
            f"for the year ended {report_en.fiscal_end(company, year)}", f"in {year}")  # fmt: skip
