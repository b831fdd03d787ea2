"""Learning what summaries are made by: the projection of token vectors, then the network (see `network`).

The network learns three things at once on blocks of the store itself: blocks that follow each other in one section
are alike and others are not (InfoNCE, van den Oord et al., 2018, arXiv:1807.03748); each block is as near to the
others as its full vector is (distillation of similarities, Tung & Mori, 2019, arXiv:1907.09682), without which the
first would make all of a section one; and so is a single run of a block, which is short as a question is.

Repeatable: one thread, fixed seed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from h3cold.ingest.compress.codes import fitted
from h3cold.ingest.compress.network import HIDDEN, SUMMARY, Floats, Network

STEPS = 160
PAIRS = 128
"""Pairs of blocks in a step."""

RATE = 1e-3
TEMPERATURE = 0.1
TEACHER, STUDENT = 0.01, 0.03
"""Temperatures that the similarities of full vectors and of summaries are compared at."""

ALIKE, FAITHFUL = 24.0, 10.0
"""Weights of the cosine of pairs, and of being as near as full vectors are, beside 1 for telling pairs from others."""

CLOSE_BY = 0.5
"""Share of the steps whose blocks come from one document: those are hardest to tell apart."""

_SEED = 20261129
Ints = npt.NDArray[np.int64]


class Lesson(NamedTuple):
    """Blocks to learn from: `runs` end to end [r, d], those of block i from `starts[i]` to `starts[i + 1]`, the number
    of its `section` and `document`, and `pairs` [p, 2] of blocks that follow each other in a section.
    """

    runs: Floats
    starts: Ints
    section: Ints
    document: Ints
    pairs: Ints


def principal(tokens: Floats, count: int) -> Floats:
    """The `count` directions [d, count] along which token vectors [n, d] vary most."""
    centred = tokens.astype(np.float64) - tokens.mean(axis=0)
    _, vectors = np.linalg.eigh(centred.T @ centred / max(len(tokens) - 1, 1))
    basis = vectors[:, ::-1][:, :count]
    basis = basis * np.where(basis[np.abs(basis).argmax(axis=0), np.arange(basis.shape[1])] < 0, -1, 1)
    return basis.astype(np.float32)


def lost(tokens: Floats, basis: Floats, mean: Floats) -> Floats:
    """Of each token vector, its squared distance to the mean, and how much of that the basis drops: [n, 2]."""
    centred = tokens - mean
    whole = (centred**2).sum(axis=1)
    return np.stack([whole, np.maximum(whole - ((centred @ basis) ** 2).sum(axis=1), 0)], axis=1)


def learn_network(lesson: Lesson, basis: Floats, *, steps: int = 0) -> Network:
    """The network for token vectors projected by `basis` [d, k]; `steps` other than `STEPS` are for trials."""
    import torch
    from torch.nn import functional

    steps, threads = steps or STEPS, torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        x, mask = _padded(lesson, basis)
        unit = float(np.sqrt(((x.sum(axis=1) / mask.sum(axis=1)[:, None]) ** 2).sum(axis=1)).mean())
        weights = _start(basis.shape[1])
        inputs, seen = torch.from_numpy(x / np.float32(unit)), torch.from_numpy(mask)
        full = torch.from_numpy(_means(lesson))
        whole = torch.from_numpy(lesson.runs)
        optimiser = torch.optim.AdamW(list(weights.values()), lr=RATE, weight_decay=0.01)
        draw = np.random.default_rng(_SEED)
        for step in range(steps):
            for group in optimiser.param_groups:
                group["lr"] = RATE * (1 - step / steps)
            pairs = lesson.pairs[_picked(lesson, draw)]
            blocks = torch.from_numpy(np.concatenate([pairs[:, 0], pairs[:, 1]]))
            z = _forward(weights, inputs[blocks], seen[blocks])
            near = z @ z.T
            teacher = full[blocks] @ full[blocks].T
            loss = _told_apart(near, torch.from_numpy(lesson.section)[blocks])
            loss = loss + ALIKE * (1 - near.diagonal(len(pairs))).mean()
            itself = torch.eye(len(blocks), dtype=torch.bool)
            loss = loss + FAITHFUL * _unlike(teacher.masked_fill(itself, -1), near.masked_fill(itself, -1))
            # One run of each block, as the model itself would see a short text.
            sizes = np.diff(lesson.starts)[blocks.numpy()]
            place = (draw.random(len(blocks)) * sizes).astype(np.int64)
            short = functional.normalize(whole[torch.from_numpy(lesson.starts[blocks.numpy()] + place)], dim=-1)
            asked = inputs[blocks, torch.from_numpy(place)][:, None]
            q = _forward(weights, asked, torch.ones(len(blocks), 1))
            loss = loss + FAITHFUL / 2 * _unlike(short @ full[blocks].T, q @ z.T)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        with torch.no_grad():
            out = _forward(weights, inputs, seen).numpy()
        return _turned({n: w.detach().numpy() for n, w in weights.items()}, basis, unit, out)
    finally:
        torch.set_num_threads(threads)


def _start(k: int) -> dict[str, Any]:
    """Weights at the outset: the mean of the runs, laid out over the summary, and little added to it."""
    import torch

    draw = np.random.default_rng(_SEED)

    def drawn(rows: int, columns: int, gain: float) -> Floats:
        return (draw.standard_normal((rows, columns)) * gain / np.sqrt(rows)).astype(np.float32)

    turn, _ = np.linalg.qr(draw.standard_normal((SUMMARY, k)))
    arrays = {
        "first": drawn(k, HIDDEN, 4.0),
        "first_bias": np.zeros(HIDDEN, np.float32),
        "gate": np.zeros(HIDDEN, np.float32),
        "second": drawn(HIDDEN, HIDDEN, 1.4),
        "second_bias": np.zeros(HIDDEN, np.float32),
        "third": drawn(HIDDEN, SUMMARY, 0.1),
        "third_bias": np.zeros(SUMMARY, np.float32),
        "skip": np.ascontiguousarray(turn.T, dtype=np.float32),
    }
    return {name: torch.from_numpy(a).requires_grad_() for name, a in arrays.items()}


def _forward(w: dict[str, Any], x: Any, mask: Any) -> Any:
    """As `network.summaries`, for a batch [b, runs, k] with a mask [b, runs]."""
    from torch.nn import functional

    y = functional.relu(x @ w["first"] + w["first_bias"])
    gate = (y @ w["gate"]).masked_fill(mask == 0, -1e9).softmax(dim=1)
    z = functional.relu((gate[..., None] * y).sum(dim=1) @ w["second"] + w["second_bias"])
    mean = (x * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
    return functional.normalize(mean @ w["skip"] + z @ w["third"] + w["third_bias"], dim=-1)


def _told_apart(near: Any, section: Any) -> Any:
    """InfoNCE of cosines [2p, 2p]: row i belongs to row i + p; others of its section are no counterexamples."""
    import torch
    from torch.nn import functional

    count = len(near) // 2
    rows = torch.arange(2 * count)
    target = (rows + count) % (2 * count)
    left_out = section[:, None] == section[None, :]
    left_out[rows, target] = False
    return functional.cross_entropy((near / TEMPERATURE).masked_fill(left_out, -1e9), target)


def _unlike(teacher: Any, student: Any) -> Any:
    """Kullback-Leibler divergence of similarities, row by row."""
    from torch.nn import functional

    log = (student / STUDENT).log_softmax(dim=1)
    return functional.kl_div(log, (teacher / TEACHER).softmax(dim=1), reduction="batchmean")


def _picked(lesson: Lesson, draw: np.random.Generator) -> Ints:
    """Places of the pairs of one step."""
    if draw.random() < CLOSE_BY:
        document = lesson.document[lesson.pairs[draw.integers(len(lesson.pairs)), 0]]
        own = np.flatnonzero(lesson.document[lesson.pairs[:, 0]] == document)
        if len(own) >= PAIRS // 4:
            return own[draw.permutation(len(own))[:PAIRS]]
    return draw.permutation(len(lesson.pairs))[:PAIRS]


def _padded(lesson: Lesson, basis: Floats) -> tuple[Floats, Floats]:
    """Projected runs [n, most runs, k], zero where a block has fewer, and where it has them [n, most runs]."""
    sizes = np.diff(lesson.starts)
    mask = np.arange(sizes.max()) < sizes[:, None]
    out = np.zeros((*mask.shape, basis.shape[1]), np.float32)
    out[mask] = lesson.runs @ basis
    return out, mask.astype(np.float32)


def _means(lesson: Lesson) -> Floats:
    """What the embedding model itself makes of each block, [n, d], of length one."""
    out = np.add.reduceat(lesson.runs, lesson.starts[:-1], axis=0)
    return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)


def _turned(weights: dict[str, Floats], basis: Floats, unit: float, out: Floats) -> Network:
    """The network whose summaries hold the most in their first numbers, with a grid for codes: no cosine changes."""
    _, turn = np.linalg.eigh(out.T.astype(np.float64) @ out)
    turn = turn[:, ::-1].astype(np.float32)
    grid = fitted(out @ turn)
    for name in ("third", "third_bias", "skip"):
        weights[name] = weights[name] @ turn
    return Network(basis=basis, unit=np.array([unit], np.float32), grid=grid, **weights)
