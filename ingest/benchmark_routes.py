"""Pages a second by what a page needs: its text layer alone, OCR of a part or of all, writing that is not level."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pymupdf

from h3cold.ingest.opening import open_document
from h3cold.ingest.parse import ParseOptions, parse_window
from h3cold.schemas.errors import DocumentError
from h3cold.schemas.page import Page

MIXED = ("docling", "mmlongbench", "pdfplumber", "pypdf_sample_files", "camelot_tables")
"""Sets of documents of all kinds."""

FIRST = 6
"""Pages that are read of each document."""

RECOGNISED = 6
"""Pages of a kind, each of another document, that are read with OCR: it takes hundreds of times as long."""

_WAYS = {
    "vertical writing": "vertical", "right-to-left": "rtl", "askew": "askew", "text runs": "sideways",
    "upside down": "sideways", "the file turns the page": "turned",
}  # fmt: skip
"""What `turn.writing` says, and the kinds of page it says it of."""


def routes(data: Path) -> dict[str, float]:
    """Pages a second of processor time, all threads together, by kind of page; `..._pages` says how many were read.

    `text` is a page whose text layer is used, `tables` one of those on which tables were found, `vertical`, `rtl`,
    `sideways`, `askew` and `turned` such with writing of that kind; `mixed` is a page of which a picture goes to OCR,
    `ocr` one that all goes there. Models are loaded before. What is done once a document (opening it, what runs on its
    pages) is counted with its pages.
    """
    seconds: defaultdict[str, float] = defaultdict(float)
    pages: Counter[str] = Counter()
    recognise: dict[str, list[tuple[Path, int]]] = {"mixed": [], "ocr": []}
    for path in _files(data):
        for page, spent in _timed(path, range(1, FIRST + 1), ParseOptions(ocr="off", layout="fast")):
            if (kind := _needs_ocr(page)) in recognise and all(p != path for p, _ in recognise[kind]):
                recognise[kind].append((path, page.number))
            for name in _kinds(page) if kind == "text" else ():
                seconds[name] += spent
                pages[name] += 1
    for kind, found in recognise.items():
        for n, (path, number) in enumerate(found[: RECOGNISED + 1]):
            for page, spent in _timed(path, range(number, number + 1), ParseOptions(layout="fast")):
                if n and page.route == kind:  # the first of each loads the models
                    seconds[kind] += spent
                    pages[kind] += 1
    out: dict[str, float] = {}
    for name in sorted(pages, key=lambda name: -pages[name]):
        out |= {f"{name}_pages": pages[name], f"{name}_per_second": pages[name] / seconds[name]}
    return out


def _files(data: Path) -> Iterator[Path]:
    for name in MIXED:
        yield from sorted((data / name).rglob("*.pdf"))


def _timed(path: Path, numbers: range, options: ParseOptions) -> Iterator[tuple[Page, float]]:
    """Pages and the seconds that each took, those of the document by their number; none of a file that is damaged."""
    begun: list[tuple[int, float]] = []
    started = time.process_time()

    def begins(page: int, doing: str = "", /) -> None:
        begun.append((page, time.process_time()))

    try:
        with open_document(path) as doc:
            last = min(numbers[-1], doc.page_count)
            parsed = parse_window(doc, path.name, numbers[0], last, options, heartbeat=begins)
    except (DocumentError, pymupdf.mupdf.FzErrorBase):
        return
    ended = time.process_time()
    spent: Counter[int] = Counter()
    for (number, at), (_, until) in zip(begun, [*begun[1:], (0, ended)], strict=True):
        spent[number] += until - at  # type: ignore[assignment]
    around = (ended - started - sum(spent.values())) / max(1, len(parsed))
    for page in parsed:
        if page.failure is None:
            yield page, spent[page.number] + around


def _needs_ocr(page: Page) -> str:
    """The kind of a page that was read without OCR: "text", "mixed", "ocr", or "" for one with nothing on it."""
    if page.route == "geometry":
        return "mixed" if any("looks like scanned text" in reason for reason in page.reasons) else "text"
    return "ocr" if page.route == "ocr" else ""


def _kinds(page: Page) -> Iterator[str]:
    yield "text"
    if any(region.kind == "table" for region in page.regions):
        yield "tables"
    said = " ".join(page.reasons)
    yield from (name for words, name in _WAYS.items() if words in said)
