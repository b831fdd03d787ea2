"""Why the names of a node are one: the names, the documents that use them, and each merge with what proves it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from h3cold.kg.linking import link, merges, role_words
from h3cold.kg.names import entity_id, fold, form_id, key
from h3cold.kg.user_aliases import UserAliases
from h3cold.schemas.graph import Entity, Mention, Relation

SHOWN = 20
"""Nodes, and documents of a name, that an explanation lists at most."""


def explain(
    name: str,
    mentions: Sequence[Mention],
    relations: Sequence[Relation],
    *,
    sources: Mapping[str, str],
    user: UserAliases | None = None,
) -> list[dict[str, Any]]:
    """Every node that goes by a name, with its names and the merges that made it one.

    Args:
        name: a name, whole, in any spelling that folds to the node's.
        sources: document id -> the file to name it by.
    """
    merged, steps = merges(mentions, relations, user)
    wanted = fold(name)
    nodes = [
        e for e in link(mentions, relations, user)
        if any(wanted in (fold(n), key(e.type, n)) for n in (e.name, *e.aliases))
    ]  # fmt: skip
    out = []
    for node in nodes[:SHOWN]:
        own = [m for m in mentions if merged.get(m.entity, m.entity) == node.id]
        out.append(
            {
                "name": node.name,
                "type": node.type,
                "mentions": node.mentions,
                "documents": [sources.get(d, d) for d in node.documents[:SHOWN]],
                "names": [*_names(own, sources), *_given(node, own)],
                "merges": [
                    _said(s.kind, s.name, own, sources) for s in steps if merged.get(s.kept, s.kept) == node.id
                ],
            }
        )  # fmt: skip
    return out


def _names(mentions: Sequence[Mention], sources: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Each name with where it is said, and whether its document, not its letters, ties it to the node."""
    by_text: dict[str, Counter[str]] = defaultdict(Counter)
    ties: dict[str, bool] = {}
    pages: dict[str, int] = {}
    for m in mentions:
        text = " ".join(m.text.split())
        by_text[text][m.document] += 1
        ties[text] = m.entity not in (entity_id(m.type, m.text), form_id(m.text))
        pages.setdefault(text, m.page)
    for text, counts in sorted(by_text.items(), key=lambda t: (-t[1].total(), t[0])):
        files = ", ".join(sources.get(d, d) for d, _ in counts.most_common(3))
        role = "a role that the document gives it" if fold(text) in role_words() else "a short name in its document"
        yield {
            "name": text,
            "times": counts.total(),
            "why": role if ties[text] else "its own name",
            "where": f"{files}, p. {pages[text]}",
        }


def _given(node: Entity, mentions: Sequence[Mention]) -> Iterator[dict[str, Any]]:
    """Names that the user's alias file alone gives the node."""
    said = {fold(m.text) for m in mentions}
    for name in (node.name, *node.aliases):
        if fold(name) not in said:
            yield {"name": name, "times": 0, "why": "the user's alias file", "where": "no document"}


def _said(kind: str, name: str, mentions: Sequence[Mention], sources: Mapping[str, str]) -> str:
    if kind == "user":
        return f"the user's alias file says {name}"
    if kind == "form":
        return f"no document gives the name another legal form than {name!r}"
    if kind == "person":
        return f"persons called {name} hold office in, or work for, one organisation"
    at = next(
        (m for m in mentions if m.text == name and m.entity not in (entity_id(m.type, name), form_id(name))), None
    )
    if at is None:
        return f"a document uses {name!r} as another name of it"
    return f"{sources.get(at.document, at.document)}, p. {at.page}, uses {name!r} as another name of it"
