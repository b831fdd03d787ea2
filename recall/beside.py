"""What is worked out in other threads while a question's own goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, partial
from typing import TYPE_CHECKING, TypeVar

from h3cold.ingest.embed import asks_in_steps

if TYPE_CHECKING:
    from h3cold.ingest.embed import Embedder, Vectors

Result = TypeVar("Result")

BEGUN = 0.005
"""Seconds that a question waits at most for its embedding to begin: all threads may be at others' questions."""


def embed_beside(pool: ThreadPoolExecutor, embedder: Embedder, text: str) -> Future[Vectors]:
    """The question's vector [1, d], worked out outside of Python while it is understood.

    All that is Python's of its work is done before: a thread that gives the interpreter away for a moment gets it back
    5 ms later.
    """
    return begin(pool, embedder.asking(text) if asks_in_steps(embedder) else partial(embedder.queries, [text]))


def begin(pool: ThreadPoolExecutor, work: Callable[[], Result]) -> Future[Result]:
    """`work` in another thread, which is at it when this returns, if one is free.

    Who starts a thread keeps the interpreter, up to 5 ms, unless he waits for it.
    """
    begun = threading.Event()

    def run() -> Result:
        begun.set()
        return work()

    future = pool.submit(run)
    begun.wait(BEGUN)
    return future


@cache
def helpers() -> ThreadPoolExecutor:
    """Threads of the process that take over a part of what a question's own does outside of Python."""
    return ThreadPoolExecutor(thread_name_prefix="h3-helper")
