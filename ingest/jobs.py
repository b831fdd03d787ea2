"""Documents through the workers: windows of pages first, then the document as a whole."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from h3cold.ingest.plan import Plan
from h3cold.ingest.progress import Progress
from h3cold.ingest.stages import Drafted, Settings, Source, Stored, Window, draft, read_window, redraft
from h3cold.ingest.store.reader import quoted
from h3cold.ingest.store.rows import BLOCK_COLUMNS
from h3cold.ingest.store.tables import BY_DOCUMENT
from h3cold.ingest.store.writer import StoreWriter
from h3cold.schemas.config import Config
from h3cold.schemas.errors import DocumentError
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


class Job(NamedTuple):
    """A call for a worker; `pages` is how many it reads, for its time limit, `first` the first of them."""

    document: str
    call: Callable[..., Any]
    arguments: tuple[Any, ...]
    first: int
    pages: int


class _Reading:
    """A long document whose windows come in one by one."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.pages: dict[int, Page] = {}

    def take(self, window: Window) -> bool:
        """Add a window; True when it was the last that was missing."""
        self.pages.update({p.number: p for p in window.pages})
        return len(self.pages) >= self.count


def run_documents(
    plan: Plan, root: Path, writer: StoreWriter, settings: Settings, config: Config, show: Progress
) -> Iterator[Done | Failed]:
    """Do the plan's tasks in worker processes and give the results as they come; a failure is one of them."""
    waiting = iter(plan.tasks.items())
    follow: deque[Job] = deque()
    reading: dict[str, _Reading] = {}
    sources: dict[str, Source] = {}

    def next_job() -> Job | None:
        """Pages of documents begun come first, so that few are in memory at a time."""
        if follow:
            return follow.popleft()
        document, task = next(waiting, (None, None))
        if document is None:
            return None
        file = plan.documents[document][0]
        path = os.path.join(os.fsencode(root), file.path)  # noqa: PTH118  (bytes)
        source = sources[document] = Source(document, os.fsdecode(path), file.source, file.size)
        if task == "refresh":
            return Job(document, redraft, (document, settings, file.source, stored(writer, document)), 1, 1)
        return Job(document, read_window, (source, settings, 1), 1, 1)

    job = next_job()
    while job is not None:
        try:
            result = job.call(*job.arguments)
        except DocumentError as e:
            yield Failed(job.document, e.reason, e.page)
            result = None
        if isinstance(result, Drafted):
            yield Done(result, REDRAFTED if job.call is redraft else tuple(BY_DOCUMENT))
        elif isinstance(result, Window):
            source = sources[job.document]
            show.pages(source.name, len(result.pages))
            if job.document not in reading:
                reading[job.document] = _Reading(result.count)
                for first in range(len(result.pages) + 1, result.count + 1, len(result.pages)):
                    last = min(result.count, first + len(result.pages) - 1)
                    arguments = (source, settings, first, last)
                    follow.append(Job(job.document, read_window, arguments, first, last - first + 1))
            if reading[job.document].take(result):
                pages = tuple(p for _, p in sorted(reading.pop(job.document).pages.items()))
                follow.appendleft(Job(job.document, draft, (source, settings, pages, result), 1, len(pages)))
        job = next_job()


def stored(writer: StoreWriter, document: str) -> Stored:
    """What the store has of a document.

    Raises:
        StoreError: it cannot be read.
    """
    which = f"document = {quoted(document)}"
    blocks = writer.table("blocks").to_table(filter=which, columns=BLOCK_COLUMNS).to_pylist()
    pages = writer.table("pages").to_table(filter=f"{which} AND page <= {DESCRIBED_PAGES}").to_pylist()
    about = writer.table("documents").to_table(filter=f"id = {quoted(document)}").to_pylist()[0]
    return Stored(
        blocks=tuple(sorted(blocks, key=lambda r: r["position"])),
        pages=tuple(sorted(pages, key=lambda r: r["page"])),
        meta=json.loads(about["meta"]),
        page_count=about["pages"],
    )
