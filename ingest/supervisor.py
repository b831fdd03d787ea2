"""The thread that starts workers, hands them tasks and watches them; see `workers`."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import psutil

from h3cold.ingest.worker_process import LOW_THREADS, Beat, Done, Ready, receive, send
from h3cold.ingest.worker_tasks import Failure, Parted, Result, Task, part
from h3cold.schemas.errors import H3Error

LOOK_SECONDS = 0.25
"""How often time and memory of busy workers are looked at; idle ones cost nothing."""
FIRST_SECONDS = 60.0
"""Least time that a task has until its first heartbeat: loading libraries is not its first page's fault."""
PATIENCE = 4.0
"""Times its limit that a page may take by the clock while it gets less of the processors, on a busy machine."""
IDLE = 0.05
"""Processor time over time by the clock below which a page that is over its limit hangs."""
GROWN = 0.25
"""A worker that has grown by this share of its memory limit since its first task is replaced after its task."""
STARTS = 3
"""Workers in a row that end before they are ready, after which there is no point in starting more."""

_FRAME = re.compile(r'File "([^"]+)", line (\d+) in (\S+)')

Event = Result | Parted | BaseException


class Worker:
    """One process, its connection and what it is doing."""

    def __init__(self, work: Any, folder: Path, number: int) -> None:
        ours, theirs = socket.socketpair()
        self._log = folder / f"log-{number}"
        environment = os.environ | LOW_THREADS | {"TMPDIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)}
        module = "h3cold.ingest.worker_process"
        command = [sys.executable, "-P", "-m", module, str(theirs.fileno()), str(folder), str(os.getpid())]
        with theirs, self._log.open("ab") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment,
                pass_fds=[theirs.fileno()], start_new_session=True,
            )  # fmt: skip
        self.connection = Connection(ours.detach())
        self.ready = False
        self.task: Task | None = None
        self.page: int | None = None
        self.doing = ""
        self.since = 0.0
        self._folder = folder
        self._grown_from: int | None = None
        self._spent_from = (0.0, 0.0)  # when the page began, and processor time at the first look after it
        self._status = psutil.Process(self._process.pid)
        # A process that died at once is found out by whoever reads from it.
        with contextlib.suppress(OSError):
            send(self.connection, work, folder)

    def begin(self, task: Task) -> None:
        """Hand over a task; one that is gone by now is found out by whoever reads from it."""
        self.task, self.page, self.doing, self.since = task, None, "", time.monotonic()
        with contextlib.suppress(OSError):
            send(self.connection, task, self._folder)

    def memory(self) -> int:
        """Resident bytes of the process and those it started."""
        total = 0
        with contextlib.suppress(psutil.Error):
            total = self._status.memory_info().rss
            for child in self._status.children(recursive=True):
                total += child.memory_info().rss
        return total

    def spent(self) -> float:
        """Processor seconds of the process and those it started since it was first asked at this page."""
        total = 0.0
        with contextlib.suppress(psutil.Error):
            for each in (self._status, *self._status.children(recursive=True)):
                total += sum(each.cpu_times()[:4])  # its own and that of its ended children
        if self._spent_from[0] != self.since:
            self._spent_from = (self.since, total)
        return total - self._spent_from[1]

    def grown(self) -> int:
        """Bytes by which it has grown since the first call."""
        now = self.memory()
        if self._grown_from is None:
            self._grown_from = now
        return now - self._grown_from

    def kill(self) -> int:
        """End the process and all it started; gives its exit code (negative: the signal)."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        code = self._process.wait()
        self.connection.close()
        return code

    def died(self) -> str:
        """Clean up after it ended by itself: says how it ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):  # it hung up, but does not end
            self._process.wait(timeout=2)
        code = self.kill()
        if code == -signal.SIGKILL:
            return "the worker process was killed from outside; if the machine ran out of memory, use fewer workers"
        how = f"exit code {code}" if code >= 0 else signal.Signals(-code).name
        return f"the worker process crashed ({how}{self._place()})"

    def place(self) -> str:
        """Where it stands in the code, as far as it can still say."""
        before = len(self.log())
        self._process.send_signal(signal.SIGUSR1)
        for _ in range(20):
            if len(self.log()) > before:
                break
            time.sleep(0.01)
        return self._place()

    def _place(self) -> str:
        frames = _FRAME.findall(self.log())
        return f", in {frames[0][2]} ({Path(frames[0][0]).name}:{frames[0][1]})" if frames else ""

    def log(self) -> str:
        """What it printed since its task began."""
        with contextlib.suppress(OSError):
            return self._log.read_text(errors="replace")[-20_000:]
        return ""


class Supervisor:
    """A thread that runs from `start` to `stop`; tasks come in through `add`, results go out through `out`."""

    def __init__(
        self, work: Any, folder: Path, out: queue.SimpleQueue[Event], *, size: int, page_seconds: float,
        memory_mb: int, progress: Callable[[Task, int], None] | None,
        timed: Callable[[Task, int, float], None] | None = None,
    ) -> None:  # fmt: skip
        self._thread = threading.Thread(target=self._run, name="h3-supervisor", daemon=True)
        self._work, self._folder, self._out, self._size = work, folder, out, size
        self._page_seconds, self._memory = page_seconds, memory_mb << 20
        self._progress, self._timed = progress, timed
        self._tasks: deque[Task] = deque()
        self._workers: list[Worker] = []
        self._count = self._stillborn = 0
        self._looked = 0.0
        self._stopping = False
        self._wake, self._waker = socket.socketpair()
        self._waker.setblocking(False)

    def start(self) -> None:
        """Start the thread; workers start with the first tasks."""
        self._thread.start()

    def add(self, task: Task) -> None:
        """Have a task done; called from any thread."""
        self._tasks.append(task)
        self._nudge()

    def stop(self) -> None:
        """End all workers and the thread; what is under way is dropped. Called from any other thread."""
        self._stopping = True
        self._nudge()
        self._thread.join()

    def _nudge(self) -> None:
        with contextlib.suppress(BlockingIOError):  # full of nudges not seen yet
            self._waker.send(b"!")

    def _run(self) -> None:
        try:
            while not self._stopping:
                self._hand_out()
                self._listen()
                self._look()
        except BaseException as e:  # the caller must hear of it, whatever it is
            self._out.put(e)
        finally:
            for worker in self._workers:
                worker.kill()
            self._wake.close()
            self._waker.close()

    def _hand_out(self) -> None:
        free = [w for w in self._workers if w.task is None]
        for _ in range(min(len(self._tasks) - len(free), self._size - len(self._workers))):
            self._count += 1
            self._workers.append(Worker(self._work, self._folder, self._count))
        for worker in free:
            if worker.ready and self._tasks:
                worker.begin(self._tasks.popleft())

    def _listen(self) -> None:
        busy = any(w.task is not None for w in self._workers)
        by_connection: dict[Any, Worker] = {w.connection: w for w in self._workers}
        for heard in wait([self._wake, *by_connection], LOOK_SECONDS if busy else None):
            if heard is self._wake:
                self._wake.recv(4096)
            else:
                self._hear(by_connection[heard])

    def _hear(self, worker: Worker) -> None:
        try:
            while worker.connection.poll():
                self._take(worker, receive(worker.connection))
                if worker not in self._workers:
                    return
        except (EOFError, OSError):
            self._workers.remove(worker)
            reason = worker.died()
            if worker.task is not None:
                self._settle(worker.task, Failure("crash", reason, worker.page, worker.doing))
            elif not worker.ready:
                self._stillborn += 1
                if self._stillborn >= STARTS:
                    raise H3Error(f"worker processes do not start: {reason}: {worker.log().strip()}") from None
        except Exception as e:  # a result that cannot be read here
            if worker.task is None:
                raise
            failure = Failure("error", f"the result cannot be read: {type(e).__name__}: {e}", None)
            self._stop_task(worker, worker.task, failure)

    def _take(self, worker: Worker, message: Any) -> None:
        task = worker.task
        if isinstance(message, Ready):
            worker.ready, self._stillborn = True, 0
        elif isinstance(message, Beat) and task is not None and message.doing:
            worker.doing = message.doing
        elif isinstance(message, Beat) and task is not None:
            self._tell_time(worker, task)
            worker.page, worker.doing, worker.since = message.page, "", time.monotonic()
            if self._progress is not None:
                self._progress(task, message.page)
        elif isinstance(message, Done) and task is not None:
            self._tell_time(worker, task)
            worker.task = None
            if message.failure is None:
                self._out.put(Result(task, message.value, None))
            else:
                self._settle(task, message.failure)
            if worker.grown() > GROWN * self._memory:
                self._workers.remove(worker)
                worker.kill()

    def _tell_time(self, worker: Worker, task: Task) -> None:
        """The page that the worker was at is behind it."""
        if worker.page is not None and self._timed is not None:
            self._timed(task, worker.page, time.monotonic() - worker.since)

    def _look(self) -> None:
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS:
            return
        self._looked = now
        for worker in list(self._workers):
            task = worker.task
            if task is None:
                continue
            limit = self._page_seconds if task.seconds is None else task.seconds
            if worker.page is None and task.seconds is None:
                limit = max(limit, FIRST_SECONDS)
            if _over(now - worker.since, worker.spent(), limit):
                what = f"took longer than {limit:g} s{worker.place()}; raise ingest.page_seconds to allow more"
                self._stop_task(worker, task, Failure("timeout", what, worker.page, worker.doing))
            elif worker.memory() > self._memory:
                place = "" if worker.page is None else worker.place()  # before a page it is at no more than its imports
                what = f"took more than {self._memory >> 20} MB{place}; raise ingest.memory_mb to allow more"
                self._stop_task(worker, task, Failure("memory", what, worker.page, worker.doing))

    def _stop_task(self, worker: Worker, task: Task, failure: Failure) -> None:
        self._workers.remove(worker)
        worker.kill()
        self._settle(task, failure)

    def _settle(self, task: Task, failure: Failure) -> None:
        parted = part(task, failure)
        self._out.put(parted)
        # Ahead of new tasks, so that a file is finished before more are begun.
        self._tasks.extendleft(reversed(parted.again))


def _over(waited: float, spent: float, limit: float) -> bool:
    """Whether a page is over its limit, given seconds by the clock and of the processor."""
    return waited > limit and (spent >= limit or spent < IDLE * waited or waited > PATIENCE * limit)
