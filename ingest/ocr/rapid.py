"""RapidOCR's PP-OCRv6 networks on onnxruntime: weights come in the wheel; the better engine on Chinese text."""

from __future__ import annotations

import functools
import itertools
import logging
import unicodedata
from typing import Any

import numpy as np

from h3cold.ingest.ocr.engines import Grey, OcrLine
from h3cold.ingest.page_facts import Word
from h3cold.ingest.script import is_cjk
from h3cold.schemas.geometry import BBox, union

DETECT_SHARE = 0.41
DETECT_SIDE = (960, 1600)
"""Text is *found* on a picture reduced to this share of its long side, within these bounds in pixels, and read from
the full picture. That is 82 dpi for an A4 page at 200 dpi: 6 pt print was still found in full, in two thirds of the
time."""

EM_PER_HEIGHT = 0.80
"""Font size over the height of a detected box, which the network pads."""
HOLE = 1.7
"""Distance of two Han characters, over the usual one of their line, from which something is missing between them."""
PADDING = 0.1
"""Share of a detected box's height that is padding, on each side."""


def read(image: Grey, *, language: str) -> list[OcrLine]:
    """Read `image`, see `engines.Engine`; one network reads Chinese, English and other Latin-script languages."""
    engine = _engine()
    least, most = DETECT_SIDE
    engine.text_det.limit_side_len = min(max(int(DETECT_SHARE * max(image.shape)), least), most)
    found = engine(np.repeat(image[:, :, None], 3, axis=2))
    if found.txts is None or found.boxes is None:
        return []
    pieces = found.word_results if len(found.word_results or ()) == len(found.txts) else [()] * len(found.txts)
    return [
        _line(text, np.asarray(box), float(score), parts)
        for text, box, score, parts in zip(found.txts, found.boxes, found.scores, pieces, strict=True)
        if text.strip()
    ]


@functools.cache
def _engine() -> Any:
    from rapidocr import RapidOCR

    engine = RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.use_cls": False,  # upside-down pages are turned as a whole, see `page`
            "Global.text_score": 0.0,  # `page` drops what is too uncertain
            "Global.max_side_len": 8000,  # the picture is bounded already; shrunk again, small print is lost
            "Global.return_word_box": True,
            "Det.limit_type": "max",
            "Det.max_candidates": 5000,
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )
    logging.getLogger("RapidOCR").setLevel(logging.CRITICAL)
    engine(np.full((64, 64, 3), 255, np.uint8))  # it loads its networks with the first picture
    return engine


def _line(text: str, quad: np.ndarray[Any, Any], score: float, parts: Any) -> OcrLine:
    (x0, y0), (x1, y1) = quad.min(axis=0).tolist(), quad.max(axis=0).tolist()
    height = float(np.linalg.norm(quad[3] - quad[0]))
    cut = PADDING * min(height, y1 - y0)
    box = (x0 + cut, y0 + cut, max(x0 + cut, x1 - cut), y1 - cut)
    size = _font_size(text, box, height * EM_PER_HEIGHT)
    return OcrLine(text, box, score, _words(text, parts, cut), size, 0.0 if _has_hole(parts) else 1.0)


def _has_hole(parts: Any) -> bool:
    """Whether two Han characters stand apart as if one had been between them: a small mark, such as 、, was missed."""
    middles = [
        (str(p[0]).strip(), float(np.asarray(p[2])[:, 0].mean()))
        for p in parts
        if p[2] is not None and str(p[0]).strip()
    ]
    steps = [b - a for (one, a), (two, b) in itertools.pairwise(middles) if is_cjk(one[-1]) and is_cjk(two[0])]
    return len(steps) > 3 and max(steps) > HOLE * float(np.median(steps))


def _font_size(text: str, box: BBox, by_height: float) -> float:
    """Chinese characters are as wide as their font size, which is surer than the height of a box."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    if wide < 3 or wide < 0.3 * len(text):
        return by_height
    by_width = (box[2] - box[0]) / (wide + 0.5 * (len(text) - wide))
    return min(max(by_width, 0.85 * by_height), 1.35 * by_height)


def _words(text: str, parts: Any, cut: float) -> tuple[Word, ...]:
    """Boxes of the blank-separated words; the network boxes letters or words as it sees fit."""
    rest = [(str(p[0]).strip(), np.asarray(p[2])) for p in parts if p[2] is not None and str(p[0]).strip()]
    words: list[Word] = []
    at = 0
    for word in text.split():
        boxes, got = [], ""
        while at < len(rest) and len(got) < len(word):
            piece, quad = rest[at]
            got, at = got + piece.replace(" ", ""), at + 1
            (x0, y0), (x1, y1) = quad.min(axis=0).tolist(), quad.max(axis=0).tolist()
            boxes.append((x0, y0 + cut, x1, max(y0 + cut, y1 - cut)))
        if got != word:
            return ()
        words.append(Word(word, union(boxes)))
    return tuple(words)
