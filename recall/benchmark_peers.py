"""`h3-benchmark recall-peers`: recall beside what a user would take instead; same PDFs, questions and run."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from h3cold.recall.baseline import PageText, read_pages
from h3cold.recall.benchmark import labelled, measure
from h3cold.recall.measures import Figures, summary, where
from h3cold.recall.peers import PEERS
from h3cold.recall.questions import Case
from h3cold.schemas.errors import UsageError

SETS = ("uda_fin", "uda_tat", "uda_feta", "cmrc")
KEPT = ("questions", "page recall@1", "page recall@5", "page ±1 recall@5", "page recall@10", "document@1", "mrr")


def run(data: Path, sets: Sequence[str] | None = None) -> dict[str, Figures]:
    """Figures by program, ours first, each figure with its set's name before it; an absent one says so.

    Those of a program are said on standard error as soon as it ends.

    Stores are kept under the folder that H3_BENCH_WORK names, else built for this run. H3_BENCH_STEP=5 asks every fifth
    question only.

    Raises:
        UsageError: an unknown set, or data that is not there.
    """
    unknown = set(sets or ()) - set(SETS)
    if unknown:
        raise UsageError(f"unknown set {sorted(unknown)[0]!r}; known: {', '.join(SETS)}")
    wished = os.environ.get("H3_BENCH_STEP", "1")
    if not wished.isdecimal() or not int(wished):
        raise UsageError(f"H3_BENCH_STEP is {wished!r}; give a whole number, such as 5")
    step = int(wished)
    from h3cold.ingest.embed import open_embedder
    from h3cold.recall.cold_tier import ColdTier

    out: dict[str, Figures] = {"h3cold": {}, **{name: {"absent": 1.0} if p.absent else {} for name, p in PEERS.items()}}
    embedder = open_embedder("e5-small")
    with tempfile.TemporaryDirectory(prefix="h3-bench-") as scratch:
        work = Path(os.environ.get("H3_BENCH_WORK") or scratch)
        by_folder: dict[Path, dict[str, list[Case]]] = {}
        for name in sets or SETS:
            folder, store, read = labelled(name, data, work)
            with ColdTier.open(store) as tier:
                cases = read(_pages_of(folder))[::step]
                out["h3cold"] |= _told("h3cold", _named(name, measure(tier, cases)))
            by_folder.setdefault(folder, {})[name] = cases
        for folder, asked in by_folder.items():
            pages = _pages_of(folder)
            every = [case for cases in asked.values() for case in cases]
            for peer, program in ((n, p) for n, p in PEERS.items() if not p.absent):
                began = time.process_time()
                rankings = iter(program.rank(folder, pages, [c.query for c in every], embedder))
                figures: Figures = {}
                for name, cases in asked.items():
                    found = [where(case, next(rankings)) for case in cases]
                    figures |= _named(name, summary(cases, found))
                figures[f"{'+'.join(asked)}: processor seconds"] = round(time.process_time() - began, 1)
                out[peer] |= _told(peer, figures)
    return out


def _told(program: str, figures: Figures) -> Figures:
    """Says on standard error what a program reached, as it ends: the next may take an hour."""
    said = ", ".join(f"{key} {value:.4g}" for key, value in figures.items())
    print(f"{program}: {said}", file=sys.stderr, flush=True)
    return figures


@cache
def _pages_of(folder: Path) -> list[PageText]:
    """Plain text of all pages of the folder's documents."""
    return read_pages(folder, sorted(str(p.relative_to(folder)) for p in folder.rglob("*.pdf")))


def _named(name: str, figures: Figures) -> Figures:
    return {f"{name}: {key}": value for key, value in figures.items() if key in KEPT}
