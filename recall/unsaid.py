"""What a question tells that the best hits do not hold, or hold of others: the rarer it is, the less do they answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from h3cold.kg.unknown_names import names_in, own_words
from h3cold.recall.catalog import NAMED, Evidence
from h3cold.recall.corpus import is_abroad
from h3cold.recall.glossary import concepts
from h3cold.recall.label_text import BRACKETS
from h3cold.recall.offices import asks_office, says_office
from h3cold.recall.periods import YEAR
from h3cold.recall.understand import HAN, Question, tokens_of
from h3cold.recall.wishes import wish_words
from h3cold.recall.words import Bools
from h3cold.schemas.hit import FITS, STEP

if TYPE_CHECKING:
    from h3cold.ingest.store.reader import ColdStore
    from h3cold.recall.corpus import Corpus
    from h3cold.recall.hits import Seen
    from h3cold.recall.pool import Found
    from h3cold.recall.relation import Edge
    from h3cold.recall.search import Asked, Order, Snapshot

GARBLED = 0.4
"""Share of a text's words from which it is what a font without a map of its letters left, if as many look like that."""

LONGEST = 40
"""Letters of a word: what is longer is none."""

LOOKED = 4
"""Nearest blocks that are looked at, one after the other, as long as they are garbled."""

OF_PERIOD = 0.99
"""Evidence from which a document is of a period that is asked for."""

_SENTENCE = re.compile(r"(?<=[。；;！？])|(?<=[.!?])\s")
_DAY = re.compile(r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d{1,2},?(?= (?:19|20)\d\d)")
_FIGURE = re.compile(r"\d[\d,.]*")
_WHO = re.compile(r"\bwho\b", re.IGNORECASE)
_ASKS_WHO = re.compile(r"\bwho\b|谁|哪位", re.IGNORECASE)
_OF = re.compile(r"\b(?:of|at) (?:the )?([A-Z][\w&-]+)")
_SHARE = re.compile(r"%|\b(?:per ?cent\w*|rates?|ratios?|shares?|proportions?|fractions?)\b", re.IGNORECASE)
_ENDING = re.compile(r"(?:ies|es|s|y|e)$")
_WORD = re.compile(r"[^\W\d_]{2,}")
_ACCENTED = re.compile(r"[\u00aa-\u024f]")


def garbled(text: str) -> bool:
    """Whether a text is signs for letters that are not known: words of which half the letters have accents.

    No language that is written in Latin letters has many of these: 4 in 10 of Vietnamese words have as much as one in
    three.
    """
    if text.isascii():
        return False
    words = _WORD.findall(text[:1000])
    return sum(2 * len(_ACCENTED.findall(word)) >= len(word) for word in words) > GARBLED * max(len(words), 8)


def drop_garbled(store: ColdStore, corpus: Corpus, found: Found, language: str) -> None:
    """Take out garbled text that is nearest to a question, as it is to any in another language or with few words.

    Only passages that no word was found in, or that are taken for another language, are looked at.
    """
    from h3cold.recall.hits import read_blocks

    for _ in range(LOOKED):
        row = max(found.dense, key=found.dense.__getitem__, default=-1)
        if row < 0 or corpus.structural[row]:
            return
        if row in found.lexical and corpus.languages[int(corpus.language[row])] == language:
            return
        if not garbled(read_blocks(store, corpus, [row])[row].text):
            return
        del found.dense[row]
        found.lexical.pop(row, None)


def unsaid(question: Question, rarity: Mapping[str, float], place: Mapping[str, int], said: Bools) -> float:
    """Share, 0..1, of a question's telling words (`rarity`: how rare each is) that the best hit for it does not hold.

    `said` [best hits, words] are in another language: only what is known to be written otherwise there, or in the same
    letters, can be missed. Words of one concept count once, as the rarest of them, and as said where all of them or all
    of another form are.
    """
    left = dict(rarity)
    missed, whole = np.zeros(len(said)), 0.0
    for unit in question.units:
        own = unit.words & left.keys()
        if own:
            weight = max(left.pop(word) for word in own)
            forms = [[place[word] for word in form] for form in (unit.words, *unit.forms) if form]
            missed += weight * ~np.any([said[:, form].all(axis=1) for form in forms], axis=0)
            whole += weight
    for word, weight in left.items():
        whole += weight
        if question.language == "zh" and not HAN.search(word):
            missed += weight * ~said[:, place[word]]
    return float(missed.min()) / whole if whole else 0.0


def about_others(snapshot: Snapshot, asked: Asked, found: Order, best: Sequence[Seen]) -> bool:
    """Whether what the best hits say is not what is asked, though its words stand there."""
    question = asked.question
    if all(len(word) > LONGEST for word in question.words):
        return True
    if of_other_years(best, question) or only_alike(best, question) or only_shares(best, question):
        return True
    if of_later_years(snapshot, best, question):
        return True
    if asked.guess.best != "relation" or not best:
        return False
    if not found.edges and no_such_office(snapshot.corpus, best, question):
        return True
    edge = next((edge for i, edge in found.edges.items() if found.pool.rows[i] == best[0].pick.row), None)
    return of_another(snapshot, best[0], question, asked.evidence, edge, found.met)


def may_tell(asked: Asked, found: Order, *, others: bool) -> Bools | None:
    """Documents whose tables' answers are told: None for all where the reply fits, none where something tells that the
    hits are about `others`; else those that the question names, and of the period that it asks for, if any.
    """
    evidence = asked.evidence
    if found.confidence >= FITS:
        return None
    named = evidence.name >= NAMED
    if others or found.strange or found.unsaid:
        return named & False
    return named & (evidence.period >= OF_PERIOD) if asked.question.periods else named


def only_alike(seen: Sequence[Seen], question: Question) -> bool:
    """Whether the best hits say all that is asked but by words that begin alike: "redundant" for "redundancies"."""
    own = frozenset(question.words) - question.spent
    if not own or not own <= frozenset().union(*(unit.words for unit in question.units)):
        return False
    said = [form for concept in concepts(question.text) for form in (concept.found, *concept.others)]
    if not said or any(" " in form and not HAN.search(form) for form in (c.found for c in concepts(question.text))):
        return False
    text = "\n".join(map(text_of, seen)).casefold()
    return not any(_written(form.casefold(), text) for form in said)


def _written(form: str, text: str) -> bool:
    """Whether a text has a form, but for the endings of its words."""
    if HAN.search(form):
        return form in text
    words = (re.escape(_ENDING.sub("", word)) for word in form.split())
    return re.search(r"(?<!\w)" + r"\w*\W+".join(words), text) is not None


def no_such_office(corpus: Corpus, best: Sequence[Seen], question: Question) -> bool:
    """Whether it is asked who has an office that none of the best hits says, the first in the question's language."""
    if not _ASKS_WHO.search(question.text) or not asks_office(question.text):
        return False
    if is_abroad(corpus, best[0].pick.row, question.language):
        return False
    return not any(says_office(text_of(one), question.text) for one in best)


def of_another(
    snapshot: Snapshot, seen: Seen, question: Question, evidence: Evidence, edge: Edge | None, met: Sequence[str]
) -> bool:
    """Whether it is asked who has an office of somebody who has another one in the first hit, if any.

    Where an `edge` of the graph answers there, it is of that or of who was `met`, else the hit or its document says it.
    """
    if seen.block.language != question.language or not _WHO.search(question.text):
        return False
    row, document = seen.pick.row, snapshot.store.documents()[seen.block.document]
    names = [n for n in names_in(question.text) or _OF.findall(question.text) if not asks_office(n)]
    if not names or not asks_office(question.text) or evidence.name[snapshot.corpus.document[row]] >= NAMED:
        return False
    if edge is not None and any(name in edge.path for name in met):
        return False
    said = text_of(seen) if edge is None else edge.path
    text = "\n".join((said, *(str(document[key] or "") for key in ("title", "company")))).casefold()
    return not any(_written(" ".join(own_words(name) or [name]).casefold(), text) for name in names)


def text_of(seen: Seen) -> str:
    """What a hit says, with its caption and headings."""
    return "\n".join((seen.text, seen.block.caption or "", *seen.block.headings))


def only_shares(seen: Sequence[Seen], question: Question) -> bool:
    """Whether what an English question asks of a row of the first hit stands in heads of shares alone, and it asks for
    none: "percentage of population coverage" tells no population."""
    answer = seen[0].answer if seen else None
    if answer is None or len(answer.columns) < 2 or question.language == "zh" or _SHARE.search(question.text):
        return False
    asked = frozenset(question.words) - question.spent - tokens_of(answer.row)
    return (
        bool(asked)
        and all(_SHARE.search(head) for head in answer.columns)
        and asked <= frozenset().union(*map(tokens_of, answer.columns))
    )


def of_other_years(seen: Sequence[Seen], question: Question) -> bool:
    """Whether the best hit's table tells what is asked, but of other years, and none of the others of those asked.

    A year that a document says beside something else (a promise, the day it came out) is none that it reports.
    """
    if not seen or seen[0].answer is None or not seen[0].answer.row:
        return False
    years = [str(year) for year in question.years]
    if not seen[0].elsewhen and not _under_others(seen[0], years):
        return False
    sought = tokens_of(BRACKETS.sub(" ", seen[0].answer.row.rpartition(STEP)[2])) & frozenset(question.words)

    def tells(one: Seen) -> bool:
        if one.table is not None:
            here = not one.elsewhen and one.answer is not None and not _under_others(one, years)
            return here and any(year in one.text for year in years)
        said = (part for part in _SENTENCE.split(one.text) if any(year in part for year in years))
        return any(sought <= tokens_of(part) and len(_FIGURE.findall(_DAY.sub(" ", part))) > 1 for part in said)

    return not any(tells(one) for one in seen[1:])


def of_later_years(snapshot: Snapshot, seen: Sequence[Seen], question: Question) -> bool:
    """Whether years are asked for after those of all of the best hits' documents, and no hit says half of the question
    of one of them: the leases that fall due in a year tell nothing of its income.
    """
    catalog, years = snapshot.catalog, [str(year) for year in question.years]
    if not years or not seen or seen[0].block.language != question.language:
        return False
    told = [int(catalog.year[snapshot.corpus.document[one.pick.row]]) for one in seen]
    sought = frozenset(question.words) - question.spent - wish_words(question.text) - set(years)
    if not all(told) or max(told) >= min(question.years) or not sought:
        return False

    def tells(one: Seen) -> bool:
        around = "\n".join((one.block.caption or "", *one.block.headings))
        parts = [one.text] if one.table is not None else _SENTENCE.split(one.text)
        dated = (part for part in parts if any(_says(part, year) for year in years))
        return any(2 * len(sought & tokens_of(f"{around}\n{part}")) >= len(sought) for part in dated)

    return not any(map(tells, seen))


def _under_others(seen: Seen, years: Sequence[str]) -> bool:
    """Whether the answer stands under heads that all name years, and neither they nor its row one of these."""
    answer = seen.answer
    if not years or answer is None or not answer.columns:
        return False
    own = f"{answer.row} {' '.join(answer.columns)}"
    return all(YEAR.search(head) for head in answer.columns) and not any(_says(own, year) for year in years)


def _says(text: str, year: str) -> bool:
    """Whether a text says a year, or its last digits as in FY16 or 2015/16."""
    return (
        year in text or re.search(rf"(?<!\d){year[2:]}(?!\d)|\d\d[/–-]{year[2:]}(?!\d)|FY{year[2:]}", text) is not None
    )
