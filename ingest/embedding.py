"""Vectors for blocks, made beside the parsing: one document after the other, in a thread of their own."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from h3cold.ingest.compress.runs import packed
from h3cold.ingest.embed import PassageEmbedder, gives_tokens
from h3cold.ingest.ledger import Ledger
from h3cold.ingest.progress import Progress
from h3cold.ingest.stages import Drafted
from h3cold.ingest.store.reader import ColdStore
from h3cold.schemas.config import Config

AHEAD = 8
"""Documents that may wait for their vectors before the parsing is held up: what bounds memory."""

SLICE = 32
"""Texts embedded between two looks at whether to stop."""

RECORDED = 16
"""Slices whose vectors are put on record together."""

Floats = np.ndarray[Any, np.dtype[np.float32]]


Made = tuple[Floats, Sequence[bytes], Floats | None]


class Embedded(NamedTuple):
    """A document with its vectors: text [blocks, dimension], pictures [images, dimension] or None without a model.

    `runs` are what is kept of each block's token vectors (`compress.runs`), none where the model gives none.
    """

    drafted: Drafted
    only: Collection[str]
    texts: Floats
    runs: Sequence[bytes]
    pictures: Floats | None


class Embedding:
    """The models of a build, each opened when the first document needs it.

    Vectors of long documents go on record in `ledger`, where it is set, as they are made.

    A document's texts are embedded by themselves, never in a batch with another's: some models give a text vectors
    that depend a little on its batch, and a document's rows must not depend on what was indexed with it.
    """

    def __init__(self, config: Config, past: ColdStore | None, show: Progress) -> None:
        self._show = show
        self.ledger: Ledger | None = None
        self.name = config.ingest.embedder
        self.clip = config.ingest.clip if config.ingest.images else ""
        self._embedder: Any = None
        self._clip: Any = None
        self._stop = threading.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="embed")
        self._waiting: deque[tuple[Drafted, Collection[str], Future[Made]]] = deque()
        models = {} if past is None else past.manifest.models
        # What the store was made with is not opened just to ask for its size.
        self._known = models.get("embedder") if models.get("embedder name") == self.name else None
        self._past = past

    @property
    def id(self) -> str:
        """The text model's own id."""
        return self._known or str(self._open().id)

    @property
    def dimensions(self) -> tuple[int, int]:
        """Length of a text vector and of a picture's (0 = there are none).

        Raises:
            ModelError: a model does not load.
        """
        past = self._past
        if self._known is not None and past is not None:
            text = int(past.table("blocks").schema.field("vector").type.list_size)
        else:
            text = int(self._open().dimension)
        if not self.clip:
            return text, 0
        if past is not None and past.manifest.models.get("clip") == self.clip:
            return text, int(past.table("images").schema.field("vector").type.list_size)
        return text, int(self._open_clip().dimension)

    def models(self) -> dict[str, str]:
        """What the manifest and the status say of them."""
        from h3cold.ingest.embed import clip

        return {"embedder": self.id, "embedder name": self.name, "clip": self.clip, "images": clip.status(self.clip)}

    def passages(self, texts: Sequence[str]) -> Floats:
        """Vectors [n, dimension] of texts that are no blocks.

        Raises:
            ModelError: the model does not load.
        """
        vectors: Floats = self._open().passages(texts)
        return vectors

    def _open(self) -> Any:
        if self._embedder is None:
            from h3cold.ingest.embed import open_embedder

            self._embedder = open_embedder(self.name)
        return self._embedder

    def _open_clip(self) -> Any:
        if self._clip is None:
            from h3cold.ingest.embed.clip import ClipModel

            self._clip = ClipModel(self.clip)
        return self._clip

    def submit(self, drafted: Drafted, only: Collection[str], source: str) -> None:
        """Queue a document; `source` is its name in what is shown."""
        self._waiting.append((drafted, only, self._thread.submit(self._vectors, drafted, source)))

    def ready(self, *, leave: int = AHEAD) -> Iterator[Embedded]:
        """Documents whose vectors are there, in the order they came; waits until at most `leave` are not.

        Raises:
            ModelError: a model does not load.
        """
        while self._waiting and (len(self._waiting) > leave or self._waiting[0][2].done()):
            drafted, only, future = self._waiting.popleft()
            yield Embedded(drafted, only, *future.result())

    def _vectors(self, drafted: Drafted, source: str) -> Made:
        texts, runs = self._passages(drafted, source)
        if not self.clip or not drafted.images or self._stop.is_set():
            return texts, runs, None
        return texts, runs, self._open_clip().images([row["png"] for row in drafted.images])

    def _passages(self, drafted: Drafted, source: str) -> tuple[Floats, Sequence[bytes]]:
        texts = drafted.indexed
        embedder = self._open()
        out = np.zeros((len(texts), embedder.dimension), dtype=np.float32)
        runs: list[bytes] = [b""] * len(texts)
        order = sorted(range(len(texts)), key=lambda i: (len(texts[i]), texts[i]))
        long = SLICE * RECORDED
        ledger = self.ledger if len(texts) > long else None  # shorter ones are soon made again
        for start in range(0, len(order), long):
            part = order[start : start + long]
            own = [texts[i] for i in part]
            known = None if ledger is None else ledger.vectors(drafted.document, own)
            if known is not None:
                out[part] = known[0]
                for i, data in zip(part, known[1], strict=True):
                    runs[i] = data
                continue
            for i in range(0, len(part), SLICE):
                if self._stop.is_set():
                    return out, ()
                self._show.vectors(source, start + i, len(texts))
                began = time.monotonic()
                out[part[i : i + SLICE]], made = embed(embedder, own[i : i + SLICE])
                for place, data in zip(part[i : i + SLICE], made, strict=True):
                    runs[place] = data
                self._show.spent("embed", time.monotonic() - began)
            if ledger is not None:
                ledger.save_vectors(drafted.document, own, out[part], [runs[i] for i in part])
        return out, runs if all(runs) else ()

    def __enter__(self) -> Embedding:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.shutdown(wait=True, cancel_futures=True)


def embed(embedder: PassageEmbedder, texts: Sequence[str]) -> tuple[Floats, list[bytes]]:
    """Vectors of passages, and what is kept of their tokens' (empty where the model gives none)."""
    if not gives_tokens(embedder):
        return embedder.passages(texts), [b""] * len(texts)
    vectors, states = embedder.passage_states(texts)
    return vectors, [packed(s) for s in states]
