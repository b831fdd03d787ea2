"""Short names: "Hailan", 青屿精密 and the like, for names that documents give in full."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from h3cold.schemas.graph import Entity

if TYPE_CHECKING:
    from h3cold.ingest.store.reader import ColdStore

LEGAL_FORM = re.compile(
    r"股份有限公司|有限责任公司|有限公司|集团股份|\b(?:inc|corp|corporation|co|company|ltd|limited|plc|llc|lp|group|"
    r"holdings?|the|and|of|s\.?a|n\.?v|ag|gmbh)\b\.?",
    re.IGNORECASE,
)
"""What a company's short name leaves out."""

SHORT = 0.5
"""Strength from which a short name counts; 1 is the whole name."""

MOST = 8
"""Entities that one question can name by short names, at most."""

NAMED_TYPES = frozenset({"ORG", "AGENCY", "PERSON", "PRODUCT"})
_RUN = re.compile(r"(?P<han>[\u3400-\u9fff]{2,})|(?P<word>[^\W_\u3400-\u9fff]+(?:[&'.-][^\W_\u3400-\u9fff]+)*)")


class ShortNames(NamedTuple):
    """`postings[part]` lists (entity, share of its name that the part makes up), `rarity[part]` 0..1."""

    postings: Mapping[str, Sequence[tuple[str, float]]]
    rarity: Mapping[str, float]


def company_names(store: ColdStore, companies: Collection[str]) -> dict[str, tuple[str, ...]]:
    """What else the graph calls these companies: symbols, short names, names in another language.

    Raises:
        StoreError: the table cannot be read.
    """
    wanted = set(companies)
    table = store.table("entities").to_table(filter="type = 'ORG'", columns=["name", "aliases"])
    out: dict[str, tuple[str, ...]] = {}
    for name, aliases in zip(table["name"].to_pylist(), table["aliases"].to_pylist(), strict=True):
        forms = (name, *aliases)
        for company in wanted.intersection(forms):
            out[company] = (*out.get(company, ()), *(f for f in forms if f != company))
    return out


def name_parts(name: str) -> tuple[str, ...]:
    """Words of a name in lower case, and the character pairs of its Han runs, the legal form left out."""
    out: dict[str, None] = {}
    for found in _RUN.finditer(LEGAL_FORM.sub(" ", name)):
        run = found[0]
        if found["han"]:
            out |= dict.fromkeys(run[i : i + 2] for i in range(len(run) - 1))
        elif len(run) > 1:
            out[run.casefold()] = None
    return tuple(out)


def index_short(entities: Iterable[Entity]) -> ShortNames:
    """An index over the names of organisations, agencies, persons and products."""
    rows = [(e.id, name_parts(e.name)) for e in entities if e.type in NAMED_TYPES]
    count: defaultdict[str, int] = defaultdict(int)
    for _, parts in rows:
        for part in parts:
            count[part] += 1
    n = max(len(rows), 2)
    rarity = {part: math.log(1 + n / c) / math.log(1 + n) for part, c in count.items()}
    postings: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    for id, parts in rows:
        whole = sum(rarity[p] for p in parts)
        for part in parts:
            postings[part].append((id, rarity[part] / whole))
    return ShortNames(dict(postings), rarity)


def named_shortly(text: str, names: ShortNames) -> dict[str, float]:
    """Entities that `text` names by a part of their name, with how strongly, best first.

    Where a text has capitals after its first word, only its capitalised words can be parts of English names.
    """
    cased = any(c.isupper() for c in text[1:])
    share: defaultdict[str, float] = defaultdict(float)
    best: defaultdict[str, float] = defaultdict(float)
    capitals = {w.casefold() for w in re.findall(r"\b[A-Z][\w&'.-]*", text)}
    for part in name_parts(text):
        if cased and part.isascii() and part not in capitals:
            continue
        for id, weight in names.postings.get(part, ()):
            share[id] += weight
            best[id] = max(best[id], names.rarity[part])
    strength = {id: best[id] * (0.5 + 0.5 * math.sqrt(min(share[id], 1.0))) for id in share}
    ranked = sorted((i for i in strength if strength[i] >= SHORT), key=lambda i: (-strength[i], i))
    return {i: strength[i] for i in ranked[:MOST] if strength[i] >= 0.6 * strength[ranked[0]]}
