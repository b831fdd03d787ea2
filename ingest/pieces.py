"""Text cut at paragraph, sentence and clause ends, measured in tokens, and packed into runs of a target size."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from h3cold.schemas.page import Region

Count = Callable[[Sequence[str]], list[int]]
"""Texts to their numbers of tokens."""

SLACK = 1.25
"""A run may exceed the target by this factor, so that no tiny rest is left over."""

HAN = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff]")
_SENTENCE = re.compile(r"[。！？；][”’」』）]*\s*|[.!?][\"”’)\]]*\s+(?=[\"“‘(\[]?[A-Z0-9\u2e80-\u9fff])")
_ABBREVIATED = re.compile(
    r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|Inc|Corp|Co|Ltd|LLC|No|Nos|Fig|Figs|Eq|Sec|Art|vs|v|cf|al|approx|Jr|Sr|St|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)|\bU\.S|\be\.g|\bi\.e)\.$"
)
_CLAUSE = re.compile(r"[，、：,:;]\s*|\s+")


class Item(NamedTuple):
    """A region with its 1-based page and its place in the document's reading order."""

    position: int
    page: int
    region: Region


class Piece(NamedTuple):
    """Characters `start:end` of an item's text; `opens` marks the first piece of a paragraph or list item."""

    item: Item
    start: int
    end: int
    tokens: int
    opens: bool


def estimate(texts: Sequence[str]) -> list[int]:
    """Tokens of each text without a tokenizer: 0.7 for a Han character, 0.25 for any other, rounded up."""
    out = []
    for text in texts:
        han = len(HAN.findall(text))
        out.append(-(-(14 * han + 5 * (len(text) - han)) // 20))
    return out


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Spans of the sentences, English or Chinese; together they are the whole text."""
    start = 0
    for match in _SENTENCE.finditer(text):
        dot = text[start : match.start() + 1]
        if dot.endswith(".") and _ABBREVIATED.search(dot[-8:]):
            continue
        yield start, match.end()
        start = match.end()
    if start < len(text):
        yield start, len(text)


def measure(items: Sequence[Item], count: Count, target: int) -> dict[int, list[Piece]]:
    """Each item's text as pieces of at most `target` tokens, keyed by the item's index.

    Pieces end where sentences do; one that is too long is cut at clauses, at blanks, at last anywhere.
    """
    spans = [(item, a, b, opens) for item in items for a, b, opens in _spans(item.region)]
    whole = _measured(spans, count, target)
    out: dict[int, list[Piece]] = {item.position: [] for item in items}
    for piece in whole:
        out[piece.item.position].append(piece)
    return out


def _spans(region: Region) -> Iterator[tuple[int, int, bool]]:
    text, at = region.text, 0
    inside = region.continues and region.kind == "text"  # the paragraph began in the region before
    paragraphs = text.splitlines(keepends=True) if region.kind == "list" else [text]
    for paragraph in paragraphs:
        for a, b in sentences(paragraph):
            yield at + a, at + b, a == 0 and not (inside and at == 0)
        at += len(paragraph)


def _measured(spans: list[tuple[Item, int, int, bool]], count: Count, target: int) -> list[Piece]:
    done: list[Piece] = []
    # Tokenizers are slow on megabytes without a blank: what cannot fit in any case is cut before it is counted.
    todo = [s for span in spans for s in _cut(span, 8 * target)]
    while todo:
        # The line break stands for whatever joins the piece to the next one.
        tokens = count([item.region.text[a:b] + "\n" for item, a, b, _ in todo])
        rest: list[tuple[Item, int, int, bool]] = []
        for span, n in zip(todo, tokens, strict=True):
            item, a, b, opens = span
            if n <= target or b - a == 1:
                done.append(Piece(item, a, b, n, opens))
            else:
                rest.extend(_cut(span, max(1, min((b - a) - 1, (b - a) * target // (4 * n)))))
        todo = rest
    return sorted(done, key=lambda p: (p.item.position, p.start))


def _cut(span: tuple[Item, int, int, bool], limit: int) -> Iterator[tuple[Item, int, int, bool]]:
    """Pieces of at most `limit` characters, ending at a clause or blank where one is near."""
    item, start, end, opens = span
    text = item.region.text
    while end - start > limit:
        ends = [m.end() for m in _CLAUSE.finditer(text, start + limit // 2, start + limit)]
        cut = ends[-1] if ends else start + limit
        yield item, start, cut, opens
        start, opens = cut, False
    yield item, start, end, opens


def pack(pieces: Sequence[Piece], target: int) -> list[list[Piece]]:
    """Consecutive runs of about `target` tokens, at most `SLACK` times as many, cut at paragraphs where it can be."""
    runs: list[list[Piece]] = []
    run: list[Piece] = []
    size = 0
    for i, piece in enumerate(pieces):
        ahead = piece.tokens
        if piece.opens and 2 * size >= target:
            for later in pieces[i + 1 :]:
                if later.opens or size + ahead > target:
                    break
                ahead += later.tokens
        if run and size + ahead > target:
            runs.append(run)
            run, size = [], 0
        run.append(piece)
        size += piece.tokens
    if run:
        runs.append(run)
    if len(runs) > 1:
        rest, before = (sum(p.tokens for p in r) for r in (runs[-1], runs[-2]))
        if 4 * rest < target and rest + before <= SLACK * target:
            runs[-2:] = [runs[-2] + runs[-1]]
    return runs
