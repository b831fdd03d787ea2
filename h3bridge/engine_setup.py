"""An engine for the memories that a `memtier.conf` describes: budgets, and what the cost model assumes of them."""

from __future__ import annotations

from pathlib import Path

from h3cold.h3bridge.engine import GB, H3Engine
from h3cold.h3bridge.memtier import load_memtier
from h3cold.schemas.config import Config
from h3cold.schemas.errors import ConfigError

WARM = {"hbm": ("hbm",), "hbf": ("hbf", "dram")}
"""Types that make up the engine's warm tiers."""


def engine_from_memtier(
    conf: str | Path,
    *,
    model_path: str | None = None,
    cold_storage_path: str | Path = "h3_cold",
    config: Config | None = None,
    policy: str = "ahas",
) -> H3Engine:
    """An `H3Engine` whose budgets are the capacities of `conf`: HBM of type hbm, HBF of hbf and dram.

    Whether a stored prefix is read or computed is decided by the bandwidths there until it was measured: HBF's by the
    slower of what makes it up, files' by the fastest other tier.

    Raises:
        ConfigError: the file is wrong, or has no tier of type hbm, hbf or dram.
    """
    tiers = load_memtier(conf)
    capacity = {name: sum(t.capacity for t in tiers if t.type in kinds) for name, kinds in WARM.items()}
    if not any(capacity.values()):
        raise ConfigError(f"{conf}: no tier of type hbm, hbf or dram: nothing could be kept warm")
    engine = H3Engine(
        model_path=model_path,
        hbm_size_gb=capacity["hbm"] / GB,
        hbf_size_gb=capacity["hbf"] / GB,
        cold_storage_path=cold_storage_path,
        config=config,
        policy=policy,
    )
    middle = [t.bandwidth for t in tiers if t.type in WARM["hbf"]]
    below = [t.bandwidth for t in tiers if t.type not in (*WARM["hbm"], *WARM["hbf"])]
    if middle:
        engine.speeds.hbf.add(min(middle), 1.0)
    if below:
        engine.speeds.cold.add(max(below), 1.0)
    return engine
