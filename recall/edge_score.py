"""How well an edge of the graph answers a question: kind, direction, office, time and which names it ties."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any, NamedTuple

from h3cold.kg.facts import FAMILIES
from h3cold.recall.offices import office_fit
from h3cold.recall.ownership import direction
from h3cold.recall.periods import same_month
from h3cold.recall.spans import same_part
from h3cold.recall.understand import Question

OTHER, WHERE = 0.0, 0.1
"""What an edge counts that is of none of the kinds asked for: who bought a bank tells nothing of who runs it; and where
nothing but "where" asks, which may be from whom."""

NEAR, ANY = 0.4, 0.5
"""What an edge counts that is only of a family with what is asked for; and where no kind of edge is."""

OTHER_YEAR, UNDATED = 0.5, 0.9
"""What an edge counts that is of another year than is asked for; that is of none."""

OTHER_MONTH, OTHER_PART = 0.8, 0.7
"""What an edge counts that is of the year asked for, but of another month of it; of another quarter or half."""

CERTAIN = 0.9
"""Strength from which a name is one entity's and not a part that others share."""

TOLD, UNTOLD = 0.2, 0.6
"""Share of an edge's score that its sentence's meaning decides, where rules know the question's words and where none
does."""


class Around(NamedTuple):
    """Rows of relations around the question's entities, and the entity (of the entities table) that each end is."""

    rows: list[dict[str, Any]]
    ends: dict[str, str]
    names: dict[str, str]


def score(
    row: Mapping[str, Any], around: Around, named: Mapping[str, float], wanted: Set[str], question: Question, *,
    like: float | None = None,
) -> float:  # fmt: skip
    """0..1: which ends the question names, whether it asks for this relation and time, how sure the edge is.

    `like` (0..1) is how near the edge's sentence is to what the question means, None where that is not known.
    """
    years = {str(y) for y in question.years}
    parted = any(p.part for p in question.periods)
    ends = {around.ends[row[end]] for end in ("head", "tail") if row[end] in around.ends}
    near = any(row["type"] in family and wanted & family for family in FAMILIES)
    kind = (
        1.0
        if row["type"] in wanted
        else ANY
        if not wanted
        else NEAR
        if near
        else WHERE
        if wanted == {"located_in"}
        else OTHER
    )
    if like is not None:
        told = TOLD if wanted else UNTOLD
        kind *= 1 - told + told * like
    kind *= fits_office(row, question.text)
    if row["type"] == "measure_of" and row["type"] not in wanted:
        kind = 0.0  # a figure ties nobody to anybody: the search finds it by its words
    time = OTHER_YEAR if of_another_year(row, question) else UNDATED if years and not row["period"] else 1.0
    if years and time == 1.0 and not same_part(question.periods, row["period"]):
        time = OTHER_PART
    elif years and time == 1.0 and not parted and not same_month(question.text, row["period"]):
        time = OTHER_MONTH
    head, tail = (named.get(around.ends.get(row[end], ""), 0.0) for end in ("head", "tail"))
    kind *= direction(question.text, row, head, tail)
    return float((0.5 + 0.25 * sum(named.get(e, 0.0) for e in ends)) * kind * time * (0.6 + 0.4 * row["confidence"]))


def of_another_year(row: Mapping[str, Any], question: Question) -> bool:
    """Whether an edge is dated, and by none of the years that the question names."""
    return bool(question.years and row["period"]) and not any(str(y) in row["period"] for y in question.years)


def fits_office(row: Mapping[str, Any], question: str) -> float:
    """How well the office of an officer is one that is asked for; 1 of any other edge."""
    return office_fit(row["value"], question) if row["type"] == "officer_of" else 1.0


def ties(row: Mapping[str, Any], around: Around, named: Mapping[str, float], *, firm: bool = True) -> bool:
    """Whether an edge lies between two entities that the question names for certain, or not `firm`, one of them."""
    ends = {around.ends.get(row[end], "") for end in ("head", "tail")}
    strengths = [named.get(e, 0.0) for e in ends]
    return len(ends) == 2 and (min if firm else max)(strengths) >= CERTAIN and min(strengths) > 0
