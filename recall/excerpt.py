"""Of a long table, the rows that answer a question under its head: a list of a thousand firms is no answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from h3cold.recall.understand import HAN, Question, tokens_of
from h3cold.recall.words import Floats, Ints, Words, look_up, read_texts
from h3cold.schemas.block import Block
from h3cold.schemas.page import Cell, Table

WHOLE = 5_000
"""Letters of a table up to which a hit has all of it; a Chinese character counts as three."""

SHOWN = 1_500
"""Letters of rows that a hit has of a longer one, its head not counted: about a block."""

PIECES = 8
"""Pieces of a table that are read, those that hold most of the question's words: a list can have hundreds."""

NEAR = 0.5
"""Share of the best row's score from which another row answers, too."""

GAP = "…"
"""Stands in the text for rows that were left out."""


class Line(NamedTuple):
    """A body row of a piece: which piece, its row in that one's grid, its text."""

    piece: int
    row: int
    text: str


def length(text: str) -> int:
    """Letters of a text, a Chinese character counting as three: they say as much."""
    return len(text) + 2 * len(HAN.findall(text))


def pieces_to_read(words: Words, parts: Sequence[int], row: int, pages: Ints, question: Question) -> list[int]:
    """Of the pieces of a table (rows of the corpus, of which `row` was found) those that are worth reading.

    All of a table of few; else those that say most of the question, and those on the page of `row`, whose region is
    shown. `pages` are the first pages of `parts`.
    """
    if len(parts) <= PIECES:
        return list(parts)
    asked = dict(question.terms)
    held = read_texts(words, np.array(parts, np.int64), look_up(words, asked, ())).present
    rarity = np.log(1 + len(parts) / np.maximum(held.sum(axis=0), 1))
    scores: Floats = held @ (rarity * np.array(list(asked.values()))).astype(np.float32)
    here = parts.index(row)
    scores[pages == pages[here]] += 1e-3
    scores[here] = np.inf
    best = np.argsort(-scores, kind="stable")[:PIECES].tolist()
    return [parts[i] for i in sorted(best)]


def excerpt(parts: Sequence[Block], found: Block, question: Question) -> tuple[str, Table | None]:
    """Text and table of the rows of `parts` (pieces of a table in order, `found` among them) that answer, and the head.

    They are those that say most of the question, as many as fit, then those around the best of them.
    """
    first = next((p for p in parts if p.table is not None), None)
    if first is None:
        return found.text, None
    head, lines = _head_text(first), _lines(parts)
    chosen = _choose(lines, parts.index(found), question)
    shown = [lines[i] for i in sorted(chosen)]
    return _text(head, lines, sorted(chosen)), _table(parts, shown)


def _lines(parts: Sequence[Block]) -> list[Line]:
    out = []
    for number, part in enumerate(parts):
        if part.table is None:
            continue
        grid = part.table.grid()
        for row in range(part.table.header_rows(), len(grid)):
            text = _row_text(grid[row])
            if text:
                out.append(Line(number, row, text))
    return out


def _row_text(row: Sequence[str]) -> str:
    texts = [" ".join(cell.split()) for cell in row]
    while texts and not texts[-1]:
        texts.pop()
    return " | ".join(texts)


def _head_text(part: Block) -> str:
    """What stands in a piece's text above its first body row: caption, units, head."""
    assert part.table is not None
    body = {_said(_row_text(row)) for row in part.table.grid()[part.table.header_rows() :]} - {()}
    head = []
    for line in part.text.splitlines():
        if _said(line) in body:
            break
        if _said(line):
            head.append(line)
    else:  # the text is not that of the grid
        head = [text for row in part.table.grid()[: part.table.header_rows()] if (text := _row_text(row))]
    return "\n".join(head)


def _said(line: str) -> tuple[str, ...]:
    """The cells of a line that say something: rows that were cut to fit have no others in the text."""
    return tuple(cell for part in line.split("|") if (cell := " ".join(part.split())))


def _choose(lines: Sequence[Line], home: int, question: Question) -> set[int]:
    """Numbers of the lines shown; there is always one."""
    scores = _scores(lines, question)
    order = sorted(range(len(lines)), key=lambda i: (-scores[i], lines[i].piece != home, i))
    top = scores[order[0]] if order else 0.0
    own = [i for i in order if lines[i].piece == home] or order
    best = order[0] if top > 0 else min(own, default=0)
    matching = [i for i in order if top > 0 and scores[i] >= NEAR * top]
    around = sorted(
        (i for i in range(len(lines)) if lines[i].piece == lines[best].piece), key=lambda i: (abs(i - best), i)
    )
    chosen: set[int] = set()
    room = SHOWN
    for i in (*matching, *around):
        if i in chosen:
            continue
        room -= length(lines[i].text)
        if room < 0 and chosen:
            break
        chosen.add(i)
    return chosen


def _scores(lines: Sequence[Line], question: Question) -> list[float]:
    """How much of the question each line says, words that few of them say weighing more."""
    weights = dict(question.terms)
    held = [tokens_of(line.text) & weights.keys() for line in lines]
    count = Counter(token for tokens in held for token in tokens)
    rarity = {token: weights[token] * math.log(1 + len(lines) / n) for token, n in count.items()}
    return [math.fsum(rarity[token] for token in tokens) for tokens in held]  # the same in whatever order sets are


def _text(head: str, lines: Sequence[Line], chosen: Sequence[int]) -> str:
    out = [head] if head else []
    last = -1
    for i in chosen:
        if i > last + 1:
            out.append(GAP)
        out.append(lines[i].text)
        last = i
    if last < len(lines) - 1:
        out.append(GAP)
    return "\n".join(out)


def _table(parts: Sequence[Block], shown: Sequence[Line]) -> Table | None:
    """The head of the first piece shown and the rows shown, numbered anew; a span is cut to what is left of it."""
    if not shown:
        return None
    source = parts[shown[0].piece]
    assert source.table is not None
    deep = source.table.header_rows()
    cells = [replace(c, page=source.page) for c in source.table.cells if c.row < deep]
    for place, line in enumerate(shown, deep):
        part = parts[line.piece]
        assert part.table is not None
        cells += [
            Cell(place, c.col, c.text, c.bbox, 1, c.colspan, c.header, part.page)
            for c in part.table.cells
            if c.row <= line.row < c.row + c.rowspan and (c.row == line.row or c.text)
        ]
    cols = max(t.cols for t in (parts[line.piece].table for line in shown) if t is not None)
    return Table(deep + len(shown), cols, tuple(cells))
