"""What recall returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from h3cold.schemas.geometry import BBox
from h3cold.schemas.page import Table

Scope = Literal["section", "page", "document", "table"]
SCOPES: tuple[Scope, ...] = ("section", "page", "document", "table")
Intent = Literal["text", "structure", "relation"]
INTENTS: tuple[Intent, ...] = ("text", "structure", "relation")
STEP = " > "
"""Between the steps of what heads a row or a column, from the top."""

FITS = 0.2
"""Confidence below which nothing fits well. Of the labelled questions it was set on 1 in 100 lay there; of those that
the documents say nothing about 9 in 10; of answered ones in another language than the documents 1 in 4."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Where in a table the answer stands: the label of its row, the columns that are asked for, what stands there.

    `columns` and `values` go together, one for one: those that the question names by period, change, share or words of
    the head, else all of the row. A column's name is its heads from the top ("2023 > Q2"), a header inside the table
    counting before the one above it, or its place where nothing stands above it ("column 3", the first one is 1).
    A row is told under its heading where others have the same label ("Cancelled > Due to weather"; `STEP` is between).
    Where years have rows of their own and several are asked for, they are the first step. `row` is "" where a table's
    only row has no label. `unit` is what the table says that the values are in
    ("thousands", "万元", "%"), "" where it does not.
    """

    row: str
    columns: tuple[str, ...]
    values: tuple[str, ...]
    unit: str = ""


@dataclass(frozen=True, slots=True)
class HitRecord:
    """A recalled block as it leaves the program.

    `intent` is the one of the question's intents that it serves: a passage among the hits for a question about
    structure is one for text, and its reason says so. `rank` is 1-based, `score` higher is better (comparable within
    one result list only), `page` 1-based, `bbox` in points of that page, `source` relative to the indexed folder,
    `reason` says why it was chosen. `answer` is where in its table the answer stands, None where that is not told, or
    nothing fits and the question does not name the document and its period. With `excerpt`, `text` and `table` are of
    a long table only the head and the rows that answer. `copies` are the sources of other files that say the same.
    """

    rank: int
    score: float
    intent: Intent
    block: str
    kind: str
    document: str
    source: str
    title: str
    page: int
    pages: tuple[int, ...]
    bbox: BBox
    headings: tuple[str, ...]
    text: str
    table: Table | None
    reason: str
    answer: Answer | None = None
    excerpt: bool = False
    copies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit(HitRecord):
    """A hit in hand: a record that can also show its region and its surroundings."""

    _image: Callable[[], bytes] | None = field(default=None, repr=False, compare=False)
    _context: Callable[[str], str] | None = field(default=None, repr=False, compare=False)
    _cells: Callable[[], Table | None] | None = field(default=None, repr=False, compare=False)

    def cells(self) -> Table | None:
        """All of the table that the hit is, or is of; None where it is none.

        Raises:
            StoreError: the store cannot be read.
        """
        return self.table if self._cells is None else self._cells()

    def image(self) -> bytes:
        """PNG of the hit's region on its page.

        Raises:
            StoreError: neither the store nor the source file can give the picture.
        """
        if self._image is None:
            raise ValueError("this hit is detached from its store; recall it again to see its picture")
        return self._image()

    def context(self, scope: Scope = "section") -> str:
        """Text around the hit, the hit included: the run of blocks under its headings, its pages, or its document.

        A table that goes on comes as one, its head once; "table" is all of it and nothing else.

        Raises:
            QueryError: there is no such scope.
            StoreError: the store cannot be read.
        """
        if self._context is None:
            raise ValueError("this hit is detached from its store; recall it again to see its context")
        return self._context(scope)


class Hits(list[Hit]):
    """Hits, best first, with how sure recall is that they are about the question at all: `confidence`, 0..1."""

    def __init__(self, hits: Iterable[Hit] = (), *, confidence: float = 0.0) -> None:
        super().__init__(hits)
        self.confidence = confidence

    @property
    def fits(self) -> bool:
        """False where nothing fits well: the hits are the nearest there is."""
        return self.confidence >= FITS


def answer_json(query: str, intent: str, hits: Hits, *, context: Scope | None = None) -> dict[str, Any]:
    """What recall answers to a question as plain JSON types, in the order of the public contract.

    `intent` is the question's, each hit has the one that it serves (see `HitRecord`). With `context` each hit has the
    text around it, too, and for "table" all the cells of its table.

    Raises:
        StoreError: the store cannot be read.
    """
    told = [hit_json(hit) if context is None else {**hit_json(hit), **context_json(hit, context)} for hit in hits]
    return {"query": query, "intent": intent, "hits": told, "confidence": round(hits.confidence, 3), "fits": hits.fits}


def context_json(hit: Hit, scope: Scope) -> dict[str, Any]:
    """A hit's surroundings as plain JSON types: "context", and "cells" where its table is asked for.

    Raises:
        StoreError: the store cannot be read.
    """
    from h3cold.schemas.export import to_json

    return {"context": hit.context(scope), **({"cells": to_json(hit.cells())} if scope == "table" else {})}


def hit_json(hit: HitRecord) -> dict[str, Any]:
    """The hit as plain JSON types, in the order of the public contract."""
    from h3cold.schemas.export import to_json

    names = tuple(HitRecord.__dataclass_fields__)
    return {name: to_json(getattr(hit, name)) for name in names}
