"""Watermarks: slanted words that lie over the text of several pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from h3cold.ingest.page_facts import PageFacts


def watermarks(pages: Sequence[PageFacts]) -> list[set[int]]:
    """Per page, indices of slanted lines that stand on at least two pages with the same text."""
    seen: Counter[str] = Counter()
    slanted = []
    for page in pages:
        mine = {i for i, line in enumerate(page.lines) if 0.1 < abs(line.dir[1]) < 0.95}
        seen.update({page.lines[i].text.strip() for i in mine})
        slanted.append(mine)
    return [
        {i for i in mine if seen[page.lines[i].text.strip()] >= 2 or len(pages) == 1}
        for page, mine in zip(pages, slanted, strict=True)
    ]
