"""How far the row labels of tables say what is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from h3cold.recall.filters import KINDS
from h3cold.recall.table_rows import SUMS
from h3cold.recall.words import Floats, Texts, read_labels

if TYPE_CHECKING:
    from h3cold.recall.rank import Pool
    from h3cold.recall.search import Asked, Snapshot
    from h3cold.recall.understand import Question, Unit

LABEL_FLOOR = 0.3
"""Agreement below which row labels say nothing: any table has a "Total" or an "Other"."""

LABELLED = 48
"""Best tables whose row labels are read."""

UNITS = frozenset(
    "元|万元|千元|百万元|亿元|股|万股|次|倍|天|人|人民|人民币|民币|币元|percent|thousand|million|usd|rmb".split("|")  # noqa: SIM905
)
"""Search tokens of units, which stand in a row's label beside what it says: "营业收入（元）"."""


def labels_say(
    snapshot: Snapshot, asked: Asked, pool: Pool, texts: Texts, rarity: Mapping[str, float], scores: Floats
) -> Floats:
    """How far the row labels of the best tables say what the question asks for, 0 for all other candidates."""
    out = np.zeros(len(scores), np.float32)
    tables = snapshot.corpus.kind[pool.rows] == KINDS.index("table")
    order = np.argsort(-scores, kind="stable")
    best = order[tables[order]][:LABELLED]
    sought = sought_in_labels(rarity, asked.question)
    every = read_labels(snapshot.corpus.words, pool.rows[best], {*texts.place, *UNITS})
    heads = texts.heads[best][:, [texts.place[word] for word in sought.wanted]].tolist()

    @cache
    def agreement(labels: tuple[frozenset[str], ...], above: tuple[bool, ...]) -> float:  # of many tables the same
        return label_agreement(labels, sought, frozenset(compress(sought.wanted, above)))

    for i, labels, above in zip(best.tolist(), every, heads, strict=True):
        if labels:
            out[i] = max(0.0, agreement(tuple(labels), tuple(above)) - LABEL_FLOOR) / (1 - LABEL_FLOOR)
    return out


class Sought(NamedTuple):
    """What row labels may say: `wanted` words with their rarity, the words of each other form of a concept in `said`,
    and all words that count in `asked`; `whole` is the rarity of all that is wanted."""

    wanted: Mapping[str, float]
    said: Mapping[frozenset[str], frozenset[str]]
    asked: frozenset[str]
    whole: float


def sought_in_labels(rarity: Mapping[str, float], question: Question) -> Sought:
    """The question's words, years aside, and those of its concepts' other forms."""
    years = {str(y) for y in question.years}
    wanted = {w: r for w, r in rarity.items() if w not in years}
    said = _said(question.units)
    return Sought(wanted, said, frozenset(wanted).union(*said), sum(wanted.values()))


def label_agreement(labels: Sequence[frozenset[str]], sought: Sought, headed: frozenset[str] = frozenset()) -> float:
    """Share of the wanted words that stand in row labels made of words asked about only (or of synonyms).

    Where a label does, words that only stand in the table's headings or caption (`headed`) count half: "Investing &
    Lending" heads a small table of its revenues, and is a row among others of a large one.

    "Debt" and "Total assets" are two rows that answer for the debt-to-total-assets ratio; "Debt securities" is not.
    "Total equities" is no total of "Equity securities": a word for a sum counts where no other label says more of what.
    """
    met = {label for whole in labels if (label := whole - UNITS or whole) and label <= sought.asked}
    there: set[str] = set().union(*met)
    if not SUMS.isdisjoint(there):
        told = [label for label in met if not label.isdisjoint(SUMS) and not _more(label - SUMS, met)]
        there -= SUMS.difference(*told)
    for label in met:
        there |= sought.said.get(label, frozenset())
    said = above = 0.0
    for word, rarity in sought.wanted.items():
        if word in there:
            said += rarity
        elif word in headed and word not in SUMS:
            above += rarity
    return (said + above / 2) / sought.whole if said else 0.0


def _more(what: frozenset[str], labels: Iterable[frozenset[str]]) -> bool:
    """Whether one of the labels says `what`, if that is anything, and more."""
    return bool(what) and any(what < label - SUMS for label in labels)


def _said(units: tuple[Unit, ...]) -> dict[frozenset[str], frozenset[str]]:
    """The words that each other form of a concept says."""
    out: dict[frozenset[str], frozenset[str]] = {}
    for unit in units:
        for form in unit.forms:
            out[form] = out.get(form, frozenset()) | unit.words
    return out
