"""What a question asks about by name, or the year, that none of the best hits says: then they are about others.

A table of countries is near to a question for one that it leaves out, and says all of it but the name.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from h3cold.kg.names import countries, read_lines
from h3cold.kg.unknown_names import names_in, own_words
from h3cold.recall.corpus import Corpus, is_abroad
from h3cold.recall.foreign import places_in
from h3cold.recall.label_text import CODE
from h3cold.recall.periods import YEAR, find_periods
from h3cold.recall.row_periods import parts_said
from h3cold.recall.understand import HAN, Question, tokens_of
from h3cold.recall.unsaid import text_of
from h3cold.recall.words import number_of

if TYPE_CHECKING:
    from h3cold.recall.hits import Seen
    from h3cold.recall.search import Snapshot

AS_MUCH = 0.75
"""Of the question's other words that the first hit says, what another one must say to count for a name."""

OF_PLACES = 3
"""Cells with names of places from which a table is one of places, and does not speak of those that it leaves out."""

SHORT = 3
"""Letters of a word that may stand within any other."""

ALIKE = 0.8
"""Likeness of a word to one of the text from which it may be that, misspelt."""

_MARK = re.compile(
    r"(?<![A-Za-z\d.&'’/_-])(?=[A-Za-z\d./_-]*\d)[A-Za-z][A-Za-z\d]*(?:[./_-][A-Za-z\d]+)*(?![A-Za-z\d])"
)
_APART = re.compile(r"[^A-Za-z\d]+")
_RUN = re.compile(r"(?<![\w'’-])[A-Z][\w&'’.-]*(?: (?:(?:of|the|de) )?[A-Z][\w&'’.-]*)*")
_WORD = re.compile(r"[^\W\d_]{4,}")
_SHORT_YEAR = r"(?:FY|['’/–-])\s?{0:02d}(?!\d)|(?<!\d){0:02d}年"
_SHORT = re.compile(r"(?=(?:[a-z]*[A-Z]){2})[A-Z][A-Za-z]{1,5}")
_SMALL = re.compile(r"\b[a-z]{5,}")
_INITIAL = re.compile(r"\b\w")
_OWNER = re.compile(r"['’]s$")
_BEHIND = re.compile(r"[的是在与和及或有之，、]|\W|$")  # else it is part of a longer name: 台湾总督府
_OPENS = re.compile(r"(?:^|[.?!:;]\s*|[\"“(]\s*)$")


class Name(NamedTuple):
    """What a question names, as it is written, and the forms of which a text may have any, in small letters."""

    written: str
    forms: tuple[str, ...]
    place: bool = False


def missing(snapshot: Snapshot, best: Sequence[Seen], question: Question) -> tuple[str, ...]:
    """Names and years of the question that none of the best hits, nor the first one's document, is of or says."""
    if not best:
        return ()
    plain, here = list[str](), best[0].block.document

    def said(words: Sequence[str]) -> bool:
        if not plain:
            plain.append(text_of(best[0]).casefold())
        return any(_stem(word) in plain[0] for word in words if len(word) > SHORT)

    names = asked_names(question.text, said)
    marks = [mark for mark in marks_in(question.text) if not tokens_of(mark) <= question.spent]
    out = [
        n.written
        for n in names
        if not tokens_of(n.written) <= question.spent and not _is_said(snapshot, n, best, question)
    ]
    if marks:
        texts = ["\n".join((text_of(one), *(part.text for part in one.parts))) for one in best]
        written = _APART.sub("", " ".join((*texts, _called(snapshot, best[0])))).casefold()
        out += [mark for mark in marks if _APART.sub("", mark).casefold() not in written]
    if (
        question.years
        and not any(_says_year(one, question.years) for one in best)
        and not _document(snapshot, best[0])["period"]
        and len({year for one in best if one.block.document == here for year in YEAR.findall(one.text)}) > 1
    ):
        out += map(str, question.years)
    return tuple(dict.fromkeys(out))


def marks_in(text: str) -> list[str]:
    """What a question calls by letters and digits: "CG.B.2", "A-135"; no periods."""
    return [mark for mark in _MARK.findall(text) if not parts_said(mark) and not find_periods(mark)]


def asked_names(text: str, said: Callable[[Sequence[str]], bool] = lambda words: False) -> list[Name]:
    """The names in a question: places, and what is written large where no sentence begins and is not `said`."""
    if HAN.search(text):
        found = [place for place in places_in(text) if _BEHIND.match(text, text.index(place) + len(place))]
        return [Name(place, _places()[place], place=True) for place in found]
    if 2 * sum(map(str.isupper, _INITIAL.findall(text))) > len(text.split()) and not _SMALL.search(text):
        return []  # all is written large
    out = []
    for m in _RUN.finditer(text):
        run = _OWNER.sub("", m.group().rstrip(".-"))
        opens = _OPENS.search(text, 0, m.start()) is not None
        words = run.split()
        place = next((p for p in (run, " ".join(words[1:]) if opens else "") if p.casefold() in _places()), "")
        if place:  # "In Brazil" that begins a sentence
            out.append(Name(place, _places()[place.casefold()], place=True))
            continue
        if (opens and len(words) == 1) or said(words[opens:]):
            continue  # what begins a sentence is written large, whatever it is
        for name in names_in(run if opens else f"in {run}"):
            out.append(Name(name, tuple(map(_stem, own_words(name)))))
    return out


def _is_said(snapshot: Snapshot, name: Name, best: Sequence[Seen], question: Question) -> bool:
    first = best[0]
    if is_abroad(snapshot.corpus, first.pick.row, question.language) and not name.place:
        return True  # it writes names its own way
    if _says(first, name) or _of(snapshot, first, name):
        return True
    others = [one for one in best[1:] if _says(one, name)]
    asked = frozenset(question.words) - question.spent - tokens_of(name.written)
    enough = AS_MUCH * len(asked & tokens_of(text_of(first))) if others else 0
    return any(len(asked & tokens_of(text_of(one))) >= enough for one in others)


def _says(seen: Seen, name: Name) -> bool:
    text = text_of(seen)
    low = text.casefold()
    if any(form in low for form in name.forms):
        return True
    main = name.forms[0]
    if name.place and seen.table is not None:  # by a code: VA, GBR
        return re.search(rf"(?<!\w){main[0].upper()}[{re.escape(main[1:].upper())}]{{1,2}}(?!\w)", text) is not None
    if shortened(name.written, text):
        return True
    near = {word for word in _WORD.findall(low) if word[0] == main[0]}
    return bool(difflib.get_close_matches(main, near, n=1, cutoff=ALIKE))


def is_short(name: str) -> bool:
    """Whether a name is written as what is short for others is: "PwC", "RSUs"."""
    return _SHORT.fullmatch(name.rstrip("s")) is not None


def shortened(name: str, text: str) -> bool:
    """Whether a text writes out what a name is short for: PwC for PricewaterhouseCoopers, RSUs for its words."""
    short = name.rstrip("s")
    if not is_short(name):
        return False
    within = r"[a-z]*".join(short)
    words = r"[\w’'.]*[ -](?:(?:of|and|the|for) |& )?".join(f"[{c.upper()}{c.lower()}]" for c in short)
    return re.search(rf"(?<!\w)(?:{within}[a-z]+(?!\w)|{words}\w)", text) is not None


def _of(snapshot: Snapshot, seen: Seen, name: Name) -> bool:
    """Whether the document of a hit is called so or says the name: but not of a table of other places."""
    called = _called(snapshot, seen)
    if any(form in called for form in name.forms):
        return True
    if name.place and seen.table is not None:
        cells = {CODE.sub("", " ".join(cell.text.split())).casefold() for cell in seen.table.cells}
        if len(cells & _places().keys()) >= OF_PLACES:
            return False
    return any(_in_document(snapshot.corpus, seen.pick.row, form) for form in name.forms)


def _called(snapshot: Snapshot, seen: Seen) -> str:
    """What the document of a hit is called, in small letters."""
    row = _document(snapshot, seen)
    return " ".join(str(row[key] or "") for key in ("title", "company", "source")).casefold()


def _document(snapshot: Snapshot, seen: Seen) -> Mapping[str, Any]:
    return snapshot.store.documents()[seen.block.document]


def _in_document(corpus: Corpus, row: int, form: str) -> bool:
    """Whether the document of a row has all words of a form."""
    own = int(corpus.document[row])
    first, last = corpus.starts[own : own + 2].tolist()
    for token in tokens_of(form):
        number = number_of(corpus.words, token)
        start, end = corpus.words.rows_at[number : number + 2].tolist() if number > 0 else (0, 0)
        held = corpus.words.rows[start:end]  # ascending
        at = int(held.searchsorted(first))
        if at == len(held) or held[at] >= last:
            return False
    return True


def _says_year(seen: Seen, years: Sequence[int]) -> bool:
    if any(str(year) in seen.text for year in years):
        return True
    text = text_of(seen)
    return any(str(y) in text or re.search(_SHORT_YEAR.format(y % 100), text) for y in years)


def _stem(word: str) -> str:
    low = re.sub(r"['’]s$", "", word.casefold()).strip(".'’")
    return low[:-1] if len(low) > 4 and low.endswith("s") else low


@cache
def _places() -> Mapping[str, tuple[str, ...]]:
    """Of each place by each of its names, in small letters, all that a text may have for it: those and adjectives."""
    adjectives: dict[str, list[str]] = {}
    for adjective, country in countries():
        adjectives.setdefault(country, []).append(adjective)
    rows = [line.split("|") for line in read_lines("places.txt")]
    rows += [[country] for country in adjectives.keys() - {row[0] for row in rows}]
    for spellings in (line.split("|") for line in read_lines("place_spellings.txt")):
        known = [row for row in rows if not {*row}.isdisjoint(spellings)] or [[spellings[0]]]
        rows = [row for row in rows if row not in known]
        rows.append(list(dict.fromkeys(name for row in (*known, spellings) for name in row)))
    out: dict[str, tuple[str, ...]] = {}
    for row in rows:
        forms = tuple(
            form.casefold()
            for form in dict.fromkeys((*row, *(a for name in row for a in adjectives.get(name, ()))))
            if len(form) > 2 or HAN.search(form)
        )
        out |= {name.casefold().rstrip("."): forms for name in row}
    return out
