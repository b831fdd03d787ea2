"""What only shows across pages: running lines that single windows missed, and what goes on from page to page."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from h3cold.ingest.given_back import ZONE
from h3cold.ingest.page_numbers import agreeing, page_number, same_text
from h3cold.ingest.paragraphs import starts_item
from h3cold.ingest.script import han_count
from h3cold.ingest.solids import table_text
from h3cold.ingest.tables.continued import continues, widened
from h3cold.schemas.page import FURNITURE, Page, Region, RegionKind

ENOUGH = 3
"""Pages on which a line must stand to be running."""

PROSE = 80
"""Letters, Han characters counted twice, from which on a text is no label."""

_CONTINUED = re.compile(
    r"[(（\[—–-]?\s*(?:continued|cont(?:inued|['’]?d|\.)|续表?|續)\s*[)）\].]*\s*$|^续表", re.IGNORECASE
)
"""What is said of the next part of a table, at the end of its title or alone."""

_OPEN = re.compile(
    r"\b(?:an?|the|of|in|on|at|to|by|for|from|with|and|or|nor|but|as|than|that|which|who|whose|when|where|if|because|"
    r"is|are|was|were|be|been|has|have|had|will|would|may|can|could|shall|should|not|our|its|his|her|their|this|these|"
    r"between|under|over|into|through|against|about|including|Mr\.|Ms\.|Dr\.)$"
)
"""Words that no sentence ends in."""

_NUMBERED = re.compile(
    r"\s*(?:table|exhibit|schedule|[附续]?表)\s*([\dA-Z一二三四五六七八九十][\w.\-–]*)", re.IGNORECASE
)
_FINAL = ".:;?!。：；？！…"
_FLOATS = frozenset({"figure", "caption", "footnote"})


def mark_running(pages: Sequence[Page]) -> list[Page]:
    """Turn text that stands at one height on `ENOUGH` pages, in the top or bottom zone, into headers and footers."""
    seen: defaultdict[tuple[RegionKind, str, int], dict[int, str]] = defaultdict(dict)
    keys = [[_keys(page, region) for region in page.regions] for page in pages]
    for page, own in zip(pages, keys, strict=True):
        for region, key in ((r, k) for r, found in zip(page.regions, own, strict=True) for k in found):
            seen[key].setdefault(page.number, region.text)
    margins = [(p.number, page_number(r.text)) for p in pages for r in p.regions if r.kind in FURNITURE]
    told = Counter(n - at for at, n in margins if n)
    offsets = [off for off, n in told.items() if 3 * n >= max(told.values())]
    out = []
    for page, own in zip(pages, keys, strict=True):
        runs = [
            found[0][0] if any(agreeing(seen[key], r.text, page.number, offsets) >= ENOUGH for key in found) else None
            for r, found in zip(page.regions, own, strict=True)
        ]
        if any(runs):
            regions = [r if kind is None else replace(r, kind=kind, level=None)
                       for r, kind in zip(page.regions, runs, strict=True)]  # fmt: skip
            page = replace(page, regions=tuple(regions))
        out.append(page)
    return out


def _keys(page: Page, region: Region) -> list[tuple[RegionKind, str, int]]:
    if region.kind not in ("text", "heading") or len(region.text) > 200 or not page.height:
        return []
    if region.text[-1:] in (":", "："):
        return []  # it announces what stands below it
    if region.bbox[3] <= ZONE * page.height:
        place: RegionKind = "header"
    elif region.bbox[1] >= (1 - ZONE) * page.height:
        place = "footer"
    else:
        return []
    step = int(region.bbox[3] // 4)
    return [(place, same_text(region.text), step), (place, same_text(region.text), step + 1)]


def mark_continued(pages: Sequence[Page]) -> list[Page]:
    """Set `continues` on the first table or text of a page that goes on from the page before, and on text that goes
    on from another column or beyond a figure.
    """
    out: list[Page] = []
    before: Page | None = None
    for page in pages:
        page = _within(page)
        here = _first(page)
        last = _last(before) if before is not None else None
        if before is not None and here is not None and last is not None:
            part = _next_part(last, here, before, page)
            regions = tuple(part if r is here and part is not None else r for r in page.regions)
            page = replace(page, regions=regions)
        out.append(page)
        before = page if page.route != "failed" else None
    return out


def _within(page: Page) -> Page:
    """The page with its own texts marked that a column's end or a float has cut in two."""
    found: set[int] = set()
    last: Region | None = None
    between = False
    for region in page.regions:
        if region.kind in FURNITURE or _is_sideways(region):
            continue
        if region.kind in _FLOATS or (region.kind == "table" and last is not None):
            between = True
            continue
        cut = last is not None and last.text[-1:] == "-" and region.text[:1].islower()
        if last is not None and (between or region.bbox[1] < last.bbox[1]) and (cut or _is_prose(last)):
            column = between or region.bbox[0] >= last.bbox[2] or region.bbox[2] <= last.bbox[0]
            if column and _goes_on(last, region):
                found.add(id(region))
        last, between = region, False
    if not found:
        return page
    return replace(page, regions=tuple(replace(r, continues=True) if id(r) in found else r for r in page.regions))


def _next_part(last: Region, here: Region, before: Page, page: Page) -> Region | None:
    """`here` as what goes on from `last`, a table with the columns that are empty here; None if it does not."""
    if last.kind != "table" or here.kind != "table":
        return replace(here, continues=True) if _goes_on(last, here) else None
    if last.table is None or here.table is None or _named_apart(last, here, before, page):
        return None
    sizes = [(p.width, p.height) for p in (before, page)]
    if here.table.cols < last.table.cols and (table := widened(last, here, width=page.width)) is not None:
        here = replace(here, table=table, text=table_text(table))
    if not continues(last, here, previous_size=sizes[0], current_size=sizes[1]):
        return None
    return replace(here, continues=True)


def _named_apart(last: Region, here: Region, before: Page, page: Page) -> bool:
    """Whether captions say that these are two tables: another number above the second, or one below the first."""
    above = [r for r in page.regions[: page.regions.index(here)] if r.kind == "caption"]
    below = [r for r in before.regions[before.regions.index(last) :] if r.kind == "caption"]
    numbers = [_NUMBERED.match(r.text) for r in above if not _CONTINUED.search(r.text)]
    first = [m for r in before.regions if r.kind == "caption" and (m := _NUMBERED.match(r.text))]
    if any(m and (not first or m[1] != first[-1][1]) for m in numbers):
        return True
    return any(_NUMBERED.match(r.text) for r in below)


def _body(page: Page) -> list[Region]:
    return [r for r in page.regions if r.kind not in FURNITURE and not _is_sideways(r)]


def _is_sideways(region: Region) -> bool:
    """A line that is written up the margin."""
    x0, y0, x1, y1 = region.bbox
    return region.kind == "text" and y1 - y0 > 4 * (x1 - x0) and len(region.text) > 8


def _first(page: Page) -> Region | None:
    for region in _body(page):
        said = region.kind in ("text", "heading") and len(region.text) < 100 and _CONTINUED.search(region.text)
        if region.kind not in _FLOATS and not said:
            return region
    return None


def _last(page: Page) -> Region | None:
    body = [r for r in _body(page) if r.kind not in _FLOATS]
    return body[-1] if body else None


def _goes_on(last: Region, here: Region) -> bool:
    if here.kind != "text" or last.kind not in ("text", "list") or not last.text or not here.text:
        return False
    if "\n" in here.text or (last.kind == "text" and "\n" in last.text):
        return False  # lines of code
    if len(last.text) < PROSE and last.text.isupper():
        return False
    if last.text[-1] in _FINAL or last.text.rstrip("”\"')）」』")[-1:] in _FINAL or starts_item(here.text):
        return False
    first = here.text[0]
    if first.islower() or (first.isalpha() and not first.isupper()) or last.text[-1] in ",、，-" or first.isdigit():
        return True
    # a name may begin the rest of a sentence; a picture's words beside the column are narrower than it
    wide = (here.bbox[2] - here.bbox[0]) / max(last.bbox[2] - last.bbox[0], 1.0)
    level = wide > 0.95 and abs(here.bbox[0] - last.bbox[0]) < 3
    opens = _OPEN.search(last.text) is not None and (wide > 0.8 or len(here.text) < PROSE)
    return _is_prose(last) and last.text[-1].isalnum() and (level or opens)


def _is_prose(region: Region) -> bool:
    return region.kind in ("text", "list") and len(region.text) + han_count(region.text) >= PROSE
