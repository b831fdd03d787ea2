"""`h3-benchmark recall`: page and document recall on labelled questions, beside plain BM25 over pages.

In-process use: `run(data, ["uda_fin"])`, or `measure(tier, cases)` on any store.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from h3cold.recall.baseline import PageText, bm25, rank, read_pages
from h3cold.recall.measures import Came, Figures, came, summary, where
from h3cold.recall.questions import Case, mmlongbench, read_jsonl, uda_feta, uda_fin, uda_tat
from h3cold.schemas.errors import UsageError

if TYPE_CHECKING:
    from h3cold.recall.cold_tier import ColdTier

DEEPEST = 20
COMPARED = ("page recall@1", "page recall@5", "page recall@10", "document@1", "mrr", "ndcg@10")
"""Figures given of other rankings as well."""

STARTS = 3
"""Fresh processes timed for the start-to-answer figure; the fastest counts."""

SETS = ("uda_fin", "uda_tat", "uda_feta", "mmlongbench", "cmrc", "filings", "chinese_over_uda", "english_over_cmrc",
        "relations_over_uda", "nothing", "intent")  # fmt: skip
WHEN_ASKED = ("latency", "start", "short")
"""Sets that run only where they are named: a store of a million blocks takes a quarter of an hour and 10 GB, one of
10,000 pages a few minutes; the short model embeds questions to large stores alone."""


def run(
    data: Path, sets: Sequence[str] | None = None, *, work: Path | None = None, questions: Path | None = None
) -> dict[str, Figures]:
    """Figures by set (default: all). `data` holds the sets' folders.

    "cmrc" and "filings" are made and indexed first: minutes, and for the 200 filings about half an hour. "latency" runs
    only where it is named: it copies the blocks of UDA's store to a million, or as many as H3_BENCH_BLOCKS says. So
    does "start", to 10,000 pages with their graph, and times `h3-recall` on them.

    Stores are built under `work`, or the folder that H3_BENCH_WORK names, and used again when they are there already;
    without either they are built for this run only.

    With `questions` (a JSONL as `read_jsonl` takes it) `data` is any folder of documents, and that is the one set.

    Raises:
        UsageError: an unknown set, or data that is not there.
    """
    sets = SETS if sets is None else sets
    for name in sets:
        if name not in (*SETS, *WHEN_ASKED):
            raise UsageError(f"unknown set {name!r}; known: {', '.join((*SETS, *WHEN_ASKED))}")
    with tempfile.TemporaryDirectory(prefix="h3-bench-") as scratch:
        folder = work or Path(os.environ.get("H3_BENCH_WORK") or scratch)
        if questions is not None:
            return {questions.stem: measure_folder(data, lambda _: read_jsonl(questions), folder / questions.stem)}
        return {name: _run_set(name, data, folder) for name in sets}


def _run_set(name: str, data: Path, work: Path) -> Figures:
    if name == "intent":
        return intent_figures()
    if name == "latency":
        return _latency(data, work)
    if name == "short":
        from h3cold.recall.benchmark_short import measure_short

        return measure_short(data, work)
    if name == "start":
        from h3cold.recall.benchmark_start import measure_start

        return measure_start(labelled("uda_fin", data, work)[1], work / "start")
    if name == "nothing":
        return {k: v for on in ("uda_fin", "cmrc") for k, v in nothing_figures(on, labelled(on, data, work)[1]).items()}
    folder, store, read = labelled(name, data, work)
    return measure_folder(folder, read, store)


def _latency(data: Path, work: Path) -> Figures:
    from h3cold.recall.benchmark_latency import BLOCKS, measure_latency

    wished = os.environ.get("H3_BENCH_BLOCKS", str(BLOCKS))
    if not wished.isdecimal() or not int(wished):
        raise UsageError(f"H3_BENCH_BLOCKS is {wished!r}; give the number of blocks, such as 100000")
    bases = [labelled(name, data, work)[1] for name in ("uda_fin", "cmrc")]
    questions = [case.query for case in uda_fin(data / "uda")]
    questions += [case.query for case in read_jsonl(work / "cmrc" / "pdfs" / "questions.jsonl")[::50]]
    return measure_latency(bases, work / f"latency-{wished}", questions, blocks=int(wished))


def labelled(name: str, data: Path, work: Path) -> tuple[Path, Path, Callable[[list[PageText]], list[Case]]]:
    """A set's folder of documents, its store under `work` (indexed if it is not there), its questions given the pages.

    Raises:
        UsageError: the set's data is not there.
    """
    uda = data / "uda"
    if name in ("cmrc", "cmrc_titled", "filings", "english_over_cmrc"):
        made = "cmrc" if name == "english_over_cmrc" else name
        folder, store = work / made / "pdfs", work / made / "store"
        if not (folder / "questions.jsonl").exists():
            _make(made, data, folder)

        def read(pages: list[PageText]) -> list[Case]:
            return read_jsonl(folder / "questions.jsonl") if name == made else _own(name)
    elif name == "mmlongbench":
        folder, store = data / name / "documents", work / name

        def read(pages: list[PageText]) -> list[Case]:
            return mmlongbench(data / name)
    else:
        folder, store = uda, work / "uda"

        def read(pages: list[PageText]) -> list[Case]:
            if name == "uda_fin":
                return uda_fin(uda)
            if name.endswith("_over_uda"):
                return _own(name)
            return uda_tat(uda, pages) if name == "uda_tat" else uda_feta(uda, pages)

    index_once(folder, store)
    return folder, store, read


def _own(name: str) -> list[Case]:
    """Questions that come with the package: in the language that the documents are not in, or about relations."""
    with as_file(files("h3cold.recall.trials").joinpath(f"{name}.jsonl")) as path:
        return read_jsonl(path)


def _make(name: str, data: Path, folder: Path) -> None:
    from h3cold.recall.trials.cmrc import make_cmrc
    from h3cold.recall.trials.filings import make_filings

    if name == "filings":
        make_filings(folder)
    else:
        made_of = data / "cmrc2018" / "squad-style-data" / "cmrc2018_trial.json"
        make_cmrc(made_of, folder, titled=name == "cmrc_titled")


def index_once(folder: Path, store: Path) -> None:
    """Index `folder` into `store` unless that is there already.

    Raises:
        UsageError: the folder is not there.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; give the one that holds the sets with --data")
    if not (store / "manifest.json").exists():
        build_store(folder, store)


def measure_folder(folder: Path, cases: Callable[[list[PageText]], list[Case]], store: Path) -> Figures:
    """Index `folder` into `store` unless that is there already, then measure on it; tells what could not be indexed.

    Raises:
        UsageError: the folder is not there.
    """
    from h3cold.recall.cold_tier import ColdTier

    index_once(folder, store)
    with ColdTier.open(store) as tier:
        sources = sorted({row["source"] for row in tier.documents().values()})
        pages = read_pages(folder, sources)
        asked = cases(pages)
        figures = measure(tier, asked)
        if failed := tier.store.table("sources").count_rows("status = 'failed'"):
            figures["files that failed"] = failed
        figures |= {f"fusion alone {k}": v for k, v in fused(tier, asked).items() if k in COMPARED}
        figures |= {f"bm25 {k}": v for k, v in baseline(pages, asked).items() if k in COMPARED}
    if asked:
        figures["start to answer s"] = start_to_answer(store, asked[0].query)
    return figures


def tune(folder: Path, questions: Path, weights: Path, *, work: Path | None = None) -> dict[str, Figures]:
    """Learn the ranking's weights on every other question and report the rest, before and after; writes `weights`.

    `folder` holds the documents; its store is kept under `work`, or the folder that H3_BENCH_WORK names.

    Raises:
        UsageError: the folder or the questions are not there, or too few questions have an answer to learn from.
    """
    from h3cold.recall.cold_tier import ColdTier
    from h3cold.recall.tune import fit, lessons
    from h3cold.recall.weights import default_weights, save_weights
    from h3cold.schemas.config import Config, Recall

    cases = read_jsonl(questions)
    with tempfile.TemporaryDirectory(prefix="h3-bench-") as scratch:
        store = (work or Path(os.environ.get("H3_BENCH_WORK") or scratch)) / questions.stem
        index_once(folder, store)
        with ColdTier.open(store) as tier:
            out = {"before": measure(tier, cases[1::2])}
            save_weights(fit(lessons(tier, cases[::2]), default_weights()), weights)
        with ColdTier.open(store, config=Config(recall=Recall(weights=str(weights)))) as tier:
            out["after"] = measure(tier, cases[1::2])
    return out


def build_store(folder: Path, store: Path) -> None:
    """Index a folder as `h3-index-builder` does, with the default configuration."""
    from h3cold.ingest.pipeline import build
    from h3cold.schemas.config import Config

    build(folder, store, Config())


def measure(tier: ColdTier, cases: Sequence[Case], *, dump: Path | None = None) -> Figures:
    """Recall every question; `dump` gets one JSON object a question, with what came instead."""
    found, seconds, lines = [], [], []
    for case in cases:
        began = time.perf_counter()
        hits = tier.recall(case.query, intent=case.intent, top=DEEPEST)
        seconds.append(time.perf_counter() - began)
        found.append(where(case, [came(h) for h in hits]))
        shown = [(h.source, h.page, h.kind, h.reason) for h in hits[:5]]
        lines.append({"id": case.id, "query": case.query, "source": case.source, "pages": case.pages,
                      "found": found[-1].page, "hits": shown})  # fmt: skip
    if dump is not None:
        dump.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    figures = summary(cases, found)
    if seconds:
        ordered = sorted(seconds)
        figures["p50 ms"] = round(ordered[len(ordered) // 2] * 1e3, 2)
        figures["p99 ms"] = round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))] * 1e3, 2)
    return figures


def fused(tier: ColdTier, cases: Sequence[Case]) -> Figures:
    """The same candidates by reciprocal rank fusion of words and meaning alone (Cormack et al., 2009, k = 60)."""
    from h3cold.recall.rank import fused as by_places
    from h3cold.recall.search import order_all

    found = []
    for case in cases:
        snapshot, asked = tier.prepare(case.query, case.intent, DEEPEST)
        ranking = []
        if asked is not None:
            pool, corpus = order_all(snapshot, asked).pool, snapshot.corpus
            for row in pool.rows[np.argsort(-by_places(pool), kind="stable")[:DEEPEST]].tolist():
                source = corpus.documents[int(corpus.document[row])]["source"]
                ranking.append(Came(source, (int(corpus.page[row]), int(corpus.last_page[row]))))
        found.append(where(case, ranking))
    return summary(cases, found)


def nothing_figures(name: str, store: Path) -> Figures:
    """Share of questions about other things that recall calls nothing, asked of a store in English and in Chinese."""
    from h3cold.recall.cold_tier import ColdTier
    from h3cold.recall.trials.wording import read_rows

    with ColdTier.open(store) as tier:
        asked = list(zip(*read_rows("unfit.txt"), strict=True))
        shares = [sum(not tier.recall(query).fits for query in queries) / len(queries) for queries in asked]
    return {f"{name}: {of} of {len(asked[0])} called nothing": round(share, 4)
            for of, share in zip(("English", "Chinese"), shares, strict=True)}  # fmt: skip


def baseline(pages: Sequence[PageText], cases: Sequence[Case]) -> Figures:
    """The same questions by plain BM25 over the pages."""
    index = bm25([p.text for p in pages])
    found = []
    for case in cases:
        order = rank(index, case.query)[: DEEPEST * 5]
        found.append(where(case, [Came(pages[i].source, (pages[i].page,)) for i in order]))
    return summary(cases, found)


def start_to_answer(store: Path, query: str) -> float:
    """Seconds of a fresh `h3-recall` process from start to its answer, the fastest of three."""
    code = "import sys; from h3cold.recall.cli import main; sys.exit(main(sys.argv[1:]))"
    times = []
    for _ in range(STARTS):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", code, query, "--store", str(store)], check=True, capture_output=True)
        times.append(time.perf_counter() - began)
    return round(min(times), 3)


def intent_figures() -> Figures:
    """Share of the project's labelled queries whose intent `auto` gets right, or at least runs, and its speed.

    "held out" are the queries that the weights were not set on.
    """
    from h3cold.recall.intent import guess

    text = files("h3cold.recall").joinpath("intents.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    groups: defaultdict[str, list[bool]] = defaultdict(list)
    began = time.perf_counter()
    guesses = [guess(row["query"]) for row in rows]
    seconds = time.perf_counter() - began
    for row, guessed in zip(rows, guesses, strict=True):
        marks = [name for name in ("hard", "held_out") if row[name]]
        for group in ("all", row["language"], row["intent"], *marks):
            groups[group].append(guessed.best == row["intent"])
        groups["run at all"].append(row["intent"] in guessed.intents)
    out = {f"intent {group.replace('_', ' ')}": round(sum(v) / len(v), 4) for group, v in groups.items()}
    return {"queries": len(rows), **out, "microseconds a query": round(seconds / len(rows) * 1e6, 1)}
