"""What lies in a place lies in those around it: by what a document says, and by the list of what every atlas says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from h3cold.kg.names import entity_id, key, read_lines, relation_id
from h3cold.kg.places_en import beyond, rank
from h3cold.schemas.graph import Mention, Relation

NEAR = 2000
"""Characters of one block between the names of a place and its country that make the block a passage of both."""
_WRITINGS = frozenset({"Constitution", "Statutes", "Code", "Law", "Laws", "Act", "Treaty", "Declaration"})
"""What a name taken for a body's ends in that is in no place."""
_OF_PLACE = re.compile(r"\b(?:of|in|at)\s(?:the\s)?([A-Z].*)$")
MOST = 60
"""Names of one block that are held against one another."""
_PEOPLE = frozenset(
    {"companies", "company", "citizens", "persons", "people", "media", "government", "investors", "holders"}
)
"""What is of a country and nobody by name ("U.S. companies")."""
SURE = 0.6
"""Confidence of an edge that the list knows, or a name says, and no sentence."""


@cache
def _countries() -> dict[str, str]:
    """Key of a state, region or city -> key of its country."""
    lines = (line.split(": ", 1) for line in read_lines("within_en.txt"))
    return {key("PLACE", place): key("PLACE", country) for country, places in lines for place in places.split("|")}


def known(places: Mapping[str, str], stated: Iterable[tuple[str, str]] = ()) -> dict[str, str]:
    """Place -> country for the listed places of a document that names their country, too.

    Args:
        places: id -> name key of the places that the document names.
        stated: (what, where) as the document says; a place that it puts elsewhere (Paris, Texas) is another one.
    """
    by_key = {name: id for id, name in places.items()}
    elsewhere: dict[str, set[str]] = {}
    for what, where in stated:
        name = places.get(where, "")
        if country := name if rank(name) == 3 else _countries().get(name, ""):
            elsewhere.setdefault(what, set()).add(country)
    out = {}
    for id, name in places.items():
        country = _countries().get(name, "")
        if country in by_key and elsewhere.get(id, {country}) == {country}:
            out[id] = by_key[country]
    return out


def by_name(name: str) -> tuple[str, ...]:
    """Keys of the places that the name of an organisation says it is of: "Warsaw Philharmonic", "Turkish Airlines".

    A state or city of the list brings its country with it.
    """
    words = name.split()
    if (len(words) == 2 and words[1].casefold() in _PEOPLE) or words[-1] in _WRITINGS:
        return ()
    said = {key("PLACE", " ".join(words[:i])) for i in range(1, min(4, len(words)))}
    if behind := _OF_PLACE.search(name):
        said.add(key("PLACE", behind.group(1)))
    found = [place for place in sorted(said) if place in _countries() or rank(place) == 3]
    return tuple(dict.fromkeys(p for place in found for p in (place, _countries().get(place, place))))


def wider(relations: Iterable[Relation], mentions: Sequence[Mention]) -> Iterator[Relation]:
    """Edges of a document that follow from its edges "located in" and from the list, each with its passage.

    What is said to be in a town is in the town's state and country by the sentence that puts it there; that a listed
    place is in its country goes with the nearest names of both in one block.
    """
    first: dict[tuple[str, str], Relation] = {}
    for one in relations:
        if one.type == "located_in" and (one.head, one.tail) not in first:
            first[one.head, one.tail] = one
    places = {m.entity: key("PLACE", m.text) for m in mentions if m.type == "PLACE"}
    listed = known({id: name for id, name in places.items() if id == entity_id("PLACE", name)}, first)
    for edge, place in beyond([*first, *listed.items()]):
        if edge in first:
            said = first[edge]
            id = relation_id(said.type, said.head, place, said.block, said.value, said.period)
            yield replace(said, id=id, tail=place, confidence=round(said.confidence * 0.9, 2))
    yield from _of_their_name(places, set(first), mentions)
    yield from _named_together({(a, b) for a, b in listed.items() if (a, b) not in first}, mentions)


def _of_their_name(
    places: Mapping[str, str], stated: set[tuple[str, str]], mentions: Sequence[Mention]
) -> Iterator[Relation]:
    """An edge for each organisation whose name says a place that the document names, too; the name is what shows it."""
    ids = {name: id for id, name in places.items()}
    seen: set[str] = set()
    for one in mentions:
        if one.type not in ("ORG", "AGENCY") or one.entity in seen or " " not in one.text or one.end == one.start:
            continue
        seen.add(one.entity)
        for tail in (ids[name] for name in by_name(one.text) if name in ids):
            if (one.entity, tail) not in stated:
                yield _edge(one.entity, tail, one, one.end)


def _edge(head: str, tail: str, at: Mention, end: int) -> Relation:
    id = relation_id("located_in", head, tail, at.block, "", "")
    return Relation(id, "located_in", head, tail, at.document, at.block, at.page, at.start, end, SURE)


def _named_together(pairs: set[tuple[str, str]], mentions: Sequence[Mention]) -> Iterator[Relation]:
    """An edge for each pair that one block names close to one another, the closest."""
    if not pairs:
        return
    asked = {id for pair in pairs for id in pair}
    by_block: dict[str, list[Mention]] = {}
    for mention in mentions:
        if mention.entity in asked:
            by_block.setdefault(mention.block, []).append(mention)
    best: dict[tuple[str, str], tuple[int, Mention, Mention]] = {}
    for found in by_block.values():
        for a in found[:MOST]:
            for b in found[:MOST]:
                gap = max(a.start, b.start) - min(a.end, b.end)
                pair = (a.entity, b.entity)
                if pair in pairs and gap <= NEAR and (pair not in best or gap < best[pair][0]):
                    best[pair] = (gap, a, b)
    for (place, country), (_, a, b) in sorted(best.items()):
        yield _edge(place, country, min(a, b, key=lambda m: m.start), max(a.end, b.end))
