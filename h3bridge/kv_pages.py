"""KV pages over the tiers: resident in HBM, framed in HBF, in files below, never more bytes than the budgets.

What a layer's pages are gathered into for its attention counts, too: it is reserved before it is made, for which older
pages leave HBM, and counts until nobody has it any more.
"""

from __future__ import annotations

import itertools
import math
import threading
import weakref
from collections.abc import Callable, Iterator, MutableSet, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from h3cold.h3bridge import frames
from h3cold.h3bridge.cold_pages import ColdPages
from h3cold.h3bridge.tiers import TierMemory
from h3cold.schemas.errors import CorruptionError, PromotionError

PAGE_TOKENS = 16
_CACHES = itertools.count()


@dataclass(slots=True)
class PageCounts:
    """What happened to pages; `peak_working` is the largest buffer into which one layer's pages were gathered."""

    demoted: int = 0
    spilled: int = 0
    fetched_hbf: int = 0
    fetched_cold: int = 0
    damaged: int = 0
    peak_working: int = 0


class KVPages:
    """Pages of one cache, keys and values of `PAGE_TOKENS` tokens of one layer each."""

    def __init__(
        self,
        hbm: TierMemory,
        hbf: TierMemory,
        cold: ColdPages,
        *,
        make_room: Callable[[int], bool] = lambda _: False,
        guard: AbstractContextManager[Any] | None = None,
        peers: MutableSet[KVPages] | None = None,
    ) -> None:
        self._guard = guard or threading.RLock()
        self._peers: MutableSet[KVPages] = weakref.WeakSet() if peers is None else peers
        self.hbm, self.hbf, self.cold, self._make_room = hbm, hbf, cold, make_room
        self.name = f"kv{next(_CACHES)}"
        self.counts = PageCounts()
        self._numbers = itertools.count()
        self._cold: set[str] = set()
        self._named: set[str] = set()
        self._resident: dict[str, bool] = {}
        with self._guard:
            self._peers.add(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> KVPages:
        """Pages of another cache over the same tiers, none yet: the layers bring copies of theirs."""
        return KVPages(self.hbm, self.hbf, self.cold, make_room=self._make_room, guard=self._guard,
                       peers=self._peers)  # fmt: skip

    def __del__(self) -> None:
        """What shares the pages is gone: the last of a cache and its shallow copies."""
        if hasattr(self, "_named"):
            for key in list(self._named):
                self.drop(key)

    def fresh(self, layer: int | str) -> str:
        """A key for a page of `layer`, or for something else that counts."""
        key = f"{self.name}/{layer}/{next(self._numbers)}"
        self._named.add(key)
        return key

    def keep(self, key: str, page: Any, *, first: bool = False) -> bool:
        """Hold a page, a tensor, in HBM, for which older ones go; the `first` of a prompt go last.

        False where the budget does not allow it.
        """
        with self._guard:
            size = tensor_bytes(page)
            if not self._shed(size):
                return False
            self.hbm.hold_object(key, page, size)
            self._resident[key] = first
            return True

    def demote(self, key: str, page: Any = None) -> None:
        """Bring a page below HBM: into HBF, else into a file. Without `page` the one held; nothing where none is.

        Raises:
            PromotionError: neither HBF nor the cold store can take it.
        """
        with self._guard:
            page = self.hbm.object(key) if page is None else page
            if page is None:
                return
            self.hbm.drop(key)
            self._resident.pop(key, None)
            frame = page_frame(key, self.cold.space, page)
            size = frames.frame_bytes(len(frame.payload), frames.Kind.PAGE)
            if self.hbf.fits(size):
                self.hbf.put(key, frames.encode(frame))
                self.counts.demoted += 1
            else:
                self.cold.put(frame, session=True)
                self._cold.add(key)
                self.counts.spilled += 1

    def fetch(self, key: str, device: Any) -> Any:
        """A page as a tensor on `device`, wherever it is; it stays where it is.

        Raises:
            CorruptionError: its copy is damaged. A page of a running cache cannot be made anew by the tiers, so that
                going on would give wrong output.
        """
        with self._guard:
            held = self.hbm.object(key)
            data = self.hbf.get(key) if held is None else None
        if held is not None:
            return held
        frame: frames.Frame | None
        if data is not None:
            try:
                frame = frames.decode(data, key=key, namespace=self.cold.space)
                self.counts.fetched_hbf += 1
            except CorruptionError as e:
                self.counts.damaged += 1
                self.hbf.drop(key)
                raise CorruptionError(f"{e}; run the prompt again: this cache has lost a page") from e
        else:
            frame = self.cold.get(key, session=True)
            self.counts.fetched_cold += 1
            if frame is None:
                self.counts.damaged += 1
                raise CorruptionError(f"page {key}: lost or damaged in the cold store; run the prompt again")
        return page_tensor(frame).to(device)

    def drop(self, key: str) -> None:
        """Let a page go everywhere."""
        with self._guard:
            self._named.discard(key)
            self._resident.pop(key, None)
            self.hbm.drop(key)
            self.hbf.drop(key)
            if key in self._cold:
                self._cold.discard(key)
                self.cold.drop(key, session=True)

    def reserve(self, key: str, size: int, what: str, *, later: int = 0) -> None:
        """Count `size` bytes of HBM under `key`, for tensors that somebody else holds; 0 counts no more.

        `later` are bytes that will be asked for after these: the size that is advised where these do not fit has them.

        Raises:
            PromotionError: the budget does not allow it though all pages left HBM. `what` says what it was for.
        """
        with self._guard:
            self.hbm.drop(key)
            self._named.discard(key)
            if size:
                self._clear(size, what, later)
                self._named.add(key)
                self.hbm.hold_object(key, None, size)

    @contextmanager
    def room(self, size: int, what: str, *, later: int = 0) -> Iterator[None]:
        """Keep `size` bytes of HBM free for what is made in the meantime. Raises as `reserve`."""
        key = self.fresh("room")
        self.reserve(key, size, what, later=later)
        try:
            yield
        finally:
            self.drop(key)

    def buffer(self, shape: Sequence[int], like: Any, what: str) -> Any:
        """An empty tensor of dtype and device as `like`, counted until nobody has it. Raises as `reserve`."""
        with self._guard:
            with self.room(math.prod(shape) * like.element_size(), what):
                made = like.new_empty(tuple(shape))
            self.lend(made, what)
        return made

    def copy(self, tensor: Any, what: str) -> Any:
        """A counted copy that shares no memory with `tensor`. Raises as `reserve`."""
        return self.buffer(tensor.shape, tensor, what).copy_(tensor)

    def lend(self, tensor: Any, what: str) -> None:
        """Count a tensor until nobody has it. Raises as `reserve`."""
        key = self.fresh("lent")
        self.reserve(key, tensor_bytes(tensor), what)
        weakref.finalize(tensor, self.drop, key).atexit = False

    def _clear(self, size: int, what: str, later: int = 0) -> None:
        """Make room: this cache's older pages go first, then recalled blocks, then other caches' pages."""
        if self._shed(size) or self._make_room(size) or any(peer._shed(size) for peer in list(self._peers)):
            return
        free = self.hbm.budget - self.hbm.used
        raise PromotionError(
            f"HBM: {size} bytes for {what} do not fit, {free} of {self.hbm.budget} are free beside what cannot leave; "
            f"give a larger hbm_size_gb, {_three_digits_up(self.hbm.used + size + later)} or more"
        )

    def _shed(self, size: int) -> bool:
        """Demote pages, the oldest first, until `size` bytes fit; False where they do not."""
        if not self.hbm.fits(size):
            for key in sorted(self._resident, key=self._resident.__getitem__):
                self.demote(key)
                if self.hbm.fits(size):
                    break
        return self.hbm.fits(size)


def _three_digits_up(size: int) -> str:
    """Bytes as 10^9 bytes, never fewer: a size that is advised must do."""
    step = 10 ** max(0, len(str(size)) - 3)
    return f"{-(-size // step) * step / 1e9:.3g}"


def tensor_bytes(tensor: Any) -> int:
    """Bytes of a tensor's numbers."""
    return int(tensor.numel() * tensor.element_size())


def page_frame(key: str, space: bytes, page: Any) -> frames.Frame:
    """A tensor as a frame; bf16 travels as its bits."""
    import torch

    flat = page.detach().contiguous().cpu()
    raw = flat.view(torch.uint8) if flat.dim() else flat
    dtype = str(flat.dtype).removeprefix("torch.").replace("float", "f")
    return frames.Frame(key, space, frames.Kind.PAGE, raw.numpy().tobytes(), tuple(page.shape), dtype)


def page_tensor(frame: frames.Frame) -> Any:
    """The tensor of a frame, on the CPU."""
    import torch

    dtype = getattr(torch, frame.dtype.replace("f", "float", 1) if not frame.dtype.startswith("bf") else "bfloat16")
    return torch.frombuffer(bytearray(frame.payload), dtype=dtype).reshape(frame.shape)
