"""What is worked out in other threads while a question's own goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from h3cold.ingest.embed import asks_in_steps

if TYPE_CHECKING:
    from h3cold.ingest.embed import Embedder, Vectors

Result = TypeVar("Result")

BEGUN = 0.005
"""Seconds that a question waits at most for its embedding to begin: all threads may be at others' questions."""


class Beside(NamedTuple):
    """A question's vectors [1, d] as they are worked out in another thread, one of `threads`."""

    vectors: Future[Vectors]
    threads: ThreadPoolExecutor

    def __call__(self) -> Vectors:
        """The question's vector [d], waited for."""
        vector: Vectors = self.vectors.result()[0]
        return vector

    def then(self, work: Callable[[], Result]) -> Callable[[], Result]:
        """What waits for the result of `work`, which the other thread goes on with once the vector is there.

        No other has to be woken for it, which may be in the midst of something else.
        """
        result: Future[Result] = Future()

        def run(_: Future[Vectors]) -> None:
            _settle(result, work)

        if self.vectors.done():
            begin(self.threads, partial(run, self.vectors))
        else:
            self.vectors.add_done_callback(run)
        return result.result


def _settle(result: Future[Any], work: Callable[[], Any]) -> None:
    try:
        result.set_result(work())
    except BaseException as e:  # it is for whoever waits
        result.set_exception(e)


def embed_beside(threads: ThreadPoolExecutor, embedder: Embedder, text: str) -> Beside:
    """The question's vector, worked out outside of Python while it is understood.

    All that is Python's of its work is done before: a thread that gives the interpreter away for a moment gets it back
    5 ms later.
    """
    work = embedder.asking(text) if asks_in_steps(embedder) else partial(embedder.queries, [text])
    return Beside(begin(threads, work), threads)


def begin(pool: ThreadPoolExecutor, work: Callable[[], Result]) -> Future[Result]:
    """`work` in another thread, which is at it when this returns, if one is free; in this one if `pool` is shut down.

    Who starts a thread keeps the interpreter, up to 5 ms, unless he waits for it: on a lock, which takes less than an
    event does.
    """
    begun = threading.Lock()
    begun.acquire()

    def run() -> Result:
        begun.release()
        return work()

    try:
        future = pool.submit(run)
    except RuntimeError:  # the tier was closed while the question was at work: it is answered all the same
        future = Future()
        _settle(future, work)
        return future
    begun.acquire(timeout=BEGUN)
    return future
