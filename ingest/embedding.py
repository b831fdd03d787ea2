"""Vectors for blocks, made beside the parsing: one document after the other, in a thread of their own."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any

import numpy as np

from h3cold.ingest.stages import Drafted
from h3cold.ingest.store.reader import ColdStore
from h3cold.schemas.config import Config

AHEAD = 8
"""Documents that may wait for their vectors before the parsing is held up: what bounds memory."""

SLICE = 32
"""Texts embedded between two looks at whether to stop."""

Floats = np.ndarray[Any, np.dtype[np.float32]]


class Embedding:
    """The text embedder of a build, opened when the first document needs it.

    A document's texts are embedded by themselves, never in a batch with another's: quantised models give a text
    vectors that depend a little on its batch, and a document's rows must not depend on what was indexed with it.
    """

    def __init__(self, config: Config, past: ColdStore | None) -> None:
        self._name = config.ingest.embedder
        self._embedder: Any = None
        self._stop = threading.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="embed")
        self._waiting: deque[tuple[Drafted, Collection[str], Future[Floats]]] = deque()
        self._known: tuple[str, int] | None = None
        if past is not None and past.manifest.models.get("embedder name") == self._name:
            dimension = past.table("blocks").schema.field("vector").type.list_size
            self._known = (past.manifest.models["embedder"], dimension)

    @property
    def name(self) -> str:
        """The embedder as the configuration names it."""
        return self._name

    @property
    def id(self) -> str:
        """The model's own id."""
        return self._known[0] if self._known else str(self._open().id)

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._known[1] if self._known else int(self._open().dimension)

    def _open(self) -> Any:
        if self._embedder is None:
            from h3cold.ingest.embed import open_embedder

            self._embedder = open_embedder(self._name)
        return self._embedder

    def submit(self, drafted: Drafted, only: Collection[str]) -> None:
        """Queue a document."""
        self._waiting.append((drafted, only, self._thread.submit(self._passages, drafted.indexed)))

    def ready(self, *, leave: int = AHEAD) -> Iterator[tuple[Drafted, Floats, Collection[str]]]:
        """Documents whose vectors are there, in the order they came; waits until at most `leave` are not.

        Raises:
            ModelError: the embedder does not load.
        """
        while self._waiting and (len(self._waiting) > leave or self._waiting[0][2].done()):
            drafted, only, future = self._waiting.popleft()
            yield drafted, future.result(), only

    def _passages(self, texts: tuple[str, ...]) -> Floats:
        embedder = self._open()
        out = np.zeros((len(texts), embedder.dimension), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda i: (len(texts[i]), texts[i]))
        for start in range(0, len(order), SLICE):
            if self._stop.is_set():
                break
            part = order[start : start + SLICE]
            out[part] = embedder.passages([texts[i] for i in part])
        return out

    def __enter__(self) -> Embedding:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.shutdown(wait=True, cancel_futures=True)
