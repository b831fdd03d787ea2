"""One source file and what is known about it."""

from __future__ import annotations

from dataclasses import dataclass, field

from h3cold.schemas.page import Page


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """Facts that recall filters on; an empty string or None where the document does not say.

    `language` is "en", "zh" or another ISO 639-1 code; `date` and `period` are as normalised by
    `ingest.describe` (`2023-12-31`; `FY2023`, `2023Q2`); `doctype` is e.g. "10-K", "annual report", "contract".
    """

    title: str = ""
    language: str = "en"
    company: str = ""
    period: str = ""
    date: str = ""
    doctype: str = ""
    authors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A parsed file. `id` is the BLAKE3 of its bytes (first 16 bytes, hex); `source` the path as given."""

    id: str
    source: str
    info: DocumentInfo
    pages: tuple[Page, ...] = field(repr=False)

    @property
    def failures(self) -> tuple[tuple[int, str], ...]:
        """(1-based page, reason) of every page that could not be read, or not as it should have been."""
        return tuple((p.number, p.failure) for p in self.pages if p.failure is not None)
