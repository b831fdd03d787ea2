"""Which row of a table a question asks for: rows under their headings, weighed by what their labels say of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from h3cold.recall.cells import DIGITS, Sort, sort_of
from h3cold.recall.glossary import Concept, concepts
from h3cold.recall.label_text import BRACKETS, capitals_in, label_texts, shorter_form
from h3cold.recall.understand import HAN, Question, order_of, tokens_of
from h3cold.recall.wishes import speaks_of_change
from h3cold.schemas.page import Cell, Table

COVER = 0.5
"""Share of a row label's words that the question must hold for the row to count as its answer."""

LIGHT = 0.1
"""What a label's word for a sum, or "net", weighs beside others: it tells little of what."""

PART = 0.25
"""What one word of a term counts without the others: "Inventories, net" says nothing of net income."""

SCATTERED = 0.8
"""What the words of a term count that are all there, but not as they were asked for."""

SAID_ABOVE = 0.35
"""What a word counts in a label that caption or head say of all rows: in a table of net sales, "cheese" tells."""

TERM = 0.9
"""What a term of the glossary counts as a whole where the question has other words: "net sales of cheese"."""

AIDE = 0.1
"""What a word counts that only tells where to look."""

CHANGES = 0.6
"""What a row under a heading of changes counts where none is asked for: inventories among increases and decreases."""

EMPTY = 0.3
"""What a row without anything in it counts: a heading among the rows."""

SUMS = frozenset({"total", "ttl", "subtot", "合计", "总计", "共计", "总额", "小计"})
"""Tokens of a row's label that tell a sum, and nothing of what."""

_NET_CASH = re.compile(r"net cash\b|.*现金流量净额$", re.IGNORECASE)
"""Begins the row that sums up a part of a statement of cash flows, under whatever heading the last of its items are."""

_LETTER = re.compile(r"\s*[a-z]\s*")
"""Numbers a row, by which other columns refer to it: its label stands beside."""

_FAINT = SUMS | {"net", "其中"}


class Row(NamedTuple):
    """A row under a table's head: its `number` in the grid, its label and that label's column, the heading above it.

    `empty`: nothing stands beside the label; `paired`: it is one of several labels in its row, each with its value.
    """

    number: int
    label: str
    col: int
    group: str
    empty: bool
    paired: bool = False


class Named(NamedTuple):
    """A row that a question names, how well (more is better), and what each of the question's words counts."""

    row: Row
    score: float
    words: Mapping[str, float]

    def share(self, idle: frozenset[str]) -> float:
        """The score as a share of what all words of the question count but the `idle` ones, 0..1."""
        whole = sum(weight for word, weight in self.words.items() if weight > AIDE and word not in idle)
        return min(1.0, self.score / whole) if whole else 1.0


def is_sum(label: str) -> bool:
    """Whether a label says that its row sums others up, and not what."""
    return bool(tokens := tokens_of(BRACKETS.sub(" ", label))) and tokens <= SUMS


def tells_sum(label: str) -> bool:
    """Whether a label says that its row sums others up."""
    return not tokens_of(label).isdisjoint(SUMS)


def rows_of(table: Table, grid: Sequence[Sequence[str]], heads: int) -> Iterator[Row]:
    """The rows that have a label, with the heading that they stand under; `grid` is that of the table.

    That is the text of a cell beside several rows, else the last row that is but a label, until a sum closes it or a
    row stands further left.
    """
    beside: dict[int, Cell] = {}
    for cell in [c for c in table.cells if c.rowspan > 1]:
        if cell.row >= heads and sort_of(cell.text) not in ("", "number"):
            for below in range(cell.row, cell.row + cell.rowspan):
                if below not in beside or cell.col < beside[below].col:
                    beside[below] = cell
    lefts: dict[int, float] = {}  # where rows begin, which is asked for below headings only
    group, edge = "", 0.0
    for number in range(heads, len(grid)):
        texts = grid[number]
        sorts = list(map(sort_of, texts))
        if "words" not in sorts:
            continue
        wide, col, filled = beside.get(number), sorts.index("words"), len(sorts) - sorts.count("")
        if wide is not None and col == wide.col and sorts.count("words") > 1:
            col = sorts.index("words", col + 1)
        if _LETTER.fullmatch(texts[col]) and "words" in sorts[col + 1 :]:
            col = sorts.index("words", col + 1)
        if col and wide is None and not any(map(DIGITS.search, texts)):
            continue  # a head among the rows
        label = _plain(texts[col])
        empty = sorts.count("sign") == filled - 1
        if group and (lefts[number] < edge - 2 or _NET_CASH.match(label)):
            group = ""
        over = _plain(wide.text) if wide is not None else group
        pairs = _pairs(sorts) if filled > 3 else []
        yield Row(number, label, col, over, empty, bool(pairs))
        yield from (Row(number, _plain(texts[other]), other, over, False, True) for other in pairs[1:])
        if empty and filled == 1 and wide is None:
            lefts = lefts or _lefts(table)
            group, edge = label, lefts[number]
        elif group and tells_sum(label):
            group = ""


def _lefts(table: Table) -> dict[int, float]:
    """Where each row begins: the left edge of its first cell that holds anything."""
    first: dict[int, Cell] = {}
    for cell in table.cells:
        if (cell.row not in first or cell.col < first[cell.row].col) and sort_of(cell.text):
            first[cell.row] = cell
    return {row: cell.bbox[0] for row, cell in first.items()}


def _pairs(sorts: Sequence[Sort]) -> list[int]:
    """Columns of the labels of a row that is made of labels and numbers in turn; none where it is not."""
    filled = [sort for sort in sorts if sort]
    labels = filled[::2]
    if "number" in labels or len(labels) != filled[1::2].count("number"):
        return []
    return [c for c, sort in enumerate(sorts) if sort][::2]


def named_row(rows: Sequence[Row], question: Question, above: frozenset[str]) -> Named | None:
    """The row whose label the question names best, the first of those; `above` are the tokens of caption and heads."""
    sought = _sought(question, above)
    best: Named | None = None
    for row in rows:
        score = _score(row, sought, 0.0 if best is None else best.score)
        if score > (0.0 if best is None else best.score):
            best = Named(row, score, sought.words)
    return best or _named_shorter(rows, question, sought)


def _named_shorter(rows: Sequence[Row], question: Question, sought: _Sought) -> Named | None:
    """The only row whose label ends with capitals in brackets that the question has as a word: "PLT"."""
    capitals = capitals_in(question.text)
    found = [row for row in rows if capitals and shorter_form(row.label) in capitals]
    weight = sum(sought.words.get(t, 0.0) for row in found for t in tokens_of(shorter_form(row.label)))
    return Named(found[0], weight, sought.words) if len(found) == 1 and weight > AIDE else None


class _Form(NamedTuple):
    """One form of a term: its text where that is Chinese, its tokens as they stand, and as a set."""

    text: str
    order: tuple[str, ...]
    tokens: frozenset[str]


class _Term(NamedTuple):
    """A term of the glossary in a question: which of its words it has, all its forms, and the tokens of all these."""

    own: frozenset[str]
    forms: tuple[_Form, ...]
    tokens: frozenset[str]


class _Sought(NamedTuple):
    """Question words with what each counts, and the question's terms.

    `known` are the words and all tokens of the terms, `faint` those that tell little, `most` is what a label may count.
    """

    words: dict[str, float]
    change: bool
    terms: tuple[_Term, ...]
    known: frozenset[str]
    faint: frozenset[str]
    most: float


def _sought(question: Question, above: frozenset[str]) -> _Sought:
    years = {str(y) for y in question.years}
    own = tuple([w for w in question.words if w not in years])
    words = {w: AIDE if w in question.spent else SAID_ABOVE if w in above else 1.0 for w in own}
    terms, known, held = _terms(question.text, own, question.places)
    weights = [max([words[w] for w in term.own]) for term in terms]
    whole = 1.0 if all(w in held for w, weight in words.items() if weight == 1.0) else TERM
    for term, weight in zip(terms, weights, strict=True):  # the words of a term together count as one
        for w in term.own:
            words[w] = min(words[w], weight * whole / len(term.own))
    most = sum(words.values()) * (1 + 1e-9)
    return _Sought(words, speaks_of_change(question.text), terms, known, _FAINT.difference(own), most)


@lru_cache(maxsize=1 << 8)
def _terms(
    text: str, words: tuple[str, ...], places: tuple[Concept, ...]
) -> tuple[tuple[_Term, ...], frozenset[str], frozenset[str]]:
    """The glossary's terms in a question and, of each, those within it ("basic earnings per share"), and its `places`.

    With them `words`, the question's, with all tokens of the terms, and those of the words that terms have.
    """
    found: dict[str, tuple[str, ...]] = {}
    for concept in concepts(text):
        found.setdefault(concept.found, (concept.found, *concept.others))
        inner = concept.found[1:] if HAN.search(concept.found) else concept.found.partition(" ")[2]
        for part in concepts(inner):
            found.setdefault(part.found, (part.found, *part.others))
    found |= {place.found: (place.found, *place.others) for place in places}
    terms = []
    for said, every in found.items():
        if own := tokens_of(said).intersection(words):
            forms = _forms(every)
            terms.append(_Term(own, forms, own.union(*(form.tokens for form in forms))))
    held = frozenset[str]().union(*(term.own for term in terms))
    return tuple(terms), frozenset(words).union(*(term.tokens for term in terms)), held


@lru_cache(maxsize=1 << 10)
def _forms(said: tuple[str, ...]) -> tuple[_Form, ...]:
    """The forms of a term that have any tokens, made out once: every row is held against them."""
    every = ((text, order_of(text)) for text in said)
    return tuple(_Form(text if HAN.search(text) else "", order, frozenset(order)) for text, order in every if order)


def _score(row: Row, sought: _Sought, least: float) -> float:
    """How well a row is named; 0 is as good as what is no more than `least`."""
    label, bare = label_texts(row.label)
    if tokens_of(label).isdisjoint(sought.known):
        return 0.0
    apart = bool(row.group) and not sought.change and speaks_of_change(row.group)
    counts = (EMPTY if row.empty else 1.0) * (CHANGES if apart else 1.0)
    best = _agreement(label, sought, least / counts - 1e-9)
    if bare != label:
        best = max(best, _agreement(bare, sought, max(best, least / counts - 1e-9)))
    if row.group:
        said = f"{BRACKETS.sub(' ', row.group)} {bare}"
        best = max(best, _agreement(said, sought, max(best, least / counts - 1e-9)))
    return best * counts


def _agreement(label: str, sought: _Sought, least: float) -> float:
    """How much of the question a label says, times the share of the label that does; 0 where that is too little."""
    order, tokens = order_of(label), tokens_of(label)
    if not tokens:
        return 0.0
    faint = tokens & sought.faint
    whole = _weight(tokens, faint)
    share = _weight(tokens & sought.known, faint) / whole  # at most
    if share < COVER - 1e-9 or share * share * sought.most <= least:
        return 0.0
    fit = {t: 1.0 for t in tokens if t in sought.words}
    gained = {t: sought.words[t] for t in fit}
    for own, forms, every in sought.terms:
        if every.isdisjoint(tokens):
            continue
        how, form = _stands(forms, order, tokens, label)
        if how:
            fit |= {t: max(fit.get(t, 0.0), how) if t not in own else how for t in form}
            gained |= {w: sought.words[w] * how for w in own}
        elif len(own) > 1:
            fit |= {t: min(fit[t], PART) for t in own & tokens}
            gained |= {w: sought.words[w] * PART for w in own & tokens}
    share = sum([how * LIGHT if t in faint else how for t, how in fit.items()]) / whole
    return share * share * sum(gained.values()) if share >= COVER else 0.0


def _weight(tokens: frozenset[str], faint: frozenset[str]) -> float:
    """What tokens of a label weigh together, some of which are `faint`."""
    light = len(tokens & faint) if faint else 0
    return len(tokens) - light + LIGHT * light


def _stands(
    forms: Sequence[_Form], order: tuple[str, ...], tokens: frozenset[str], label: str
) -> tuple[float, frozenset[str]]:
    """How the best form of a term stands in a label (1 as it is, `SCATTERED`, 0 not at all), and its tokens."""
    best = (0.0, frozenset[str]())
    for form in [form for form in forms if form.tokens <= tokens]:
        if form.text:
            whole = form.text in _plain(label).casefold()
        else:
            size = len(form.order)
            whole = size == 1 or any(order[i : i + size] == form.order for i in range(len(order) - size + 1))
        if (how := 1.0 if whole else SCATTERED) > best[0] or (how == best[0] and len(form.order) > len(best[1])):
            best = (how, form.tokens)
    return best


def _plain(text: str) -> str:
    return " ".join(text.split())
