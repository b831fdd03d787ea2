"""Relations that a question asks for: the entities it names, the edges around them, the blocks that say so."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from h3cold.ingest.store.reader import ColdStore, quoted
from h3cold.recall.understand import HAN, Question

EDGES = 400
"""Edges around the question's entities that are looked at, the surest first."""

LONGEST_NAME = 12
"""Words of the longest name that is looked for."""

_WORD = re.compile(r"[^\W_]+(?:[&'’.-][^\W_]+)*", re.UNICODE)
_VERB: dict[str, str] = {
    "owns": "owns", "acquires": "acquires", "subsidiary_of": "is a subsidiary of", "invests_in": "invests in",
    "officer_of": "is an officer of", "employed_by": "is employed by", "party_to": "is a party to",
    "supplies": "supplies", "located_in": "is located in", "regulated_by": "is regulated by",
    "penalised_by": "is penalised by", "litigates_against": "litigates against", "guarantees": "guarantees",
    "cites": "cites", "measure_of": "is a measure of",
}  # fmt: skip


class Names(NamedTuple):
    """Entity ids by normalised name or alias, and each entity's row."""

    by_name: Mapping[str, tuple[str, ...]]
    rows: Mapping[str, Mapping[str, Any]]
    longest_han: int


class Edge(NamedTuple):
    """A relation row with how well it answers, 0..1, and how it reads: "A —owns 51%→ B, p. 12"."""

    block: str
    score: float
    path: str


def load_names(store: ColdStore) -> Names:
    """Names of the store's entities of kinds that can be asked for by name.

    Raises:
        StoreError: the table cannot be read.
    """
    rows = store.table("entities").to_table().to_pylist()
    by_name: defaultdict[str, dict[str, None]] = defaultdict(dict)
    longest = 0
    for row in rows:
        if row["type"] in ("MONEY", "PERCENT", "DATE"):
            continue
        for name in (row["name"], *row["aliases"]):
            key = normal(name)
            if len(key) > 1:
                by_name[key][row["id"]] = None
                longest = max(longest, len(key) if HAN.search(key) else 0)
    return Names({k: tuple(v) for k, v in by_name.items()}, {r["id"]: r for r in rows}, longest)


def normal(name: str) -> str:
    """Lower case, single blanks, no punctuation at the ends; Chinese without blanks."""
    words = _WORD.findall(name.casefold())
    return ("" if HAN.search(name) else " ").join(words)


def entities_in(text: str, names: Names) -> dict[str, tuple[str, ...]]:
    """Ids of the entities that `text` names, by the name met; at each place the longest name wins."""
    out: dict[str, tuple[str, ...]] = {}
    words = _WORD.findall(text.casefold())
    at = 0
    while at < len(words):
        step = 1
        for size in range(min(LONGEST_NAME, len(words) - at), 0, -1):
            ids = names.by_name.get(" ".join(words[at : at + size]))
            if ids:
                out[" ".join(words[at : at + size])] = ids
                step = size
                break
        at += step
    bare = "".join(words)
    at = 0
    while at < len(bare) and names.longest_han:
        step = 1
        for size in range(min(names.longest_han, len(bare) - at), 1, -1):
            piece = bare[at : at + size]
            if HAN.search(piece) and piece in names.by_name:
                out[piece] = names.by_name[piece]
                step = size
                break
        at += step
    return out


def asked(text: str) -> frozenset[str]:
    """Relation types that the words of a question ask for; empty where any may be meant."""
    return frozenset(kind for kind, pattern in _cues() if pattern.search(text))


@lru_cache(maxsize=1)
def _cues() -> tuple[tuple[str, re.Pattern[str]], ...]:
    text = files("h3cold.recall").joinpath("relation_cues.txt").read_text(encoding="utf-8")
    lines = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in lines)


def edges_for(
    store: ColdStore, names: Names, question: Question, *, documents: Sequence[str] = ()
) -> tuple[list[Edge], tuple[str, ...]]:
    """Edges that answer the question, best first, and the names it was found to hold.

    Around the entities it names; where it names none, edges of the type it asks for in `documents` (ids of the
    documents that fit its words).

    Raises:
        StoreError: the table cannot be read.
    """
    met = entities_in(question.text, names)
    wanted = asked(question.text)
    ids = {i for found in met.values() for i in found}
    rows = _around(store, ids)
    if not rows and wanted and documents:
        listed = ", ".join(quoted(d) for d in documents)
        kinds = ", ".join(quoted(k) for k in sorted(wanted))
        rows = _read(store, f"document IN ({listed}) AND type IN ({kinds})")
    years = {str(y) for y in question.years}
    best: dict[str, Edge] = {}
    for row in rows:
        edge = Edge(row["block"], _answers(row, ids, wanted, years), describe(row, names))
        if row["block"] not in best or edge.score > best[row["block"]].score:
            best[row["block"]] = edge
    return sorted(best.values(), key=lambda e: (-e.score, e.block)), tuple(met)


def describe(row: Mapping[str, Any], names: Names) -> str:
    """An edge as a reader wants it: "Tencent —owns 51%→ X, p. 12"."""
    head, tail = (_name(row[end], names) for end in ("head", "tail"))
    verb = _VERB.get(row["type"], row["type"])
    value = f" {row['value']}" if row["value"] else ""
    period = f" ({row['period']})" if row["period"] else ""
    return f"{head} —{verb}{value}→ {tail}{period}, p. {row['page']}"


def _name(entity: str, names: Names) -> str:
    row = names.rows.get(entity)
    return str(row["name"]) if row else entity


def _answers(row: Mapping[str, Any], ids: set[str], wanted: frozenset[str], years: set[str]) -> float:
    ends = (row["head"] in ids) + (row["tail"] in ids)
    kind = 1.0 if row["type"] in wanted else 0.75 if not wanted else 0.3
    time = 1.0 if not years or any(y in row["period"] for y in years) else 0.9
    return float((0.5 + 0.25 * ends) * kind * time * (0.6 + 0.4 * row["confidence"]))


def _around(store: ColdStore, ids: Iterable[str]) -> list[dict[str, Any]]:
    listed = ", ".join(quoted(i) for i in sorted(ids))
    return _read(store, f"head IN ({listed}) OR tail IN ({listed})") if listed else []


def _read(store: ColdStore, condition: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = store.table("relations").to_table(filter=condition).to_pylist()
    return sorted(rows, key=lambda r: (-r["confidence"], r["id"]))[:EDGES]
