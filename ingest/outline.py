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

from h3cold.ingest.compress.extract import MIDDLE, TOP, gathered, sentence_of, told
from h3cold.ingest.compress.shifts import Floats
from h3cold.ingest.compress.tree import CONTENTS, spans
from h3cold.ingest.headings import title_key
from h3cold.schemas.document import ParsedDocument
from h3cold.schemas.page import FURNITURE

WIDTH = 128
SENTENCES = 3

MOST = 240
"""Parts that an outline has at most."""

LEAST_SAID = 40
"""Letters of a text that may speak for its part."""


class Part(NamedTuple):
    """A part of a document: `level` 0 document, 1 chapter, 2 section, its 1-based first `page`, title and summary."""

    level: int
    page: int
    title: str
    summary: str


def outline(doc: ParsedDocument) -> list[Part]:
    """The parts of a document in reading order, each before those in it; none of a document without text."""
    return _headed(doc) or _shifted(doc)


def _headed(doc: ParsedDocument) -> list[Part]:
    """Chapters, headings that stand under no other, and the sections right below them; none where there are fewer than
    two, or more than anybody reads. A list of contents is no chapter, nor is what says again the name of one before.
    """
    body = [(p.number, r) for p in doc.pages for r in p.regions if r.kind not in FURNITURE]
    heads = [(i, r.level or 1, r) for i, (_, r) in enumerate(body) if r.kind == "heading"]
    heads = [
        h for h in heads if not CONTENTS.fullmatch(h[2].text) and not h[2].text.upper().endswith("TABLE OF CONTENTS")
    ]
    if len(heads) > 1 and all(level > heads[0][1] for _, level, _ in heads[1:]):
        del heads[0]  # one above all others names the document
    found: list[tuple[int, int, str]] = []  # the region's place, level and title
    said: list[set[str]] = [set(), set()]
    open_: list[int] = []
    for place, level, region in heads:
        while open_ and open_[-1] >= level:
            open_.pop()
        open_.append(level)
        key, depth = title_key(region.text), len(open_)
        if depth > 2 or key in said[depth - 1]:
            continue
        said[depth - 1].add(key)
        if depth == 1:
            said[1] = {key}
        found.append((place, depth, " ".join(region.text.split())))
    if len(found) > MOST:
        found = [one for one in found if one[1] == 1]
    if not 1 < len(found) <= MOST:
        return []
    texts = [r.text if r.kind in ("text", "list") else "" for _, r in body]
    vectors, sentences = word_vectors(texts), [sentence_of(t) if len(t) > LEAST_SAID else "" for t in texts]
    ends = [next((p for p, level, _ in found[n + 1 :] if level <= one[1]), len(body)) for n, one in enumerate(found)]
    spans_ = [(0, len(body), 0, doc.info.title or doc.source)]
    spans_ += [(place, end, level, title) for (place, level, title), end in zip(found, ends, strict=True)]
    return [Part(level, body[a][0], title, _said(vectors, sentences, a, b, level)) for a, b, level, title in spans_]


def _said(vectors: Floats, sentences: Sequence[str], first: int, last: int, level: int) -> str:
    """The sentences of `first` to `last` (exclusive) that are nearest to what all of them say, in their order."""
    own = vectors[first:last]
    near = np.argsort(-(own @ own.mean(axis=0)), kind="stable")
    taken = told((first + near).tolist(), sentences, most=SENTENCES if level else 2 * SENTENCES)
    return gathered([sentences[i] for i in taken], most=MIDDLE if level else TOP)


def _shifted(doc: ParsedDocument) -> list[Part]:
    """Parts that shifts of the words make, and headings where there are few."""
    from h3cold.ingest.blocks import build_blocks

    blocks = build_blocks(doc)
    if not blocks:
        return []
    vectors = word_vectors([b.text for b in blocks])
    sentences = [sentence_of(b.caption or b.text) for b in blocks]
    return [
        Part(s.level, blocks[s.first].page, s.title, _said(vectors, sentences, s.first, s.last, s.level))
        for s in spans([b.headings for b in blocks], vectors, doc.info.title or doc.source)
    ]


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
