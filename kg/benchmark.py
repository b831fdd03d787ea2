"""Measures the graph: the project's own set, names (CoNLL files), English edges (Re-DocRED), Chinese edges (FinRE)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from h3cold.kg.benchmark_edges import Tally, block, finre, natural, redocred
from h3cold.kg.bilingual import judge, load, multihop
from h3cold.kg.bilingual import read as read_trials
from h3cold.kg.extract import read
from h3cold.schemas.errors import UsageError

SETS = ("wikigold", "fin5", "redocred", "finre", "bilingual")
_FILES = {
    "wikigold": "en_ner/data/wikigold/CONLL-format/data/wikigold.conll.txt",
    "fin5": "en_ner/data/SEC-filings/CONLL-format/data/train/FIN5.txt",
    "redocred": "redocred/data/dev_revised.json",
    "finre": "finre_sanwen/data/FinRE/valid.txt",
}
_ROLES = frozenset({"borrower", "borrowers", "lender", "lenders"})
"""Words that FIN5 labels as persons; they are left out of both sides."""
_CONLL = {"PERSON": "PER", "ORG": "ORG", "AGENCY": "ORG", "PLACE": "LOC"}


def run(data: Path, sets: Sequence[str] | None = None) -> dict[str, dict[str, float]]:
    """Figures of each set.

    Args:
        data: folder that holds the sets' folders.
        sets: some of `SETS`; all where None.
    Raises:
        UsageError: a set is not known, or its file is not there.
    """
    out: dict[str, dict[str, float]] = {}
    for name in sets or SETS:
        if name == "bilingual":
            out[name] = bilingual()
            continue
        if name not in _FILES:
            raise UsageError(f"no graph benchmark is called {name!r}; the known ones: {', '.join(SETS)}")
        path = data / _FILES[name]
        if not path.is_file():
            raise UsageError(f"{path}: no such file; give the folder of the benchmark sets")
        if name == "redocred":
            out[name] = redocred(path)
        elif name == "finre":
            out[name] = finre(path)
        else:
            out[name] = named_entities(path)
    return out


def bilingual() -> dict[str, float]:
    """Figures of the project's own set, which needs no folder."""
    trials, questions = load()
    found = read_trials(trials)
    return judge(trials, found).figures | multihop(trials, found, questions)[0]


def named_entities(path: Path, part: slice = slice(None)) -> dict[str, float]:
    """Strict span F1 over persons, organisations and places, and tokens a second."""
    right = wrong = missed = tokens = 0
    seconds = time.perf_counter()
    for sentences in list(_conll(path))[part]:
        texts = [natural(s) for s in sentences]
        tokens += sum(len(s) for s in sentences)
        readings, aliases = read([block(t, i, "0" * 32) for i, (t, _) in enumerate(texts)])
        # "the Company" speaks of a company, but its role is no name; a short form of the name itself is.
        roles = _ROLES | {a.short.casefold() for a in aliases if not a.same}
        for reading, (text, gold) in zip(readings, texts, strict=True):
            mine = {(s.start, s.end, _CONLL[s.type]) for s in reading.spans if s.type in _CONLL}
            mine, theirs = ({x for x in one if text[x[0] : x[1]].lower() not in roles} for one in (mine, gold))
            right, wrong, missed = right + len(mine & theirs), wrong + len(mine - theirs), missed + len(theirs - mine)
    seconds = time.perf_counter() - seconds
    return Tally(right, wrong, missed).figures() | {"tokens_per_second": round(tokens / seconds, 1)}


def _conll(path: Path) -> Iterator[list[list[tuple[str, str]]]]:
    """Documents as lists of sentences as lists of (token, label)."""
    document: list[list[tuple[str, str]]] = []
    sentence: list[tuple[str, str]] = []
    for line in [*path.read_text(encoding="utf-8").splitlines(), "", "-DOCSTART-"]:
        parts = line.split()
        if parts and parts[0] != "-DOCSTART-":
            sentence.append((parts[0], parts[-1]))
            continue
        if sentence:
            document.append(sentence)
            sentence = []
        if parts and document:
            yield document
            document = []
