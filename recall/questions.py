"""Labelled questions from files: our own JSONL, and converters for the public sets."""

from __future__ import annotations

import ast
import csv
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from h3cold.recall.baseline import PageText
from h3cold.schemas.errors import UsageError

MANY = 5
"""Pages that hold a question's facts, at most, for them to count as its evidence."""


class Case(NamedTuple):
    """A question with its evidence: the end of the document's path, 1-based pages of which one must be found.

    `slack` pages to either side count as found (for page labels known to be rough); `kind` groups the figures.
    `holds` is "table:words" or "figure:words" where only such a block with these words in it is the answer, `row` how
    the label of the table's row that answers begins.
    """

    id: str
    query: str
    source: str
    pages: tuple[int, ...]
    kind: str = ""
    slack: int = 0
    intent: str = "auto"
    holds: str = ""
    row: str = ""


def read_jsonl(path: Path) -> list[Case]:
    """Questions one a line: {"query", "source", "page" or "pages", "id"?, "kind"?, "intent"?, "holds"?, "row"?}.

    Raises:
        UsageError: the file cannot be read, or a line is not such an object; names the line.
    """
    out = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as e:
        raise UsageError(f"{path}: cannot read the questions: {e}") from e
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            pages = row["pages"] if "pages" in row else [row["page"]]
            out.append(
                Case(
                    str(row.get("id", number)), str(row["query"]), str(row["source"]), tuple(int(p) for p in pages),
                    kind=str(row.get("kind", "")), intent=str(row.get("intent", "auto")),
                    holds=str(row.get("holds", "")), row=str(row.get("row", "")),
                )
            )  # fmt: skip
        except (ValueError, KeyError, TypeError, AttributeError) as e:
            raise UsageError(f"{path}, line {number}: needs query, source and page(s): {e!r}") from e
    return out


def uda_fin(folder: Path) -> list[Case]:
    """UDA's FinHybrid questions; the page stands in the id. Exact for GS, rough for the other filings."""
    out = []
    for row in _rows(folder / "dataset" / "qa" / "fin_qa.csv"):
        company, year, rest = row["q_uid"].split("/")
        page = int(re.findall(r"\d+", rest)[0])
        out.append(Case(row["q_uid"], row["question"], f"{company}_{year}.pdf", (page,), kind=company,
                        slack=0 if company == "GS" else 1))  # fmt: skip
    return out


def uda_tat(folder: Path, pages: Sequence[PageText]) -> list[Case]:
    """UDA's TatHybrid questions whose evidence can be found: pages of the document that hold all of their facts.

    Facts are those of the extended file, or a spanned answer's parts; questions whose facts stand on no page, or
    on more than five, are left out.
    """
    facts: dict[str, list[str]] = {}
    extended = json.loads((folder / "dataset" / "extended_qa_info_bench" / "bench_tat_qa.json").read_text("utf-8"))
    for questions in extended.values():
        for q in questions:
            facts[q["q_uid"]] = [str(f) for f in q["facts"]]
    out = []
    for row in _rows(folder / "dataset" / "qa" / "tat_qa.csv"):
        wanted = facts.get(row["q_uid"])
        if wanted is None and row["answer_type"] in ("span", "multi-span"):
            answer = ast.literal_eval(row["answer"])
            wanted = [str(a) for a in answer] if isinstance(answer, list) else [str(answer)]
        source = f"{row['doc_name']}.pdf"
        found = _holding(pages, source, wanted or [])
        if 0 < len(found) <= MANY:
            out.append(Case(row["q_uid"], row["question"], source, found, kind=row["answer_type"]))
    return out


def uda_feta(folder: Path, pages: Sequence[PageText]) -> list[Case]:
    """UDA's FetaQA questions on Wikipedia pages whose evidence can be found: pages of the document that hold all facts.

    Facts are the cells that the extended file marks, else the numbers and capitalised words that the answer adds to
    the question. There are eleven questions in the published sample.
    """
    facts: dict[str, list[str]] = {}
    extended = json.loads((folder / "dataset" / "extended_qa_info_bench" / "bench_feta_qa.json").read_text("utf-8"))
    for questions in extended.values():
        for q in questions:
            cells = q["evidence"]["table_array"]
            facts[str(q["q_uid"])] = [str(cells[r][c]) for r, c in q["evidence"]["highlighted_cell_ids"]]
    out = []
    for row in _rows(folder / "dataset" / "qa" / "feta_qa.csv"):
        said = set(re.findall(r"\w+", row["question"]))
        told = re.findall(r"\b(?:[A-Z]\w{3,}|\d[\d.,]*\d)", row["answer"])
        source = f"{row['doc_name']}.pdf"
        found = _holding(pages, source, facts.get(row["q_uid"]) or [w for w in told if w not in said])
        if 0 < len(found) <= MANY:
            out.append(Case(row["q_uid"], row["question"], source, found))
    return out


def mmlongbench(folder: Path) -> list[Case]:
    """MMLongBench-Doc questions, one case for each kind of evidence they name."""
    out = []
    for i, row in enumerate(json.loads((folder / "questions.json").read_text("utf-8"))):
        pages = tuple(int(p) for p in ast.literal_eval(row["evidence_pages"]))
        kinds = [k.split(" ")[0].lower() for k in ast.literal_eval(row["evidence_sources"])] or ["none"]
        out.append(Case(str(i), row["question"], row["doc_id"], pages, kind="+".join(sorted(kinds))))
    return out


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="|"))


def _holding(pages: Iterable[PageText], source: str, facts: Sequence[str]) -> tuple[int, ...]:
    wanted = [_bare(f) for f in facts]
    if not any(len(w) > 2 for w in wanted):
        return ()
    found = [p.page for p in pages if p.source.endswith(source) and all(w in _bare(p.text) for w in wanted)]
    return tuple(found)


def _bare(text: str) -> str:
    return re.sub(r"[\s$]+", "", text).casefold()
