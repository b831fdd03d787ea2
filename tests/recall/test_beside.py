"""Work beside the embedding of a question: who does it, that all of it is done, and that errors reach who waits."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from h3cold.recall.beside import begin, embed_beside


class Held:
    """An embedder whose vectors come when it is let go."""

    def __init__(self):
        self.let_go = threading.Event()

    def queries(self, texts):
        self.let_go.wait()
        return np.ones((len(texts), 3), np.float32)


@pytest.fixture
def threads():
    with ThreadPoolExecutor(2, thread_name_prefix="beside") as pool:
        yield pool


def test_the_thread_that_embeds_goes_on(threads):
    model = Held()
    beside = embed_beside(threads, model, "question")
    wait = beside.then(lambda: (beside().tolist(), threading.current_thread().name))
    model.let_go.set()
    vector, name = wait()
    assert vector == [1.0, 1.0, 1.0] and name.startswith("beside")


def test_work_is_done_where_the_vector_is_there_already(threads):
    model = Held()
    model.let_go.set()
    beside = embed_beside(threads, model, "question")
    beside()
    assert beside.then(lambda: 5)() == 5


@pytest.mark.parametrize("early", [True, False])
def test_an_error_is_for_who_waits(threads, early):
    def fail():
        raise ValueError("broken")

    model = Held()
    beside = embed_beside(threads, model, "question")
    if early:
        model.let_go.set()
        beside()
    wait = beside.then(fail)
    model.let_go.set()
    with pytest.raises(ValueError, match="broken"):
        wait()
    assert begin(threads, lambda: 5).result() == 5  # the threads live


def test_an_error_of_the_model_is_for_who_waits(threads):
    class Broken:
        def queries(self, texts):
            raise RuntimeError("no model")

    beside = embed_beside(threads, Broken(), "question")
    wait = beside.then(beside)
    with pytest.raises(RuntimeError, match="no model"):
        wait()


def test_work_is_done_here_once_the_threads_are_let_go():
    model = Held()
    model.let_go.set()
    with ThreadPoolExecutor(2) as threads:
        before = embed_beside(threads, model, "question")
    after = embed_beside(threads, model, "question")
    for beside in (before, after):
        assert beside.then(lambda: 5)() == 5 and beside().tolist() == [1.0, 1.0, 1.0]
