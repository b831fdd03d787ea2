"""Pages to rows of `pages` and back, whole: blocks can be made again from them without the file.

Boxes are rounded before anything is made of them, so that what comes back from a row is what went in.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from h3cold.schemas.export import to_json
from h3cold.schemas.geometry import BBox
from h3cold.schemas.page import Page, Region, Table, make_cells

Row = dict[str, Any]


def rounded(box: BBox) -> BBox:
    """A box to 1/100 point: what the store keeps, a tenth of what anyone can see."""
    return (round(box[0], 2), round(box[1], 2), round(box[2], 2), round(box[3], 2))


def rounded_table(table: Table | None) -> Table | None:
    """The table with its cells' boxes as the store will give them back."""
    if table is None:
        return None
    return replace(table, cells=tuple(replace(cell, bbox=rounded(cell.bbox)) for cell in table.cells))


def rounded_page(page: Page) -> Page:
    """The page with its boxes as the store will give them back."""
    regions = (replace(r, bbox=rounded(r.bbox), table=rounded_table(r.table)) for r in page.regions)
    return replace(page, regions=tuple(regions))


def page_row(document: str, page: Page) -> Row:
    """Row of `pages`."""
    tables = [[i, to_json(r.table)] for i, r in enumerate(page.regions) if r.table is not None]
    return {
        "document": document,
        "page": page.number,
        "width": page.width,
        "height": page.height,
        "rotation": page.rotation,
        "source": page.source,
        "route": page.route,
        "reasons": list(page.reasons),
        "ocr_engine": page.ocr_engine,
        "ocr_confidence": page.ocr_confidence,
        "failure": page.failure,
        "regions": json.dumps([_region_json(r) for r in page.regions], ensure_ascii=False),
        "cells": zlib.compress(json.dumps(tables, ensure_ascii=False).encode()) if tables else None,
    }


def _region_json(region: Region) -> Row:
    """A region without its cells: whoever shows a page has no use for them."""
    out: Row = {"kind": region.kind, "bbox": list(rounded(region.bbox)), "text": region.text, "order": region.order}
    if region.level is not None:
        out["level"] = region.level
    if region.confidence is not None:
        out["confidence"] = region.confidence
    if region.continues:
        out["continues"] = True
    return out


def row_page(row: Mapping[str, Any]) -> Page:
    """Inverse of `page_row` for a page of rounded boxes; without `cells` in the row, its tables have no cells."""
    tables = dict(json.loads(zlib.decompress(row["cells"]))) if row.get("cells") else {}
    regions = (
        json_region(r, json_table(tables[i]) if i in tables else None) for i, r in enumerate(json.loads(row["regions"]))
    )
    return Page(
        number=row["page"],
        width=row["width"],
        height=row["height"],
        rotation=row["rotation"],
        source=row["source"],
        route=row["route"],
        regions=tuple(regions),
        reasons=tuple(row["reasons"]),
        ocr_engine=row["ocr_engine"],
        ocr_confidence=row["ocr_confidence"],
        failure=row["failure"],
    )


def json_page(data: Mapping[str, Any]) -> Page:
    """Inverse of `to_json` for a page."""
    regions = (json_region(r, json_table(r["table"]) if r["table"] else None) for r in data["regions"])
    return Page(**{**data, "regions": tuple(regions), "reasons": tuple(data["reasons"])})


def json_region(data: Mapping[str, Any], table: Table | None) -> Region:
    """A region from its JSON, with this table."""
    return Region(
        kind=data["kind"],
        bbox=tuple(data["bbox"]),
        text=data["text"],
        order=data["order"],
        level=data.get("level"),
        table=table,
        confidence=data.get("confidence"),
        continues=data.get("continues", False),
    )


def json_table(data: Mapping[str, Any]) -> Table:
    """Inverse of `to_json` for a table."""
    told = [
        (c["row"], c["col"], c["text"], tuple(c["bbox"]), c["rowspan"], c["colspan"], c["header"])
        for c in data["cells"]
    ]
    return Table(data["rows"], data["cols"], make_cells(told))
