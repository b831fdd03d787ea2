"""A document's title on its first page, and what stands there between the title and the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from h3cold.ingest.headings import STYLE, look
from h3cold.ingest.numbering import numbering
from h3cold.ingest.regions import title_key
from h3cold.schemas.page import Page, Region

_OPENS_TEXT = re.compile(
    r"\W*(?:abstract|(?:executive )?summary|introduction|keywords|(?:table of )?contents|摘\s*要|引\s*言|目\s*录)\W*$"
    r"|\d{1,2}\.?\s+\S|第[一1]章|[一]、",
    re.IGNORECASE,
)
_CONTENTS = re.compile(r"\W*(?:table of contents|contents|index|目\s*录)\W*", re.IGNORECASE)


_NO_TITLE = re.compile(
    r"\W*(?:for (?:immediate )?release\b.*|(?:\w+ )?\d{1,2},? (?:19|20)\d\d|(?:19|20)\d\d|\d+)\W*", re.IGNORECASE
)


def mark_title(pages: Sequence[Page], outline: Sequence[tuple[int, str, int]] = ()) -> list[Page]:
    """Make the largest heading of the first page that has one the title (all its lines of that size in a row).

    Headings still carry their style (`headings.STYLE`). A numbered heading is no title, nor is one that stands
    below running text or deeper than the first level of the `outline`. What looks like a heading between the title
    and the abstract or first section is text: authors, affiliations, dates.
    """
    deeper = {title_key(title) for level, title, _ in outline if level > 1}
    out = list(pages)
    for n, page in enumerate(out[:3]):
        begun = next((i for i, r in enumerate(page.regions) if _is_prose(r)), 99)
        heads = [
            (i, r) for i, r in enumerate(page.regions[:begun]) if _is_head(r) and title_key(r.text) not in deeper
        ]  # fmt: skip
        if not heads:
            if begun < 99:
                return out  # the text has begun without a title
            continue
        largest = max(look(r).size for _, r in heads)
        first = next(i for i, r in heads if look(r).size >= 0.96 * largest)
        if n and first > 3:
            return out
        out[n] = _marked(page, first)
        return out
    return out


def _is_prose(region: Region) -> bool:
    return region.kind in ("text", "list") and len(region.text) > 150


def _is_head(region: Region) -> bool:
    return (
        region.kind == "heading"
        and (region.level or 0) >= STYLE
        and len(region.text) > 2
        and (numbering(region.text) or 0) < 2
        and not _CONTENTS.fullmatch(region.text)
        and not _NO_TITLE.fullmatch(region.text)
    )


def _marked(page: Page, first: int) -> Page:
    regions = list(page.regions)
    size = look(regions[first]).size
    last = first
    for i in range(first, len(regions)):
        if regions[i].kind != "heading" or look(regions[i]).size < size - 0.2 or i > first + 3:
            break
        if i > first and _OPENS_TEXT.match(regions[i].text):
            break
        regions[i] = replace(regions[i], kind="title", level=None)
        last = i
    opens = next((i for i in range(last + 1, len(regions)) if _OPENS_TEXT.match(regions[i].text)), None)
    prose = opens is not None and any(_is_prose(r) for r in regions[last + 1 : opens])
    if opens is not None and regions[opens].kind == "heading" and opens - last <= 12 and not prose:
        for i in range(last + 1, opens):
            if regions[i].kind == "heading":
                regions[i] = replace(regions[i], kind="text", level=None)
    return replace(page, regions=tuple(regions))
