"""Where a question names no document, and its words lead to one and its meaning to another: Doc2Vec has a say.

Everywhere else it is not asked: on eight labelled sets its vector of a question told no more than names, words and
meaning did, and it takes a millisecond.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any, NamedTuple

import numpy as np

from h3cold.ingest.compress.documents import Documents, floats, open_documents
from h3cold.ingest.store.reader import ColdStore
from h3cold.recall.catalog import Evidence
from h3cold.recall.corpus import Corpus
from h3cold.recall.pool import named_documents
from h3cold.recall.rank import Pool
from h3cold.recall.words import Floats
from h3cold.schemas.errors import ModelError, StoreError

SAY = 0.01
"""What the document that is most like the question gains on a middling one: enough to part equals. From .02 on right
pages were lost."""


class DocumentVectors(NamedTuple):
    """Vectors of a snapshot's documents, mapped, and the model that gives a question one."""

    documents: Documents
    model: Any


def open_vectors(store: ColdStore) -> DocumentVectors | str | None:
    """None where the snapshot has no document vectors: its documents are too few to learn from.

    Where they do not open, why: they part equals only, so that every question has an answer without them.
    """
    index = store.manifest.index
    if "documents" not in index or "doc2vec" not in index or "documents.ids" in index:
        return None
    from h3cold.ingest.embed.doc2vec import load

    try:
        return DocumentVectors(open_documents(store.index_path("documents"), None), load(store.index_path("doc2vec")))
    except (StoreError, ModelError) as e:
        return f"equals are not parted by vectors of documents: {e}"


def wavers(pool: Pool, corpus: Corpus, evidence: Evidence) -> bool:
    """Whether no document is named, and the best by words and by meaning lie in different ones."""
    if len(pool.rows) < 2 or len(named_documents(evidence)):
        return False
    best = pool.rows[[int(pool.lexical.argmax()), int(pool.dense.argmax())]]
    return len(set(corpus.document[best].tolist())) > 1


def say(known: DocumentVectors, text: str, pool: Pool, corpus: Corpus) -> Floats:
    """What each candidate gains by its document: `SAY` for the one most like the question, 0 for a middling one."""
    from h3cold.ingest.tokens import lexical

    documents, which = np.unique(corpus.document[pool.rows], return_inverse=True)
    ids = [str(corpus.documents[d]["id"]) for d in documents.tolist()]
    rows = np.array([bisect_left(known.documents.ids, i) for i in ids])
    vector = known.model.vectors([lexical(text)])[0]
    near = np.einsum("ij,j->i", floats(known.documents.codes, known.documents.scales, rows), vector)
    span = float(near.max() - np.median(near))
    share = np.clip((near - np.median(near)) / span, 0, 1) if span > 0 else np.zeros(len(near))
    return np.asarray(SAY * share[which], dtype=np.float32)
