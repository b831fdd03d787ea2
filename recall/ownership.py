"""Who owns whom: whether a question asks for the owners of a company or for what it owns, and how edges agree."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_ASKS_DOWN = re.compile(
    r"subsidiar(?:y|ies)\b(?! of\b)|\b(?:owned|controlled|held|acquired|bought) by\s+(?!who)\w"
    r"|\b(?:what|which|whom)\b.{0,40}?\b(?:does|did|do|has|have|had)\b.{1,60}?\b(?:own|hold|control|acquir|buy|bought|purchas|invest)"
    r"|子公司|参股公司|旗下|(?:控股|控制|收购|持有|拥有|投资|参股)(?:了|着|过)?(?:哪|什么|谁|多少家)",
    re.IGNORECASE,
)
"""Asks what a company owns, not who owns it."""

_ASKS_UP = re.compile(
    r"\bwho (?:owns|holds|controls|acquired|bought|has acquired)\b"
    r"|\b(?:owned|controlled|held|acquired|bought) by(?:\s+who|\W*$)"
    r"|\bowners? of\b|['’]s owners?\b|\bparent (?:company )?of\b|['’]s parent\b"
    r"|\b(?:share|stock)holders? (?:of|in)\b"
    r"|\b(?:largest|biggest|main|major|principal|controlling|majority|top)\s(?:\w+\s)?(?:share|stock)holders?\b"
    r"|谁.{0,4}(?:控股|控制|持有|拥有|收购)|(?:控股|大)股东|实际控制人|实控人|母公司|被谁",
    re.IGNORECASE,
)
"""Asks who owns a company, not what it owns."""

WRONG_WAY = 0.0
"""What an edge counts that lies the other way: what X owns tells nothing of who owns X."""

_DOWN = frozenset({"owns", "acquires", "invests_in"})


def direction(text: str, row: Mapping[str, Any], head: float, tail: float) -> float:
    """What an edge counts by its direction, given how strongly the question names its ends (0..1 each)."""
    if row["type"] == "subsidiary_of":  # from the one that is owned to its owner
        head, tail = tail, head
    elif row["type"] not in _DOWN:
        return 1.0
    down, up = _ASKS_DOWN.search(text) is not None, asks_for_owners(text)
    if down and up:  # "the subsidiaries of whoever is Acme's largest shareholder"
        return 1.0
    if (down and head < tail) or (up and tail < head):
        return WRONG_WAY
    return 0.9 + 0.1 * _share(row["value"]) if up else 1.0


def asks_for_owners(text: str) -> bool:
    """Whether a text asks who owns somebody."""
    return _ASKS_UP.search(text) is not None


def _share(value: str) -> float:
    """A percentage as 0..1, half and more as 1; 1 where the edge states no share."""
    found = re.search(r"(\d+(?:\.\d+)?)\s*[%％]", value)
    return min(1.0, float(found.group(1)) / 50) if found else 1.0
