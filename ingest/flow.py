"""The reading order of a whole document and its sections."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from h3cold.ingest.pieces import Item
from h3cold.schemas.document import ParsedDocument
from h3cold.schemas.geometry import area
from h3cold.schemas.page import FURNITURE, Page, Region

BETWEEN = frozenset({"footnote", "figure", "table", "caption"})
"""What stands at a page's or column's end between the halves of one paragraph."""


SPECK = 0.03
"""Share of its page below which a picture without words or caption is a logo or a bullet, not worth a block."""

CARRIED = 2
"""Headings in a row, nothing between them, that the next section takes into its path ("Part I", "Item 1")."""


class Section(NamedTuple):
    """Items under one heading path, outermost heading first; `heads` are the section's own headings."""

    path: tuple[str, ...]
    items: list[Item]
    heads: tuple[Item, ...] = ()


def reading_order(doc: ParsedDocument) -> list[Item]:
    """Every region that is no furniture, in order; notes and floats are put behind a paragraph that they cut in two."""
    regions: list[tuple[int, Region]] = []
    for page in doc.pages:
        ordered = sorted((r for r in page.regions if r.kind not in FURNITURE), key=lambda r: r.order)
        for n, region in enumerate(ordered):
            captioned = any(r.kind == "caption" for r in ordered[max(0, n - 1) : n + 2])
            if not (region.text.strip() or region.table or _shown(region, page, captioned=captioned)):
                continue
            at = len(regions)
            if region.continues and region.kind in ("text", "list"):
                while at and regions[at - 1][1].kind in BETWEEN:
                    at -= 1
                if not (at and regions[at - 1][1].kind in ("text", "list")):
                    at = len(regions)
            regions.insert(at, (page.number, region))
    return [Item(i, page, region) for i, (page, region) in enumerate(regions)]


def _shown(region: Region, page: Page, *, captioned: bool) -> bool:
    return region.kind == "figure" and (captioned or area(region.bbox) >= SPECK * page.width * page.height)


def sections(items: Sequence[Item]) -> Iterator[Section]:
    """Items by heading path. A title closes all open headings.

    Headings that follow each other on one level become one path. A heading that is left with nothing below it is
    an item of its own.
    """
    stack: list[_Heading] = []
    body: list[Item] = []
    for item in items:
        kind = item.region.kind
        if kind not in ("heading", "title"):
            body.append(item)
            continue
        level = (item.region.level or 1) if kind == "heading" else 0
        carried: tuple[Item, ...] = ()
        if not body and stack and stack[-1].level == level and not stack[-1].used:
            carried = stack.pop().items
            while len(carried) > CARRIED:
                yield Section(_path(stack), [carried[0]])
                carried = carried[1:]
        yield from _close(stack, body, level)
        body = []
        if kind == "heading":
            stack.append(_Heading(level, (*carried, item)))
        else:
            body.append(item)
    yield from _close(stack, body, 0)


class _Heading:
    """An open heading, with those right before it that it took along; `used` once it is in a section's path."""

    __slots__ = ("items", "level", "used")

    def __init__(self, level: int, items: tuple[Item, ...]) -> None:
        self.level, self.items, self.used = level, items, False


def _close(stack: list[_Heading], body: list[Item], level: int) -> Iterator[Section]:
    """The section that ends where a heading of `level` begins, and each heading that stays without text."""
    if body:
        yield Section(_path(stack), body, stack[-1].items if stack else ())
    while stack and stack[-1].level >= level:
        heading = stack.pop()
        if not heading.used:
            yield Section(_path(stack), list(heading.items))


def _path(stack: list[_Heading]) -> tuple[str, ...]:
    for heading in stack:
        heading.used = True
    return tuple(" ".join(i.region.text.split()) for h in stack for i in h.items)


def join_scraps(sections: Sequence[Section], small: Callable[[Section], bool]) -> list[Section]:
    """Neighbours that hold next to nothing become one section of what is above them, their headings in the text.

    A cover page is made of such: a block for every line of it would be found for its brevity alone. Only sections
    that are `small`, on one page and without sections below them are joined.
    """
    out: list[Section] = []
    run: list[Section] = []
    for i, section in enumerate(sections):
        after = sections[i + 1].path if i + 1 < len(sections) else ()
        leaf = not section.heads or after[: len(section.path)] != section.path
        named = section.heads or section.items[0].region.kind == "heading"
        scrap = named and leaf and small(section)
        if run and not (scrap and _together(run[-1], section)):
            out.append(_joined(run))
            run = []
        if scrap:
            run.append(section)
        else:
            out.append(section)
    return [*out, _joined(run)] if run else out


def _above(section: Section) -> tuple[str, ...]:
    return section.path[: len(section.path) - len(section.heads)]


def _together(a: Section, b: Section) -> bool:
    return _above(a) == _above(b) and a.items[0].page == b.items[-1].page


def _joined(run: Sequence[Section]) -> Section:
    if len(run) == 1:
        return run[0]
    return Section(_above(run[0]), [item for section in run for item in (*section.heads, *section.items)])
