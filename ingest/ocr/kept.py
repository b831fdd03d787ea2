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
        """What was read of a page (1-based), or of the part of it in `clip`; None where that is not on record."""
        data = read_checked(self._path(page, clip))
        return None if data is None else _result(json.loads(data))

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
        words=[Word(text, _box(box)) for text, box in data["words"]],
        engine=data["engine"],
        confidence=data["confidence"],
        language=data["language"],
        rotation=data["rotation"],
        skew=data["skew"],
        notes=tuple(data["notes"]),
        rules=tuple(Rule(*rule) for rule in data["rules"]),
    )


def _line(data: Sequence[Any]) -> Line:
    text, box, spans, direction, *rest = data
    runs = tuple(Span(said, _box(where), *more) for said, where, *more in spans)
    return Line(text, _box(box), runs, (direction[0], direction[1]), *rest)


def _box(data: Sequence[float]) -> BBox:
    x0, y0, x1, y1 = data
    return (x0, y0, x1, y1)
