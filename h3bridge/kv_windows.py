"""Sliding-window layers in stored prefixes: bounded by their window they stay in HBM, but what they were given is kept.

Such a layer forgets all but its window, so a prefix can be gone on with from any of its pages only where the pages were
stored while they were computed. Of a stored prefix a layer reads the pages of its last window.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from transformers.cache_utils import DynamicSlidingWindowLayer

from h3cold.h3bridge.kv_pages import PAGE_TOKENS


class WindowLayer(DynamicSlidingWindowLayer):
    """transformers' own, which on demand hands over the keys and values it is given, in pages of 16 tokens."""

    def __init__(self, sliding_window: int) -> None:
        super().__init__(sliding_window)
        self._given: torch.Tensor | None = None
        self._recording = False

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        if self._recording:
            fresh = torch.stack([key_states, value_states])
            self._given = fresh if self._given is None else torch.cat([self._given, fresh], dim=-2)
        return super().update(key_states, value_states, *args, **kwargs)

    def record(self, on: bool) -> None:
        """Keep what comes from now on until it is taken, or no more."""
        self._recording, self._given = on, None

    def take(self) -> list[torch.Tensor]:
        """The whole pages given since, `[2, batch, heads, 16, dim]` each; the rest waits for the next."""
        if self._given is None:
            return []
        whole = self._given.shape[-2] // PAGE_TOKENS * PAGE_TOKENS
        pages = list(torch.split(self._given[..., :whole, :], PAGE_TOKENS, dim=-2)) if whole else []
        self._given = self._given[..., whole:, :].clone()
        return pages

    def needs(self, pages: int) -> range:
        """Which of a prefix's first `pages` pages the layer must have to go on behind them."""
        return range(max(0, pages * PAGE_TOKENS - self.sliding_window + 1) // PAGE_TOKENS, pages)

    def adopt(self, pages: Sequence[torch.Tensor], tokens: int) -> None:
        """Go on behind `tokens` tokens, whose pages `needs` named."""
        keys, values = torch.cat(list(pages), dim=-2)
        self.lazy_initialization(keys, values)
        self.keys = keys[..., max(0, keys.shape[-2] - self.sliding_window + 1) :, :]
        self.values = values[..., max(0, values.shape[-2] - self.sliding_window + 1) :, :]
        self.cumulative_length = tokens
