"""Layout models behind LayoutParser's types: `detect(page, model)` gives a `layoutparser.Layout` in points."""

from __future__ import annotations

from h3cold.ingest.layout.detect import MODELS, detect, open_model

__all__ = ["MODELS", "detect", "open_model"]
