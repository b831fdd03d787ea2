"""What a user would take instead: other programs' rankings of pages, by the same questions and the same embedding.

Each is optional and used as its documentation shows; `pip install --group recall-peers` brings those that the registry
offers. The embedding is ours (the int8 e5) in all of them, so that what is compared is the rest.
"""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from h3cold.recall.baseline import PageText, bm25, rank
from h3cold.recall.measures import Came

DEPTH = 100
"""Pieces taken per question; several of one page count once."""

WORDS = 150
"""Words of a passage where we part pages ourselves."""

Rankings = list[list[Came]]
Rank = Callable[[Path, Sequence[PageText], Sequence[str], Any], Rankings]


class Peer(NamedTuple):
    """A ranking of pages for each question, and the modules that it needs."""

    rank: Rank
    modules: tuple[str, ...] = ()

    @property
    def absent(self) -> bool:
        """Whether something that it needs is not installed."""
        return any(importlib.util.find_spec(m.partition(".")[0]) is None for m in self.modules)


def _pages(found: Sequence[tuple[str, int]]) -> list[Came]:
    return [Came(source, (page,)) for source, page in dict.fromkeys(found)]


def _plain_bm25(folder: Path, pages: Sequence[PageText], queries: Sequence[str], embedder: Any) -> Rankings:
    """BM25 over whole pages, Han as character pairs (`baseline`)."""
    index = bm25([p.text for p in pages])
    return [[Came(pages[i].source, (pages[i].page,)) for i in rank(index, q)[:DEPTH]] for q in queries]


def _bm25s(folder: Path, pages: Sequence[PageText], queries: Sequence[str], embedder: Any) -> Rankings:
    """bm25s over whole pages as its README shows: English stop words, no stemmer."""
    import bm25s

    index = bm25s.BM25()
    index.index(bm25s.tokenize([p.text for p in pages], stopwords="en", show_progress=False), show_progress=False)
    asked = bm25s.tokenize(list(queries), stopwords="en", show_progress=False)
    found, scores = index.retrieve(asked, k=min(DEPTH, len(pages)), show_progress=False)
    return [
        [Came(pages[i].source, (pages[i].page,)) for i, s in zip(row.tolist(), score.tolist(), strict=True) if s > 0]
        for row, score in zip(found, scores, strict=True)
    ]


def _e5_faiss(folder: Path, pages: Sequence[PageText], queries: Sequence[str], embedder: Any) -> Rankings:
    """e5 over passages of 150 words (of 300 characters where there are no blanks) in a flat FAISS index."""
    import faiss

    pieces, places = [], []
    for page in pages:
        for text in _passages(page.text):
            pieces.append(text)
            places.append((page.source, page.page))
    vectors = np.concatenate([embedder.passages(pieces[i : i + 256]) for i in range(0, len(pieces), 256)])
    untyped: Any = faiss
    index = untyped.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    _, rows = index.search(embedder.queries(list(queries)), min(DEPTH, len(pieces)))
    return [_pages([places[i] for i in row.tolist()]) for row in rows]


def _passages(text: str) -> list[str]:
    words = text.split()
    if sum(map(len, words)) > 12 * max(len(words), 1):  # a script without blanks
        whole = "".join(words)
        return [whole[i : i + 2 * WORDS] for i in range(0, len(whole), 2 * WORDS)]
    return [" ".join(words[i : i + WORDS]) for i in range(0, len(words), WORDS)]


def _llama_index(folder: Path, pages: Sequence[PageText], queries: Sequence[str], embedder: Any) -> Rankings:
    """LlamaIndex: SimpleDirectoryReader, VectorStoreIndex with its default splitter, its retriever."""
    from llama_index.core import Settings, SimpleDirectoryReader, VectorStoreIndex
    from llama_index.core.base.embeddings.base import BaseEmbedding

    class Ours(BaseEmbedding):  # type: ignore[misc]
        def _get_query_embedding(self, query: str) -> list[float]:
            return list(map(float, embedder.queries([query])[0]))

        def _get_text_embedding(self, text: str) -> list[float]:
            return list(map(float, embedder.passages([text])[0]))

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return [list(map(float, v)) for v in embedder.passages(texts)]

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_query_embedding(query)

    Settings.llm = None
    documents = SimpleDirectoryReader(str(folder), recursive=True, required_exts=[".pdf"]).load_data()
    # What it calls a page is the label printed in a viewer ("iv", or 3 on the fifth page): its place is counted here.
    counts: Counter[str] = Counter()
    place: dict[tuple[str, Any], int] = {}
    for document in documents:
        file = document.metadata["file_path"]
        counts[file] += 1
        place.setdefault((file, document.metadata.get("page_label")), counts[file])
    index = VectorStoreIndex.from_documents(documents, embed_model=Ours(embed_batch_size=64))
    retriever = index.as_retriever(similarity_top_k=DEPTH)
    out = []
    for query in queries:
        keys = [(n.metadata["file_path"], n.metadata.get("page_label")) for n in retriever.retrieve(query)]
        found = [(_within(folder, file), place[file, label]) for file, label in keys]
        out.append(_pages(found))
    return out


def _haystack(folder: Path, pages: Sequence[PageText], queries: Sequence[str], embedder: Any) -> Rankings:
    """Haystack: PyPDFToDocument, DocumentCleaner, DocumentSplitter (200 words), its in-memory store and retriever."""
    from haystack.components.converters import PyPDFToDocument
    from haystack.components.preprocessors import DocumentCleaner, DocumentSplitter
    from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    sources = sorted({p.source for p in pages})
    meta = [{"place": s} for s in sources]
    documents = PyPDFToDocument().run(sources=[folder / s for s in sources], meta=meta)["documents"]
    splitter = DocumentSplitter(split_by="word", split_length=200)
    splitter.warm_up()
    pieces = splitter.run(documents=DocumentCleaner().run(documents=documents)["documents"])["documents"]
    vectors = np.concatenate(
        [embedder.passages([p.content or "" for p in pieces[i : i + 256]]) for i in range(0, len(pieces), 256)]
    )
    for piece, vector in zip(pieces, vectors, strict=True):
        piece.embedding = list(map(float, vector))
    store = InMemoryDocumentStore(embedding_similarity_function="dot_product")
    store.write_documents(pieces)
    retriever = InMemoryEmbeddingRetriever(store, top_k=DEPTH)
    out = []
    for query in queries:
        found = retriever.run(query_embedding=list(map(float, embedder.queries([query])[0])))["documents"]
        out.append(_pages([(d.meta["place"], int(d.meta["page_number"])) for d in found]))
    return out


def _within(folder: Path, path: str) -> str:
    return Path(path).resolve().relative_to(folder.resolve()).as_posix()


PEERS = {
    "BM25 over pages": Peer(_plain_bm25),
    "bm25s over pages": Peer(_bm25s, ("bm25s",)),
    "e5 in FAISS": Peer(_e5_faiss),
    "LlamaIndex": Peer(_llama_index, ("llama_index", "pypdf")),
    "Haystack": Peer(_haystack, ("haystack", "pypdf")),
}
