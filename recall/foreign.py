"""What a question in another language than the store's calls places by: countries, states and towns in both scripts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from h3cold.kg.names import countries, read_lines
from h3cold.recall.glossary import Concept
from h3cold.recall.understand import HAN

_CAPITALS = re.compile(r"(?<!\w)[A-Z][A-Za-z.]+(?: (?:of )?[A-Z][A-Za-z.]+)*")
_MOST_WORDS = 4


def other_places(text: str, names: Sequence[Concept] = ()) -> list[Concept]:
    """Each country, state and city in `text` with its names in the other script; not within one of the `names`."""
    found = _in_han(text) if HAN.search(text) else _in_latin(text)
    return [Concept(form, others) for form, others in found.items() if not any(form in name.found for name in names)]


def places_in(text: str) -> list[str]:
    """Names of places in a Chinese text, as they stand."""
    return list(_in_han(text))


def _in_han(text: str) -> dict[str, tuple[str, ...]]:
    lengths, places = _places_han()
    out, at = {}, 0
    while at < len(text) - 1:
        sizes = lengths.get(text[at : at + 2], ())
        form = next((part for size in sizes if (part := text[at : at + size]) in places), "")
        if form:
            out[form] = places[form]
        at += len(form) or 1
    return out


def _in_latin(text: str) -> dict[str, tuple[str, ...]]:
    places, out = _places_latin(), {}
    for run in _CAPITALS.findall(text):
        words = run.split(" ")
        at = 0
        while at < len(words):
            sizes = range(min(_MOST_WORDS, len(words) - at), 0, -1)
            size = next((n for n in sizes if " ".join(words[at : at + n]).rstrip(".") in places), 0)
            if size:
                form = " ".join(words[at : at + size]).rstrip(".")
                out[form] = places[form]
            at += size or 1
    return out


@cache
def _places() -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Of each place that has names in both scripts the Chinese and the Latin ones, of a country its adjectives, too."""
    peoples: dict[str, list[str]] = {}
    for adjective, country in countries():
        peoples.setdefault(country, []).append(adjective)
    rows = [line.split("|") for line in read_lines("places.txt")]
    parted = [([f for f in row if HAN.search(f)], [f for f in row if not HAN.search(f)]) for row in rows]
    pairs = [(han, dict.fromkeys((*latin, *peoples.get(latin[0], ())))) for han, latin in parted if han and latin]
    return [(tuple(han), tuple(latin)) for han, latin in pairs]


@cache
def _places_han() -> tuple[dict[str, list[int]], dict[str, tuple[str, ...]]]:
    """The lengths of Chinese names by their first two characters, longest first; and the names."""
    places = {form: latin for han, latin in _places() for form in han}
    lengths: dict[str, set[int]] = {}
    for form in places:
        lengths.setdefault(form[:2], set()).add(len(form))
    return {begin: sorted(sizes, reverse=True) for begin, sizes in lengths.items()}, places


@cache
def _places_latin() -> dict[str, tuple[str, ...]]:
    return {form.rstrip("."): han for han, latin in _places() for form in latin}
