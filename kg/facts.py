"""The graph's edges as arrays, and the passages that answer a question by walking them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from h3cold.kg.amounts import amount
from h3cold.kg.periods import period
from h3cold.kg.query import relation_types
from h3cold.kg.walk import Floats, Ints, Ties, Walked, tie, walk
from h3cold.schemas.graph import RelationType

TYPES: tuple[RelationType, ...] = get_args(RelationType)
FAMILIES: tuple[frozenset[str], ...] = (
    frozenset({"owns", "acquires", "subsidiary_of", "invests_in"}),
    frozenset({"officer_of", "employed_by"}),
    frozenset({"regulated_by", "penalised_by"}),
    frozenset({"supplies", "party_to"}),
)
"""Relations of which one often answers a question for another: who bought a company owns it."""
OTHER, NEAR, SAID = 0.1, 0.4, 2.0
"""Weights: an edge that is not asked for, one of the asked family, one whose number or year the question says."""
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")
_NUMBER = re.compile(
    r"(?:[A-Z]{0,3}[$€£¥]\s?)?(?<![\d.])\d[\d,]*(?:\.\d+)?\s?(?:[%％]|percent|(?:thousand|million|billion)\b|[百千]?[万亿]|美?元)"
)
_NESTED = re.compile(
    r"\b(?:that|which|whose|whom)\b.+\b(?:own|acqui|b(?:uy|ought)|suppl|fine|su(?:e|ing)|invest|employ|run|lead|sign|control|hold)"
    r"|\b(?:of|for|by|at)\s(?:the\s|its\s)?(?:[\w-]+\s){0,2}(?:owner|parent|buyer|acquirer|supplier|customer|subsidiary|shareholder|employer|company)\b"
    r"|\b(?:who|which|what|whom)\s(?!is\b|are\b|was\b)\w+\sthe\s(?:[\w-]+\s){0,2}"
    r"(?:owner|parent|buyer|acquirer|supplier|customer|subsidiary|shareholder|employer)\sof\b"
    r"|的[^的，。？]{1,14}的|该公司|那家|(?:谁|哪).*的(?:第?[一二三]?大|控股|实际|主要)*(?:股东|母公司|子公司|供应商|客户|控制人)",
    re.IGNORECASE,
)
_EVERY = re.compile(r"\b(?:all|every|list|which|each|any)\b|所有|全部|哪些|各|列出|历年|谁.{0,6}谁", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Facts:
    """Edges between `nodes` in `blocks`, with type (number in `TYPES`), confidence, year (0: not said) and number."""

    ties: Ties
    nodes: Mapping[str, int]
    types: NDArray[np.int8]
    confidence: NDArray[np.float32]
    years: NDArray[np.int16]
    numbers: NDArray[np.float32]
    """The value in units of its currency or per cent; not a number where the edge has none."""


def facts_of(
    nodes: Sequence[str],
    heads: Ints,
    tails: Ints,
    blocks: Ints,
    *,
    types: Iterable[str],
    confidence: Sequence[float],
    values: Iterable[str],
    periods: Iterable[str],
) -> Facts:
    """Edges from columns of one length; heads and tails are numbers of `nodes`, blocks any numbers."""
    place: dict[str, int] = {type: i for i, type in enumerate(TYPES)}
    return Facts(
        tie(heads, tails, blocks, len(nodes)),
        {id: i for i, id in enumerate(nodes)},
        np.array([place[t] for t in types], np.int8),
        np.asarray(confidence, np.float32),
        np.array([_year(p) for p in periods], np.int16),
        np.array([_number_of(v) for v in values], np.float32),
    )


@lru_cache(maxsize=1 << 14)
def _year(printed: str) -> int:
    found = period(printed)
    return int(found[1][:4]) if found is not None else 0


@lru_cache(maxsize=1 << 14)
def _number_of(value: str) -> float:
    found = amount(value)
    return found.number if found is not None else float("nan")


def weights(facts: Facts, question: str) -> NDArray[np.float32]:
    """How far each edge is one that the question asks for, 0..1.

    Figures of tables tie nobody to anybody: they weigh nothing unless they are asked for alone.
    """
    wanted = relation_types(question)
    by_type = np.full(len(TYPES), OTHER if wanted else 1.0, np.float32)
    for i, type in enumerate(TYPES):
        if type in wanted:
            by_type[i] = 1.0
        elif any(type in family and family & set(wanted) for family in FAMILIES):
            by_type[i] = NEAR
    if wanted != ["measure_of"]:
        by_type[TYPES.index("measure_of")] = 0.0
    out = by_type[facts.types] * facts.confidence
    for year in {int(y) for y in _YEAR.findall(question)}:
        out[facts.years == year] *= SAID
    for said in _NUMBER.findall(question):
        if (value := amount(said)) is not None:
            out[np.isclose(facts.numbers, value.number)] *= SAID
    return out / max(float(out.max(initial=0.0)), 1.0)


def nested(question: str) -> bool:
    """True for a question whose answer may lie behind a name that it does not say ("the owner of the buyer of X")."""
    return len(relation_types(question)) > 1 or _NESTED.search(question) is not None


def asks_for_all(question: str) -> bool:
    """True for a question after every edge of a kind ("all penalties of 2023", 谁控制谁)."""
    return _EVERY.search(question) is not None


def passages(
    facts: Facts, named: Mapping[str, float], question: str, like: Callable[[Ints], Floats] | None = None
) -> list[Walked]:
    """Blocks that a walk from the named nodes (id -> strength) reaches, best first, with their paths.

    `like` says how near (0..1, the nearest 1) the sentences of edges are to the question; it decides where the
    question's own words ask for no relation that is known.
    """
    seeds = {facts.nodes[id]: strength for id, strength in named.items() if id in facts.nodes}
    weight = weights(facts, question)
    if like is None or relation_types(question):
        return walk(facts.ties, seeds, lambda edges: weight[edges]) if seeds else []
    return walk(facts.ties, seeds, lambda edges: weight[edges] * (OTHER + (1 - OTHER) * like(edges))) if seeds else []


def every(facts: Facts, question: str, *, limit: int) -> Ints:
    """Edges of the kinds that a question asks for wherever they stand, those of its years only, surest first."""
    kinds = [TYPES.index(t) for t in relation_types(question) if t != "measure_of"]
    fits = np.isin(facts.types, kinds)
    years = [int(y) for y in _YEAR.findall(question)]
    if years and (timed := fits & np.isin(facts.years, years)).any():
        fits = timed
    found = np.flatnonzero(fits)
    return found[np.argsort(-facts.confidence[found], kind="stable")][:limit]
