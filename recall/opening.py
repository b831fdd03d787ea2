"""Opening a snapshot for searching: tables, index and embedding model at once, since each waits for the disk."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from h3cold.ingest.store.as_of import AsOf, resolve
from h3cold.ingest.store.reader import ColdStore
from h3cold.recall.search import Snapshot, Whole
from h3cold.recall.weights import Weights
from h3cold.schemas.errors import CorruptionError, ModelError, StoreError

if TYPE_CHECKING:
    from h3cold.kg.graph_index import Graph
    from h3cold.recall.catalog import Catalog
    from h3cold.recall.corpus import Corpus


def open_snapshot(path: Path, as_of: AsOf, weights: Weights, mode: str = "full") -> tuple[Snapshot, Any, str]:
    """The snapshot, the embedder of its vectors (None if it cannot be had) and then why not.

    `mode` is what is searched: "full" vectors, "summaries" of blocks, or by "descent" through the trees of documents;
    where the snapshot has no summaries, full vectors in any case, and the last part says so.

    Raises:
        UsageError: `as_of` is neither a number nor a time.
        StoreError: there is no store or no such snapshot at `path`, or it cannot be read.
    """
    from h3cold.recall.catalog import make_catalog
    from h3cold.recall.corpus import list_numbers, load_corpus
    from h3cold.recall.languages import find_centres
    from h3cold.recall.naming import company_names
    from h3cold.recall.pool import vectors_of

    store = ColdStore.open(path, resolve(path, as_of))
    with ThreadPoolExecutor(2) as pool:
        embedder = pool.submit(_embedder, store.manifest.models)
        small = mode != "full" and "summaries" in store.manifest.index
        index = None if small else pool.submit(_index, store)
        corpus = load_corpus(store)
        companies = {row["company"] for row in corpus.documents if row["company"]}
        catalog = make_catalog(corpus.documents, company_names(store, companies) if companies else {})
        model, missing = embedder.result()
        if index is None and model is not None:
            return _small(store, corpus, catalog, model, weights, mode)
        faiss_index, ids = _index(store) if index is None else index.result()
    if mode != "full" and not missing:
        why = store.manifest.models.get("summaries") or "made by an older version; index the folder again"
        missing = f"searched by full vectors, not by {mode}: summaries are {why}"
    if not _same_ids(ids, corpus.ids):
        raise CorruptionError(f"{path}: index and blocks disagree; see h3-monitor --verify --repair")
    centres = find_centres(corpus, partial(vectors_of, store, corpus, faiss_index), list_numbers(faiss_index))
    return Snapshot(store, corpus, catalog, faiss_index, weights, centres, mode=mode), model, missing


def _small(
    store: ColdStore, corpus: Corpus, catalog: Catalog, embedder: Any, weights: Weights, mode: str
) -> tuple[Snapshot, Any, str]:
    """The snapshot with no more than summaries in memory."""
    from h3cold.recall.descent import DescentIndex, open_trees
    from h3cold.recall.languages import find_centres
    from h3cold.recall.summary_search import SummaryIndex, TableVectors, open_summaries, summary_embedder

    ids = [i.decode("utf-8", "surrogatepass") for i in corpus.ids.tolist()]
    index: SummaryIndex | DescentIndex = open_summaries(store, ids)
    if mode == "descent":
        index = DescentIndex(open_trees(store, ids), index.network, index.slope)
    table = TableVectors(store, corpus.rowid)
    whole = Whole(table, find_centres(corpus, table.reconstruct_batch))
    table.read = 0
    centres = find_centres(corpus, index.reconstruct_batch)
    if isinstance(index, DescentIndex):
        index.read = 0
    snapshot = Snapshot(store, corpus, catalog, index, weights, centres, mode=mode, whole=whole)
    return snapshot, summary_embedder(embedder, index), ""


def _same_ids(lines: bytes, ids: Any) -> bool:
    """Whether `lines` are these ids, a line each; by columns where all have one length, as they nearly always do."""
    width = ids.dtype.itemsize
    if len(lines) == len(ids) * (width + 1):
        table = np.frombuffer(lines, np.uint8).reshape(len(ids), width + 1)
        if (table[:, width] == ord("\n")).all() and (table[:, :width] == ids.view(np.uint8).reshape(-1, width)).all():
            return True
    return lines == b"\n".join([*ids.tolist(), b""])


def _index(store: ColdStore) -> tuple[Any, bytes]:
    """The FAISS index, and the bytes of the file of its ids."""
    import faiss

    from h3cold.ingest.store.indexes import read_index

    ids = store.index_path("blocks.ids")
    index = read_index(store.index_path("blocks"), range(store.manifest.counts["blocks"]), mapped=True)
    if isinstance(index, faiss.IndexIVF):
        index.make_direct_map()  # a row's list, and its vector where lists hold whole ones
    return index, ids.read_bytes()


def _embedder(models: Mapping[str, str]) -> tuple[Any, str]:
    """The embedder that made the snapshot's vectors; vectors of another model do not compare."""
    from h3cold.ingest.embed import open_embedder

    try:
        model = open_embedder(models.get("embedder name", "e5-small"))
        if model.id != models.get("embedder"):
            return None, f"no recall by meaning: the vectors are of {models.get('embedder')}, at hand is {model.id}"
        model.queries(["ready"])  # what it loads at first use is loaded here, beside the tables
        return model, ""
    except ModelError as e:
        return None, f"no recall by meaning: {e}"


def graph_of(snapshot: Snapshot) -> Graph:
    """The snapshot's graph, opened on first use with its edges' sentences; what is damaged is told in `lacking`.

    Raises:
        StoreError: a table cannot be read.
    """
    from h3cold.recall.relation import how_to_mend, load_or_make_graph
    from h3cold.recall.statements import open_statements

    if snapshot.graph is None:
        graph, snapshot.lacking = load_or_make_graph(snapshot.store)
        try:
            snapshot.statements = open_statements(snapshot.store, edges=len(graph.rowids))
        except StoreError as e:
            snapshot.lacking += (f"edges weighed without their sentences: {how_to_mend(e)}",)
        snapshot.graph = graph
    return snapshot.graph
