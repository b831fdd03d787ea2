"""Small parsed documents for tests of blocks, and the check of every promise that blocks make."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from h3cold.ingest.flow import reading_order
from h3cold.ingest.pieces import SLACK
from h3cold.schemas.block import block_id
from h3cold.schemas.document import DocumentInfo, ParsedDocument
from h3cold.schemas.page import Cell, Page, Region, Table

INFO = DocumentInfo(title="Larkspur Instruments 2023 Annual Report", company="Larkspur Instruments, Inc.",
                    period="FY2023", doctype="10-K")  # fmt: skip


def document(*pages, info=INFO):
    """Pages given as lists of regions; orders are set here."""
    made = []
    for n, regions in enumerate(pages, start=1):
        ordered = tuple(placed(r, i) for i, r in enumerate(regions))
        made.append(Page(n, 595, 842, 0, "text", "geometry", ordered))
    return ParsedDocument("d" * 32, "a.pdf", info, tuple(made))


def placed(region, i):
    """The i-th region of a page: boxes tell which region a span comes from."""
    box = (50, 10.0 * i, 500, 10.0 * i + 9)
    table = region.table
    if table is not None:
        table = replace(table, cells=tuple(replace(c, bbox=box) for c in table.cells))
    return replace(region, order=i, bbox=box, table=table)


def replaced(doc):
    """A document as parsed, its regions moved to boxes that tell which one a span comes from."""
    pages = []
    for page in doc.pages:
        ordered = sorted(page.regions, key=lambda r: r.order)
        pages.append(replace(page, regions=tuple(placed(r, i) for i, r in enumerate(ordered))))
    return replace(doc, pages=tuple(pages))


def region(kind, text="", *, level=None, table=None, continues=False):
    return Region(kind, (0, 0, 1, 1), text, 0, level=level, table=table, continues=continues)


def grid(rows, *, head=1, spans=()):
    wide = {(r, c): (rs, cs) for r, c, rs, cs in spans}
    covered = {(r + i, c + j) for r, c, rs, cs in spans for i in range(rs) for j in range(cs) if i or j}
    cells = [
        Cell(r, c, text, (c, r, c + 1, r + 1), *wide.get((r, c), (1, 1)), header=r < head)
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
        if (r, c) not in covered
    ]
    return Table(len(rows), len(rows[0]), tuple(cells))


def bare(text):
    return re.sub(r"[\s|]+", "", text)


def body_of(item):
    if item.region.table is None:
        return bare(item.region.text)
    return "".join(bare(c.text) for c in sorted(item.region.table.cells, key=lambda c: (c.row, c.col)))


def own(block):
    """The block's text without what is repeated from another block."""
    return bare("".join(block.text[b.start : b.end] for b in block.boxes))


def check(doc, blocks, target=256):
    """Every promise of the module."""
    found: dict[tuple[int, int], str] = {}
    for block in blocks:
        for box in block.boxes:
            place = (box.page, int(box.bbox[1] // 10))
            found[place] = found.get(place, "") + bare(block.text[box.start : box.end])
    paths = [b.headings for b in blocks]
    for item in reading_order(doc):
        text = found.pop((item.page, item.region.order), "")
        if item.region.kind != "heading" or text:
            assert text == body_of(item)
        else:
            assert any(" ".join(item.region.text.split()) in path for path in paths)
    assert not found
    for block in blocks:
        assert block.tokens <= SLACK * target, block
        spans = [(b.start, b.end) for b in block.boxes]
        assert all(0 <= a <= b <= len(block.text) for a, b in spans)
        assert all(a[1] <= b[0] for a, b in pairwise(spans) if b != (0, 0) and a != (0, 0))
        assert block.pages
    assert [b.id for b in blocks] == [block_id(doc.id, i) for i in range(len(blocks))]
    assert [b.position for b in blocks] == list(range(len(blocks)))
    order = {(i.page, i.region.order): i.position for i in reading_order(doc)}
    for block in blocks:
        read = [order[b.page, int(b.bbox[1] // 10)] for b in block.boxes if b.end > b.start]
        assert read == sorted(read)
    starts = [order[b.page, int(b.bbox[1] // 10)] for b in (block.boxes[0] for block in blocks)]
    assert starts == sorted(starts)
