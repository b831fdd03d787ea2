"""Where an engine is unsure of a word or has left print out, RapidOCR reads again: the line, or the whole page."""

from __future__ import annotations

import numpy as np

from h3cold.ingest.ocr import image
from h3cold.ingest.ocr.engines import Engine, Grey, OcrLine
from h3cold.ingest.page_facts import Word
from h3cold.schemas.geometry import BBox, union

DOUBT = 0.65
"""Confidence of its least certain word below which a line is read again. On rendered pages of prose and figures it
was below that for all numbers that Tesseract got wrong (215.56 as "PATS SIS)") and for no word that it got right."""
MOST_LINES = 10
"""Lines to read again one by one; where more are doubtful the whole page is read again, which is then faster."""
MISSED = 0.12
"""Share of a page's ink outside of all lines that were read, from which print was left out."""


def is_poor(found: list[OcrLine], picture: Grey) -> bool:
    """Whether a whole page should be read by the other engine."""
    doubtful = sum(line.worst < DOUBT for line in found)
    return doubtful > max(MOST_LINES, 0.25 * len(found)) or missed_ink(found, picture) > MISSED


def read_again(found: list[OcrLine], picture: Grey, engine: Engine, *, language: str) -> tuple[list[OcrLine], int]:
    """The lines, the doubtful ones as `engine` reads them where it is surer, and how many those are."""
    out, changed = [], 0
    for line in found:
        other = _reread(line, picture, engine, language) if line.worst < DOUBT else None
        out.append(other or line)
        changed += other is not None
    return out, changed


def _reread(line: OcrLine, picture: Grey, engine: Engine, language: str) -> OcrLine | None:
    height, width = picture.shape
    x0, y0, x1, y1 = line.bbox
    pad = 0.4 * (y1 - y0)
    left, top = max(0, int(x0 - pad)), max(0, int(y0 - pad))
    strip = picture[top : min(height, int(y1 + pad)), left : min(width, int(x1 + pad))]
    if min(strip.shape) < 4:
        return None
    pieces = sorted(engine(np.ascontiguousarray(strip), language=language), key=lambda piece: piece.bbox[0])
    # the strip shows the feet and heads of the lines beside it too
    pieces = [p for p in pieces if abs(p.bbox[1] + p.bbox[3] - strip.shape[0]) < 0.8 * strip.shape[0]]
    letters = sum(len(p.text) for p in pieces)
    if letters < 0.6 * len(line.text) or sum(p.confidence * len(p.text) for p in pieces) / letters <= line.worst:
        return None
    words = [Word(w.text, _moved(w.bbox, left, top)) for p in pieces for w in p.words or (Word(p.text, p.bbox),)]
    sure = sum(p.confidence * len(p.text) for p in pieces) / letters
    box = union(_moved(p.bbox, left, top) for p in pieces)
    return OcrLine(" ".join(p.text for p in pieces), box, sure, tuple(words), line.size)


def _moved(box: BBox, left: int, top: int) -> BBox:
    return (box[0] + left, box[1] + top, box[2] + left, box[3] + top)


def missed_ink(found: list[OcrLine], picture: Grey) -> float:
    """Share of a picture's ink that lies in no line that was read; ruling lines and the paper's edges are not ink."""
    dark = image.ink(picture)
    factor = picture.shape[0] / dark.shape[0]
    for x0, y0, x1, y1, thick in image.rules_of(picture):
        edge = thick / 2 + 2
        dark[_slice(y0 - edge, y1 + edge, factor), _slice(x0 - edge, x1 + edge, factor)] = False
    margin = max(1, dark.shape[0] // 50)
    dark[:margin] = dark[-margin:] = dark[:, :margin] = dark[:, -margin:] = False
    total = int(dark.sum())
    if not total:
        return 0.0
    for line in found:
        x0, y0, x1, y1 = line.bbox
        pad = 0.3 * (y1 - y0)
        dark[_slice(y0 - pad, y1 + pad, factor), _slice(x0 - 2 * pad, x1 + 2 * pad, factor)] = False
    return float(dark.sum()) / total


def _slice(start: float, stop: float, factor: float) -> slice:
    return slice(max(0, int(start / factor)), max(0, int(stop / factor) + 1))
