"""How well headings and their levels are found: against another parser's, and against what PDFs' own outlines say."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import pymupdf

from h3cold.ingest.numbering import unnumbered
from h3cold.ingest.opening import open_document
from h3cold.ingest.parse import Outline, ParseOptions, finish, outline_of, parse_window
from h3cold.ingest.scores import indel, normalised
from h3cold.schemas.errors import DocumentError
from h3cold.schemas.page import Page

SAME = 0.75
"""Indel similarity from which two headings are one; the rest is numbers and blanks that parsers write differently."""

LEAST_ENTRIES = 5
OUTLINED = ("mmlongbench", "uda", "docling", "pypdf_sample_files")


def heading_similarity(ours: Mapping[str, int], theirs: Mapping[str, int]) -> float:
    """Agreement of two parsers on a document's headings and their levels, 0..1.

    Twice the credit of the headings that both have, over the number of both parsers' headings: a Dice coefficient, 1
    where both have the same headings on the same levels, and the F1 of the headings where only levels agree. Headings
    are matched by text, one to one, the most similar first (from `SAME`). A matched heading's credit is 1 where its
    level agrees and less by the share of the levels that it is off.

    Absolute levels are conventions, so that ours are first brought to theirs by the order-preserving map that fits
    best (no two levels change places). A reference that puts all headings on one level says nothing about levels and
    takes no credit away; one with levels is contradicted by headings on one level. The idea of one figure for both,
    that rises with either, is that of opendataloader-bench's "heading-level similarity" (MHS), which edits trees.

    Args:
        ours: normalised heading text to level, 1 the outermost.
        theirs: the same of the reference.
    """
    if not ours and not theirs:
        return 1.0
    pairs = matched(list(ours), list(theirs))
    return 2 * level_credit([(ours[a], theirs[b]) for a, b in pairs]) / (len(ours) + len(theirs))


def matched(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of headings with similar text, one to one, the most similar first."""
    scored = sorted(
        ((indel(a, b), i, j) for i, a in enumerate(ours) for j, b in enumerate(theirs)), key=lambda s: (-s[0], s[1:])
    )
    left, right = set(range(len(ours))), set(range(len(theirs)))
    out = []
    for score, i, j in scored:
        if score >= SAME and i in left and j in right:
            left.discard(i)
            right.discard(j)
            out.append((ours[i], theirs[j]))
    return out


def level_credit(pairs: Sequence[tuple[int, int]]) -> float:
    """Credit for pairs of (our level, their level) under the best order-preserving map from ours to theirs."""
    levels = sorted({b for _, b in pairs})
    by_ours: dict[int, list[int]] = defaultdict(list)
    for a, b in pairs:
        by_ours[a].append(levels.index(b))
    span = max(1, len(levels) - 1)
    best = [0.0] * max(
        1, len(levels)
    )  # the most credit so far with the last of our levels mapped to this one of theirs
    for a in sorted(by_ours):
        upto = list(itertools.accumulate(best, max))
        best = [upto[k] + sum(1 - abs(k - b) / span for b in by_ours[a]) for k in range(len(best))]
    return max(best)


def outlines(data: Path) -> dict[str, float]:
    """Headings and levels against the bookmarks of PDFs that have some on two levels, which the parser is not shown.

    `found`: share of the bookmarks that are headings on their page or a neighbour of it, numbers left out. `levels`:
    share of the pairs of those found, within a document, whose order of levels (higher, same, deeper) is the outline's.
    """
    found = entries = agreed = compared = documents = 0
    for path in sorted(p for folder in OUTLINED for p in (data / folder).rglob("*.pdf")):
        try:
            with open_document(path) as doc:
                told = outline_of(doc)
                if len(told) < LEAST_ENTRIES or len({level for level, _, _ in told}) < 2:
                    continue
                here = _beside(told, _read_without(doc, path))
        except DocumentError:
            continue
        documents, found, entries = documents + 1, found + len(here), entries + len(told)
        for (a, x), (b, y) in itertools.combinations(here, 2):
            compared += 1
            agreed += _sign(a - b) == _sign(x - y)
    return {"found": found / max(1, entries), "levels": agreed / max(1, compared), "entries": entries,
            "pairs": compared, "documents": documents}  # fmt: skip


def _read_without(doc: pymupdf.Document, path: Path) -> tuple[Page, ...]:
    doc.set_toc([])  # in memory only
    options = ParseOptions(ocr="off", layout="fast")
    pages = parse_window(doc, str(path), 1, doc.page_count, options)
    return finish("", str(path), pages, doc.metadata or {}, []).pages


def _beside(told: Outline, pages: Sequence[Page]) -> list[tuple[int, int]]:
    """(level in the outline, our level; 0 the title's) of the entries that are found."""
    ours = {
        (normalised(unnumbered(r.text)), page.number): r.level or 0
        for page in pages
        for r in page.regions
        if r.kind in ("heading", "title")
    }
    out = []
    for level, title, number in told:
        keys = [(normalised(unnumbered(title)), number + near) for near in (0, 1, -1)]
        key = next((k for k in keys if k in ours), None)
        if key is not None:
            out.append((level, ours[key]))
    return out


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)
