"""Running headers that stand on one page only, known by the title of another page that they repeat."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import median

from h3cold.ingest.page_facts import Line, PageFacts, sizes_of
from h3cold.ingest.page_numbers import same_text
from h3cold.ingest.script import han_count

LARGER = 1.2
"""Size of a title, in those of its page's usual type and of the document's."""

LONGEST = 80
"""Letters from which on a line of large type is text."""

_MARKS = re.compile(r"[^\w#]")


@dataclass(frozen=True, slots=True)
class Titles:
    """What a page says in large type: `text` of its lines as `letters_only` has it, and where each begins there."""

    text: str
    begins: frozenset[int]

    def has(self, text: str) -> bool:
        """Whether a title begins with `text`, which may go on over its lines."""
        at = self.text.find(text)
        while at >= 0:
            if at in self.begins:
                return True
            at = self.text.find(text, at + 1)
        return False


def titles_of(pages: Sequence[PageFacts]) -> list[Titles]:
    """Per page, its lines in larger type than most of the page and of the document: its titles and headings.

    Pages whose tables are in small type have their text for none.
    """
    every = [sizes_of(page.lines) for page in pages]
    usual = [sorted(sizes)[len(sizes) // 2] if sizes else 0.0 for sizes in every]
    document = median([size for size in usual if size] or [0.0])
    out = []
    for page, sizes, own in zip(pages, every, usual, strict=True):
        least = LARGER * max(own, document)
        texts = [
            letters_only(line.text)
            for line, size in zip(page.lines, sizes, strict=True)
            if size >= least and len(line.text) < LONGEST
        ]
        ends = list(accumulate(len(text) for text in texts))
        out.append(Titles("".join(texts), frozenset([0, *ends])))
    return out


def repeats_title(texts: Sequence[Line], titles: Sequence[Titles], at: int) -> bool:
    """Whether a row of lines on page `at` says what another page, and not this one, has for a title."""
    text = letters_only("".join(line.text for line in texts))
    own = titles[at]
    if len(text) + han_count(text) < 6 or text in own.text:
        return False
    word = len("".join(line.text for line in texts).split()) < 2 and text.isascii()  # it stands in many a title
    return any(text == other.text if word else other.has(text) for other in titles if other.text != own.text)


def letters_only(text: str) -> str:
    """Text as `same_text` has it, without its marks."""
    return _MARKS.sub("", same_text(text))
