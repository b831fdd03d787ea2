"""Tesseract through pytesseract: the better of the two engines on Latin text, and three times as fast there."""

from __future__ import annotations

import functools
import os
import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from h3cold.ingest.ocr.engines import Grey, OcrLine
from h3cold.ingest.page_facts import Word
from h3cold.schemas.errors import ModelError
from h3cold.schemas.geometry import BBox, union

NAMES = {
    "en": "eng", "zh": "chi_sim", "de": "deu", "fr": "fra", "es": "spa", "it": "ita", "pt": "por", "nl": "nld",
    "ja": "jpn", "ko": "kor", "ru": "rus", "ar": "ara",
}  # fmt: skip
"""ISO 639-1 code to the name of Tesseract's language data."""

EM_PER_X_SIZE = 1.06
"""Font size over hOCR's `x_size`, measured on rendered pages of four fonts at 9 to 16 pt."""

_FIELDS = re.compile(r"(bbox|x_size|x_wconf)((?: -?[\d.]+)+)")


def read(image: Grey, *, language: str) -> list[OcrLine]:
    """Read `image`, see `engines.Engine`.

    Raises:
        ModelError: the binary or its data for `language` is not installed, or it failed.
    """
    import pytesseract
    from PIL import Image

    if not can_read(language):
        raise ModelError(
            f"tesseract cannot read language {language!r}: put the tesseract binary on PATH and install its language "
            f"data ({NAMES.get(language, language)}.traineddata), or use the engine rapidocr"
        )
    # OpenMP's threads make one page slower and starve the other worker processes.
    os.environ["OMP_THREAD_LIMIT"] = "1"
    try:
        hocr = pytesseract.image_to_pdf_or_hocr(
            Image.fromarray(image), lang=NAMES[language], extension="hocr", config="--dpi 200"
        )
    except pytesseract.TesseractError as e:
        raise ModelError(f"tesseract failed: {e.message}") from e
    return list(parse_hocr(hocr))


def can_read(language: str) -> bool:
    """Whether the binary is on PATH and has its data for the ISO 639-1 code `language`."""
    binary = shutil.which("tesseract")
    return binary is not None and NAMES.get(language) in _languages(binary)


@functools.cache
def _languages(binary: str) -> frozenset[str]:
    import pytesseract

    try:
        return frozenset(pytesseract.get_languages())
    except (pytesseract.TesseractError, OSError):
        return frozenset()


def parse_hocr(hocr: bytes) -> Iterator[OcrLine]:
    """Lines of an hOCR document (https://kba.github.io/hocr-spec/1.2/), in its order."""
    for line in ET.fromstring(hocr).iter():
        if line.get("class") not in ("ocr_line", "ocr_header", "ocr_caption", "ocr_textfloat"):
            continue
        words, confidences, lines_seen = [], [], False
        for element in line.iter():
            text = "".join(element.itertext()).strip() if element.get("class") == "ocrx_word" else ""
            if text and not text.strip("|"):  # the line of a table, or a 1
                lines_seen = True
            elif text:
                fields = _fields(element)
                words.append(Word(text, _box(fields)))
                confidences.append((fields["x_wconf"][0], len(text)))
        if words:
            weight = sum(n for _, n in confidences)
            yield OcrLine(
                " ".join(w.text for w in words),
                union(w.bbox for w in words),
                sum(c * n for c, n in confidences) / weight / 100,
                tuple(words),
                _fields(line)["x_size"][0] * EM_PER_X_SIZE,
                0.0 if lines_seen else min(c for c, _ in confidences) / 100,
            )


def _fields(element: ET.Element) -> dict[str, list[float]]:
    return {name: [float(v) for v in values.split()] for name, values in _FIELDS.findall(element.get("title", ""))}


def _box(fields: dict[str, list[float]]) -> BBox:
    x0, y0, x1, y1 = fields["bbox"]
    return (x0, y0, x1, y1)
