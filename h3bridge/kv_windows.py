"""Sliding-window layers in stored prefixes: bounded by their window they stay in HBM, but what they were given is kept.

Such a layer forgets all but its window, so a prefix can be gone on with from any of its pages only where the pages were
stored while they were computed. Of a stored prefix a layer reads the pages of its last window. What the layer
holds, and what it hands to attention, counts against the budget of HBM.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import torch
from transformers.cache_utils import DynamicSlidingWindowLayer

from h3cold.h3bridge.kv_pages import PAGE_TOKENS, KVPages, tensor_bytes


class WindowLayer(DynamicSlidingWindowLayer):
    """transformers' own, which on demand hands over the keys and values it is given, in pages of 16 tokens."""

    keys: Any  # tensors once `is_initialized`
    values: Any

    def __init__(self, sliding_window: int, pages: KVPages, layer: int) -> None:
        super().__init__(sliding_window)
        self.pages, self.layer = pages, layer
        self._given: torch.Tensor | None = None
        self._recording = False

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        if self._recording:
            self._record(key_states, value_states)
        with self.pages.room(self._held() + tensor_bytes(key_states) + tensor_bytes(value_states), self._what()):
            keys, values = super().update(key_states, value_states, *args, **kwargs)
        for made in (self.keys, self.values) if self.record_past else (keys, values):
            self.pages.lend(made, self._what())
        if not self.record_past:
            self._own()  # transformers keeps a view, and with it all that it was cut from
        return keys, values

    def reset(self) -> None:
        super().reset()
        self._given = None

    def crop(self, tokens_to_remove: int) -> None:
        super().crop(tokens_to_remove)
        if self.is_initialized:
            self._own()

    def reorder_cache(self, beam_idx: torch.LongTensor) -> None:
        self._of_batch(len(beam_idx), super().reorder_cache, beam_idx)

    def batch_repeat_interleave(self, repeats: int) -> None:
        batch = self.keys.shape[0] if self.is_initialized else 0
        self._of_batch(batch * repeats, super().batch_repeat_interleave, repeats)

    def batch_select_indices(self, indices: torch.Tensor) -> None:
        chosen = int(indices.sum()) if indices.dtype is torch.bool else len(indices)
        self._of_batch(chosen, super().batch_select_indices, indices)

    def __deepcopy__(self, memo: dict[int, Any]) -> WindowLayer:
        """An independent copy that counts against the same budgets."""
        twin = WindowLayer(self.sliding_window, copy.deepcopy(self.pages, memo), self.layer)
        memo[id(self)] = twin
        own = {name: value for name, value in vars(self).items() if name not in ("pages", "keys", "values", "_given")}
        twin.__dict__.update(copy.deepcopy(own, memo))
        for name in ("keys", "values", "_given"):
            held = getattr(self, name)
            setattr(twin, name, None if held is None else twin.pages.copy(held, twin._what()))
        return twin

    def record(self, on: bool) -> None:
        """Keep what comes from now on until it is taken, or no more."""
        self._recording, self._given = on, None

    def _record(self, keys: torch.Tensor, values: torch.Tensor) -> None:
        before = 0 if self._given is None else self._given.shape[-2]
        shape = (2, *keys.shape[:-2], before + keys.shape[-2], keys.shape[-1])
        given = self.pages.buffer(shape, keys, self._what())
        if self._given is not None:
            given[..., :before, :] = self._given
        given[0, ..., before:, :], given[1, ..., before:, :] = keys, values
        self._given = given

    def _held(self) -> int:
        return tensor_bytes(self.keys) + tensor_bytes(self.values) if self.is_initialized else 0

    def _own(self) -> None:
        self.keys, self.values = (self.pages.copy(t, self._what()) for t in (self.keys, self.values))

    def _of_batch(self, batch: int, change: Callable[[Any], None], how: Any) -> None:
        """Change the batch, which will be of `batch` prompts then."""
        if self.get_seq_length():
            with self.pages.room(self._held() // self.keys.shape[0] * batch, self._what()):
                change(how)
            for made in (self.keys, self.values):
                self.pages.lend(made, self._what())

    def _what(self) -> str:
        return f"the sliding window of layer {self.layer}"

    def take(self) -> list[torch.Tensor]:
        """The whole pages given since, `[2, batch, heads, 16, dim]` each; the rest waits for the next."""
        if self._given is None:
            return []
        whole = self._given.shape[-2] // PAGE_TOKENS * PAGE_TOKENS
        pages = list(torch.split(self._given[..., :whole, :], PAGE_TOKENS, dim=-2)) if whole else []
        self._given = self.pages.copy(self._given[..., whole:, :], self._what())
        return pages

    def needs(self, pages: int) -> range:
        """Which of a prefix's first `pages` pages the layer must have to go on behind them."""
        return range(max(0, pages * PAGE_TOKENS - self.sliding_window + 1) // PAGE_TOKENS, pages)

    def adopt(self, pages: Sequence[torch.Tensor], tokens: int, device: Any) -> None:
        """Go on, on `device`, behind `tokens` tokens, whose pages on the CPU `needs` named."""
        both = torch.cat(list(pages), dim=-2)
        both = both[..., max(0, both.shape[-2] - self.sliding_window + 1) :, :]
        with self.pages.room(tensor_bytes(both), self._what()):
            keys, values = both.to(device)
            self.lazy_initialization(keys, values)
        self.keys, self.values = keys, values
        self._own()
        self.cumulative_length = tokens
