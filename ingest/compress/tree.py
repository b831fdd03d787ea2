"""A document as a tree: document, chapters, sections, blocks. Headings make it, topic shifts where there are none.

Every place between two blocks has a strength: that of the outermost heading which changes there, and less than any of
these the shift of topic. A range is cut at its strongest places until its parts are of the size of a section; sections
are gathered to chapters in the same way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from h3cold.ingest.compress.shifts import Floats, shifts

SECTION = 16
"""Blocks of a section, at most, but in long documents (see `SHARE`)."""

CHAPTER = 12
"""Sections of a chapter, at most."""

LEAST = 5
"""Blocks of a section, or sections of a chapter, from which a heading parts it from its neighbour."""

SHARE = 72
"""A section has one in so many of its document's blocks, at least: the nodes of a long one stay about as many."""

CONTENTS = re.compile(r"\W*(?:(?:table of )?contents|index|目\s*[录錄])\W*", re.IGNORECASE)

HEADED = 0.5
"""Least strength of a place where a heading changes; shifts of topic lie below."""


class Span(NamedTuple):
    """A node: blocks `first` to `last` (exclusive, places); `level` 0 document, 1 chapter, 2 section."""

    level: int
    first: int
    last: int
    title: str


def spans(headings: Sequence[Sequence[str]], vectors: Floats, title: str = "") -> list[Span]:
    """The tree of a document given its blocks' heading paths and vectors [n, d]: each node before its children."""
    count = len(headings)
    if not count:
        return []
    strength = strengths(headings, vectors)
    least = max(LEAST, count // SHARE)
    sections = _cut(0, count, strength, most=max(SECTION, 3 * least), least=least)
    starts = [first for first, _ in sections]
    between = strength[np.array(starts[1:], np.int64) - 1] if len(starts) > 1 else np.zeros(0, np.float32)
    chapters = _cut(0, len(sections), between, most=CHAPTER)
    out = [Span(0, 0, count, title)]
    for low, high in chapters:
        first, last = sections[low][0], sections[high - 1][1]
        only = len(chapters) == 1 and not common(headings)  # no heading names all of it
        out.append(Span(1, first, last, title if only else _shared(headings[first:last])))
        out += [Span(2, a, b, _shared(headings[a:b])) for a, b in sections[low:high]]
    return out


def strengths(headings: Sequence[Sequence[str]], vectors: Floats) -> Floats:
    """Strength of each place between two blocks, [n - 1]: 0 to `HEADED` by topic, above it by headings."""
    out = shifts(vectors) * HEADED * 0.9
    for place in range(1, len(headings)):
        before, after = headings[place - 1], headings[place]
        if tuple(before) != tuple(after):
            out[place - 1] = HEADED + 0.5 / (1 + len(common([before, after]))) + out[place - 1] / 100
    return out


def _cut(first: int, last: int, strength: Floats, *, most: int, least: int = LEAST) -> list[tuple[int, int]]:
    """Ranges from `first` to `last` (exclusive) of `least` to `most`, parted at the strongest places.

    A place is worth a cut where a heading changes and both sides have enough of their own; a range that is too long is
    cut in any case, away from its ends.
    """
    waiting, out = [(first, last)], []
    while waiting:
        a, b = waiting.pop()
        places = np.arange(a + 1, b)
        inner = places[(places - a >= least) & (b - places >= least)]
        best = int(inner[np.argmax(strength[inner - 1])]) if len(inner) else -1
        if best > 0 and (b - a > most or strength[best - 1] >= HEADED):
            waiting += [(best, b), (a, best)]  # the left one is next
        else:
            out.append((a, b))
    return out


def _shared(paths: Sequence[Sequence[str]]) -> str:
    """The innermost heading that all the blocks share, else the outermost that most of them stand under.

    A table of contents gives no part its name that has anything else in it.
    """
    shared = common(paths)
    if shared:
        return shared[-1]
    count = Counter(path[0] for path in paths if path)
    own = {name: n for name, n in count.items() if not CONTENTS.fullmatch(name)} or count
    return max(own, key=own.__getitem__, default="")


def common(paths: Sequence[Sequence[str]]) -> list[str]:
    """The headings that all paths begin with."""
    out: list[str] = []
    for level in zip(*paths, strict=False):
        if len(set(level)) > 1:
            break
        out.append(level[0])
    return out
