"""Names that a question spells a little wrong: "Lifewey" read as Lifeway, 东北电汽 as 东北电气."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from h3cold.recall.bilingual import bare, well_known
from h3cold.recall.catalog import Catalog, kinds

SHORT, LONG = 5, 8
"""Letters from which one slip is a slip, and from which two are."""

HAN_NAME = 4
"""Characters of a Chinese name from which one may be wrong."""

_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]{2,}")
_RUN = re.compile("[\u3400-\u9fff]{2,}")


class Read(NamedTuple):
    """A name as the question `said` it, and the one that it was `taken` for."""

    said: str
    taken: str


def read_names(text: str, catalog: Catalog, known: Callable[[str], bool]) -> tuple[str, tuple[Read, ...]]:
    """The question with the names of documents' companies spelt as they are, and what was changed.

    Only of a word that no text says, as `known` tells of its search token, and that is no well-known company's name.
    """
    reads = dict.fromkeys((*_latin(text, catalog, known), *_han(text, catalog, known)))
    for read in reads:
        text = text.replace(read.said, read.taken)
    return text, tuple(reads)


def _latin(text: str, catalog: Catalog, known: Callable[[str], bool]) -> Iterator[Read]:
    from h3cold.ingest.tokens import lexical

    spoken = list(_WORD.finditer(text))
    for m in spoken:
        stems = lexical(m.group()) if len(m.group()) >= SHORT else []
        if len(stems) != 1 or known(stems[0]) or _famous(m.group()):
            continue
        allowed = 2 if len(stems[0]) >= LONG else 1
        near = [name for name in _stems(catalog) if within(stems[0], name, allowed)]
        if near and (taken := _printed(catalog, min(near, key=lambda name: (not within(stems[0], name, 1), name)))):
            yield Read(m.group(), taken)
    for one, other in pairwise(spoken):  # "Life way"
        said = text[one.start() : other.end()]
        joined = lexical(one.group() + other.group()) if said == f"{one.group()} {other.group()}" else []
        if len(joined) == 1 and joined[0] in catalog.fields[0] and (taken := _printed(catalog, joined[0])):
            yield Read(said, taken)


def _stems(catalog: Catalog) -> list[str]:
    """Search tokens of the companies' names and of their other names, but for those of what kind they are."""
    others = {token for tokens, _, _ in catalog.others for token in tokens}
    own = {*catalog.fields[0], *others} - kinds()
    return [token for token in own if len(token) >= SHORT - 1 and token.isascii()]


def _printed(catalog: Catalog, stem: str) -> str:
    """The word of a name that has this search token."""
    from h3cold.ingest.tokens import lexical

    names = [catalog.printed[i][0] for i, _ in catalog.fields[0].get(stem, ())[:1]]
    names += [printed for tokens, _, printed in catalog.others if stem in tokens]
    found = (word for name in names for word in _WORD.findall(name) if stem in lexical(word))
    return next(found, "")


def _famous(word: str) -> bool:
    low = word.casefold()
    return any(low == form.casefold() for forms in well_known().values() for form in forms)


def _han(text: str, catalog: Catalog, known: Callable[[str], bool]) -> Iterator[Read]:
    runs = [m.group() for m in _RUN.finditer(text)]
    if not any(len(run) >= HAN_NAME for run in runs):
        return
    pairs = {a + b for run in runs for a, b in pairwise(run)}
    unsaid = {pair for pair in pairs if not known(pair)}
    if not unsaid:
        return
    # What is a name but for one of four characters has two neighbours of it, and those are search tokens of the name.
    near = {i for pair in pairs for i, _ in catalog.fields[0].get(pair, ())}
    names = {bare(run) for i in near for run in _RUN.findall(catalog.printed[i][0])}
    for name in sorted(names, key=lambda name: (-len(name), name)):
        if any(name[:HAN_NAME] in run for run in runs):
            continue
        for length in range(len(name), HAN_NAME - 1, -1):
            start = name[:length]
            said = next((s for run in runs if (s := _one_off(run, start)) and _doubted(s, start, unsaid)), "")
            if said:
                yield Read(said, start)
                break


def _one_off(run: str, name: str) -> str:
    """The part of a run that is a name but for one character, "" where there is none."""
    parts = (run[i : i + len(name)] for i in range(len(run) - len(name) + 1))
    return next((part for part in parts if sum(a != b for a, b in zip(part, name, strict=True)) == 1), "")


def _doubted(said: str, name: str, unsaid: set[str]) -> bool:
    """Whether no text says the character that differs beside its neighbours."""
    at = next(i for i, (a, b) in enumerate(zip(said, name, strict=True)) if a != b)
    return all(pair in unsaid for pair in (said[max(at - 1, 0) : at + 1], said[at : at + 2]) if len(pair) == 2)


def within(one: str, other: str, slips: int) -> bool:
    """Whether two words that begin alike differ by at most 1 or 2 letters left out, added, changed or swapped."""
    if one[:1] != other[:1] or abs(len(one) - len(other)) > slips:
        return False
    before, row = list[int](), list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            least = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                least = min(least, older[j - 2] + 1)
            row.append(least)
    return row[-1] <= slips
