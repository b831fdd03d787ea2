"""Showing how a build gets on: a live bar on a terminal, plain lines elsewhere, nothing in a library call."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol, TextIO

from h3cold.ingest.pace import Pace

LINE_SECONDS = 10.0
"""Time between two plain lines."""

READING, AFTER_READING = "reading", "making blocks and vectors"
"""What the build is at while documents are done; the second once all pages are read."""

MOMENT = 5.0
"""Seconds left below which no number is told."""


class Progress(Protocol):
    """What a build tells. Sizes are bytes of source files: their sum is known before any file is opened."""

    def stage(self, name: str) -> None:
        """Another part of the build begins."""
        ...

    def begin(self, files: int, size: int) -> None:
        """This much is to be read."""
        ...

    def opened(self, source: str, pages: int, size: int) -> None:
        """A file of `size` bytes was begun, and has so many pages."""
        ...

    def working(self, source: str, at: str) -> None:
        """A file is being worked on, and where in it; called from other threads too."""
        ...

    def timed(self, source: str, page: int, seconds: float) -> None:
        """A page took so long; called from other threads too."""
        ...

    def pages(self, source: str, count: int, ocr: Sequence[int] = ()) -> None:
        """Pages of a file were parsed, these of them (by number) by OCR."""
        ...

    def vectors(self, source: str, done: int, total: int) -> None:
        """So many of a file's texts have vectors; called from other threads too."""
        ...

    def finished(self, source: str, size: int) -> None:
        """A file is done with, indexed or failed."""
        ...

    def failed(self, source: str, page: int | None, reason: str) -> None:
        """A file or page could not be indexed."""
        ...

    def note(self, text: str) -> None:
        """Something that users should know, on one line."""
        ...

    def spent(self, stage: str, seconds: float) -> None:
        """A stage ("parse", "ocr", "blocks", "embed") took so long for something; called from other threads too."""
        ...

    def times(self) -> dict[str, float]:
        """Seconds by stage, where somebody kept them."""
        ...

    def close(self) -> None:
        """The build is over, one way or the other."""
        ...


class Silent:
    """Shows nothing; others say only what they show."""

    def spent(self, stage: str, seconds: float) -> None:
        """See `Progress`."""

    def times(self) -> dict[str, float]:
        """See `Progress`."""
        return {}

    def stage(self, name: str) -> None:
        """See `Progress`."""

    def begin(self, files: int, size: int) -> None:
        """See `Progress`."""

    def opened(self, source: str, pages: int, size: int) -> None:
        """See `Progress`."""

    def working(self, source: str, at: str) -> None:
        """See `Progress`."""

    def timed(self, source: str, page: int, seconds: float) -> None:
        """See `Progress`."""

    def pages(self, source: str, count: int, ocr: Sequence[int] = ()) -> None:
        """See `Progress`."""

    def vectors(self, source: str, done: int, total: int) -> None:
        """See `Progress`."""

    def finished(self, source: str, size: int) -> None:
        """See `Progress`."""

    def failed(self, source: str, page: int | None, reason: str) -> None:
        """See `Progress`."""

    def note(self, text: str) -> None:
        """See `Progress`."""

    def close(self) -> None:
        """See `Progress`."""


class _Paced(Silent, ABC):
    """Counts, and calls `show(what is being worked on)` whenever something happened."""

    def __init__(self) -> None:
        self._pace = Pace()
        self._reading = False

    def stage(self, name: str) -> None:
        """See `Progress`."""
        self._reading = self._reading and name == AFTER_READING

    def begin(self, files: int, size: int) -> None:
        """See `Progress`."""
        self._reading = True
        self._pace.begin(files, size)

    def opened(self, source: str, pages: int, size: int) -> None:
        """See `Progress`."""
        self._pace.opened(source, pages, size)

    def working(self, source: str, at: str) -> None:
        """See `Progress`."""
        self._show(f"{one_line(source)[-40:]}, {at}")

    def timed(self, source: str, page: int, seconds: float) -> None:
        """See `Progress`."""
        self._pace.timed(source, page, seconds)

    def spent(self, stage: str, seconds: float) -> None:
        """See `Progress`."""
        if stage == "embed":
            self._pace.embedded(seconds)

    def pages(self, source: str, count: int, ocr: Sequence[int] = ()) -> None:
        """See `Progress`."""
        self._pace.pages(source, count)
        self._show(one_line(source)[-40:])

    def vectors(self, source: str, done: int, total: int) -> None:
        """See `Progress`."""
        self._pace.vectors(source, done, total)
        self._show(f"{one_line(source)[-40:]}, vectors {done}/{total}")

    def finished(self, source: str, size: int) -> None:
        """See `Progress`."""
        self._pace.finished(source, size)
        self._show(one_line(source)[-40:])

    @abstractmethod
    def _show(self, current: str) -> None: ...

    def _counts(self) -> str:
        pace = self._pace
        if not pace.files:
            return ""
        done = f"{pace.files_done}/{pace.files} files, {count(pace.seen, 'page')}"
        if not (self._reading and pace.seen):  # the parts of a build that follow have no pages to count
            return done
        left = pace.left()
        return f"{done}, {pace.rate:.1f} pages/s{'' if left is None else f', {time_left(left)}'}"


class Lines(_Paced):
    """Plain lines on a stream, one every few seconds at most, and one for each failure."""

    def __init__(self, out: TextIO, *, every: float = LINE_SECONDS) -> None:
        super().__init__()
        self._out, self._every = out, every
        self._shown = time.monotonic()

    def stage(self, name: str) -> None:
        """See `Progress`."""
        super().stage(name)
        print(name, file=self._out, flush=True)

    def failed(self, source: str, page: int | None, reason: str) -> None:
        """See `Progress`."""
        self.note(f"failed: {where(source, page)}: {reason}")

    def note(self, text: str) -> None:
        """See `Progress`."""
        print(text, file=self._out, flush=True)

    def _show(self, current: str) -> None:
        now = time.monotonic()
        if now - self._shown >= self._every:
            self._shown = now
            print(f"{self._counts()} ({current})", file=self._out, flush=True)


class Bar(_Paced):
    """A live bar with rate and time left; it moves as long as the build lives."""

    def __init__(self, out: TextIO) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            ProgressColumn,
            SpinnerColumn,
            TaskProgressColumn,
            TextColumn,
            TimeElapsedColumn,
        )
        from rich.progress import Progress as RichProgress
        from rich.text import Text

        super().__init__()
        counts = self._counts

        class Counts(ProgressColumn):
            """Asked anew each time the bar is drawn, so that the time left goes down while nothing happens."""

            def render(self, task: Any) -> Text:
                return Text(counts())

        self._bar = RichProgress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            Counts(),
            TextColumn("{task.fields[current]}", markup=False),
            console=Console(file=out, stderr=True),
            transient=True,
        )
        self._task: Any = self._bar.add_task("starting", total=None, current="")
        self._bar.start()

    def stage(self, name: str) -> None:
        """See `Progress`."""
        super().stage(name)
        self._bar.update(self._task, description=name, current="")

    def begin(self, files: int, size: int) -> None:
        """See `Progress`."""
        super().begin(files, size)
        self._bar.update(self._task, total=1.0, completed=0.0)

    def failed(self, source: str, page: int | None, reason: str) -> None:
        """See `Progress`."""
        self.note(f"failed: {where(source, page)}: {reason}")

    def note(self, text: str) -> None:
        """See `Progress`."""
        from rich.text import Text

        self._bar.console.print(Text(text), highlight=False)

    def close(self) -> None:
        """See `Progress`."""
        self._bar.stop()

    def _show(self, current: str) -> None:
        self._bar.update(self._task, completed=self._pace.share, current=current)


def open_progress(out: TextIO) -> Progress:
    """A bar where `out` is a terminal, plain lines where it is not."""
    return Bar(out) if out.isatty() else Lines(out)


def count(number: int, what: str) -> str:
    """`1 page`, `2 pages`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def duration(seconds: float) -> str:
    """`95` -> `1 min 35 s`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def time_left(seconds: float) -> str:
    """`about 1 min 35 s left`, `a few seconds left`."""
    return "a few seconds left" if seconds < MOMENT else f"about {duration(seconds)} left"


def where(source: str, page: int | None) -> str:
    """A file, or a page of it, on one line."""
    return one_line(source) if page is None else f"{one_line(source)}, page {page}"


def one_line(text: str) -> str:
    r"""`text` with what does not print (line breaks first of all) as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
