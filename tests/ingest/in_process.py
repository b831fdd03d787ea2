"""Worker tasks done in the test's own process: the same work without the seconds that a fresh process takes to start.

What worker processes add (they are watched, they may die) is tested with the real pool.
"""

from collections import deque
from pathlib import Path
from typing import ClassVar

from h3cold.ingest import worker_process
from h3cold.ingest.stages import Reading
from h3cold.ingest.workers import Result


class InProcess:
    """Stands in for `workers.Pool`; `parsed` collects the names of the files that were parsed."""

    parsed: ClassVar[set[str]] = set()

    def __init__(self, work, **options):
        self.work, self.tasks = work, deque()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    @property
    def pending(self):
        return len(self.tasks)

    @property
    def room(self):
        return len(self.tasks) < 2

    def submit(self, task):
        if isinstance(task.payload, Reading):
            self.parsed.add(Path(task.payload.source.path).name)
        self.tasks.append(task)

    def next(self):
        task = self.tasks.popleft()
        done = worker_process._work(self.work, task, lambda page, doing="", /: None)
        return Result(task, done.value, done.failure)
