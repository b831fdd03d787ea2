"""Numbers of lines beside the text, as drafts, bills and transcripts have them: furniture amid the text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from h3cold.ingest.page_facts import Line, PageFacts
from h3cold.ingest.script import han_count

FEWEST = 4
"""Numbers below each other that make a column of them."""

ALONE = 12
"""How many there must be where no other page has such a column."""

STEPS = (1, 2, 5, 10)
"""How far apart the lines are that have a number."""

LONG = 25
"""Letters of a line of text; a Han character counts two."""

GOES_ON = 0.3
"""Share of numbered lines that begin in the midst of a sentence, at least: items of a list do not."""


def line_numbers(pages: Sequence[PageFacts]) -> list[set[int]]:
    """Per page, indices of the lines that number others; none where it is the only page that has any."""
    found = [_column(page) for page in pages]
    several = sum(len(one) > 0 for one in found) > 1
    return [one if several or len(one) >= ALONE else set() for one in found]


def _column(page: PageFacts) -> set[int]:
    marks = [i for i, line in enumerate(page.lines) if line.text.strip().isdecimal() and len(line.text.strip()) < 5]
    if len(marks) < FEWEST:
        return set()
    for edge in (2, 0):
        groups: defaultdict[int, list[int]] = defaultdict(list)
        for i in marks:
            groups[round(page.lines[i].bbox[edge] / 3)].append(i)
        for group in sorted(groups.values(), key=len, reverse=True):
            if len(group) < FEWEST:
                break
            if _numbers_lines(group, page):
                return set(group)
    return set()


def _numbers_lines(group: list[int], page: PageFacts) -> bool:
    """Whether numbers rise by one step beside the text, and what they number is text, not a table's rows or a list."""
    group.sort(key=lambda i: page.lines[i].bbox[1])
    values = [int(page.lines[i].text) for i in group]
    steps = [b - a for a, b in pairwise(values)]
    usual = max(set(steps), key=steps.count)
    if usual not in STEPS or steps.count(usual) < 0.8 * len(steps) or min(steps) < 1:
        return False
    mine = set(group)
    text = [line for i, line in enumerate(page.lines) if i not in mine and line.dir[0] > 0.98]
    left = min(page.lines[i].bbox[0] for i in group)
    right = max(page.lines[i].bbox[2] for i in group)
    if not text or sum(line.bbox[0] < right and line.bbox[2] > left for line in text) > max(1, 0.05 * len(text)):
        return False
    before = sum(line.bbox[2] <= left for line in text)
    if min(before, len(text) - before) > max(1, 0.05 * len(text)):
        return False  # text at both sides
    if usual > 1:
        rows = {round(line.bbox[3] / 3) for line in text}
        return sum(len(line.text) + han_count(line.text) for line in text) > LONG * len(rows)
    level = [found for i in group if (found := _beside(page.lines[i], text)) is not None]
    lines = [line for line in level if _is_long(line)]
    if len(level) < 0.5 * len(group) or len(lines) < 0.6 * len(level):
        return False
    amid = sum(line.text.lstrip()[:1].islower() or han_count(line.text[:1]) > 0 for line in lines)
    return amid >= GOES_ON * len(lines)


def _beside(mark: Line, text: Sequence[Line]) -> Line | None:
    """The longest piece of the line that a number stands at."""
    middle = (mark.bbox[1] + mark.bbox[3]) / 2
    level = [line for line in text if line.bbox[1] < middle < line.bbox[3]]
    return max(level, key=lambda line: len(line.text), default=None)


def _is_long(line: Line) -> bool:
    return len(line.text) + han_count(line.text) >= LONG and "..." not in line.text
