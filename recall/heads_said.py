"""What the heads of a table's columns say, and columns whose heads a question says one after another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from h3cold.recall.label_text import BRACKETS
from h3cold.recall.periods import YEAR
from h3cold.recall.understand import tokens_of

if TYPE_CHECKING:
    from h3cold.recall.table_columns import Column

_AND = re.compile(r"[和与及、]|\b(?:and|as well as)\b|&", re.IGNORECASE)


def heads_joined(columns: Sequence[Column], text: str, label: frozenset[str]) -> list[Column]:
    """Columns whose heads are said whole on both sides of an "and": "result and range", 结果和参考范围.

    None where these are not at least two heads. What stands over all columns and in the row's `label` need not be said.
    """
    parts = _AND.split(text)
    if len(parts) < 2 or len(columns) < 2:
        return []
    over = over_all([c.path for c in columns])
    heads = [head_tokens(tuple([step for step in c.path if step not in over])) - label for c in columns]
    found: set[int] = set()
    for part in parts:
        said = tokens_of(part)
        sizes = [len(head) if head <= said else 0 for head in heads]
        most = max(sizes)
        found |= {i for i, size in enumerate(sizes) if most and size == most}
    return [columns[i] for i in sorted(found)] if len({heads[i] for i in found}) > 1 else []


def over_all(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The steps that stand over all of several columns, and so tell none from another; what is below them does."""
    if len(paths) < 2:
        return ()
    return tuple(step for step in paths[0] if all(step in path for path in paths[1:]))


@lru_cache(maxsize=1 << 12)
def head_tokens(path: tuple[str, ...]) -> frozenset[str]:
    """Tokens of a column's heads but for years and what is in brackets."""
    return tokens_of(" ".join(BRACKETS.sub(" ", YEAR.sub(" ", step)) for step in path))
