"""What is worked out in other threads while a question's own goes on."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, partial
from typing import TYPE_CHECKING

from h3cold.ingest.embed import asks_in_steps

if TYPE_CHECKING:
    from h3cold.ingest.embed import Embedder, Vectors

BEGUN = 0.005
"""Seconds that a question waits at most for its embedding to begin: all threads may be at others' questions."""


def embed_beside(pool: ThreadPoolExecutor, embedder: Embedder, text: str) -> Future[Vectors]:
    """The question's vector [1, d], worked out outside of Python while it is understood.

    Who starts a thread keeps the interpreter, up to 5 ms, unless he waits for it, and who gives it away for a moment
    gets it back as late: the model would begin then, so all that is Python's of its work is done before.
    """
    begun = threading.Event()
    run = embedder.asking(text) if asks_in_steps(embedder) else partial(embedder.queries, [text])

    def embed() -> Vectors:
        begun.set()
        return run()

    embedding = pool.submit(embed)
    begun.wait(BEGUN)
    return embedding


@cache
def helpers() -> ThreadPoolExecutor:
    """Threads of the process that take over a part of what a question's own does outside of Python."""
    return ThreadPoolExecutor(thread_name_prefix="h3-helper")
