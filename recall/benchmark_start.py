"""`h3-benchmark recall --sets start`: `h3-recall` from the start of its process to its answer, on a large store.

The store holds copies of a small one, as `benchmark_latency` makes them, with the graph's names and edges of each copy.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from h3cold.ingest.store.reader import ColdStore
from h3cold.ingest.store.told import ROLE as TOLD
from h3cold.recall.benchmark_latency import copied_id, copied_name, make_copies
from h3cold.recall.measures import Figures
from h3cold.schemas.errors import UsageError

PAGES = 10_000
TIMES = 5
"""Fresh processes timed for each question, after one that is not; their least and their median count."""

QUESTIONS = {
    "text": ("Why did gross margin fall in fiscal 2009?", "What risks does competition pose to the firm?",
             "公司面临哪些竞争风险？"),
    "structure": ("What were total net revenues in 2016?", "Compare net sales of 2019 and 2018",
                  "对比2016与2015年净收入"),
    "relation": ("Who is the chief executive officer of Goldman Sachs?", "Who regulates Goldman Sachs?",
                 "Which companies did Inpixon acquire?"),
}  # fmt: skip


def measure_start(base: Path, store: Path, *, pages: int = PAGES) -> Figures:
    """Seconds by intent for a store of about so many pages, made of `base` unless it is there already.

    Raises:
        UsageError: `base` has no pages, or an older version made `store`.
        StoreError: a store cannot be read or written.
    """
    if not (store / "manifest.json").exists():
        there = ColdStore.open(base).manifest.counts.get("pages", 0)
        if not there:
            raise UsageError(f"{base}: no pages to make copies of")
        copy_with_graph(base, store, copies=-(-pages // there))
    manifest = ColdStore.open(store).manifest
    if TOLD not in manifest.index:
        raise UsageError(f"{store}: an older version made it, whose stores open slower; delete it, it is made anew")
    counts = manifest.counts
    figures: Figures = {name: counts[name] for name in ("documents", "blocks", "entities", "relations")}
    for intent, questions in QUESTIONS.items():
        taken = [_seconds(store, question) for question in questions]
        figures[f"{intent}: least s"] = round(max(min(times) for times in taken), 3)
        figures[f"{intent}: median s"] = round(max(float(np.median(times)) for times in taken), 3)
    return figures


def _seconds(store: Path, question: str) -> list[float]:
    code = "import sys; from h3cold.recall.cli import main; sys.exit(main(sys.argv[1:]))"
    times = []
    for _ in range(TIMES + 1):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", code, question, "--store", str(store)], check=True, capture_output=True)
        times.append(time.perf_counter() - began)
    return times[1:]


def copy_with_graph(base: Path, store: Path, *, copies: int) -> None:
    """Publish a store of so many copies of all of `base`, its graph with it.

    Raises:
        UsageError: `base` has no blocks.
        StoreError: a store cannot be read or written.
    """
    source = ColdStore.open(base)
    blocks = copies * source.manifest.counts["blocks"]
    make_copies([base], store, blocks=blocks, also=lambda number: _graph(source, number))


def _graph(source: ColdStore, number: int) -> dict[str, pa.Table]:
    """Entities, mentions and edges of a copy: all but numbers, dates and places go by names of the copy's own."""
    own = {}
    for name, renamed in (("entities", ("name",)), ("mentions", ("text",)), ("relations", ())):
        rows = source.table(name).to_table().to_pylist()
        own[name] = pa.Table.from_pylist([_row(row, renamed, number) for row in rows], source.table(name).schema)
    return own


def _row(row: dict[str, Any], renamed: Sequence[str], number: int) -> dict[str, Any]:
    if not number:
        return row
    out = dict(row)
    for key in ("document", "block"):
        if key in out:
            out[key] = copied_id(out[key], number)
    if "documents" in out:
        out["documents"] = [copied_id(document, number) for document in out["documents"]]
    for key in ("id", "entity", "head", "tail"):
        if key in out:
            out[key] = f"{number:08x}{out[key]}"
    if row.get("type") in ("ORG", "PERSON", "AGENCY", "PRODUCT"):
        out |= {key: f"{out[key]} {copied_name(number)}" for key in renamed}
    return out
