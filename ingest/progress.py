"""Showing how a build gets on: a live bar on a terminal, plain lines elsewhere, nothing in a library call."""

from __future__ import annotations

import time
from typing import Any, Protocol, TextIO

LINE_SECONDS = 10.0
"""Time between two plain lines."""


class Progress(Protocol):
    """What a build tells. Sizes are bytes of source files: their sum is known before any file is opened."""

    def stage(self, name: str) -> None:
        """Another part of the build begins."""
        ...

    def begin(self, files: int, size: int) -> None:
        """This much is to be read."""
        ...

    def working(self, source: str, at: str) -> None:
        """A file is being worked on, and where in it; called from other threads too."""
        ...

    def pages(self, source: str, count: int) -> None:
        """Pages of a file were parsed."""
        ...

    def finished(self, source: str, size: int) -> None:
        """A file is done with, indexed or failed."""
        ...

    def failed(self, source: str, page: int | None, reason: str) -> None:
        """A file or page could not be indexed."""
        ...

    def close(self) -> None:
        """The build is over, one way or the other."""
        ...


class Silent:
    """Shows nothing."""

    def stage(self, name: str) -> None:
        """See `Progress`."""

    def begin(self, files: int, size: int) -> None:
        """See `Progress`."""

    def working(self, source: str, at: str) -> None:
        """See `Progress`."""

    def pages(self, source: str, count: int) -> None:
        """See `Progress`."""

    def finished(self, source: str, size: int) -> None:
        """See `Progress`."""

    def failed(self, source: str, page: int | None, reason: str) -> None:
        """See `Progress`."""

    def close(self) -> None:
        """See `Progress`."""


class Lines:
    """Plain lines on a stream, one every few seconds at most, and one for each failure."""

    def __init__(self, out: TextIO, *, every: float = LINE_SECONDS) -> None:
        self._out, self._every = out, every
        self._started = self._shown = time.monotonic()
        self._files = self._size = self._done = self._done_size = self._pages = 0

    def stage(self, name: str) -> None:
        """See `Progress`."""
        print(name, file=self._out, flush=True)

    def begin(self, files: int, size: int) -> None:
        """See `Progress`."""
        self._started = time.monotonic()
        self._files, self._size = files, size

    def working(self, source: str, at: str) -> None:
        """See `Progress`."""
        self._show(f"{one_line(source)}, {at}")

    def pages(self, source: str, count: int) -> None:
        """See `Progress`."""
        self._pages += count
        self._show(one_line(source))

    def finished(self, source: str, size: int) -> None:
        """See `Progress`."""
        self._done += 1
        self._done_size += size
        self._show(one_line(source))

    def failed(self, source: str, page: int | None, reason: str) -> None:
        """See `Progress`."""
        print(f"failed: {where(source, page)}: {reason}", file=self._out, flush=True)

    def close(self) -> None:
        """See `Progress`."""

    def _show(self, current: str) -> None:
        now = time.monotonic()
        if now - self._shown < self._every:
            return
        self._shown = now
        spent = now - self._started
        left = remaining(spent, self._done_size, self._size)
        eta = "" if left is None else f", about {duration(left)} left"
        rate = self._pages / spent if spent > 0 else 0.0
        print(f"{self._done}/{self._files} files, {self._pages} pages, {rate:.1f} pages/s{eta} ({current})",
              file=self._out, flush=True)  # fmt: skip


class Bar:
    """A live bar with rate and time left; it moves as long as the build lives."""

    def __init__(self, out: TextIO) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        self._bar = RichProgress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[counts]}", markup=False),
            TimeRemainingColumn(),
            TextColumn("{task.fields[current]}", markup=False),
            console=Console(file=out, stderr=True),
            transient=True,
        )
        self._task: Any = self._bar.add_task("starting", total=None, counts="", current="")
        self._started = time.monotonic()
        self._files = self._done = self._pages = 0
        self._bar.start()

    def stage(self, name: str) -> None:
        """See `Progress`."""
        self._bar.update(self._task, description=name, current="")

    def begin(self, files: int, size: int) -> None:
        """See `Progress`."""
        self._started, self._files = time.monotonic(), files
        self._bar.update(self._task, total=max(size, 1), completed=0)

    def working(self, source: str, at: str) -> None:
        """See `Progress`."""
        self._bar.update(self._task, current=f"{one_line(source)[-40:]}, {at}")

    def pages(self, source: str, count: int) -> None:
        """See `Progress`."""
        self._pages += count
        self._update(source, 0)

    def finished(self, source: str, size: int) -> None:
        """See `Progress`."""
        self._done += 1
        self._update(source, size)

    def failed(self, source: str, page: int | None, reason: str) -> None:
        """See `Progress`."""
        from rich.text import Text

        self._bar.console.print(Text(f"failed: {where(source, page)}: {reason}"), highlight=False)

    def close(self) -> None:
        """See `Progress`."""
        self._bar.stop()

    def _update(self, source: str, size: int) -> None:
        spent = max(time.monotonic() - self._started, 1e-9)
        counts = f"{self._done}/{self._files} files, {self._pages} pages, {self._pages / spent:.1f} pages/s"
        self._bar.update(self._task, advance=size, counts=counts, current=one_line(source)[-40:])


def open_progress(out: TextIO) -> Progress:
    """A bar where `out` is a terminal, plain lines where it is not."""
    return Bar(out) if out.isatty() else Lines(out)


def remaining(spent: float, done: int, total: int) -> float | None:
    """Seconds left at the rate so far; None before a twentieth is done: a file that fails at once is no rate."""
    return None if done <= 0 or spent <= 0 or done < total / 20 else spent / done * max(total - done, 0)


def duration(seconds: float) -> str:
    """`95` -> `1 min 35 s`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def where(source: str, page: int | None) -> str:
    """A file, or a page of it, on one line."""
    return one_line(source) if page is None else f"{one_line(source)}, page {page}"


def one_line(text: str) -> str:
    r"""`text` with what does not print (line breaks first of all) as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
