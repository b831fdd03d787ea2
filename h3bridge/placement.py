"""Which memory each part of a decoder runs from, decided in linear time.

After H2M2 (heterogeneous memory mapping for LLM inference): attention gains most from the fast memory, then the qkv
projection, then the fully connected layers; each kind is split by pages of 2 MB, and both memories are read at the same
time. So the best split of each kind shares its bytes by bandwidth, and capacity is given to the kinds in that order.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MEMORY_PAGE = 2 * 1024 * 1024
ORDER = ("attention", "qkv", "fc")
"""Kinds of sublayers, by what the fast memory gains them."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Capacity in bytes, bandwidth in bytes a second, and what each kind's work is slowed by there (1 = not)."""

    capacity: int
    bandwidth: float
    slowdown: Mapping[str, float]

    def seconds(self, kind: str, pages: int) -> float:
        """Time to run `pages` of a kind from here."""
        return pages * MEMORY_PAGE * self.slowdown.get(kind, 1.0) / self.bandwidth


@dataclass(frozen=True, slots=True)
class Sublayer:
    """One sublayer and the bytes it reads a step: weights, or keys and values for attention."""

    kind: str
    bytes: int

    @property
    def pages(self) -> int:
        """Pages of memory it takes."""
        return -(-self.bytes // MEMORY_PAGE)


def step_seconds(sublayers: Sequence[Sublayer], fast_pages: Sequence[int], fast: Memory, large: Memory) -> float:
    """Time of one decoding step: sublayers run one after the other, each from both memories at once."""
    return sum(seconds(s, n, fast, large) for s, n in zip(sublayers, fast_pages, strict=True))


def seconds(sublayer: Sublayer, pages: int, fast: Memory, large: Memory) -> float:
    """Time of one sublayer with `pages` of it in the fast memory."""
    return max(fast.seconds(sublayer.kind, pages), large.seconds(sublayer.kind, sublayer.pages - pages))


def place(sublayers: Sequence[Sublayer], fast: Memory, large: Memory) -> list[int]:
    """Pages of each sublayer that go to the fast memory, in O(number of sublayers).

    A sublayer's pages gain alike until both memories finish together, the last page a part of that. Pages are given
    room by what they gain; equal gains, of which a model of equal layers has a handful, are taken in `ORDER`.

    Raises:
        ValueError: both memories together are too small.
    """
    if sum(s.pages for s in sublayers) > fast.capacity // MEMORY_PAGE + large.capacity // MEMORY_PAGE:
        raise ValueError("the sublayers do not fit the two memories together")
    gains: dict[tuple[float, int], list[tuple[int, int]]] = {}
    for number, s in enumerate(sublayers):
        one, other = fast.seconds(s.kind, 1), large.seconds(s.kind, 1)
        whole = int(s.pages * other / (one + other))
        last = seconds(s, whole, fast, large) - seconds(s, whole + 1, fast, large) if whole < s.pages else 0.0
        gains.setdefault((-other, _rank(s.kind)), []).append((number, whole))
        if last > 0:
            gains.setdefault((-last, _rank(s.kind)), []).append((number, 1))
    room = fast.capacity // MEMORY_PAGE
    out = [0] * len(sublayers)
    for gain in sorted(gains):
        for number, pages in gains[gain]:
            given = min(room, pages)
            out[number] += given
            room -= given
    # What the large memory cannot hold must go to the fast one, whatever it costs.
    over = sum(s.pages - n for s, n in zip(sublayers, out, strict=True)) - large.capacity // MEMORY_PAGE
    for number, sublayer in enumerate(sublayers):
        more = max(0, min(over, room, sublayer.pages - out[number]))
        out[number], over, room = out[number] + more, over - more, room - more
    return out


def exhaustive(sublayers: Sequence[Sublayer], fast: Memory, large: Memory) -> list[int]:
    """The best of all splits; only for a handful of small sublayers."""
    splits = itertools.product(*(range(s.pages + 1) for s in sublayers))
    whole = sum(s.pages for s in sublayers)
    fitting = (
        split for split in splits
        if sum(split) * MEMORY_PAGE <= fast.capacity and (whole - sum(split)) * MEMORY_PAGE <= large.capacity
    )  # fmt: skip
    return list(min(fitting, key=lambda split: step_seconds(sublayers, list(split), fast, large)))


def _rank(kind: str) -> int:
    return ORDER.index(kind) if kind in ORDER else len(ORDER)
