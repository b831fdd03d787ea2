"""A transformers cache whose keys and values live in pages over the tiers.

Exact mode gathers a layer's pages for the time of its attention, in the order `DynamicCache` has them, so that the
outputs are equal bit for bit under the same chunking; older pages leave HBM first, so that both stay in its budget.
Sliding-window layers are bounded by their window and stay transformers' own (see `kv_windows`). Recalled mode returns
the first tokens, the recent ones and the pages that were asked for: keys carry their positions already (RoPE is applied
before the cache), so only what is attended to changes.
"""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
import transformers
from transformers.cache_utils import Cache, CacheLayerMixin, DynamicCache, DynamicLayer, DynamicSlidingWindowLayer

from h3cold.h3bridge.kv_pages import PAGE_TOKENS, KVPages, tensor_bytes
from h3cold.h3bridge.kv_windows import WindowLayer
from h3cold.schemas.errors import UsageError

SUPPORTED = ((5, 24), (6, 0))
"""Releases of transformers from (included) to (excluded): others have another cache interface."""

SINKS = PAGE_TOKENS
"""First tokens that stay in HBM: attention falls back on them."""


def check_release(version: str) -> None:
    """Raise where this release of transformers was not built for.

    Raises:
        UsageError: it is outside of `SUPPORTED`.
    """
    found = tuple(int(p) for p in version.split(".")[:2])
    low, high = SUPPORTED
    if not low <= found < high:
        raise UsageError(f"transformers {version}: the paged cache is built for {low[0]}.{low[1]} up to, but without "
                         f"{high[0]}.{high[1]}; install such a release")  # fmt: skip


class PagedLayer(CacheLayerMixin):
    """Keys and values of one full-attention layer, `[batch, heads, tokens, dim]`, in pages of 16 tokens."""

    is_sliding = False
    is_croppable = True
    keys: Any  # tensors once `is_initialized`
    values: Any

    def __init__(self, pages: KVPages, layer: int, *, window: int, exact: bool) -> None:
        super().__init__()
        self.pages, self.layer, self.window, self.exact = pages, layer, window, exact
        self.keys_of_pages: list[str] = []
        self.wanted: set[int] = set()
        self.after: tuple[int, ...] = ()
        """Of each layer behind this one, the most tokens that it holds in HBM besides pages."""

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        self.dtype, self.device = key_states.dtype, key_states.device
        self._set_tail(key_states[..., :0, :], value_states[..., :0, :])
        self.is_initialized = True

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        seen = [key for i, key in enumerate(self.keys_of_pages) if self._seen(i)]
        rest = self.keys.shape[-2] + key_states.shape[-2]
        page = self._page_bytes(key_states, value_states)
        tokens = len(seen) * PAGE_TOKENS + rest
        later = sum(min(most, tokens) for most in self.after)
        with self.pages.room(page + tokens * page // PAGE_TOKENS, self._what(), later=later * page // PAGE_TOKENS):
            pass  # refused, if at all, with the size that does for the whole step
        with self.pages.room(page, self._what()):  # one on its way, afterwards what makes no whole page
            keys, values = self._gather(seen, (self.keys, self.values), (key_states, value_states))
            self._set_tail(key_states[..., :0, :], value_states[..., :0, :])
            for start in range(keys.shape[-2] - rest, keys.shape[-2] - PAGE_TOKENS + 1, PAGE_TOKENS):
                span = slice(start, start + PAGE_TOKENS)
                self._append(_page(keys[..., span, :], values[..., span, :]))
        whole = keys.shape[-2] - rest % PAGE_TOKENS
        self._set_tail(keys[..., whole:, :], values[..., whole:, :])
        return keys, values

    def get_seq_length(self) -> int:
        return len(self.keys_of_pages) * PAGE_TOKENS + (self.keys.shape[-2] if self.is_initialized else 0)

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        whole = self.get_seq_length()
        seen = whole - PAGE_TOKENS * sum(not self._seen(i) for i in range(len(self.keys_of_pages)))
        # What is left out lies before all queries: counted from the end, what is seen keeps its place before them.
        return seen + query_length, whole - seen

    def get_max_length(self) -> int:
        return -1

    def reset(self) -> None:
        for key in self.keys_of_pages:
            self.pages.drop(key)
        self.keys_of_pages = []
        self.keys = self.values = None
        self.is_initialized = False

    def crop(self, tokens_to_remove: int) -> None:
        if tokens_to_remove > 0:
            raise ValueError(f"crop takes the negative number of tokens to remove, not {tokens_to_remove}")
        kept = self.get_seq_length() + tokens_to_remove
        if tokens_to_remove == 0 or not self.is_initialized:
            return
        if kept <= 0:
            self._set_tail(self.keys[..., :0, :], self.values[..., :0, :])
            kept = 0
        whole = kept // PAGE_TOKENS
        if whole < len(self.keys_of_pages):
            rest = kept - whole * PAGE_TOKENS
            with self.pages.room(self._page_bytes(self.keys, self.values), self._what()):
                keys, values = self.pages.fetch(self.keys_of_pages[whole], self.device)
                for key in self.keys_of_pages[whole:]:
                    self.pages.drop(key)
                self.keys_of_pages = self.keys_of_pages[:whole]
                self._set_tail(keys[..., :rest, :], values[..., :rest, :])
        else:
            rest = kept - whole * PAGE_TOKENS
            self._set_tail(self.keys[..., :rest, :], self.values[..., :rest, :])

    def reorder_cache(self, beam_idx: torch.LongTensor) -> None:
        self._each(lambda states: states.index_select(0, beam_idx.to(states.device)))

    def batch_repeat_interleave(self, repeats: int) -> None:
        self._each(lambda states: states.repeat_interleave(repeats, dim=0))

    def batch_select_indices(self, indices: torch.Tensor) -> None:
        self._each(lambda states: states[indices, ...])

    def __deepcopy__(self, memo: dict[int, Any]) -> PagedLayer:
        """An independent copy over the same tiers: its pages count against the same budgets."""
        twin = PagedLayer(copy.deepcopy(self.pages, memo), self.layer, window=self.window, exact=self.exact)
        memo[id(self)] = twin
        twin.wanted, twin.after = set(self.wanted), self.after
        if self.is_initialized:
            twin.lazy_initialization(self.keys, self.values)
            with twin.pages.room(2 * self._page_bytes(self.keys, self.values), self._what()):
                for key in self.keys_of_pages:
                    twin.adopt(self.pages.fetch(key, self.device).clone())
            twin._set_tail(self.keys, self.values)
        return twin

    def whole(self) -> tuple[torch.Tensor, torch.Tensor] | tuple[None, None]:
        """All keys and all values, gathered; None before the first token."""
        if not self.is_initialized:
            return None, None
        with self.pages.room(self._page_bytes(self.keys, self.values), self._what()):
            return self._gather(self.keys_of_pages, (self.keys, self.values))

    def adopt(self, page: torch.Tensor) -> None:
        """Append a whole page, `[2, batch, heads, 16, dim]`, to a cache that ends with one."""
        if not self.is_initialized:
            self.lazy_initialization(page[0], page[1])
        self._append(page)

    def _append(self, page: torch.Tensor) -> None:
        key = self.pages.fresh(self.layer)
        self.keys_of_pages.append(key)
        if not self.pages.keep(key, page, first=len(self.keys_of_pages) <= self._sinks()):
            self.pages.demote(key, page)
        for old in self._outside():
            self.pages.demote(old)

    def _gather(
        self, pages: Sequence[str], *newest: tuple[torch.Tensor, torch.Tensor]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Keys and values of pages and what follows them, in buffers that count until attention lets them go."""
        tokens = len(pages) * PAGE_TOKENS + sum(part[0].shape[-2] for part in newest)
        keys, values = (self.pages.buffer((*t.shape[:-2], tokens, t.shape[-1]), t, self._what()) for t in newest[-1])
        at = 0
        for k, v in itertools.chain((self.pages.fetch(key, self.device) for key in pages), newest):
            end = at + k.shape[-2]
            keys[..., at:end, :], values[..., at:end, :] = k, v
            at = end
        counts = self.pages.counts
        counts.peak_working = max(counts.peak_working, tensor_bytes(keys) + tensor_bytes(values))
        return keys, values

    def _what(self) -> str:
        return f"keys and values of layer {self.layer}"

    @staticmethod
    def _page_bytes(keys: torch.Tensor, values: torch.Tensor) -> int:
        """Bytes of a page of tokens like these."""
        return sum(math.prod(t.shape[:-2]) * PAGE_TOKENS * t.shape[-1] * t.element_size() for t in (keys, values))

    def _seen(self, page: int) -> bool:
        return self.exact or page < self._sinks() or page >= self._recent() or page in self.wanted

    def _sinks(self) -> int:
        return -(-SINKS // PAGE_TOKENS)

    def _recent(self) -> int:
        return len(self.keys_of_pages) - -(-self.window // PAGE_TOKENS)

    def _outside(self) -> list[str]:
        """Pages in HBM that are neither among the first nor recent."""
        held = range(self._sinks(), max(self._sinks(), self._recent()))
        return [key for key in (self.keys_of_pages[i] for i in held) if self.pages.hbm.object(key) is not None]

    def _set_tail(self, keys: torch.Tensor, values: torch.Tensor) -> None:
        """Hold copies of the newest tokens, which make no whole page."""
        self.keys, self.values = (self.pages.copy(t, self._what()) for t in (keys, values))

    def _each(self, change: Callable[[torch.Tensor], torch.Tensor]) -> None:
        """Change every page and the newest tokens along the batch."""
        if not self.get_seq_length():
            return
        old, self.keys_of_pages = self.keys_of_pages, []
        batch = self.keys.shape[0]
        after = change(torch.arange(batch, device=self.device)).shape[0]
        page = self._page_bytes(self.keys, self.values)
        with self.pages.room(page + 2 * page // batch * after, self._what()):  # before, in halves, and changed
            for key in old:
                before = self.pages.fetch(key, self.device)
                self.pages.drop(key)
                self._append(torch.stack([change(half) for half in before]))
            self._set_tail(change(self.keys), change(self.values))


class PagedCache(DynamicCache):
    """One prompt's (or batch's) cache; its pages leave all tiers with `close`, or when it is collected.

    Copies are as `DynamicCache` has them: a shallow one shares the layers, a deep one is independent.
    """

    def __init__(self, config: Any, pages: KVPages, *, window: int, exact: bool = True) -> None:
        check_release(transformers.__version__)
        layers: list[Any] = []
        for number, layer in enumerate(DynamicCache(config=config).layers):
            if type(layer) is DynamicLayer:
                layers.append(PagedLayer(pages, number, window=window, exact=exact))
            elif type(layer) is DynamicSlidingWindowLayer:
                layers.append(WindowLayer(layer.sliding_window, pages, number))
            else:
                raise UsageError(f"layer {number} caches as {type(layer).__name__}: only full and sliding-window "
                                 "attention can be paged")  # fmt: skip
        held = [PAGE_TOKENS if isinstance(layer, PagedLayer) else 2 * layer.sliding_window for layer in layers]
        for number, layer in enumerate(layers):
            if isinstance(layer, PagedLayer):
                layer.after = tuple(held[number + 1 :])
        Cache.__init__(self, layers=layers)
        self.pages, self.exact = pages, exact

    def __iter__(self) -> Iterator[tuple[torch.Tensor | None, torch.Tensor | None, torch.Tensor | None]]:
        """Keys and values of each layer, and a sliding window's size, as `DynamicCache` has them."""
        for layer in self.layers:
            if isinstance(layer, PagedLayer):
                yield *layer.whole(), None
            else:
                yield layer.keys, layer.values, getattr(layer, "_sliding_window_tensor", None)

    def take_over(self, empty: DynamicCache) -> None:
        """Make somebody's empty cache this one: whoever holds it goes on with the pages."""
        vars(empty).clear()
        vars(empty).update(vars(self))
        empty.__class__ = PagedCache

    @property
    def paged(self) -> list[PagedLayer]:
        """The layers in pages."""
        return [layer for layer in self.layers if isinstance(layer, PagedLayer)]

    @property
    def windows(self) -> dict[int, WindowLayer]:
        """The sliding-window layers by number."""
        return {number: layer for number, layer in enumerate(self.layers) if isinstance(layer, WindowLayer)}

    def attend_to(self, spans: Sequence[tuple[int, int]]) -> None:
        """In recalled mode, also attend to the pages that hold these tokens, `(first, last + 1)` each."""
        wanted = {p for first, end in spans for p in range(first // PAGE_TOKENS, -(-end // PAGE_TOKENS))}
        for layer in self.paged:
            layer.wanted = wanted

    def hbm_bytes(self) -> int:
        """Bytes of keys and values in HBM now, sliding-window layers included."""
        own = sum(
            tensor_bytes(t) for layer in self.layers if not isinstance(layer, PagedLayer)
            for t in (layer.keys, layer.values) if t is not None
        )  # fmt: skip
        held = [self.pages.hbm.object(k) for layer in self.paged for k in layer.keys_of_pages]
        tails = [t for layer in self.paged for t in (layer.keys, layer.values)]
        return own + sum(tensor_bytes(t) for t in [*held, *tails] if t is not None)

    def close(self) -> None:
        """Let all pages go."""
        self.reset()


def _page(keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    if keys.shape != values.shape:
        raise UsageError(f"keys of shape {tuple(keys.shape)} beside values of {tuple(values.shape)} cannot be paged")
    return torch.stack([keys, values])
