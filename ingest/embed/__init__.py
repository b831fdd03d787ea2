"""Text, image and document embeddings. One engine, one file; all text engines have one shape."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Protocol, TypeGuard

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
"""One row a text, each of length one."""


class Embedder(Protocol):
    """A text embedding model.

    `id` names model and build: vectors of different ids do not compare. `dimension` is the length of a vector.
    Texts beyond the model's window count up to the window's end. A text's vector does not depend on the other texts
    of the call.
    """

    @property
    def id(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts to be found, float32 [len(texts), dimension], L2 norm 1."""
        ...

    def queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions, same shape; their dot product with a passage is the similarity."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each whole text, without the model's prefix and end marks."""
        ...


class PassageEmbedder(Protocol):
    """As much of one as a store's own vectors come from."""

    @property
    def id(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def passages(self, texts: Sequence[str]) -> Vectors:
        """As `Embedder.passages`."""
        ...


class TokenEmbedder(Embedder, Protocol):
    """One that also gives the vectors of a text's tokens, of which the text's vector was made."""

    def passage_states(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        """As `passages`, and for each text float32 [tokens, dimension], the model's last layer."""
        ...

    def query_states(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        """The same for questions."""
        ...


def gives_tokens(embedder: PassageEmbedder) -> TypeGuard[TokenEmbedder]:
    """Whether the model gives token vectors, too: summaries of blocks are made of them."""
    return hasattr(embedder, "passage_states") and hasattr(embedder, "query_states")


class AskingEmbedder(Embedder, Protocol):
    """One that embeds a question in two steps, the second of which runs beside other work of the interpreter."""

    def asking(self, text: str) -> Callable[[], Vectors]:
        """What gives `queries([text])` when it is called, all of that done which needs the interpreter."""
        ...


def asks_in_steps(embedder: Embedder) -> TypeGuard[AskingEmbedder]:
    """Whether the model embeds a question in two steps."""
    return hasattr(embedder, "asking")


class QuickEmbedder(Embedder, Protocol):
    """One that can embed questions sooner where nearly the same vectors do."""

    def quicker(self) -> Embedder:
        """The same model so; of the same `id`."""
        ...


def can_be_quicker(embedder: Embedder) -> TypeGuard[QuickEmbedder]:
    """Whether the model can embed questions sooner."""
    return hasattr(embedder, "quicker")


ENGINES = {"e5-small": "h3cold.ingest.embed.e5:E5"}
"""Engines of our own by name; any other name is a sentence-transformers model or a path to one."""


def open_embedder(name: str = "e5-small") -> Embedder:
    """The engine called `name`, ready to use.

    Raises:
        ModelError: no such model at hand; says how to get one.
    """
    if name not in ENGINES:
        from h3cold.ingest.embed.sentence import SentenceModel

        return SentenceModel(name)
    module, _, attribute = ENGINES[name].partition(":")
    made: Embedder = getattr(importlib.import_module(module), attribute)()
    return made
