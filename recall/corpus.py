"""A snapshot's blocks as recall sees them: narrow columns and words, mapped from the index; the search by meaning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from h3cold.ingest.store.arrays import map_arrays
from h3cold.ingest.store.checksums import SMALL
from h3cold.ingest.store.reader import ColdStore
from h3cold.ingest.store.said import ROLE, Said, open_said
from h3cold.recall.filters import KINDS, Where, accepts
from h3cold.recall.flat import FlatVectors
from h3cold.recall.places import LAST
from h3cold.recall.words import Bools, Floats, Ints, Words, open_words
from h3cold.schemas.errors import CorruptionError

Bits = np.ndarray[Any, np.dtype[np.uint8]]

EXACT = 1 << 14
"""Rows up to which each vector is compared with the question's, whatever the index would look at."""


class Corpus(NamedTuple):
    """Columns by row; rows are in order of block id, as in the FAISS index.

    `document` indexes `documents` (rows of the table, by id), `kind` indexes `filters.KINDS`, `language` indexes
    `languages`. `page` is the block's first and `last_page` its last, `group` the same number for the pieces of one
    split table and -1 for all else; `blank` says that a block has neither text nor caption, `structural` that it is no
    passage. The rows of document d are `starts[d]` to `starts[d + 1]`; `about[d]` are tokens of its names, where they
    were looked up. `spoken` is the share of blocks in each language. `said` is the index of what blocks say, None in
    a store that was made before there was one.
    """

    ids: Any
    document: Ints
    starts: Ints
    position: Ints
    page: Ints
    last_page: Ints
    kind: Ints
    language: Ints
    rowid: Ints
    group: Ints
    blank: Bools
    structural: Bools
    documents: list[dict[str, Any]]
    languages: tuple[str, ...]
    spoken: dict[str, float]
    words: Words
    about: dict[int, Ints]
    said: Said | None

    def __len__(self) -> int:  # type: ignore[override]
        return len(self.rowid)


def load_corpus(store: ColdStore) -> Corpus:
    """Map the index of words, read the documents.

    Raises:
        StoreError: the index or the table cannot be read.
        CorruptionError: a block names a document that is not there.
    """
    arrays, notes = map_arrays(store.index_path("blocks.words"))
    documents = [row for _, row in sorted(store.documents().items())]
    place = {row["id"].encode(): i for i, row in enumerate(documents)}
    numbers = np.array([place.get(d, -1) for d in arrays["documents"].tolist()], np.int64)
    document = numbers[arrays["document"]] if len(numbers) else np.zeros(0, np.int64)
    if (numbers < 0).any() or (np.diff(document) < 0).any():
        raise CorruptionError(
            f"{store.path}: blocks without their document; see h3-monitor --verify --repair, or index again with"
            " --rebuild"
        )
    kinds: Any = np.array([KINDS.index(kind) for kind in notes["kind"]], np.int8)
    counts = np.bincount(arrays["language"], minlength=len(notes["language"]))
    kind: Ints = kinds[arrays["kind"]] if len(kinds) else np.zeros(0, np.int8)
    return Corpus(
        ids=arrays["ids"],
        document=document,
        starts=np.searchsorted(document, np.arange(len(documents) + 1)),
        position=arrays["position"],
        page=arrays["page"],
        last_page=arrays["last_page"],
        kind=kind,
        language=arrays["language"],
        rowid=arrays["rowid"],
        group=arrays["group"],
        blank=arrays["blank"],
        structural=kind != KINDS.index("passage"),
        documents=documents,
        languages=tuple(notes["language"]),
        spoken=dict(zip(notes["language"], (counts / max(1, len(kind))).tolist(), strict=True)),
        words=open_words(arrays),
        about={},
        said=_said(store, len(arrays["ids"])),
    )


def is_abroad(corpus: Corpus, row: int, language: str) -> bool:
    """Whether neither a block nor its document is in a language: listings and references within a text are at home."""
    own = corpus.documents[int(corpus.document[row])]["language"]
    return language not in (corpus.languages[int(corpus.language[row])], own)


def _said(store: ColdStore, size: int) -> Said | None:
    if ROLE not in store.manifest.index:
        return None
    said = open_said(store.index_path(ROLE, limit=SMALL))  # what a larger one gives has digests of its own
    if len(said.digests) != size:
        raise CorruptionError(f"{said.path}: it is not of these blocks; see h3-monitor --verify --repair")
    return said


def rows_of_documents(corpus: Corpus, documents: Ints) -> Ints:
    """All rows of these documents."""
    spans = [np.arange(corpus.starts[d], corpus.starts[d + 1]) for d in documents.tolist()]
    return np.concatenate([np.empty(0, np.int64), *spans])


def mask_of(corpus: Corpus, where: Where) -> Bools | None:
    """Rows that pass the filters [n], None where nothing is filtered."""
    if not where.documents and not where.kinds and not where.pages:
        return None
    good = np.array([accepts(where, row) for row in corpus.documents], dtype=bool)
    mask: Bools = good[corpus.document] if len(good) else np.zeros(len(corpus), dtype=bool)
    if where.kinds:
        mask &= np.isin(corpus.kind, [KINDS.index(k) for k in where.kinds])
    if where.pages:
        mask &= np.any([(corpus.last_page >= a) & (corpus.page <= b) for a, b in where.pages], axis=0)
    return mask


def last_pages(corpus: Corpus) -> Ints:
    """The number of each document's last page that holds anything, 0 where none does [documents]."""
    out = np.zeros(len(corpus.documents), np.int64)
    held = np.flatnonzero(np.diff(corpus.starts))
    if len(held):
        out[held] = np.maximum.reduceat(corpus.last_page, corpus.starts[held])
    return out


def rows_on(corpus: Corpus, pages: Sequence[int]) -> Bools:
    """Rows on one of these 1-based pages, `places.LAST` being the last of each document [n]."""
    out = np.zeros(len(corpus), np.bool_)
    for page in pages:
        wanted = last_pages(corpus)[corpus.document] if page == LAST else page
        out |= (corpus.page <= wanted) & (corpus.last_page >= wanted)
    return out


def row_of(corpus: Corpus, block: str) -> int | None:
    """Row of a block by its id; None if it is not in the snapshot."""
    wanted = block.encode("utf-8", "surrogatepass")
    at = int(np.searchsorted(corpus.ids, np.array(wanted, dtype=corpus.ids.dtype)))
    return at if at < len(corpus) and corpus.ids[at] == wanted else None


def pieces_of(corpus: Corpus, row: int) -> Ints:
    """Rows of the table that the block of `row` is a piece of, itself among them; none if it is whole."""
    group, document = corpus.group[row], corpus.document[row]
    if group < 0:
        return np.empty(0, np.int64)
    start, end = corpus.starts[document : document + 2]
    return np.asarray(start + np.flatnonzero(corpus.group[start:end] == group))


def packed(mask: Bools) -> Bits:
    """A mask as FAISS takes it, eight rows a byte."""
    return np.packbits(mask, bitorder="little")


def plain_vectors(index: Any) -> Floats | None:
    """All vectors [n, d] of an index that keeps them as they are, None of any other."""
    if isinstance(index, FlatVectors):
        return index.vectors if index.ntotal else None
    import faiss

    if not isinstance(index, faiss.IndexFlat) or not index.ntotal:
        return None
    untyped: Any = faiss  # its stubs do not know the wrappers that take arrays and keywords
    vectors: Floats = untyped.rev_swig_ptr(index.get_xb(), index.ntotal * index.d).reshape(index.ntotal, index.d)
    return vectors


def nearest(index: Any, query: Floats, *, limit: int, bits: Bits | None = None) -> tuple[Ints, Floats]:
    """Rows and inner products, best first, of the blocks nearest to `query` [d], of those whose bit is set."""
    if not index.ntotal:
        return np.empty(0, np.int64), np.empty(0, np.float32)
    import faiss

    if not isinstance(index, faiss.Index):  # one of ours
        found: tuple[Ints, Floats] = index.nearest(query, limit=limit, bits=bits)
        return found
    with one_thread():
        parameters = None if bits is None else selecting(index, bits)
        scores, rows = index.search(query[None, :], min(limit, index.ntotal), params=parameters)
    return _found(rows[0], scores[0])


def _found(rows: Any, scores: Any) -> tuple[Ints, Floats]:
    good = rows >= 0
    return np.asarray(rows[good], dtype=np.int64), np.asarray(scores[good], dtype=np.float32)


@contextmanager
def one_thread() -> Iterator[None]:
    """FAISS's own threads, which this one's setting is about, sleep: one question is not worth waking them for."""
    import faiss

    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(threads)


def selecting(index: Any, bits: Bits | None, *, lists: int | None = None) -> Any:
    """FAISS's search parameters that leave out rows whose bit is not set; `lists` is how many are looked at."""
    import faiss

    untyped: Any = faiss
    selector = None if bits is None else untyped.IDSelectorBitmap(bits)
    if isinstance(index, untyped.IndexIVF):
        return untyped.SearchParametersIVF(sel=selector, nprobe=lists or index.nprobe)
    return untyped.SearchParameters(sel=selector)
