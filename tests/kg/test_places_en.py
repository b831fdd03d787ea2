"""Where things are: chains of places, what lies in them, adjectives of countries, and what follows from both."""
# ruff: noqa: E501  (a case is read as one line)

import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.kg.places_en import beyond, rank, stand_in, topic, whereabouts
from h3cold.kg.spans import Span


def edges(text, *names):
    """Edges of a sentence whose names are given as (name, type), each where it first stands."""
    spans, at = [], 0
    for name, type in names:
        at = text.index(name, at)
        spans.append(Span(at, at + len(name), type, name))
        at += len(name)
    return {(f.head.text, f.tail.text) for f in whereabouts(text, spans)}


def places(*names):
    return [(n, "PLACE") for n in names]


@pytest.mark.parametrize(
    "text, names, wanted",
    [
        ("Foix is a town in Lambton County, Ontario.", places("Foix", "Lambton County", "Ontario"),
         {("Foix", "Lambton County"), ("Foix", "Ontario"), ("Lambton County", "Ontario")}),
        ("Luster in the region of Apulia in southern Italy.", places("Luster", "Apulia", "Italy"),
         {("Luster", "Apulia"), ("Luster", "Italy"), ("Apulia", "Italy")}),
        ("Roketsan is a major Turkish weapons manufacturer.", [("Roketsan", "ORG")], {("Roketsan", "Turkish")}),
        ("The German carmaker Horch made trucks.", [("Horch", "ORG")], {("Horch", "German")}),
        ("They met at Acme University in Fontainebleau, France.", [("Acme University", "ORG"), *places("Fontainebleau", "France")],
         {("Acme University", "Fontainebleau"), ("Acme University", "France"), ("Fontainebleau", "France")}),
        ("Offices in Austin, Texas and Denver, Colorado.", places("Austin", "Texas", "Denver", "Colorado"),
         {("Austin", "Texas"), ("Denver", "Colorado")}),
        ("It was recorded in Havana, Miami, Bahamas and Madrid.", places("Havana", "Miami", "Bahamas", "Madrid"), set()),
        ("We sell in Boston, New York and Chicago.", places("Boston", "New York", "Chicago"), set()),
        ("Acme could be based in Austin.", [("Acme", "ORG"), *places("Austin")], set()),
        ("Acme was fined in Italy.", [("Acme", "ORG"), *places("Italy")], set()),
        ("Areas were named by the Census Bureau, though the metropolitan area of Fort Smith is wider.",
         [("Census Bureau", "ORG"), *places("Fort Smith")], set()),
        ("She left Norman, then joined Cassino, a girls' school in Tulsa.", places("Norman", "Tulsa"), set()),
    ],
)  # fmt: skip
def test_where_a_sentence_puts_things(text, names, wanted):
    assert edges(text, *names) == wanted


def test_the_next_sentence_speaks_of_the_same_thing(reading):
    said = reading("Granite Labs Inc. makes lasers. It is based in Austin, Texas.").edges()
    assert ("Granite Labs Inc.", "located_in", "Austin") in said
    assert ("Granite Labs Inc.", "located_in", "Texas") in said


def test_a_pronoun_stands_for_a_name_only_where_no_name_does():
    about = topic("Acme makes lasers.", [Span(0, 4, "ORG", "Acme")])
    assert about is not None and stand_in("It is based in Austin.", [], about)[0].text == "Acme"
    assert stand_in("Nothing is said.", [], about) == []


def test_an_adjective_is_a_mention_of_its_country(reading):
    one = reading("Granite Labs Inc. is a Swedish maker of lasers.")
    assert ("Granite Labs Inc.", "located_in", "Sweden") in one.edges()
    assert any(m.text == "Swedish" and m.type == "PLACE" for m in one.mentions)
    both = reading("Granite Labs Inc. is a Swedish maker of lasers. It sells in Sweden, mostly by mail to Sweden.")
    assert ("Granite Labs Inc.", "located_in", "Sweden") in both.edges()


def test_ranks_tell_countries_states_and_counties():
    assert [rank(n) for n in ("the United States", "Texas", "Albany County", "Austin")] == [3, 2, 1, 0]


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), max_size=12))
def test_what_follows_is_new_and_follows(pairs):
    reach = {(a, b) for a, b in pairs}
    for _ in range(6):
        reach |= {(a, d) for a, b in reach for c, d in reach if b == c}
    found = list(beyond(pairs))
    assert len({(edge[0], place) for edge, place in found}) == len(found)
    for edge, place in found:
        assert edge in pairs and (edge[0], place) in reach - set(pairs) and place != edge[0]
