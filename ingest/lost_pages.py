"""Pages at which a worker process or a model was lost: what stands for them, and how often they are read again.

A page that took too long, too much memory or its process with it may have met a busy machine, so that the builds that
follow read it again, but not for ever: `READS` times in all with the same limits. Page rows keep the count. Where that
happened while its characters were recognised, it is read once more at once, without OCR: a text layer that was doubted
is better than none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from h3cold.ingest.parse_options import OCR_OFF, ParseOptions
from h3cold.ingest.worker_tasks import OCR, Failure
from h3cold.schemas.config import Config
from h3cold.schemas.page import Page

READS = 3
"""Times that such a page is read, the first one included, before it is left as failed."""

MODEL_FAILED = "a model failed"
"""Reason of a page that failed since a model did not load or failed, as OCR's may for want of memory."""

KEPT = "text layer kept as it is"

_HOW = {"timeout": "it took too long", "memory": "it took too much memory"}

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


def lost_page(number: int, reason: str) -> Page:
    """The row of a page that was lost with its worker."""
    said = ("page failed", "its worker was lost")
    return Page(number, 0.0, 0.0, 0, "text", "failed", (), reasons=said, failure=reason)


def without_ocr(options: ParseOptions, failure: Failure) -> ParseOptions | None:
    """How to read a page once more at which OCR was stopped; None where something else failed."""
    return replace(options, ocr="off") if failure.doing == OCR and options.ocr != "off" else None


def read_without_ocr(page: Page, stopped: Failure) -> Page:
    """The page as it was read once OCR of it had been stopped so; lost where it has no text of its own."""
    if page.route == "failed" or not any(r.text.strip() for r in page.regions):
        return lost_page(page.number, stopped.reason)
    how = _HOW.get(stopped.kind, "its process crashed")
    return kept_without_ocr(page, f"OCR stopped: {how}", f"OCR stopped: {stopped.reason}")


def kept_without_ocr(page: Page, reason: str, why: str) -> Page:
    """The page with its text layer alone that should have been read by OCR: `reason` in few words, `why` in all."""
    said = (*(r.removesuffix(OCR_OFF) for r in page.reasons), f"{reason}; {KEPT}")
    return replace(page, route="geometry", reasons=said, failure=f"{why}; {KEPT}")


def counted(page: Page, *, reads: int, limits: Limits) -> Page:
    """The page, read for the `reads`-th time within these limits, with that count where it is worth another try."""
    if not fails_by_chance(page):
        return page
    said = (*page.reasons, f"{_times(reads)} within {limits}")
    return replace(page, reasons=said, failure=f"{page.failure} ({outlook(reads)})")


def fails_by_chance(page: Page) -> bool:
    """Whether what could not be read of a page may be read another time: its worker was lost, or a model failed."""
    return page.failure is not None and (
        page.route != "failed" or "its worker was lost" in page.reasons or MODEL_FAILED in page.reasons
    )


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
    """Whether a page is one to read again, or was read as often as it will be."""
    return page.failure is not None and _told(page.reasons) is not None


def worth_reading(pages: Iterable[Page]) -> bool:
    """Whether a build that finds these pages in the store will read lost ones again."""
    told = [_told(page.reasons) for page in pages if page.failure is not None]
    return any(said is not None and said[0] < READS for said in told)


def to_read_again(rows: Iterable[Mapping[str, Any]], limits: Limits) -> dict[str, int]:
    """Documents with such pages that are worth another try, and how often these were read within the same limits.

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
