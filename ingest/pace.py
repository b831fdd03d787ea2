"""How far a build is and how long it will take, counted in pages.

A build reads pages and, beside that, makes their vectors; it ends when the slower of the two does. How many pages a
file has is known once it is open; for files that were not opened yet it is guessed from their size.
"""

from __future__ import annotations

import time
from collections.abc import Callable

PAGE_BYTES = 50_000.0
"""Size of a page where no file has been opened yet."""

ENOUGH = 1 / 20
"""Share of the work after which its rate is worth telling."""


class Pace:
    """Counts what is done; safe to read from another thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.files = self.files_done = self.read = 0
        self._finished_pages = 0
        self._size = self._opened_pages = self._opened_size = 0
        self._open: dict[str, tuple[int, float]] = {}
        self._started = clock()

    def begin(self, files: int, size: int) -> None:
        """So many files, of so many bytes together, are to be done."""
        self._started, self.files, self._size = self._clock(), files, size

    def opened(self, source: str, pages: int, size: int) -> None:
        """A file of `size` bytes has so many pages."""
        if source not in self._open:
            self._open[source] = (pages, 0.0)
            self._opened_pages += pages
            self._opened_size += size

    def pages(self, count: int) -> None:
        """So many pages were read."""
        self.read += count

    def vectors(self, source: str, done: int, total: int) -> None:
        """So many of a file's texts have their vectors."""
        if source in self._open and total:
            self._open[source] = (self._open[source][0], done / total)

    def finished(self, source: str, size: int) -> None:
        """A file is done with; one that was never opened (it failed) was no work and tells nothing about the rest."""
        self.files_done += 1
        pages, _ = self._open.pop(source, (None, 0.0))
        if pages is None:
            self._size -= size
        else:
            self._finished_pages += pages

    @property
    def total(self) -> int:
        """Pages of all files, as far as one can tell."""
        pages, size = self._opened_pages, self._opened_size
        left = max(self._size - size, 0)
        return pages + round(left * (pages / size if size else 1 / PAGE_BYTES))

    @property
    def whole(self) -> float:
        """Pages that are read and have their vectors."""
        return self._finished_pages + sum(pages * share for pages, share in list(self._open.values()))

    @property
    def share(self) -> float:
        """How much of the work is done, 0 to 1."""
        return min((self.read + self.whole) / max(2 * self.total, 1), 1.0)

    @property
    def rate(self) -> float:
        """Pages read a second."""
        spent = self._clock() - self._started
        return self.read / spent if spent > 0 else 0.0

    def left(self) -> float | None:
        """Seconds left at the rate so far, of the slower half: vectors follow reading; None before one can tell."""
        spent, total, done = self._clock() - self._started, self.total, self.whole
        if spent <= 0 or done <= 0 or done < total * ENOUGH:
            return None
        return spent / done * max(total - done, 0.0)
