"""Rows of whom or what a question names: where a name stands, and below it where its cell is left blank."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from h3cold.recall.cells import DIGITS, sort_of
from h3cold.recall.missing import ALIKE, Name, asked_names, is_short
from h3cold.recall.periods import find_periods
from h3cold.recall.table_columns import Sheet
from h3cold.recall.table_rows import Row, is_sum
from h3cold.recall.understand import HAN, Question, tokens_of
from h3cold.schemas.hit import STEP

_TITLES = frozenset({"mr", "mrs", "ms", "dr", "sir", "the"})
_WORD = re.compile(r"[^\W\d_]{4,}")


class About(NamedTuple):
    """The numbers of the rows that are about all that a question names, none where there is no such row; and of several
    the one that says most else of what is asked, if one does."""

    numbers: frozenset[int]
    row: Row | None = None


def about_named(sheet: Sheet, rows: Sequence[Row], question: Question, above: str, called: str = "") -> About | None:
    """The rows of a table that are about what the question names; None where any may be: it names nothing, or what the
    table or its document, which is `called` so, as a whole is of. `above` is the text of caption and headings.
    """
    names = _names(question)
    if not names:
        return None
    called = called.casefold()
    over = " ".join((above, *(step for path in sheet.paths for step in path))).casefold()
    numbers: set[int] | None = None
    others, cell, several = list[set[int]](), "", False
    for name in names:
        if _whole(name, over) or any(form in called for form in name.forms):
            continue
        own, beside = _rows_of(sheet, rows, name, question)
        if own:
            both = numbers is not None and numbers.isdisjoint(own)  # "of Kay and of Nab"
            numbers = set(own) if numbers is None else numbers | own.keys() if both else numbers & own.keys()
            several = several or both
            cell = cell or next(iter(own.values()))
        elif beside or not (
            _is_another(name, question.text)
            or _may_say(name, f"{over} {' '.join(map(' '.join, sheet.grid))}", question)
        ):
            others.append(beside)
    if numbers is None:
        return About(frozenset()) if others else None
    about = frozenset(numbers.intersection(*others))
    return About(about, None if several else _telling(sheet, question, about, cell))


@lru_cache(maxsize=1 << 8)
def _asked(text: str) -> tuple[Name, ...]:
    return tuple(
        name
        for name in asked_names(text)
        if (name.place or not is_short(name.written)) and not find_periods(name.written)
    )


def _names(question: Question) -> list[Name]:
    """The question's names but for those of documents, and for terms written large."""
    known = frozenset[str]().union(*(tokens_of(concept.found) for concept in (*question.also, *question.places)))
    terms = question.spent.union(*(unit.words - known for unit in question.units))
    return [name for name in _asked(question.text) if not tokens_of(name.written) <= terms]


def _whole(name: Name, text: str) -> bool:
    """Whether a text, in small letters, says a name: any form of a place, all words of another."""
    return (any if name.place else all)(form in text for form in name.forms)


def _rows_of(sheet: Sheet, rows: Sequence[Row], name: Name, question: Question) -> tuple[dict[int, str], set[int]]:
    """The rows about a name, each with the cell that says it, and those that say it beside what they are about."""
    grid, out, beside = sheet.grid, dict[int, str](), set[int]()
    words, own = frozenset(question.words), _name_column(sheet)
    for place in range(len(grid[0]) if grid else 0):
        its = name.place or place <= own or not tokens_of(" ".join(sheet.paths[place])).isdisjoint(words)
        cell = ""
        for number in range(sheet.heads, len(grid)):
            text = grid[number][place].strip()
            if text:
                cell = text if _says(text, name) else ""
            if cell and its and (text or not is_sum(next(filter(None, map(str.strip, grid[number])), ""))):
                out.setdefault(number, cell)
            elif cell and text:
                beside.add(number)
    for row in rows:
        if row.group and row.number not in out and _says(row.group, name):
            out[row.number] = row.group
    return out, beside


def _name_column(sheet: Sheet) -> int:
    """The first column in which most of the cells are words without figures: of names, where the first are dates."""
    for place in range(len(sheet.grid[0]) if sheet.grid else 0):
        cells = [text for line in sheet.grid[sheet.heads :] if (text := line[place].strip())]
        if 2 * sum(sort_of(text) == "words" and not DIGITS.search(text) for text in cells) > len(cells):
            return place
    return 0


def _says(text: str, name: Name) -> bool:
    """Whether a cell says a name, or is a part of it that stands for it: "Mr. Nab"."""
    low = text.casefold()
    if not any(form in low for form in name.forms):
        return False
    return _whole(name, low) or tokens_of(text) - _TITLES <= tokens_of(name.written)


def _may_say(name: Name, text: str, question: Question) -> bool:
    """Whether a table that no row of is about a name may be about it for all that is known: in another language."""
    if (question.language == "zh") != bool(HAN.search(text)):
        return True
    words = {word for word in _WORD.findall(text.casefold()) if word[0] == name.forms[0][:1]}
    return bool(difflib.get_close_matches(name.forms[0], words, n=1, cutoff=ALIKE))


def _is_another(name: Name, text: str) -> bool:
    """Whether a name is one of several that are asked about alike: "Kay and Nab"."""
    return re.search(rf"(?:\b(?:and|or)|[&,])\s+{re.escape(name.written)}(?!\w)", text) is not None


def _telling(sheet: Sheet, question: Question, numbers: frozenset[int], cell: str) -> Row | None:
    """The row that says most else of what is asked; the only one there is. None where several say as much."""
    heads = frozenset[str]().union(*(tokens_of(step) for path in sheet.paths for step in path))
    other = frozenset(question.words) - question.spent - heads - tokens_of(cell) - {str(y) for y in question.years}
    cell = " ".join(cell.split())
    said: dict[int, tuple[int, str]] = {}
    for number in numbers:
        texts = [" ".join(text.split()) for text in sheet.grid[number] if sort_of(text) == "words"]
        saying = [(len(tokens_of(text) & other), text) for text in texts]
        said[number] = max(saying, key=lambda pair: pair[0], default=(0, ""))
    most = max((count for count, _ in said.values()), default=0)
    best = [number for number, (count, _) in said.items() if count == most]
    if len(best) != 1:
        return None
    number, text = best[0], said[best[0]][1] if most else cell
    label = text if tokens_of(cell) <= tokens_of(text) else f"{cell}{STEP}{text}"
    col = next((c for c, other in enumerate(sheet.grid[number]) if " ".join(other.split()) == text), -1)
    return Row(number, label, col, "", False)
