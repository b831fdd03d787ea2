"""`memtier.conf`: the memories at hand, fastest first.

One section a tier:

    [hbm]
    type = hbm            # hbm, dram, hbf, ssd, hdd or object
    capacity = 80GB       # a number with B, KB, MB, GB, TB (powers of 1000) or KiB ... TiB (powers of 1024)
    latency = 200ns       # a number with ns, us, ms or s
    bandwidth = 3.35TB/s  # optional: what the type usually has
    price = 12            # optional: per GB
"""

from __future__ import annotations

import configparser
import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from h3cold.schemas.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

TYPES: dict[str, float] = {"hbm": 3.35e12, "hbf": 1.6e12, "dram": 200e9, "ssd": 7e9, "hdd": 0.2e9, "object": 1e9}
"""Types, fastest first, and the bandwidth of one device, in bytes a second, assumed where none is given."""

KEYS = ("type", "capacity", "latency", "bandwidth", "price")
MOST = 1e24
"""Numbers beyond this are slips of the hand: a yottabyte, or as many seconds."""
_UNITS = {"B": 1, **{f"{p}B": 1000**i for i, p in enumerate("KMGTP", 1)},
          **{f"{p}iB": 1024**i for i, p in enumerate("KMGTP", 1)}}  # fmt: skip
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_VALUE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z/]+)")

PREFERRED: Mapping[str, Sequence[str]] = {
    "weights": ("hbm", "hbf", "dram", "ssd"),
    "kv": ("hbm", "dram", "hbf", "ssd"),
    "history": ("hbf", "dram", "ssd", "hdd", "object"),
}
"""Where each kind of data belongs, best first. Weights are only read, which flash takes; a KV cache is written, too."""


@dataclass(frozen=True, slots=True)
class MemTier:
    """One memory: capacity in bytes, latency in seconds, bandwidth in bytes a second, price per 10^9 bytes or None."""

    name: str
    type: str
    capacity: int
    latency: float
    bandwidth: float
    price: float | None = None


@dataclass(frozen=True, slots=True)
class Share:
    """`bytes` of a kind of data in a tier."""

    kind: str
    tier: str
    bytes: int


def load_memtier(path: str | Path) -> list[MemTier]:
    """Read and check a `memtier.conf`; tiers in the file's order.

    Raises:
        ConfigError: the file is missing, or something in it is not known or makes no sense; says where.
    """
    parser = configparser.ConfigParser(inline_comment_prefixes=("#", ";"), interpolation=None)
    try:
        parser.read_string(Path(path).read_text(encoding="utf-8"), source=str(path))
    except OSError as e:
        raise ConfigError(f"{path}: cannot read the tiers: {e.strerror}") from e
    except (configparser.Error, UnicodeDecodeError) as e:
        raise ConfigError(f"{path}: {' '.join(str(e).split())}") from e
    if not parser.sections():
        raise ConfigError(f"{path}: no tier; each is a [section] with type, capacity and latency")
    return [_tier(parser[name], f"{path}: [{name}]") for name in parser.sections()]


def parse_bytes(text: str) -> int:
    """`80GB`, `1.5 TiB` in bytes.

    Raises:
        ValueError: no number with a known unit.
    """
    return int(_parse(text, _UNITS))


def allocate(sizes: Mapping[str, int], tiers: Sequence[MemTier]) -> list[Share]:
    """Give each kind (`weights`, `kv`, `history`) room in the tiers it belongs in, in this order.

    What fits nowhere is left out: compare the shares' sum with the sizes.
    """
    free = {tier.name: tier.capacity for tier in tiers}
    shares = []
    for kind, size in sizes.items():
        left = size
        for wished in PREFERRED[kind]:
            for tier in tiers:
                taken = min(left, free[tier.name]) if tier.type == wished else 0
                if taken:
                    free[tier.name] -= taken
                    left -= taken
                    shares.append(Share(kind, tier.name, taken))
    return shares


def _tier(section: configparser.SectionProxy, where: str) -> MemTier:
    for key in section:
        if key not in KEYS:
            near = difflib.get_close_matches(key, KEYS, n=1, cutoff=0.5)
            raise ConfigError(f"{where}: unknown key {key!r}; " + (f"did you mean {near[0]!r}?" if near else
                              f"known keys: {', '.join(KEYS)}"))  # fmt: skip
    missing = [key for key in KEYS[:3] if key not in section]
    if missing:
        raise ConfigError(f"{where}: {' and '.join(missing)} missing")
    kind = section["type"].lower()
    if kind not in TYPES:
        raise ConfigError(f"{where}: type {kind!r}; known: {', '.join(TYPES)}")
    try:
        capacity, latency = parse_bytes(section["capacity"]), _parse(section["latency"], _SECONDS)
        given = section.get("bandwidth")
        bandwidth = _parse(given.removesuffix("/s"), _UNITS) if given else TYPES[kind]
        price = float(section["price"]) if "price" in section else None
    except ValueError as e:
        raise ConfigError(f"{where}: {e}") from None
    if capacity < 1 or bandwidth < 1:
        raise ConfigError(f"{where}: capacity and bandwidth must be above 0, at least one byte")
    if price is not None and not 0 <= price < MOST:
        raise ConfigError(f"{where}: price {section['price']}: give 0 or more a GB, or leave the line out")
    return MemTier(section.name, kind, capacity, latency, bandwidth, price)


def _parse(text: str, units: Mapping[str, float]) -> float:
    match = _VALUE.fullmatch(text.strip())
    known = {unit.lower(): factor for unit, factor in units.items()}
    if match is None or match[2].lower() not in known:
        raise ValueError(f"{text!r}: give a number with one of {', '.join(units)}")
    value = float(match[1]) * known[match[2].lower()]
    if value > MOST:
        raise ValueError(f"{text[:20]!r}...: no memory has that much")
    return value
