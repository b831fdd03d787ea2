"""A parsed document as the JSON that `h3-parse` prints."""

from __future__ import annotations

from typing import Any

from h3cold.schemas.document import ParsedDocument
from h3cold.schemas.export import to_json
from h3cold.schemas.page import Page, Region


def document_json(doc: ParsedDocument) -> dict[str, Any]:
    """`{"source", "pages": [{"page", "width", "height", "route", "regions": [...]}]}` of plain JSON types.

    A region has `kind`, `bbox`, `order`, `text`, and `level` if it is a heading, `table` if it is a table. A page
    that could not be read has `failure`.
    """
    return {"source": doc.source, "pages": [_page(page) for page in doc.pages]}


def _page(page: Page) -> dict[str, Any]:
    out: dict[str, Any] = {
        "page": page.number,
        "width": page.width,
        "height": page.height,
        "route": page.route,
        "regions": [_region(region) for region in page.regions],
    }
    if page.failure is not None:
        out["failure"] = page.failure
    return out


def _region(region: Region) -> dict[str, Any]:
    out: dict[str, Any] = {
        "kind": region.kind,
        "bbox": list(region.bbox),
        "order": region.order,
        "text": region.text,
    }
    if region.kind == "heading":
        out["level"] = region.level
    if region.kind == "table":
        out["table"] = to_json(region.table)
    return out
