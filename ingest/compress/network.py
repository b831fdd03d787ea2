"""The network that makes one vector of a block's token vectors: three layers, read and run with NumPy alone.

Each run of tokens, projected to the calibrated directions (x), goes through the first layer; a gate weighs the runs
(Lin et al., 2017, "A structured self-attentive sentence embedding"); what they come to goes through the second and
third. The plain mean of the runs is carried past all three, so that what is learned is what to add to it:

    y = relu(W1 x), g = softmax over runs of (v · y), z = relu(W2 Σ g y), summary = unit(S mean(x) + W3 z)

`SUMMARY` numbers long; the third layer is turned so that the first of them hold the most, and `KEPT` are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from blake3 import blake3

from h3cold.ingest.store.arrays import map_arrays, write_arrays
from h3cold.schemas.errors import CorruptionError

SUMMARY = 512
HIDDEN = 128
KEPT = 128
"""Leading numbers of a summary that are kept: the others hold about a hundredth of its square."""

BYTES = KEPT // 2
"""Of a summary that is kept: four bits to a number."""

STEP = 0.335
"""Of a number's spread, the step of 16 that lose least of it (Max, 1960, IRE Trans. Inf. Theory 6, for a Gaussian)."""

FINITE = 1e6

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.int8]
Codes = npt.NDArray[np.uint8]


class Network(NamedTuple):
    """`basis` [d, k] projects token vectors, `unit` [1] is their usual length then; `first` [k, h], `gate` [h],
    `second` [h, h], `third` [h, SUMMARY], `skip` [k, SUMMARY] with the layers' biases; `scales` [KEPT] are the codes'.
    """

    basis: Floats
    unit: Floats
    first: Floats
    first_bias: Floats
    gate: Floats
    second: Floats
    second_bias: Floats
    third: Floats
    third_bias: Floats
    skip: Floats
    scales: Floats


def parameters(network: Network) -> int:
    """Numbers that were learned, the projection aside."""
    return sum(a.size for a in network[2:-1])


def summaries(network: Network, runs: Sequence[Floats], *, kept: int = SUMMARY) -> Floats:
    """Summary vectors [n, kept] of texts, each given as its runs of tokens [runs, d]; of length one where whole."""
    if not runs:
        return np.zeros((0, kept), np.float32)
    sizes = np.array([len(r) for r in runs])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    x = (np.concatenate(list(runs)) @ network.basis) / network.unit
    y = np.maximum(x @ network.first + network.first_bias, 0)
    gate = y @ network.gate
    gate = np.exp(gate - np.repeat(np.maximum.reduceat(gate, starts), sizes))
    gate /= np.repeat(np.add.reduceat(gate, starts), sizes)
    pooled = np.add.reduceat(y * gate[:, None], starts, axis=0)
    mean = np.add.reduceat(x, starts, axis=0) / sizes[:, None]
    z = np.maximum(pooled @ network.second + network.second_bias, 0)
    out = mean @ network.skip + z @ network.third + network.third_bias
    out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)
    return np.ascontiguousarray(out[:, :kept], dtype=np.float32)


def coded(network: Network, vectors: Floats) -> Codes:
    """The leading numbers of summaries [n, >= KEPT] as codes [n, BYTES]: number i in the low bits of byte i, number
    BYTES + i in its high ones.
    """
    steps = np.clip(np.floor(vectors[:, :KEPT] / network.scales), -8, 7).astype(np.int8) + 8
    return (steps[:, :BYTES] | steps[:, BYTES:] << 4).astype(np.uint8)


def decoded(codes: Codes) -> Floats:
    """Codes [n, BYTES] as numbers [n, KEPT] to the network's scales."""
    out = np.empty((len(codes), KEPT), np.float32)
    out[:, :BYTES] = codes & 15
    out[:, BYTES:] = codes >> 4
    out -= 7.5
    return out


def numbers(codes: npt.NDArray[Any]) -> Floats:
    """Blocks' codes as float32, to their scales: four bits a number where they are summaries, else a byte."""
    return decoded(codes) if codes.dtype == np.uint8 else codes.astype(np.float32)


def ids_digest(ids: Sequence[str]) -> str:
    """Digest of the blocks in their order, by which summaries and blocks are known to belong together."""
    return blake3("\n".join(ids).encode("utf-8", "surrogatepass")).hexdigest(16)


def write_network(path: Path, network: Network, notes: Mapping[str, Any]) -> None:
    """Write it, as half floats but for the scales, with `notes` (plain JSON).

    Raises:
        StoreError: the file cannot be written.
    """
    arrays = {name: a.astype("<f4" if name in ("scales", "unit") else "<f2") for name, a in network._asdict().items()}
    write_arrays(path, arrays, notes)


def read_network(path: Path) -> tuple[Network, dict[str, Any]]:
    """Inverse of `write_network`.

    Raises:
        StoreError: the file cannot be read.
        CorruptionError: it is not such a file, or its numbers are not what a network has.
    """
    arrays, notes = map_arrays(path)
    try:
        network = Network(*(np.asarray(arrays[name], np.float32) for name in Network._fields))
        d, k = network.basis.shape
        h = len(network.gate)
        shapes = ((1,), (k, h), (h,), (h,), (h, h), (h,), (h, SUMMARY), (SUMMARY,), (k, SUMMARY), (KEPT,))
        whole = tuple(a.shape for a in network[1:]) == shapes and d == notes["dimension"]
        whole = whole and all(np.isfinite(a).all() and np.abs(a).max() < FINITE for a in network)
        if not (whole and (network.scales > 0).all() and network.unit[0] > 0):
            raise ValueError("other shapes or numbers than a network has")
    except (KeyError, ValueError, TypeError) as e:
        raise CorruptionError(
            f"{path}: the calibration of summaries does not load ({e}); see h3-monitor --verify --repair"
        ) from e
    return network, notes
