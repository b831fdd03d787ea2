"""Documents through the workers: windows of pages first, then the document as a whole."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from h3cold.ingest.ledger import Ledger
from h3cold.ingest.lost_pages import is_lost, limits_of, reason_of
from h3cold.ingest.pages_read import LASTING, PagesRead
from h3cold.ingest.plan import Plan
from h3cold.ingest.progress import Progress, where
from h3cold.ingest.stages import (
    Drafted,
    Drafting,
    Reading,
    Reblocking,
    Redrafting,
    Settings,
    Source,
    settings_from,
    work,
)
from h3cold.ingest.store.reader import quoted
from h3cold.ingest.store.rows import BLOCK_COLUMNS
from h3cold.ingest.store.tables import BY_DOCUMENT
from h3cold.ingest.store.writer import StoreWriter
from h3cold.ingest.workers import WINDOW, Pool, Result, Task
from h3cold.schemas.config import Config

REDRAFTED = ("documents", "blocks", "tokens", "mentions", "relations")
REBLOCKED = (*REDRAFTED, "images")
"""Tables whose rows are made anew from a document's blocks, and from its pages."""

DESCRIBED_PAGES = 5
"""First pages that the facts about a document are read off."""


class Done(NamedTuple):
    """A document's rows, but for the vectors, for `only` these tables."""

    drafted: Drafted
    only: Collection[str]


class Failed(NamedTuple):
    """A document that could not be read.

    `lasting` where its file or a limit of the settings is why, so that it would fail the same way again; `limit` where
    it is a limit, which it may keep to on a quieter machine.
    """

    document: str
    reason: str
    page: int | None
    lasting: bool = True
    limit: bool = False


class _Documents:
    """Which tasks there are to do next, and what their results mean."""

    def __init__(
        self, plan: Plan, root: Path, writer: StoreWriter, config: Config, ledger: Ledger, show: Progress
    ) -> None:
        self._plan, self._root, self._writer, self._show = plan, root, writer, show
        self._settings, self._limits = settings_from(config), limits_of(config)
        self._ledger = ledger
        self._waiting = iter(plan.tasks.items())
        self._follow: deque[Task] = deque()
        self._reading: dict[str, PagesRead] = {}

    def next(self) -> Task | None:
        """Documents that were begun come first, so that few are in memory at a time; None when nothing is left."""
        if self._follow:
            return self._follow.popleft()
        document, task = next(self._waiting, (None, None))
        if document is None:
            return None
        file = self._plan.documents[document][0]
        if task == "refresh":
            payload = stored(self._writer, document, file.source, self._settings)
            self._show.opened(file.source, payload.page_count, file.size)
            self._show.pages(file.source, payload.page_count)
            return Task(file.source, payload=payload, whole=True, seconds=_patience(payload.page_count))
        path = os.path.join(os.fsencode(self._root), file.path)  # noqa: PTH118  (bytes)
        source = Source(document, os.fsdecode(path), file.source, file.size, self._ledger.ocr_of(document))
        if task == "blocks":
            again = reblocking(self._writer, source, self._settings)
            self._show.opened(source.name, len(again.payload.pages), source.size)
            self._show.pages(source.name, len(again.payload.pages))
            return again
        return self._begin(source)

    def _begin(self, source: Source) -> Task:
        """The first task of a document, of whose pages some may be on record."""
        reads = self._plan.reads.get(source.document, 0)
        state = self._reading[source.document] = PagesRead(source, self._limits, reads=reads)
        for window in self._ledger.windows(source.document):
            if isinstance(window, int):
                why = "what is on record of it is damaged, or another version's"
                self._show.note(f"{where(source.name, window)} and those after it: {why}; read again")
                continue
            state.take(window)
            self._show.opened(source.name, window.count, source.size)
            self._show.pages(source.name, len(window.pages))
        if state.complete() is None:
            self._follow.extendleft(reversed([self._read(source, *part) for part in state.missing()]))
        else:
            self._draft(state)
        return self._follow.popleft()

    def _read(self, source: Source, first: int, last: int) -> Task:
        return Task(source.name, first, last, Reading(source, self._settings))

    def _draft(self, state: PagesRead) -> None:
        source, pages, window = state.source, state.complete(), state.window
        if pages is None or window is None:
            return
        del self._reading[source.document]
        if window.count <= WINDOW and any(map(is_lost, pages)):
            # its other pages need not be read again when the lost ones are
            kept = replace(window, pages=tuple(p for p in pages if p.failure is None))
            self._ledger.save_window(source.document, 1, kept)
        payload = Drafting(source, self._settings, pages, window)
        self._follow.appendleft(Task(source.name, payload=payload, whole=True, seconds=_patience(len(pages))))

    def take(self, result: Result) -> Iterator[Done | Failed]:
        """Turn a worker's result into a document's, or into more tasks."""
        job = result.task.payload
        if isinstance(job, Reading):
            yield from self._take_pages(job.source, result)
        elif result.failure is not None:
            document = job.document if isinstance(job, Redrafting) else job.source.document
            failure = result.failure
            lost = isinstance(job, Drafting) and all(map(is_lost, job.pages))
            yield Failed(document, failure.reason, failure.page, failure.kind in LASTING, lost)
        else:
            yield Done(result.value, _tables(job))

    def _take_pages(self, source: Source, result: Result) -> Iterator[Failed]:
        state = self._reading.get(source.document)
        if state is None:  # given up already
            return
        task, failure = result.task, result.failure
        if failure is None:
            known = state.window is not None
            kept = state.take(result.value)
            ocr = [p.number for p in result.value.pages if p.ocr_engine is not None]
            self._show.opened(source.name, result.value.count, source.size)
            self._show.pages(source.name, len(result.value.pages), ocr)
            if result.value.count > WINDOW:
                self._ledger.save_window(source.document, task.first, kept)
            if not known:  # only now it is known how many there are
                rest = range(WINDOW + 1, result.value.count + 1, WINDOW)
                self._follow.extend(self._read(source, n, min(result.value.count, n + WINDOW - 1)) for n in rest)
        elif failure.kind == "document":
            del self._reading[source.document]
            yield Failed(source.document, failure.reason, failure.page)
            return
        elif (settings := state.again(task.first, failure, self._settings)) is not None:
            self._follow.appendleft(replace(task, payload=Reading(source, settings), tries=0))
            self._show.failed(source.name, task.first, f"{failure.reason}; read again without OCR")
            return
        else:
            state.lose(task.first, task.last, failure)
            self._show.failed(source.name, task.first, failure.reason)
        self._draft(state)

    def unfinished(self) -> Iterator[Failed]:
        """Documents that no task is left for: those of which not one page could be read."""
        for document, state in self._reading.items():
            reason = reason_of(state.pages[1]) if 1 in state.pages else ""
            yield Failed(document, reason or "no page can be read", 1, state.lasting, state.lasting)


def run_documents(
    plan: Plan, root: Path, writer: StoreWriter, ledger: Ledger, config: Config, show: Progress
) -> Iterator[Done | Failed]:
    """Do the plan's tasks in worker processes and give the results as they come; a failure is one of them."""
    documents = _Documents(plan, root, writer, config, ledger, show)
    ingest = config.ingest
    with Pool(
        work,
        workers=ingest.workers,
        page_seconds=ingest.page_seconds,
        memory_mb=ingest.memory_mb,
        progress=lambda task, page: show.working(task.source, _place(task, page)),
        timed=lambda task, page, seconds: _timed(show, task, page, seconds),
    ) as pool:
        while True:
            while pool.room and (task := documents.next()) is not None:
                pool.submit(task)
            if not pool.pending:
                break
            yield from documents.take(pool.next())
    yield from documents.unfinished()


def _tables(job: Drafting | Reblocking | Redrafting) -> Collection[str]:
    """Tables that a job's result has rows for."""
    if isinstance(job, Drafting):
        return tuple(BY_DOCUMENT)
    return REDRAFTED if isinstance(job, Redrafting) else REBLOCKED


def _timed(show: Progress, task: Task, page: int, seconds: float) -> None:
    """A worker has done a page, or what is done to a document as a whole."""
    if isinstance(task.payload, Reading):
        show.timed(task.source, page, seconds)
    else:
        show.spent("blocks", seconds)


def _place(task: Task, page: int) -> str:
    """Where in its file a worker is, for people."""
    return f"page {page}" if isinstance(task.payload, Reading) else "blocks and names"


def _patience(pages: int) -> float:
    """Seconds that the stages after parsing may take for a document of so many pages."""
    return 120.0 + 5.0 * pages


def reblocking(writer: StoreWriter, source: Source, settings: Settings) -> Task:
    """To make all of a document but its pages from the pages that the store has.

    Raises:
        StoreError: they cannot be read.
    """
    which = f"document = {quoted(source.document)}"
    pages = sorted(writer.table("pages").to_table(filter=which).to_pylist(), key=lambda r: r["page"])
    about = writer.table("documents").to_table(columns=["meta"], filter=f"id = {quoted(source.document)}").to_pylist()
    payload = Reblocking(source, settings, tuple(pages), json.loads(about[0]["meta"]))
    return Task(source.name, payload=payload, whole=True, seconds=_patience(len(pages)))


def stored(writer: StoreWriter, document: str, name: str, settings: Settings) -> Redrafting:
    """What the store has of a document that now stands first under `name`.

    Raises:
        StoreError: it cannot be read.
    """
    which = f"document = {quoted(document)}"
    blocks = writer.table("blocks").to_table(filter=which, columns=BLOCK_COLUMNS).to_pylist()
    pages = writer.table("pages").to_table(filter=f"{which} AND page <= {DESCRIBED_PAGES}").to_pylist()
    about = writer.table("documents").to_table(filter=f"id = {quoted(document)}").to_pylist()[0]
    return Redrafting(
        document=document,
        name=name,
        settings=settings,
        blocks=tuple(sorted(blocks, key=lambda r: r["position"])),
        pages=tuple(sorted(pages, key=lambda r: r["page"])),
        meta=json.loads(about["meta"]),
        page_count=about["pages"],
    )
