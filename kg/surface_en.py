"""English relations that the words between two names settle, without a parse."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from h3cold.kg.forms_en import BETWEEN, FORM, OFFICES
from h3cold.kg.names import fold, read_lines, word_set
from h3cold.kg.spans import Found, Span
from h3cold.schemas.graph import EntityType, RelationType

_ROLES: dict[RelationType, tuple[frozenset[EntityType], frozenset[EntityType]]] = {
    "owns": (frozenset({"ORG", "PERSON", "AGENCY", "PLACE"}), frozenset({"ORG"})),
    "acquires": (frozenset({"ORG", "PERSON"}), frozenset({"ORG", "PRODUCT"})),
    "subsidiary_of": (frozenset({"ORG"}), frozenset({"ORG", "AGENCY"})),
    "invests_in": (frozenset({"ORG", "PERSON", "AGENCY"}), frozenset({"ORG"})),
    "officer_of": (frozenset({"PERSON"}), frozenset({"ORG", "AGENCY"})),
    "employed_by": (frozenset({"PERSON"}), frozenset({"ORG", "AGENCY"})),
    "party_to": (frozenset({"ORG", "PERSON", "AGENCY"}), frozenset({"CONTRACT"})),
    "supplies": (frozenset({"ORG"}), frozenset({"ORG", "AGENCY"})),
    "located_in": (frozenset({"ORG", "PLACE", "AGENCY"}), frozenset({"PLACE"})),
    "regulated_by": (frozenset({"ORG"}), frozenset({"AGENCY"})),
    "penalised_by": (frozenset({"ORG", "PERSON"}), frozenset({"AGENCY"})),
    "litigates_against": (frozenset({"ORG", "PERSON", "AGENCY"}), frozenset({"ORG", "PERSON", "AGENCY"})),
    "guarantees": (frozenset({"ORG", "PERSON"}), frozenset({"ORG", "PERSON"})),
    "cites": (frozenset({"LAW"}), frozenset({"LAW"})),
}
_COMPILED = tuple((t, a, b, re.compile(p + "$"), swap, c) for t, a, b, p, swap, c in BETWEEN if c)
_NATIVE = re.compile(r",?\s(?:is |are |was )?(?:an? |the )$")
_NATIVE_TAIL = re.compile(r"^(?:[- ]based)?\s" + FORM + r"\b")
_HEDGE = re.compile(
    r"\b(?:if|unless|whether|(?-i:may)|might|could|would|not|never|no longer|proposed|potential"
    r"|plans? to|intends? to|will)\b",
    re.IGNORECASE,
)


_NOBODY = re.compile(r"\b(?:[Nn]either|[Nn]or|[Nn]one of|[Nn]o)\b[^,;.]*$|^(?:Had|If|Should|Unless)\s$")
_CHAIN = re.compile(
    r"\s?,\s(?:(?:in|within)\s)?(?:the\s)?(?:(?:north|south|east|west|central)\w*(?:[- ]\w+)?\s)?"
    r"|\sin\s(?:the\s)?(?:state of\s)?"
)
_LIST = re.compile(r",?\s(?:and|or|&)\s")
_LIST_BEFORE = re.compile(r"\b(?:and|or|between)\s$")
_FINITE = re.compile(r",?\s(?:is|are|was|were|has|had|became|remains?)\b")
_INSIDE = re.compile(r"\b(?:of|by|in|with|to|for|from|at|and|or)\s(?:the\s)?$")


def fits(type: RelationType, head: Span, tail: Span) -> bool:
    """True where the types of head and tail make sense for a relation, and their texts differ."""
    heads, tails = _ROLES[type]
    court = type in ("penalised_by", "regulated_by") and "Court" in tail.text
    return head.type in heads and tail.type in tails and head.text != tail.text and not court


@cache
def _large_places() -> frozenset[str]:
    """Folded names that a place in front of a comma may lie in: the countries and states of the list."""
    lines = read_lines("places.txt")
    end = next(i for i, line in enumerate(lines) if line.startswith("New York City"))
    china = next(i for i, line in enumerate(lines) if line.startswith("Guangdong"))
    return frozenset(fold(n) for line in (*lines[:end], *lines[china:]) for n in line.split("|"))


@cache
def _cities() -> frozenset[str]:
    lines = read_lines("places.txt")
    start = next(i for i, line in enumerate(lines) if line.startswith("London"))
    end = next(i for i, line in enumerate(lines) if line.startswith("Guangdong"))
    return frozenset(fold(n) for line in lines[start:end] for n in line.split("|"))


def surface(text: str, spans: Sequence[Span]) -> Iterator[Found]:
    """Relations of one sentence by the words between near names; `spans` in order of place."""
    dates = [s.text for s in spans if s.type == "DATE"]
    percents = [s.text for s in spans if s.type == "PERCENT"]
    money = [s.text for s in spans if s.type == "MONEY"]
    period = dates[0] if len(dates) == 1 else ""
    names = [s for s in spans if s.type in ("ORG", "PERSON", "AGENCY", "PLACE", "CONTRACT")]
    for index, first in enumerate(names):
        for second in names[index + 1 : index + 5]:
            gap = text[first.end : second.start]
            if len(gap) > 160:
                break
            for type, a, b, pattern, swap, confidence in _COMPILED:
                if (first.type, second.type) == (a, b) and (match := pattern.match(gap)) and not _HEDGE.search(gap):
                    if _NOBODY.search(text, max(0, first.start - 40), first.start):
                        continue
                    # "a unit of X, is based in": what follows speaks of the unit, not of X.
                    if _FINITE.match(gap) and _INSIDE.search(text, max(0, first.start - 8), first.start):
                        continue
                    if type == "supplies" and not word_set("deals").isdisjoint(re.findall(r"[a-z]+", gap)):
                        continue  # a business changes hands, no goods
                    head, tail = (second, first) if swap else (first, second)
                    value = ""
                    if type == "officer_of" and (office := re.search(OFFICES, match.group())):
                        value = office.group()
                    elif type == "owns" and len(percents) == 1:
                        value = percents[0]
                    elif type in ("acquires", "penalised_by") and len(money) == 1:
                        value = money[0]
                    if fits(type, head, tail):
                        yield Found(type, head, tail, first.start, second.end, confidence, value, period)
        if index + 1 < len(names):
            yield from _native(text, first, names[index + 1], period)
    yield from _chains(text, names)


def _native(text: str, first: Span, second: Span, period: str) -> Iterator[Found]:
    """ "X Inc., a Delaware corporation"."""
    gap = text[first.end : second.start]
    named = first.type in ("ORG", "AGENCY") and second.type == "PLACE"
    if named and _NATIVE.fullmatch(gap) and _NATIVE_TAIL.match(text[second.end :]):
        yield Found("located_in", first, second, first.start, second.end, 0.8, "", period)


def _chains(text: str, names: Sequence[Span]) -> Iterator[Found]:
    """Each place of "Brigden, Lambton County, Ontario" lies in those after it, if a state or country ends the run."""
    at = 0
    while at < len(names):
        run = [names[at]]
        while at + len(run) < len(names) and len(run) < 6:
            after = names[at + len(run)]
            if (
                run[-1].type != "PLACE"
                or after.type != "PLACE"
                or not _CHAIN.fullmatch(text[run[-1].end : after.start])
            ):
                break
            run.append(after)
        large = [fold(s.text) in _large_places() for s in run]
        listed = _LIST.match(text[run[-1].end :]) or _LIST_BEFORE.search(text, max(0, run[0].start - 12), run[0].start)
        # A run of cities is a list; so is one that goes on with "and".
        if len(run) > 1 and large[-1] and not large[0] and not listed and not _two_cities(run):
            inner = [s for s, big in zip(run[:-1], large, strict=False) if not big]
            for i, small in enumerate(inner):
                for wide in [*inner[i + 1 :], *run[len(inner) :]]:
                    if small.text.endswith(wide.text):
                        continue
                    yield Found("located_in", small, wide, run[0].start, run[-1].end, 0.8)
        at += len(run)


def _two_cities(run: Sequence[Span]) -> bool:
    return any(fold(s.text) in _cities() for s in run[:-1]) and fold(run[-1].text) in (
        "new york",
        "washington",
        "singapore",
        "hong kong",
    )
