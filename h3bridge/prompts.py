"""The one order of prompts, and when stored keys and values are worth reading.

Keys and values are exact behind exactly the same tokens only. So what changes least comes first: system, then the
documents in an order of their own, whatever order recall ranked them in, and the question last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a prompt; `key` orders documents."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """Parts in canonical order: system (may be empty), documents, question."""

    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The whole prompt."""
        return "".join(f"{part.text}\n\n" for part in self.parts[:-1]) + self.parts[-1].text

    @property
    def prefix(self) -> str:
        """The prompt without its question: what is worth warming."""
        return "".join(f"{part.text}\n\n" for part in self.parts[:-1])


@dataclass(frozen=True, slots=True)
class Tokens:
    """A prompt's ids, and the span of ids, `(first, last + 1)`, of each part by its key."""

    ids: tuple[int, ...]
    spans: dict[str, tuple[int, int]]


def build_prompt(documents: Sequence[Part], question: str, *, system: str = "") -> Prompt:
    """System, documents by key, question; empty ones left out."""
    first = [Part("system", system)] if system else []
    return Prompt((*first, *sorted(documents, key=lambda part: part.key), Part("question", question)))


def tokenize(prompt: Prompt, encode: Callable[[str], Sequence[int]]) -> Tokens:
    """The prompt's ids, part by part, so that a part's ids never depend on what stands beside it.

    `encode` gives a text's ids without special tokens, such as `partial(tokenizer.encode, add_special_tokens=False)`.
    """
    ids: list[int] = []
    spans: dict[str, tuple[int, int]] = {}
    for number, part in enumerate(prompt.parts):
        start = len(ids)
        ids.extend(int(i) for i in encode(part.text if number == len(prompt.parts) - 1 else f"{part.text}\n\n"))
        spans[part.key] = (start, len(ids))
    return Tokens(tuple(ids), spans)


@dataclass(frozen=True, slots=True)
class Cost:
    """What decides between reading keys and values and computing them.

    `bandwidth` in bytes a second and `latency` in seconds of the tier that holds them; `bytes_per_token` of keys and
    values; `tokens_per_second` of prefill.
    """

    bandwidth: float
    latency: float
    bytes_per_token: int
    tokens_per_second: float

    def load_seconds(self, tokens: int) -> float:
        """Time to read `tokens` from the tier."""
        return self.latency + tokens * self.bytes_per_token / self.bandwidth

    def compute_seconds(self, tokens: int) -> float:
        """Time to compute them anew."""
        return tokens / self.tokens_per_second

    def worth_loading(self, tokens: int) -> bool:
        """Whether reading beats computing."""
        return self.load_seconds(tokens) < self.compute_seconds(tokens)

    @property
    def break_even_bandwidth(self) -> float:
        """Bytes a second below which computing wins, however long the prompt."""
        return self.bytes_per_token * self.tokens_per_second
