"""Tables of contents on a page: their entries look like headings and are none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from h3cold.ingest.paragraphs import LEADER
from h3cold.schemas.geometry import union
from h3cold.schemas.page import Region

_ENDS_IN_PAGE = re.compile(r"[^\d\s]\s+\d{1,3}$")


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
            out += [replace(x, kind="text", level=None) for x in run]
        run = []
        if r is not None:
            out.append(r)
    return out
