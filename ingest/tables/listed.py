"""Lists of contents among aligned rows: they look like tables, and are lists."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from h3cold.ingest.tables.rows import Seg

_PAGE_NUMBER = re.compile(r"^(?:[A-Z]{1,2}-?|S-|F-)?\d{1,4}$|^[ivxlc]+$")
NAMES_PAGES = re.compile(
    r"\b(?:page|pg|seite|p[aá]gina|folio)s?\b|\bp\.|[页頁]|\bcontents\b|目\s*[录錄]", re.IGNORECASE
)
LABEL = re.compile(
    r"(?:(?:items?|notes?|parts?|chapters?|sections?|articles?|schedules?|exhibits?|appendix|annex|tables?|fig(?:ure|\.)s?|no\.)\s*)?"
    r"[(\[]?(?:[A-Z]{0,2}-?\d{1,3}[A-Z]?(?:[.\-]\d{1,3})*|[A-Z]|[IVXLC]+|[ivxlc]+)[)\].:]*(?:\s?[-–—])?"
    r"|第?[一二三四五六七八九十百\d]+[章节節条部分篇编、.．]*|[•·▪■●○]",
    re.IGNORECASE,
)
"""What stands before a title: "Item 1A.", "Note 3", "IV", "2.1", 第三节."""


def is_contents(cells: Sequence[Sequence[Seg]]) -> bool:
    """Whether columns are titles with the pages that they stand on: numbers that rise, before them one column of text.

    Columns before the titles hold their numbers ("Item 1A."): two of words are a table, whatever their figures do, and
    so are those under a head that names no pages.
    """
    last = [s.text for s in cells[-1]]
    if len(cells) > 3 or not all(_PAGE_NUMBER.match(t) for t in last[1:]) or len(last) < 3:
        return False
    head = cells[-1][0]
    if not _PAGE_NUMBER.match(head.text) and any(c.isalpha() for c in head.text):
        level = [s.text for c in cells for s in c if s.y0 < head.y1 and head.y0 < s.y1]
        if not any(NAMES_PAGES.search(t) for t in level):
            return False
    if len(cells) == 3 and sum(LABEL.fullmatch(s.text) is not None for s in cells[0]) < 0.6 * len(cells[0]):
        return False
    numbers = [int(t) for t in last if t.isdecimal()]
    if len(numbers) > 2 and numbers[0] == max(numbers):
        return False
    climbing = sum(a <= b for a, b in itertools.pairwise(numbers))
    wordy = sum(any(c.isalpha() for c in s.text) for s in cells[-2])
    return climbing >= 0.9 * (len(numbers) - 1) and wordy >= 0.8 * len(cells[-2])
