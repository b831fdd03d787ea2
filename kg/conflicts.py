"""Figures of one document that contradict one another, as a segment's revenue under the company's name does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from h3cold.kg.amounts import amount
from h3cold.kg.periods import period
from h3cold.schemas.graph import Relation

SAME = 0.01
"""Relative difference of two prints of one figure ("$30.61 billion", "30,608 (in millions)")."""


def settled(relations: Sequence[Relation]) -> list[Relation]:
    """The relations without figures that a larger one of the same company, measure and period overrules.

    A part is smaller than the whole, and it is the whole that the measure's bare name means; shares are left alone.
    """
    worth: dict[str, float] = {}
    most: defaultdict[tuple[str, ...], float] = defaultdict(float)
    for relation in relations:
        found = amount(relation.value) if relation.type == "measure_of" else None
        if found is not None and found.unit != "%":
            worth[relation.id] = abs(found.number)
            most[_key(relation)] = max(most[_key(relation)], worth[relation.id])
    return [r for r in relations if r.id not in worth or worth[r.id] >= (1 - SAME) * most[_key(r)]]


def _key(relation: Relation) -> tuple[str, ...]:
    return (relation.head, relation.tail, *(period(relation.period) or (relation.period,)))
