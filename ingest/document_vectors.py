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

from h3cold.ingest.compress.documents import Documents, floats, index_documents, open_documents
from h3cold.ingest.compress.lists import LEAST
from h3cold.ingest.store.checksums import Checksums
from h3cold.ingest.store.files import write_bytes
from h3cold.ingest.store.reader import LOOKUP, quoted
from h3cold.ingest.store.writer import StoreWriter
from h3cold.schemas.errors import H3Error

if TYPE_CHECKING:
    from h3cold.ingest.embed.doc2vec import DocumentModel

DRIFT = 0.2
"""Share of the documents that may come or go before the model is learned anew."""

ROLES = ("documents", "documents.lists", "doc2vec", "documents.ids")
"""Index files that this makes; `documents.lists` where there are enough documents to learn lists from. Of the last,
older stores have one.
"""

NEEDED = ("documents", "doc2vec")
"""Those of them without which a build learns anew."""

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
    """Index files by role (see `ROLES`), and what to say of them in the status."""

    files: dict[str, str]
    status: str


def build_document_index(writer: StoreWriter, *, anew: bool = False) -> DocumentIndex:
    """Write the index of the snapshot that is about to be published; `anew` where the former one is not to be believed.

    Raises:
        StoreError: the files cannot be written.
    """
    from h3cold.ingest.embed.doc2vec import DIMENSION, MIN_DOCUMENTS, too_small, train

    words = Words(writer)
    then: Documents | None = None
    rows: dict[str, int] = {}
    kept = None if anew or len(words) < MIN_DOCUMENTS else _kept(writer, set(words))
    if kept is None:
        reason = too_small(words)
        if reason:
            return DocumentIndex({}, f"off: {reason}")
        model = train(words)
    else:
        model, then, rows = kept
    folder = Path("index") / str(writer.number())
    ids = list(words)
    old = np.array([rows.get(i, -1) for i in ids], np.int64)

    def vectors(start: int, end: int) -> Floats:
        out = np.empty((end - start, DIMENSION), np.float32)
        for place, row in enumerate(old[start:end].tolist()):
            if then is not None and row >= 0:
                out[place] = floats(then.codes, then.scales, np.array([row]))[0]
            else:
                out[place] = model.vectors([words[ids[start + place]]])[0]
        return out

    files = index_documents(writer.path, folder, ids, vectors, former=then, old=old)
    if kept is None or writer.base is None:
        files["doc2vec"] = _save(model, writer.path, folder / "doc2vec.npz")
    else:
        files["doc2vec"] = writer.base.index["doc2vec"]
    return DocumentIndex(files, f"doc2vec, {DIMENSION} dimensions, {_how(len(ids), files)}")


def _how(count: int, files: Mapping[str, str]) -> str:
    if "documents.lists" in files:
        return "searched by lists of codes, 12 bytes a document"
    return f"compared one by one: fewer than {LEAST:,} documents are too few to learn codes from"


def _save(model: DocumentModel, store: Path, relative: Path) -> str:
    draft = store / relative.with_suffix(".draft")
    model.save(draft)
    write_bytes(store / relative, draft.read_bytes())
    draft.unlink()
    return relative.as_posix()


def _kept(writer: StoreWriter, now: set[str]) -> tuple[DocumentModel, Documents, dict[str, int]] | None:
    """The published model and index with the rows that still hold; None where it is time to learn anew."""
    from h3cold.ingest.embed.doc2vec import load

    base = writer.base
    if base is None or not set(NEEDED) <= set(base.index) or writer.fresh:
        return None
    own = [base.index[role] for role in ROLES if role in base.index]
    if not Checksums(writer.path).hold(own):
        return None
    try:
        lists = base.index.get("documents.lists")
        then = open_documents(writer.path / base.index["documents"], None if lists is None else writer.path / lists)
        model = load(writer.path / base.index["doc2vec"])
        same = {i: row for row, i in enumerate(then.ids) if i in now and i not in writer.redone}
        if len(now) - len(same) + len(then.ids) - len(same) > DRIFT * len(then.ids):
            return None
        return model, then, same
    except (H3Error, RuntimeError, KeyError):  # derived: what is damaged is made anew
        return None
