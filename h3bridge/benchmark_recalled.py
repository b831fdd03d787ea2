"""What recalled attention costs a model that looks things up: a small one, trained here from a seed within a minute.

No trained weights come with the package. So a transformers Llama learns to go on with what stood before: documents of
tokens in random order, then pieces of them from random places. It has to find where a token stood and say what came
next, as a model does that answers from recalled documents; nothing else helps, since each document is new. Then it
goes on with a piece by attention to all, to a window, and to the window and the recalled document.
"""

from __future__ import annotations

import random
import tempfile
import time
from typing import Any

from h3cold.h3bridge.engine import H3Engine
from h3cold.h3bridge.serving import new_cache

VOCABULARY, DOCUMENT, DOCUMENTS, PIECE = 128, 16, 7, 12
"""Ids; tokens of a document; documents of a prompt; tokens of the piece that is gone on with."""

WINDOW = 16
BATCH, QUESTIONS = 16, 150
STEPS, FALLEN = 1_500, 0.1
"""Most batches, and the loss, in nats a token, at which the lessons grow longer."""


def recalled_attention() -> dict[str, float]:
    """Pieces of documents gone on with, token by token: by attention to all, to a window, and to what was recalled."""
    import torch

    begun = time.perf_counter()
    model, steps, loss = train()
    trained = time.perf_counter() - begun
    rng = random.Random(1)
    right: dict[str, list[float]] = {"full": [], "recalled": [], "window": []}
    same: dict[str, list[float]] = {"recalled": [], "window": []}
    surprise: dict[str, list[float]] = {"full": [], "recalled": [], "window": []}
    seconds: dict[str, float] = dict.fromkeys(right, 0.0)
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        engine = H3Engine(hbm_size_gb=0.05, hbf_size_gb=0.1, cold_storage_path=folder)
        for _ in range(QUESTIONS):
            ids, piece, span = asked(rng)
            answer, chosen = torch.tensor(piece[1:]), {}
            for way, spans in (("full", None), ("recalled", [span]), ("window", [])):
                logits, took = answers(engine, model, ids, piece, spans)
                seconds[way] += took
                chosen[way] = logits.argmax(-1)
                right[way] += (chosen[way] == answer).float().tolist()
                surprise[way] += (-torch.log_softmax(logits, -1).gather(1, answer[:, None])[:, 0]).tolist()
            for way, hits in same.items():
                hits += (chosen[way] == chosen["full"]).float().tolist()
    return {
        "prompt tokens": float(len(ids) + 1),
        "batches learnt": float(steps),
        "seconds of training": trained,
        "loss after training": loss,
        **{f"right next token, {way}": _mean(hits) for way, hits in right.items()},
        **{f"same token as full, {way}": _mean(hits) for way, hits in same.items()},
        **{f"perplexity, {way}": float(torch.tensor(s).mean().exp()) for way, s in surprise.items()},
        **{f"first token, {way}, ms": 1000 * total / QUESTIONS for way, total in seconds.items()},
    }


def train(steps: int = STEPS) -> tuple[Any, int, float]:
    """A Llama of 2 layers and width 64, the batches it saw and its last losses' mean; from one seed.

    The lessons begin with one document and end with `DOCUMENTS`. Queries and keys have biases: by them attention to
    the token before, the first half of looking up, is learnt in some hundred batches. That output embeddings are those
    of the input helps the other half, copying.
    """
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    rng = random.Random(0)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model: Any = LlamaForCausalLM(LlamaConfig(
            vocab_size=VOCABULARY, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, head_dim=32, max_position_embeddings=512, attention_bias=True,
            rope_parameters={"rope_type": "default", "rope_theta": 10_000.0}, initializer_range=0.05, pad_token_id=None,
            bos_token_id=None, eos_token_id=None, tie_word_embeddings=True))  # fmt: skip
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.98), weight_decay=0.01)
    documents, recent, step = 1, 0.0, 0
    for step in range(1, steps + 1):
        lessons = [_lesson(rng, documents) for _ in range(BATCH)]
        ids, labels = (torch.tensor([lesson[i] for lesson in lessons]) for i in (0, 1))
        loss = model(input_ids=ids, labels=labels, use_cache=False).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        recent = 0.9 * recent + 0.1 * loss.item() if step > 1 else loss.item()
        if recent < FALLEN and documents == DOCUMENTS:
            break
        if recent < FALLEN:
            documents, recent = documents + 1, 1.0
    return model.eval(), step, recent


def asked(rng: random.Random) -> tuple[list[int], list[int], tuple[int, int]]:
    """The documents' ids, a piece of one of them, and the span of that document."""
    ids = rng.sample(range(VOCABULARY), DOCUMENTS * DOCUMENT)
    place = rng.randrange(DOCUMENTS)
    start = place * DOCUMENT + rng.randrange(DOCUMENT - PIECE + 1)
    return ids, ids[start : start + PIECE], (place * DOCUMENT, (place + 1) * DOCUMENT)


def _lesson(rng: random.Random, documents: int) -> tuple[list[int], list[int]]:
    """Documents and pieces of them; a piece's tokens but its first are learnt."""
    ids = rng.sample(range(VOCABULARY), documents * DOCUMENT)
    labels = [-100] * len(ids)
    for _ in range(6):
        start = rng.randrange(documents * DOCUMENT - PIECE + 1)
        piece = ids[start : start + PIECE]
        ids, labels = ids + piece, [*labels, -100, *piece[1:]]
    return ids, labels


def answers(
    engine: H3Engine, model: Any, ids: list[int], piece: list[int], spans: list[tuple[int, int]] | None
) -> tuple[Any, float]:
    """Logits of each next token of the piece but the last, and seconds to the first.

    With `spans`, attending to the first tokens, a window and these alone.
    """
    import torch

    cache = new_cache(engine, model, exact=spans is None)
    if spans is not None:
        cache.attend_to(spans)
        for layer in cache.paged:
            layer.window = WINDOW
    begun = time.perf_counter()
    prompt = [*ids, piece[0]]
    for start in range(0, len(prompt), WINDOW):
        out = model(input_ids=torch.tensor([prompt[start : start + WINDOW]]), cache=cache, use_cache=True).logits
    took = time.perf_counter() - begun
    parts = [out[0, -1:]]
    for token in piece[1:-1]:
        parts.append(model(input_ids=torch.tensor([[token]]), cache=cache, use_cache=True).logits[0])
    cache.close()
    return torch.cat(parts), took


def _mean(hits: list[float]) -> float:
    return sum(hits) / len(hits)
