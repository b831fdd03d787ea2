"""Questions embedded in two fifths of the time: six layers give nearly what the twelve of e5-small give.

The first two layers and the last three are the model's own or nearly; between them, for layers 2 to 8, stand a linear
map, one layer, and another map. They see the words alone: the begin and end marks and "query: " are the same in every
question, so that what they say in each layer is kept. All was trained to give the vectors of the whole model for texts
of the kinds that people ask (`train_short`; Wang & Hong 2023, "Query Encoder Distillation via Embedding Alignment is a
Strong Baseline Method to Boost Dense Retriever Online Efficiency"). Passages are embedded by the whole model.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from h3cold.ingest.embed import Vectors
from h3cold.ingest.embed.cache import cached
from h3cold.ingest.embed.e5 import E5
from h3cold.ingest.embed.e5_build import MARKS_BEFORE, MARKS_BEHIND
from h3cold.ingest.embed.e5_weights import E5Weights, Floats, open_weights
from h3cold.schemas.errors import ModelError

FILE = Path(__file__).with_name("e5_short.npz")
"""The maps, and by what the weights differ from the model's; `train_short` says how it is written."""

STEPS = ("l0", "l1", "map.in", "l4", "map.out", "l9", "l10", "l11")

LEARNT = re.compile(r"[\x20-\x7e\s£¥§©®°±²³·×÷–—‘’“”•…‰€℃№™、。〈-】〔-〗〇㐀-䶿一-鿿！-～￥]*")
"""What the texts were written in from which the short model learnt: English and Chinese."""

HAN = re.compile(r"[㐀-鿿]")
_WORD = re.compile(r"[^\W_]")

LONGEST = 400
"""Characters, a Han one counted twice, up to which texts were learnt."""


class BareE5(E5):
    """An `E5` whose questions are their words alone, at least one, without marks around them (see `build_graph`)."""

    def asking(self, text: str) -> Callable[[], Vectors]:
        """As `E5.asking`."""
        room = self._weights.positions - MARKS_BEFORE - MARKS_BEHIND
        return self._working_out(self._pieces(text)[:room])


class QuickE5:
    """`E5`, its questions in English and Chinese by the short model; all else by the whole one.

    Args:
        whole: embeds passages, and questions that were not learnt or that are in none of the `languages`.
    """

    def __init__(self, whole: E5, *, short: E5 | None = None, languages: Collection[str] = ("en", "zh")) -> None:
        self._whole = whole
        self._short = short or BareE5(model=short_path())
        self._languages = languages
        self.id: str = whole.id
        self.dimension: int = whole.dimension

    def passages(self, texts: Sequence[str]) -> Vectors:
        """float32 [len(texts), 384]."""
        return self._whole.passages(texts)

    def queries(self, texts: Sequence[str]) -> Vectors:
        """float32 [len(texts), 384]."""
        if not texts:
            return self._whole.queries(texts)
        return np.concatenate([self.asking(text)() for text in texts])

    def asking(self, text: str) -> Callable[[], Vectors]:
        """`queries` of one text in two steps, as `E5.asking`."""
        short = learnt(text) and ("zh" if HAN.search(text) else "en") in self._languages
        return (self._short if short else self._whole).asking(text)

    def only(self, languages: Collection[str]) -> QuickE5:
        """The same, but that the whole model embeds questions in other languages than these."""
        return QuickE5(self._whole, short=self._short, languages=languages)

    def passage_states(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        """As `E5.passage_states`."""
        return self._whole.passage_states(texts)

    def query_states(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        """As `E5.query_states`, by the whole model: summaries are compared with its token vectors."""
        return self._whole.query_states(texts)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """As `E5.count_tokens`."""
        return self._short.count_tokens(texts)


def learnt(text: str) -> bool:
    """Whether the short model embeds this question as the whole one does, as far as its writing tells."""
    short = len(text) + sum(c >= "㐀" for c in text) <= LONGEST
    return short and LEARNT.fullmatch(text) is not None and _WORD.search(text) is not None


class ShortWeights:
    """The short model's weights, as `build_graph` asks for them."""

    steps = STEPS

    def __init__(self, weights: E5Weights, path: Path = FILE) -> None:
        """Raises:
        ModelError: the file cannot be read.
        """
        self.hidden, self.heads, self.epsilon = weights.hidden, weights.heads, weights.epsilon
        self._weights = weights
        try:
            with np.load(path) as file:
                self._changes: dict[str, Any] = dict(file)
        except (OSError, ValueError, zipfile.BadZipFile, zlib.error) as e:
            raise ModelError(f"{path}: cannot read the short model ({e}); reinstall h3cold") from e

    def tensor(self, name: str) -> Floats:
        """All values of a tensor, flat; matrices are [outputs, inputs] in row order."""
        if name.startswith("map.") or name.endswith((".keys", ".values")):
            return self._part(name).reshape(-1)
        own = self._weights.tensor(name)
        return own + self._part(name).reshape(-1) if name in self._changes else own

    def _part(self, name: str) -> Floats:
        """Whole numbers are in steps of the row's scale."""
        values: Floats = self._changes[name].astype(np.float32)
        scale = self._changes.get(f"{name}.scale")
        return values if scale is None else values * scale.astype(np.float32)[:, None]


def short_path() -> Path:
    """The short model in the user's cache, built now if it is not there (some seconds, once)."""

    def build(path: Path) -> None:
        from h3cold.ingest.embed.e5_build import build_graph

        build_graph(path, ShortWeights(open_weights()), bare=True)

    return cached(f"e5-small-short-{zlib.crc32(FILE.read_bytes()):08x}-v3.onnx", build)
