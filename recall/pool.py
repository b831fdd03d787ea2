"""Candidates: by words and by meaning, over the whole store and within the documents that the question names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from h3cold.ingest.store.reader import ColdStore
from h3cold.recall.catalog import Evidence
from h3cold.recall.corpus import Bools, Corpus, Floats, Ints, full_text
from h3cold.recall.filters import KINDS
from h3cold.recall.languages import Meaning, nearest_evenly
from h3cold.recall.rank import Pool, Texts
from h3cold.recall.understand import Question

NAMED = 0.5
"""Name evidence from which a document counts as named by the question."""

ROWS = 60
"""Rows of a table whose labels are read."""

ROUTED_DOCUMENTS = 24
"""Documents that are searched on their own, at most; a name that many share routes to none."""


class Found(NamedTuple):
    """BM25 and inner product by row, of what the searches brought."""

    lexical: dict[int, float]
    dense: dict[int, float]


def gather(
    store: ColdStore,
    corpus: Corpus,
    index: Any,
    question: Question,
    meaning: Meaning | None,
    evidence: Evidence,
    *,
    limit: int,
    mask: Bools | None = None,
    structural: bool = False,
) -> Found:
    """Up to `limit` candidates of each search; `meaning` is the embedded question, None for words only.

    Beside the whole store, the documents that the question names are searched on their own, and with `structural`
    the tables, figures and formulas.
    """
    searches: list[Bools | None] = [mask]
    routed = named_documents(corpus, evidence)
    if routed is not None:
        searches.append(routed if mask is None else routed & mask)
    if structural:
        tables = corpus.kind != KINDS.index("passage")
        searches.append(tables if mask is None else tables & mask)
    found = Found({}, {})
    for number, chosen in enumerate(searches):
        if chosen is not None and not chosen.any():
            continue
        take = limit if number == 0 else limit // 2
        rows, scores = full_text(store, corpus, question.terms, limit=take, mask=chosen)
        found.lexical.update(zip(rows.tolist(), scores.tolist(), strict=True))
        if meaning is not None:
            rows, scores = nearest_evenly(index, meaning, limit=take, mask=chosen)
            found.dense.update(zip(rows.tolist(), scores.tolist(), strict=True))
    return found


def best_documents(corpus: Corpus, found: Found, *, count: int) -> list[int]:
    """Documents with the most evidence: the reciprocal ranks of their blocks in either search, summed."""
    sums: Counter[int] = Counter()
    for scores in (found.lexical, found.dense):
        for place, row in enumerate(sorted(scores, key=lambda r: -scores[r])):
            sums[int(corpus.document[row])] += 1 / (10 + place)  # type: ignore[assignment]
    return [d for d, _ in sums.most_common(count)]


def pool_of(
    store: ColdStore, corpus: Corpus, index: Any, found: Found, meaning: Meaning | None, extra: Iterable[int] = ()
) -> Pool:
    """What was found and the `extra` rows, every inner product filled in.

    A block that the word search did not bring gets half of the least score that it did: it has fewer of the words.
    """
    rows = np.array(sorted({*found.lexical, *found.dense, *extra}), dtype=np.int64)
    dense = dict(found.dense)
    if meaning is not None:
        missing = np.array([r for r in rows.tolist() if r not in dense], dtype=np.int64)
        products = vectors_of(store, corpus, index, missing) @ meaning.vector - meaning.level[meaning.of[missing]]
        dense.update(zip(missing.tolist(), products.tolist(), strict=True))
    floor = min(found.lexical.values(), default=0.0) * 0.5
    return Pool(
        rows,
        np.array([found.lexical.get(r, floor) for r in rows.tolist()], np.float32),
        np.array([dense.get(r, 0.0) for r in rows.tolist()], np.float32),
    )


def named_documents(corpus: Corpus, evidence: Evidence) -> Bools | None:
    """Rows of the documents that the question names, of its period where it gives one; None if it names none."""
    if not len(evidence.name) or evidence.name.max() < NAMED:
        return None
    named = evidence.name >= 0.85 * evidence.name.max()
    best = evidence.period[named].max()
    if best > 0:
        named &= evidence.period >= 0.5 * best
    if not 0 < named.sum() <= ROUTED_DOCUMENTS:
        return None
    return np.asarray(named[corpus.document], dtype=bool)


def vectors_of(store: ColdStore, corpus: Corpus, index: Any, rows: Ints) -> Floats:
    """The stored vectors of `rows` [rows, d].

    Raises:
        StoreError: the table cannot be read.
    """
    if not len(rows):
        return np.empty((0, index.d), np.float32)
    import faiss

    if isinstance(index, faiss.IndexFlat):
        return np.asarray(index.reconstruct_batch(rows), dtype=np.float32)
    table = store.table("blocks")._take_rows(corpus.rowid[rows].tolist(), columns=["vector"])
    flat = table["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat.reshape(len(rows), -1), dtype=np.float32)


def read_texts(store: ColdStore, corpus: Corpus, pool: Pool) -> Texts:
    """Search tokens of the candidates' texts, headings and captions.

    Raises:
        StoreError: the table cannot be read.
    """
    if not len(pool.rows):
        return Texts((), (), ())
    table = store.table("blocks")._take_rows(
        corpus.rowid[pool.rows].tolist(), columns=["tokens_text", "headings", "caption"]
    )
    ordered = table["tokens_text"].to_pylist()
    tokens = [frozenset(t.split()) for t in ordered]
    heads = [
        frozenset().union(*(_tokens(h) for h in (*headings, caption)))
        for headings, caption in zip(table["headings"].to_pylist(), table["caption"].to_pylist(), strict=True)
    ]
    return Texts(ordered, tokens, heads)


def read_labels(store: ColdStore, corpus: Corpus, rows: Ints) -> list[list[frozenset[str]]]:
    """Search tokens of the row labels of these tables: the first cell of each line that is no number.

    Raises:
        StoreError: the table cannot be read.
    """
    if not len(rows):
        return []
    texts = store.table("blocks")._take_rows(corpus.rowid[rows].tolist(), columns=["text"])["text"].to_pylist()
    return [[_tokens(line.partition(" | ")[0]) for line in text.splitlines()[:ROWS]] for text in texts]


def about(document: Mapping[str, Any]) -> frozenset[str]:
    """Search tokens of a `documents` row that stand before the text of each of its blocks."""
    return frozenset().union(*(_tokens(document[key] or "") for key in ("title", "company", "period", "doctype")))


@lru_cache(maxsize=1 << 16)
def _tokens(text: str) -> frozenset[str]:
    from h3cold.ingest.tokens import lexical

    return frozenset(lexical(text))
