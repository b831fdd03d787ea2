"""What a table says to a question: the row and the columns that answer it, and a split table made whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from h3cold.recall.understand import Question
from h3cold.schemas.block import Block
from h3cold.schemas.hit import Answer
from h3cold.schemas.page import Cell, Table

ROW_COVER = 0.5
"""Share of a row label's words that the question must hold for the row to count as its answer."""


_GOES_ON = re.compile(r"[\s(（—–-]*(?:continued|cont['’]?d\.?|续表?|續)[)）]?\s*$", re.IGNORECASE)


_SUMS = frozenset({"total", "合计", "总计", "共计", "总额"})
"""Tokens of a row's label that tell a sum, and nothing of what."""

_BY = re.compile(r"\bby\b|分(?:产品|地区|行业|客户|部|季度|类)|各|构成", re.IGNORECASE)
"""Asks for the rows beside a sum, not for the sum."""

_YEAR_ROW = re.compile(r"[\s年度末()（）]|\b(?:fiscal|year|FY)\b", re.IGNORECASE)
"""What may stand about the year that a row is labelled with."""

CAPTIONS = 4
"""Lines of captions and units that may stand in a table's text above its head."""


def answer_in(table: Table, question: Question, about: str = "") -> Answer | None:
    """The row whose label the question names best, the columns whose head names one of its years, what stands there.

    Where no row does, the one of a year that is asked for, or that of the sum where the caption (`about`) or the heads
    name what is asked for. None where neither row nor column stands out.
    """
    own = set(question.words)
    forms = [form for unit in question.units for form in unit.forms]
    known = own.union(*forms)
    years = {str(y) for y in question.years}
    idle = years | (_SUMS - own)
    best, label, place = 0.0, "", -1
    sums: list[tuple[str, int]] = []
    dated: list[tuple[str, int]] = []
    heads, grid = table.header_rows() or 1, table.grid()
    for number, row in enumerate(grid[heads:], heads):
        if years and row[0].strip() and _YEAR_ROW.sub("", row[0]) in years:
            dated.append((" ".join(row[0].split()), number))
        text = next((c for c in row if c.strip() and not _is_number(c)), "")
        tokens = _tokens(text) - idle
        if not tokens:
            if _tokens(text) & _SUMS:
                sums.append((" ".join(text.split()), number))
            continue
        if tokens.isdisjoint(known):  # as most are
            continue
        said = (tokens & own).union(*(form for form in forms if form <= tokens))
        share = len(said) / len(tokens)
        score = share * (len(tokens & own) + 0.5 * len(said))
        if share >= ROW_COVER and score > best:
            best, label, place = score, " ".join(text.split()), number
    paths = _head_paths(table, heads)
    headed = any(y in step for y in years for path in paths for step in path)
    if place < 0 and len(dated) == 1 and not headed:
        label, place = dated[0]
    if place < 0 and len(sums) == 1 and not _BY.search(question.text) and _measured(question, about, paths):
        label, place = sums[0]
    columns: dict[str, list[str]] = {}
    for col, path in enumerate(paths):
        if any(y in step for y in years for step in path):
            columns.setdefault(" > ".join(path), []).extend(grid[place][col].split() if place >= 0 else ())
    if place < 0 and not columns:
        return None
    told = [" ".join(words) for words in columns.values()] or _beside(grid[place], label)
    return Answer(label, tuple(columns), tuple(told) if place >= 0 else ())


def _beside(row: Sequence[str], label: str) -> list[str]:
    """The other cells of a row that say something."""
    said = [" ".join(cell.split()) for cell in row if cell.strip()]
    said.remove(label)
    return said


def _measured(question: Question, about: str, paths: Sequence[tuple[str, ...]]) -> bool:
    """Whether a caption or a column's head says an item that the question names, in any of its forms."""
    said = _tokens(about).union(*(_tokens(step) for path in paths for step in path))
    return any(form and form <= said for unit in question.units for form in (unit.words, *unit.forms))


def _head_paths(table: Table, heads: int) -> list[tuple[str, ...]]:
    """What stands above each column, from the top down; a head over several columns is above each of them."""
    paths: list[list[str]] = [[] for _ in range(table.cols)]
    for cell in sorted((c for c in table.cells if c.row < heads and c.text.strip()), key=lambda c: c.row):
        for path in paths[cell.col : cell.col + cell.colspan]:
            path.append(" ".join(cell.text.split()))
    return [tuple(path) for path in paths]


def years_in(table: Table, question: Question) -> tuple[int, ...]:
    """The question's years that stand in the table's cells."""
    text = " ".join(c.text for c in table.cells)
    return tuple(y for y in question.years if str(y) in text)


def whole(parts: Sequence[Block]) -> Table | None:
    """One table of all parts (in order), the header rows that later parts repeat left out.

    Cells have the box that they have on their own page, and tell which one that is.
    """
    placed = [(p.table, p.page) for p in parts if p.table is not None]
    if not placed:
        return None
    first = placed[0][0]
    header = [_head(row) for row in first.grid()[: first.header_rows()]]
    cells: list[Cell] = []
    rows = 0
    for table, page in placed:
        skip = 0
        if rows:
            grid = table.grid()
            while skip < min(len(header), table.rows) and _head(grid[skip]) == header[skip]:
                skip += 1
        down = rows - skip
        cells += [  # not by `replace`, which takes twice as long
            Cell(c.row + down, c.col, c.text, c.bbox, c.rowspan, c.colspan, c.header, page)
            for c in table.cells
            if c.row >= skip
        ]
        rows += table.rows - skip
    return Table(rows, max(t.cols for t, _ in placed), tuple(cells))


def joined_text(parts: Sequence[Block]) -> str:
    """The text of all parts of a table (in order), the head told once; nothing else that is said twice is left out."""
    return "\n".join([parts[0].text, *(further(parts[0], part) for part in parts[1:])]) if parts else ""


def further(first: Block, part: Block) -> str:
    """The text of a further part without the caption and head that it repeats of the `first`."""
    said, lines = first.text.splitlines(), part.text.splitlines()
    same = 0
    while same < min(len(said), len(lines) - 1) and _line(lines[same]) == _line(said[same]):
        same += 1
    deep = first.table.header_rows() if first.table is not None else 0
    if same < min(deep, len(lines) - 1):
        above = [_line(line) for line in said[: deep + CAPTIONS]]
        while same < min(deep, len(lines) - 1) and _line(lines[same]) in above:
            same += 1
    return "\n".join(lines[same:])


def _line(text: str) -> str:
    return " | ".join(_head(text.split(" | ")))


def _head(row: Sequence[str]) -> list[str]:
    """A header row as it is compared: without case, blanks and what says that it goes on."""
    return [" ".join(_ended(text).split()) for text in row]


def _ended(text: str) -> str:
    plain = text.casefold()
    if "cont" in plain or "续" in plain or "續" in plain:  # the pattern takes ten times as long
        return _GOES_ON.sub("", text).casefold()
    return plain


@lru_cache(maxsize=1 << 14)
def _tokens(text: str) -> frozenset[str]:
    from h3cold.ingest.tokens import lexical

    return frozenset(lexical(text))


def _is_number(text: str) -> bool:
    kept = text.strip("()%$¥€£ -—–,.")
    return bool(kept) and all(c.isdigit() or c in ",. " for c in kept)
