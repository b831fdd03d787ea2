"""Linking only what changed gives the nodes that linking everything gives."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from h3cold.kg.linking import TYING, link, reach
from h3cold.kg.names import entity_id, org_id
from h3cold.kg.user_aliases import UserAliases
from h3cold.schemas.graph import Mention, Relation

ORGS = ["Acme Holdings Limited", "Acme Holdings", "Borealis Foods Inc.", "Borealis Foods", "the Company", "Tansley",
        "Borealis Foods GmbH", "Tansley LLC", "Tansley AG"]  # fmt: skip
PEOPLE = ["Jane Roe", "J. Roe", "John Smith", "Mr. John Smith"]


@st.composite
def documents(draw) -> dict[str, tuple[list[Mention], list[Relation]]]:
    """By document: names, some of them standing for another one's node, persons told apart, ties."""
    out = {}
    for number in range(draw(st.integers(1, 5))):
        document = f"d{number}"
        mentions, relations = [], []
        for _ in range(draw(st.integers(0, 4))):
            said, meant = draw(st.sampled_from(ORGS)), draw(st.sampled_from(ORGS))
            mentions.append(mention(document, org_id(meant), "ORG", said))
        for _ in range(draw(st.integers(0, 3))):
            said = draw(st.sampled_from(PEOPLE))
            person = f"{entity_id('PERSON', said)[:20]}{draw(st.integers(1000, 1002))}"  # one of that name, of some
            mentions.append(mention(document, person, "PERSON", said))
            kind, org = draw(st.sampled_from([*TYING, "acquired"])), draw(st.sampled_from(ORGS))
            tail = org_id(org)
            relations.append(Relation(f"r{len(relations)}", kind, person, tail, document, "b", 1, 0, 1, 1.0))
        out[document] = (mentions, relations)
    return out


@st.composite
def users(draw):
    """One line of names that are one, one of names that are not, or neither."""
    some = st.lists(st.sampled_from([*ORGS, *PEOPLE]), min_size=2, max_size=3, unique=True)
    same, apart = draw(some), draw(some)
    return UserAliases(
        (tuple(same),) if draw(st.booleans()) else (),
        ((apart[0], apart[1]),) if draw(st.booleans()) else (),
    )


def mention(document, entity, type, text):
    return Mention(entity, document, "b", type, text, 0, len(text), 1, (0.0, 0.0, 1.0, 1.0))


def rows(of):
    return [m for ms, _ in of.values() for m in ms], [r for _, rs in of.values() for r in rs]


def names(mentions):
    return [(m.entity, m.type, m.text) for m in mentions]


def ties(relations):
    return [(r.head, r.tail) for r in relations if r.type in TYING]


@settings(max_examples=300, deadline=None)
@given(documents(), documents(), users())
def test_what_is_out_of_reach_stays_and_what_is_in_reach_is_linked_by_itself(before, after, user):
    (mentions, relations), (now, related) = rows(before), rows(after)
    changed = {d for d in {*before, *after} if before.get(d) != after.get(d)}
    other = [rows({d: of[d] for d in changed if d in of}) for of in (before, after)]
    touched = reach(
        names(mentions) + names(now),
        ties(relations) + ties(related),
        [n for ms, _ in other for n in names(ms)],
        [t for _, rs in other for t in ties(rs)],
        user,
    )
    kept = [e for e in link(mentions, relations, user) if e.id not in touched]
    anew = link([m for m in now if m.entity in touched], [r for r in related if r.head in touched], user)
    assert sorted([*kept, *anew], key=lambda e: e.id) == link(now, related, user)


def linked(*texts):
    """Names of the organisations of documents, each a list of names, with the names that are one."""
    mentions = [mention(f"d{i}", org_id(text), "ORG", text) for i, own in enumerate(texts) for text in own]
    return sorted(sorted({e.name, *e.aliases}) for e in link(mentions))


def test_a_legal_form_of_its_own_tells_companies_apart_across_documents():
    assert linked(["Kestrel GmbH"], ["Kestrel, Inc."]) == [["Kestrel GmbH"], ["Kestrel, Inc."]]
    assert linked(["Kestrel GmbH"], ["Kestrel"]) == [["Kestrel", "Kestrel GmbH"]]
    assert linked(["Kestrel GmbH"], ["Kestrel"], ["Kestrel LLC"]) == [["Kestrel"], ["Kestrel GmbH"], ["Kestrel LLC"]]
    assert linked(["Kestrel GmbH"], ["Kestrel", "Kestrel Corp."]) == [["Kestrel", "Kestrel Corp."], ["Kestrel GmbH"]]
    assert linked(["Kestrel Corporation"], ["Kestrel Co., Ltd."]) == [["Kestrel Co., Ltd.", "Kestrel Corporation"]]


def test_the_users_word_joins_what_a_legal_form_parts():
    mentions = [mention(f"d{i}", org_id(n), "ORG", n) for i, n in enumerate(("Kestrel GmbH", "Kestrel, Inc.", "Kest"))]
    user = UserAliases((("Kestrel GmbH", "Kestrel, Inc."),), ())
    assert [set(e.aliases) for e in link(mentions, (), user) if e.aliases] == [{"Kestrel, Inc."}]
    bare = UserAliases((("Kest", "Kestrel"),), ())
    assert {e.name for e in link([m for m in mentions if "Inc" not in m.text], (), bare)} == {"Kest"}


def test_names_that_nothing_connects_are_not_linked_again():
    mentions = [mention("a", entity_id("ORG", name), "ORG", name) for name in ("Tansley Mining", "Borealis Foods")]
    touched = reach(names(mentions), [], names(mentions[:1]), [])
    assert entity_id("ORG", "Tansley Mining") in touched
    assert entity_id("ORG", "Borealis Foods") not in touched
