"""How long parsing takes, as multiples of what PyMuPDF takes to hand out the same pages' text as a dictionary."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median

import pymupdf

from h3cold.ingest.opening import document_id, open_document, read_file
from h3cold.ingest.page_facts import read_page
from h3cold.ingest.parse import ParseOptions, finish, outline_of, parse_window
from h3cold.ingest.tables import find_tables

FEWEST = 4
"""Pages from which a document's own ratio is told: single pages are mostly the opening of their file."""


def speed(data: Path) -> dict[str, float]:
    """Processor time over the born-digital pages of UDA, OCR and layout models off.

    `parse_per_dict` is the whole parse, from the file's bytes to the finished document, over `page.get_text("dict")` as
    anyone calls it; `median_document` and `worst_document` are of the same ratio document by document, which follows
    under each file's name. A page's dictionary is timed just before the page is parsed, from the file opened a second
    time, so both meet the same state of the machine and neither finds fonts loaded by the other. `read_per_dict` and
    `tables_per_dict` are reading the pages' facts and finding their tables by themselves.
    """
    spent = {"dict": 0.0, "parse": 0.0, "read": 0.0, "tables": 0.0}
    ratios: dict[str, float] = {}
    pages = 0
    for path in sorted((data / "uda").rglob("*.pdf")):
        base, whole, count = _dict_and_parse(path)
        read, tables = _read_and_tables(path)
        for name, seconds in zip(spent, (base, whole, read, tables), strict=True):
            spent[name] += seconds
        pages += count
        if count >= FEWEST:
            ratios[path.name] = whole / base
    base = spent["dict"]
    return {"pages": pages, "parse_per_dict": spent["parse"] / base, "median_document": median(ratios.values()),
            "worst_document": max(ratios.values()), "read_per_dict": spent["read"] / base,
            "tables_per_dict": spent["tables"] / base, "pages_per_second": pages / spent["parse"],
            **ratios}  # fmt: skip


def _dict_and_parse(path: Path) -> tuple[float, float, int]:
    """Seconds for the dictionaries of a file's pages, for its parse, and how many pages it has."""
    clock = time.thread_time
    base = apart = 0.0
    seen: set[int] = set()
    with pymupdf.open(path) as other:

        def alternate(number: int, doing: str = "", /) -> None:
            nonlocal base, apart
            if number in seen:  # it is told of twice: before it is read and before it is put in order
                return
            seen.add(number)
            entered = clock()
            page = other[number - 1]
            started = clock()
            page.get_text("dict")
            ended = clock()
            base += ended - started
            apart += ended - entered

        started = clock()
        data = read_file(path)
        with open_document(path, data=data) as doc:
            options = ParseOptions(ocr="off", layout="fast")
            pages = parse_window(doc, path.name, 1, doc.page_count, options, heartbeat=alternate)
            finish(document_id(data), path.name, pages, doc.metadata or {}, outline_of(doc))
        return base, clock() - started - apart, len(pages)


def _read_and_tables(path: Path) -> tuple[float, float]:
    clock = time.thread_time
    read = tables = 0.0
    with pymupdf.open(path) as doc:
        for page in doc:
            started = clock()
            facts = read_page(page)
            found = clock()
            find_tables(facts)
            read += found - started
            tables += clock() - found
    return read, tables
