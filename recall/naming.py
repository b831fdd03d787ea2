"""Short names: "Hailan", 青屿精密 and the like, for names that documents give in full."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection
from typing import TYPE_CHECKING

from h3cold.kg.short_names import ShortNames, name_kinds, name_parts

if TYPE_CHECKING:
    from h3cold.ingest.store.reader import ColdStore
    from h3cold.recall.words import Words

SHORT = 0.5
"""Strength from which a short name counts; 1 is the whole name."""

WHOLE = 0.99
"""Share of a name that is all of it."""

ASKING = frozenset(("who", "whom", "whose", "which", "what", "when", "where", "why", "how"))

MOST = 8
"""Entities that one question can name by short names, at most."""


def company_names(store: ColdStore, companies: Collection[str]) -> dict[str, tuple[str, ...]]:
    """What else the graph calls these companies: symbols, short names, names in another language.

    Raises:
        StoreError: the table cannot be read.
    """
    from h3cold.ingest.store.told import company_names as names_of

    told = store.told()
    if told is not None:
        return told.others
    table = store.table("entities").to_table(filter="type = 'ORG'", columns=["name", "aliases"])
    rows = zip(table["name"].to_pylist(), table["aliases"].to_pylist(), strict=True)
    return names_of(((name, *aliases) for name, aliases in rows), companies)


def says(words: Words, word: str) -> bool:
    """Whether any text of the store has a word, in whatever form."""
    from h3cold.ingest.tokens import lexical
    from h3cold.recall.words import number_of

    return any(number_of(words, token) > 0 for token in lexical(word))


def named_shortly(text: str, names: ShortNames) -> dict[str, float]:
    """Entities that `text` names by a part of their name, with how strongly, best first.

    Where a text has capitals after its first word, only its capitalised words can be parts of English names. What kind
    of company one is names it only with a word of its own, or where that is all of its name. What asks is no part of a
    name: "Who", which begins a question, is written large.
    """
    cased = any(c.isupper() for c in text[1:])
    share: defaultdict[str, float] = defaultdict(float)
    best: defaultdict[str, float] = defaultdict(float)
    capitals = {w.casefold() for w in re.findall(r"\b[A-Z][\w&'.-]*", text)}
    for part in name_parts(text):
        if part in ASKING or (cased and part.isascii() and part not in capitals):
            continue
        for id, weight in names.postings.get(part, ()):
            share[id] += weight
            if part not in name_kinds():
                best[id] = max(best[id], names.rarity[part])
    for id in share.keys() - best.keys():
        if share[id] >= WHOLE:
            best[id] = 1.0
    strength = {id: best[id] * (0.5 + 0.5 * math.sqrt(min(share[id], 1.0))) for id in best}
    ranked = sorted((i for i in strength if strength[i] >= SHORT), key=lambda i: (-strength[i], i))
    return {i: strength[i] for i in ranked[:MOST] if strength[i] >= 0.6 * strength[ranked[0]]}
