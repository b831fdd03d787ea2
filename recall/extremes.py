"""The columns of a question's months, and the row or the period of the largest or smallest value."""

from __future__ import annotations

import re
from collections.abc import Sequence

from h3cold.recall.cells import amount
from h3cold.recall.months import headed_by_month, of_months
from h3cold.recall.table_columns import Column, Sheet, asked_columns, columns_of, narrowed, without_notes, years_of
from h3cold.recall.table_rows import Row, tells_sum
from h3cold.recall.understand import Question, tokens_of
from h3cold.recall.wishes import Wish, is_change

_WHICH_PERIOD = re.compile(
    r"\b(?:which|what)\s+(?:(?:fiscal|calendar)\s+)?(?:year|quarter|month)\b|哪(?:一?年|个?(?:财年|年度|季度?|月))|几月",
    re.IGNORECASE,
)
"""Asks for the period of the largest or smallest value: a column, where these are headed by periods."""

ENOUGH = 3
"""Rows with values among which one can be the largest."""


def columns_asked(
    columns: Sequence[Column], question: Question, wish: Wish, year: int | None, label: str
) -> list[Column]:
    """As `asked_columns`, of those only that are headed by a month that the question names, if there are any."""
    months = of_months(columns, question.text)
    return asked_columns(months or columns, question, wish, year=year, label=label) or months


def extreme_row(sheet: Sheet, rows: Sequence[Row], question: Question, wish: Wish, year: int | None) -> list[Row]:
    """The row with the largest or smallest value of the column that is asked for, else of the first with values."""
    measures = _measures(question)
    values: dict[tuple[bool, int, tuple[str, ...]], list[tuple[float, Row]]] = {}
    for row in rows:
        if row.empty or tells_sum(row.label) or tokens_of(row.label) <= measures:
            continue
        columns = columns_of(sheet, row)
        asked = columns_asked(columns, question, wish, year, "")
        for column in narrowed(asked or without_notes(columns), question, "")[:1]:
            if (value := amount(column.value)) is not None:
                values.setdefault((bool(asked), column.place, column.path), []).append((value, row))
    enough = {key: found for key, found in values.items() if len(found) >= ENOUGH}
    if not enough:
        return []
    most = max(enough, key=lambda key: (key[0], len(enough[key])))
    return [max(enough[most], key=lambda pair: wish.extreme * pair[0])[1]]


def extreme_period(sheet: Sheet, row: Row, question: Question, wish: Wish, year: int | None) -> list[Column]:
    """The column of the year or month in which a row's value is the largest or smallest, where that is asked for."""
    if not wish.extreme or not _WHICH_PERIOD.search(question.text):
        return []
    dated = [((headed_by_month(c), years_of(c.path, year)), c) for c in columns_of(sheet, row) if not is_change(c.name)]
    dated = [(period, c) for period, c in dated if any(period)]
    values = [(value, c) for _, c in dated if (value := amount(c.value)) is not None]
    if len(values) < 2 or len({period for period, _ in dated}) < len(dated):  # of a period more than one measure
        return []
    return [max(values, key=lambda pair: wish.extreme * pair[0])[1]]


def _measures(question: Question) -> frozenset[str]:
    """Tokens of the terms that the question names, in all their forms."""
    return frozenset(t for unit in question.units for form in (unit.words, *unit.forms) for t in form)
