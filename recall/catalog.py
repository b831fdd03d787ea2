"""The store's documents as recall sees them: by what names they go, of which period and type they are."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import numpy as np

from h3cold.kg.short_names import LEGAL_FORM, name_kinds
from h3cold.recall.naming import WHOLE
from h3cold.recall.periods import find_periods
from h3cold.recall.relative import Now
from h3cold.recall.understand import SPENT, Question
from h3cold.recall.words import Bools, Floats

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\-.]+")
_PLAIN_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_NAME_FIELDS = (("company", 1.0), ("stem", 0.9), ("title", 0.7), ("folder", 0.4))
_OTHER_YEAR, _NEXT_YEAR, _UNKNOWN_YEAR = 0.7, 0.35, 0.3
_BEGUN = ("Q1", "Q2", "Q3", "H1")
"""Parts of a year that is not over when they are."""

NAMED = 0.5
"""Name evidence from which a document counts as named by the question."""

NEARLY = 0.85
"""Share of the best name evidence from which a document is named as well."""

OTHER_NAME = 0.95
"""Name evidence of a symbol, or of a name in another language, said in full."""


class Evidence(NamedTuple):
    """What the question's words say for each document [n], 0..1 each; `names` is the name they fit, as printed."""

    name: Floats
    period: Floats
    doctype: Floats
    names: dict[int, str]


class Catalog(NamedTuple):
    """`fields[f][token]` lists (document, share of the name that the token makes up); `printed[document][f]`.

    `part` is the quarter or half of the year that a document is of, `parted` says which have one.
    `others` are further names of documents' companies (symbols, names in another language): tokens, documents, name.
    """

    fields: tuple[Mapping[str, Sequence[tuple[int, float]]], ...]
    printed: tuple[tuple[str, ...], ...]
    rarity: Mapping[str, float]
    year: np.ndarray[Any, np.dtype[np.int64]]
    part: tuple[str, ...]
    parted: np.ndarray[Any, np.dtype[np.bool_]]
    doctype: tuple[str, ...]
    newest: int | None
    others: tuple[tuple[frozenset[str], tuple[int, ...], str], ...] = ()


def make_catalog(documents: Sequence[Mapping[str, Any]], also: Mapping[str, Sequence[str]] | None = None) -> Catalog:
    """Read the rows of `documents`; their order is that of the arrays in the catalog and its evidence.

    `also` gives other names by a company's name as the rows have it.
    """
    printed = tuple(_names(row) for row in documents)
    names = [tuple(map(_tokens, by_field)) for by_field in printed]
    rarity = _rarity(names)
    fields = []
    for f in range(len(_NAME_FIELDS)):
        postings: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        for i, by_field in enumerate(names):
            tokens = by_field[f]
            whole = sum(rarity[t] for t in tokens)
            for token in tokens:
                postings[token].append((i, rarity[token] / whole if whole else 0.0))
        fields.append(dict(postings))
    periods = [_period(row) for row in documents]
    years = np.array([year for year, _ in periods], dtype=np.int64)
    return Catalog(
        fields=tuple(fields),
        printed=printed,
        rarity=rarity,
        year=years,
        part=tuple(part for _, part in periods),
        parted=np.array([bool(part) for _, part in periods], dtype=np.bool_),
        doctype=tuple(str(row["doctype"] or "").casefold() for row in documents),
        newest=int(years.max()) if len(years) and years.max() > 0 else None,
        others=_others(documents, also or {}),
    )


def _others(
    documents: Sequence[Mapping[str, Any]], also: Mapping[str, Sequence[str]]
) -> tuple[tuple[frozenset[str], tuple[int, ...], str], ...]:
    """Names that share no word with the company's own: those that do are found by that one."""
    by_company: defaultdict[str, list[int]] = defaultdict(list)
    for i, row in enumerate(documents):
        if row["company"] in also:
            by_company[row["company"]].append(i)
    out = []
    for company, rows in by_company.items():
        own = set(_tokens(company))
        for name in also[company]:
            tokens = frozenset(_all_tokens(name))
            if tokens and not tokens & own:
                out.append((tokens, tuple(rows), name))
    return tuple(out)


def weigh(catalog: Catalog, question: Question) -> Evidence:
    """How well each document's name, period and type agree with the question."""
    n = len(catalog.year)
    asked = set(question.words)
    name = np.zeros(n, np.float32)
    names: dict[int, str] = {}
    said = dict.fromkeys((*question.words, *question.aliases))
    for f, (postings, (_, weight)) in enumerate(zip(catalog.fields, _NAME_FIELDS, strict=True)):
        held = [token for token in said if token in postings]
        if not held:
            continue
        share = np.zeros(n, np.float32)
        best = np.zeros(n, np.float32)
        whole = _whole_names(postings, question)
        for token in held:
            for i, part in postings[token]:
                if token not in asked and i not in whole.get(token, ()):
                    continue
                share[i] += part
                if token not in kinds():
                    best[i] = max(best[i], catalog.rarity[token])
        best[(best == 0) & (share >= WHOLE)] = 1.0  # "General Motors"
        fit = weight * np.sqrt(share) * best
        names |= {i: catalog.printed[i][f] for i in np.flatnonzero(fit > name).tolist()}
        name = np.maximum(name, fit)
    for tokens, rows, printed in catalog.others:
        if tokens <= asked:
            for i in rows:
                if name[i] < OTHER_NAME:
                    name[i], names[i] = OTHER_NAME, printed
    return Evidence(name, _weigh_period(catalog, question), _weigh_doctype(catalog, question), names)


def named(evidence: Evidence) -> Bools:
    """Which documents the question names for certain, none where it names nobody."""
    most = float(evidence.name.max(initial=0.0))
    return evidence.name >= NEARLY * most if most >= NAMED else np.zeros(len(evidence.name), np.bool_)


def whose(catalog: Catalog, evidence: Evidence) -> Bools:
    """Documents that the question names for certain: their company, by its name or another of it, or all their file's
    name ("GS" of GS_2016.pdf)."""
    out = named(evidence)
    others = {printed for _, _, printed in catalog.others}
    for i in np.flatnonzero(out).tolist():
        name = evidence.names.get(i, "")
        company, stem = catalog.printed[i][:2]
        whole = name == stem and evidence.name[i] >= WHOLE * _NAME_FIELDS[1][1]
        out[i] = name in others or whole or bool((set(_tokens(name)) & set(_tokens(company))) - kinds())
    return out


def stands(catalog: Catalog, documents: Bools) -> Now | None:
    """Where these documents stand in time, None where the year of none is known."""
    known = np.flatnonzero(documents & (catalog.year > 0)).tolist()
    if not known:
        return None
    over = max(int(catalog.year[i]) - (catalog.part[i] in _BEGUN) for i in known)
    parts = {(int(catalog.year[i]), catalog.part[i]) for i in known if catalog.part[i]}
    return Now(int(catalog.year[known].max()), over, tuple(sorted(parts)))


def _whole_names(postings: Mapping[str, Sequence[tuple[int, float]]], question: Question) -> dict[str, set[int]]:
    """Documents that a token of another name names: those with most of that name, not the "instruments" of others."""
    out: defaultdict[str, set[int]] = defaultdict(set)
    for other in (other for concept in question.also for other in concept.others):
        tokens = set(_all_tokens(other))
        held = Counter(i for token in tokens for i, _ in postings.get(token, ()))
        most = {i for i, count in held.items() if 2 * count > len(tokens)}
        for token in tokens:
            out[token] |= most
    return out


def spend(catalog: Catalog, question: Question, evidence: Evidence) -> Question:
    """The question with those words marked by which it names documents."""
    named = set(np.flatnonzero(evidence.name >= NAMED).tolist())
    if not named:
        return question
    spent = {
        w for w in question.words for postings in catalog.fields if any(i in named for i, _ in postings.get(w, ()))
    }
    for tokens, rows, _ in catalog.others:
        if tokens <= set(question.words) and named.intersection(rows):
            spent |= tokens
    forms = " ".join(m.group() for m in LEGAL_FORM.finditer(question.text))
    spent |= set(_all_words(forms)) & set(question.words)
    terms = tuple((t, min(w, SPENT) if t in spent else w) for t, w in question.terms)
    return replace(question, spent=question.spent | spent, terms=terms)


def _weigh_period(catalog: Catalog, question: Question) -> Floats:
    n = len(catalog.year)
    out = np.zeros(n, np.float32)
    years = question.years
    if not years:
        return out
    newest = max(years)
    weights = {0: _UNKNOWN_YEAR, newest + 1: _NEXT_YEAR}  # reports restate the year before
    for year, weight in (weights | dict.fromkeys(years, _OTHER_YEAR) | {newest: 1.0}).items():
        out[catalog.year == year] = weight
    parts = {(p.year, p.part) for p in question.periods if p.part}
    if not parts:
        out[catalog.parted] *= 0.7
        return out
    for i in np.flatnonzero(np.isin(catalog.year, years)).tolist():
        part = catalog.part[i]
        if (int(catalog.year[i]), part) in parts:
            out[i] = 1.0
        elif out[i] == 1.0:
            out[i] = 0.6 if not part else 0.3
    return out


def _weigh_doctype(catalog: Catalog, question: Question) -> Floats:
    wanted = {d.casefold() for d in question.doctypes}
    if "10-k" in wanted:
        wanted |= {"annual report", "20-f"}
    if "10-q" in wanted:
        wanted |= {"quarterly report"}
    if not wanted:
        return np.zeros(len(catalog.doctype), np.float32)
    return np.array([1.0 if d and d in wanted else 0.0 for d in catalog.doctype], dtype=np.float32)


def _names(row: Mapping[str, Any]) -> tuple[str, ...]:
    path = PurePosixPath(row["source"] or "")
    raw = {"company": row["company"], "title": row["title"], "stem": path.stem, "folder": path.parent.name}
    return tuple(raw[field] or "" for field, _ in _NAME_FIELDS)


def _all_words(text: str) -> list[str]:
    from h3cold.ingest.tokens import lexical

    return list(lexical(text))


def _all_tokens(name: str) -> tuple[str, ...]:
    """With the numbers: a symbol may be one."""
    from h3cold.ingest.tokens import lexical

    return tuple(dict.fromkeys(lexical(LEGAL_FORM.sub(" ", name))))


def _tokens(name: str) -> tuple[str, ...]:
    from h3cold.ingest.tokens import lexical

    bare = LEGAL_FORM.sub(" ", " ".join(_CAMEL.split(name)))
    return tuple(dict.fromkeys(t for t in lexical(bare) if not _PLAIN_NUMBER.fullmatch(t)))


@cache
def kinds() -> frozenset[str]:
    """Search tokens of the words by which names say what kind of company they are."""
    return frozenset(token for word in name_kinds() for token in _all_words(word))


def _rarity(names: Sequence[tuple[tuple[str, ...], ...]]) -> dict[str, float]:
    """0..1: 1 for a word in one document's names, falling as more share it."""
    count: defaultdict[str, int] = defaultdict(int)
    for by_field in names:
        for token in {t for tokens in by_field for t in tokens}:
            count[token] += 1
    n = max(len(names), 2)
    return {token: math.log(1 + n / c) / math.log(1 + n) if c < n else 0.1 for token, c in count.items()}


def _period(row: Mapping[str, Any]) -> tuple[int, str]:
    """Year (0 unknown) and part of a document: its period, else a year in its name, title or date."""
    for text in (row["period"], PurePosixPath(row["source"] or "").stem.replace("_", " "), row["title"], row["date"]):
        found = find_periods(str(text or ""))
        if found:
            newest = max(found, key=lambda p: p.year)
            return newest.year, newest.part
    return 0, ""
