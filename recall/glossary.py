"""Words that mean the same: `glossary.txt` as a lookup from any form to the other forms of its concept."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

_WORD = re.compile(r"[a-z0-9]+(?:[&/'-][a-z0-9]+)*")
_HAN = re.compile(r"[\u3400-\u9fff]")
_SUFFIX = re.compile(r"(?:ies|ses|s)$")


class Concept(NamedTuple):
    """A concept met in a question: the form `found` there, and the `others`, English and Chinese."""

    found: str
    others: tuple[str, ...]


class _Glossary(NamedTuple):
    english: dict[tuple[str, ...], tuple[int, ...]]
    chinese: dict[str, tuple[int, ...]]
    longest: int
    longest_han: int
    lines: tuple[tuple[str, ...], ...]


def concepts(text: str) -> list[Concept]:
    """Concepts whose forms stand in `text`; at each place the longest form wins.

    In English one gives way whose last words begin another as long: "total equity" in "total equity securities".
    """
    glossary = _load()
    out: list[Concept] = []
    for form, numbers in [*_english(text.lower(), glossary), *_chinese(text, glossary)]:
        others = dict.fromkeys(o for n in numbers for o in glossary.lines[n] if o != form)
        out.append(Concept(form, tuple(others)))
    return out


def singular(word: str) -> str:
    """A cheap singular, the same for both sides of a comparison: not a linguist's."""
    if len(word) > 3 and not word.endswith("ss"):
        return _SUFFIX.sub(lambda m: {"ies": "y", "ses": "se", "s": ""}[m.group()], word)
    return word


def _english(text: str, glossary: _Glossary) -> list[tuple[str, tuple[int, ...]]]:
    words = [singular(w) for w in _WORD.findall(text)]
    out, at = [], 0
    while at < len(words):
        for size in range(min(glossary.longest, len(words) - at), 0, -1):
            numbers = glossary.english.get(tuple(words[at : at + size]))
            if numbers and not _gives_way(words[at + 1 :], size, glossary):
                out.append((" ".join(words[at : at + size]), numbers))
                at += size - 1
                break
        at += 1
    return out


def _gives_way(after: list[str], size: int, glossary: _Glossary) -> bool:
    """Whether a form as long as `size` begins among the last words of one of that size; `after` follow its first."""
    return any(
        tuple(after[at : at + longer]) in glossary.english
        for at in range(size - 1)
        for longer in range(size, min(glossary.longest, len(after) - at) + 1)
    )


def _chinese(text: str, glossary: _Glossary) -> list[tuple[str, tuple[int, ...]]]:
    if not _HAN.search(text):
        return []
    out, at = [], 0
    while at < len(text):
        for size in range(min(glossary.longest_han, len(text) - at), 1, -1):
            numbers = glossary.chinese.get(text[at : at + size])
            if numbers:
                out.append((text[at : at + size], numbers))
                at += size - 1
                break
        at += 1
    return out


@lru_cache(maxsize=1)
def _load() -> _Glossary:
    english: dict[tuple[str, ...], tuple[int, ...]] = {}
    chinese: dict[str, tuple[int, ...]] = {}
    lines: list[tuple[str, ...]] = []
    for line in files("h3cold.recall").joinpath("glossary.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            forms = tuple(f.strip() for f in line.split("|") if f.strip())
            for form in forms:
                if _HAN.search(form):
                    chinese[form] = (*chinese.get(form, ()), len(lines))
                else:
                    key = tuple(singular(w) for w in _WORD.findall(form.lower()))
                    english[key] = (*english.get(key, ()), len(lines))
            lines.append(forms)
    return _Glossary(english, chinese, max(map(len, english)), max(map(len, chinese)), tuple(lines))
