"""The network that makes one vector of a block's token vectors: three layers, read and run with NumPy alone.

Each run of tokens, projected to the calibrated directions (x), goes through the first layer; a gate weighs the runs
(Lin et al., 2017, "A structured self-attentive sentence embedding"); what they come to goes through the second and
third. The plain mean of the runs is carried past all three, so that what is learned is what to add to it:

    y = relu(W1 x), g = softmax over runs of (v · y), z = relu(W2 Σ g y), summary = unit(S mean(x) + W3 z)

`SUMMARY` numbers long; the third layer is turned so that the first of them hold the most, of which codes are made
(`codes`). Its weights are kept as bytes, each column with its scale.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from blake3 import blake3

from h3cold.ingest.compress.codes import BYTES, KEPT, Grid
from h3cold.ingest.store.arrays import map_arrays, write_arrays
from h3cold.schemas.errors import CorruptionError

SUMMARY = 512
HIDDEN = 128
FINITE = 1e6

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.int8]
MATRICES = ("basis", "first", "second", "third", "skip")


class Network(NamedTuple):
    """`basis` [d, k] projects token vectors, `unit` [1] is their usual length then; `first` [k, h], `gate` [h],
    `second` [h, h], `third` [h, SUMMARY], `skip` [k, SUMMARY] with the layers' biases; `grid` is what
    codes are made by.
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
    grid: Grid


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


class Leading(NamedTuple):
    """As much of a network as makes the leading `KEPT` numbers, the rest of it in bytes: what searching keeps."""

    arrays: Mapping[str, npt.NDArray[Any]]

    @property
    def nbytes(self) -> int:
        """Of memory."""
        return sum(a.nbytes for a in self.arrays.values())

    def network(self) -> Network:
        """It, in floats; summaries by it are of length one as far as they go."""
        return _unpacked(self.arrays)


def leading(network: Network) -> Leading:
    """What searching keeps of it."""
    cut = {name: getattr(network, name)[..., :KEPT] for name in ("third", "third_bias", "skip")}
    return Leading(_packed(network._replace(**cut)))


def ids_digest(ids: Sequence[str]) -> str:
    """Digest of the blocks in their order, by which summaries and blocks are known to belong together."""
    return blake3("\n".join(ids).encode("utf-8", "surrogatepass")).hexdigest(16)


def write_network(path: Path, network: Network, notes: Mapping[str, Any]) -> None:
    """Write it, its matrices in bytes, with `notes` (plain JSON).

    Raises:
        StoreError: the file cannot be written.
    """
    write_arrays(path, _packed(network), notes)


def read_network(path: Path) -> tuple[Network, dict[str, Any]]:
    """Inverse of `write_network`.

    Raises:
        StoreError: the file cannot be read.
        CorruptionError: it is not such a file, or its numbers are not what a network has.
    """
    arrays, notes = map_arrays(path)
    try:
        network = _unpacked(arrays)
        d, k = network.basis.shape
        h = len(network.gate)
        shapes = ((1,), (k, h), (h,), (h,), (h, h), (h,), (h, SUMMARY), (SUMMARY,), (k, SUMMARY),
                  (KEPT,), (KEPT,), (KEPT,))  # fmt: skip
        numbers = (*network[:-1], *network.grid)
        whole = tuple(a.shape for a in numbers[1:]) == shapes and d == notes["dimension"]
        whole = whole and all(np.isfinite(a).all() and np.abs(a).max() < FINITE for a in numbers)
        bits = network.grid.bits
        whole = whole and bits.dtype == np.uint8 and int(bits.sum()) == 8 * BYTES and int(bits.max()) <= 8
        if not (whole and (network.grid.spread > 0).all() and network.unit[0] > 0):
            raise ValueError("other shapes or numbers than a network has")
    except (KeyError, ValueError, TypeError) as e:
        why = f"no {e}: another version made it" if isinstance(e, KeyError) else str(e)
        raise CorruptionError(
            f"{path}: the calibration of summaries does not load ({why}); see h3-monitor --verify --repair"
        ) from e
    return network, notes


def _packed(network: Network) -> dict[str, npt.NDArray[Any]]:
    out: dict[str, npt.NDArray[Any]] = {}
    for name, array in network._asdict().items():
        if name in MATRICES:
            scales = np.maximum(np.abs(array).max(axis=0) / 127, 1e-12).astype(np.float32)
            out[name], out[f"{name}_scales"] = np.rint(array / scales).astype(np.int8), scales
        elif name != "grid":
            out[name] = np.asarray(array, np.float32)
    return out | {f"grid_{name}": np.asarray(a) for name, a in network.grid._asdict().items()}


def _unpacked(arrays: Mapping[str, npt.NDArray[Any]]) -> Network:
    def one(name: str) -> Any:
        if name == "grid":
            return Grid(*(np.array(arrays[f"grid_{own}"]) for own in Grid._fields))
        array = np.asarray(arrays[name], np.float32)
        return array * arrays[f"{name}_scales"] if name in MATRICES else array

    return Network(*(one(name) for name in Network._fields))
