"""What can be asked of the parser: known to whoever hands documents to workers, without the parser itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from h3cold.schemas import config

if TYPE_CHECKING:
    from h3cold.ingest.triage import OcrMode


OCR_OFF = "; OCR is off"
"""How the reason ends why a page would have been read by OCR, on a page that was not."""


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """How to parse; the fields are those of `config.Ingest` by the same names."""

    ocr: OcrMode = "auto"
    layout: Literal["fast", "auto", "model"] = "auto"
    layout_model: str = "pymupdf"
    passwords: tuple[str, ...] = ()
    page_seconds: float = 120.0


def options_from(ingest: config.Ingest, *, ocr_enabled: bool = True) -> ParseOptions:
    """The options that a configuration asks for; `ocr_enabled` is `cold_storage.ocr_enabled`."""
    return ParseOptions(
        ocr=ingest.ocr if ocr_enabled else "off",
        layout=ingest.layout,
        layout_model=ingest.layout_model,
        passwords=ingest.passwords,
        page_seconds=ingest.page_seconds,
    )
