"""Pages at which a worker process was lost: what stands for them in the store, and how often they are read again.

A page that took too long, too much memory or its process with it may have met a busy machine, so that the builds that
follow read it again, but not for ever: `READS` times in all with the same limits. Page rows keep the count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from h3cold.schemas.config import Config
from h3cold.schemas.page import Page

READS = 3
"""Times that such a page is read, the first one included, before it is left as failed."""

_READ = re.compile(r"read (\d+) times? within (\S+ s and \d+ MB)")
_THEN = re.compile(r" \(read \d+ times?; [^()]*\)$")


class Limits(NamedTuple):
    """What a page may take: seconds, and MB of memory."""

    seconds: float
    memory_mb: int

    def __str__(self) -> str:
        return f"{self.seconds:g} s and {self.memory_mb} MB"


def limits_of(config: Config) -> Limits:
    """The limits that a configuration sets."""
    return Limits(config.ingest.page_seconds, config.ingest.memory_mb)


def lost_page(number: int, reason: str, *, reads: int, limits: Limits) -> Page:
    """The row of a page that was lost with its worker for the `reads`-th time, within these limits."""
    said = ("page failed", "its worker was lost", f"{_times(reads)} within {limits}")
    return Page(number, 0.0, 0.0, 0, "text", "failed", (), reasons=said, failure=f"{reason} ({outlook(reads)})")


def outlook(reads: int) -> str:
    """How often something was read, and what becomes of it."""
    then = "the next build reads it again" if reads < READS else "not read again with these limits"
    return f"{_times(reads)}; {then}"


def _times(reads: int) -> str:
    return f"read {reads} time{'s' * (reads > 1)}"


def reason_of(page: Page) -> str:
    """Why a page failed, without what becomes of it: for documents of which nothing else was read either."""
    return _THEN.sub("", page.failure or "")


def is_lost(page: Page) -> bool:
    """Whether a page is such a row."""
    return page.failure is not None and _told(page.reasons) is not None


def worth_reading(pages: Iterable[Page]) -> bool:
    """Whether a build that finds these pages in the store will read lost ones again."""
    told = [_told(page.reasons) for page in pages if page.failure is not None]
    return any(said is not None and said[0] < READS for said in told)


def to_read_again(rows: Iterable[Mapping[str, Any]], limits: Limits) -> dict[str, int]:
    """Documents with lost pages that are worth another try, and how often these were read within the same limits.

    `rows` are the store's failed pages, with `document` and `reasons`.
    """
    out: dict[str, int] = {}
    for row in rows:
        told = _told(row["reasons"] or ())
        if told is not None:
            reads = told[0] if told[1] == str(limits) else 0
            out[row["document"]] = max(out.get(row["document"], 0), reads)
    return {document: reads for document, reads in out.items() if reads < READS}


def _told(reasons: Sequence[str]) -> tuple[int, str] | None:
    """How often a lost page was read, and within which limits; None for a page that failed otherwise."""
    found = next((m for m in map(_READ.fullmatch, reasons) if m), None)
    return (int(found[1]), found[2]) if found else None
