"""Lines set in the middle of a column: which of them are statements of their own, as on a cover, and which go on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from h3cold.ingest.lines import Row
from h3cold.ingest.page_facts import PageFacts
from h3cold.ingest.script import is_cjk
from h3cold.schemas.geometry import BBox, union

MOSTLY = 0.35
"""Share of a cover's lines that stand in its middle: checkboxes and what is said beside them do not."""

_FILED = re.compile(
    r"^\W*(?:UNITED STATES\s)?\W*SECURITIES AND EXCHANGE COMMISSION\W*$|\bcommission file n"
    r"|exact name of (?:the )?registrant",
    re.IGNORECASE,
)
"""What the cover of a filing says in a line of its own, whatever else stands on its page."""

_MAY_BE_FILED = re.compile(r"commission|exact name", re.IGNORECASE)

_OPEN = re.compile(
    r"(?:\s(?:of|on|in|and|or|the|for|to|with|a|an|by|from|at|as|between|among|under|into|its|our)|[&,(–—-]|[:/])$",
    re.IGNORECASE,
)
"""How a line ends that goes on below."""

_JOINS = re.compile(
    r"(?:OF|ON|IN|AND|OR|TO|WITH|BY|FROM|FOR(?! THE (?:FISCAL|QUARTER|YEAR|PERIOD|THREE|SIX|NINE|TRANSITION)))\s+\S"
    r"|[&,)]"
)
"""How a line begins that goes on from above."""

_NUMBER = re.compile(
    r"(?:part|chapter|appendix|annex|article|section|item|note|schedule|exhibit|title|book|volume|table|figure)\s+"
    r"[\dIVXLCA-Z.-]{1,6}[.:—–-]?$|[\dIVX]{1,4}\.?$",
    re.IGNORECASE,
)
"""A heading's number, whose name stands below it."""

_UNITS = re.compile(
    r"\b(?:continued|cont|unaudited|audited|restated|thousands|millions|billions|dollars|except)\b", re.I
)


def is_cover(facts: PageFacts) -> bool:
    """Whether a page is a filing's cover, or much of it stands in its middle line by line, as on title pages."""
    lines = [line.bbox for line in facts.lines if line.dir[0] > 0.98 and line.text.strip()]
    if len(lines) < 5:
        return False
    text = "\n".join([line.text for line in facts.lines])
    if _MAY_BE_FILED.search(text) and any(_FILED.search(line.text) for line in facts.lines):
        return True
    middle, width = min(b[0] for b in lines) + max(b[2] for b in lines), facts.width
    centred = sum(abs(b[0] + b[2] - middle) < 0.02 * width and b[2] - b[0] < 0.7 * width for b in lines)
    return centred >= MOSTLY * len(lines)


def own_lines(rows: Sequence[Row], facts: PageFacts) -> set[int]:
    """Indices of a cover's rows that begin a statement (see `apart`); none on other pages."""
    own = apart(rows)
    return own if own and is_cover(facts) else set()


def apart(rows: Sequence[Row]) -> set[int]:
    """Indices of rows that begin a statement of their own, as they stand in the middle below another of its own.

    A line that ends before it had to, as the next word would have fitted, was ended on purpose: then all the lines of
    its block are statements, unless words show that one goes on. So are lines in capitals beside others that are not,
    and lines in brackets. Chinese lines are left alone: their titles are broken by sense.
    """
    if len(rows) < 2:
        return set()
    column = union(r.bbox for r in rows)
    out: set[int] = set()
    run: list[int] = []
    for i, (a, b) in enumerate(pairwise(rows)):
        if _stacked(a, b, column):
            run = [*run, i + 1] if run else [i, i + 1]
            continue
        out |= _own(rows, run)
        run = []
    return out | _own(rows, run)


def _stacked(a: Row, b: Row, column: BBox) -> bool:
    """Whether two rows share their middle and not their edges, or that of the column with wide margins."""
    size, middle = max(a.size, b.size), a.bbox[0] + a.bbox[2]
    if abs(middle - b.bbox[0] - b.bbox[2]) >= 1.2 * size or b.bbox[1] - a.bbox[3] >= 3 * size:
        return False
    margin = min(a.bbox[0], b.bbox[0]) - column[0]
    return abs(a.bbox[0] - b.bbox[0]) > 0.5 * size or (
        margin > 0.2 * (column[2] - column[0]) and abs(middle - column[0] - column[2]) < 2 * size
    )


def _own(rows: Sequence[Row], run: Sequence[int]) -> set[int]:
    pairs = [(i, rows[i - 1], rows[i]) for i in run[1:] if not _goes_on(rows[i - 1], rows[i])]
    if not pairs:
        return set()
    width = max(rows[i].bbox[2] - rows[i].bbox[0] for i in run)
    if any(_ended(a, b, width) for _, a, b in pairs) and len(run) > 2:
        least = min(rows[i].size for i in run)
        return {i for i, a, b in pairs if not _title_goes_on(a, b, least)}
    return {i for i, a, b in pairs if _ended(a, b, width) or _other_kind(a, b)}


def _goes_on(a: Row, b: Row) -> bool:
    """Whether words show that a row is the rest of the one above."""
    if is_cjk(a.text[-1]) or is_cjk(b.text[0]):
        return True
    return (
        b.text[0].islower()
        or _OPEN.search(a.text) is not None
        or _JOINS.match(b.text) is not None
        or _NUMBER.match(a.text) is not None
        or a.text.count("(") > a.text.count(")")
        or (b.text[0] in "([" and _UNITS.search(b.text) is not None)
    )


def _ended(a: Row, b: Row, width: float) -> bool:
    """Whether the first word of the lower row had room in the upper one."""
    wide = (b.bbox[2] - b.bbox[0]) * len(b.text.split(maxsplit=1)[0]) / len(b.text)
    return a.bbox[2] - a.bbox[0] + wide + 0.8 * a.size < width


def _title_goes_on(a: Row, b: Row, least: float) -> bool:
    """Whether two rows are one title's: of one large type, close together, the upper one long and the wider."""
    size, wide = min(a.size, b.size), a.bbox[2] - a.bbox[0]
    if size < 1.5 * least or max(a.size, b.size) > 1.05 * size or b.bbox[1] - a.bbox[3] > 0.5 * size:
        return False
    return wide > b.bbox[2] - b.bbox[0] and wide > 12 * size and a.text.isupper() == b.text.isupper()


def _other_kind(a: Row, b: Row) -> bool:
    """Capitals above other letters or below them, or a line in brackets."""
    if _bracketed(b) or (_bracketed(a) and len(a.text) > 8):
        return True
    return a.text.isupper() != b.text.isupper() and min(len(a.text), len(b.text)) > 5 and not a.text[-1].isdigit()


def _bracketed(row: Row) -> bool:
    return row.text[0] == "(" and row.text[-1] == ")" and row.text.count("(") == 1 and len(row.text) > 3
