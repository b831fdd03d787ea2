"""AHAS as the cache policy of vLLM's CPU offloading.

    --kv-transfer-config '{"kv_connector": "OffloadingConnector", "kv_role": "kv_both", "kv_connector_extra_config":
        {"eviction_policy": "AhasCachePolicy", "cache_policy_module_path": "h3cold.h3bridge.engines.vllm_policy", ...}}'

`AhasCachePolicy` derives from vLLM's `CachePolicy` and exists where vLLM does; `AhasChunks` is all of it but the base.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from h3cold.h3bridge.policies.ahas_queue import AhasQueue


class AhasChunks:
    """Chunks of a tier by key, evicted by AHAS; one that is in use or not yet written (`ref_cnt` not 0) stays."""

    def __init__(self, cache_capacity: int) -> None:
        self.cache_capacity = cache_capacity
        self.clear()

    def get(self, key: Any) -> Any:
        return self._chunks.get(key)

    def insert(self, key: Any, chunk: Any) -> None:
        self._chunks[key] = chunk
        self._keys[_name(key)] = key
        self._queue.insert(_name(key))

    def remove(self, key: Any) -> None:
        self._chunks.pop(key, None)
        self._keys.pop(_name(key), None)
        self._queue.remove(_name(key))

    def touch(self, keys: Iterable[Any], req_context: Any = None) -> None:
        """One request that used `keys`."""
        self._queue.request([_name(key) for key in keys])

    def on_store_miss(self, keys: Iterable[Any], req_context: Any = None) -> None:
        """Nothing: the request counts once, when it is finished."""

    def on_request_finished(
        self,
        key_groups: Sequence[Sequence[Any]],
        insertion_only_keys: set[Any],
        reused_keys: set[Any],
        req_context: Any,
    ) -> None:
        """One tick of the scheduler for all keys of a request, whatever cache groups they are in."""
        self.touch([key for keys in key_groups for key in keys], req_context)

    def evict(self, n: int, protected: set[Any]) -> list[tuple[Any, Any]] | None:
        """Exactly `n` chunks, or None and nothing changed."""
        chosen: list[str] = []
        aside: list[str] = []
        while len(chosen) < n and (name := self._queue.victim()) is not None:
            self._queue.remove(name)
            key = self._keys[name]
            free = key not in protected and self._chunks[key].ref_cnt == 0
            (chosen if free else aside).append(name)
        short = len(chosen) < n
        for name in [*aside, *(chosen if short else [])]:
            self._queue.insert(name)
        if short:
            return None
        return [(key, self._chunks.pop(key)) for key in (self._keys.pop(name) for name in chosen)]

    def clear(self) -> None:
        self._chunks: dict[Any, Any] = {}
        self._keys: dict[str, Any] = {}
        self._queue = AhasQueue(follower=lambda _: None)


def _name(key: Any) -> str:
    return key.hex() if isinstance(key, bytes) else repr(key)


@cache
def _policy_class() -> type:
    from vllm.v1.kv_offload.cpu.policies.base import CachePolicy

    class AhasCachePolicy(AhasChunks, CachePolicy):
        """vLLM's interface over `AhasChunks`."""

    return AhasCachePolicy


def __getattr__(name: str) -> Any:
    if name == "AhasCachePolicy":
        return _policy_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
