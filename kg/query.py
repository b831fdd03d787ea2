"""Questions to the graph: which names and which relations a question speaks of, and the edges that answer it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from h3cold.kg.lexicon import Lexicon
from h3cold.kg.linking import proper
from h3cold.kg.names import canonical_names, fold, key, read_lines
from h3cold.schemas.graph import Entity, EntityType, RelationType

if TYPE_CHECKING:
    import networkx as nx

_VALUES: frozenset[EntityType] = frozenset({"MONEY", "PERCENT", "DATE"})
_INITIAL = re.compile(r"\s[A-Z]\.\s")
_YEARS = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_VERB: dict[str, str] = {
    "owns": "owns", "acquires": "acquired", "subsidiary_of": "is a subsidiary of", "invests_in": "invested in",
    "officer_of": "is an officer of", "employed_by": "worked for", "party_to": "is a party to", "supplies": "supplies",
    "located_in": "is located in", "regulated_by": "is regulated by", "penalised_by": "was penalised by",
    "litigates_against": "litigates against", "guarantees": "guarantees", "cites": "cites", "measure_of": "reports",
}  # fmt: skip


class Edge(NamedTuple):
    """One statement of the graph, with where it stands and how well it answers."""

    id: str
    type: RelationType
    head: str
    tail: str
    head_name: str
    tail_name: str
    value: str
    period: str
    document: str
    block: str
    page: int
    confidence: float
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.head_name} —{self.label()}→ {self.tail_name}"

    def label(self) -> str:
        """The relation as words, with its value and period: "owns 51 %, 2023"."""
        extra = ", ".join(x for x in (self.value, self.period) if x)
        return f"{_VERB[self.type]} ({extra})" if extra else _VERB[self.type]


class Answer(NamedTuple):
    """A path of one or more edges from a name of the question; `score` is larger for better answers."""

    edges: tuple[Edge, ...]
    score: float

    @property
    def path(self) -> str:
        """The path in words, each edge with its page: "A —owns (51%)→ B, p. 12; B —…→ C, p. 3"."""
        return "; ".join(f"{edge}, p. {edge.page}" for edge in self.edges)


@dataclass(frozen=True, slots=True)
class EntityIndex:
    """Looks names up in a question; build it once for a store's entities."""

    lexicon: Lexicon[frozenset[str]]


def index_entities(entities: Iterable[Entity]) -> EntityIndex:
    """An index over names and aliases, folded; amounts and dates are no names to ask for."""
    names: dict[str, set[str]] = defaultdict(set)
    for entity in entities:
        if entity.type in _VALUES:
            continue
        for name in {entity.name, *entity.aliases, *_plainer(entity)}:
            for form in {fold(name), key(entity.type, name)}:
                if name == entity.name or proper(form) or _acronym(name):
                    names[form].add(entity.id)
    spread: dict[str, set[str]] = {}
    for alias, first in canonical_names().items():
        if first in names:
            spread[alias] = names[first]
    for alias, ids in spread.items():
        names[alias] |= ids
    return EntityIndex(Lexicon({name: frozenset(ids) for name, ids in names.items()}))


def _plainer(entity: Entity) -> set[str]:
    """A person's names without middle initials."""
    if entity.type != "PERSON":
        return set()
    return {_INITIAL.sub(" ", name) for name in (entity.name, *entity.aliases)}


def _acronym(name: str) -> bool:
    return name.isupper() and 2 <= len(name) <= 6


def find_entities(index: EntityIndex, question: str) -> list[str]:
    """Ids of the entities that a question names, in order of place; names match longest first."""
    return named_and_rest(index, question)[0]


def unnamed(index: EntityIndex, question: str) -> str:
    """The question, folded, with a sign for each name: 控股 within a company's name asks for no shares."""
    return named_and_rest(index, question)[1]


def named_and_rest(index: EntityIndex, question: str) -> tuple[list[str], str]:
    """`find_entities` and `unnamed` at once."""
    text, rest, at = fold(question), list[str](), 0
    named: dict[str, None] = {}
    for start, end, ids in index.lexicon.find(text):
        named |= dict.fromkeys(sorted(ids))
        rest += [text[at:start], "○"]
        at = end
    return list(named), "".join([*rest, text[at:]])


@cache
def _patterns() -> tuple[tuple[RelationType, re.Pattern[str]], ...]:
    rows = (line.split(" ", 1) for line in read_lines("relation_words.txt"))
    return tuple((type, re.compile(words, re.IGNORECASE)) for type, words in rows)  # type: ignore[misc]


def relation_types(question: str) -> list[RelationType]:
    """Relations that the words of a question speak of, in the order of the table."""
    return [type for type, pattern in _patterns() if pattern.search(question)]


def edges_of(graph: nx.MultiDiGraph, node: str) -> list[Edge]:
    """All statements that a node takes part in."""
    if node not in graph:
        return []
    out = [edge(graph, *item) for item in graph.out_edges(node, keys=True, data=True)]
    return out + [edge(graph, *item) for item in graph.in_edges(node, keys=True, data=True)]


def edge(graph: nx.MultiDiGraph, head: str, tail: str, id: str, data: Mapping[str, Any]) -> Edge:
    """A graph's edge as a row."""
    d = data
    return Edge(
        id, d["type"], head, tail, graph.nodes[head]["name"], graph.nodes[tail]["name"], d["value"], d["period"],
        d["document"], d["block"], d["page"], d["confidence"], d["start"], d["end"],
    )  # fmt: skip


def neighbourhood(
    graph: nx.MultiDiGraph, ids: Sequence[str], types: Sequence[RelationType] = (), *, hops: int = 2, limit: int = 200
) -> list[Answer]:
    """Paths of up to `hops` edges from the entities, best first.

    The first edge weighs by its confidence, a relation that was asked for, and how few edges its far end has
    (a hub such as "United States" explains little); every further edge halves the score.
    """
    wanted = set(types)
    best: dict[tuple[str, ...], Answer] = {}
    frontier: list[tuple[str, tuple[Edge, ...], float]] = [(id, (), 1.0) for id in dict.fromkeys(ids)]
    for _ in range(hops):
        grown: list[tuple[str, tuple[Edge, ...], float]] = []
        for node, path, weight in frontier:
            used = {e.id for e in path}
            for one in edges_of(graph, node):
                far = one.tail if one.head == node else one.head
                if one.id in used or any(far in (e.head, e.tail) for e in path):
                    continue
                asked = 1.0 if not wanted or one.type in wanted else 0.25
                score = weight * one.confidence * asked / (1 + graph.degree(far) / 200)
                if far in ids and far != node:
                    score *= 2  # the question names both ends
                answer = Answer((*path, one), score)
                name = tuple(e.id for e in answer.edges)
                if name not in best or best[name].score < score:
                    best[name] = answer
                grown.append((far, answer.edges, score / 2))
        frontier = sorted(grown, key=lambda g: (-g[2], g[0]))[:limit]
    return sorted(best.values(), key=lambda a: (-a.score, len(a.edges), a.path))[:limit]


def find(graph: nx.MultiDiGraph, index: EntityIndex, question: str, *, hops: int = 2, limit: int = 50) -> list[Answer]:
    """Answers of the graph to a question, best first; empty where it names nothing that the graph knows.

    A question that names a relation but nobody ("all penalties of 2023") is answered with that relation's edges.
    A year in the question favours the edges of that year.
    """
    ids, types = find_entities(index, question), relation_types(question)
    if ids:
        answers = neighbourhood(graph, ids, types, hops=hops, limit=limit * 4)
    else:
        edges = [edge(graph, *e) for e in graph.edges(keys=True, data=True) if e[3]["type"] in types]
        answers = [Answer((e,), e.confidence) for e in edges]
    years = set(_YEARS.findall(question))
    if years:
        answers = [a._replace(score=a.score * _year_factor(a, years)) for a in answers]
    return sorted(answers, key=lambda a: (-a.score, len(a.edges), a.path))[:limit]


def _year_factor(answer: Answer, years: set[str]) -> float:
    said = set(_YEARS.findall(" ".join(e.period for e in answer.edges)))
    return 2.0 if said & years else 0.5 if said else 1.0
