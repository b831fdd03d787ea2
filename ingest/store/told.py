"""The index of what recall tells of documents and names: rows that it would open Lance for, which takes a third of its
start.

Derived from the tables `documents` and `entities`, one file a snapshot. Its arrays are JSON: `documents` the rows of
that table in order of id; `others` other names by a company's; `both` all names of each entity that has some in Chinese
and some in Latin letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson

from h3cold.ingest.store.arrays import Array, map_arrays, write_arrays
from h3cold.kg.short_names import NAMED_TYPES
from h3cold.schemas.errors import CorruptionError

ROLE = "told"
HAN = "[\u3400-\u9fff]"
LATIN = "[A-Za-z]{2}"
_BOTH = re.compile(f"{HAN}.*{LATIN}|{LATIN}.*{HAN}", re.DOTALL)

Forms = tuple[str, ...]
"""An entity's name and its aliases."""


class Told(NamedTuple):
    """The opened index."""

    documents: dict[str, dict[str, Any]]
    others: dict[str, Forms]
    both: tuple[Forms, ...]


def build_told(store: Path, table: Callable[[str], Any], *, snapshot: int) -> dict[str, str]:
    """Index the store's tables (`table(name)` opens one); role -> path below the store for the manifest.

    Raises:
        StoreError: the file cannot be written.
    """
    relative = Path("index") / str(snapshot) / ROLE
    write_arrays(store / relative, make_told(table), {})
    return {ROLE: relative.as_posix()}


def make_told(table: Callable[[str], Any]) -> dict[str, Array]:
    """The index's arrays."""
    documents = sorted(table("documents").to_table().to_pylist(), key=lambda row: str(row["id"]))
    named = table("entities").to_table(columns=["type", "name", "aliases"]).to_pylist()
    companies = {row["company"] for row in documents if row["company"]}
    others = company_names(((row["name"], *row["aliases"]) for row in named if row["type"] == "ORG"), companies)
    both = both_scripts((row["name"], *row["aliases"]) for row in named if row["type"] in NAMED_TYPES)
    found = {"documents": documents, "others": dict(sorted(others.items())), "both": both}
    return {name: np.frombuffer(orjson.dumps(what), np.uint8) for name, what in found.items()}


def read_told(path: Path) -> Told:
    """The index, read.

    Raises:
        StoreError: the file cannot be read.
        CorruptionError: it is not such a file.
    """
    arrays, _ = map_arrays(path)
    try:
        documents, others, both = (orjson.loads(arrays[name].data) for name in ("documents", "others", "both"))
        return Told(
            {row["id"]: row for row in documents},
            {name: tuple(forms) for name, forms in others.items()},
            tuple(map(tuple, both)),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as e:
        raise CorruptionError(f"{path}: the index does not load; see h3-monitor --verify --repair") from e


def company_names(organisations: Iterable[Forms], companies: Collection[str]) -> dict[str, Forms]:
    """What else organisations are called that are called as these companies: symbols, names in another language."""
    wanted = set(companies)
    out: dict[str, Forms] = {}
    for forms in organisations:
        for company in wanted.intersection(forms):
            out[company] = (*out.get(company, ()), *(f for f in forms if f != company))
    return out


def both_scripts(named: Iterable[Forms]) -> list[Forms]:
    """Those with names in Chinese and in Latin letters, in order."""
    return sorted(forms for forms in named if _BOTH.search(" ".join(forms)))


def is_of(path: Path, table: Callable[[str], Any]) -> bool:
    """Whether the index is of these tables.

    Raises:
        StoreError: the file cannot be read.
    """
    arrays: Mapping[str, Array] = map_arrays(path)[0]
    made = make_told(table)
    return arrays.keys() == made.keys() and all(arrays[name].tobytes() == made[name].tobytes() for name in made)
