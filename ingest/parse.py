"""From a PDF to pages of regions, and from pages to a document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pymupdf

from h3cold.ingest import headings
from h3cold.ingest.describe import describe
from h3cold.ingest.furniture import Place, find_running, watermarks
from h3cold.ingest.lines import drop_duplicates, drop_outside
from h3cold.ingest.opening import document_id, open_document, read_file
from h3cold.ingest.page_facts import MAX_STROKES, PageFacts, read_page
from h3cold.ingest.regions import Typography, page_regions, title_key, typography
from h3cold.ingest.solids import find_solids
from h3cold.ingest.titles import mark_title
from h3cold.ingest.triage import OcrMode, Verdict, judge
from h3cold.schemas import config
from h3cold.schemas.document import ParsedDocument
from h3cold.schemas.geometry import inside
from h3cold.schemas.page import Page

Outline = Sequence[tuple[int, str, int]]
"""A file's bookmarks: (level from 1, title, 1-based page)."""

TOGETHER = 48
"""Pages that are held in memory and looked at together, for what repeats on them."""


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """How to parse; the fields are those of `config.Ingest` by the same names."""

    ocr: OcrMode = "auto"
    layout: str = "auto"
    layout_model: str = "pymupdf"
    passwords: tuple[str, ...] = ()
    page_seconds: float = 120.0


def options_from(ingest: config.Ingest, *, ocr_enabled: bool = True) -> ParseOptions:
    """The options that a configuration asks for; `ocr_enabled` is `cold_storage.ocr_enabled`."""
    return ParseOptions(
        ocr=ingest.ocr if ocr_enabled else "off",
        layout=ingest.layout,
        layout_model=ingest.layout_model,
        passwords=ingest.passwords,
        page_seconds=ingest.page_seconds,
    )


def parse_document(path: str | Path, *, options: ParseOptions | None = None) -> ParsedDocument:
    """Parse a whole file in this process.

    Raises:
        DocumentError: the file is missing, empty, not a PDF, damaged beyond repair or without pages.
        EncryptedError: none of `options.passwords` opens it.
    """
    options = options or ParseOptions()
    source = str(path)
    data = read_file(path)
    with open_document(path, passwords=options.passwords, data=data) as doc:
        pages = parse_window(doc, source, 1, doc.page_count, options)
        return finish(document_id(data), source, pages, doc.metadata or {}, outline_of(doc))


def outline_of(doc: pymupdf.Document) -> list[tuple[int, str, int]]:
    """The file's bookmarks; empty where it has none or they are damaged."""
    try:
        return [(level, title, page) for level, title, page in doc.get_toc(simple=True) if title.strip() and page > 0]
    except (RuntimeError, ValueError, TypeError):  # damaged bookmarks are no reason to lose the document
        return []


def parse_window(
    doc: pymupdf.Document,
    source: str,
    first: int,
    last: int,
    options: ParseOptions,
    *,
    heartbeat: Callable[[int], None] | None = None,
) -> list[Page]:
    """Parse pages `first` to `last` (1-based, both included). A page that cannot be read is a failed `Page`.

    `heartbeat` is told each page before it is worked on, for whoever watches the time. Levels of headings are
    provisional (see `headings.STYLE`) until `finish` has seen all pages.
    """
    titles: dict[int, set[str]] = {}
    for _, title, page in outline_of(doc):
        titles.setdefault(page, set()).add(title_key(title))
    out: list[Page] = []
    for start in range(first, last + 1, TOGETHER):
        out += _together(doc, start, min(last, start + TOGETHER - 1), options, titles, heartbeat or _unwatched)
    return out


def _unwatched(page: int) -> None:
    """The heartbeat that nobody hears."""


def _together(
    doc: pymupdf.Document,
    first: int,
    last: int,
    options: ParseOptions,
    titles: Mapping[int, set[str]],
    heartbeat: Callable[[int], None],
) -> list[Page]:
    read: list[tuple[PageFacts, Page]] = []
    done: dict[int, Page] = {}
    for number in range(first, last + 1):
        heartbeat(number)
        try:
            read.append(_read(doc, number, options))
        except Exception as e:  # whatever one page does, the others are parsed
            done[number] = failed(number, e)
    sane = [facts for facts, _ in read]
    running = find_running(sane)
    for marks, places in zip(watermarks(sane), running, strict=True):
        places.update(dict.fromkeys(marks, "header"))
    usual = typography(sane)
    for (facts, page), places in zip(read, running, strict=True):
        heartbeat(facts.number)
        try:
            done[facts.number] = _structure(facts, page, places, usual, titles.get(facts.number, set()))
        except Exception as e:
            done[facts.number] = failed(facts.number, e, page)
    return [done[number] for number in sorted(done)]


def failed(number: int, error: BaseException, page: Page | None = None) -> Page:
    """The row that stands for a page which could not be read."""
    reason = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    blank = page or Page(number, 0.0, 0.0, 0, "text", "failed", ())
    return replace(blank, route="failed", regions=(), failure=reason, reasons=(*blank.reasons, "page failed"))


def _read(doc: pymupdf.Document, number: int, options: ParseOptions) -> tuple[PageFacts, Page]:
    """A page's facts, OCRed where needed, and the page without its regions."""
    page = doc[number - 1]
    facts = read_page(page)
    reasons = []
    if outside := drop_outside(facts):
        reasons.append(f"{outside} lines outside the page dropped")
    if doubled := drop_duplicates(facts):
        reasons.append(f"{doubled} lines printed twice dropped")
    if facts.strokes > MAX_STROKES:
        reasons.append(f"{facts.strokes} vector paths: drawings not read")
    verdict = judge(page, facts, ocr=options.ocr)
    out = Page(
        number, facts.width, facts.height, facts.rotation, "text", verdict.route, (),
        reasons=(*verdict.reasons, *reasons),
    )  # fmt: skip
    if verdict.clips:
        return _with_ocr(page, facts, out, verdict)
    return facts, out


def _with_ocr(page: pymupdf.Page, facts: PageFacts, out: Page, verdict: Verdict) -> tuple[PageFacts, Page]:
    from h3cold.ingest import ocr

    kept = [] if None in verdict.clips else facts.lines
    results = [ocr.read(page, clip=clip, language="auto") for clip in verdict.clips]
    found = [line for result in results for line in result.lines]
    scores = [result.confidence for result in results if result.lines]
    boxes = [clip for clip in verdict.clips if clip is not None]
    facts = replace(
        facts,
        lines=[*kept, *found],
        # what was OCRed is text now, no picture
        images=[i for i in facts.images if boxes and not any(inside(i, b) > 0.9 for b in boxes)],
        _words=None,
    )
    return facts, replace(
        out,
        source="mixed" if kept and found else "ocr",
        ocr_engine=results[0].engine,
        ocr_confidence=sum(scores) / len(scores) if scores else 0.0,
    )


def _structure(facts: PageFacts, page: Page, places: dict[int, Place], usual: Typography, titles: set[str]) -> Page:
    regions = page_regions(facts, places, usual, find_solids=find_solids, titles=titles)
    return replace(page, regions=tuple(regions))


def finish(
    document: str, source: str, pages: Sequence[Page], meta: Mapping[str, str | None], outline: Outline
) -> ParsedDocument:
    """Everything that needs all pages: heading levels, the title, what the document is.

    Args:
        document: the file's id (`opening.document_id`).
        meta: the PDF's metadata as PyMuPDF gives it (`title`, `author`, `creationDate`, …).
        outline: its bookmarks, see `outline_of`.
    """
    settled = headings.settle(mark_title(sorted(pages, key=lambda p: p.number)), outline)
    return ParsedDocument(document, source, describe(source, settled, meta), tuple(settled))
