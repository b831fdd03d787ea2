"""Personalised PageRank over names and the passages that tie them, in a bounded neighbourhood of a question's names.

After HippoRAG 2 (Gutiérrez et al. 2025): a walk that keeps returning to what the question names ends up in the passages
that tie it together, over as many documents as that takes. Arrays only, so that 100,000 edges cost milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]

HOPS = 3
NEAR, FRONT = 100, 48
"""Edges of a node that are followed, the heaviest first (a hub's say little), and nodes that a hop goes on from."""
MOST = 1500
"""Edges of a neighbourhood."""
BEST = 50
"""Passages that a walk gives."""
STAY = 0.5
"""Probability of going back to the question's names, as in HippoRAG."""
STEPS = 12
PASSAGE = 1.0
"""Weight of the step from a name into the passage that ties it, over that to the other name."""


@dataclass(frozen=True, slots=True)
class Ties:
    """Edges as arrays of one length, and the edges that meet at each node (`order[start[n] : start[n + 1]]`)."""

    heads: Ints
    tails: Ints
    blocks: Ints
    start: Ints
    order: Ints


class Walked(NamedTuple):
    """A passage that the walk reached: its number, its share of the walk (the best has 1), and the path to it."""

    block: int
    share: float
    path: tuple[int, ...]
    """Edges from a name of the question to the passage; the last stands in it."""


def tie(heads: Ints, tails: Ints, blocks: Ints, nodes: int) -> Ties:
    """Edges between nodes `0..nodes-1`, each in a block."""
    ends = np.concatenate([heads, tails])
    order = np.argsort(ends, kind="stable")
    start = np.searchsorted(ends[order], np.arange(nodes + 1))
    return Ties(heads, tails, blocks, start, order % max(len(heads), 1))


def walk(ties: Ties, seeds: Mapping[int, float], weigh: Callable[[Ints], Floats], *, hops: int = HOPS) -> list[Walked]:
    """Passages around the seeds (node -> strength), best first.

    Args:
        weigh: weights 0..1 of the edges of these numbers; an edge of weight 0 is not followed.
    """
    edges, weights, above = _neighbourhood(ties, seeds, weigh, hops)
    if not len(edges):
        return []
    nodes, local = np.unique(np.concatenate([ties.heads[edges], ties.tails[edges]]), return_inverse=True)
    passages, where = np.unique(ties.blocks[edges], return_inverse=True)
    heads, tails, where = local[: len(edges)], local[len(edges) :], where + len(nodes)
    out = np.concatenate([heads, tails, heads, tails, where, where])
    into = np.concatenate([tails, heads, where, where, heads, tails])
    step = np.concatenate([weights, weights, *[weights * PASSAGE] * 4]).astype(np.float64)
    size = len(nodes) + len(passages)
    leaving = np.bincount(out, step, size)
    step /= leaving[out]
    begin = np.zeros(size)
    for node, strength in seeds.items():
        at = int(np.searchsorted(nodes, node))
        if at < len(nodes) and nodes[at] == node:
            begin[at] = strength
    begin /= begin.sum() or 1.0
    rank = begin
    for _ in range(STEPS):
        rank = STAY * begin + (1 - STAY) * np.bincount(into, rank[out] * step, size)
    flow = (rank[heads] + rank[tails]) * weights
    shares = rank[len(nodes) :] / max(float(rank[len(nodes) :].max()), 1e-12)
    best: dict[int, int] = {}
    for i in np.argsort(flow, kind="stable").tolist():
        best[int(ties.blocks[edges[i]])] = i
    order = np.lexsort((passages, -shares))[:BEST]
    return [
        Walked(int(passages[i]), float(shares[i]), _path(ties, int(edges[best[int(passages[i])]]), above))
        for i in order
    ]


def _neighbourhood(
    ties: Ties, seeds: Mapping[int, float], weigh: Callable[[Ints], Floats], hops: int
) -> tuple[Ints, Floats, dict[int, int]]:
    """Edges around the seeds, their weights, and for each node met on the way the edge that led to it (-1: a seed)."""
    above = dict.fromkeys(seeds, -1)
    frontier = sorted(seeds)
    known: dict[int, float] = {}
    for hop in range(hops):
        reached: dict[int, int] = {}
        for node in frontier:
            near = ties.order[ties.start[node] : ties.start[node + 1]]
            weights = weigh(near)
            keep = np.lexsort((near, -weights))[:NEAR]
            for edge, weight in zip(near[keep].tolist(), weights[keep].tolist(), strict=True):
                if weight <= 0 or (edge not in known and len(known) >= MOST):
                    break
                known[edge] = weight
                for end in (int(ties.heads[edge]), int(ties.tails[edge])):
                    if end not in above:
                        reached.setdefault(end, edge)
        if hop + 1 < hops:
            # From the next names go on those that the heaviest edges lead to.
            frontier = sorted(reached, key=lambda n: (-known[reached[n]], n))[:FRONT]
        above |= reached
    edges = np.array(sorted(known), np.int64)
    return edges, np.array([known[e] for e in edges.tolist()], np.float32), above


def _path(ties: Ties, edge: int, above: Mapping[int, int]) -> tuple[int, ...]:
    """The edge, behind those that lead from a seed to the nearer of its ends."""

    def back(node: int) -> list[int]:
        out: list[int] = []
        while (led := above.get(node, -1)) >= 0 and led not in out:
            out.append(led)
            node = int(ties.heads[led]) if int(ties.tails[led]) == node else int(ties.tails[led])
        return out[::-1]

    ways: Sequence[list[int]] = [back(int(ties.heads[edge])), back(int(ties.tails[edge]))]
    way = min(ways, key=len)
    return (*(e for e in way if e != edge), edge)
