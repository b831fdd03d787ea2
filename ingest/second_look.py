"""What looked like headings on their page and, once all pages are known, are none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from h3cold.ingest.headings import title_key
from h3cold.schemas.page import FURNITURE, Page, Region

_FIGURE = re.compile(r"[$€£¥(+–-]*\d[\d,.%)]*|[$€£¥%–—-]+|[cf]y")
_CONTENTS = re.compile(r"\W*(?:.{0,40}\s)?(?:table of contents|contents|index)\W*|目\s*录|目\s*次", re.IGNORECASE)
_CONTINUED = re.compile(
    r"\W*(?:[(（\[]?\s*(?:continued|cont[’']?d\.?|cont\.)\s*[)）\]]?|[（(]\s*[续續]\s*[）)])\W*$", re.IGNORECASE
)
"""How a heading ends that is printed once more where its section goes on."""

_PAGE = re.compile(r"(?:\d{1,3}|[A-Z]-\d{1,3}|[ivxl]{1,6})")
_ENTRY = re.compile(r".*\S\s+(?:\d{1,3}|[A-Z]-\d{1,3}|[ivxl]{1,6})(?:\s*[-–]\s*\d{1,3})?")


def doubt(pages: Sequence[Page]) -> list[Page]:
    """The pages with such headings made text, entries of contents pages lists, and repeated ones headers."""
    return _repeated(_running(_contents([_sober(p) for p in pages])))


def _sober(page: Page) -> Page:
    """The page without headings that are rows of figures, or words set on their side beside upright text."""
    words = [r for r in page.regions if r.kind not in ("table", "figure") and len(r.text) > 3]
    turned = [r for r in words if _on_its_side(r)]
    beside = len(turned) <= 0.5 * len(words)
    sober = {
        id(r)
        for r in page.regions
        if r.kind == "heading" and (_of_figures(r.text) or (beside and len(r.text) > 3 and _on_its_side(r)))
    }
    if not sober:
        return page
    regions = (replace(r, kind="text", level=None) if id(r) in sober else r for r in page.regions)
    return replace(page, regions=tuple(regions))


def _on_its_side(region: Region) -> bool:
    x0, y0, x1, y1 = region.bbox
    return y1 - y0 > 2.5 * (x1 - x0) and not region.text[:1] > "\u2e80"


def _of_figures(text: str) -> bool:
    words = text.split()
    figures = sum(_FIGURE.fullmatch(w) is not None for w in words)
    return (figures >= 3 and figures >= 0.5 * len(words)) or sum(w.startswith("$") for w in words) > 1


def _contents(pages: list[Page]) -> list[Page]:
    """On a page headed "Contents", headings that end in a page's number, or that nothing stands under, are entries, and
    so are those between tables whose rows end in pages' numbers.
    """
    out = []
    for page in pages:
        regions = list(page.regions)
        begun = next((i for i, r in enumerate(regions) if r.kind != "table" and _CONTENTS.fullmatch(r.text)), None)
        if begun is not None:
            rest = range(begun + 1, len(regions))
            heads = [i for i in rest if regions[i].kind == "heading"]
            entries = [i for i in heads if _ENTRY.fullmatch(regions[i].text)]
            prose = any(regions[i].kind == "text" and _is_prose(regions[i].text) for i in rest)
            rows = sum(_entries(regions[i]) for i in rest) if heads else 0
            if not prose and (len(entries) >= 3 or len(heads) >= 3 or rows >= 5):
                for i in heads:
                    regions[i] = replace(regions[i], kind="list", level=None)
                page = replace(page, regions=tuple(regions))
        out.append(page)
    return out


def _entries(region: Region) -> int:
    """How many rows of a table end in a page's number, if that is most of them."""
    if region.table is None:
        return 0
    rows = ["".join(row) and row[-1] for row in region.table.grid()]
    numbers = sum(_PAGE.fullmatch(last) is not None for last in rows)
    return numbers if 2 * numbers >= len(rows) else 0


def _is_prose(text: str) -> bool:
    """A long text; entries of a contents page that ran together hold many numbers."""
    words = text.split()
    return len(text) > 250 and sum(w.rstrip(".").isdigit() for w in words) < 0.06 * len(words)


def _running(pages: list[Page]) -> list[Page]:
    """A heading that stands at the head of page after page is printed again while its section goes on."""
    out: list[Page] = []
    before: Region | None = None
    number = 0
    for page in pages:
        at = next((i for i, r in enumerate(page.regions) if r.kind not in FURNITURE), None)
        first = page.regions[at] if at is not None and page.regions[at].kind == "heading" else None
        if first is not None and before is not None and page.number == number + 1 and _same(before, first):
            regions = [replace(r, kind="header", level=None) if r is first else r for r in page.regions]
            page = replace(page, regions=tuple(regions))
        before, number = first, page.number
        out.append(page)
    return out


def _repeated(pages: list[Page]) -> list[Page]:
    """Headings that say themselves that they go on ("Note 3. Fair Value (Continued)") are headers where the same one
    stands before.
    """
    seen: set[str] = set()
    out: list[Page] = []
    for page in pages:
        again: set[int] = set()
        for r in page.regions:
            if r.kind != "heading":
                continue
            key = title_key(_CONTINUED.sub("", r.text))
            if key in seen and _CONTINUED.search(r.text):
                again.add(id(r))
            seen.add(key)
        if again:
            regions = (replace(r, kind="header", level=None) if id(r) in again else r for r in page.regions)
            page = replace(page, regions=tuple(regions))
        out.append(page)
    return out


def _same(a: Region, b: Region) -> bool:
    return a.text == b.text and a.level == b.level and abs(a.bbox[1] - b.bbox[1]) < 4 and abs(a.bbox[0] - b.bbox[0]) < 4
