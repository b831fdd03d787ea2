"""Rows that look as if something began with them, and stand amid a sentence; and sentences that began a row before."""

from __future__ import annotations

import re
from collections.abc import Sequence

from h3cold.ingest.lines import Row
from h3cold.ingest.numbering import scheme
from h3cold.ingest.script import is_cjk

ENDS = '.:;?!。：；？！”")）…'
"""What a sentence, or what is put as one, ends in."""

_CLOSING = re.compile(r"\w{1,5}\)\s")
_DASH = re.compile(r"[–—]\s+[a-z]")


def closes(above: str, text: str) -> bool:
    """Whether a row goes on with what a bracket in the row above holds: "(Eq." / "4) is"."""
    return above.count("(") > above.count(")") and _CLOSING.match(text) is not None


def dash_amid(before: Row, row: Row, right: float) -> bool:
    """Whether a row opens with the dash of a sentence that fills the row above."""
    level = abs(before.bbox[0] - row.bbox[0]) < 0.3 * row.size and before.bbox[2] > right - row.size
    return level and before.text[-1:].isalnum() and _DASH.match(row.text) is not None


def opened_in_last(rows: Sequence[Row], row: Row, left: float, right: float) -> bool:
    """Whether a row further left goes on with a paragraph that opens in the last of `rows`, indented as the one before
    is, which is a paragraph of its own: both have the indent of a first line.
    """
    above, opening = rows[-2:]
    size, end, text = opening.size, opening.text[-1:], row.text
    edge = right - 1.5 * size
    ended = above.text[-1:] in ENDS or above.bbox[2] < edge - size
    joins = (is_cjk(end) and is_cjk(text[0])) or (text[0].islower() and (end.isalpha() or end in "-,"))
    if not (ended and joins and scheme(opening.text) is None and "…" not in text):
        return False
    fills = opening.bbox[2] > edge and row.bbox[0] < left + 0.5 * size
    near = abs(row.baseline - opening.baseline) < 2.2 * size and abs(row.size - size) < 0.06 * size
    return fills and near and 0.7 * size < opening.bbox[0] - row.bbox[0] < 3.2 * size
