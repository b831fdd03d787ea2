"""The user's own word on which names are one thing: a text file that wins over what documents say.

    # lines that begin so, and blank ones, are left out
    Tencent Holdings Limited = 腾讯控股有限公司 = Tencent      (one thing; the first name is shown)
    Kestrel Bank != Kestrel Bancorp                            (never one)

The word is applied when names are linked and no mention is rewritten: a line taken out is a merge taken back.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from h3cold.kg.names import entity_id, key, legal_form
from h3cold.schemas.errors import ConfigError
from h3cold.schemas.graph import EntityType

TYPES: tuple[EntityType, ...] = ("ORG", "AGENCY", "PRODUCT", "PERSON", "PLACE", "LAW", "CONTRACT", "MEASURE")
"""Types of nodes that have names to speak of."""

SHOWN = 5
"""Lines that an error names of those that contradict another one."""


class UserAliases(NamedTuple):
    """Groups of names that are one thing, and pairs that never are; names as the file has them.

    `lines` are the numbers (from 1) of the pairs' lines, to say which of them cannot be followed.
    """

    same: tuple[tuple[str, ...], ...] = ()
    apart: tuple[tuple[str, str], ...] = ()
    lines: tuple[int, ...] = ()


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
    numbers: dict[_Sign, int] = {}
    signs: dict[str, int] = {}  # a sign takes long to make, and to compare
    tied: dict[int, list[tuple[int, int]]] = defaultdict(list)
    lines: list[int] = []
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        mark = "!=" if "!=" in line else "="
        names = [" ".join(part.split()) for part in line.split(mark)]
        if len(names) < 2 or not all(names) or (mark == "!=" and (len(names) > 2 or "=" in names[0] + names[1])):
            raise ConfigError(f"{source}, line {number}: {line!r} is no alias; write NAME = OTHER or NAME != OTHER")
        for name in names:
            if name not in signs:
                signs[name] = numbers.setdefault(_sign(name), len(numbers))
        if mark == "!=":
            apart.append((names[0], names[1]))
            lines.append(number)
        else:
            same.append(tuple(names))
            for name in names[1:]:
                tied[signs[names[0]]].append((signs[name], number))
                tied[signs[name]].append((signs[names[0]], number))
    group = _groups(tied)
    for (one, other), number in zip(apart, lines, strict=True):
        a, b = signs[one], signs[other]
        if a == b:
            raise ConfigError(f"{source}, line {number}: {one!r} and {other!r} are one name; take the line out")
        if group.get(a, -1) == group.get(b, -2):
            way = _way(tied, a, b)
            said = ", ".join(map(str, way[:SHOWN])) + (f" and {len(way) - SHOWN} more" if len(way) > SHOWN else "")
            raise ConfigError(
                f"{source}, line {number}: {one!r} and {other!r} are said to be never one, but one by line {said}; "
                "take one line out"
            )
    together: dict[int, dict[str, None]] = defaultdict(dict)
    for line_names in same:  # lines that share a name speak of one thing, though no document says that name
        together[group[signs[line_names[0]]]].update(dict.fromkeys(line_names))
    return UserAliases(tuple(map(tuple, together.values())), tuple(apart), tuple(lines))


def _groups(tied: Mapping[int, Sequence[tuple[int, int]]]) -> dict[int, int]:
    """Number of a name's sign -> number of the group of names that the lines make one."""
    out: dict[int, int] = {}
    for number, first in enumerate(tied):
        waiting = [] if first in out else [first]
        while waiting:
            sign = waiting.pop()
            if sign not in out:
                out[sign] = number
                waiting.extend(other for other, _ in tied[sign])
    return out


def _way(tied: Mapping[int, Sequence[tuple[int, int]]], start: int, goal: int) -> list[int]:
    """Numbers of the fewest lines that lead from one name to another of its group."""
    came: dict[int, tuple[int, int] | None] = {start: None}
    queue = deque([start])
    while goal not in came:
        sign = queue.popleft()
        for other, number in tied[sign]:
            if other not in came:
                came[other] = (sign, number)
                queue.append(other)
    out: set[int] = set()
    step = came[goal]
    while step is not None:
        out.add(step[1])
        step = came[step[0]]
    return sorted(out)


def dump_aliases(user: UserAliases) -> str:
    """The aliases as JSON, "" where there are none: what a store keeps of them."""
    return json.dumps(user._asdict(), ensure_ascii=False) if any(user) else ""


def load_aliases(kept: str) -> UserAliases:
    """What `dump_aliases` wrote."""
    rows = json.loads(kept) if kept else {"same": (), "apart": ()}
    same, apart = tuple(tuple(g) for g in rows["same"]), tuple((a, b) for a, b in rows["apart"])
    return UserAliases(same, apart, tuple(rows.get("lines", ())))


def ids_of(name: str) -> tuple[str, ...]:
    """The ids that a name has by itself, one a type."""
    return _keys(name)


_Sign = tuple[tuple[str, ...], str]
"""What two spellings of one name share: the keys of all types and the legal form."""


def _sign(name: str) -> _Sign:
    return tuple(key(type, name) for type in TYPES), legal_form(name)


@lru_cache(maxsize=1 << 14)
def _keys(name: str) -> tuple[str, ...]:
    return tuple(entity_id(type, name) for type in TYPES)
