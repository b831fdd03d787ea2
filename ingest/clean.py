"""Text that can be stored: without the lone surrogates that some fonts' maps give and no file of UTF-8 can hold."""

from __future__ import annotations

from dataclasses import replace

from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.page import Page, Region


def clean_page(page: Page) -> Page:
    """The page without lone surrogates."""
    if all(r.text.isascii() and r.table is None for r in page.regions):
        return page
    return replace(page, regions=tuple(_clean_region(r) for r in page.regions))


def _clean_region(region: Region) -> Region:
    table = region.table
    if table is not None:
        table = replace(table, cells=tuple(replace(c, text=clean(c.text)) for c in table.cells))
    return replace(region, text=clean(region.text), table=table)


def clean_info(info: DocumentInfo) -> DocumentInfo:
    """The facts without lone surrogates."""
    texts = {k: clean(getattr(info, k)) for k in ("title", "language", "company", "period", "date", "doctype")}
    return replace(info, authors=tuple(clean(a) for a in info.authors), **texts)


def clean(text: str) -> str:
    """`text` with each lone surrogate replaced by U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _has_surrogate(text) else text


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= c <= "\udfff" for c in text)
