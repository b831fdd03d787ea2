"""Frames: what goes in comes out, and no flipped bit, cut or swap gets through."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.h3bridge import frames
from h3cold.schemas.errors import CorruptionError

SPACE = frames.namespace("text", "")
payloads = st.binary(max_size=6000)


def framed(payload, key="d-00001-c1"):
    return frames.encode(frames.Frame(key, SPACE, frames.Kind.TEXT, payload))


@given(payloads)
def test_round_trip_in_whole_pages(payload):
    data = framed(payload)
    assert len(data) == frames.frame_bytes(len(payload))
    assert len(data) % frames.ALIGN == 0
    assert frames.decode(data, key="d-00001-c1", namespace=SPACE).payload == payload


@given(payloads, st.data())
def test_any_flipped_bit_is_found(payload, data):
    frame = bytearray(framed(payload))
    at = data.draw(st.integers(0, frames.HEADER_BYTES + len(payload) - 1))
    frame[at] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(CorruptionError):
        frames.decode(bytes(frame), key="d-00001-c1", namespace=SPACE)


@given(payloads, st.data())
def test_any_cut_is_found(payload, data):
    frame = framed(payload)
    with pytest.raises(CorruptionError):
        frames.decode(frame[: data.draw(st.integers(0, len(frame) - 1))], key="d-00001-c1", namespace=SPACE)


def test_another_block_or_model_is_refused():
    with pytest.raises(CorruptionError, match="another block"):
        frames.decode(framed(b"x"), key="d-00002-c1", namespace=SPACE)
    with pytest.raises(CorruptionError, match="another model"):
        frames.decode(framed(b"x"), key="d-00001-c1", namespace=frames.namespace("text", "llama"))


def test_namespaces_do_not_depend_on_the_hash_seed():
    code = "from h3cold.h3bridge.frames import *; print(namespace('a', 'b').hex(), key_digest('k').hex())"
    runs = [
        subprocess.run([sys.executable, "-c", code], env={"PYTHONHASHSEED": s}, capture_output=True, check=True)
        for s in ("1", "2")
    ]
    assert runs[0].stdout == runs[1].stdout != b""


def test_parts_of_a_namespace_are_kept_apart():
    assert len({frames.namespace(*p) for p in [("a", "b"), ("ab",), ("a\x00b",), ("", "ab"), ("b", "a")]}) == 5
