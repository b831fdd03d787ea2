"""What a table's cell holds: an amount, a sign, words or nothing."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

DIGITS = re.compile(r"\d[\d,，]*(?:\.\d+)?")
_NUMBER = re.compile(r"^[\s$¥€£￥(（+\-–—−△▲]*(?:US|HK|RMB)?[\s$¥€£￥]*\d[\d,，. ]*[)）]?\s*(?:%|％|‰|x|倍)?[)）]?$")
_NOTHING = re.compile(r"^[\s$¥€£￥%()（）\-–—−─]*$")

Sort = Literal["", "number", "sign", "words"]


@lru_cache(maxsize=1 << 14)
def sort_of(text: str) -> Sort:
    """What a cell holds: nothing, an amount, rate or count and no more, a dash or a lone sign, or else words."""
    plain = text.strip()
    if not plain:
        return ""
    if plain[0].isalpha() and plain[0] not in "UHR":  # what neither pattern begins with
        return "words"
    return "number" if _NUMBER.match(plain) else "sign" if _NOTHING.match(plain) else "words"


def is_number(text: str) -> bool:
    """Whether a cell holds an amount, a rate or a count, and no more."""
    return sort_of(text) == "number"


def amount(text: str) -> float | None:
    """The number in a cell, negative in brackets; None where it holds none or several."""
    found = DIGITS.findall(text) if is_number(text) else []
    if len(found) != 1:
        return None
    below = "(" in text or "（" in text or text.lstrip(" $¥€£￥")[:1] in "-–—−△▲"
    return (-1 if below else 1) * float(found[0].replace(",", "").replace("，", ""))


def says_nothing(text: str) -> bool:
    """Whether a cell is empty, or holds a dash or a lone sign."""
    return sort_of(text) in ("", "sign")
