"""The arithmetic of the recall benchmark: where the evidence came in a ranking, and figures over many questions."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from h3cold.recall.questions import Case
from h3cold.schemas.hit import STEP, HitRecord

DEPTHS = (1, 5, 10)
DRAWS = 1000
"""Bootstrap samples of an interval."""

Figures = dict[str, float]
_ROW = re.compile(r"row “([^”]*)”")


class Came(NamedTuple):
    """One result of a ranking: path, 1-based pages, kind and text of the block ("" where a ranking is of pages).

    `row` is the label of the row that is said to answer.
    """

    source: str
    pages: tuple[int, ...]
    kind: str = ""
    text: str = ""
    row: str = ""


class Found(NamedTuple):
    """0-based ranks of the first result on an evidence page, in the right document, and of the right structure.

    `near` is that of the page give or take one, `exact` that of the very page, `row` that of the structure with its row
    right. None where there was no such result.
    """

    page: int | None
    document: int | None
    held: int | None
    near: int | None
    row: int | None = None
    exact: int | None = None


def came(hit: HitRecord) -> Came:
    """A hit as the measures see it; the row that answers stands in its reason."""
    row = _ROW.search(hit.reason)
    return Came(hit.source, hit.pages, hit.kind, hit.text, row[1] if row else "")


def where(case: Case, ranking: Sequence[Came]) -> Found:
    """Ranks of page, document, structure and page give or take one."""
    page = document = held = near = row = exact = None
    kind, _, words = case.holds.partition(":")
    for i, came in enumerate(ranking):
        if not (came.source == case.source or came.source.endswith(f"/{case.source}")):
            continue
        document = i if document is None else document
        away = min(abs(p - q) for p in came.pages for q in case.pages)
        near = i if near is None and away <= 1 else near
        exact = i if exact is None and away == 0 else exact
        if away > case.slack:
            continue
        page = i if page is None else page
        if held is None and came.kind == kind and words.casefold() in came.text.casefold():
            held = i
        if row is None and held == i and case.row and _own(came.row).startswith(case.row.casefold()):
            row = i
    return Found(page, document, held, near, row, exact)


def summary(cases: Sequence[Case], found: Sequence[Found]) -> Figures:
    """Recall by depth, document@1, reciprocal rank, nDCG, each group's recall@5 and document@1.

    Groups are the words of `kind` joined by "+". "± " gives the 95 percent interval of a mean by the bootstrap
    (Efron, 1979). Of questions whose page is only roughly known the very page counts, too. nDCG@10 with one relevant
    result is 1 / log2(1 + rank) (Järvelin and Kekäläinen, 2002).
    """
    out: Figures = {"questions": len(cases)}
    if not cases:
        return out
    for depth in DEPTHS:
        out[f"page recall@{depth}"] = _share([_within(f.page, depth) for f in found])
    out["page recall@5 ±"] = interval([_within(f.page, 5) for f in found])
    out["document@1"] = _share([_within(f.document, 1) for f in found])
    out["document@1 ±"] = interval([_within(f.document, 1) for f in found])
    out["mrr"] = _share([0.0 if f.page is None else 1 / (f.page + 1) for f in found])
    out["ndcg@10"] = _share([1 / math.log2(f.page + 2) if f.page is not None and f.page < 10 else 0.0 for f in found])
    if any(c.slack != 1 for c in cases):
        out["page ±1 recall@5"] = _share([_within(f.near, 5) for f in found])
    rough = [f for c, f in zip(cases, found, strict=True) if c.slack]
    if rough:
        for depth in DEPTHS:
            for name, ranks in (("exact page", [f.exact for f in rough]), ("page ±1", [f.near for f in rough])):
                out[f"{name} recall@{depth} of rough labels ({len(rough)})"] = _share(
                    [_within(r, depth) for r in ranks]
                )
    asked = [f for c, f in zip(cases, found, strict=True) if c.holds]
    if asked:
        out[f"right structure@1 ({len(asked)})"] = _share([_within(f.held, 1) for f in asked])
        out[f"right structure@5 ({len(asked)})"] = _share([_within(f.held, 5) for f in asked])
    rows = [f for c, f in zip(cases, found, strict=True) if c.row and f.held == 0]
    if rows:
        out[f"right row in it ({len(rows)})"] = _share([_within(f.row, 1) for f in rows])
    for group, members in sorted(_groups(cases, found).items()):
        name = f"{group} ({len(members)})"
        out[f"page recall@5 {name}"] = _share([_within(f.page, 5) for _, f in members])
        out[f"document@1 {name}"] = _share([_within(f.document, 1) for _, f in members])
        if all(c.holds for c, _ in members):
            out[f"right structure@1 {name}"] = _share([_within(f.held, 1) for _, f in members])
    return {k: round(v, 4) for k, v in out.items()}


def _groups(cases: Sequence[Case], found: Sequence[Found]) -> dict[str, list[tuple[Case, Found]]]:
    """Members by each word of `kind`, and by the whole of it; none where all questions are of one kind."""
    out: defaultdict[str, list[tuple[Case, Found]]] = defaultdict(list)
    for case, f in zip(cases, found, strict=True):
        for group in {*case.kind.split("+"), case.kind}:
            if group:
                out[group].append((case, f))
    return {group: members for group, members in out.items() if len(members) < len(cases)}


def _within(rank: int | None, depth: int) -> float:
    return float(rank is not None and rank < depth)


def _share(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def interval(values: Sequence[float]) -> float:
    """Half the width of the 95 percent bootstrap interval of a mean (seed fixed)."""
    dice = np.random.default_rng(0)
    drawn = np.asarray(values)[dice.integers(0, len(values), (DRAWS, len(values)))].mean(axis=1)
    low, high = np.quantile(drawn, (0.025, 0.975))
    return float(high - low) / 2


def _own(row: str) -> str:
    """The own label of a row, small, without the headings that it is told under."""
    return row.rpartition(STEP)[2].casefold()
