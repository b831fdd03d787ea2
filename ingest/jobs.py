"""Documents through the workers: windows of pages first, then the document as a whole."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from h3cold.ingest.plan import Plan
from h3cold.ingest.progress import Progress
from h3cold.ingest.stages import Drafted, Drafting, Reading, Redrafting, Settings, Source, Window, work
from h3cold.ingest.store.reader import quoted
from h3cold.ingest.store.rows import BLOCK_COLUMNS
from h3cold.ingest.store.tables import BY_DOCUMENT
from h3cold.ingest.store.writer import StoreWriter
from h3cold.ingest.workers import WINDOW, Pool, Result, Task
from h3cold.schemas.config import Config
from h3cold.schemas.page import Page

REDRAFTED = ("documents", "blocks", "mentions", "relations")
"""Tables whose rows a refresh makes anew."""

DESCRIBED_PAGES = 5
"""First pages that the facts about a document are read off."""


class Done(NamedTuple):
    """A document's rows, but for the vectors, for `only` these tables."""

    drafted: Drafted
    only: Collection[str]


class Failed(NamedTuple):
    """A document that could not be read."""

    document: str
    reason: str
    page: int | None


class _Pages:
    """A document's pages as its windows come in, in parts where some of them failed."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.window: Window | None = None
        self.pages: dict[int, Page] = {}

    def take(self, window: Window) -> None:
        """Add what was read."""
        self.window = self.window or window
        self.pages.update({p.number: p for p in window.pages})

    def lose(self, first: int, last: int, reason: str) -> None:
        """Pages that could not be read."""
        self.pages.update({n: failed_page(n, reason) for n in range(first, last + 1)})

    def complete(self) -> tuple[Page, ...] | None:
        """All pages in order; None while some are missing."""
        if self.window is None or any(n not in self.pages for n in range(1, self.window.count + 1)):
            return None
        return tuple(self.pages[n] for n in range(1, self.window.count + 1))


class _Documents:
    """Which tasks there are to do next, and what their results mean."""

    def __init__(self, plan: Plan, root: Path, writer: StoreWriter, settings: Settings, show: Progress) -> None:
        self._plan, self._root, self._writer, self._settings, self._show = plan, root, writer, settings, show
        self._waiting = iter(plan.tasks.items())
        self._follow: deque[Task] = deque()
        self._reading: dict[str, _Pages] = {}

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
            return Task(file.source, payload=payload, whole=True, seconds=_patience(payload.page_count))
        path = os.path.join(os.fsencode(self._root), file.path)  # noqa: PTH118  (bytes)
        source = Source(document, os.fsdecode(path), file.source, file.size)
        self._reading[document] = _Pages(source)
        return Task(file.source, 1, WINDOW, Reading(source, self._settings))

    def take(self, result: Result) -> Iterator[Done | Failed]:
        """Turn a worker's result into a document's, or into more tasks."""
        job = result.task.payload
        if isinstance(job, Reading):
            yield from self._take_pages(job.source, result)
        elif result.failure is not None:
            document = job.document if isinstance(job, Redrafting) else job.source.document
            yield Failed(document, result.failure.reason, result.failure.page)
        else:
            yield Done(result.value, REDRAFTED if isinstance(job, Redrafting) else tuple(BY_DOCUMENT))

    def _take_pages(self, source: Source, result: Result) -> Iterator[Failed]:
        state = self._reading.get(source.document)
        if state is None:  # given up already
            return
        task, failure = result.task, result.failure
        if failure is None:
            known = state.window is not None
            state.take(result.value)
            self._show.pages(source.name, len(result.value.pages))
            if not known:
                rest = range(WINDOW + 1, result.value.count + 1, WINDOW)
                self._follow.extend(replace(task, first=n, last=min(result.value.count, n + WINDOW - 1)) for n in rest)
        elif failure.kind == "document":
            del self._reading[source.document]
            yield Failed(source.document, failure.reason, failure.page)
            return
        else:
            state.lose(task.first, task.last, failure.reason)
            self._show.failed(source.name, task.first, failure.reason)
        pages = state.complete()
        if pages is not None and state.window is not None:
            del self._reading[source.document]
            payload = Drafting(source, self._settings, pages, state.window)
            self._follow.appendleft(Task(source.name, payload=payload, whole=True, seconds=_patience(len(pages))))

    def unfinished(self) -> Iterator[Failed]:
        """Documents that no task is left for: those of which not one page could be read."""
        for document, state in self._reading.items():
            reason = state.pages[1].failure if 1 in state.pages else "no page can be read"
            yield Failed(document, reason or "no page can be read", 1)


def run_documents(
    plan: Plan, root: Path, writer: StoreWriter, settings: Settings, config: Config, show: Progress
) -> Iterator[Done | Failed]:
    """Do the plan's tasks in worker processes and give the results as they come; a failure is one of them."""
    documents = _Documents(plan, root, writer, settings, show)
    ingest = config.ingest
    with Pool(
        work,
        workers=ingest.workers,
        page_seconds=ingest.page_seconds,
        memory_mb=ingest.memory_mb,
        progress=lambda task, page: show.working(task.source, _place(task, page)),
    ) as pool:
        while True:
            while pool.room and (task := documents.next()) is not None:
                pool.submit(task)
            if not pool.pending:
                break
            yield from documents.take(pool.next())
    yield from documents.unfinished()


def failed_page(number: int, reason: str) -> Page:
    """The row of a page at which its worker process was lost."""
    return Page(number, 0.0, 0.0, 0, "text", "failed", (), reasons=("page failed",), failure=reason)


def _place(task: Task, page: int) -> str:
    """Where in its file a worker is, for people."""
    return f"page {page}" if isinstance(task.payload, Reading) else "blocks and names"


def _patience(pages: int) -> float:
    """Seconds that the stages after parsing may take for a document of so many pages."""
    return 120.0 + 5.0 * pages


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
