"""What becomes of files that were made to break readers, read by watched workers as the index builder reads them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from h3cold.ingest.parse_options import ParseOptions
from h3cold.ingest.workers import Failure, Heartbeat, Pool, Result, Task, windows
from h3cold.schemas.page import Page

FOLDERS = ("pdfjs_hostile", "formatcorpus_hostile", "pdfminer", "odl_samples", "pypdf_sample_files", "pdfplumber")


@dataclass(slots=True)
class _File:
    """A file's pages as they come in, and what stopped a worker at one of them (at 0: at the file as a whole);
    `refused` where its reader says why there are none."""

    count: int = 0
    pages: dict[int, Page] = field(default_factory=dict)
    stopped: dict[int, Failure] = field(default_factory=dict)
    refused: bool = False
    seconds: float = 0.0

    def take(
        self, task: Task, failure: Failure | None, *, count: int = 0, pages: tuple[list[Page], float] | None = None
    ) -> None:
        """What came of a task: the number of pages, some of them, or a failure."""
        if failure is not None and failure.kind == "document":
            self.refused = True
        elif failure is not None:
            numbers = [0] if task.whole else range(task.first, task.last + 1)
            self.stopped |= dict.fromkeys(numbers, failure)
        elif pages is not None:
            self.pages |= {page.number: page for page in pages[0]}
            self.seconds += pages[1]
        else:
            self.count = count


def hostile(data: Path) -> dict[str, float]:
    """The files without OCR, whose time grows with the pages and not with their malice; see `measured`."""
    return measured(hostile_files(data), ParseOptions(ocr="off", layout="fast"))


def hostile_ocr(data: Path) -> dict[str, float]:
    """The files with OCR where a page needs it; see `measured`."""
    return measured(hostile_files(data), ParseOptions())


def hostile_files(data: Path) -> list[Path]:
    """The sets' files; those of a set that is not there are left out."""
    return [path for name in FOLDERS for path in sorted((data / name).rglob("*.pdf"))]


def measured(files: list[Path], options: ParseOptions, *, workers: int = 1) -> dict[str, float]:
    """How many of the files parse or are refused with a reason, and what went wrong otherwise.

    `hangs`: files at which a worker had to be stopped for its time; `crashes`: those at which one died, or raised what
    is no error of the product's; `pages_stopped`: pages that these left as failed, with the reason. `silent_losses`:
    pages of the parsed files that have no row at all, not even a failed one. `failed_pages` are reported as unreadable.
    `slowest_seconds` is by the clock, over the windows of a file.
    """
    read = {str(path): _File() for path in files}
    with Pool(act, workers=workers) as pool:
        for task, value, failure in _done(pool, (Task(p, payload=(count_pages, None), whole=True) for p in read)):
            read[task.source].take(task, failure, count=value)
        begun = [(path, file) for path, file in read.items() if file.count]
        tasks = (task for path, file in begun for task in windows(path, file.count, (parse_part, options)))
        for task, value, failure in _done(pool, tasks):
            read[task.source].take(task, failure, pages=value)
        begun = [(path, file) for path, file in begun if file.pages]
        tasks = (Task(path, payload=(settle, list(file.pages.values())), whole=True) for path, file in begun)
        for task, value, failure in _done(pool, tasks):
            read[task.source].take(task, failure, pages=value)
    return _figures(list(read.values()))


def _done(pool: Pool, tasks: Iterable[Task]) -> Iterator[Result]:
    """All tasks' results, those of parted ones part by part."""
    waiting = iter(tasks)
    while True:
        while pool.room and (task := next(waiting, None)) is not None:
            pool.submit(task)
        if not pool.pending:
            return
        yield pool.next()


def _figures(files: list[_File]) -> dict[str, float]:
    out = Counter[str]()
    for file in files:
        kinds = {failure.kind for failure in file.stopped.values()}
        out["refused"] += file.refused
        out["hangs"] += "timeout" in kinds
        out["crashes"] += bool(kinds - {"timeout"})
        out["parsed"] += bool(file.pages) and not file.refused
        out["pages"] += len(file.pages)
        out["ocr_pages"] += sum(p.ocr_engine is not None for p in file.pages.values())
        out["failed_pages"] += sum(p.failure is not None for p in file.pages.values())
        out["pages_stopped"] += sum(number > 0 for number in file.stopped)
        if not file.refused:
            out["silent_losses"] += len(set(range(1, file.count + 1)) - file.pages.keys() - file.stopped.keys())
    keys = ("parsed", "refused", "hangs", "crashes", "silent_losses", "pages", "ocr_pages", "failed_pages",
            "pages_stopped")  # fmt: skip
    slowest = max((file.seconds for file in files), default=0.0)
    return {"files": len(files), **{k: float(out[k]) for k in keys}, "slowest_seconds": slowest}


def act(task: Task, heartbeat: Heartbeat) -> Any:
    """In a worker: what the task's payload says, a function of this module and what it is given.

    Raises:
        DocumentError: the file cannot be opened.
    """
    step, given = task.payload
    heartbeat(task.first)
    return step(task, heartbeat, given)


def count_pages(task: Task, heartbeat: Heartbeat, given: None) -> int:
    """The pages of a file."""
    from h3cold.ingest.opening import open_document

    with open_document(task.source) as doc:
        return doc.page_count


def parse_part(task: Task, heartbeat: Heartbeat, options: ParseOptions) -> tuple[list[Page], float]:
    """A task's pages, and the seconds that they took."""
    from h3cold.ingest.opening import open_document
    from h3cold.ingest.parse import parse_window

    started = time.perf_counter()
    with open_document(task.source) as doc:
        pages = parse_window(doc, task.source, task.first, task.last, options, heartbeat=heartbeat)
    return pages, time.perf_counter() - started


def settle(task: Task, heartbeat: Heartbeat, pages: list[Page]) -> tuple[list[Page], float]:
    """A file's pages after all that needs all of them was done, and the seconds that it took."""
    from h3cold.ingest.opening import open_document
    from h3cold.ingest.parse import finish, outline_of

    started = time.perf_counter()
    with open_document(task.source) as doc:
        meta, outline = dict(doc.metadata or {}), outline_of(doc)
    return list(finish("", task.source, pages, meta, outline).pages), time.perf_counter() - started
