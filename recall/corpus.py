"""The narrow columns of a snapshot that recall keeps in memory, and the two searches over all blocks."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from h3cold.ingest.store.reader import ColdStore, quoted
from h3cold.recall.filters import KINDS, Where, accepts
from h3cold.schemas.errors import CorruptionError

Floats = np.ndarray[Any, np.dtype[np.float32]]
Ints = np.ndarray[Any, np.dtype[np.int64]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]
COLUMNS = ["id", "document", "position", "page", "pages", "kind", "language", "group", "tokens"]
DOCUMENT_FILTER = 200
"""Documents up to which a filter is handed to the full-text index; more are filtered in what it returns."""


class Corpus(NamedTuple):
    """Columns by row; rows are in order of block id, as in the FAISS index.

    `document` indexes `documents` (rows of the table, by id), `kind` indexes `filters.KINDS`, `language` indexes
    `languages`. `page` is the block's first and `last_page` its last, `group` the same number for the pieces of one
    split table and -1 for all else; `blank` says that a block has neither text nor caption. `by_rowid` sorts `rowid`.
    """

    ids: Any
    document: Ints
    position: Ints
    page: Ints
    last_page: Ints
    kind: Ints
    language: Ints
    rowid: Ints
    by_rowid: Ints
    group: Ints
    blank: Bools
    documents: list[dict[str, Any]]
    languages: tuple[str, ...]

    def __len__(self) -> int:  # type: ignore[override]
        return len(self.rowid)


def load_corpus(store: ColdStore) -> Corpus:
    """Read the columns.

    Raises:
        StoreError: the tables cannot be read.
        CorruptionError: a block names a document that is not there.
    """
    scan = store.table("blocks").scanner(columns=COLUMNS, with_row_id=True)
    table = scan.to_table().sort_by("id").combine_chunks()
    documents = [row for _, row in sorted(store.documents().items())]
    document = _codes(table["document"], {row["id"]: i for i, row in enumerate(documents)})
    if (document < 0).any():
        raise CorruptionError(f"{store.path}: blocks without their document; index the folder again with --rebuild")
    rowid = _ints(table["_rowid"])
    languages = tuple(sorted(set(table["language"].unique().to_pylist())))
    return Corpus(
        ids=table["id"],
        document=document,
        position=_ints(table["position"]),
        page=_ints(table["page"]),
        last_page=_last(table["pages"]),
        kind=_codes(table["kind"], {kind: i for i, kind in enumerate(KINDS)}),
        language=_codes(table["language"], {name: i for i, name in enumerate(languages)}),
        rowid=rowid,
        group=_codes(table["group"], {name: i for i, name in enumerate(table["group"].unique().to_pylist()) if name}),
        by_rowid=np.argsort(rowid),
        blank=_blank(store, rowid, _ints(table["tokens"])),
        documents=documents,
        languages=languages,
    )


def _codes(column: Any, known: dict[str, int]) -> Ints:
    """The number of each text of a column, -1 where it is not known. (`pyarrow.array` would import pandas.)"""
    out = [np.empty(0, np.int64)]
    for chunk in column.dictionary_encode().chunks:
        codes = np.array([known.get(text, -1) for text in chunk.dictionary.to_pylist()], np.int64)
        out.append(codes[chunk.indices.to_numpy(zero_copy_only=False)])
    return np.concatenate(out)


def _blank(store: ColdStore, rowid: Ints, tokens: Ints) -> Bools:
    """Which blocks have neither text nor caption: pictures of which the file says nothing."""
    out = np.zeros(len(rowid), dtype=bool)
    maybe = np.flatnonzero(tokens == 0)
    if len(maybe):
        table = store.table("blocks")._take_rows(rowid[maybe].tolist(), columns=["text", "caption"])
        said = zip(table["text"].to_pylist(), table["caption"].to_pylist(), strict=True)
        out[maybe] = [not (text + caption).strip() for text, caption in said]
    return out


def _last(column: Any) -> Ints:
    """Last item of each list; the lists are ascending and none is empty."""
    ends = [np.asarray(c.flatten(), dtype=np.int64)[np.cumsum(c.value_lengths()) - 1] for c in column.chunks if len(c)]
    return np.concatenate([np.empty(0, np.int64), *ends])


def _ints(column: Any) -> Ints:
    return np.concatenate([np.empty(0, np.int64), *(np.asarray(c, dtype=np.int64) for c in column.chunks)])


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


def full_text(
    store: ColdStore, corpus: Corpus, terms: Sequence[tuple[str, float]], *, limit: int, mask: Bools | None = None
) -> tuple[Ints, Floats]:
    """Rows and BM25 scores, best first, of blocks that hold any of the weighted `terms`.

    With a mask of few documents the index searches those only; with a wide one what it returns is filtered.
    """
    if not terms:
        return np.empty(0, np.int64), np.empty(0, np.float32)
    from lance.query import BooleanQuery, MatchQuery, Occur

    query = BooleanQuery([(Occur.SHOULD, MatchQuery(t, "tokens_text", boost=w)) for t, w in terms])
    condition, kept = _condition(corpus, mask)
    found = (
        store.table("blocks")
        .scanner(
            columns=["_score"],
            with_row_id=True,
            full_text_query=query,
            limit=limit if mask is None or kept else min(limit * 8, len(corpus)),
            filter=condition,
            prefilter=condition is not None,
        )
        .to_table()
    )
    rows = rows_of(corpus, np.asarray(found["_rowid"].to_numpy(), dtype=np.int64))
    scores = np.asarray(found["_score"].to_numpy(), dtype=np.float32)
    if mask is not None:
        good = mask[rows]
        rows, scores = rows[good], scores[good]
    return rows[:limit], scores[:limit]


def _condition(corpus: Corpus, mask: Bools | None) -> tuple[str | None, bool]:
    """A filter for Lance that holds at least the mask's rows, and whether it is narrow."""
    if mask is None:
        return None, False
    documents = np.unique(corpus.document[mask])
    if len(documents) > DOCUMENT_FILTER:
        return None, False
    listed = ", ".join(quoted(corpus.documents[d]["id"]) for d in documents) or "''"
    kinds = np.unique(corpus.kind[mask])
    clause = f"document IN ({listed})"
    if len(kinds) < len(KINDS):
        clause += f" AND kind IN ({', '.join(quoted(KINDS[k]) for k in kinds) or repr('')})"
    if mask.any():
        pages = corpus.page[mask]
        clause += f" AND page >= {pages.min()} AND page <= {pages.max()}"
    return clause, True


def rows_of(corpus: Corpus, rowids: Ints) -> Ints:
    """Rows with these Lance row ids."""
    places = np.searchsorted(corpus.rowid, rowids, sorter=corpus.by_rowid)
    return np.asarray(corpus.by_rowid[places], dtype=np.int64)


def row_of(corpus: Corpus, block: str) -> int | None:
    """Row of a block by its id; None if it is not in the snapshot."""
    at = bisect.bisect_left(range(len(corpus)), block, key=lambda i: corpus.ids[i].as_py())
    return at if at < len(corpus) and corpus.ids[at].as_py() == block else None


def pieces_of(corpus: Corpus, row: int) -> Ints:
    """Rows of the table that the block of `row` is a piece of, itself among them; none if it is whole."""
    group = corpus.group[row]
    return np.flatnonzero(corpus.group == group) if group >= 0 else np.empty(0, np.int64)


def nearest(index: Any, query: Floats, *, limit: int, mask: Bools | None = None) -> tuple[Ints, Floats]:
    """Rows and inner products, best first, of the blocks nearest to `query` [d]."""
    if not index.ntotal:
        return np.empty(0, np.int64), np.empty(0, np.float32)
    parameters = None if mask is None else _selecting(index, mask)
    scores, rows = index.search(query[None, :], min(limit, index.ntotal), params=parameters)
    good = rows[0] >= 0
    return np.asarray(rows[0][good], dtype=np.int64), np.asarray(scores[0][good], dtype=np.float32)


def _selecting(index: Any, mask: Bools) -> Any:
    """FAISS's search parameters that leave out what the mask does."""
    import faiss

    untyped: Any = faiss  # its stubs do not know the wrappers that take arrays and keywords
    selector = untyped.IDSelectorBitmap(np.packbits(mask, bitorder="little"))
    if isinstance(index, untyped.IndexIVF):
        return untyped.SearchParametersIVF(sel=selector, nprobe=index.nprobe)
    return untyped.SearchParameters(sel=selector)
