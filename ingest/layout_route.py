"""Pages whose geometry is ambiguous, labelled with the help of a layout model; and regions as LayoutParser has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pymupdf

from h3cold.ingest.headings import styled
from h3cold.schemas.geometry import BBox, inside, iou, union
from h3cold.schemas.page import FURNITURE, Page, Region, RegionKind

if TYPE_CHECKING:
    import layoutparser

RELABELLED: frozenset[RegionKind] = frozenset({"heading", "text", "list", "caption", "footnote", *FURNITURE})
"""Kinds that a model may change into each other; tables keep their cells, figures their boxes."""

SCRAPS = 20
"""Short pieces of text from which a page is a drawing or a collage rather than a text."""


def is_ambiguous(regions: Sequence[Region]) -> bool:
    """Whether geometry left a page in scraps: a diagram drawn with text, a collage, a form."""
    texts = [r for r in regions if r.kind in ("text", "heading", "list")]
    short = [r for r in texts if len(r.text) < 40]
    return len(short) >= SCRAPS and len(short) > 0.8 * len(texts)


def with_layout(page: pymupdf.Page, regions: Sequence[Region], model: str) -> list[Region]:
    """The regions with a layout model's kinds where the two agree on a box, and scraps within its figures joined.

    Raises:
        UsageError, ModelError: see `layout.open_model`.
    """
    from h3cold.ingest.layout import detect

    # to most models a title is any heading: which one is the document's only shows over its pages
    blocks = [
        ("heading" if block.type == "title" else block.type, tuple(block.coordinates), block.score or 0.0)
        for block in detect(page, model)
    ]
    out = [_relabelled(r, blocks) if r.kind in RELABELLED else r for r in regions]
    for kind, box, _ in blocks:
        if kind == "figure":
            out = _gathered(out, box)
    return [replace(r, order=i) for i, r in enumerate(out)]


def _relabelled(region: Region, blocks: Sequence[tuple[Any, Any, float]]) -> Region:
    best = max(blocks, key=lambda b: iou(b[1], region.bbox), default=None)
    if best is None or iou(best[1], region.bbox) < 0.5 or best[0] not in RELABELLED or best[0] == region.kind:
        return region
    if best[0] != "heading":
        return replace(region, kind=best[0], level=None)
    if len(region.text) > 200:
        return region
    rows = max(1, round((region.bbox[3] - region.bbox[1]) / 14))
    size = (region.bbox[3] - region.bbox[1]) / rows / 1.2
    return replace(region, kind="heading", level=styled(size))


def _gathered(regions: list[Region], box: BBox) -> list[Region]:
    """Scraps inside a figure's box as one figure, where the first of them stood."""
    scraps = [r for r in regions if r.kind in ("text", "heading", "list", "figure") and inside(r.bbox, box) > 0.8]
    if len(scraps) < 3:
        return regions
    text = "\n".join(r.text for r in scraps if r.text)
    figure = Region("figure", union([box, *(r.bbox for r in scraps)]), text, scraps[0].order)
    gone = {id(r) for r in scraps}
    return [figure if r is scraps[0] else r for r in regions if r is scraps[0] or id(r) not in gone]


def regions_to_layout(page: Page) -> layoutparser.Layout:
    """A page's regions as LayoutParser types: `TextBlock`s with the kind as `type` and the order as `id`."""
    import layoutparser as lp

    return lp.Layout(
        [
            lp.TextBlock(lp.Rectangle(*r.bbox), text=r.text, id=r.order, type=r.kind, score=r.confidence)
            for r in page.regions
        ],
        page_data={"number": page.number, "width": page.width, "height": page.height},
    )
