"""Pictures of tables, figures and formulas, as they look on their page."""

from __future__ import annotations

from collections.abc import Sequence

import pymupdf

from h3cold.ingest.store.make import image_row
from h3cold.ingest.store.rows import Row
from h3cold.schemas.block import Block

PICTURE_DPI = 144
PICTURE_SIDE = 2000
"""Resolution of a stored picture, and the most pixels along its longer side."""

MARGIN = 3.0
"""Points around a region that are shown with it: glyphs reach beyond their boxes."""


def picture_rows(doc: pymupdf.Document, blocks: Sequence[Block]) -> tuple[Row, ...]:
    """Rows of `images` for the blocks that are no passages; one split over pages shows its first."""
    pictures = [(b, picture(doc, b)) for b in blocks if b.kind != "passage"]
    return tuple(image_row(b, png) for b, png in pictures if png is not None)


def picture(doc: pymupdf.Document, block: Block) -> bytes | None:
    """PNG of a block's region; None where the page cannot be drawn or the region is empty."""
    try:
        page = doc[block.page - 1]
        x0, y0, x1, y1 = block.bbox
        clip = pymupdf.Rect(x0 - MARGIN, y0 - MARGIN, x1 + MARGIN, y1 + MARGIN) & page.rect
        if clip.is_empty or max(clip.width, clip.height) < 1:
            return None
        scale = min(PICTURE_DPI / 72, PICTURE_SIDE / max(clip.width, clip.height))
        return bytes(page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), clip=clip, alpha=False).tobytes("png"))
    except (RuntimeError, ValueError, IndexError):  # a page that reads but does not draw has text and no picture
        return None
