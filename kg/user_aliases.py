"""The user's own word on which names are one thing: a text file that wins over what documents say.

    # comments and blank lines are left out
    Tencent Holdings Limited = 腾讯控股有限公司 = Tencent      (one thing; the first name is shown)
    Kestrel Bank != Kestrel Bancorp                            (never one)

The word is applied when names are linked and no mention is rewritten: a line taken out is a merge taken back.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from h3cold.kg.names import entity_id
from h3cold.schemas.errors import ConfigError
from h3cold.schemas.graph import EntityType

TYPES: tuple[EntityType, ...] = ("ORG", "AGENCY", "PRODUCT", "PERSON", "PLACE", "LAW", "CONTRACT", "MEASURE")
"""Types of nodes that have names to speak of."""


class UserAliases(NamedTuple):
    """Groups of names that are one thing, and pairs that never are; names as the file has them."""

    same: tuple[tuple[str, ...], ...] = ()
    apart: tuple[tuple[str, str], ...] = ()


def read_aliases(path: Path) -> UserAliases:
    """The aliases of a file.

    Raises:
        ConfigError: it cannot be read, or a line is no alias; the message names the line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as e:
        raise ConfigError(f"{path}: the alias file cannot be read ({e}); it is UTF-8 text") from e
    return parse_aliases(text, str(path))


def parse_aliases(text: str, source: str = "aliases") -> UserAliases:
    """The aliases of a text; `source` names it in errors.

    Raises:
        ConfigError: a line is no alias.
    """
    same: list[tuple[str, ...]] = []
    apart: list[tuple[str, str]] = []
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.split(" #")[0].strip()
        if not line or line.startswith("#"):
            continue
        mark = "!=" if "!=" in line else "="
        names = [" ".join(part.split()) for part in line.split(mark)]
        if len(names) < 2 or not all(names) or (mark == "!=" and (len(names) > 2 or "=" in names[0] + names[1])):
            raise ConfigError(
                f"{source}, line {number}: {raw.strip()!r} is no alias; write NAME = OTHER or NAME != OTHER"
            )
        if mark == "!=":
            apart.append((names[0], names[1]))
        else:
            same.append(tuple(names))
    for one, other in apart:
        for group in same:
            if {_keys(one), _keys(other)} <= {_keys(n) for n in group}:
                raise ConfigError(
                    f"{source}: {one!r} and {other!r} are said to be one and never one; take one line out"
                )
    return UserAliases(tuple(same), tuple(apart))


def dump_aliases(user: UserAliases) -> str:
    """The aliases as JSON, "" where there are none: what a store keeps of them."""
    return json.dumps(user._asdict(), ensure_ascii=False) if any(user) else ""


def load_aliases(kept: str) -> UserAliases:
    """What `dump_aliases` wrote."""
    rows = json.loads(kept) if kept else {"same": (), "apart": ()}
    return UserAliases(tuple(tuple(g) for g in rows["same"]), tuple((a, b) for a, b in rows["apart"]))


def ids_of(name: str) -> tuple[str, ...]:
    """The ids that a name has by itself, one a type."""
    return _keys(name)


def _keys(name: str) -> tuple[str, ...]:
    return tuple(entity_id(type, name) for type in TYPES)
