"""SGLang's HiCache on our cold pages: what its file backend lacks is a checksum.

    --hicache-storage-backend dynamic --hicache-storage-backend-extra-config '{"backend_name": "h3", "module_path":
        "h3cold.h3bridge.engines.sglang_storage", "class_name": "H3HiCacheStorage", "h3_path": "/data/h3_cold"}'

`H3HiCacheStorage` derives from SGLang's `HiCacheStorage` and exists where SGLang does; `PageStorage` is all of it but
the base. A page that was damaged is a miss; it goes into quarantine and is written anew by its next `set`.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from h3cold.h3bridge import frames
from h3cold.h3bridge.cold_pages import ColdPages
from h3cold.h3bridge.kv_pages import page_frame, page_tensor
from h3cold.schemas.errors import PromotionError, UsageError

LAYOUT = (
    "model_name", "tp_rank", "tp_size", "pp_rank", "pp_size", "attn_cp_rank", "attn_cp_size", "dcp_rank", "dcp_size",
    "is_mla_model", "is_page_first_layout", "logical_page_size", "should_split_heads", "tp_lcm_size",
)  # fmt: skip
"""What the bytes of a page depend on: each combination has a namespace of its own."""


class PageStorage:
    """Pages by SGLang's hash, as tensors of whatever shape and dtype they come in.

    Raises:
        UsageError: the extra configuration names no folder that is there.
    """

    def __init__(self, storage_config: Any, options: Any = None) -> None:
        extra = storage_config.extra_config or {}
        path = Path(extra.get("h3_path", ""))
        if not extra.get("h3_path") or not path.is_dir():
            raise UsageError(f"h3_path {str(path)!r}: name a folder that is there in the extra configuration")
        space = frames.namespace("hicache", *(f"{n}={getattr(storage_config, n, None)!r}" for n in LAYOUT))
        self._cold = ColdPages(path, space, compress=bool(extra.get("compress", True)))
        self._cold.sweep()

    def get(self, key: str, target_location: Any = None, target_sizes: Any = None) -> Any:
        """The page, copied into `target_location` where one is given; None when it is not here or was damaged."""
        frame = self._cold.get(key)
        if frame is None:
            return None
        page = page_tensor(frame)
        if target_location is None:
            return page
        if page.dtype != target_location.dtype or page.numel() != target_location.numel():
            return None  # another layout: its bytes would be read as something else
        target_location.copy_(page.reshape(target_location.shape))
        return target_location

    def batch_get(self, keys: Sequence[str], target_locations: Any = None, target_sizes: Any = None) -> list[Any]:
        return [self.get(k, t) for k, t in zip(keys, target_locations or [None] * len(keys), strict=True)]

    def set(self, key: str, value: Any = None, target_location: Any = None, target_sizes: Any = None) -> bool:
        """Store a page; False where the disk does not take it."""
        if value is None:
            return False
        try:
            self._cold.put(page_frame(key, self._cold.space, value))
        except PromotionError:
            return False
        return True

    def batch_set(
        self, keys: Sequence[str], values: Any = None, target_locations: Any = None, target_sizes: Any = None
    ) -> bool:
        done = [self.set(k, v) for k, v in zip(keys, values, strict=True)] if values is not None else [False]
        return all(done)  # each is tried, whether or not one before it failed

    def exists(self, key: str) -> bool:
        return key in self._cold

    def batch_exists(self, keys: Sequence[str], extra_info: Any = None) -> int:
        """Number of keys from the first on that are here."""
        return next((i for i, key in enumerate(keys) if not self.exists(key)), len(keys))


def page_hash(token_ids: Sequence[int], before: str = "") -> str:
    """SGLang's key of a page: SHA-256 over the digest before it and its ids as little-endian u32."""
    digest = sha256(bytes.fromhex(before))
    digest.update(struct.pack(f"<{len(token_ids)}I", *token_ids))
    return digest.hexdigest()


@cache
def _storage_class() -> type:
    from sglang.srt.mem_cache.hicache_storage import HiCacheStorage

    class H3HiCacheStorage(PageStorage, HiCacheStorage):
        """SGLang's interface over `PageStorage`."""

    return H3HiCacheStorage


def __getattr__(name: str) -> Any:
    if name == "H3HiCacheStorage":
        return _storage_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
