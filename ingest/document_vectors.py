"""The document-level index: Doc2Vec vectors of all documents, learned from the store's own words.

Derived, like every index. The model is kept while most of the corpus it learned from is still there, and only new
documents get vectors; learning anew on every small change would cost more than it gains.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from h3cold.ingest.store.files import write_bytes
from h3cold.ingest.store.indexes import read_ids, read_index, write_index
from h3cold.ingest.store.reader import quoted
from h3cold.ingest.store.writer import StoreWriter
from h3cold.schemas.errors import H3Error

if TYPE_CHECKING:
    from h3cold.ingest.embed.doc2vec import DocumentModel

DRIFT = 0.2
"""Share of the documents that may come or go before the model is learned anew."""

Floats = np.ndarray[Any, np.dtype[np.float32]]


class Words(Mapping[str, list[str]]):
    """Lexical tokens of every document by id, read when they are asked for."""

    def __init__(self, writer: StoreWriter) -> None:
        self._blocks = writer.table("blocks")
        self._ids = sorted(writer.table("documents").to_table(columns=["id"])["id"].to_pylist())

    def __getitem__(self, document: str) -> list[str]:
        columns = ["position", "tokens_text"]
        table = self._blocks.to_table(filter=f"document = {quoted(document)}", columns=columns).sort_by("position")
        return [token for text in table["tokens_text"].to_pylist() for token in text.split()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


class DocumentIndex(NamedTuple):
    """Index files by role (`documents`, `documents.ids`, `doc2vec`), and what to say of them in the status."""

    files: dict[str, str]
    status: str


def build_document_index(writer: StoreWriter, *, redone: Collection[str]) -> DocumentIndex:
    """Write the index of the snapshot that is about to be published; `redone` documents have other words than before.

    Raises:
        StoreError: the files cannot be written.
    """
    from h3cold.ingest.embed.doc2vec import DIMENSION, MIN_DOCUMENTS, too_small, train

    words = Words(writer)
    kept = None if len(words) < MIN_DOCUMENTS else _kept(writer, set(words), set(redone))
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
    files = write_index(writer.path, "documents", ids, matrix, snapshot=writer.number())
    relative = Path("index") / str(writer.number()) / "doc2vec.npz"
    return DocumentIndex(files | {"doc2vec": _save(model, writer.path, relative)}, f"doc2vec, {DIMENSION} dimensions")


def _save(model: DocumentModel, store: Path, relative: Path) -> str:
    draft = store / relative.with_suffix(".draft")
    model.save(draft)
    write_bytes(store / relative, draft.read_bytes())
    draft.unlink()
    return relative.as_posix()


def _kept(writer: StoreWriter, now: set[str], redone: set[str]) -> tuple[DocumentModel, dict[str, Floats]] | None:
    """The published model with the vectors that still hold; None where it is time to learn anew."""
    from h3cold.ingest.embed.doc2vec import load

    base = writer.base
    if base is None or "doc2vec" not in base.index or writer.fresh or writer.resumed:
        return None
    try:
        then = read_ids(writer.path / base.index["documents.ids"])
        index = read_index(writer.path / base.index["documents"], then)
        model = load(writer.path / base.index["doc2vec"])
        same = [row for row, document in enumerate(then) if document in now and document not in redone]
        if len(now) - len(same) + len(then) - len(same) > DRIFT * len(then):
            return None
        return model, {then[row]: index.reconstruct(row) for row in same}
    except (H3Error, RuntimeError, KeyError):  # derived: what is damaged is made anew
        return None
