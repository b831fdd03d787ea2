"""Trains the short question model (`e5_short`) to give what multilingual-e5-small gives for questions.

The states of every token in the int8 model, after layer 1, after layer 7 and at the end, are worked out once for texts
of the kinds that people ask (`short_texts`, from the open sources that `short_sources` lists). Then two stages: the two
maps and the layer between them learn the states after layer 7; then they and the last four layers those of the end and
the texts' vectors. That is seven layers; from these begins a network of six for the words without the marks around them
(`bare`), which learns the same states and vectors. The same texts and seed give the same weights on the same processor
and version of PyTorch.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from h3cold.ingest.embed.e5 import E5, model_path
from h3cold.ingest.embed.e5_build import MARKS_BEFORE, MARKS_BEHIND
from h3cold.ingest.embed.e5_short import FILE
from h3cold.ingest.embed.e5_weights import open_weights
from h3cold.ingest.embed.short_network import (
    FROM,
    MIDDLE,
    Indices,
    Layer,
    Short,
    bare,
    batches,
    embedded,
    fitted,
    optimiser,
    step_rate,
    unit,
    words_of,
)
from h3cold.ingest.embed.short_pack import pack
from h3cold.ingest.embed.short_sources import read_pools
from h3cold.ingest.embed.short_texts import made
from h3cold.ingest.store.reader import ColdStore

SEED = 7
TEXTS = 72_000
TOKENS = 768
"""Of a batch."""
MIDDLE_EPOCHS, MIDDLE_RATE = 1.0, 1e-3
EPOCHS, RATE = 1.7, 4e-4
BARE_EPOCHS = 3.5
SAMPLE = 3000
"""Texts from which the first maps and the variances are worked out."""


class States(NamedTuple):
    """Token states of all texts on the disk, [tokens, hidden] float16; text i has those from `at[i]` to `at[i + 1]`."""

    at: Indices
    parts: dict[str, Any]

    def of(self, texts: Indices, *names: str) -> list[Tensor]:
        """Float32 [texts, tokens, hidden] for texts of one length."""
        rows = self.at[texts][:, None] + np.arange(self.at[texts[0] + 1] - self.at[texts[0]])
        return [torch.from_numpy(self.parts[name][rows].astype(np.float32)) for name in names]


def label(texts: Sequence[str], folder: Path) -> States:
    """The int8 model's states of these questions, in files of the folder; read from there if they are all there."""
    import onnx
    import onnxruntime

    model, names = E5(threads=1), (f"{FROM}.out", f"{MIDDLE}.out", "states")
    if not (folder / "done").exists():
        graph = onnx.load(str(model_path()))
        kind, shape = onnx.TensorProto.FLOAT, [1, "tokens", model.dimension]
        graph.graph.output.extend(onnx.helper.make_tensor_value_info(name, kind, shape) for name in names[:2])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(graph.SerializeToString(), options, providers=["CPUExecutionProvider"])
        folder.mkdir(parents=True, exist_ok=True)
        tokens = [model._tokens(f"query: {text}") for text in texts]
        at = np.cumsum([0, *map(len, tokens)])
        np.save(folder / "at.npy", at)
        size = (int(at[-1]), model.dimension)
        files = [np.lib.format.open_memmap(folder / f"{n}.npy", "w+", np.float16, size) for n in names]
        for i, ids in enumerate(tokens):
            for file, states in zip(files, session.run(names, {"words": model._words(ids)}), strict=True):
                file[at[i] : at[i + 1]] = states[0]
        for file in files:
            file.flush()
        (folder / "texts.json").write_text(json.dumps(texts, ensure_ascii=False), encoding="utf-8")
        (folder / "done").touch()
    return States(np.load(folder / "at.npy"), {n: np.load(folder / f"{n}.npy", mmap_mode="r") for n in names})


def train(
    states: States, passages: Tensor, *, seed: int = SEED, middle_epochs: float = MIDDLE_EPOCHS, epochs: float = EPOCHS
) -> Iterator[tuple[str, int, dict[str, float], Short]]:
    """Trains, and now and then gives the stage, its step, the smoothed losses and the network.

    `passages` are vectors of passages [n, hidden]: the error of a question's vector counts as itself and, since by it
    they are ranked, as the variance of its products with passages. All losses are shares of what is to be explained.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    random = np.random.default_rng(seed)
    network, lengths = Short(open_weights()), np.diff(states.at)
    some = random.permutation(len(lengths))[:SAMPLE]
    _begin(network, states, some)
    first, middle, last = f"{FROM}.out", f"{MIDDLE}.out", "states"
    spread = torch.cat([states.of(some[i : i + 1], middle)[0][0] for i in range(len(some))]).var(0).mean()

    def middle_losses(texts: Indices) -> dict[str, Tensor]:
        x, y = states.of(texts, first, middle)
        return {"states": ((network.middle(x) - y) ** 2).mean() / spread}

    halves = [*network.into.parameters(), *network.between.parameters(), *network.out.parameters()]
    for step, losses in _run(halves, lengths, middle_losses, MIDDLE_RATE, middle_epochs, random):
        yield "middle", step, losses, network

    whole = _errors(states, some, passages, first, last)
    for step, losses in _run(network.learnt(), lengths, lambda t: whole(network, t), RATE, epochs, random):
        yield "whole", step, losses, network


def shorten(
    network: Short, states: States, passages: Tensor, folder: Path, *, seed: int = SEED, epochs: float = BARE_EPOCHS
) -> Iterator[tuple[str, int, dict[str, float], Short]]:
    """Trains a network of a layer fewer for words alone, which begins with what `train` gave, and gives what it does.

    `folder` is that of `label`, where more states are put.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    random, model = np.random.default_rng(seed), E5(threads=1)
    texts: list[str] = json.loads((folder / "texts.json").read_text("utf-8"))
    tokens = [np.array(model._tokens(f"query: {text}"), np.int64) for text in texts]
    some = random.permutation(np.flatnonzero(np.diff(states.at) > MARKS_BEFORE + MARKS_BEHIND))[:SAMPLE]
    network = bare(network, open_weights(), [tokens[i] for i in some])
    states = _without_marks(network, tokens, states, folder)
    errors = _errors(states, some, passages, "under", "ends")
    for step, losses in _run(network.learnt(), np.diff(states.at), lambda t: errors(network, t), RATE, epochs, random):
        yield "bare", step, losses, network


def _without_marks(network: Short, tokens: Sequence[Indices], states: States, folder: Path) -> States:
    """States of the words alone: `under` the network and at the `ends` of the whole model.

    To these is added by what the mean of the words and the marks, the model's vector, differs from that of the words.
    """
    lengths = np.diff(states.at)
    at, weights = np.cumsum([0, *(lengths - MARKS_BEFORE - MARKS_BEHIND)]), open_weights()
    size = (int(at[-1]), weights.hidden)
    files = {n: np.lib.format.open_memmap(folder / f"{n}.npy", "w+", np.float16, size) for n in ("under", "ends")}
    with torch.no_grad():
        for texts in batches(lengths, 2 * TOKENS, np.random.default_rng(0)):
            (y,) = states.of(texts, "states")
            words = words_of(y)
            ends = words + (y.mean(1, keepdim=True) - words.mean(1, keepdim=True))
            under = network.under(words_of(embedded(weights, np.stack([tokens[i] for i in texts]))))
            for name, found in (("under", under), ("ends", ends)):
                for i, own in zip(texts, found.numpy(), strict=True):
                    files[name][at[i] : at[i + 1]] = own
    return States(at, files)


def _errors(
    states: States, some: Indices, passages: Tensor, first: str, last: str
) -> Callable[[Short, Indices], dict[str, Tensor]]:
    """Of a network and texts the losses of the last states from the first, as shares of what varies in some texts."""
    ends = [states.of(some[i : i + 1], last)[0][0] for i in range(len(some))]
    token_spread = torch.cat(ends).var(0).mean()
    vectors = unit(torch.stack([e.mean(0) for e in ends]))
    centred = vectors - vectors.mean(0)
    apart = passages - passages.mean(0)
    ranking = apart.T @ apart / len(apart)
    vector_spread, rank_spread = (centred**2).sum(1).mean(), ((centred @ ranking) * centred).sum(1).mean()

    def errors(network: Short, texts: Indices) -> dict[str, Tensor]:
        x, y = states.of(texts, first, last)
        found = network(x)
        error = unit(found.mean(1)) - unit(y.mean(1))
        return {
            "states": 0.5 * ((found - y) ** 2).mean() / token_spread,
            "vector": (error**2).sum(1).mean() / vector_spread,
            "ranking": 0.5 * ((error @ ranking) * error).sum(1).mean() / rank_spread,
        }

    return errors


def _begin(network: Short, states: States, texts: Indices) -> None:
    """First maps by least squares: to the states before the layer between, and from its own to those after `MIDDLE`."""
    weights = open_weights()
    before = [Layer(weights, "l2"), Layer(weights, "l3")]
    starts, befores, betweens, ends = [], [], [], []
    with torch.no_grad():
        for text in texts:
            x, y = states.of(np.array([text]), f"{FROM}.out", f"{MIDDLE}.out")
            starts.append(x[0])
            ends.append(y[0])
            befores.append(before[1](before[0](x))[0])
        fitted(network.into, torch.cat(starts), torch.cat(befores))
        betweens = [network.between(network.into(x[None]))[0] for x in starts]
        fitted(network.out, torch.cat(betweens), torch.cat(ends))


def _run(
    parameters: list[Any], lengths: Indices, losses: Any, rate: float, epochs: float, random: np.random.Generator
) -> Iterator[tuple[int, dict[str, float]]]:
    total = int(epochs * sum(1 for _ in batches(lengths, TOKENS, np.random.default_rng(0))))
    optimizer, step, smoothed = optimiser(parameters, rate), 0, dict[str, float]()
    while step < total:
        for texts in batches(lengths, TOKENS, random):
            for group in optimizer.param_groups:
                group["lr"] = rate * step_rate(step, total)
            found = losses(texts)
            optimizer.zero_grad()
            sum(found.values()).backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            step += 1
            for name, value in found.items():
                smoothed[name] = 0.99 * smoothed.get(name, value.item()) + 0.01 * value.item()
            if step % 100 == 0 or step == total:
                yield step, {name: round(value, 4) for name, value in smoothed.items()}
            if step == total:
                return


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m h3cold.ingest.embed.train_short", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the benchmark sets")
    parser.add_argument("--stores", type=Path, nargs="+", required=True, help="cold stores of UDA and of made filings")
    parser.add_argument("--packages", type=Path, required=True, help="where the Debian packages were unpacked")
    parser.add_argument("--work", type=Path, required=True, help="a folder for 5 GB of states and for checkpoints; the "
                        "states and the seven layers (whole.pt) that are there are not made again")  # fmt: skip
    parser.add_argument("--out", type=Path, default=FILE, help="where the weights go")
    parser.add_argument("--texts", type=int, default=TEXTS)
    parser.add_argument("--middle-epochs", type=float, default=MIDDLE_EPOCHS)
    parser.add_argument("--epochs", type=float, default=EPOCHS)
    parser.add_argument("--bare-epochs", type=float, default=BARE_EPOCHS)
    args = parser.parse_args(list(arguments) if arguments is not None else None)
    folder = args.work / f"texts-{args.texts}"
    done = folder / "texts.json"
    texts = json.loads(done.read_text("utf-8")) if done.exists() else made(
        read_pools(args.data, args.stores, args.packages), seed=SEED, count=args.texts
    )  # fmt: skip
    states = label(texts, folder)
    passages = torch.from_numpy(np.concatenate([_vectors(store) for store in args.stores]))
    began, whole = time.perf_counter(), args.work / "whole.pt"
    network = Short(open_weights())
    if whole.exists():
        network.load_state_dict(torch.load(whole))
    else:
        found = train(states, passages, middle_epochs=args.middle_epochs, epochs=args.epochs)
        network = _followed(found, began, args.work)
        torch.save(network.state_dict(), whole)
    network = _followed(shorten(network, states, passages, folder, epochs=args.bare_epochs), began, args.work)
    torch.save(network.state_dict(), args.work / "bare.pt")
    pack(network.changes(open_weights()), args.out)


def _followed(steps: Iterator[tuple[str, int, dict[str, float], Short]], began: float, work: Path) -> Short:
    """The network after the last step; says how far it is, and keeps it now and then."""
    for stage, step, losses, network in steps:
        print(stage, step, f"{time.perf_counter() - began:.0f} s", losses, flush=True)
        if step % 500 == 0:
            torch.save(network.state_dict(), work / f"{stage}-{step}.pt")
    return network


def _vectors(store: Path) -> Any:
    column = ColdStore.open(store).table("blocks").to_table(columns=["vector"])["vector"].combine_chunks()
    flat = column.flatten().to_numpy(zero_copy_only=False)
    return flat.reshape(len(column), -1).astype(np.float32)


if __name__ == "__main__":
    main()
