"""Reading pages that have no usable text: `read(page)` gives lines in points of the page as displayed."""

from __future__ import annotations

from h3cold.ingest.ocr.choose import Choice, choose_engine
from h3cold.ingest.ocr.engines import ENGINES, OcrLine, open_engine
from h3cold.ingest.ocr.page import OcrResult, read

__all__ = ["ENGINES", "Choice", "OcrLine", "OcrResult", "choose_engine", "open_engine", "read"]
