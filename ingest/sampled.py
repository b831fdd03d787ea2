"""Whether a text layer of strange letters says what is printed: OCR of a few lines, a page of which takes far longer.

Keys, codes and sequences (base64, DNA) have letter frequencies of no language, as has a font whose codes were shuffled;
only what is printed tells one from the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

import pymupdf

from h3cold.ingest.page_facts import Line

LINES, LONGEST = 3, 200
"""Lines that are compared, and characters of each."""

FEWEST = 40
"""Characters that the lines must have between them to be judged by."""

ALIKE = 0.8
"""Similarity from which they say the same; a shuffled font's reach .3, random letters read by OCR .95."""

_LOOKALIKES = str.maketrans("i|!105", "llllos")


def says_what_is_printed(page: pymupdf.Page, lines: Sequence[Line], *, language: str = "auto") -> bool:
    """Whether OCR reads the longest level lines as the text layer has them.

    Raises:
        ModelError: no OCR engine loads.
    """
    from h3cold.ingest import ocr

    level = [line for line in lines if line.dir == (1.0, 0.0) and not line.hidden]
    chosen = sorted(level, key=lambda line: -min(len(line.text), LONGEST))[:LINES]
    if sum(len(_bare(line.text)) for line in chosen) < FEWEST:
        return False
    alike = total = 0.0
    for line in chosen:
        printed = " ".join(found.text for found in ocr.read(page, clip=line.bbox, language=language).lines)
        mine, theirs = _bare(line.text), _bare(printed)
        alike += len(mine) * SequenceMatcher(None, mine, theirs, autojunk=False).ratio()
        total += len(mine)
    return alike >= ALIKE * total


def _bare(text: str) -> str:
    """A text without blanks, in small letters, those that look alike as one."""
    return "".join(text.split()).lower().translate(_LOOKALIKES)
