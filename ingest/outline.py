"""A parsed document as a tree of chapters and sections, for `h3-parse`: no model is asked, words stand for vectors.

Where a document has headings they make the tree; where it has none, shifts of its words do (as TextTiling compares
them, Hearst, 1997, Computational Linguistics 23; at several scales, see `compress.shifts`).
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from h3cold.ingest.compress.extract import MIDDLE, TOP, gathered, sentence_of
from h3cold.ingest.compress.shifts import Floats
from h3cold.ingest.compress.tree import spans
from h3cold.schemas.document import ParsedDocument

WIDTH = 128
SENTENCES = 3


class Part(NamedTuple):
    """A part of a document: `level` 0 document, 1 chapter, 2 section, its 1-based first `page`, title and summary."""

    level: int
    page: int
    title: str
    summary: str


def outline(doc: ParsedDocument) -> list[Part]:
    """The parts of a document in reading order, each before those in it; none of a document without text."""
    from h3cold.ingest.blocks import build_blocks

    blocks = build_blocks(doc)
    if not blocks:
        return []
    vectors = word_vectors([b.text for b in blocks])
    sentences = [sentence_of(b.caption or b.text) for b in blocks]
    out = []
    for span in spans([b.headings for b in blocks], vectors, doc.info.title or doc.source):
        own = vectors[span.first : span.last]
        near = np.argsort(-(own @ own.mean(axis=0)), kind="stable")[: SENTENCES if span.level else 2 * SENTENCES]
        said = gathered([sentences[span.first + i] for i in sorted(near.tolist())], most=MIDDLE if span.level else TOP)
        out.append(Part(span.level, blocks[span.first].page, span.title, said))
    return out


def word_vectors(texts: Sequence[str]) -> Floats:
    """Texts by their words, rare ones weighing more, laid over `WIDTH` signed places: unit vectors [n, WIDTH]."""
    from h3cold.ingest.tokens import lexical

    words = [Counter(lexical(text)) for text in texts]
    known = Counter(w for own in words for w in own)
    out = np.zeros((len(texts), WIDTH), np.float32)
    for row, own in enumerate(words):
        for word, times in own.items():
            place = zlib.crc32(word.encode("utf-8", "surrogatepass"))
            weight = (1 + np.log(times)) * np.log(1 + len(texts) / known[word])
            out[row, place % WIDTH] += weight if place & 0x8000_0000 else -weight
    return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)
