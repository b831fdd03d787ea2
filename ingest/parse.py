"""From a PDF to pages of regions, and from pages to a document."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pymupdf

from h3cold.ingest import levels
from h3cold.ingest.across import mark_continued, mark_running
from h3cold.ingest.covers import covers, plain_covers
from h3cold.ingest.describe import described
from h3cold.ingest.float_names import names_in_one_type
from h3cold.ingest.furniture import find_running
from h3cold.ingest.headings import title_key
from h3cold.ingest.layout_route import is_ambiguous, with_layout
from h3cold.ingest.lost_pages import MODEL_FAILED
from h3cold.ingest.opening import LostContentError, document_id, open_document, read_file
from h3cold.ingest.page_facts import PageFacts
from h3cold.ingest.page_tree import MUPDF_ERRORS
from h3cold.ingest.parse_options import ParseOptions as ParseOptions
from h3cold.ingest.reading import read
from h3cold.ingest.regions import page_regions, typography
from h3cold.ingest.second_look import doubt
from h3cold.ingest.solids import find_solids
from h3cold.ingest.tagged import is_tagged
from h3cold.ingest.titles import mark_title
from h3cold.ingest.worker_tasks import Heartbeat
from h3cold.schemas.document import ParsedDocument
from h3cold.schemas.errors import H3Error, ModelError
from h3cold.schemas.page import Page

Outline = Sequence[tuple[int, str, int]]
"""A file's bookmarks: (level from 1, title, 1-based page)."""

_CODE = re.compile(r"^(?:code=\d+:\s*)+")

TOGETHER = 48
"""Pages that are held in memory and looked at together, for what repeats on them."""


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
    except (*MUPDF_ERRORS, TypeError):  # damaged bookmarks are no reason to lose the document
        return []


def parse_window(
    doc: pymupdf.Document,
    source: str,
    first: int,
    last: int,
    options: ParseOptions,
    *,
    heartbeat: Heartbeat | None = None,
    kept: str = "",
) -> list[Page]:
    """Parse pages `first` to `last` (1-based, both included). A page that cannot be read is a failed `Page`.

    `heartbeat` is told each page before it is worked on, and when OCR of it begins, for whoever watches the time. OCR
    is put on record in files whose paths begin with `kept`, and taken from there. Levels of headings are provisional
    (see `headings.STYLE`) until `finish` has seen all pages.
    """
    titles: dict[int, set[str]] = {}
    for _, title, page in outline_of(doc):
        titles.setdefault(page, set()).add(title_key(title))
    out: list[Page] = []
    for start in range(first, last + 1, TOGETHER):
        with _uncollected():
            out += _together(
                doc, start, min(last, start + TOGETHER - 1), options, titles, heartbeat or _unwatched, kept
            )
    return out


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without searching for garbage in cycles: words and boxes are many and in none, a tenth of the time goes there."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _unwatched(page: int, doing: str = "", /) -> None:
    """The heartbeat that nobody hears."""


def _together(
    doc: pymupdf.Document,
    first: int,
    last: int,
    options: ParseOptions,
    titles: Mapping[int, set[str]],
    heartbeat: Heartbeat,
    kept: str,
) -> list[Page]:
    done: dict[int, Page] = {}
    facts: list[PageFacts] = []
    language = "auto"
    tagged = is_tagged(doc)
    for number in range(first, last + 1):
        heartbeat(number)
        try:
            found, done[number], said = read(
                doc, number, ocr=options.ocr, language=language, tagged=tagged, kept=kept, heartbeat=heartbeat
            )
        except Exception as e:  # whatever one page does, the others are parsed
            done[number] = failed(number, e)
            continue
        facts.append(found)
        language = said or language
    running = find_running(facts)
    usual = typography(facts)
    for found, places in zip(facts, running, strict=True):
        page = done[found.number]
        heartbeat(found.number)
        try:
            regions = page_regions(
                found, places, usual, find_solids=find_solids, titles=titles.get(found.number, frozenset())
            )
            done[found.number] = _labelled(doc, replace(page, regions=tuple(regions)), options)
        except Exception as e:
            done[found.number] = failed(found.number, e, page)
    return [done[number] for number in sorted(done)]


def _labelled(doc: pymupdf.Document, page: Page, options: ParseOptions) -> Page:
    """The page, after a layout model has seen it where the options and its geometry ask for that."""
    if not page.regions or options.layout == "fast" or (options.layout == "auto" and not is_ambiguous(page.regions)):
        return page
    why = "a layout model was asked for" if options.layout == "model" else "text in scraps"
    try:
        regions = with_layout(doc[page.number - 1], page.regions, options.layout_model)
    except ModelError as e:
        if options.layout == "model":
            raise
        return replace(page, reasons=(*page.reasons, f"{why}, but no layout model: {e}"))
    return replace(page, regions=tuple(regions), route="layout", reasons=(*page.reasons, why))


def failed(number: int, error: BaseException, page: Page | None = None) -> Page:
    """The row that stands for a page which could not be read."""
    blank = page or Page(number, 0.0, 0.0, 0, "text", "failed", ())
    said = (*blank.reasons, "page failed", *([MODEL_FAILED] if isinstance(error, ModelError) else []))
    return replace(blank, route="failed", regions=(), failure=_in_words(error), reasons=said)


def _in_words(error: BaseException) -> str:
    said = " ".join(str(error).split())[:300]
    if isinstance(error, (H3Error, LostContentError)):
        return said
    if isinstance(error, MemoryError):
        return "it needs more memory than there is"
    said = _CODE.sub("", said)
    if isinstance(error, MUPDF_ERRORS):
        return f"its content cannot be interpreted: {said or 'MuPDF does not say why'}"
    return f"the parser does not cope with it: {said} ({type(error).__name__})"


def finish(
    document: str, source: str, pages: Sequence[Page], meta: Mapping[str, str | None], outline: Outline
) -> ParsedDocument:
    """Everything that needs all pages: running lines, heading levels, the title, what the document is.

    Args:
        document: the file's id (`opening.document_id`).
        meta: the PDF's metadata as PyMuPDF gives it (`title`, `author`, `creationDate`, …).
        outline: its bookmarks, see `outline_of`.
    """
    with _uncollected():
        ordered = mark_continued(mark_running(sorted(pages, key=lambda p: p.number)))
        starts = covers(ordered)
        sober = names_in_one_type(doubt(plain_covers(ordered, starts)), outline)
        titled = mark_title(sober, outline)
        settled = levels.settle(titled, outline, starts=starts)
        info, lost = described(source, settled, meta)
        if lost and settled:
            settled[0] = replace(settled[0], reasons=(*settled[0].reasons, *lost))
        return ParsedDocument(document, source, info, tuple(settled))
