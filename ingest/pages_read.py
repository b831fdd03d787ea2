"""A document's pages as its windows come in from the workers, in parts where some of them failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from h3cold.ingest.lost_pages import Limits, counted, fails_by_chance, lost_page, read_without_ocr, without_ocr
from h3cold.ingest.stages import Settings, Source, Window
from h3cold.ingest.worker_tasks import WINDOW, Failure
from h3cold.schemas.page import Page

LASTING = ("document", "timeout", "memory")
"""Failures that the same file and the same limits bring again; a crash or an error may have come from elsewhere."""


class PagesRead:
    """What was read of one document, for the `reads + 1`-th time within these limits."""

    def __init__(self, source: Source, limits: Limits, *, reads: int) -> None:
        self.source, self._limits, self._reads = source, limits, reads + 1
        self.window: Window | None = None
        self.pages: dict[int, Page] = {}
        self.lasting = True
        self._stopped: dict[int, Failure] = {}

    def take(self, window: Window) -> Window:
        """Add what was read; gives the window as it may be put on record, without pages that are to be read again."""
        pages = [read_without_ocr(p, self._stopped[p.number]) if p.number in self._stopped else p for p in window.pages]
        pages = [counted(p, reads=self._reads, limits=self._limits) for p in pages]
        self.window = self.window or replace(window, pages=tuple(pages))
        self.pages.update({p.number: p for p in pages})
        return replace(window, pages=tuple(p for p in pages if not fails_by_chance(p)))

    def lose(self, first: int, last: int, failure: Failure) -> None:
        """Pages that could not be read."""
        self.lasting &= failure.kind in LASTING
        for n in range(first, last + 1):
            reason = self._stopped.get(n, failure).reason
            self.pages[n] = counted(lost_page(n, reason), reads=self._reads, limits=self._limits)

    def again(self, number: int, failure: Failure, settings: Settings) -> Settings | None:
        """How to read a page once more that was lost; None where that would be no use."""
        options = without_ocr(settings.options, failure) if number not in self._stopped else None
        if options is None:
            return None
        self._stopped[number] = failure
        return replace(settings, options=options)

    def missing(self) -> Iterator[tuple[int, int]]:
        """Ranges of pages to read, none across two windows; the first window where nothing is known yet."""
        if self.window is None:
            yield 1, WINDOW
            return
        for start in range(1, self.window.count + 1, WINDOW):
            numbers = range(start, min(self.window.count, start + WINDOW - 1) + 1)
            wanted = [n for n in numbers if n not in self.pages]
            yield from ((own[0], own[-1]) for own in _runs(wanted))

    def complete(self) -> tuple[Page, ...] | None:
        """All pages in order; None while some are missing."""
        if self.window is None or any(n not in self.pages for n in range(1, self.window.count + 1)):
            return None
        return tuple(self.pages[n] for n in range(1, self.window.count + 1))


def _runs(numbers: Sequence[int]) -> Iterator[list[int]]:
    """Ascending numbers, parted where one is left out."""
    own: list[int] = []
    for number in numbers:
        if own and number != own[-1] + 1:
            yield own
            own = []
        own.append(number)
    if own:
        yield own
