"""OCR of pages on record: what took seconds a page is not done again by whoever goes on after an interruption.

Each page, or part of one, that was read has a file, until its document is in the store.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blake3 import blake3

from h3cold.ingest.ocr.page import OcrResult
from h3cold.ingest.page_facts import Line, Rule, Span, Word
from h3cold.ingest.store.files import read_checked, write_checked
from h3cold.schemas.errors import StoreError
from h3cold.schemas.export import to_json
from h3cold.schemas.geometry import BBox


@dataclass(frozen=True, slots=True)
class KeptOcr:
    """Files whose paths begin with `prefix`, which names the document and the settings that it is read with."""

    prefix: str

    def find(self, page: int, clip: BBox | None) -> OcrResult | None:
        """What was read of a page (1-based), or of the part of it in `clip`; None where that is not on record, or in
        another shape than this version's.
        """
        data = read_checked(self._path(page, clip))
        try:
            return None if data is None else _result(json.loads(data))
        except (LookupError, TypeError, ValueError, AttributeError):
            return None

    def keep(self, page: int, clip: BBox | None, result: OcrResult) -> None:
        """Put it on record; where that fails, it will be read once more."""
        with contextlib.suppress(StoreError):
            write_checked(self._path(page, clip), json.dumps(to_json(result), default=float).encode())

    def _path(self, page: int, clip: BBox | None) -> Path:
        part = "" if clip is None else blake3(json.dumps([round(v, 2) for v in clip]).encode()).hexdigest(6)
        return Path(f"{self.prefix}{page:06}{part and '-'}{part}")


def _result(data: dict[str, Any]) -> OcrResult:
    return OcrResult(
        lines=[_line(line) for line in data["lines"]],
        words=[Word(_text(text), _box(box)) for text, box in data["words"]],
        engine=_text(data["engine"]),
        confidence=_number(data["confidence"]),
        language=_text(data["language"]),
        rotation=int(data["rotation"]),
        skew=_number(data["skew"]),
        notes=tuple(map(_text, data["notes"])),
        rules=tuple(Rule(*map(_number, rule)) for rule in data["rules"]),
    )


def _line(data: Sequence[Any]) -> Line:
    text, box, spans, (across, down), block, confidence, hidden, vertical = data
    sure = None if confidence is None else _number(confidence)
    runs, way = tuple(map(_span, spans)), (_number(across), _number(down))
    return Line(_text(text), _box(box), runs, way, int(block), sure, bool(hidden), bool(vertical))


def _span(data: Sequence[Any]) -> Span:
    text, box, font, size, bold, italic, superscript, color, baseline = data
    looks = (bool(bold), bool(italic), bool(superscript), int(color))
    return Span(_text(text), _box(box), _text(font), _number(size), *looks, _number(baseline))


def _box(data: Sequence[Any]) -> BBox:
    x0, y0, x1, y1 = map(_number, data)
    return (x0, y0, x1, y1)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _number(value: Any) -> float:
    if not isinstance(value, int | float):
        raise TypeError(f"{value!r} is no number")
    return value
