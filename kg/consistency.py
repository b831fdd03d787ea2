"""Makes the names of one document agree: one kind for each, common words out, missed occurrences in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from h3cold.kg.aliases import Alias, acronym_terms
from h3cold.kg.cues_en import cues, defined_terms, kind_by_form
from h3cold.kg.lexicon import Lexicon
from h3cold.kg.names import fold, key, short_names
from h3cold.kg.spans import Span, disjoint
from h3cold.schemas.graph import EntityType

SURE = 0.7
"""Weight from which a span's type is its form's own and not a model's guess."""
_KINDS: frozenset[EntityType] = frozenset({"PERSON", "ORG", "AGENCY", "PLACE", "PRODUCT"})
_MOST_NAMES = 20_000
_LOUD = 12
"""Votes for a place, more than those for a person, at which a name is none."""
_TWO_WORDS = re.compile(r"[A-Z][a-z]+(?:\s[A-Z]\.?)?\s[A-Z][a-z]+")
_LOWER = re.compile(r"\b[a-z]{3,30}\b")

Text = tuple[str, list[Span]]


def agree(texts: Sequence[Text], aliases: Sequence[Alias], known: Sequence[str] = ()) -> list[list[Span]]:
    """The spans of each text of a document, after all of them were heard; `known` are organisations it is about."""
    shorts = {a.short for a in aliases}
    terms = {t for text, _ in texts for t in defined_terms(text)} - shorts
    terms |= {t for text, spans in texts for t in acronym_terms(text, spans)} - shorts
    names = elect(texts)
    for name in common_words(texts, names) | terms | {t + "s" for t in terms}:
        if name not in shorts:
            names.pop(name, None)
            terms.add(name)
    firms = [*known, *(n for n, type in names.items() if type == "ORG")]
    words = {w for n, type in names.items() if type == "PERSON" and " " in n for w in n.split()}
    small = {w for text, _ in texts for w in _LOWER.findall(text)}
    short = short_names(firms, taken=shorts | terms | words, small=frozenset(small), own=known[0] if known else "")
    names |= dict.fromkeys((*known, *short), "ORG")
    for alias in aliases:
        names[alias.short] = alias.type
        if alias.short.isascii() and alias.same:
            names.setdefault(alias.short.upper(), alias.type)
    whole = frozenset(key("ORG", n) for n in firms if " and " not in n and key("ORG", n) != fold(n).strip(" ."))
    joined = {s.text for _, spans in texts for s in spans if len(_parted(s, names, whole)) > 1}
    for name in joined:
        names.pop(name, None)
    people = (part.text for _, spans in texts for s in spans for part in _of_firm(s, whole)[:1])
    names |= dict.fromkeys(people, "PERSON")
    lexicon = Lexicon({n: t for n, t in names.items() if len(n) >= 4 or not n.isascii() or n in shorts})
    out = []
    for text, spans in texts:
        kept = [s for s in spans if s.type not in _KINDS or s.text not in terms]
        kept = [part for s in kept for part in _parted(s, names, whole)]
        kept = [s._replace(type=names[s.text]) if s.type in _KINDS and s.text in names else s for s in kept]
        more = (
            Span(a, b, type, text[a:b], _weight(text[a:b]))
            for a, b, type in lexicon.find(text)
            if not inside_word(text, a, b)
        )
        out.append(disjoint([*kept, *more]))
    return out


def elect(texts: Sequence[Text]) -> dict[str, EntityType]:
    """Name -> the kind that most of its occurrences, and the words around them, speak for."""
    votes: dict[str, Counter[EntityType]] = {}
    for text, spans in texts:
        for span in spans:
            if span.type not in _KINDS or (span.text not in votes and len(votes) >= _MOST_NAMES):
                continue
            counts = votes.setdefault(span.text, Counter())
            counts[span.type] += _vote(span)
            if span.weight < SURE and not _chinese(span.text):
                for type, more in cues(text, span):
                    counts[type] += more
    names = {name: max(counts, key=lambda t: (counts[t], t)) for name, counts in votes.items()}
    lasts = {name.split()[-1] for name, type in names.items() if type == "PERSON" and " " in name}
    return {name: "PERSON" if name in lasts and _may_be(votes[name]) else type for name, type in names.items()}


def _may_be(counts: Counter[EntityType]) -> bool:
    """False where the words around it speak against a name's being a person's last one ("town of Harris")."""
    return counts["PLACE"] - counts["PERSON"] <= _LOUD


def _chinese(name: str) -> bool:
    return any("\u4e00" <= c <= "\u9fff" for c in name)


def common_words(texts: Sequence[Text], names: dict[str, EntityType]) -> set[str]:
    """Lone words taken for names that the document also writes small: they are common nouns."""
    lone = {n.casefold(): n for n in names if n.isascii() and " " not in n and not n.isupper()}
    guessed = {s.text for _, spans in texts for s in spans if s.weight < SURE}
    small = {w for text, _ in texts for w in _LOWER.findall(text)}
    return {name for low, name in lone.items() if low in small and name in guessed}


def _vote(span: Span) -> int:
    """A model's guess counts less than a form, and a lone word that it takes for a person least."""
    if span.weight < SURE and span.type == "PERSON" and " " not in span.text:
        return 2
    return 4 if span.weight < SURE else round(span.weight * 10)


def _parted(span: Span, names: Mapping[str, EntityType], whole: frozenset[str]) -> list[Span]:
    """The two names of "Lifeway and Danone" where one of them also stands alone in the document."""
    if parts := _of_firm(span, whole):
        return parts
    left, _, right = span.text.partition(" and ")
    if not right or span.type not in _KINDS or " and " in right:
        return [span]
    # A name with a legal form is parted only where its first half has one of its own ("Sysorex, Inc.").
    apart = key("ORG", left) in whole if span.weight >= SURE else left in names or right in names
    if not apart:
        return [span]
    at = span.end - len(right)
    return [
        span._replace(end=span.start + len(left), text=left, type=names.get(left, span.type)),
        span._replace(start=at, text=right, type=names.get(right, span.type)),
    ]


def _of_firm(span: Span, whole: frozenset[str]) -> list[Span]:
    """The person and the company of "Shen Wei of Orrin Foods Co., Ltd.", whom the document names alone elsewhere."""
    left, _, right = span.text.partition(" of ")
    firm = right and span.type == "ORG" and fold(right).strip(" .") != key("ORG", right) and key("ORG", right) in whole
    if not firm or not _TWO_WORDS.fullmatch(left) or kind_by_form(left):
        return []
    end = span.start + len(left)
    person = span._replace(end=end, text=left, type="PERSON")
    return [person, span._replace(start=span.end - len(right), text=right)]


def _weight(name: str) -> float:
    """A longer name that holds a shorter one wins; a lone word only fills gaps."""
    if not _chinese(name):
        return 0.56 if " " in name else 0.42
    return 0.85 if len(name) >= 6 and name.endswith(("公司", "集团", "企业")) else 0.65 if len(name) >= 4 else 0.42


_INNER = frozenset({"公司", "集团", "本行", "银行", "基金"})


def inside_word(text: str, start: int, end: int) -> bool:
    """True where a word like 公司 is but the end of a longer one (子公司, 该公司 of others)."""
    return (
        text[start:end] in _INNER
        and start > 0
        and text[start - 1] not in '，。；、：:,;“”"（( \n的由为对向与和及据是于或称「在给'
    )
