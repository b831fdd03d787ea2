"""OCR of one page: render, find the way up, read, and give lines in points of the page as displayed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pymupdf

from h3cold.ingest.ocr import choose, image, mend, tesseract
from h3cold.ingest.ocr.engines import Grey, OcrLine, open_engine
from h3cold.ingest.ocr.lines import Place, page_lines, page_rules
from h3cold.ingest.page_facts import Line, Rule, Word
from h3cold.schemas.geometry import BBox

LEAST_CONFIDENCE = 0.5
"""Lines below this are what engines make of pictures and stains."""
UPRIGHT_CONFIDENCE = 0.75
"""Mean confidence at which nobody tries the page the other way up."""


@dataclass(frozen=True, slots=True)
class OcrResult:
    """What OCR made of a page.

    `lines` and `words` have boxes in points of the page as displayed; `rotation` is how many degrees clockwise the
    displayed page must be turned for its text to stand upright (0, 90, 180 or 270); `skew` the degrees by which the
    upright page's lines fall to the right, which is taken out of the boxes around the middle of what was read.
    `confidence` (0..1) is the mean over characters, 0 where nothing was read. `language` is an ISO 639-1 code
    ("" where nothing was read and none was given), `notes` says what a user should know, such as a substituted engine.
    `rules` are the straight lines that the picture shows, in the same points.
    """

    lines: list[Line]
    words: list[Word]
    engine: str
    confidence: float
    language: str
    rotation: int = 0
    skew: float = 0.0
    notes: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()


def read(page: pymupdf.Page, *, clip: BBox | None = None, language: str = "auto") -> OcrResult:
    """OCR `page`, or the part of it in `clip` (points as displayed).

    Args:
        language: ISO 639-1 code, or "auto" to find out from the page; a caller that reads many pages of one
            document saves time by passing on the language of the first.

    Raises:
        ModelError: the engine does not load or failed.
    """
    rendering = image.render(page, clip)
    if not image.ink(rendering.image).any():
        language = "" if language == "auto" else language
        return OcrResult([], [], choose.choose_engine(language).engine, 0.0, language)
    lies = image.layout_of(rendering.image)
    turns: tuple[int, ...] = (90, 270) if lies.sideways else (0, 180)
    if not lies.sure:
        turns += (0, 180) if lies.sideways else (90, 270)

    def upright(turn: int) -> Grey:
        return image.straighten(rendering.image, turn=turn, skew=lies.skew)

    def read_with(engine: str) -> tuple[int, list[OcrLine]]:
        run = open_engine(engine)
        return _first_confident(turns, lambda turn: run(upright(turn), language=language or "en"))

    asked = language
    plain = image.is_plain(page, clip)
    if asked == "auto":
        # Where there is nothing to choose, the text itself will tell.
        turns, language = _probe(turns, upright) if plain and tesseract.can_read("en") else (turns, "")
    choice = choose.choose_engine(language, plain=plain)
    turn, found = read_with(choice.engine)
    again = 0
    if choice.engine == "tesseract" and mend.is_poor(found, upright(turn)):
        # the few lines that told the language may have been all there is in that language
        other = read_with("rapidocr")
        if _weight(other[1]) > 0.9 * _weight(found):
            (turn, found), choice = other, choose.Choice("rapidocr", "")
    else:
        found, again = mend.read_again(found, upright(turn), open_engine("rapidocr"), language=language or "en")
    height, width = rendering.image.shape if turn in (0, 180) else rendering.image.shape[::-1]
    place = Place(turn, (height, width), rendering.origin, rendering.scale)
    lines, words = page_lines(found, place)
    rules = page_rules(image.rules_of(upright(turn)), found, place)
    if asked == "auto":
        language = choose.language_of(_text(found))
        if choice.engine == "rapidocr" and not tesseract.can_read("en"):
            choice = choose.choose_engine(language, plain=plain)
    notes = [choice.note] if choice.note else []
    notes += [f"{again} line{'s' * (again != 1)} read again by rapidocr"] * bool(again)
    notes += [f"turned by {turn} degrees to be read"] * bool(turn) + ["askew, straightened to be read"] * bool(
        lies.skew
    )
    return OcrResult(
        lines, words, choice.engine, _confidence(found), language, turn, lies.skew, tuple(notes), tuple(rules)
    )


def _probe(turns: tuple[int, ...], upright: Callable[[int], Grey]) -> tuple[tuple[int, ...], str]:
    """Read a few lines: gives `turns` with the right one first, and the language ("" where nothing could be read)."""
    engine = open_engine("rapidocr")
    turn, found = _first_confident(turns[:2], lambda turn: engine(_strip(upright(turn)), language="en"))
    return (turn, *(t for t in turns if t != turn)), choose.language_of(_text(found))


def _strip(upright: Grey) -> Grey:
    """The rows with most ink: enough of them for some three lines of text."""
    rows = image.ink(upright).sum(axis=1)
    height = max(1, len(rows) // 16)
    start = int(np.argmax(np.convolve(rows, np.ones(height), mode="valid")))
    scale = upright.shape[0] / len(rows)
    return upright[int(start * scale) : int((start + height) * scale) + 1]


def _first_confident(turns: tuple[int, ...], read_turned: Callable[[int], list[OcrLine]]) -> tuple[int, list[OcrLine]]:
    """The first turn that reads with confidence, else the one that reads most; the first where none reads."""
    best = (turns[0], list[OcrLine]())
    empty: set[int] = set()
    for turn in turns:
        if (turn + 180) % 360 in empty:
            continue  # where no line was seen at all there is none upside down either
        everything = read_turned(turn)
        if not everything:
            empty.add(turn)
        found = [line for line in everything if line.confidence >= LEAST_CONFIDENCE]
        if _confidence(found) >= UPRIGHT_CONFIDENCE:
            return turn, found
        if _weight(found) > _weight(best[1]):
            best = (turn, found)
    return best


def _text(found: list[OcrLine]) -> str:
    return " ".join(line.text for line in found)


def _confidence(found: list[OcrLine]) -> float:
    return _weight(found) / sum(len(line.text) for line in found) if found else 0.0


def _weight(found: list[OcrLine]) -> float:
    """How much was read, in characters that are certain."""
    return sum(line.confidence * len(line.text) for line in found)
