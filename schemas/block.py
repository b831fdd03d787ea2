"""The unit that is stored, recalled and promoted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from h3cold.schemas.geometry import BBox, PageBox, union
from h3cold.schemas.page import Table

BlockKind = Literal["passage", "table", "figure", "formula"]

CHUNKER = "c1"
"""Version of the block builder; part of every block id, so that a new chunker makes new ids."""


def block_id(document: str, position: int) -> str:
    """Id of the block at 0-based `position` of a document: never derived from embeddings or scores."""
    return f"{document}-{position:05d}-{CHUNKER}"


def captioned(caption: str, text: str) -> str:
    """A block's text, or what is shown of it, under its caption, unless that is in it already."""
    if not caption or caption in text:
        return text
    return f"{caption}\n{text}" if text else caption


@dataclass(frozen=True, slots=True)
class Block:
    """One or more regions of one section.

    `text` is body text only; `headings` is the path of section titles above it, outermost first. `boxes` covers
    every region in reading order, each with the span of `text` it holds. A table's part has its own rows in
    `table` with the header rows repeated; `part`/`parts` number the pieces of one split table or passage run.
    `group` is shared by the blocks that are pieces of one table, also across pages ("" otherwise).
    """

    id: str
    document: str
    position: int
    kind: BlockKind
    text: str
    headings: tuple[str, ...]
    boxes: tuple[PageBox, ...]
    language: str = "en"
    caption: str = ""
    table: Table | None = None
    group: str = ""
    part: int = 0
    parts: int = 1
    tokens: int = 0

    @property
    def captioned(self) -> str:
        """The text with the caption (a table's title, units, lead-in) before it, unless that is in it already."""
        return captioned(self.caption, self.text)

    @property
    def page(self) -> int:
        """1-based page the block starts on."""
        return self.boxes[0].page

    @property
    def pages(self) -> tuple[int, ...]:
        """All 1-based pages it covers, ascending."""
        return tuple(sorted({b.page for b in self.boxes}))

    @property
    def bbox(self) -> BBox:
        """Box around all of the block on its first page."""
        return union(b.bbox for b in self.boxes if b.page == self.page)
