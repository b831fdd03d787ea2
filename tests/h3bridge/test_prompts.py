"""Canonical prompts, their tokens, and when loading is worth it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.h3bridge.prompts import Cost, Part, build_prompt, tokenize


def encode(text):
    return list(text.encode())


@given(st.permutations([Part(k, f"text of {k}") for k in "abcd"]))
def test_the_order_of_hits_does_not_change_the_prefix(parts):
    prompt = build_prompt(parts, "why?", system="Be brief.")
    assert prompt.prefix == "Be brief.\n\ntext of a\n\ntext of b\n\ntext of c\n\ntext of d\n\n"
    tokens = tokenize(prompt, encode)
    assert bytes(tokens.ids).decode() == prompt.text
    first, end = tokens.spans["b"]
    assert bytes(tokens.ids[first:end]).decode() == "text of b\n\n"


def test_loading_pays_above_the_published_bandwidth():
    """Llama-3.1-8B, 128 KiB a token, 400 TFLOP/s and 16 GFLOP a token: about 3.3 GB/s."""
    speed = 400e12 / 16e9
    assert Cost(1e9, 0, 131072, speed).break_even_bandwidth == pytest.approx(3.28e9, rel=0.01)
    assert not Cost(3.0e9, 0, 131072, speed).worth_loading(4096)
    assert Cost(3.6e9, 0, 131072, speed).worth_loading(4096)
    assert not Cost(3.6e9, 1.0, 131072, speed).worth_loading(4096)
