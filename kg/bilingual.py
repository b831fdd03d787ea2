"""The project's own bilingual set: 66 documents with known nodes, edges and questions over several of them.

The texts were written before the rules were tried on them, in varied wording, hard cases first: short names, acronyms,
namesakes, traditional characters, pairs of languages, tables, penalties, shares, denials, plans and hypotheses.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from importlib import resources
from typing import NamedTuple

import numpy as np

from h3cold.kg.extract import Extraction, extract
from h3cold.kg.facts import facts_of, passages
from h3cold.kg.linking import link, same_as
from h3cold.kg.names import fold
from h3cold.kg.query import find_entities, index_entities, unnamed
from h3cold.schemas.block import Block, block_id
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.geometry import PageBox
from h3cold.schemas.page import Cell, Table

FILES = ("bilingual_en.txt", "bilingual_zh.txt")
_MARK = re.compile(r"\[(\w+):([^\[\]]+)\]")
_JUDGED = ("PERSON", "ORG", "AGENCY")
"""Types of which each mention is annotated; a mention of ours that is not is an error."""


class Place(NamedTuple):
    """A marked mention: characters `start:end` of block `block` (number) name the node."""

    block: int
    start: int
    end: int
    node: str


class Fact(NamedTuple):
    """An edge that a document states; one that is not `asked` may be found or not."""

    head: str
    type: str
    tail: str
    value: str
    period: str
    asked: bool


class Trial(NamedTuple):
    """One document: its blocks, and what is true of it."""

    name: str
    company: str
    blocks: tuple[Block, ...]
    places: tuple[Place, ...]
    facts: tuple[Fact, ...]


class Question(NamedTuple):
    """A question that the documents of these names answer together."""

    text: str
    names: tuple[str, ...]


def load(files: Sequence[str] = FILES) -> tuple[list[Trial], list[Question]]:
    """The documents and questions of the set, in order."""
    trials, questions = [], []
    for file in files:
        text = resources.files("h3cold.kg").joinpath("trials", file).read_text(encoding="utf-8")
        lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
        starts = [i for i, line in enumerate(lines) if line.startswith("= ")]
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            trials.append(_trial([line for line in lines[start:end] if not line.startswith("? ")]))
        for line in lines:
            if line.startswith("? "):
                asked, names = line[2:].rsplit("|", 1)
                questions.append(Question(asked.strip(), tuple(names.split())))
    return trials, questions


def _trial(lines: Sequence[str]) -> Trial:
    name, company = (part.strip() for part in lines[0][2:].split("|"))
    document = (name * 32)[:32]
    language = "zh" if name.startswith("z") else "en"
    facts = tuple(_fact(line) for line in lines if line.startswith(("->", "~>")))
    rows = [line for line in lines[1:] if line.startswith("|")]
    prose = [line for line in lines[1:] if not line.startswith(("|", "->", "~>"))]
    blocks: list[Block] = []
    places: list[Place] = []
    for kind, source in (("passage", "\n".join(prose)), ("table", "\n".join(rows))):
        if source:
            text, marks = _unmarked(source if kind == "passage" else "\n".join(r.strip("| ") for r in rows))
            places += [Place(len(blocks), *mark) for mark in marks]
            box = PageBox(1, (0.0, 0.0, 1.0, 1.0), 0, len(text))
            table = _table(text) if kind == "table" else None
            id = block_id(document, len(blocks))
            blocks.append(Block(id, document, len(blocks), kind, text, (), (box,), language, table=table))  # type: ignore[arg-type]
    return Trial(name, company, tuple(blocks), tuple(places), facts)


def _unmarked(source: str) -> tuple[str, list[tuple[int, int, str]]]:
    text, marks, at = "", [], 0
    for match in _MARK.finditer(source):
        text += source[at : match.start()]
        marks.append((len(text), len(text) + len(match.group(2)), match.group(1)))
        text, at = text + match.group(2), match.end()
    return text + source[at:], marks


def _table(text: str) -> Table:
    rows = [line.split(" | ") for line in text.split("\n")]
    cells = tuple(
        Cell(r, c, cell, (float(c), float(r), c + 1.0, r + 1.0), header=r == 0)
        for r, row in enumerate(rows)
        for c, cell in enumerate(row)
    )
    return Table(len(rows), len(rows[0]), cells)


def _fact(line: str) -> Fact:
    stated, *more = (part.strip() for part in line[2:].split("|"))
    head, type, tail = stated.split()
    value, period = [*more, "", ""][:2]
    return Fact(head, type, tail, value, period, line.startswith("->"))


def read(trials: Iterable[Trial]) -> list[Extraction]:
    """What we find in each document."""
    return [
        extract(t.blocks, info=DocumentInfo(company=t.company, language=t.blocks[0].language or "en")) for t in trials
    ]


class Judged(NamedTuple):
    """Figures, and the errors in words for those who mend rules."""

    figures: dict[str, float]
    errors: list[str]


def judge(trials: Sequence[Trial], found: Sequence[Extraction]) -> Judged:
    """Node B-cubed (Bagga and Baldwin 1998) over mentions and F1 of edges.

    A marked mention that we miss has recall 0, one of ours (person, organisation, agency) that is not marked precision
    0. An edge counts once a document; `values` is the share of true edges found whose amount, share, office and period
    are those of the text, where it gives one.
    """
    merged = same_as([m for f in found for m in f.mentions], [r for f in found for r in f.relations])
    errors: list[str] = []
    pairs, gold, ours = _aligned(trials, found, merged, errors)
    both = Counter(pairs)
    of_gold, of_ours = Counter(g for g, _ in pairs), Counter(o for _, o in pairs)
    precision = sum(both[p] / of_ours[p[1]] for p in pairs) / max(1, ours)
    recall = sum(both[p] / _count(gold, p[0]) for p in pairs) / max(1, sum(gold.values()))
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for node, id in pairs:
        votes[id][node] += 1
    meaning = {id: min(c, key=lambda n: (-c[n], n)) for id, c in votes.items()}
    for node in sorted(of_gold):
        ids = {o for g, o in pairs if g == node}
        if len(ids) > 1:
            errors.append(f"node {node} is {len(ids)} nodes")
    for c in votes.values():
        if len(c) > 1:
            errors.append(f"one node for {dict(c)}")
    right = wrong = missed = stated = met = 0
    for trial, result in zip(trials, found, strict=True):
        facts = {(f.head, f.type, f.tail): f for f in trial.facts}
        mine: dict[tuple[str, str, str], tuple[str, str]] = {}
        for r in sorted(result.relations, key=lambda r: r.confidence):
            if r.type == "measure_of":
                continue
            head, tail = (meaning.get(merged.get(e, e), "?" + e[:4]) for e in (r.head, r.tail))
            mine[head, r.type, tail] = (r.value, r.period)
        for edge, (value, period) in mine.items():
            if edge not in facts:
                wrong += 1
                errors.append(f"{trial.name}: wrong {' '.join(edge)} ({value}, {period})")
            elif facts[edge].asked:
                right += 1
                for want, got in ((facts[edge].value, value), (facts[edge].period, period)):
                    stated, met = stated + bool(want), met + (bool(want) and fold(want) == fold(got))
                    if want and fold(want) != fold(got):
                        errors.append(f"{trial.name}: {' '.join(edge)} has {got!r}, not {want!r}")
        for edge, fact in facts.items():
            if fact.asked and edge not in mine:
                missed += 1
                errors.append(f"{trial.name}: missed {' '.join(edge)}")
    return Judged(
        {
            "bcubed_precision": round(precision, 4),
            "bcubed_recall": round(recall, 4),
            "bcubed_f1": round(_f1(precision, recall), 4),
            "relation_precision": round(right / max(1, right + wrong), 4),
            "relation_recall": round(right / max(1, right + missed), 4),
            "relation_f1": round(2 * right / max(1, 2 * right + wrong + missed), 4),
            "values": round(met / max(1, stated), 4),
        },
        errors,
    )


def _count(gold: Counter[str], node: str) -> int:
    return gold[node]


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _aligned(
    trials: Sequence[Trial], found: Sequence[Extraction], merged: dict[str, str], errors: list[str]
) -> tuple[list[tuple[str, str]], Counter[str], int]:
    """(true node, our node) of each mention that both have, true mentions by node, number of mentions of ours."""
    pairs: list[tuple[str, str]] = []
    gold: Counter[str] = Counter()
    ours = 0
    for trial, result in zip(trials, found, strict=True):
        gold.update(p.node for p in trial.places)
        by_block = {b.id: i for i, b in enumerate(trial.blocks)}
        said = {(by_block[m.block], m.start, m.end): m for m in result.mentions if m.end > m.start}
        used = set()
        for place in trial.places:
            best = max(said, key=lambda s: (_overlap(s, place), s), default=None)
            if best is None or _overlap(best, place) < 0.5:
                errors.append(f"{trial.name}: no mention {trial.blocks[place.block].text[place.start : place.end]!r}")
                continue
            used.add(best)
            id = said[best].entity
            pairs.append((place.node, merged.get(id, id)))
        for key, mention in said.items():
            if key not in used and mention.type in _JUDGED:
                ours += 1
                errors.append(f"{trial.name}: {mention.type} {mention.text!r} is none")
    return pairs, gold, ours + len(pairs)


def _overlap(span: tuple[int, int, int], place: Place) -> float:
    if span[0] != place.block:
        return 0.0
    common = min(span[2], place.end) - max(span[1], place.start)
    return max(0, common) / (max(span[2], place.end) - min(span[1], place.start))


def multihop(
    trials: Sequence[Trial], found: Sequence[Extraction], questions: Sequence[Question], *, top: int = 5
) -> tuple[dict[str, float], list[str]]:
    """Share of the documents that answer a question together that are among the `top` first of the graph's walk."""
    mentions = [m for f in found for m in f.mentions]
    relations = [r for f in found for r in f.relations]
    entities, merged = link(mentions, relations), same_as(mentions, relations)
    names = index_entities(entities)
    nodes = [e.id for e in entities]
    place = {id: i for i, id in enumerate(nodes)}
    documents = sorted({r.document for r in relations})
    heads, tails = (np.array([place[merged.get(e, e)] for e in ends], np.int64)
                    for ends in ([r.head for r in relations], [r.tail for r in relations]))  # fmt: skip
    facts = facts_of(
        nodes, heads, tails, np.array([documents.index(r.document) for r in relations], np.int64),
        types=[r.type for r in relations], confidence=[r.confidence for r in relations],
        values=[r.value for r in relations], periods=[r.period for r in relations],
    )  # fmt: skip
    called = dict(names_of(trials))
    shares, errors = [], []
    for question in questions:
        named = dict.fromkeys(find_entities(names, question.text), 1.0)
        reached = passages(facts, named, unnamed(names, question.text))
        first = [called[documents[w.block]] for w in reached[:top]]
        shares.append(len(set(first) & set(question.names)) / len(question.names))
        if shares[-1] < 1:
            errors.append(f"{question.text} needs {question.names}, has {first}")
    return {f"multihop_recall@{top}": round(sum(shares) / max(1, len(shares)), 4), "questions": len(shares)}, errors


def names_of(trials: Iterable[Trial]) -> Iterator[tuple[str, str]]:
    """(document id, name of the document in the set)."""
    for trial in trials:
        yield trial.blocks[0].document, trial.name
