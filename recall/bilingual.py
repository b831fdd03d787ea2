"""Names that the store's graph knows in Chinese and in Latin letters: a question with one can find the other."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from h3cold.ingest.store.reader import ColdStore, quoted
from h3cold.ingest.store.told import HAN, LATIN, Forms
from h3cold.kg.names import read_lines
from h3cold.kg.short_names import LEGAL_FORM, NAMED_TYPES
from h3cold.recall.glossary import Concept

_HAN = re.compile(HAN)
_FORMS = "concat(name, ' ', array_to_string(aliases, ' '))"

_WORDS = frozenset(["大众", "日产", "夏普", "联想", "小米", "吉利", "大唐", "美的", "先锋", "奔驰", "长城", "光明"])
"""Names that are words, too: 大众汽车 is a company for certain, 大众 the public."""


class Name(NamedTuple):
    """One entity's names in either script, the legal form left out; as printed in `han` and `latin`."""

    han: tuple[str, ...]
    latin: tuple[str, ...]


def load_names(store: ColdStore) -> tuple[Name, ...]:
    """Entities with names in both scripts, in order of their names.

    Raises:
        StoreError: the table cannot be read.
    """
    told = store.told()
    forms = _forms(store) if told is None else told.both
    names = [Name(tuple(f for f in some if _HAN.search(f)), tuple(f for f in some if not _HAN.search(f)))
             for some in forms]  # fmt: skip
    return tuple(n for n in names if n.han and n.latin)


def _forms(store: ColdStore) -> list[Forms]:
    types = ", ".join(quoted(t) for t in sorted(NAMED_TYPES))
    where = f"type IN ({types}) AND regexp_like({_FORMS}, '{HAN}') AND regexp_like({_FORMS}, '{LATIN}')"
    rows = store.table("entities").to_table(filter=where, columns=["name", "aliases"]).to_pylist()
    return sorted((row["name"], *row["aliases"]) for row in rows)


def other_names(text: str, names: tuple[Name, ...]) -> list[Concept]:
    """Each name in `text` with the names of its entity in the other script; the longest names win.

    Of well-known companies the Chinese names are known, whatever the documents say: 高盛 asks for Goldman Sachs.
    """
    found: dict[str, dict[str, None]] = {}
    folded = text.casefold()
    if _HAN.search(text):
        for form, latin in well_known().items():
            if form in text:
                found.setdefault(form, {}).update(dict.fromkeys(latin))
    for name in names:
        for own, other in ((name.han, name.latin), (name.latin, name.han)):
            for form in own:
                if _stands(bare(form).casefold(), folded):
                    found.setdefault(bare(form), {}).update(dict.fromkeys(other))
    longest = [f for f in found if not any(f != g and f.casefold() in g.casefold() for g in found)]
    return [Concept(form, tuple(found[form])) for form in longest]


@cache
def well_known() -> dict[str, tuple[str, ...]]:
    """Latin names of well-known companies by each of their Chinese ones."""
    rows = [line.split("|") for line in read_lines("companies.txt")]
    return {
        form: latin
        for row in rows
        if (latin := tuple(f for f in row if not _HAN.search(f)))
        for form in row
        if _HAN.search(form) and form not in _WORDS
    }


def bare(name: str) -> str:
    """A name without its legal form: "Larkspur Instruments" of "Larkspur Instruments, Inc."."""
    return LEGAL_FORM.sub(" ", name).strip(" ,.()（）") or name


def _stands(form: str, text: str) -> bool:
    if len(form) < 2:
        return False
    if _HAN.search(form):
        return form in text
    return re.search(rf"(?<![a-z0-9]){re.escape(form)}(?![a-z0-9])", text) is not None
