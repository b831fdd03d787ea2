"""What an OCR engine is: a function from a grey picture to lines, found by name in one table."""

from __future__ import annotations

import functools
import importlib
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from h3cold.ingest.page_facts import Word
from h3cold.schemas.errors import UsageError
from h3cold.schemas.geometry import BBox

Grey = NDArray[np.uint8]
"""A picture as [height, width], 0 = black."""

ENGINES = {
    "tesseract": "h3cold.ingest.ocr.tesseract:read",
    "rapidocr": "h3cold.ingest.ocr.rapid:read",
}


class OcrLine(NamedTuple):
    """One line as an engine read it, in pixels of the picture it was given (origin top-left).

    `confidence` is 0..1; `words` are the blank-separated pieces of `text` with their boxes, or empty where the
    engine gives none; `size` estimates the font size in pixels; `worst` is the confidence of the least certain word,
    where the engine tells.
    """

    text: str
    bbox: BBox
    confidence: float
    words: tuple[Word, ...]
    size: float
    worst: float = 1.0


class Engine(Protocol):
    """An OCR engine.

    Args of a call: a grey picture, and the ISO 639-1 code of its language. Raises `ModelError` where the engine
    is not at hand.
    """

    def __call__(self, image: Grey, *, language: str) -> list[OcrLine]: ...


@functools.cache
def open_engine(name: str) -> Engine:
    """The engine called `name`, or any `module:function` of the same shape.

    Raises:
        UsageError: no engine has that name; lists the known ones.
    """
    target = ENGINES.get(name, name if ":" in name else "")
    module, _, attribute = target.partition(":")
    if not module:
        raise UsageError(f"unknown OCR engine {name!r}; known: {', '.join(ENGINES)}, or module:function of your own")
    try:
        engine: Any = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as e:
        raise UsageError(f"OCR engine {name!r} cannot be loaded: {e}") from e
    return engine
