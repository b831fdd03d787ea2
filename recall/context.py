"""From a block to what stands around it: its section, or its pages."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from h3cold.recall.corpus import Corpus
from h3cold.recall.filters import shown
from h3cold.recall.structure import further, joined_text
from h3cold.schemas.block import Block
from h3cold.schemas.errors import QueryError
from h3cold.schemas.hit import SCOPES

Read = Callable[[list[int]], dict[int, Block]]

STEP = 16
"""Blocks read at a time on either side of a hit, until another section begins."""

LONGEST = 400
"""Blocks on either side at which a section ends in any case: a document without headings is one section."""


def check_scope(scope: str) -> None:
    """Refuse a scope that there is not.

    Raises:
        QueryError: names the known ones, and the nearest.
    """
    if scope not in SCOPES:
        near = difflib.get_close_matches(shown(scope), SCOPES, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise QueryError(f"unknown scope {shown(scope)}; {hint}known: {', '.join(SCOPES)}")


def context_of(corpus: Corpus, rows: Sequence[int], read: Read, scope: str) -> str:
    """Text around the blocks of `rows` (one, or the pieces of a table), these included, in reading order.

    `read` gives blocks by row.

    Raises:
        QueryError: `scope` is none of `SCOPES`.
        StoreError: the store cannot be read.
    """
    check_scope(scope)
    rows = sorted(rows)
    document = int(corpus.document[rows[0]])
    first, end = (int(i) for i in corpus.starts[document : document + 2])
    ordered = (first + np.argsort(corpus.position[first:end], kind="stable")).tolist()
    if scope == "document":
        blocks = list(read(ordered).values())
    elif scope == "table":
        parts = sorted(read(rows).values(), key=lambda b: b.position)
        return replace(parts[0], text=joined_text(parts)).captioned
    elif scope == "page":
        pages = range(int(corpus.page[rows].min()), int(corpus.last_page[rows].max()) + 1)
        there = [r for r in ordered if corpus.page[r] < pages.stop and corpus.last_page[r] >= pages.start]
        blocks = list(read(there).values())
    else:
        places = sorted(ordered.index(row) for row in rows)
        own = read([ordered[p] for p in range(places[0], places[-1] + 1)])
        before = _same_section(read, ordered[max(0, places[0] - LONGEST) : places[0]][::-1], own[ordered[places[0]]])
        after = _same_section(read, ordered[places[-1] + 1 :][:LONGEST], own[ordered[places[-1]]])
        blocks = [*reversed(list(before)), *own.values(), *after]
    return "\n\n".join(text for text in _texts(blocks) if text)


def _same_section(read: Read, rows: Sequence[int], block: Block) -> Iterator[Block]:
    """Blocks of `rows` up to the first that stands under other headings."""
    for start in range(0, len(rows), STEP):
        for found in read(list(rows[start : start + STEP])).values():
            if found.headings != block.headings:
                return
            yield found


def _texts(blocks: Sequence[Block]) -> Iterator[str]:
    """Each block's text with its caption; a further piece of a table without the head and caption that it repeats.

    A caption that the text before ends with, a sentence that leads to the table, is not said again.
    """
    first: Block | None = None
    before = ""
    for block in blocks:
        if first is not None and block.kind == "table" and block.group and block.group == first.group:
            yield further(first, block)
            continue
        first = block
        led = bool(block.caption and block.text) and before.endswith(block.caption)
        text = block.text.removeprefix(block.caption).lstrip("\n") if led else block.captioned
        yield text
        before = text
