"""A block's payload as it travels between tiers: a header that names it, and a checksum over all of it.

Layout, little-endian, 96 bytes of header, then the payload, then zeros up to a multiple of `ALIGN`:

    magic 4s | version u16 | kind u16 | payload length u64 | namespace 16s | key 32s | checksum 32s

The checksum is the BLAKE3 of the header up to the checksum and of the payload, so a bit that flips in either shows.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from enum import IntEnum

from blake3 import blake3

from h3cold.schemas.errors import CorruptionError

MAGIC, VERSION = b"H3FR", 1
ALIGN = 4096
_HEAD = struct.Struct("<4sHHQ16s32s")
HEADER_BYTES = _HEAD.size + 32


class Kind(IntEnum):
    """What the payload bytes are."""

    TEXT = 0
    TOKENS = 1


@dataclass(frozen=True, slots=True)
class Frame:
    """A decoded frame: `key` names the payload inside `namespace` (model and tokenizer, or plain text)."""

    key: str
    namespace: bytes
    kind: Kind
    payload: bytes


def namespace(*parts: str) -> bytes:
    """16-byte digest of everything a payload depends on; equal in every process, unlike `hash()`."""
    return blake3(json.dumps(parts).encode()).digest(length=16)


def key_digest(key: str) -> bytes:
    """32-byte digest of a key, the form in which a frame carries it."""
    return blake3(key.encode()).digest()


def frame_bytes(payload_bytes: int) -> int:
    """Size in bytes of the frame around a payload: header and padding included."""
    return -(-(HEADER_BYTES + payload_bytes) // ALIGN) * ALIGN


def encode(frame: Frame) -> bytes:
    """The frame as bytes, padded to `ALIGN`."""
    head = _HEAD.pack(MAGIC, VERSION, frame.kind, len(frame.payload), frame.namespace, key_digest(frame.key))
    body = head + blake3(head).update(frame.payload).digest() + frame.payload
    return body.ljust(frame_bytes(len(frame.payload)), b"\x00")


def decode(data: bytes | memoryview, *, key: str, namespace: bytes) -> Frame:
    """Check and unpack a frame.

    Raises:
        CorruptionError: the bytes are not a whole frame, a checksum does not hold, or it is another key's frame or
            another namespace's.
    """
    if len(data) < HEADER_BYTES:
        raise CorruptionError(f"frame of {key}: {len(data)} bytes are less than a header")
    view = memoryview(data)
    head = view[: _HEAD.size]
    magic, version, kind, length, found_namespace, found_key = _HEAD.unpack(head)
    if magic != MAGIC or version != VERSION:
        raise CorruptionError(f"frame of {key}: not a frame of version {VERSION}")
    if len(data) != frame_bytes(length):
        raise CorruptionError(f"frame of {key}: {len(data)} bytes, {frame_bytes(length)} expected")
    payload = bytes(view[HEADER_BYTES : HEADER_BYTES + length])
    if blake3(head).update(payload).digest() != view[_HEAD.size : HEADER_BYTES]:
        raise CorruptionError(f"frame of {key}: checksum does not hold")
    if found_key != key_digest(key):
        raise CorruptionError(f"frame of {key}: holds another block")
    if found_namespace != namespace:
        raise CorruptionError(f"frame of {key}: written for another model or tokenizer")
    return Frame(key, namespace, Kind(kind), payload)
