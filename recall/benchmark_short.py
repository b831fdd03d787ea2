"""`h3-benchmark recall --sets short`: recall with questions embedded by the short model, beside the whole one.

Large stores alone use the short model; here it is asked of the labelled sets' small ones, where it is known what is
right, and only questions that it did not learn from.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from h3cold.recall.measures import Figures
from h3cold.schemas.errors import ModelError

SETS = ("uda_fin", "uda_tat", "uda_feta", "mmlongbench", "cmrc", "chinese_over_uda", "english_over_cmrc")
COMPARED = ("page recall@1", "page recall@5", "page recall@10", "document@1", "mrr")
NEAREST = 20


def measure_short(data: Path, work: Path) -> Figures:
    """Of each set and of all questions: figures by both models, cosine of the vectors, share of equal nearest blocks.

    Raises:
        UsageError: a set's data is not there.
        StoreError: a store cannot be read.
        ModelError: the short model cannot be had.
    """
    from h3cold.ingest.embed import can_be_quicker
    from h3cold.ingest.embed.short_sources import learnt_questions
    from h3cold.recall.baseline import read_pages
    from h3cold.recall.benchmark import labelled, measure
    from h3cold.recall.cold_tier import ColdTier
    from h3cold.recall.opening import of_languages, open_snapshot
    from h3cold.recall.weights import default_weights

    learnt = learnt_questions(data)
    figures: Figures = {}
    weighed: dict[str, list[tuple[int, float]]] = {}
    for name in SETS:
        folder, store, read = labelled(name, data, work)
        snapshot = open_snapshot(store, None, default_weights())
        whole = snapshot.embedder
        if whole is None or not can_be_quicker(whole):
            raise ModelError(f"{store}: no short model for its vectors{snapshot.missing and f' ({snapshot.missing})'}")
        short = of_languages(whole.quicker(), snapshot.corpus)
        rows = snapshot.store.table("blocks").to_table(columns=["vector"])["vector"].combine_chunks()
        blocks = rows.flatten().to_numpy(zero_copy_only=False).reshape(len(rows), -1).astype(np.float32)
        with ColdTier(store, snapshot, top=5, candidates=100) as tier:
            sources = sorted({row["source"] for row in tier.documents().values()})
            cases = [case for case in read(read_pages(folder, sources)) if case.query not in learnt]
            found = {"whole": measure(tier, cases)}
            snapshot.embedder = short
            found["short"] = measure(tier, cases)
        vectors = {k: e.queries([case.query for case in cases]) for k, e in (("whole", whole), ("short", short))}
        own = {f"{model} {of}": found[model][of] for of in COMPARED for model in found}
        own["cosine"] = float((vectors["whole"] * vectors["short"]).sum(axis=1).mean())
        own["same nearest"] = _shared(*(v @ blocks.T for v in vectors.values()))
        for of, value in own.items():
            figures[f"{name} {of}"] = round(value, 4)
            weighed.setdefault(of, []).append((len(cases), value))
        figures[f"{name} questions"] = len(cases)
    for of, values in weighed.items():
        figures[f"all {of}"] = round(sum(n * v for n, v in values) / sum(n for n, _ in values), 4)
    return figures


def _shared(one: np.ndarray, other: np.ndarray) -> float:  # type: ignore[type-arg]
    """Share of the nearest blocks of one model that are the other's, too; products [questions, blocks] of each."""
    near = [np.argsort(-products, axis=1)[:, :NEAREST].tolist() for products in (one, other)]
    return float(np.mean([len({*a} & {*b}) / len(a) for a, b in zip(*near, strict=True)]))
