"""Names that a question asks about and no document says: what is found then is about others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from h3cold.kg.unknown_names import names_company, names_in, own_words, telling_words
from h3cold.recall.bilingual import bare, well_known
from h3cold.recall.catalog import NAMED, Evidence
from h3cold.recall.corpus import Corpus
from h3cold.recall.naming import says
from h3cold.recall.understand import HAN, Question
from h3cold.recall.words import Words, number_of

ENOUGH = 0.2
"""Share of a store's blocks in a language from which a name in its script would be met in them."""

_BIDS = re.compile(r"^\W*(?:compare|contrast|explain|describe|summari[sz]e|calculate|compute)\s+", re.IGNORECASE)
"""What a question begins with that bids: written large, it is no part of the name behind it."""

_SYMBOL = re.compile(r"(?<![A-Za-z\d_.&'’-])[A-Z]{4,5}(?![A-Za-z\d_&-])")
_CODE = re.compile(
    r"(?<![\d.,$¥€£第])(?:00[0-3]\d{3}|30[0-2]\d{3}|60[0135]\d{3}|68[89]\d{3}|[48]3\d{4})(?![\d.,%]|\s*[万亿元股个人])"
)
"""Codes of shares at Chinese exchanges."""

HELD = 0.6
"""Share of the pairs of characters of a Chinese name from which the documents may well say it."""


def strangers(words: Words, question: Question, evidence: Evidence, *, asks_who: bool) -> tuple[str, ...]:
    """The question's names if the documents say none of them, in either script; () where it names nobody.

    Where it `asks_who`, a word in a name's place is one though it is written small.
    """
    if len(evidence.name) and evidence.name.max() >= NAMED:
        return ()
    told = [form for concept in question.also for form in (concept.found, *concept.others)]
    if any(is_said(words, form) for form in told):
        return ()
    names = names_in(_BIDS.sub("", question.text), (lambda word: says(words, word)) if asks_who else None)
    names += _symbols(question)
    if any(is_said(words, form) for name in names for form in (name, *_in_chinese(_shown(name)))):
        return ()
    shown = dict.fromkeys(map(_shown, names))
    return tuple(name for name in shown if not any(name != other and name in other for other in shown))


def strangers_beside(corpus: Corpus, question: Question) -> tuple[str, ...]:
    """Names of a question that no document says, though texts of the store would write them, whoever else it names.

    "Does Acme own Tesla?" of Acme's own reports: what Acme owns is no answer.
    """
    said = [form for concept in question.also for form in (concept.found, *concept.others)]
    out = []
    for name in dict.fromkeys(names_in(question.text)):
        called = [form for form in said if form.casefold() in name.casefold()]
        forms = [name, *called, *_in_chinese(_shown(name))]
        if not any(is_said(corpus.words, form) for form in forms) and _written(corpus, forms):
            out.append(_shown(name))
    return tuple(dict.fromkeys(out))


def _symbols(question: Question) -> list[str]:
    """Words in capitals that may be a share's symbol: no term that the glossary knows; and codes of shares."""
    from h3cold.ingest.tokens import lexical

    codes = _CODE.findall(question.text)
    if question.text.isupper():
        return codes
    terms = {word for unit in question.units for word in unit.words}
    return [word for word in _SYMBOL.findall(question.text) if not terms & set(lexical(word))] + codes


def is_said(words: Words, name: str) -> bool:
    """Whether the documents may well say a name: most pairs of its characters, its own first word or most of them."""
    if HAN.search(name):
        name = bare(name)
        pairs = [a + b for a, b in pairwise(name) if HAN.match(a) and HAN.match(b)]
        held = [number_of(words, pair) > 0 for pair in pairs]
        return not held or sum(held) >= HELD * len(held)
    own = [name] if _SYMBOL.fullmatch(name) else own_words(name) or [name]
    held = [says(words, word) for word in own]
    return not held or held[0] or 2 * sum(held) > len(held)


def would_be_said(corpus: Corpus, names: Sequence[str], question: Question) -> bool:
    """Whether the store has texts enough in a language that would write one of these names of the question as it is
    written, or as else it is known to be.

    Not where they all write it in their own script, and it is not known how; of a company it would be known.
    """
    if any(names_company(name, question.text) or _SYMBOL.fullmatch(name) or _CODE.fullmatch(name) for name in names):
        return True
    forms = [*names, *(other for concept in question.also for other in concept.others)]
    return _written(corpus, [*forms, *(other for name in names for other in _in_chinese(name))])


def _written(corpus: Corpus, forms: Sequence[str]) -> bool:
    """Whether a good share of the store's blocks is in the script of one of these."""
    chinese = corpus.spoken.get("zh", 0.0)
    return any((chinese if HAN.search(form) else 1 - chinese) >= ENOUGH for form in forms)


def _in_chinese(name: str) -> list[str]:
    """What Chinese texts call a well-known company."""
    return [han for han, latin in well_known().items() if name.casefold() in (form.casefold() for form in latin)]


def _shown(name: str) -> str:
    return name if HAN.search(name) or _SYMBOL.fullmatch(name) else " ".join(telling_words(name)) or name
