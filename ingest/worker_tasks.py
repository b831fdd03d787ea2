"""What workers are given and give back, and how a task that failed is parted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Protocol

WINDOW = 48
"""Pages in a task: few enough to bound memory and what is lost with a page, many enough to see what repeats."""

OCR = "ocr"
"""What a worker says it is doing while it recognises the characters of a page."""


class Heartbeat(Protocol):
    """Says which page (1-based) is begun; with `doing`, what is done on it now, which is no new page."""

    def __call__(self, page: int, doing: str = "", /) -> None: ...


FailureKind = Literal["document", "error", "crash", "timeout", "memory"]


@dataclass(frozen=True, slots=True)
class Task:
    """Pages `first` to `last` (1-based, both included) of `source`.

    `payload` is what else the work needs; it and the result must pickle. `whole` forbids to part the task: it fails
    as one. `seconds` replaces the time limit between heartbeats. `tries` counts deaths of processes at it.
    """

    source: str
    first: int = 1
    last: int = 1
    payload: Any = None
    whole: bool = False
    seconds: float | None = None
    tries: int = 0


class Failure(NamedTuple):
    """Why a task has no result.

    `kind` is "document" for a `DocumentError` (the file itself is at fault), "error" for any other exception, "crash"
    for a process that died, "timeout" and "memory" for one that was stopped. `page` is 1-based, None where the file
    is at fault or nobody knows which page is. `reason` says what to do where there is anything to do. `doing` is what
    a process that was lost said last about its page.
    """

    kind: FailureKind
    reason: str
    page: int | None
    doing: str = ""


class Result(NamedTuple):
    """What came of a task, or of a part of one: `value` where `failure` is None."""

    task: Task
    value: Any
    failure: Failure | None


class Parted(NamedTuple):
    """A failed task: `failed` is final, `again` is tried once more. Together they cover the task's pages."""

    failed: tuple[Result, ...]
    again: tuple[Task, ...]


def windows(source: str, pages: int, payload: Any = None, *, size: int = WINDOW) -> Iterator[Task]:
    """The tasks that cover a file of so many pages."""
    for first in range(1, pages + 1, size):
        yield Task(source, first, min(pages, first + size - 1), payload)


def part(task: Task, failure: Failure) -> Parted:
    """What has failed for good, and what to try again, when `task` met `failure`.

    A page that took too long or raised has failed; one at which the process died, or memory ran out, gets a process
    of its own once, since pages before it may have had a share in that. Where no page is known the task is halved.
    """
    retried = failure.kind in ("crash", "memory")
    if task.whole or task.first == task.last:
        page = failure.page if task.whole or failure.kind == "document" else task.first
        if retried and not task.tries:
            return Parted((), (replace(task, tries=1),))
        return Parted((Result(task, None, failure._replace(page=page)),), ())
    guilty = failure.page
    if failure.kind == "document" or (guilty is None and failure.kind == "error"):
        return Parted((Result(task, None, failure),), ())
    if guilty is None or not task.first <= guilty <= task.last:
        middle = (task.first + task.last) // 2
        return Parted((), (replace(task, last=middle), replace(task, first=middle + 1)))
    alone = replace(task, first=guilty, last=guilty, tries=1)
    rest = [replace(task, last=guilty - 1), replace(task, first=guilty + 1)]
    again = [t for t in rest if t.first <= t.last]
    if retried:
        return Parted((), (alone, *again))
    return Parted((Result(alone, None, failure),), tuple(again))
