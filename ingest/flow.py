"""The reading order of a whole document and its sections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from h3cold.ingest.pieces import Item
from h3cold.schemas.document import ParsedDocument
from h3cold.schemas.page import FURNITURE, Region

_BETWEEN = frozenset({"footnote", "figure", "table", "caption"})
"""What stands at a page's or column's end between the halves of one paragraph."""


class Section(NamedTuple):
    """Items under one heading path, outermost heading first."""

    path: tuple[str, ...]
    items: list[Item]


def reading_order(doc: ParsedDocument) -> list[Item]:
    """Every region that is no furniture, in order; notes and floats are put behind a paragraph that they cut in two."""
    regions: list[tuple[int, Region]] = []
    for page in doc.pages:
        for region in sorted(page.regions, key=lambda r: r.order):
            if region.kind in FURNITURE or not (region.text.strip() or region.table or region.kind == "figure"):
                continue
            at = len(regions)
            if region.continues and region.kind in ("text", "list"):
                while at and regions[at - 1][1].kind in _BETWEEN:
                    at -= 1
                if not (at and regions[at - 1][1].kind == region.kind):
                    at = len(regions)
            regions.insert(at, (page.number, region))
    return [Item(i, page, region) for i, (page, region) in enumerate(regions)]


def sections(items: Sequence[Item]) -> Iterator[Section]:
    """Items by heading path. A title closes all open headings; a heading with nothing below is its own item."""
    stack: list[_Heading] = []
    body: list[Item] = []
    for item in items:
        kind = item.region.kind
        if kind not in ("heading", "title"):
            body.append(item)
            continue
        level = (item.region.level or 1) if kind == "heading" else 0
        yield from _close(stack, body, level)
        body = []
        if kind == "heading":
            stack.append(_Heading(level, item))
        else:
            body.append(item)
    yield from _close(stack, body, 0)


class _Heading:
    __slots__ = ("item", "level", "used")

    def __init__(self, level: int, item: Item) -> None:
        self.level, self.item, self.used = level, item, False


def _close(stack: list[_Heading], body: list[Item], level: int) -> Iterator[Section]:
    """The section that ends where a heading of `level` begins, and each heading that stays without text."""
    if body:
        yield _section(stack, body)
    while stack and stack[-1].level >= level:
        heading = stack.pop()
        if not heading.used:
            yield _section(stack, [heading.item])


def _section(stack: list[_Heading], body: list[Item]) -> Section:
    for heading in stack:
        heading.used = True
    return Section(tuple(" ".join(h.item.region.text.split()) for h in stack), body)
