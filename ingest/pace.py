"""How far a build is and how long it will take.

A build reads pages in workers and makes their vectors beside that; it ends when the slower of the two does. Its pace is
that since the first page was begun: until then processes start and load what they need, which says nothing of the rest.
What a page takes differs a hundredfold, between one with a text layer and a scan: so what is left to read is counted in
seconds of work, a file's unread pages by those of it that were read. How many pages a file has is known once it is
open. For others it is guessed halfway between pages by bytes, of which a page of a scan has many, and pages by files:
over three folders that came nearer than either alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

PAGE_BYTES = 50_000.0
"""Size of a page where no file has been opened yet."""

FEW = 4
"""Pages of that size that count beside those of open files: one small file tells little of large ones."""

ENOUGH = 1 / 20
"""Share of the work after which its rate is worth telling."""

USUAL_VECTORS = 0.2
"""Seconds that the vectors of a page are taken to need while none are there."""

ALIKE = 4.0
"""Pages of a file that count as much as what is known of the pages of all others, for those of it still unread."""

CALM = 15.0
"""Seconds in which what is told of the time left follows what is found."""


class _File:
    """An open file: its pages, those of them that were read, here (`seen`, in so many `seconds`) or by a build before
    (`recorded`), and the share of its texts that have vectors.
    """

    def __init__(self, pages: int) -> None:
        self.pages, self.read, self.recorded, self.share, self.seconds = pages, 0, 0, 0.0, 0.0
        self.seen: set[int] = set()

    def unread(self, usual: float) -> float:
        """Seconds of work that its unread pages will take, where others' took `usual` seconds a page."""
        own = (self.seconds + ALIKE * usual) / (len(self.seen) + ALIKE)
        return own * max(self.pages - len(self.seen) - self.recorded, 0)


class Pace:
    """Counts what is done; safe to read from another thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.files = self.files_done = self.read = 0
        self._finished_pages = 0
        self._size = self._opened_pages = self._opened_size = self._begun = self._failed = self._given_up = 0
        self._open: dict[str, _File] = {}
        self._early: dict[str, tuple[set[int], float]] = {}  # pages of files that are not open, and their seconds
        self._started = clock()
        self._working: float | None = None  # since when pages are read
        self._seconds = self._embedding = 0.0
        self._timed_pages = 0
        self._share = 0.0
        self._told: tuple[float, float] | None = None  # when, and what

    def begin(self, files: int, size: int) -> None:
        """So many files, of so many bytes together, are to be done."""
        self._started, self.files, self._size = self._clock(), files, size

    def opened(self, source: str, pages: int, size: int) -> None:
        """A file of `size` bytes has so many pages."""
        if source not in self._open:
            file = self._open[source] = _File(pages)
            file.seen, file.seconds = self._early.pop(source, (set(), 0.0))
            self._opened_pages += pages
            self._opened_size += size
            self._begun += 1

    def timed(self, source: str, page: int, seconds: float) -> None:
        """A page took so long, or so much longer: some are looked at twice. Those of files not yet open count too."""
        if self._working is None:
            self._working = self._clock() - seconds
        self._seconds += seconds
        file = self._open.get(source)
        if file is None:
            seen, before = self._early.get(source, (set[int](), 0.0))
            self._early[source] = seen, before + seconds
        else:
            seen = file.seen
            file.seconds += seconds
        if page not in seen:
            seen.add(page)
            self._timed_pages += 1

    def pages(self, source: str, count: int) -> None:
        """So many pages of a file were read, now or by a build before."""
        self.read += count
        file = self._open.get(source)
        if file is not None:
            file.read += count
            file.recorded = max(file.recorded, file.read - len(file.seen))

    def vectors(self, source: str, done: int, total: int) -> None:
        """So many of a file's texts have their vectors."""
        if source in self._open and total:
            self._open[source].share = done / total

    def embedded(self, seconds: float) -> None:
        """Making vectors took so long."""
        self._embedding += seconds

    def finished(self, source: str, size: int) -> None:
        """A file is done with; one that was never opened (it failed) was no work and tells nothing about the rest."""
        self.files_done += 1
        self._early.pop(source, None)
        file = self._open.pop(source, None)
        if file is None:
            self._size -= size
            self._failed += 1
        else:
            self._given_up += max(file.pages - file.read, 0)
            self._finished_pages += min(file.pages, file.read)

    @property
    def total(self) -> int:
        """Pages of all files, as far as one can tell; without those of files that failed on the way."""
        return self._opened_pages + self._unopened - self._given_up

    @property
    def all_open(self) -> bool:
        """Whether every file was opened, so that the number of pages is no guess."""
        return 0 < self.files <= self._begun + self._failed

    @property
    def all_read(self) -> bool:
        """Whether every file was opened and every page read; what follows is blocks, names and vectors."""
        return self.all_open and all(file.read >= file.pages for file in list(self._open.values()))

    @property
    def _unopened(self) -> int:
        files, size = self.files - self._begun - self._failed, max(self._size - self._opened_size, 0)
        by_size = size * (self._opened_pages + FEW) / (self._opened_size + FEW * PAGE_BYTES)
        by_file = (files * self._opened_pages + size / PAGE_BYTES) / (self._begun + 1)
        return round(math.sqrt(by_size * max(by_file, 0.0)))

    @property
    def whole(self) -> float:
        """Pages that are read and have their vectors."""
        return self._finished_pages + sum(file.pages * file.share for file in list(self._open.values()))

    @property
    def share(self) -> float:
        """How much of the work is done, 0 to 1; what turns out to be more work does not turn it back."""
        done = (self._read_share + self.whole / max(self.total, 1)) / 2
        self._share = max(self._share, min(done, 1.0))
        return self._share

    @property
    def _unread(self) -> float:
        """Seconds of work that reading still takes."""
        usual = self._seconds / max(self._timed_pages, 1)
        return self._unopened * usual + sum(file.unread(usual) for file in list(self._open.values()))

    @property
    def _read_share(self) -> float:
        if not self._seconds:  # nobody tells what pages take: all count alike
            return self.read / max(self.total, 1)
        return self._seconds / (self._seconds + self._unread)

    @property
    def seen(self) -> int:
        """Pages that were read, also those of windows that are not done."""
        return max(self.read, self._timed_pages)

    @property
    def rate(self) -> float:
        """Pages read a second."""
        spent = self._spent()
        return (self._timed_pages or self.read) / spent if spent > 0 else 0.0

    def _spent(self) -> float:
        return self._clock() - (self._started if self._working is None else self._working)

    def left(self) -> float | None:
        """Seconds left, of the slower half, as the work so far went; None before one can tell. What is told goes down
        with the clock and follows new findings within seconds, so that it does not jump with each file.
        """
        now = self._clock()
        found = self._found(self._spent())
        if found is None or self._told is None:
            self._told = None if found is None else (now, found)
            return found
        before, told = self._told
        expected = max(told - (now - before), 0.0)
        told = found if not found else expected + (found - expected) * (1 - math.exp((before - now) / CALM))
        self._told = (now, told)
        return told

    def _found(self, spent: float) -> float | None:
        share, whole, total = self._read_share, self.whole, self.total
        if spent <= 0 or share < ENOUGH:
            return None
        reading = spent * (1 - share) / share
        pages = max(total - whole, 0.0)
        if whole <= 0:
            return max(reading, pages * USUAL_VECTORS)
        vectors = pages * self._embedding / whole if self._embedding else spent / whole * pages
        return max(reading, vectors)
