"""Our parts inside the real vLLM and SGLang, on a CPU; `make test-engines` runs it (no model, no GPU is needed)."""

import random
from types import SimpleNamespace

import pytest
import torch


def test_vllm_s_manager_evicts_by_ahas():
    """Hot prefixes and a scan through vLLM's own CPU offloading manager: AHAS keeps the prefixes, LRU does not."""
    from vllm.v1.kv_offload.base import ReqContext, make_offload_key
    from vllm.v1.kv_offload.cpu.manager import CPUOffloadingManager

    def hits(**policy):
        manager = CPUOffloadingManager(num_chunks=24, **policy)
        rng, found = random.Random(1), 0
        for number in range(400):
            if number % 4 == 3:
                ids = [1000 + number * 8 + i for i in range(8)]
            else:
                ids = [rng.randrange(4) * 4 + i for i in range(4)]
            keys = [make_offload_key(i.to_bytes(8, "big"), 0) for i in ids]
            context = ReqContext(req_id=f"r{number}")
            for position, key in enumerate(keys):
                context.set_offload_key_position(key, 16 * (position + 1))
            manager.on_new_request(context)
            found += sum(manager.lookup(key, context).name == "HIT" for key in keys)
            stored = manager.prepare_store(keys, context)
            if stored is not None:
                manager.complete_store(stored.keys_to_store, context)
            manager.on_request_finished(context)
        return found

    ours = hits(cache_policy="AhasCachePolicy", cache_policy_module_path="h3cold.h3bridge.engines.vllm_policy")
    assert ours > hits(cache_policy="lru")


def test_sglang_s_factory_makes_our_storage(tmp_path):
    from sglang.srt.mem_cache.hicache_storage import HiCacheStorage, HiCacheStorageConfig
    from sglang.srt.mem_cache.storage.backend_factory import StorageBackendFactory

    config = HiCacheStorageConfig(
        tp_rank=0, tp_size=1, pp_rank=0, pp_size=1, attn_cp_rank=0, attn_cp_size=1, is_mla_model=False,
        enable_storage_metrics=False, is_page_first_layout=True, model_name="m",
        extra_config={"backend_name": "h3", "module_path": "h3cold.h3bridge.engines.sglang_storage",
                      "class_name": "H3HiCacheStorage", "h3_path": str(tmp_path)},
    )  # fmt: skip
    storage = StorageBackendFactory.create_backend("dynamic", config, SimpleNamespace())
    assert isinstance(storage, HiCacheStorage)
    page = torch.arange(4096, dtype=torch.float32).to(torch.bfloat16)
    assert storage.set("ab" * 32, page)
    assert torch.equal(storage.get("ab" * 32, torch.zeros_like(page)), page)
    (file,) = tmp_path.rglob("*.frame")
    data = bytearray(file.read_bytes())
    data[200] ^= 1
    file.write_bytes(data)
    assert storage.get("ab" * 32, torch.zeros_like(page)) is None


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q", "-p", "no:cacheprovider", "-o", "addopts="]))
