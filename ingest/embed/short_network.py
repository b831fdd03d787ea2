"""The short question model in PyTorch, and how it is trained (see `train_short`)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F  # noqa: N812  the name all its users know
from torch import Tensor, nn

from h3cold.ingest.embed.e5_build import MARKS_BEFORE, MARKS_BEHIND
from h3cold.ingest.embed.e5_weights import E5Weights

FROM = "l1"
"""The layer up to which the whole model's own are kept."""

MIDDLE = "l7"
"""The layer whose states the maps and the layer between them give."""

_BELOW = ("l0", "l1")
_BETWEEN = "l4"
_TOP = ("l8", "l9", "l10", "l11")
_MATRICES = ("q", "k", "v", "ao", "fi", "fo")
_NORMS = ("aln", "oln")

Indices = npt.NDArray[np.int64]


class Layer(nn.Module):
    """A BERT layer that begins as one of the whole model; `mark` lets it do without the marks around the words."""

    def __init__(self, weights: E5Weights, name: str) -> None:
        super().__init__()
        self._heads, self._epsilon = weights.heads, weights.epsilon
        for part in (*_MATRICES, *_NORMS):
            bias = torch.tensor(weights.tensor(f"{name}.{part}.b"))
            matrix = torch.tensor(weights.tensor(f"{name}.{part}.w"))
            self.register_parameter(f"{part}_b", nn.Parameter(bias))
            shaped = matrix.reshape(len(bias), -1) if part in _MATRICES else matrix
            self.register_parameter(f"{part}_w", nn.Parameter(shaped))

    def mark(self, marks: Tensor) -> None:
        """From now on keys and values of these states [marks, hidden] stand before those of words; they learn, too."""
        p = dict(self.named_parameters())
        for name, m in (("keys", "k"), ("values", "v")):
            self.register_parameter(name, nn.Parameter(F.linear(marks, p[f"{m}_w"], p[f"{m}_b"]).detach()))

    def forward(self, x: Tensor) -> Tensor:
        """[texts, tokens, hidden] to the same; all texts of a batch have one length, so that nothing is masked."""
        p = dict(self.named_parameters())
        batch, tokens, hidden = x.shape
        split = (batch, -1, self._heads, hidden // self._heads)
        q, k, v = (F.linear(x, p[f"{m}_w"], p[f"{m}_b"]) for m in "qkv")
        if "keys" in p:
            k, v = (torch.cat([p[m].expand(batch, -1, -1), x], 1) for m, x in (("keys", k), ("values", v)))
        q, k, v = (x.view(split).transpose(1, 2) for x in (q, k, v))
        weighed = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(split[-1]), -1) @ v
        seen = weighed.transpose(1, 2).reshape(batch, tokens, hidden)
        x = self._norm(F.linear(seen, p["ao_w"], p["ao_b"]) + x, "aln", p)
        bent = F.gelu(F.linear(x, p["fi_w"], p["fi_b"]))
        return self._norm(F.linear(bent, p["fo_w"], p["fo_b"]) + x, "oln", p)

    def _norm(self, x: Tensor, name: str, p: dict[str, nn.Parameter]) -> Tensor:
        return F.layer_norm(x, (x.shape[-1],), p[f"{name}_w"], p[f"{name}_b"], self._epsilon)


class Short(nn.Module):
    """Two layers that are kept; a map, a layer and a map; the last four layers, or `fewer`, the last three."""

    def __init__(self, weights: E5Weights, *, fewer: bool = False) -> None:
        super().__init__()
        self.below = nn.ModuleList([Layer(weights, name) for name in _BELOW]).requires_grad_(False)
        self.into = nn.Linear(weights.hidden, weights.hidden)
        self.between = Layer(weights, _BETWEEN)
        self.out = nn.Linear(weights.hidden, weights.hidden)
        self._top = _TOP[1:] if fewer else _TOP
        self.top = nn.ModuleList([Layer(weights, name) for name in self._top])

    def under(self, x: Tensor) -> Tensor:
        """States of layer `FROM` from those before the first layer."""
        for layer in self.below:
            x = layer(x)
        return x

    def middle(self, x: Tensor) -> Tensor:
        """States of layer `MIDDLE` from those of `FROM`."""
        found: Tensor = self.out(self.between(self.into(x)))
        return found

    def forward(self, x: Tensor) -> Tensor:
        """The last layer's states from those of `FROM`."""
        x = self.middle(x)
        for layer in self.top:
            x = layer(x)
        return x

    def learnt(self) -> list[nn.Parameter]:
        """All but the layers that are kept; what these say of the marks stays, too."""
        return [p for part in (self.into, self.between, self.out, self.top) for p in part.parameters()]

    def changes(self, weights: E5Weights) -> dict[str, npt.NDArray[np.float32]]:
        """The maps, what stands for the marks, flat, and by what every other tensor differs from the whole model's.

        The names are those of `build_graph`.
        """
        found: dict[str, npt.NDArray[np.float32]] = {}
        for name, linear in (("map.in", self.into), ("map.out", self.out)):
            found[f"{name}.w"] = linear.weight.detach().numpy()
            found[f"{name}.b"] = linear.bias.detach().numpy()
        names = (*_BELOW, _BETWEEN, *self._top)
        for name, layer in zip(names, (*self.below, self.between, *self.top), strict=True):
            for key, parameter in layer.named_parameters():
                value = parameter.detach().numpy()
                full = f"{name}.{key.replace('_', '.')}"
                if key in ("keys", "values"):
                    found[full] = value.reshape(-1)
                elif name not in _BELOW:
                    found[full] = value - weights.tensor(full).reshape(value.shape)
        return found


def words_of(x: Tensor) -> Tensor:
    """Of states [texts, tokens, hidden] those of the words, without the marks around them."""
    return x[:, MARKS_BEFORE:-MARKS_BEHIND]


def embedded(weights: E5Weights, ids: Indices) -> Tensor:
    """States [texts, tokens, hidden] before the first layer, of ids [texts, tokens] with the marks."""
    places, kinds = (weights.tensor(f"emb.{name}").reshape(-1, weights.hidden) for name in ("pos", "type"))
    words = weights.words(ids.reshape(-1)).reshape(*ids.shape, weights.hidden)
    scale, shift = (torch.tensor(weights.tensor(f"emb.ln.{kind}")) for kind in "wb")
    x = torch.from_numpy(words + places[: ids.shape[1]] + kinds[0])
    return F.layer_norm(x, (weights.hidden,), scale, shift, weights.epsilon)


def bare(network: Short, weights: E5Weights, texts: Sequence[Indices]) -> Short:
    """A network of a layer fewer for words alone, which begins as nearly the same.

    The first of the last layers is left to the map before it, by least squares; for the marks stand, in each layer,
    their mean states.

    Args:
        texts: tokens of some texts, with the marks.
    """
    found = Short(weights, fewer=True)
    # Layers in order: of the network, and those of them that the shorter one has.
    layers = [*network.below, network.between, *network.top]
    kept = [*found.below, found.between, *found.top]
    left = len(layers) - len(found.top) - 1
    found.into.load_state_dict(network.into.state_dict())
    for layer, old in zip(kept, layers[:left] + layers[left + 1 :], strict=True):
        layer.load_state_dict(old.state_dict())
    marks: list[list[Tensor]] = [[] for _ in layers]
    ends: list[Tensor] = []
    with torch.no_grad():
        for text in texts:
            x = embedded(weights, text[None])
            for i, layer in enumerate(layers):
                x = network.into(x) if layer is network.between else x
                marks[i].append(torch.cat([x[0, :MARKS_BEFORE], x[0, -MARKS_BEHIND:]]))
                x = layer(x)
                x = network.out(x) if layer is network.between else x
                if i == left:
                    ends.append(words_of(x)[0])
        means = [torch.stack(states).mean(0) for states in marks]
        for layer, mean in zip(kept, means[:left] + means[left + 1 :], strict=True):
            layer.mark(mean)
        starts = [found.between(found.into(found.under(words_of(embedded(weights, text[None])))))[0] for text in texts]
        fitted(found.out, torch.cat(starts), torch.cat(ends))
    return found


def fitted(linear: nn.Linear, x: Tensor, y: Tensor) -> None:
    """Set the map to the least squares solution of x → y, [tokens, hidden] each."""
    wide = torch.cat([x, torch.ones(len(x), 1)], 1)
    gram = wide.T @ wide
    gram += torch.eye(len(gram)) * gram.trace() / len(gram) * 1e-4  # a little ridge: some directions are hardly used
    solved = torch.linalg.solve(gram, wide.T @ y)
    with torch.no_grad():
        linear.weight.copy_(solved[:-1].T)
        linear.bias.copy_(solved[-1])


def batches(lengths: Indices, tokens: int, random: np.random.Generator) -> Iterator[Indices]:
    """All texts once in random order, in batches of one length and of no more than so many tokens (at least a text).

    Texts without tokens are left out.
    """
    order = random.permutation(len(lengths))
    order = order[lengths[order] > 0]
    order = order[np.argsort(lengths[order], kind="stable")]
    found: list[Indices] = []
    for same in np.split(order, np.flatnonzero(np.diff(lengths[order])) + 1):
        size = max(1, tokens // int(lengths[same[0]]))
        found.extend(same[i : i + size] for i in range(0, len(same), size))
    random.shuffle(found)  # type: ignore[arg-type]
    yield from found


def unit(vectors: Tensor) -> Tensor:
    """Each row of length one."""
    return vectors / vectors.norm(dim=-1, keepdim=True)


def optimiser(parameters: list[nn.Parameter], rate: float) -> Any:
    """Adam that takes a tenth of the time that PyTorch's default takes on a CPU."""
    return torch.optim.AdamW(parameters, lr=rate, weight_decay=0.0, betas=(0.9, 0.98), fused=True)


def step_rate(step: int, total: int) -> float:
    """Share of the rate: up in 100 steps, then down along a cosine."""
    return min(1.0, (step + 1) / 100) * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * min(1.0, step / total))))
