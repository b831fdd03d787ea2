"""Knowledge-graph rows: mentions of entities in blocks, and typed edges with their evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from h3cold.schemas.geometry import BBox

EntityType = Literal[
    "PERSON",
    "ORG",
    "PLACE",
    "AGENCY",
    "LAW",
    "PRODUCT",
    "MONEY",
    "PERCENT",
    "DATE",
    "MEASURE",
    "CASE",
    "CONTRACT",
    "REGISTRATION",
]
RelationType = Literal[
    "owns", "acquires", "subsidiary_of", "invests_in", "officer_of", "employed_by", "party_to", "supplies",
    "located_in", "regulated_by", "penalised_by", "litigates_against", "guarantees", "cites", "measure_of",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity's occurrence: characters `start:end` of the block's text, on a 1-based page, in a box."""

    entity: str
    document: str
    block: str
    type: EntityType
    text: str
    start: int
    end: int
    page: int
    bbox: BBox


@dataclass(frozen=True, slots=True)
class Entity:
    """A node. `id` is a digest of type and normalised name; `documents` those that mention it, sorted."""

    id: str
    type: EntityType
    name: str
    aliases: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    mentions: int = 0


@dataclass(frozen=True, slots=True)
class Relation:
    """An edge head -> tail with the block that says so.

    `start:end` is the evidence span in the block's text; `confidence` 0..1; `value` is an amount or share as
    printed ("51%", "RMB 3 million"), `period` the date or period that the text ties to it.
    """

    id: str
    type: RelationType
    head: str
    tail: str
    document: str
    block: str
    page: int
    start: int
    end: int
    confidence: float
    value: str = ""
    period: str = ""
