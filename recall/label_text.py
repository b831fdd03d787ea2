"""What the label of a table's row says, without what only numbers it, places it or writes it shorter."""

from __future__ import annotations

import re
from functools import lru_cache

BRACKETS = re.compile(r"[(（\[【][^)）\]】]*[)）\]】]?")
_OPENER = re.compile(
    r"^\s*(?:[（(]?[一二三四五六七八九十]+[)）、.．]|[（(]?\d{1,2}[)）、.．](?!\d)|[（(][a-z][)）])?\s*(?:其中|加|减)?[:：]?\s*"
)
CODE = re.compile(r"(?<=\w)[-–][A-Z]{2,3}\s*$")  # "Northern Ireland-GBR"
_ADDRESS = re.compile(
    r"(?<=[a-z.])\s(?:\d{1,5}|P\.?\s?O\.?\s|c/o\s)(?=.*(?:,\s*[A-Z]{2}\s+\d{5}\b|\b(?:Street|St\.|Avenue|Ave\.|Blvd|Road|Rd\.|Drive|Plaza)(?!\w))).*$"
)
"""What stands behind a holder's name: "55 East 52nd Street New York, NY 10055"."""

_SHORTER = re.compile(r"[(（]\s*([A-Z][A-Z0-9]{1,6})(?:[-#＃%％][A-Z]{0,3})?\s*[)）]\s*$")

_CAPITALS = re.compile(r"(?<![A-Za-z0-9])[A-Z][A-Z0-9]+(?![A-Za-z0-9])")


@lru_cache(maxsize=1 << 12)
def label_texts(text: str) -> tuple[str, str]:
    """A label without what numbers it, and without what stands in brackets, an address and a code at its end, too."""
    label = _OPENER.sub("", text)
    return label, CODE.sub("", _ADDRESS.sub("", BRACKETS.sub(" ", label)))


@lru_cache(maxsize=1 << 12)
def shorter_form(text: str) -> str:
    """The capitals that a label ends with in brackets: "PLT" of "platelet count (PLT)", "" where there are none."""
    found = _SHORTER.search(text)
    return found[1] if found else ""


def capitals_in(text: str) -> frozenset[str]:
    """The words of a text that are of capitals (and digits) alone."""
    return frozenset(_CAPITALS.findall(text))
