"""multilingual-e5-small, the default text embedding: 384 dimensions, int8, no download (Wang et al., 2402.05672)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from h3cold.ingest.embed import Embedder, Vectors
from h3cold.ingest.embed.cache import cached
from h3cold.ingest.embed.e5_weights import open_weights, weights_path
from h3cold.ingest.embed.unigram import Unigram
from h3cold.schemas.errors import ModelError

_BUILD = "v3"
_GRAPH = f"{_BUILD}-states"
"""Names the file: its outputs changed since, the vectors did not."""

_LEADERS = re.compile(r"(?:[.·…‥_\-–—=*•]\s?){4,}")
"""Dots from a table's label to its figure, and rules. A passage full of them is near every question that the model
makes little of, such as one in another language, and they take a third of the window."""

LONG = 96
"""Tokens from which two threads answer sooner than one: at each step they wait for each other, on AMD's Zen 3 as long
as they save with 48 tokens, and take twice the processor time."""


class E5:
    """The embedder; see `Embedder`. What it needs is loaded at first use: counting tokens loads no model.

    Args:
        threads: texts embedded at a time; 0 = one a core that this process may use.
        model: another ONNX file of the same input and output, for comparisons.
    """

    id = f"multilingual-e5-small-int8-{_BUILD}"

    def __init__(self, *, threads: int = 0, model: Path | None = None) -> None:
        self._weights = open_weights()
        self._threads = threads or _cores()
        self._model = model
        self.dimension: int = self._weights.hidden

    def passages(self, texts: Sequence[str]) -> Vectors:
        """float32 [len(texts), 384]."""
        return self._embed([f"passage: {text}" for text in texts])

    def queries(self, texts: Sequence[str]) -> Vectors:
        """float32 [len(texts), 384]."""
        if len(texts) == 1:
            return self.asking(texts[0])()
        return self._embed([f"query: {text}" for text in texts])

    def asking(self, text: str) -> Callable[[], Vectors]:
        """`queries` of one text in two steps: its tokens now, and what works out their vector, in no need of Python."""
        return self._working_out(self._tokens(f"query: {text}"))

    def _working_out(self, ids: list[int]) -> Callable[[], Vectors]:
        words = self._words(ids)
        session = self._session if words.shape[1] < LONG or self._threads == 1 else self._session_of_long

        def run() -> Vectors:
            (vector,) = session.run(["vector"], {"words": words})
            return np.asarray(vector)

        return run

    def quicker(self) -> Embedder:
        """The same, but for questions in English and Chinese, whose vectors come sooner and are nearly these."""
        from h3cold.ingest.embed.e5_short import QuickE5

        return QuickE5(self)

    def passage_states(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        """As `passages`, and each text's token vectors: the last layer's, float32 [tokens, 384]."""
        return self._with_states([f"passage: {text}" for text in texts])

    def query_states(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        """As `queries`, and each question's token vectors."""
        return self._with_states([f"query: {text}" for text in texts])

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Pieces of each whole text; dot leaders and rules count nothing, as they are not embedded."""
        return [len(self._pieces(text)) for text in texts]

    @cached_property
    def _tokenizer(self) -> Unigram:
        return Unigram(self._weights)

    @cached_property
    def _session(self) -> Any:
        """For many texts, which run beside each other: threads inside one would wait for each other at every step."""
        return self._open(1)

    @cached_property
    def _session_of_long(self) -> Any:
        """For one long text that somebody waits for: two threads answer in .7 of the time, more gain nothing."""
        return self._open(2)

    def _open(self, threads: int) -> Any:
        import onnxruntime

        path = self._model or model_path()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # it doubles the processor time
        options.log_severity_level = 3
        try:
            return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as e:  # ONNX Runtime's errors have no common base
            raise ModelError(f"{path}: cannot load the model ({e}); delete the file, it is built again") from e

    def _embed(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        return np.stack([vector[0] for (vector,) in self._run(texts, ["vector"])])

    def _with_states(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        found = self._run(texts, ["vector", "states"])
        vectors = [vector[0] for vector, _ in found]
        return np.stack(vectors) if vectors else np.zeros((0, self.dimension), np.float32), [s[0] for _, s in found]

    def _run(self, texts: Sequence[str], outputs: list[str]) -> list[list[Vectors]]:
        """These outputs of the model for each text."""
        tokens = [self._tokens(text) for text in texts]
        session = self._session

        def run(ids: list[int]) -> list[Vectors]:
            found: list[Vectors] = session.run(outputs, {"words": self._words(ids)})
            return found

        if len(texts) <= 1 or self._threads == 1:
            return [run(ids) for ids in tokens]
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(run, tokens))

    def _words(self, ids: list[int]) -> Vectors:
        return self._weights.words(np.array(ids, np.int64))[None]

    def _tokens(self, text: str) -> list[int]:
        room = self._weights.positions - 2
        return [self._weights.bos, *self._pieces(text)[:room], self._weights.eos]

    def _pieces(self, text: str) -> list[int]:
        return self._tokenizer.encode(_LEADERS.sub(" ", text))


def model_path() -> Path:
    """The model in the user's cache, built now if it is not there (some seconds, once)."""

    def build(path: Path) -> None:
        from h3cold.ingest.embed.e5_build import build_graph

        build_graph(path, open_weights())

    return cached(f"e5-small-int8-{weights_path().stat().st_size:x}-{_GRAPH}.onnx", build)


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)  # not on macOS and Windows
    return len(affinity(0)) if affinity else os.cpu_count() or 1
