"""The trained network of Chinese names, read with numpy: spaCy makes a document of each sentence, which takes longer
than the network does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

MOST_TOKENS = 8192
"""Read at once; a token takes 2 KB."""
_EPSILON = 1e-8
"""thinc's, beside the variance."""


class _Table(NamedTuple):
    """Hashed vectors of one attribute, and the part of the first layer's weights that they go through."""

    hash: Callable[[NDArray[np.uint64]], NDArray[np.uint32]]
    vectors: Floats
    weights: Floats


class _Layer(NamedTuple):
    """A maxout layer and what scales it; weights (values in, pieces times values out), the first pieces first."""

    weights: Floats
    bias: Floats
    gain: Floats
    shift: Floats


class Network(NamedTuple):
    """Weights of `model_zh.blank`, trained."""

    tables: tuple[_Table, ...]
    first: _Layer
    layers: tuple[_Layer, ...]
    out: Floats
    bias: Floats


def network(model: Any) -> Network:
    """The weights of spaCy's tagger over hashed attributes and windows of three tokens."""
    nodes = {
        name: [n for n in model.walk() if n.name == name] for name in ("hashembed", "maxout", "layernorm", "softmax")
    }
    first, *layers = (
        _Layer(
            dense.get_param("W").transpose(2, 1, 0).reshape(dense.get_param("W").shape[2], -1).copy(),
            dense.get_param("b").T.reshape(-1).copy(),
            norm.get_param("G"),
            norm.get_param("b"),
        )
        for dense, norm in zip(nodes["maxout"], nodes["layernorm"], strict=True)
    )
    tables, at = [], 0
    for node in nodes["hashembed"]:
        vectors = node.get_param("E")
        tables.append(_Table(_hashed(node), vectors, first.weights[at : at + vectors.shape[1]]))
        at += vectors.shape[1]
    (softmax,) = nodes["softmax"]
    return Network(tuple(tables), first, tuple(layers), softmax.get_param("W").T.copy(), softmax.get_param("b"))


def _hashed(node: Any) -> Callable[[NDArray[np.uint64]], NDArray[np.uint32]]:
    def rows(ids: NDArray[np.uint64]) -> NDArray[np.uint32]:
        found: NDArray[np.uint32] = node.ops.hash(ids, node.attrs["seed"]) % node.get_param("E").shape[0]
        return found

    return rows


def classes(net: Network, sentences: Sequence[Sequence[Sequence[str]]]) -> list[NDArray[np.intp]]:
    """The class of every token, a row of whole numbers a sentence.

    Args:
        sentences: each as its tokens' attributes: one sequence of strings for each of the network's tables.
    """
    out: list[NDArray[np.intp]] = []
    batch: list[Sequence[Sequence[str]]] = []
    size = 0
    for one in sentences:
        if batch and size + len(one[0]) > MOST_TOKENS:
            out += _read(net, batch)
            batch, size = [], 0
        batch.append(one)
        size += len(one[0])
    return out + (_read(net, batch) if batch else [])


def _read(net: Network, sentences: Sequence[Sequence[Sequence[str]]]) -> list[NDArray[np.intp]]:
    from spacy.strings import get_string_id

    summed: Any = net.first.bias
    for column, table in enumerate(net.tables):
        seen: dict[str, int] = {}
        places = [seen.setdefault(value, len(seen)) for one in sentences for value in one[column]]
        ids = np.fromiter((get_string_id(v) for v in seen), np.uint64, len(seen))
        summed = summed + (table.vectors[table.hash(ids)].sum(1) @ table.weights)[places]
    # Rows of nought keep sentences apart, as many as layers look to one side, so that none sees another's words.
    apart = len(net.layers)
    sizes = [len(one[0]) for one in sentences]
    real = np.concatenate([np.arange(n) + apart for n in sizes]) + np.repeat(
        np.cumsum([0, *(n + apart for n in sizes[:-1])]), sizes
    )
    rows = np.zeros((sum(sizes) + apart * (len(sizes) + 1), len(net.first.gain)), np.float32)
    rows[real] = _scaled(summed, net.first)
    for layer in net.layers:
        before, here, after = np.split(layer.weights, 3)
        wide = rows @ here + layer.bias
        wide[1:] += rows[:-1] @ before
        wide[:-1] += rows[1:] @ after
        rows += _scaled(wide, layer)
    best = (rows[real] @ net.out + net.bias).argmax(1)
    return np.split(best, np.cumsum(sizes[:-1]))


def _scaled(wide: Floats, layer: _Layer) -> Floats:
    """The largest of each value's pieces, scaled to mean 0 and variance 1, then as the layer learned."""
    width = len(layer.gain)
    top = wide[:, :width]
    for at in range(width, wide.shape[1], width):
        top = np.maximum(top, wide[:, at : at + width])
    top -= top.mean(1, keepdims=True)
    top /= np.sqrt(np.square(top).mean(1, keepdims=True) + _EPSILON)
    top *= layer.gain
    top += layer.shift
    return top
