"""Tables of contents on a page, whose entries look like headings and are none, and the levels that they tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from h3cold.ingest.contents_lists import LEVEL
from h3cold.ingest.paragraphs import LEADER
from h3cold.schemas.geometry import union
from h3cold.schemas.page import Page, Region

_ENDS_IN_PAGE = re.compile(r"[^\d\s]\s+\d{1,3}$")

_ENTRY = re.compile(r"((?: {2})*)(\S.*?)\s+(?:…\s*)?(?:[A-Z]{1,2}-)?(?:\d{1,4}|[ivxlc]{1,6})")

FRONT = 24
"""Pages at the front of a document among which its lists of contents are."""


def told_levels(pages: Sequence[Page]) -> list[tuple[int, str, int]]:
    """The levels that a document's lists of contents show by setting entries in, as (level from 1, title, page 0: not
    told); empty where they show none.
    """
    out: list[tuple[int, str, int]] = []
    for page in pages[:FRONT]:
        for region in page.regions:
            if region.kind != "list" or "\n" + LEVEL not in region.text:
                continue
            lines = region.text.split("\n")
            found = [m for m in map(_ENTRY.fullmatch, lines) if m]
            if len(found) >= 0.6 * len(lines) and len(found) > 3:
                out += [(1 + len(m[1]) // len(LEVEL), m[2], 0) for m in found]
    return list(dict.fromkeys(out))


def contents_page(regions: Sequence[Region]) -> list[Region]:
    """The entries of a table of contents as one list: lines with dots that lead to a number, or, where there are many
    of them, what looks like headings and ends in a number.
    """
    told = (r for r in regions if r.kind in ("text", "heading", "list") and "…" in r.text)
    entries = {id(r) for r in told if LEADER.search(r.text)}
    numbered = [r for r in regions if r.kind == "heading" and _ENDS_IN_PAGE.search(r.text)]
    if len(numbered) >= 5 or len(entries) >= 5:
        entries.update(map(id, numbered))
    out: list[Region] = []
    run: list[Region] = []
    for r in [*regions, None]:
        if r is not None and id(r) in entries:
            run.append(r)
            continue
        if len(run) > 2:
            out.append(replace(run[0], kind="list", level=None, bbox=union(x.bbox for x in run),
                               text="\n".join(x.text for x in run)))  # fmt: skip
        else:
            out += [x if "\n" in x.text else replace(x, kind="text", level=None) for x in run]
        run = []
        if r is not None:
            out.append(r)
    return out
