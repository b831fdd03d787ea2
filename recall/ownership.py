"""Who owns whom: whether a question asks for the owners of a company or for what it owns, and how edges agree."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_ASKS_DOWN = re.compile(r"subsidiar(?:y|ies)\b(?! of\b)|子公司|参股公司", re.IGNORECASE)
"""Asks what a company owns, not who owns it."""

_ASKS_UP = re.compile(
    r"\bwho (?:owns|holds|controls|acquired|bought)\b|\bowned by\b|\bparent (?:company )?of\b"
    r"|\b(?:share|stock)holders? (?:of|in)\b"
    r"|谁.{0,4}(?:控股|控制|持有|拥有|收购)|(?:控股|大)股东|实际控制人|实控人|母公司|被谁",
    re.IGNORECASE,
)
"""Asks who owns a company, not what it owns."""

_DOWN = frozenset({"owns", "acquires", "invests_in"})


def direction(text: str, row: Mapping[str, Any], head: float, tail: float) -> float:
    """What an edge counts by its direction, given how strongly the question names its ends (0..1 each)."""
    if row["type"] == "subsidiary_of":  # from the one that is owned to its owner
        head, tail = tail, head
    elif row["type"] not in _DOWN:
        return 1.0
    factor = 0.5 if _ASKS_DOWN.search(text) and head < tail else 1.0
    if _ASKS_UP.search(text):
        factor *= 0.5 if tail < head else 0.9 + 0.1 * _share(row["value"])
    return factor


def _share(value: str) -> float:
    """A percentage as 0..1, half and more as 1; 1 where the edge states no share."""
    found = re.search(r"(\d+(?:\.\d+)?)\s*[%％]", value)
    return min(1.0, float(found.group(1)) / 50) if found else 1.0
