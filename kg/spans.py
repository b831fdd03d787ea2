"""What the recognisers hand to one another: typed stretches of one text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from h3cold.schemas.graph import EntityType, RelationType


class Span(NamedTuple):
    """Characters `start:end` of a text, read as a `type`; of two that overlap the higher `weight` stays."""

    start: int
    end: int
    type: EntityType
    text: str
    weight: float = 0.5


class Found(NamedTuple):
    """A relation between two spans of one text, before their entities are known."""

    type: RelationType
    head: Span
    tail: Span
    start: int
    end: int
    confidence: float
    value: str = ""
    period: str = ""


class Resolved(NamedTuple):
    """A span and the node it stands for; `said` is False for words like "we" that are no mention of a name."""

    span: Span
    entity: str
    said: bool = True


def disjoint(spans: Iterable[Span]) -> list[Span]:
    """The heaviest spans that do not overlap (then the longest, then the first), in text order."""
    taken: list[Span] = []
    covered: set[int] = set()
    for span in sorted(spans, key=lambda s: (-s.weight, s.start - s.end, s.start, s.type)):
        places = range(span.start, span.end)
        if not covered.isdisjoint(places):
            continue
        covered.update(places)
        taken.append(span)
    return sorted(taken)
