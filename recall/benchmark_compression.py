"""`h3-benchmark compression`: what must stay in memory for each way of recall, and what it costs in recall and time.

Set "documents" makes a million document vectors (or as many as H3_BENCH_DOCUMENTS says) and needs no data; the others
are those of `h3-benchmark recall`, whose stores are used where `--work` has them.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from h3cold.ingest.store.arrays import map_arrays
from h3cold.recall.measures import Figures
from h3cold.schemas.errors import StoreError, UsageError

if TYPE_CHECKING:
    from h3cold.ingest.store.reader import ColdStore
    from h3cold.recall.questions import Case

SETS = ("documents", "uda_fin", "uda_tat", "mmlongbench", "cmrc", "cmrc_titled", "filings")
MODES = ("full", "summaries", "descent")
NARROWER = (64, 32)
"""Dimensions that token vectors are projected to for comparison."""


def run(
    data: Path, sets: Sequence[str] | None = None, *, work: Path | None = None, questions: Path | None = None
) -> dict[str, Figures]:
    """Figures by set (default: all); see `recall.benchmark.run` for `data`, `work` and `questions`.

    Raises:
        UsageError: an unknown set, or data that is not there.
    """
    sets = SETS if sets is None else sets
    for name in sets:
        if name not in SETS:
            raise UsageError(f"unknown set {name!r}; known: {', '.join(SETS)}")
    with tempfile.TemporaryDirectory(prefix="h3-bench-") as scratch:
        folder = work or Path(os.environ.get("H3_BENCH_WORK") or scratch)
        if questions is not None:
            from h3cold.recall.benchmark import index_once
            from h3cold.recall.questions import read_jsonl

            index_once(data, folder / questions.stem)
            return {questions.stem: measure_store(folder / questions.stem, read_jsonl(questions))}
        out: dict[str, Figures] = {}
        for name in sets:
            if name == "documents":
                from h3cold.recall.benchmark_documents import measure_documents

                out[name] = measure_documents(Path(scratch))
            else:
                out[name] = _labelled(name, data, folder)
        return out


def _labelled(name: str, data: Path, work: Path) -> Figures:
    from h3cold.recall.baseline import read_pages
    from h3cold.recall.benchmark import labelled
    from h3cold.recall.cold_tier import ColdTier

    folder, store, read = labelled(name, data, work)
    with ColdTier.open(store) as tier:
        sources = sorted({row["source"] for row in tier.documents().values()})
        asked = read(read_pages(folder, sources))
    return measure_store(store, asked)


def measure_store(store: Path, cases: Sequence[Case]) -> Figures:
    """Bytes, recall and time of each mode on a store, and what narrower projections lose.

    Of a store without summaries the figures of full vectors, and one named by why there are none.
    """
    from h3cold.recall.cold_tier import ColdTier

    with ColdTier.open(store) as tier:
        why = tier.store.manifest.models.get("summaries") or "made by an older version"
        without = "summaries" not in tier.store.manifest.index
        figures = sizes(tier.store) if without else residency(tier.store)
    if without:
        own = {f"full: {k}": v for k, v in _mode(store, cases, "full").items()}
        return figures | own | {f"no summaries: {why}": 1}
    for mode in MODES:
        figures |= {f"{mode}: {k}": v for k, v in _mode(store, cases, mode).items()}
    for mode in MODES[1:]:
        figures[f"{mode}: recall@5 lost, points"] = _points(figures, mode)
        figures[f"{mode}: bytes read / full"] = round(
            figures[f"{mode}: bytes read a question"] / max(figures["full: bytes read a question"], 1), 4
        )
    for dimensions in NARROWER:
        with tempfile.TemporaryDirectory(prefix="h3-bench-") as scratch:
            copy = Path(scratch) / "store"
            shutil.copytree(store, copy)
            kept = _project(copy, dimensions)
            found = _mode(copy, cases, "summaries")
        figures[f"PCA {dimensions}: variance kept"] = kept
        figures[f"PCA {dimensions}: recall@5 lost, points"] = round(
            100 * (figures["full: recall@5"] - found["recall@5"]), 2
        )
        figures[f"PCA {dimensions}: recall@5 by summaries alone"] = found["recall@5 without full vectors"]
    return figures


def _points(figures: Figures, mode: str) -> float:
    return round(100 * (figures["full: recall@5"] - figures[f"{mode}: recall@5"]), 2)


def sizes(store: ColdStore) -> Figures:
    """Bytes of what every store is made of."""
    size = _files(store)
    blocks = store.table("blocks")
    text = sum(len((t or "").encode()) for t in blocks.to_table(columns=["text"])["text"].to_pylist())
    count = store.manifest.counts["blocks"]
    return {
        "blocks": count,
        "bytes of PDFs": sum(row["size"] for row in store.table("sources").to_table(columns=["size"]).to_pylist()),
        "bytes of text": text,
        "bytes of full vectors": 2 * count * blocks.schema.field("vector").type.list_size,
        "bytes of the document index": size.get("documents.lists", size.get("documents", 0)),
        "resident, full": size["blocks"],
    }


def _files(store: ColdStore) -> dict[str, int]:
    return {role: (store.path / file).stat().st_size for role, file in store.manifest.index.items()}


def residency(store: ColdStore) -> Figures:
    """Bytes of what a store is made of, and of what each mode keeps in memory to search by meaning."""
    from h3cold.ingest.compress.codes import BYTES
    from h3cold.ingest.compress.network import leading, read_network

    out, size = sizes(store), _files(store)
    made_by, notes = read_network(store.index_path("summaries.network"))
    searched_with = leading(made_by).nbytes
    trees, _ = map_arrays(store.index_path("trees"))
    codes = store.manifest.counts["blocks"] * BYTES
    tops = trees["tops"].nbytes + trees["nodes_at"].nbytes
    same, other = ((notes.get(of) or [float("nan")] * 4) for of in ("same section", "different documents"))
    return out | {
        "bytes of summaries": codes, "bytes of the network": size["summaries.network"],
        "of these to search with": searched_with,
        "bytes of tree tops": tops, "bytes of trees, all levels": size["trees"], **_levels(trees),
        "resident, summaries": codes + searched_with, "resident, descent": tops + searched_with,
        "summaries / text": round(codes / out["bytes of text"], 4),
        "summaries and network / text": round((codes + searched_with) / out["bytes of text"], 4),
        "PCA": notes["pca"], "variance kept": notes["retained"],
        "cosine same section, mean": same[0], "5th percentile": same[1], "median": same[2],
        "cosine different documents, mean": other[0], "median of these": other[2], "95th percentile": other[3],
    }  # fmt: skip


def _levels(trees: Mapping[str, Any]) -> Figures:
    """Bytes of a document's top, of its chapters and sections, and of its blocks: in the median and the most."""
    from h3cold.ingest.compress.codes import BYTES

    nodes, leaves = trees["nodes_at"], trees["leaf_at"]
    roots, said = nodes[:-1], np.diff(trees["said_at"])
    first, last = (trees[name][roots].astype(np.int64) for name in ("first", "last"))
    of_nodes = trees["said_at"][nodes[1:]] - trees["said_at"][nodes[:-1]] - said[roots]
    sizes = {"top": trees["tops"][0].nbytes + said[roots],
             "chapters and sections": of_nodes + (np.diff(nodes) - 1) * trees["codes"].shape[1],
             "blocks": (last - first) * BYTES + leaves[last] - leaves[first]}  # fmt: skip
    return {f"bytes of a document's {name}, {how}": int(of(own)) for name, own in sizes.items()
            for how, of in (("median", np.median), ("most", np.max))}  # fmt: skip


def _mode(store: Path, cases: Sequence[Case], mode: str) -> Figures:
    """Recall@5, time and bytes read for vectors of one mode."""
    from h3cold.recall.benchmark import measure
    from h3cold.recall.cold_tier import ColdTier
    from h3cold.schemas.config import Config, Recall

    with ColdTier.open(store, config=Config(recall=Recall(mode=mode))) as tier:  # type: ignore[arg-type]
        if tier.status()["without"] and any("full vectors" in line for line in tier.status()["without"]):
            raise StoreError(f"{store}: {tier.status()['without'][0]}")
        snapshot = tier._open_snapshot()
        index, whole = snapshot.index, snapshot.whole
        for case in cases[:1]:  # what is read once is read now
            tier.recall(case.query, intent=case.intent)
        if mode == "descent":
            index.read = 0
        if whole is not None:
            whole.table.read = 0
        found = measure(tier, cases)
        count = max(len(cases), 1)
        if mode == "full":
            read = 2 * index.ntotal * index.d  # half floats, as they are stored
        else:
            own = index.read / count if mode == "descent" else index.codes.nbytes
            read = own + (whole.table.read / count if whole is not None else 0)
        out = {"recall@5": found["page recall@5"], "recall@1": found["page recall@1"],
               "p50 ms": found.get("p50 ms", 0.0), "bytes read a question": round(read)}  # fmt: skip
        if mode == "summaries":
            snapshot.whole = snapshot.typical = snapshot.statements = None  # edges' sentences are whole vectors, too
            snapshot.embedder = _Short(snapshot.embedder, index.d)
            out["recall@5 without full vectors"] = measure(tier, cases)["page recall@5"]
    return out


class _Short:
    """The embedder of questions without the whole vectors behind the summaries."""

    def __init__(self, embedder: Any, length: int) -> None:
        self._embedder, self._length = embedder, length

    def queries(self, texts: Sequence[str]) -> Any:
        """float32 [len(texts), length]."""
        return self._embedder.queries(texts)[:, : self._length]


def _project(store: Path, dimensions: int) -> float:
    """Calibrate a store anew with so many dimensions; the share of variance that they keep."""
    from h3cold.ingest.compress.network import read_network
    from h3cold.ingest.compress.summaries import build_summaries
    from h3cold.ingest.compress.trees import build_trees
    from h3cold.ingest.store.reader import ColdStore
    from h3cold.ingest.store.writer import open_writer

    reader = ColdStore.open(store)
    length = int(reader.table("blocks").schema.field("vector").type.list_size)
    pictures = int(reader.table("images").schema.field("vector").type.list_size)
    pictures = 0 if reader.manifest.models.get("clip", "") == "" else pictures
    with open_writer(store, text_dimension=length, image_dimension=pictures) as writer:
        base = writer.base
        if base is None:
            raise StoreError(f"{store}: no snapshot")
        made = build_summaries(writer, dimensions=dimensions, embedder=base.models["embedder"], former=base.index)
        index = {**base.index, **made.files, **build_trees(writer, made.files)}
        writer.publish(root=base.root, config=base.config, models=base.models, index=index, keep_days=1)
    _, notes = read_network(ColdStore.open(store).index_path("summaries.network"))
    return float(notes["retained"])
