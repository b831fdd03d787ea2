"""One PDF read by watched worker processes: whatever it does to them, its reader goes on and can say what happened.

The file is opened, its pages are read and drawn, and the document is put together in workers only (see `workers`); a
page that crashes, hangs or takes too much memory becomes a failed page with the reason.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from h3cold.ingest.lost_pages import lost_page, read_without_ocr, without_ocr
from h3cold.ingest.worker_tasks import Failure, Task, windows
from h3cold.ingest.workers import Heartbeat, Pool
from h3cold.schemas.document import ParsedDocument
from h3cold.schemas.errors import DocumentError, EncryptedError, UsageError
from h3cold.schemas.page import Page

if TYPE_CHECKING:
    import pymupdf

    from h3cold.ingest.parse_options import ParseOptions

CONTEXT = 8
"""Pages before and after those asked for that are read for what they tell about them."""

PICTURES = 8
"""Pages that are drawn at a time."""

_LIMITS = {"ingest.page_seconds": "--page-seconds", "ingest.memory_mb": "--memory-mb"}


@dataclass(frozen=True, slots=True)
class Looking:
    """To open the file; `first` to `last` (None: to the end) are the pages asked for."""

    options: ParseOptions
    first: int
    last: int | None


@dataclass(frozen=True, slots=True)
class Looked:
    """The file's id, and what it says as a whole; `begin` to `end` are the pages asked for with those around them."""

    document: str
    count: int
    begin: int
    end: int
    meta: dict[str, str | None]
    outline: tuple[tuple[int, str, int], ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """To parse a task's pages; `name` is how messages call the file."""

    name: str
    options: ParseOptions


@dataclass(frozen=True, slots=True)
class Finishing:
    """To make a document of its pages."""

    name: str
    pages: tuple[Page, ...]
    looked: Looked


@dataclass(frozen=True, slots=True)
class Drawing:
    """To make pictures of a task's pages."""

    passwords: tuple[str, ...]


class WatchedFile:
    """A PDF in the hands of workers; use it in a `with` statement.

    Args:
        path: the file, which workers open by this path.
        name: how messages call it.
        page_seconds, memory_mb: limits of a worker, see `workers.Pool`.
    """

    def __init__(
        self,
        path: str | Path,
        name: str,
        options: ParseOptions,
        *,
        page_seconds: float,
        memory_mb: int,
    ) -> None:
        self._path, self._name, self._options = os.path.abspath(path), name, options  # noqa: PTH100
        self._pictures: dict[int, bytes] = {}
        self._progress: Callable[[int], None] | None = None

        def told(task: Task, page: int) -> None:
            if self._progress is not None and isinstance(task.payload, Reading):
                self._progress(page)

        self._pool = Pool(work, page_seconds=page_seconds, memory_mb=memory_mb, progress=told)

    def __enter__(self) -> WatchedFile:
        self._pool.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.__exit__(kind, error, trace)

    def parse(
        self,
        first: int = 1,
        last: int | None = None,
        *,
        progress: Callable[[int], None] | None = None,
    ) -> ParsedDocument:
        """Parse pages `first` to `last` (1-based, both included; None: to the end).

        Args:
            progress: called with each page when work on it begins, from a thread of its own.

        Raises:
            DocumentError: the file cannot be opened, or the document not be put together.
            EncryptedError: none of the passwords opens it.
            UsageError: it has no such pages.
        """
        (looking,) = self._done([Task(self._path, payload=Looking(self._options, first, last), whole=True)])
        looked = self._value(looking, "it cannot be opened")
        if looked is None:
            from h3cold.ingest.opening import encrypted

            raise EncryptedError(self._name, encrypted(self._options.passwords, "--password"))
        if first > looked.count:
            raise UsageError(f"--pages: {self._name} has {looked.count} pages")
        self._progress = progress
        pages = self._read(looked)
        self._progress = None
        job = Finishing(self._name, pages, looked)
        (finishing,) = self._done([Task(self._path, payload=job, whole=True)])
        parsed: ParsedDocument = self._value(finishing, "its pages do not become a document")
        wanted = range(first, min(last or looked.count, looked.count) + 1)
        return replace(parsed, pages=tuple(p for p in parsed.pages if p.number in wanted))

    def picture(self, number: int, last: int) -> bytes | None:
        """JPEG of a page, drawn with those after it up to `last`; None where it cannot be drawn."""
        if number not in self._pictures:
            until = min(last, number + PICTURES - 1)
            self._pictures = {}
            task = Task(self._path, number, until, Drawing(self._options.passwords))
            for _, value, failure in self._done([task]):
                if failure is None:
                    self._pictures |= value
        return self._pictures.get(number)

    def _read(self, looked: Looked) -> tuple[Page, ...]:
        first, last = looked.begin, looked.end
        parts = windows(self._path, last - first + 1, Reading(self._name, self._options))
        tasks = [replace(t, first=t.first + first - 1, last=t.last + first - 1) for t in parts]
        pages: dict[int, Page] = {}
        stopped: dict[int, Failure] = {}
        again: list[Task] = []
        for task, value, failure in self._done(tasks):
            if failure is None:
                pages |= {page.number: page for page in value}
                continue
            failure = failure._replace(reason=_in_our_words(failure.reason))
            pages |= {n: lost_page(n, failure.reason) for n in range(task.first, task.last + 1)}
            options = without_ocr(self._options, failure)
            if options is not None:
                stopped[task.first] = failure
                again.append(replace(task, payload=Reading(self._name, options), tries=0))
        for _, value, failure in self._done(again):
            if failure is None:
                pages |= {page.number: read_without_ocr(page, stopped[page.number]) for page in value}
        return tuple(pages[n] for n in sorted(pages))

    def _done(self, tasks: Sequence[Task]) -> list[tuple[Task, Any, Failure | None]]:
        """All tasks' results, those of parted ones part by part."""
        for task in tasks:
            self._pool.submit(task)
        out = []
        while self._pool.pending:
            out.append(tuple(self._pool.next()))
        return out  # type: ignore[return-value]

    def _value(self, result: tuple[Task, Any, Failure | None], otherwise: str) -> Any:
        _, value, failure = result
        if failure is not None:
            reason = _in_our_words(failure.reason)
            raise DocumentError(self._name, reason if failure.kind == "document" else f"{otherwise}: {reason}")
        return value


def work(task: Task, heartbeat: Heartbeat) -> Any:
    """What a worker does with a task, by the type of its payload.

    Raises:
        DocumentError: the file cannot be read.
    """
    from h3cold.ingest.opening import document_id, open_document, read_file
    from h3cold.ingest.parse import finish, parse_window
    from h3cold.ingest.render_html import page_picture

    job = task.payload
    heartbeat(task.first)
    if isinstance(job, Finishing):
        looked = job.looked
        return finish(looked.document, job.name, job.pages, looked.meta, looked.outline)
    if isinstance(job, Looking):
        data = read_file(task.source)
        try:
            with open_document(task.source, passwords=job.options.passwords, data=data) as doc:
                return _look(doc, document_id(data), job)
        except EncryptedError:
            return None
    if isinstance(job, Drawing):
        out: dict[int, bytes] = {}
        with open_document(task.source, passwords=job.passwords) as doc:
            for number in range(task.first, task.last + 1):
                heartbeat(number)
                out[number] = page_picture(doc, number)
        return out
    reading: Reading = job
    with open_document(task.source, passwords=reading.options.passwords) as doc:
        return parse_window(doc, reading.name, task.first, task.last, reading.options, heartbeat=heartbeat)


def _look(doc: pymupdf.Document, document: str, job: Looking) -> Looked:
    from h3cold.ingest.parse import outline_of

    count = doc.page_count
    first, last = job.first, min(job.last or count, count)
    before = after = 0
    if job.options.ocr != "force" and first <= last:
        before, after = _texts(doc, first, -1), _texts(doc, last, 1)
    meta = dict(doc.metadata or {})
    return Looked(document, count, first - before, last + after, meta, tuple(outline_of(doc)))


def _texts(doc: pymupdf.Document, page: int, step: int) -> int:
    """How many pages next to `page` are read as well: what repeats on them tells running lines from the text.

    Pages without text do not count: to recognise their characters would take longer than it helps.
    """
    from h3cold.ingest.page_tree import MUPDF_ERRORS

    count = 0
    while count < CONTEXT and 1 <= (number := page + step * (count + 1)) <= doc.page_count:
        try:
            if not doc[number - 1].get_text().strip():
                break
        except MUPDF_ERRORS:
            break
        count += 1
    return count


def _in_our_words(reason: str) -> str:
    for ours, option in _LIMITS.items():
        reason = reason.replace(ours, option)
    return reason
