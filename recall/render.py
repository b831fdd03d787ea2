"""A hit's region as a picture: kept in the store for tables and figures, else drawn from the source file."""

from __future__ import annotations

import math
from pathlib import Path

from h3cold.ingest.store.reader import ColdStore
from h3cold.schemas.errors import StoreError
from h3cold.schemas.geometry import BBox

DPI = 144
MARGIN = 4.0
"""Points around the region, so that no letter is cut."""


def region_png(store: ColdStore, block: str, document: str, page: int, bbox: BBox) -> bytes:
    """PNG of the block's region.

    Raises:
        StoreError: no picture is kept and the source file is gone, changed or unreadable.
    """
    return store.image(block) or draw_region(source_of(store, document), page, bbox)


def source_of(store: ColdStore, document: str) -> Path:
    """The document's file, if its bytes are still those that were indexed.

    Raises:
        StoreError: it is gone or has changed.
    """
    path = store.source_path(document)
    try:
        stat = path.stat()
        rows = store.rows("sources", "document", [document], ["size", "mtime_ns"])
        if not any(r["size"] == stat.st_size and r["mtime_ns"] == stat.st_mtime_ns for r in rows):
            import blake3

            if blake3.blake3(path.read_bytes()).hexdigest(16) != document:
                raise StoreError(f"{path}: the file has changed since it was indexed; index the folder again")
    except FileNotFoundError as e:
        raise StoreError(f"{path}: gone, and pictures of text are drawn from the original PDF") from e
    except OSError as e:
        raise StoreError(f"{path}: cannot draw the region, {e.strerror or e}") from e
    return path


def draw_region(path: Path, page: int, bbox: BBox, *, dpi: int = DPI) -> bytes:
    """PNG of a box on a 1-based page of a PDF.

    Raises:
        StoreError: the page cannot be drawn.
    """
    import pymupdf

    try:
        # From bytes: MuPDF opens no name that is not UTF-8.
        with pymupdf.open(stream=path.read_bytes(), filetype="pdf") as doc:
            sheet = doc[page - 1]
            clip = pymupdf.Rect(bbox[0] - MARGIN, bbox[1] - MARGIN, bbox[2] + MARGIN, bbox[3] + MARGIN)
            clip &= sheet.rect
            if clip.is_empty or not math.isfinite(clip.get_area()):
                clip = sheet.rect
            return bytes(sheet.get_pixmap(clip=clip, dpi=dpi).tobytes("png"))
    except (OSError, RuntimeError, IndexError, ValueError) as e:
        raise StoreError(f"{path}, page {page}: cannot draw the region: {' '.join(str(e).split())}") from e
