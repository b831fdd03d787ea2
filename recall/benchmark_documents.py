"""The document index at a million made vectors: bytes, time on one thread, recall@10 against exact search.

Makes its data, so that it needs none; a million take some minutes, 4 GB of memory and 2 GB of the disk.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from h3cold.recall.measures import Figures
from h3cold.schemas.errors import UsageError

if TYPE_CHECKING:
    from h3cold.ingest.compress.documents import Documents

MADE = 1_000_000
ASKED = 200
NEAREST = 10
PORTION = 8192
NOISE = 0.005
"""Added to each number of a document's vector, a sixth of its length in all, to ask for what is near it."""


def measure_documents(scratch: Path) -> Figures:
    """Figures for a million documents, or as many as H3_BENCH_DOCUMENTS says; files go to `scratch`.

    Raises:
        UsageError: H3_BENCH_DOCUMENTS is no number, or too small a one.
    """
    import faiss

    from h3cold.ingest.compress.documents import (
        LOOKED_AT,
        PROBES,
        index_documents,
        nearest_documents,
        open_documents,
    )
    from h3cold.ingest.compress.lists import shortlist
    from h3cold.ingest.generated.vectors import made_vectors

    wished = os.environ.get("H3_BENCH_DOCUMENTS", str(MADE))
    if not wished.isdecimal() or int(wished) < ASKED:
        raise UsageError(f"H3_BENCH_DOCUMENTS is {wished!r}; give a number of at least {ASKED}")
    total = int(wished)
    faiss.omp_set_num_threads(1)
    began = time.process_time()
    ids = [f"{i:032x}" for i in range(total)]
    files = index_documents(scratch, Path("index"), ids, lambda a, b: made_vectors(a, b, total=total))
    seconds = time.process_time() - began
    lists = files.get("documents.lists")
    index = open_documents(scratch / files["documents"], None if lists is None else scratch / lists)
    rows = np.random.default_rng(1).choice(total, ASKED, replace=False)
    noise = np.random.default_rng(2).standard_normal((ASKED, index.codes.shape[1])).astype(np.float32)
    queries = index.codes[rows].astype(np.float32) * index.scales[rows, None] + NOISE * noise
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    took, cpu, hits, plain = [], [], 0, 0
    for query, best in zip(queries, _exact(index, queries), strict=True):
        nearest_documents(index, query, limit=NEAREST)  # what the disk holds is in memory afterwards
        start, used = time.perf_counter(), time.process_time()
        found, _ = nearest_documents(index, query, limit=NEAREST)
        took.append((time.perf_counter() - start) * 1e3)
        cpu.append((time.process_time() - used) * 1e3)  # of all threads: there is one
        hits += len(set(found.tolist()) & best)
        if index.coder is not None and index.lists is not None:
            short, _ = shortlist(index.coder, index.lists, query, limit=NEAREST, probes=PROBES)
            plain += len(set(short.tolist()) & best)
    out: Figures = {"documents": total, "processor seconds to make and learn": round(seconds, 1),
                    "processor ms a query, p50": round(float(np.percentile(cpu, 50)), 3),
                    "p50 ms": round(float(np.percentile(took, 50)), 3),
                    "p99 ms": round(float(np.percentile(took, 99)), 3),
                    "recall@10": round(hits / NEAREST / ASKED, 4)}  # fmt: skip
    if index.coder is not None and index.lists is not None:
        out["bytes a document"] = (index.lists.codes.nbytes + index.lists.rows.nbytes) / total
        out["constant bytes"] = sum(a.nbytes for a in index.coder) + index.lists.starts.nbytes
        out["recall@10 by codes alone"] = round(plain / NEAREST / ASKED, 4)
        out["bytes read from disk a query"] = LOOKED_AT * index.codes.shape[1]
    return out


def _exact(index: Documents, queries: Any) -> list[set[int]]:
    """The rows of the ten vectors of the index, as the disk has them, that are nearest to each query."""
    count = len(queries)
    rows, scores = np.zeros((count, 0), np.int64), np.zeros((count, 0), np.float32)
    for start in range(0, len(index.codes), PORTION):
        part = slice(start, start + PORTION)
        products = queries @ index.codes[part].astype(np.float32).T * index.scales[part]
        best = np.argpartition(-products, min(NEAREST, products.shape[1] - 1), axis=1)[:, :NEAREST]
        rows = np.concatenate([rows, start + best], axis=1)
        scores = np.concatenate([scores, np.take_along_axis(products, best, axis=1)], axis=1)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :NEAREST]
    return [set(own) for own in np.take_along_axis(rows, order, axis=1).tolist()]
