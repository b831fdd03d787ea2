"""What stands on the left of a chart's lying bars: the names of its rows."""

from __future__ import annotations

from collections.abc import Sequence

from h3cold.ingest.clusters import within
from h3cold.ingest.page_facts import PageFacts
from h3cold.schemas.geometry import BBox, overlap

REACH = 2.5
"""Font sizes between the longest name and the chart, at most."""

MAX_BARS = 500


def row_names(facts: PageFacts, chart: BBox, taken: Sequence[BBox]) -> set[int]:
    """Indices of the short lines on the left of a chart that are level with its bars and end or begin together.

    A page's other column may stand there as well: its lines are level with bars by chance only, and end anywhere.
    """
    bars = [f.bbox for f in facts.fills[: 4 * MAX_BARS] if within(f.bbox, chart)][:MAX_BARS]
    bars = [b for b in bars if b[2] - b[0] > 1.2 * (b[3] - b[1]) > 4 and b[3] - b[1] < 0.6 * (chart[3] - chart[1])]
    if not bars:
        return set()
    found = [
        i for i, line in enumerate(facts.lines)
        if line.bbox[2] <= chart[0] + 2 and chart[1] < (line.bbox[1] + line.bbox[3]) / 2 < chart[3]
        and chart[0] - line.bbox[2] < 12 * line.size and not any(overlap(line.bbox, t) > 0 for t in taken)
    ]  # fmt: skip
    if not found:
        return set()
    last = max(found, key=lambda i: facts.lines[i].bbox[2])
    edge = facts.lines[last]
    if chart[0] - edge.bbox[2] > REACH * edge.size or any(len(facts.lines[i].text.split()) > 7 for i in found):
        return set()
    x0 = min(facts.lines[i].bbox[0] for i in found)
    flush = [
        i for i in found
        if abs(facts.lines[i].bbox[2] - edge.bbox[2]) < 3 or abs(facts.lines[i].bbox[0] - x0) < 3
    ]  # fmt: skip
    level = [i for i in flush if any(_level(facts.lines[i].bbox, b) for b in bars)]
    return set(flush) if len(flush) == len(found) and len(level) >= max(1, 0.6 * len(found)) else set()


def _level(line: BBox, bar: BBox) -> bool:
    """Whether the middle of a line is that of a bar, give or take a line."""
    return abs(line[1] + line[3] - bar[1] - bar[3]) / 2 < max(0.6 * (line[3] - line[1]), 0.5 * (bar[3] - bar[1]))
