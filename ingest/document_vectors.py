"""The document-level index: Doc2Vec vectors of all documents, learned from the store's own words.

Derived, like every index. The model is kept while most of the corpus it learned from is still there, and only new
documents get vectors; learning anew on every small change would cost more than it gains.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from h3cold.ingest.store.checksums import Checksums
from h3cold.ingest.store.files import write_bytes
from h3cold.ingest.store.indexes import read_ids, read_index
from h3cold.ingest.store.reader import LOOKUP, quoted
from h3cold.ingest.store.writer import StoreWriter
from h3cold.schemas.errors import H3Error

if TYPE_CHECKING:
    from h3cold.ingest.embed.doc2vec import DocumentModel

DRIFT = 0.2
"""Share of the documents that may come or go before the model is learned anew."""

ROLES = ("documents", "documents.ids", "doc2vec")
"""Index files that this makes."""

READ = 2000
"""Blocks whose words are read at once; a document that has more is read by itself."""

Floats = np.ndarray[Any, np.dtype[np.float32]]


class Words(Mapping[str, list[str]]):
    """Lexical tokens of every document by id, read when they are asked for, with those of the ids that follow.

    Asked in order of id, ten thousand small documents cost some dozens of reads; what is held is of bounded size.
    """

    def __init__(self, writer: StoreWriter) -> None:
        self._blocks = writer.table("blocks")
        rows = writer.table("documents").to_table(columns=["id", "blocks"]).to_pylist()
        self._sizes = {row["id"]: row["blocks"] for row in sorted(rows, key=lambda row: str(row["id"]))}
        self._ids = list(self._sizes)
        self._read: dict[str, list[str]] = {}

    def __getitem__(self, document: str) -> list[str]:
        if document not in self._sizes:
            raise KeyError(document)
        if document not in self._read:
            self._read = self._portion(document)
        return self._read[document]

    def _portion(self, first: str) -> dict[str, list[str]]:
        """Tokens of `first` and of documents after it, as many as `READ` blocks and a lookup take."""
        start = bisect.bisect_left(self._ids, first)
        ids, blocks = [first], self._sizes[first]
        for document in self._ids[start + 1 : start + LOOKUP]:
            blocks += self._sizes[document]
            if blocks > READ:
                break
            ids.append(document)
        which = f"document IN ({', '.join(quoted(document) for document in ids)})"
        table = self._blocks.to_table(filter=which, columns=["document", "position", "tokens_text"])
        out: dict[str, list[str]] = {document: [] for document in ids}
        for row in table.sort_by([("document", "ascending"), ("position", "ascending")]).to_pylist():
            out[row["document"]].extend(row["tokens_text"].split())
        return out

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


class DocumentIndex(NamedTuple):
    """Index files by role (`documents`, `documents.ids`, `doc2vec`), and what to say of them in the status."""

    files: dict[str, str]
    status: str


def build_document_index(writer: StoreWriter) -> DocumentIndex:
    """Write the index of the snapshot that is about to be published.

    Raises:
        StoreError: the files cannot be written.
    """
    from h3cold.ingest.embed.doc2vec import DIMENSION, MIN_DOCUMENTS, too_small, train

    words = Words(writer)
    kept = None if len(words) < MIN_DOCUMENTS else _kept(writer, set(words))
    vectors: dict[str, Floats] = {}
    if kept is None:
        reason = too_small(words)
        if reason:
            return DocumentIndex({}, f"off: {reason}")
        model = train(words)
    else:
        model, vectors = kept
    for document in words:
        if document not in vectors:
            vectors[document] = model.vectors([words[document]])[0]
    ids = list(words)
    matrix = np.stack([vectors[i] for i in ids])
    files = _write_index(writer.path, Path("index") / str(writer.number()), ids, matrix)
    if kept is None or writer.base is None:
        files["doc2vec"] = _save(model, writer.path, Path("index") / str(writer.number()) / "doc2vec.npz")
    else:
        files["doc2vec"] = writer.base.index["doc2vec"]
    return DocumentIndex(files, f"doc2vec, {DIMENSION} dimensions")


def _write_index(store: Path, folder: Path, ids: list[str], vectors: Floats) -> dict[str, str]:
    """All vectors, as half floats: of a document on one page they are most of what is kept."""
    import faiss

    index = faiss.IndexScalarQuantizer(vectors.shape[1], faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT)
    index.train(vectors)
    index.add(np.ascontiguousarray(vectors))
    files = {"documents": folder / "documents.faiss", "documents.ids": folder / "documents.ids"}
    write_bytes(store / files["documents"], faiss.serialize_index(index).tobytes())
    write_bytes(store / files["documents.ids"], "".join(f"{i}\n" for i in ids).encode())
    return {role: file.as_posix() for role, file in files.items()}


def _save(model: DocumentModel, store: Path, relative: Path) -> str:
    draft = store / relative.with_suffix(".draft")
    model.save(draft)
    write_bytes(store / relative, draft.read_bytes())
    draft.unlink()
    return relative.as_posix()


def _kept(writer: StoreWriter, now: set[str]) -> tuple[DocumentModel, dict[str, Floats]] | None:
    """The published model with the vectors that still hold; None where it is time to learn anew."""
    from h3cold.ingest.embed.doc2vec import load

    base = writer.base
    if base is None or not set(ROLES) <= set(base.index) or writer.fresh:
        return None
    if not Checksums(writer.path).hold(base.index[role] for role in ROLES):
        return None
    try:
        then = read_ids(writer.path / base.index["documents.ids"])
        index = read_index(writer.path / base.index["documents"], then)
        model = load(writer.path / base.index["doc2vec"])
        same = [row for row, document in enumerate(then) if document in now and document not in writer.redone]
        if len(now) - len(same) + len(then) - len(same) > DRIFT * len(then):
            return None
        return model, {then[row]: index.reconstruct(row) for row in same}
    except (H3Error, RuntimeError, KeyError):  # derived: what is damaged is made anew
        return None
