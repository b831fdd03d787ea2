"""Opening a snapshot for searching: tables, index and embedding model at once, since each waits for the disk."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from h3cold.ingest.store.as_of import AsOf, resolve
from h3cold.ingest.store.checksums import SMALL
from h3cold.ingest.store.lance_errors import reading
from h3cold.ingest.store.reader import ColdStore
from h3cold.schemas.errors import CorruptionError, ModelError, StoreError

if TYPE_CHECKING:
    from h3cold.ingest.embed import Embedder
    from h3cold.kg.graph_index import Graph
    from h3cold.recall.catalog import Catalog
    from h3cold.recall.corpus import Corpus
    from h3cold.recall.search import Snapshot
    from h3cold.recall.weights import Weights

QUICK_FROM = 200_000
"""Blocks above which questions are embedded by the short model, whose vectors are nearly the whole one's. In smaller
stores all else takes a few milliseconds; at a million blocks the whole model takes a half of the time."""

SPOKEN = 0.02
"""Share of the blocks from which their language is one of a store's. What answers questions in another one is found by
meaning alone, so that they are embedded by the whole model: of 23 in English about Chinese articles, 21 have their page
among the first five with it, 18 with the short one."""


class Begun(NamedTuple):
    """A snapshot that other threads are at, of a `mode` of search."""

    store: ColdStore
    mode: str
    threads: ThreadPoolExecutor
    embedder: Future[tuple[Any, str]]
    vectors: Future[tuple[Any, bytes, str]] | None


def begin(path: Path, as_of: AsOf, mode: str = "full") -> Begun:
    """Begin to open a snapshot: with what leaves the interpreter to the loading of the modules that search.

    `mode` is what is searched: "full" vectors, "summaries" of blocks, or by "descent" through the trees of documents;
    where the snapshot has no summaries, full vectors in any case, and `finish` says so.

    Raises:
        UsageError: `as_of` is neither a number nor a time.
        StoreError: there is no store or no such snapshot at `path`, or it cannot be read.
    """
    store = ColdStore.open(path, resolve(path, as_of))
    threads = ThreadPoolExecutor(3)
    small = mode != "full" and "summaries" in store.manifest.index
    embedder = threads.submit(_ready, store.manifest.models, 0 if small else store.manifest.counts["blocks"])
    store.check_ahead(threads, ("blocks.words", "told", *(() if small else ("blocks.ids", "blocks"))))
    return Begun(store, mode, threads, embedder, None if small else threads.submit(_index, store))


def open_snapshot(path: Path, as_of: AsOf, weights: Weights, mode: str = "full") -> Snapshot:
    """`begin` and `finish`."""
    return finish(begin(path, as_of, mode), weights)


def finish(begun: Begun, weights: Weights) -> Snapshot:
    """The snapshot, with the embedder of its vectors if that can be had.

    Raises:
        StoreError: the store cannot be read.
    """
    store, mode, threads, embedder, index = begun
    with threads:
        from h3cold.recall.catalog import make_catalog
        from h3cold.recall.corpus import load_corpus
        from h3cold.recall.languages import find_centres
        from h3cold.recall.naming import company_names
        from h3cold.recall.pool import vectors_of
        from h3cold.recall.search import Snapshot

        corpus = load_corpus(store)
        companies = {row["company"] for row in corpus.documents if row["company"]}
        catalog = make_catalog(corpus.documents, company_names(store, companies) if companies else {})
        model, missing = embedder.result()
        if index is None and model is not None:
            return _small(store, corpus, catalog, model, weights, mode)
        faiss_index, ids, lacking = _index(store) if index is None else index.result()
    if mode != "full" and not missing:
        why = store.manifest.models.get("summaries") or "made by an older version; index the folder again"
        missing = f"searched by full vectors, not by {mode}: summaries are {why}"
    missing = "; ".join(why for why in (missing, lacking) if why)
    if not _same_ids(ids, corpus.ids):
        raise CorruptionError(f"{store.path}: index and blocks disagree; see h3-monitor --verify --repair")
    model = of_languages(model, corpus)
    centres = find_centres(corpus, partial(vectors_of, store, corpus, faiss_index), faiss_index)
    return Snapshot(store, corpus, catalog, faiss_index, weights, model, missing, centres, mode=mode)


def _small(store: ColdStore, corpus: Corpus, catalog: Catalog, embedder: Any, weights: Weights, mode: str) -> Snapshot:
    """The snapshot with no more than summaries in memory."""
    from h3cold.recall.descent import DescentIndex, open_trees
    from h3cold.recall.languages import find_centres
    from h3cold.recall.search import Snapshot, Whole
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
    own = summary_embedder(embedder, index)
    return Snapshot(store, corpus, catalog, index, weights, own, centres=centres, mode=mode, whole=whole)


def _same_ids(lines: bytes, ids: Any) -> bool:
    """Whether `lines` are these ids, a line each; by columns where all have one length, as they nearly always do."""
    width = ids.dtype.itemsize
    if len(lines) == len(ids) * (width + 1):
        table = np.frombuffer(lines, np.uint8).reshape(len(ids), width + 1)
        if (table[:, width] == ord("\n")).all() and (table[:, :width] == ids.view(np.uint8).reshape(-1, width)).all():
            return True
    return lines == b"\n".join([*ids.tolist(), b""])


def _index(store: ColdStore) -> tuple[Any, bytes, str]:
    """The index of vectors, the bytes of the file of its ids, and what it does without, if a file is damaged."""
    from h3cold.recall.flat import read_flat

    ids = store.index_path("blocks.ids")
    path = store.index_path("blocks")
    rows = store.manifest.counts["blocks"]
    with reading(path):  # files may go between two looks
        flat, lines = read_flat(path, rows), ids.read_bytes()
        index, why = (flat, "") if flat is not None else _faiss_index(store, path, rows)
        return index, lines, why


def _faiss_index(store: ColdStore, path: Path, rows: int) -> tuple[Any, str]:
    import faiss

    from h3cold.ingest.store.indexes import read_index

    index = read_index(path, range(rows), mapped=True)
    if not isinstance(index, faiss.IndexIVF):
        return index, ""
    from h3cold.recall.lists import ListIndex

    codes, why = _codes(store, index)
    return ListIndex(index, codes), why


def _codes(store: ColdStore, index: Any) -> tuple[Any, str]:
    """The codes of an index with lists, None where the snapshot has none, and why not where it should."""
    from h3cold.ingest.store.codes import ROLE, open_codes

    if ROLE not in store.manifest.index:
        return None, ""
    try:
        # A larger file is not checked here: what is damaged in it may choose worse, it misleads no comparison.
        path = store.index_path(ROLE, limit=SMALL)
        with reading(path):
            return open_codes(path, index), ""
    except StoreError as e:
        return None, f"searched by meaning without codes, which takes longer: {e}"


def question_embedder(embedder: Embedder, blocks: int) -> Embedder:
    """What embeds questions to a store of so many blocks whose vectors are this model's."""
    from h3cold.ingest.embed import can_be_quicker

    return embedder.quicker() if blocks > QUICK_FROM and can_be_quicker(embedder) else embedder


def of_languages(model: Any, corpus: Corpus) -> Any:
    """The model, if it is a quick one for no more than questions in languages that documents are in."""
    if not hasattr(model, "only"):
        return model
    counts = np.bincount(corpus.language, minlength=len(corpus.languages))
    return model.only({n for n, c in zip(corpus.languages, counts, strict=True) if c >= SPOKEN * len(corpus)})


def _ready(models: Mapping[str, str], blocks: int) -> tuple[Any, str]:
    """The embedder of questions to so many blocks; what it loads at first use is loaded here, beside the tables."""
    model, missing = _embedder(models)
    if model is None:
        return None, missing
    try:
        model = question_embedder(model, blocks)
        model.queries(["ready"])
    except ModelError as e:
        return None, f"no recall by meaning: {e}"
    return model, ""


def _embedder(models: Mapping[str, str]) -> tuple[Any, str]:
    """The embedder that made the snapshot's vectors; vectors of another model do not compare."""
    from h3cold.ingest.embed import open_embedder

    try:
        model = open_embedder(models.get("embedder name", "e5-small"))
        if model.id != models.get("embedder"):
            return None, f"no recall by meaning: the vectors are of {models.get('embedder')}, at hand is {model.id}"
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
