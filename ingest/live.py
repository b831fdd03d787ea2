"""A build's state while it runs, in a small file that `h3-monitor --watch` reads from another terminal."""

from __future__ import annotations

import contextlib
import datetime
import heapq
import json
import os
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil

from h3cold.ingest.pace import Pace
from h3cold.ingest.progress import AFTER_READING, READING, Progress, Silent
from h3cold.schemas.summary import Failure

FILE = Path("meta") / "live.json"
SECONDS = 1.0
"""Time between two writes."""

SLOWEST, CURRENT, FAILURES = 10, 8, 5
"""How many pages, files and failures are told of."""

CLOCKED = {"linking entities": "kg", "building indexes": "index", "learning document vectors": "index",
           "learning summaries": "summaries", "embedding statements": "statements", AFTER_READING: READING}  # fmt: skip
"""Parts of a build that are a stage of their own in `times`."""

STALE_SECONDS = 30.0
"""Age after which a state written on another machine, whose processes cannot be seen, counts as left behind."""


class Live(Silent):
    """Passes on what a build tells to another `Progress`, and keeps it for those who watch."""

    def __init__(self, show: Progress) -> None:
        self._show = show
        self._pace = Pace()
        self._guard = threading.Lock()
        self._stage, self._failed = "starting", 0
        self._current: dict[str, tuple[str, float]] = {}
        self._slowest: list[tuple[float, str, int]] = []
        self._failures: list[dict[str, Any]] = []
        self._peak_main = self._peak_worker = 0
        self._spent: dict[str, float] = {}
        self._took: dict[str, dict[int, float]] = {}
        self._since = time.monotonic()

    def stage(self, name: str) -> None:
        """See `Progress`."""
        self._clock_stage()
        self._stage = name
        with self._guard:
            self._current.clear()
        self._show.stage(name)

    def begin(self, files: int, size: int) -> None:
        """See `Progress`."""
        self._pace.begin(files, size)
        self._show.begin(files, size)

    def opened(self, source: str, pages: int, size: int) -> None:
        """See `Progress`."""
        self._pace.opened(source, pages, size)
        self._show.opened(source, pages, size)

    def working(self, source: str, at: str) -> None:
        """See `Progress`."""
        self._at(source, at)
        self._show.working(source, at)

    def timed(self, source: str, page: int, seconds: float) -> None:
        """See `Progress`."""
        self.spent("parse", seconds)
        self._pace.timed(source, page, seconds)
        took = self._took.setdefault(source, {})
        took[page] = took.get(page, 0.0) + seconds  # some pages are looked at twice
        with self._guard:
            heapq.heappush(self._slowest, (seconds, source, page))
            if len(self._slowest) > SLOWEST:
                heapq.heappop(self._slowest)
        self._show.timed(source, page, seconds)

    def spent(self, stage: str, seconds: float) -> None:
        """See `Progress`."""
        with self._guard:
            self._spent[stage] = self._spent.get(stage, 0.0) + seconds
        if stage == "embed":
            self._pace.embedded(seconds)
        self._show.spent(stage, seconds)

    def times(self) -> dict[str, float]:
        """See `Progress`."""
        self._clock_stage()
        with self._guard:
            return {stage: round(seconds, 3) for stage, seconds in self._spent.items()}

    def _clock_stage(self) -> None:
        """Book the time since the last call to the part of the build that is going on."""
        now = time.monotonic()
        self.spent(CLOCKED.get(self._stage, self._stage), now - self._since)
        self._since = now

    def pages(self, source: str, count: int, ocr: Sequence[int] = ()) -> None:
        """See `Progress`."""
        self._pace.pages(source, count)
        took = self._took.get(source, {})
        self.spent("ocr", sum(took.pop(page, 0.0) for page in ocr))
        self._show.pages(source, count, ocr)
        self._read_all()

    def vectors(self, source: str, done: int, total: int) -> None:
        """See `Progress`."""
        self._pace.vectors(source, done, total)
        self._at(source, f"vectors {done}/{total}")
        self._show.vectors(source, done, total)

    def finished(self, source: str, size: int) -> None:
        """See `Progress`."""
        self._pace.finished(source, size)
        self._took.pop(source, None)
        with self._guard:
            self._current.pop(source, None)
        self._show.finished(source, size)
        self._read_all()

    def _read_all(self) -> None:
        """Where that was the last page to be read, say that it is something else that takes the time now."""
        if self._stage == READING and self._pace.all_read:
            self._clock_stage()
            self._stage = AFTER_READING
            self._show.stage(AFTER_READING)

    def failed(self, source: str, page: int | None, reason: str) -> None:
        """See `Progress`."""
        with self._guard:
            self._failed += 1
            self._failures = [*self._failures, {"source": source, "page": page, "reason": reason}][-FAILURES:]
        self._show.failed(source, page, reason)

    def lacks(self, failures: Sequence[Failure]) -> None:
        """All that the snapshot lacks: also what failed before and was not tried again, but nothing that was mended."""
        with self._guard:
            self._failed = len(failures)
            self._failures = [{"source": f.source, "page": f.page, "reason": f.reason} for f in failures[-FAILURES:]]

    def note(self, text: str) -> None:
        """See `Progress`."""
        self._show.note(text)

    def close(self) -> None:
        """See `Progress`."""
        self._show.close()

    @contextlib.contextmanager
    def written(self, store: Path) -> Iterator[None]:
        """Write the state below `store` every second, and in the end how it ended. Nothing fails where that fails."""
        over = threading.Event()
        about = _process()
        with contextlib.suppress(OSError):
            for left in (store / FILE).parent.glob(f"{FILE.name}.*.tmp"):  # by a build that was killed at it
                left.unlink()

        def write() -> None:
            while not over.wait(SECONDS):
                _write(store / FILE, {"state": "running", **about, **self.state()})

        _write(store / FILE, {"state": "running", **about, **self.state()})
        thread = threading.Thread(target=write, name="h3-live", daemon=True)
        thread.start()
        end = "failed"
        try:
            yield
            end = "done"
        except KeyboardInterrupt:
            end = "interrupted"
            raise
        finally:
            over.set()
            thread.join()
            _write(store / FILE, {"state": end, **about, **self.state()})

    def state(self) -> dict[str, Any]:
        """All that is told, as plain data: times in seconds, memory in MB of resident pages."""
        pace, now, left = self._pace, time.monotonic(), self._pace.left()
        memory = _memory()
        self._peak_main = max(self._peak_main, memory["main"])
        self._peak_worker = max(self._peak_worker, *memory["workers"], 0)
        with self._guard:
            oldest = sorted(self._current.items(), key=lambda item: item[1][1], reverse=True)[:CURRENT]
            slowest = sorted(self._slowest, reverse=True)
            failures, failed = list(self._failures), self._failed
        return {
            "updated": datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds"),
            "step": self._stage,
            "files": {"done": pace.files_done, "total": pace.files},
            "pages": {"read": pace.read, "indexed": round(pace.whole), "expected": pace.total, "exact": pace.all_open},
            "share": round(pace.share, 4),
            "pages_per_second": round(pace.rate, 2),
            "seconds_left": None if left is None or self._stage not in (READING, AFTER_READING) else round(left, 1),
            "current": [{"source": s, "at": at, "seconds": round(now - since, 1)} for s, (at, since) in oldest],
            "slowest_pages": [{"source": s, "page": p, "seconds": round(t, 2)} for t, s, p in slowest],
            "memory_mb": {**memory, "peak_main": self._peak_main, "peak_worker": self._peak_worker},
            "failed": failed,
            "last_failures": failures,
        }

    def _at(self, source: str, at: str) -> None:
        with self._guard:
            self._current[source] = (at, time.monotonic())


def read_live(store: Path) -> dict[str, Any] | None:
    """The state of the build that is running into `store`, or that ran last; None where none was ever seen.

    `state` is "running", "done", "failed", "interrupted", or "killed" for one that ended without a word.
    """
    try:
        state: dict[str, Any] = json.loads((store / FILE).read_text(encoding="utf-8"))
        if state["state"] == "running" and not _alive(state):
            state["state"] = "killed"
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return state


def _alive(state: dict[str, Any]) -> bool:
    if state["host"] == socket.gethostname():
        try:
            return abs(psutil.Process(state["pid"]).create_time() - state["process_started"]) < 1
        except psutil.Error:
            return False
    updated = datetime.datetime.fromisoformat(state["updated"])
    return (datetime.datetime.now(datetime.UTC) - updated).total_seconds() < STALE_SECONDS


def _process() -> dict[str, Any]:
    return {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "process_started": psutil.Process().create_time(),
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def _memory() -> dict[str, Any]:
    """Resident memory of this process and of each it has started, largest first."""
    workers = []
    this = psutil.Process()
    with contextlib.suppress(psutil.Error):
        for child in this.children(recursive=True):
            with contextlib.suppress(psutil.Error):
                workers.append(child.memory_info().rss >> 20)
    return {"main": this.memory_info().rss >> 20, "workers": sorted(workers, reverse=True)}


def _write(path: Path, state: dict[str, Any]) -> None:
    """Replace the file; it need not survive a power cut."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    with contextlib.suppress(OSError):
        draft.write_text(json.dumps(state, ensure_ascii=True) + "\n", encoding="utf-8")
        draft.replace(path)
