"""Edges as short sentences, to be embedded: what a question means is held against them where no rule knows its words.

All are English, whatever the language of the names: a multilingual model puts texts of one language nearer together,
and edges of one name must differ by what they say alone. Each says its relation in several words for the same reason.
"""

from __future__ import annotations

from collections.abc import Mapping

from h3cold.schemas.graph import RelationType

LEFT_OUT: frozenset[RelationType] = frozenset({"measure_of"})
"""Figures, three edges in five: they tie nobody to anybody, and the search finds them by their words."""

_SAID: Mapping[str, str] = {
    "owns": "{head} owns {tail}, controls it and holds its shares",
    "acquires": "{head} acquired {tail}: it bought it and took it over",
    "subsidiary_of": "{head} is a subsidiary of {tail}, which is its parent company",
    "invests_in": "{head} invested money in {tail}",
    "officer_of": "{head} is {value} of {tail}: leads and manages it",
    "employed_by": "{head} worked for {tail}, which employed him",
    "party_to": "{head} signed the contract {tail}",
    "supplies": "{head} supplies and sells goods to its customer {tail}",
    "located_in": "{head} is located in {tail}, its seat and home",
    "regulated_by": "{head} is regulated and supervised by the authority {tail}",
    "penalised_by": "{head} was fined and punished by {tail}",
    "litigates_against": "{head} sued {tail} in court",
    "guarantees": "{head} guarantees the debts of {tail}",
    "cites": "{head} cites {tail}",
}


def statement(type: RelationType, head: str, tail: str, *, value: str = "", period: str = "") -> str:
    """The sentence of an edge: "Ines Teal is Chief Financial Officer of Halden: leads and manages it (2018)"."""
    office = type == "officer_of"
    said = _SAID[type].format(head=head, tail=tail, value=value or "an officer")
    more = ", ".join(x for x in ("" if office else value, period) if x)
    return f"{said} ({more})" if more else said


def bare(question: str) -> str:
    """A question whose names are signs (`query.unnamed`) as it is held against statements: whom it names is known."""
    chinese = any("\u4e00" <= c <= "\u9fff" for c in question.replace("○", ""))
    return question.replace("○", "公司" if chinese else "the company")
