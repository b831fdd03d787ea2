"""One node per real thing: entities from mentions, and the merges that the documents themselves prove.

A merge never rewrites a row. `same_as` is worked out from the rows each time, so that taking a document away takes
away exactly the merges that it alone proved.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from h3cold.kg.names import country_of, entity_id, fold, form_id, key, legal_form, org_id, own_form, read_lines
from h3cold.kg.user_aliases import UserAliases, ids_of
from h3cold.schemas.graph import Entity, EntityType, Mention, Relation

_MERGED: frozenset[EntityType] = frozenset({"ORG", "AGENCY", "PRODUCT"})
TYING = ("officer_of", "employed_by")
"""Relations of a person to the organisation that tells it from others of its name."""


@cache
def role_words() -> frozenset[str]:
    """Words that name a role in one document; they are no alias outside of it."""
    words = " ".join(read_lines("roles.txt")).split()
    return frozenset(words) | {f"the {w}" for w in words} | {"our company"}


def proper(name: str) -> bool:
    """True for a name that says who it is in any document: no role word, no short acronym, no single initial."""
    folded = fold(name)
    if folded in role_words():
        return False
    return len(folded) >= 6 if folded.isascii() else len(folded) >= 3


def telling(name: str) -> bool:
    """True for a proper name of more than one word: a lone one ("Granite") may be another's in another document."""
    return proper(name) and (" " in name.strip() or not name.isascii())


class Merge(NamedTuple):
    """Why two ids are one node: `kind` name | form | person | user, and the name, or name and organisation, that shows
    it."""

    kept: str
    merged: str
    kind: str
    name: str


def same_as(
    mentions: Iterable[Mention], relations: Iterable[Relation] = (), user: UserAliases | None = None
) -> dict[str, str]:
    """Entity id -> id of the node it is merged into (ids that stand for themselves are absent)."""
    return merges(mentions, relations, user)[0]


def merges(
    mentions: Iterable[Mention], relations: Iterable[Relation] = (), user: UserAliases | None = None
) -> tuple[dict[str, str], list[Merge]]:
    """What `same_as` gives, and the merges one by one.

    Three kinds of evidence count, and all are direct, so that nothing is merged by way of a third name's likeness:
    a name that some write with a legal form of its own ("X GmbH") and others bare, where nobody writes it with another;
    a document that uses a proper name as another name of an organisation (defined, or paired in brackets, there), where
    no document uses it for a second one; and two persons of one name tied to the same organisation. What the user says
    comes first, and what the user keeps apart is never joined.
    """
    user = user or UserAliases()
    rows = {(m.entity, m.type, m.text) for m in mentions}
    known = {id for id, _, _ in rows}
    namesakes, bare, formal = _namesakes(rows)
    meant: dict[str, set[str]] = defaultdict(set)
    said: dict[str, str] = {}
    people: dict[str, set[str]] = defaultdict(set)
    for id, type, text in sorted(rows):
        kind, shared = _evidence(type, text)
        if kind == "name" and id not in (shared, form_id(text)) and bare.get(id) != shared:
            meant[shared].add(id)
            said[shared] = text
        elif kind == "person":
            people[shared].add(id)
    parent: dict[str, str] = {}
    sides: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for number, pair in enumerate(user.apart):
        for side, name in enumerate(pair):
            for id in _called(name, known, people, namesakes):
                sides[id].add((number, side))
    steps: list[Merge] = []

    def root(id: str) -> str:
        while parent.get(id, id) != id:
            parent[id] = parent.get(parent[id], parent[id])
            id = parent[id]
        return id

    def join(one: str, other: str, kind: str, name: str) -> None:
        a, b = sorted((root(one), root(other)))
        few, many = sorted((sides[a], sides[b]), key=len)
        if a != b and not any((n, 1 - side) in many for n, side in few):
            parent[b] = a
            many |= few
            sides[a] = many
            steps.append(Merge(a, b, kind, name))

    for group in user.same:
        ids = [id for name in group for id in _called(name, known, people, namesakes)]
        line = " = ".join(group)
        for other in ids[1:]:
            join(ids[0], other, "user", line)
    for own, targets in sorted(meant.items()):
        if own in known and len(targets) == 1:
            join(own, next(iter(targets)), "name", said[own])
    for plain, forms in sorted(namesakes.items()):
        if len(forms) == 1 and plain in known and plain not in formal:
            join(plain, min(forms), "form", forms[min(forms)])
    ties: dict[str, set[str]] = defaultdict(set)
    for relation in relations:
        if relation.type in TYING:
            ties[relation.head].add(root(relation.tail))
    for person, alike in sorted(people.items()):
        by_org: dict[str, list[str]] = defaultdict(list)
        for id in sorted(alike):
            for org in sorted(ties.get(id, ())):
                by_org[org].append(id)
        for _, tied in sorted(by_org.items()):
            for other in tied[1:]:
                join(tied[0], other, "person", person)
    return {id: root(id) for id in sorted(parent) if root(id) != id}, steps


def _namesakes(
    rows: Iterable[tuple[str, EntityType, str]],
) -> tuple[dict[str, dict[str, str]], dict[str, str], set[str]]:
    """Companies whose legal form tells them apart: by the id of the bare name those ids, each with its name; the bare
    name's id of each of those; and bare names that are written with a common form (Inc., Ltd.)."""
    namesakes: dict[str, dict[str, str]] = defaultdict(dict)
    bare: dict[str, str] = {}
    formal: set[str] = set()
    for id, type, text in sorted(rows):
        if type != "ORG" or not legal_form(text):
            continue
        plain = entity_id("ORG", text)
        if own_form(text) and id == form_id(text):
            namesakes[plain][id], bare[id] = text, plain
        elif id == plain:
            formal.add(id)
    return namesakes, bare, formal


def unfollowed(mentions: Iterable[Mention], user: UserAliases) -> list[str]:
    """Lines of the alias file that cannot be followed: what they keep apart is one in the documents' own rows."""
    rows = {(m.entity, m.type, m.text): m for m in mentions}
    namesakes, _, _ = _namesakes(rows)
    known: set[str] = set()
    people: dict[str, set[str]] = defaultdict(set)
    for m in rows.values():
        known.add(m.entity)
        if m.type == "PERSON":
            people[key("PERSON", m.text)].add(m.entity)
    out = []
    for (one, other), line in zip(user.apart, user.lines, strict=False):
        ids = [_called(name, known, people, namesakes) for name in (one, other)]
        if not set(ids[0]).isdisjoint(ids[1]):
            out.append(f"line {line}: {one} != {other} cannot be followed, as no document tells the two apart")
    return out


def _called(
    name: str, known: set[str], people: Mapping[str, set[str]], namesakes: Mapping[str, Mapping[str, str]]
) -> list[str]:
    """Ids that a name of the user's file stands for: those it has by itself, and every person of the name.

    Where namesakes are told by their legal form, a name with that form stands for its bearer alone, and one without for
    the one bearer that there is.
    """
    if form_id(name) in known:
        return [form_id(name)]
    own = {i for i in ids_of(name) if i in known}
    forms = namesakes.get(entity_id("ORG", name), {})
    if not own and len(forms) == 1 and not own_form(name):
        own = set(forms)
    return sorted({*own, *people.get(key("PERSON", name), ())})


def _signs(name: str) -> tuple[str, ...]:
    """What `reach` knows a name of the user's file by: its ids, and the key of persons."""
    return (*ids_of(name), form_id(name), f"person {key('PERSON', name)}")


@lru_cache(maxsize=1 << 16)
def _evidence(type: EntityType, text: str) -> tuple[str, str]:
    """What a mention's text can prove: ("name", the id that it has by itself), ("person", its key) or nothing."""
    if type in _MERGED and telling(text):
        return "name", org_id(text) if type == "ORG" else entity_id(type, text)
    if type == "PERSON" and len(key(type, text)) > 2:
        return "person", key(type, text)
    return "", ""


def reach(
    names: Iterable[tuple[str, EntityType, str]],
    ties: Iterable[tuple[str, str]],
    changed_names: Iterable[tuple[str, EntityType, str]],
    changed_ties: Iterable[tuple[str, str]],
    user: UserAliases | None = None,
) -> set[str]:
    """Ids whose nodes can be others than before where some rows came, went or changed.

    `names` are (entity, type, text) of all mentions, `ties` (head, tail) of all relations that tie (`TYING`), the
    changed ones among them as they were and as they are. To link the rows of these ids alone gives the same nodes as
    to link all: whatever `same_as` brings together shares a name, a person's key, a tie or a line of the user's.
    """
    near: dict[str, set[str]] = defaultdict(set)
    names = list(names)
    pairs = [(id, " ".join(_evidence(type, text))) for id, type, text in names]
    pairs = [(id, shared.removeprefix("name ")) for id, shared in pairs if shared != " "]
    pairs += [(id, entity_id("ORG", text)) for id, type, text in names if type == "ORG"]
    lines = [(" = ".join(group), group) for group in (user.same if user else ())]
    said = [(line, id) for line, group in lines for name in group for id in _signs(name)]
    for one, other in (*pairs, *ties, *said):
        near[one].add(other)
        near[other].add(one)
    waiting = [id for id, _, _ in changed_names] + [id for pair in changed_ties for id in pair]
    out: set[str] = set()
    while waiting:
        id = waiting.pop()
        if id not in out:
            out.add(id)
            waiting.extend(near.get(id, ()))
    return out


def link(
    mentions: Sequence[Mention], relations: Sequence[Relation] = (), user: UserAliases | None = None
) -> list[Entity]:
    """The nodes, sorted by id; the same whatever the order of the rows."""
    merged = same_as(mentions, relations, user)
    known = {m.entity for m in mentions}
    namesakes = _namesakes({(m.entity, m.type, m.text) for m in mentions})[0]
    shown: dict[str, str] = {}
    given: dict[str, set[str]] = defaultdict(set)
    for group in user.same if user else ():
        nodes = [{merged.get(id, id) for id in _called(name, known, {}, namesakes)} for name in group]
        shown |= {node: group[0] for found in nodes for node in found}
        for node in sorted(next(filter(None, nodes), ()))[:1]:
            # names that no document says are the node's as well: people ask by them
            given[node].update(name for name, found in zip(group, nodes, strict=True) if found <= {node})
    names: dict[str, Counter[str]] = defaultdict(Counter)
    documents: dict[str, set[str]] = defaultdict(set)
    types: dict[str, Counter[EntityType]] = defaultdict(Counter)
    for m in mentions:
        id = merged.get(m.entity, m.entity)
        names[id][" ".join(m.text.split())] += 1
        documents[id].add(m.document)
        types[id][m.type] += 1
    out = []
    for id in sorted(names):
        type = min(types[id], key=lambda t: (-types[id][t], t))
        name = shown.get(id) or _best(id, type, names[id], merged)
        others = {n for n in names[id] if fold(n) not in role_words()} | given[id]
        aliases = tuple(sorted(others - {name}))
        out.append(Entity(id, type, name, aliases, tuple(sorted(documents[id])), names[id].total()))
    return out


def _best(id: str, type: EntityType, names: Mapping[str, int], merged: Mapping[str, str]) -> str:
    """The name that the id was made of, most frequent first; else the longest that is no role word."""
    alone = {n: org_id(n) if type == "ORG" else entity_id(type, n) for n in names}
    own = [n for n in names if merged.get(alone[n], alone[n]) == id]
    pool = own or [n for n in names if fold(n) not in role_words()] or list(names)
    if type == "PLACE":
        # "Swedish" alone still stands for Sweden.
        pool = [n for n in pool if not country_of(n)] or [country_of(pool[0])]
        return min(pool, key=lambda n: (-names.get(n, 0), -len(n), n))
    if type == "PERSON":
        return min(pool, key=lambda n: (-len(n.split()), -names[n], len(n), n))
    return min(pool, key=lambda n: (-names[n], -len(n), n))
