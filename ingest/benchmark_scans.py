"""How much of real slides, posters and scans is read: MMLongBench's evidence pages that have no text of their own."""

from __future__ import annotations

import json
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from h3cold.ingest.opening import open_document
from h3cold.ingest.parse import ParseOptions, parse_window
from h3cold.ingest.reading import LEAST
from h3cold.schemas.page import Page

SURE = 0.8
"""Confidence from which a character counts as read."""

_TERM = re.compile(r"[^\W_](?:[\w.,%$&'-]*[^\W_%])?%?")
_COMMON_WORDS = """
about above according after also among answer been between both chart content could diagram does each figure first
following format from given have here highest image into least list many more most much name need number only other
page paper percent percentage picture please report second show shown shows slide than that their them there these
they this total types under used using value what when where which while whose will with write year years your
"""
_COMMON = frozenset(_COMMON_WORDS.split())


class Evidence(NamedTuple):
    """What is asked about a page: the terms of its questions, and their answers."""

    terms: set[str]
    answers: list[str]


def mmlongbench(data: Path) -> dict[str, float]:
    """Over the pages that MMLongBench-Doc's questions have as evidence: pages a second by route, and for the pages
    whose text OCR must read (routes "ocr" and "mixed"):

    `usable`: share of pages with some words read (`reading.LEAST` letters), four fifths of the characters at least .8
    certain. Whether what was asked about is among them: `terms`, the share of the questions' terms (words from four
    letters on and numbers) found on the page; `answers`, the share of the answers that stand there in as many words.
    Many ask for what is counted, computed or seen in a photograph, which stands on no page.
    """
    evidence = _evidence(json.loads((data / "mmlongbench" / "questions.json").read_text(encoding="utf-8")))
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    usable, found, terms, answered, answers = 0, 0, 0, 0, 0
    pages = 0
    for page, asked, spent in _pages(data / "mmlongbench" / "documents", evidence):
        seconds[page.route].append(spent)
        if page.ocr_engine is None and page.route not in ("ocr", "mixed"):
            continue
        pages += 1
        text = page_text(page)
        seen = asked.terms & terms_of(text)
        right = [a for a in asked.answers if _squeezed(a) in _squeezed(text)]
        usable += certain_share(page) >= SURE and sum(map(str.isalnum, text)) >= LEAST
        found, terms = found + len(seen), terms + len(asked.terms)
        answered, answers = answered + len(right), answers + len(asked.answers)
    speeds = {f"{route}_pages_per_second": len(s) / sum(s) for route, s in seconds.items()}
    return {"pages": pages, "usable": usable / max(1, pages), "terms": found / max(1, terms),
            "answers": answered / max(1, answers), **speeds}  # fmt: skip


def _evidence(questions: list[dict[str, Any]]) -> dict[str, dict[int, Evidence]]:
    out: defaultdict[str, dict[int, Evidence]] = defaultdict(dict)
    for question in questions:
        for number in json.loads(question["evidence_pages"]):
            about = out[question["doc_id"]].setdefault(number, Evidence(set(), []))
            about.terms.update(terms_of(question["question"]))
            about.answers.append(str(question["answer"]))
    return out


def _pages(folder: Path, evidence: dict[str, dict[int, Evidence]]) -> Iterator[tuple[Page, Evidence, float]]:
    for name, asked in sorted(evidence.items()):
        with open_document(folder / name) as doc:
            for number in sorted(n for n in asked if n <= doc.page_count):
                started = time.perf_counter()
                (page,) = parse_window(doc, name, number, number, ParseOptions())
                yield page, asked[number], time.perf_counter() - started


def page_text(page: Page) -> str:
    """All text of a page, words in figures and running lines included."""
    tables = (c.text for r in page.regions if r.table is not None for c in r.table.cells)
    return "\n".join([*(r.text for r in page.regions), *tables])


def certain_share(page: Page) -> float:
    """Share of a page's characters whose region is certain enough; born-digital text is."""
    sizes = [(len(r.text), r.confidence is None or r.confidence >= SURE) for r in page.regions]
    return sum(n for n, sure in sizes if sure) / max(1, sum(n for n, _ in sizes))


def terms_of(text: str) -> set[str]:
    """Numbers, and words from four letters on that say what a text is about."""
    words = (w.lower().strip(".,'-") for w in _TERM.findall(text))
    return {w for w in words if (len(w) > 3 and w not in _COMMON) or (len(w) > 1 and any(map(str.isdigit, w)))}


def _squeezed(text: str) -> str:
    return "".join(text.lower().split())
