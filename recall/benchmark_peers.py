"""`h3-benchmark recall-peers`: recall beside what a user would take instead; same PDFs, questions and run."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from h3cold.recall.baseline import read_pages
from h3cold.recall.benchmark import labelled, measure
from h3cold.recall.measures import Figures, summary, where
from h3cold.recall.peers import PEERS
from h3cold.schemas.errors import UsageError

SETS = ("uda_fin", "uda_tat", "cmrc")
KEPT = ("page recall@1", "page recall@5", "page recall@10", "document@1", "mrr")


def run(data: Path, sets: Sequence[str] | None = None) -> dict[str, Figures]:
    """Figures by program, ours first, each figure with its set's name before it; an absent one says so.

    Stores are kept under the folder that H3_BENCH_WORK names, else built for this run.

    Raises:
        UsageError: an unknown set, or data that is not there.
    """
    unknown = set(sets or ()) - set(SETS)
    if unknown:
        raise UsageError(f"unknown set {sorted(unknown)[0]!r}; known: {', '.join(SETS)}")
    from h3cold.ingest.embed import open_embedder
    from h3cold.recall.cold_tier import ColdTier

    out: dict[str, Figures] = {"h3cold": {}, **{name: {"absent": 1.0} if p.absent else {} for name, p in PEERS.items()}}
    embedder = open_embedder("e5-small")
    with tempfile.TemporaryDirectory(prefix="h3-bench-") as scratch:
        for name in sets or SETS:
            folder, store, read = labelled(name, data, Path(os.environ.get("H3_BENCH_WORK") or scratch))
            with ColdTier.open(store) as tier:
                sources = sorted({row["source"] for row in tier.documents().values()})
                pages = read_pages(folder, sources)
                cases = read(pages)
                out["h3cold"] |= _named(name, measure(tier, cases))
            for peer, program in PEERS.items():
                if program.absent:
                    continue
                began = time.process_time()
                rankings = program.rank(folder, pages, [c.query for c in cases], embedder)
                figures = summary(cases, [where(c, r) for c, r in zip(cases, rankings, strict=True)])
                out[peer] |= _named(name, figures)
                out[peer][f"{name}: processor seconds"] = round(time.process_time() - began, 1)
    return out


def _named(name: str, figures: Figures) -> Figures:
    return {f"{name}: {key}": value for key, value in figures.items() if key in KEPT}
