"""Worker processes watched from outside: whatever a page does to its process, the run goes on.

Processes, since PyMuPDF is not thread-safe; one private connection each, since a queue shared with a process that is
killed can stay locked for ever; started as fresh interpreters rather than by `multiprocessing`, whose spawn runs the
caller's script again unless it is guarded by `if __name__ == "__main__"`.

A task is a range of pages of one file. The work says which page it begins (`heartbeat(page)`): a page that takes
longer than it may, or more memory, is stopped. What is left of the task is parted around that page and tried again,
so that in the end exactly the guilty pages have failed.
"""

from __future__ import annotations

import os
import pickle
import queue
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from h3cold.ingest.supervisor import Event, Supervisor
from h3cold.ingest.worker_tasks import WINDOW, Failure, Heartbeat, Parted, Result, Task, windows
from h3cold.schemas.errors import UsageError

__all__ = ["WINDOW", "Failure", "Heartbeat", "Pool", "Result", "Task", "Work", "run", "windows"]

Work = Callable[[Any, Heartbeat], Any]
"""`work(task, heartbeat)` gives the task's result. It must be importable by name, and say `heartbeat(page)` before
each page (1-based), or with any number in between where a page is not what takes the time."""


def run(
    tasks: Iterable[Task],
    work: Work,
    *,
    workers: int = 0,
    page_seconds: float = 120.0,
    memory_mb: int = 4096,
    progress: Callable[[Task, int], None] | None = None,
) -> Iterator[Result]:
    """Do all tasks and give the results as they come, those of parted tasks part by part.

    `tasks` is read no further ahead than the workers need. For the arguments and errors see `Pool`.
    """
    waiting = iter(tasks)
    with Pool(work, workers=workers, page_seconds=page_seconds, memory_mb=memory_mb, progress=progress) as pool:
        more = True
        while more or pool.pending:
            while more and pool.room:
                task = next(waiting, None)
                if task is None:
                    more = False
                else:
                    pool.submit(task)
            if pool.pending:
                yield pool.next()


class Pool:
    """Workers for tasks that become known one by one; use it in a `with` statement, from one thread.

    Args:
        work: see `Work`.
        workers: processes; 0 = one a core that this process may use. They start when there are tasks for them.
        page_seconds: longest time between two heartbeats.
        memory_mb: most resident memory of a worker and the processes it starts.
        progress: called with a task and a page when work begins on it, from a thread of the pool's own.
        timed: called with a task, a page and the seconds that it took, from the same thread.

    On leaving, also by an exception or Ctrl-C, all workers are ended and what is under way is dropped.

    Raises:
        UsageError: `work` is not importable by name, as a lambda is not.
    """

    def __init__(
        self,
        work: Work,
        *,
        workers: int = 0,
        page_seconds: float = 120.0,
        memory_mb: int = 4096,
        progress: Callable[[Task, int], None] | None = None,
        timed: Callable[[Task, int, float], None] | None = None,
    ) -> None:
        try:
            pickle.dumps(work)
        except (pickle.PicklingError, AttributeError, TypeError) as e:
            raise UsageError(f"{work!r} cannot be sent to workers, it must be importable by name: {e}") from e
        self.size = workers or cores()
        self.pending = 0
        self._folder = Path(tempfile.mkdtemp(prefix="h3-workers-"))
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._ready: deque[Result] = deque()
        self._supervisor = Supervisor(
            work, self._folder, self._events,
            size=self.size, page_seconds=page_seconds, memory_mb=memory_mb, progress=progress, timed=timed,
        )  # fmt: skip

    def __enter__(self) -> Pool:
        self._supervisor.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._supervisor.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def room(self) -> bool:
        """Whether another task would keep a worker busy; beyond that, tasks and results only pile up in memory."""
        return self.pending < 2 * self.size

    def submit(self, task: Task) -> None:
        """Have `task` done; it adds one to `pending`."""
        self.pending += 1
        self._supervisor.add(task)

    def next(self) -> Result:
        """Wait for the next result, of a task or a part of one.

        Raises:
            H3Error: worker processes do not start.
            ValueError: nothing is pending.
        """
        while not self._ready:
            if not self.pending:
                raise ValueError("no task is pending")
            event = self._events.get()
            if isinstance(event, BaseException):
                raise event
            if isinstance(event, Parted):
                self.pending += len(event.failed) + len(event.again) - 1
                self._ready.extend(event.failed)
            else:
                self._ready.append(event)
        self.pending -= 1
        return self._ready.popleft()


def cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
