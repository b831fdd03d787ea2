"""Which engine reads which language, and which language a page is in."""

from __future__ import annotations

import re
import shutil
from typing import NamedTuple

from h3cold.ingest.ocr import tesseract

BETTER_IN_RAPIDOCR = frozenset({"zh", "ja"})
"""Character error rate on rendered 9 and 10.5 pt Chinese pages: RapidOCR .000, Tesseract .014 (degraded to a poor
scan: .000, .018); on English pages both miss nothing, and Tesseract takes a third of the time."""

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_LETTER = re.compile(r"[^\W\d_]")


class Choice(NamedTuple):
    """An engine's name, and what there is to say about it being a substitute (empty where it is not)."""

    engine: str
    note: str


def choose_engine(language: str, *, plain: bool = True) -> Choice:
    """The better engine at hand for the ISO 639-1 code `language`; "" is any language, which RapidOCR can do.

    `plain` tells that the page is dark print on white. Tesseract loses labels on colour and white letters in dark
    boxes, as slides, posters and charts have them.
    """
    if not language or not plain or language in BETTER_IN_RAPIDOCR:
        return Choice("rapidocr", "")
    if tesseract.can_read(language):
        return Choice("tesseract", "")
    missing = "binary on PATH" if shutil.which("tesseract") is None else f"data for {language!r}"
    return Choice("rapidocr", f"read by rapidocr: no tesseract {missing}")


def language_of(text: str) -> str:
    """ "zh", "ja" or "en" (standing for every Latin script) by the letters of `text`; "" where it has none."""
    letters = len(_LETTER.findall(text))
    if not letters:
        return ""
    if len(_KANA.findall(text)) > 0.1 * letters:
        return "ja"
    return "zh" if len(_HAN.findall(text)) > 0.15 * letters else "en"
