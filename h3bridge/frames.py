"""A payload as it travels between tiers: a header that says what it is, and a checksum over all of it.

Layout, little-endian, 128 bytes of header, then the payload, then zeros up to a multiple of `TEXT_ALIGN`, or of
`PAGE_ALIGN` for KV pages:

    magic 4s | version u16 | kind u8 | codec u8 | dtype 8s | shape 6 x u32 | payload length u64 | namespace 16s
    | key 32s | checksum 32s

The checksum is the XXH3-128 of the header up to the checksum and of the payload, then zeros: a bit that flips in any of
them shows. It is against damage, not forgery, and takes a quarter of BLAKE3's time: payloads are checked at every move.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from enum import IntEnum

from blake3 import blake3
from xxhash import xxh3_128

from h3cold.schemas.errors import CorruptionError

MAGIC, VERSION = b"H3FR", 3
TEXT_ALIGN, PAGE_ALIGN = 4096, 64 * 1024
ALIGN = TEXT_ALIGN
DIMENSIONS = 6
_HEAD = struct.Struct(f"<4sHBB8s{DIMENSIONS}IQ16s32s")
CHECK_BYTES = 32
HEADER_BYTES = _HEAD.size + CHECK_BYTES


class Kind(IntEnum):
    """What the payload bytes are."""

    TEXT = 0
    TOKENS = 1
    PAGE = 2
    VECTOR = 3


class Codec(IntEnum):
    """How the payload is packed."""

    PLAIN = 0
    ZSTD = 1


@dataclass(frozen=True, slots=True)
class Frame:
    """A decoded frame: `key` names the payload inside `namespace` (all that the bytes depend on).

    `shape` (up to 6 dimensions) and `dtype` (up to 8 letters) describe arrays; text has none.
    """

    key: str
    namespace: bytes
    kind: Kind
    payload: bytes | memoryview
    shape: tuple[int, ...] = ()
    dtype: str = ""
    codec: Codec = Codec.PLAIN


def _digest(head: bytes | memoryview, payload: bytes | memoryview) -> bytes:
    digest = xxh3_128(head)
    digest.update(payload)
    return digest.digest().ljust(CHECK_BYTES, b"\0")


def namespace(*parts: str) -> bytes:
    """16-byte digest of everything a payload depends on; equal in every process, unlike `hash()`."""
    return blake3(json.dumps(parts).encode()).digest(length=16)


def key_digest(key: str) -> bytes:
    """32-byte digest of a key, the form in which a frame carries it."""
    return blake3(key.encode()).digest()


def frame_bytes(payload_bytes: int, kind: Kind = Kind.TEXT) -> int:
    """Size in bytes of the frame around a payload: header and padding included."""
    align = PAGE_ALIGN if kind is Kind.PAGE else TEXT_ALIGN
    return -(-(HEADER_BYTES + payload_bytes) // align) * align


def encode(frame: Frame) -> bytes:
    """The frame as bytes, padded.

    Raises:
        ValueError: more than 6 dimensions, or a dtype of more than 8 letters.
    """
    dtype = frame.dtype.encode()
    if len(frame.shape) > DIMENSIONS or len(dtype) > 8:
        raise ValueError(f"frame of {frame.key}: shape {frame.shape} or dtype {frame.dtype!r} does not fit the header")
    shape = (*frame.shape, *(0,) * (DIMENSIONS - len(frame.shape)))
    head = _HEAD.pack(MAGIC, VERSION, frame.kind, frame.codec, dtype, *shape, len(frame.payload), frame.namespace,
                      key_digest(frame.key))  # fmt: skip
    check = _digest(head, frame.payload)
    padding = frame_bytes(len(frame.payload), frame.kind) - HEADER_BYTES - len(frame.payload)
    return b"".join((head, check, frame.payload, bytes(padding)))


def decode(data: bytes | memoryview, *, key: str, namespace: bytes) -> Frame:
    """Check and unpack a frame; its payload is a view of `data`, nothing is copied.

    Raises:
        CorruptionError: the bytes are not a whole frame, a checksum does not hold, or it is another key's frame or
            another namespace's.
    """
    if len(data) < HEADER_BYTES:
        raise CorruptionError(f"frame of {key}: {len(data)} bytes are less than a header")
    view = memoryview(data)
    head = view[: _HEAD.size]
    magic, version, kind, codec, dtype, *rest = _HEAD.unpack(head)
    shape, (length, found_namespace, found_key) = rest[:DIMENSIONS], rest[DIMENSIONS:]
    if magic != MAGIC or version != VERSION:
        raise CorruptionError(f"frame of {key}: not a frame of version {VERSION}")
    if kind > max(Kind) or codec > max(Codec) or len(data) != frame_bytes(length, Kind(kind)):
        raise CorruptionError(f"frame of {key}: {len(data)} bytes are not what its header says")
    payload = view[HEADER_BYTES : HEADER_BYTES + length]
    if _digest(head, payload) != view[_HEAD.size : HEADER_BYTES]:
        raise CorruptionError(f"frame of {key}: checksum does not hold")
    if found_key != key_digest(key):
        raise CorruptionError(f"frame of {key}: holds another block")
    if found_namespace != namespace:
        raise CorruptionError(f"frame of {key}: written for another model or tokenizer")
    kept = tuple(n for n in shape if n)
    return Frame(key, namespace, Kind(kind), payload, kept, dtype.rstrip(b"\0").decode(), Codec(codec))
