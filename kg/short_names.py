"""Parts of names by which a question can name somebody: "Hailan", 青屿, each with how much it says."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from h3cold.kg.names import read_lines
from h3cold.schemas.graph import Entity

LEGAL_FORM = re.compile(
    r"股份有限公司|有限责任公司|有限公司|集团股份|\b(?:inc|corp|corporation|co|company|ltd|limited|plc|llc|lp|group|"
    r"holdings?|the|and|of|s\.?a|n\.?v|ag|gmbh)\b\.?",
    re.IGNORECASE,
)
"""What a company's short name leaves out."""

NAMED_TYPES = frozenset({"ORG", "AGENCY", "PERSON", "PRODUCT"})
_RUN = re.compile(r"(?P<han>[\u3400-\u9fff]{2,})|(?P<word>[^\W_\u3400-\u9fff]+(?:[&'.-][^\W_\u3400-\u9fff]+)*)")


class ShortNames(NamedTuple):
    """`postings[part]` lists (entity, share of its name that the part makes up), `rarity[part]` 0..1."""

    postings: Mapping[str, Sequence[tuple[str, float]]]
    rarity: Mapping[str, float]


@cache
def name_kinds() -> frozenset[str]:
    """Words, in lower case, by which names say what kind of company they are ("holdings", 科技): they name nobody."""
    return frozenset(" ".join(read_lines("name_kinds.txt")).split())


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
