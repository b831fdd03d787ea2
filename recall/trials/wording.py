"""The words that reports share, read from the text files beside this one and mixed by company."""

from __future__ import annotations

import random
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from h3cold.recall.trials.companies import Company


class Passage(NamedTuple):
    """A heading and the text below it."""

    heading: str
    text: str


def read_rows(name: str) -> list[list[str]]:
    """The lines of a file beside this one, parted at " | "; lines that start with # are left out."""
    lines = files("h3cold.recall.trials").joinpath(name).read_text(encoding="utf-8").splitlines()
    return [[part.strip() for part in line.split("|")] for line in lines if line and not line.startswith("#")]


@cache
def _read(language: str) -> dict[str, tuple[Passage, ...]]:
    out: dict[str, tuple[Passage, ...]] = {}
    for kind, heading, text in read_rows(f"wording_{language}.txt"):
        out[kind] = (*out.get(kind, ()), Passage(heading, text))
    return out


def passages(company: Company, kind: str, year: int) -> list[Passage]:
    """All passages of a kind ("risk", "policy", "plain"); a risk goes on with sentences that this company picks.

    The order is the company's own, and a company changes its pick in one year out of four: as reports do.
    """
    known = _read("zh" if company.chinese else "en")
    out = list(known[kind])
    gap = "" if company.chinese else " "
    if kind == "risk":
        random.Random(company.key).shuffle(out)
        more = [p.text for p in known["more"]]
        dice = random.Random(f"{company.key}:{year // 4}")
        out = [Passage(p.heading, gap.join([p.text, *dice.sample(more, 4)])) for p in out]
    named = {"name": company.asked[0], "trade": company.trade}
    return [Passage(p.heading, p.text.format(**named)) for p in out]
