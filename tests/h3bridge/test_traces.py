"""Traces: written and read back, converted, and generated alike each time."""

import json

import numpy as np
import pytest

from h3cold.h3bridge.traces import chat_trace, convert_hash_ids, read_trace, recall_trace, write_trace
from h3cold.schemas.errors import UsageError


def test_a_trace_comes_back_as_it_was_written(tmp_path):
    trace = list(recall_trace(60, blocks=500, seed=3))
    assert write_trace(tmp_path / "t.jsonl", trace, name="recalls") == 60
    again = list(read_trace(tmp_path / "t.jsonl"))
    assert [keys for keys, _ in again] == [keys for keys, _ in trace]
    for (_, one), (_, other) in zip(trace, again, strict=True):
        assert one.keys() == other.keys()
        assert all(np.allclose(one[k], other[k], atol=1e-4) for k in one)


def test_public_traces_are_converted(tmp_path):
    lines = [{"timestamp": 0, "input_length": 1100, "hash_ids": [0, 1, 2]}, {"timestamp": 9, "hash_ids": [0, 1, 7, 0]}]
    path = tmp_path / "public.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert [keys for keys, _ in convert_hash_ids(path)] == [["h0", "h1", "h2"], ["h0", "h1", "h7"]]


@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "line 1: not JSON"), ("[]", "not an object"), ('{"hash_ids": [1]}', "converted first"),
     ('{"format": "h3-trace", "version": 1}\n{"keys": 3}', "line 2: a request")],
)  # fmt: skip
def test_what_is_no_trace_is_said(tmp_path, text, said):
    (tmp_path / "t").write_text(text)
    with pytest.raises(UsageError, match=said):
        list(read_trace(tmp_path / "t"))


def test_files_that_are_not_there_and_other_lines(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        list(read_trace(tmp_path / "none"))
    (tmp_path / "t").write_text('{"a": 1}')
    with pytest.raises(UsageError, match="no list `hash_ids`"):
        list(convert_hash_ids(tmp_path / "t"))


def test_generated_traces_are_the_same_every_time():
    for make in (lambda: recall_trace(50, blocks=500, seed=3), lambda: chat_trace(50, seed=3)):
        assert [keys for keys, _ in make()] == [keys for keys, _ in make()]
