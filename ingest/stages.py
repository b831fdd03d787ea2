"""What is done to one document, from its file to rows: functions that run in a worker process.

Each stage has a digest of the settings it depends on; a document's rows are up to date while its digests are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from blake3 import blake3

from h3cold.ingest.clean import clean_info, clean_page
from h3cold.ingest.store.page_rows import rounded_page, row_page
from h3cold.ingest.store.rows import Row, rounded_block, row_block
from h3cold.schemas.block import CHUNKER, Block
from h3cold.schemas.config import Config
from h3cold.schemas.document import DocumentInfo, ParsedDocument
from h3cold.schemas.errors import DocumentError
from h3cold.schemas.graph import Mention, Relation
from h3cold.schemas.page import Page

if TYPE_CHECKING:
    import pymupdf

    from h3cold.ingest.parse_options import ParseOptions
    from h3cold.ingest.worker_tasks import Heartbeat, Task

REVISION = {"parse": "16", "blocks": "6", "images": "1", "kg": "24", "embed": "1"}
"""Raised when a stage's code comes to give other rows for the same settings."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All that a worker needs to know of the configuration."""

    options: ParseOptions
    block_tokens: int
    embedder: str
    graph: bool
    images: bool


@dataclass(frozen=True, slots=True)
class Source:
    """A document's file: `path` absolute, `name` as it stands in the store, `document` the id its bytes must have.

    Paths of files for OCR of its pages begin with `ocr` ("" = none is kept).
    """

    document: str
    path: str
    name: str
    size: int
    ocr: str = ""


@dataclass(frozen=True, slots=True)
class Window:
    """Some pages of a document, and what its file says as a whole."""

    pages: tuple[Page, ...]
    count: int
    meta: Mapping[str, str | None]
    outline: tuple[tuple[int, str, int], ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """To parse a task's pages."""

    source: Source
    settings: Settings


@dataclass(frozen=True, slots=True)
class Drafting:
    """To make a document's rows from all of its pages; `window` is any of its windows."""

    source: Source
    settings: Settings
    pages: tuple[Page, ...]
    window: Window


@dataclass(frozen=True, slots=True)
class Reblocking:
    """To make a document's blocks, and all that follows from them, from the rows of its pages."""

    source: Source
    settings: Settings
    pages: tuple[Row, ...]
    meta: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Redrafting:
    """To make a document's rows from what the store has: rows of its blocks in order, of its first pages."""

    document: str
    name: str
    settings: Settings
    blocks: tuple[Row, ...]
    pages: tuple[Row, ...]
    meta: Mapping[str, str | None]
    page_count: int


@dataclass(frozen=True, slots=True)
class Drafted:
    """A document as rows, but for the vectors. `pages` may be left out where the store has them already."""

    document: str
    info: DocumentInfo
    meta: Mapping[str, str | None]
    pages: tuple[Page, ...]
    blocks: tuple[Block, ...]
    indexed: tuple[str, ...]
    tokens_text: tuple[str, ...]
    page_count: int = 0
    images: tuple[Row, ...] = ()
    mentions: tuple[Mention, ...] = ()
    relations: tuple[Relation, ...] = ()


def settings_from(config: Config) -> Settings:
    """What the workers need of a configuration."""
    from h3cold.ingest.parse_options import options_from

    return Settings(
        options=options_from(config.ingest, ocr_enabled=config.cold_storage.ocr_enabled),
        block_tokens=config.ingest.block_tokens,
        embedder=config.ingest.embedder,
        graph=config.cold_storage.knowledge_graph_enabled,
        images=config.ingest.images,
    )


def stage_digests(config: Config, name: str) -> dict[str, str]:
    """Stage -> digest of the settings that decide its rows, for a document that stands first under `name`.

    The embedder's tokenizer counts the tokens of a block, so blocks depend on it as vectors do.
    """
    ingest, cold = config.ingest, config.cold_storage
    ocr = ingest.ocr if cold.ocr_enabled else "off"
    return {
        "parse": digest("parse", ocr, ingest.layout, ingest.layout_model),
        "blocks": digest("blocks", CHUNKER, ingest.block_tokens, ingest.embedder),
        "images": digest("images", ingest.images, ingest.clip),
        "kg": digest("kg", cold.knowledge_graph_enabled),
        "embed": digest("embed", ingest.embedder),
        "name": name,
    }  # fmt: skip


def attempt_digest(config: Config) -> str:
    """Digest of all settings that decide whether a file can be read: a failed one is tried again when they change."""
    ingest = config.ingest
    stages = stage_digests(config, "")
    limits = (ingest.page_seconds, ingest.memory_mb)
    return digest("parse", ingest.passwords, *limits, stages["parse"], stages["blocks"])


def digest(stage: str, *settings: Any) -> str:
    """Short digest of a stage's revision and settings."""
    return blake3(json.dumps([REVISION[stage], *settings]).encode()).hexdigest(8)


def work(task: Task, heartbeat: Heartbeat) -> Window | Drafted:
    """What a worker does with a task, by the type of its payload.

    Raises:
        DocumentError: the file cannot be read, or is no longer the one that was scanned.
    """
    job = task.payload
    if isinstance(job, Reading):
        return read_window(job.source, job.settings, task.first, task.last, heartbeat)
    heartbeat(1)
    if isinstance(job, Drafting):
        return draft(job.source, job.settings, job.pages, job.window)
    if isinstance(job, Reblocking):
        return reblock(job)
    redrafting: Redrafting = job
    return redraft(redrafting)


def read_window(source: Source, settings: Settings, first: int, last: int, heartbeat: Heartbeat) -> Window:
    """Parse those of the pages `first` to `last` (1-based, both included) that the file has.

    Raises:
        DocumentError: the file cannot be read, or is no longer the one that was scanned.
    """
    from h3cold.ingest.parse import outline_of, parse_window

    with opened(source, settings) as doc:
        last = min(doc.page_count, last)
        parsed = parse_window(doc, source.name, first, last, settings.options, heartbeat=heartbeat, kept=source.ocr)
        pages = tuple(rounded_page(clean_page(p)) for p in parsed)
        return Window(pages, doc.page_count, dict(doc.metadata or {}), tuple(outline_of(doc)))


def opened(source: Source, settings: Settings) -> pymupdf.Document:
    """Open the file, which must still hold the bytes it was scanned with.

    Raises:
        DocumentError: it does not, or cannot be read.
    """
    from h3cold.ingest.opening import document_id, open_document, read_file

    try:
        data = read_file(source.path)
        if document_id(data) != source.document:
            raise DocumentError(source.name, "changed while it was indexed; index again once it is written")
        return open_document(source.path, passwords=settings.options.passwords, data=data)
    except DocumentError as e:
        raise type(e)(source.name, e.reason, page=e.page) from e


def draft(source: Source, settings: Settings, pages: Sequence[Page], window: Window) -> Drafted:
    """From all pages of a document to its rows: blocks, pictures, mentions, relations.

    Raises:
        DocumentError: none of its pages could be read, or the file no longer can.
    """
    from h3cold.ingest.lost_pages import reason_of
    from h3cold.ingest.parse import finish

    if pages and all(p.route == "failed" for p in pages):
        raise DocumentError(source.name, f"no page can be read: {reason_of(pages[0])}", page=1)
    parsed = finish(source.document, source.name, pages, window.meta, window.outline)
    return replace(_drafted(source, settings, parsed), pages=parsed.pages, meta=window.meta)


def reblock(job: Reblocking) -> Drafted:
    """What follows from a document's pages, made anew from the store's rows; the file is opened for pictures only.

    Raises:
        DocumentError: the file cannot be read.
    """
    from h3cold.ingest.describe import describe

    pages = tuple(row_page(row) for row in job.pages)
    info = describe(job.source.name, pages, job.meta)
    parsed = ParsedDocument(job.source.document, job.source.name, info, pages)
    return replace(_drafted(job.source, job.settings, parsed), meta=job.meta)


def _drafted(source: Source, settings: Settings, parsed: ParsedDocument) -> Drafted:
    """Everything that follows from a document's pages."""
    from h3cold.ingest.blocks import build_blocks

    count = token_counter(settings.embedder)
    built = build_blocks(parsed, target_tokens=settings.block_tokens, count=count)
    blocks = tuple(rounded_block(b) for b in built)
    drafted = describe_blocks(source.document, clean_info(parsed.info), blocks, graph=settings.graph)
    images = _pictures(source, settings, blocks) if settings.images else ()
    return replace(drafted, page_count=len(parsed.pages), images=images)


def _pictures(source: Source, settings: Settings, blocks: Sequence[Block]) -> tuple[Row, ...]:
    """Rows of `images`; a document of passages only is not opened again."""
    from h3cold.ingest.pictures import picture_rows

    if all(b.kind == "passage" for b in blocks):
        return ()
    with opened(source, settings) as doc:
        return picture_rows(doc, blocks)


def redraft(job: Redrafting) -> Drafted:
    """What follows from a document's pages and blocks, made anew from the store's rows; the file is not opened."""
    from h3cold.ingest.describe import describe

    pages = [row_page(row) for row in job.pages]
    blocks = tuple(row_block(row) for row in job.blocks)
    info = clean_info(describe(job.name, pages, job.meta))
    drafted = describe_blocks(job.document, info, blocks, graph=job.settings.graph)
    return replace(drafted, meta=job.meta, page_count=job.page_count)


def describe_blocks(document: str, info: DocumentInfo, blocks: tuple[Block, ...], *, graph: bool) -> Drafted:
    """Everything about a document that follows from its blocks and facts; pages and pictures are left out."""
    from h3cold.ingest.blocks import indexed_text
    from h3cold.ingest.tokens import lexical

    indexed = tuple(indexed_text(info, b) for b in blocks)
    drafted = Drafted(document, info, {}, (), blocks, indexed, tuple(" ".join(lexical(t)) for t in indexed))
    if not graph:
        return drafted
    from h3cold.kg.extract import extract

    found = extract(blocks, info=info)
    return replace(drafted, mentions=tuple(found.mentions), relations=tuple(found.relations))


@cache
def token_counter(name: str) -> Any:
    """The function that counts the tokens of texts as the embedder `name` does."""
    from h3cold.ingest.embed import open_embedder

    return open_embedder(name).count_tokens
