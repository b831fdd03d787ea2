"""A cross-encoder of the user's own: it reads the question and each of the best blocks together, and has half a say.

Nothing is downloaded unless the name is a hub model's.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from h3cold.recall.hits import read_blocks
from h3cold.recall.words import Floats
from h3cold.schemas.errors import ModelError

if TYPE_CHECKING:
    from h3cold.ingest.store.reader import ColdStore
    from h3cold.recall.corpus import Corpus
    from h3cold.recall.search import Order

READ = 24
"""Best candidates that the model reads: on two cores a small one takes about 20 ms for each."""

FIRST = 10
"""Of reciprocal rank fusion: how little the very first places count above the next. The scales of a model's scores are
its own, so the two orders are fused by place."""


class CrossEncoder:
    """A `sentence_transformers.CrossEncoder` with one score for a pair.

    Args:
        name: a folder, or a model's name: looked up in the local hub cache first, then on the hub.

    Raises:
        ModelError: there is no such folder, name or network, or what is there is no such model.
    """

    def __init__(self, name: str) -> None:
        from h3cold.ingest.embed.sentence import find_model

        where, download = find_model(
            name, kind="cross-encoder", owner="cross-encoder", instead="leave recall.cross_encoder empty"
        )
        self.name = Path(where).name if Path(where).is_dir() else name
        self._model = _load(where, download=download)

    def scores(self, question: str, texts: Sequence[str]) -> Floats:
        """How well each text answers, higher is better [texts]."""
        found = self._model.predict([(question, text) for text in texts], show_progress_bar=False)
        return np.asarray(found, np.float32)


def _load(where: str, *, download: bool) -> Any:
    import sentence_transformers

    try:
        model = sentence_transformers.CrossEncoder(where, local_files_only=not download)
    except Exception as e:  # the loaders of its many parts raise anything
        reason = " ".join(str(e).split())[:300]
        raise ModelError(f"recall.cross_encoder: {where} is no cross-encoder that loads ({reason})") from e
    if model.num_labels != 1:
        raise ModelError(f"recall.cross_encoder: {where} gives {model.num_labels} scores for a pair; one is needed")
    return model


def reordered(model: CrossEncoder, store: ColdStore, corpus: Corpus, found: Order, question: str) -> list[int]:
    """`found.order` with its best `READ` candidates in the order that it and the model agree on.

    Raises:
        StoreError: the blocks cannot be read.
    """
    first, rest = found.order[:READ], found.order[READ:]
    if len(first) < 2:
        return found.order
    rows = found.pool.rows[first].tolist()
    blocks = read_blocks(store, corpus, rows)
    texts = ["\n".join((*blocks[row].headings, blocks[row].captioned)) for row in rows]
    by_model = np.argsort(np.argsort(-model.scores(question, texts), kind="stable"))
    places = np.arange(len(first))
    fused = 1 / (FIRST + places) + 1 / (FIRST + by_model)
    return [first[i] for i in np.argsort(-fused, kind="stable").tolist()] + rest
