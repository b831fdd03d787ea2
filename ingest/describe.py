"""What a document is about as a whole: title, language, company, period, date, type, authors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from h3cold.ingest.script import han_count
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.page import Page


def describe(source: str, pages: Sequence[Page], meta: Mapping[str, str | None]) -> DocumentInfo:
    """Read the facts off the first pages, the PDF's metadata where it is sane, and the file's name."""
    text = "\n".join(r.text for p in pages[:5] for r in p.regions)
    title = next((r.text for p in pages[:3] for r in p.regions if r.kind == "title"), "")
    return DocumentInfo(title=title or Path(source).stem, language="zh" if han_count(text) > 0.1 * len(text) else "en")
