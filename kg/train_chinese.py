"""Trains the small model of Chinese names on texts that the project makes itself."""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from h3cold.kg.model_zh import FILE, PIPE, blank, document, spelt_out
from h3cold.kg.silver_zh import Labelled, silver
from h3cold.kg.words_zh import words_of

SEED = 7
ROUNDS = 16
"""Fillings of each template."""
EPOCHS = 3
RATE = 0.004


def train(
    *, seed: int = SEED, rounds: int = ROUNDS, epochs: int = EPOCHS
) -> Iterator[tuple[int, float, dict[str, float], bytes]]:
    """Trains, and after each epoch gives (epoch, loss, figures on templates and names held out, weights)."""
    from spacy.training import Example
    from spacy.util import fix_random_seed, minibatch
    from thinc.api import Adam

    fix_random_seed(seed)
    nlp = blank()
    examples = [Example.from_dict(*_annotated(nlp, one)) for one in silver(seed, rounds, held_out=False)]
    held = list(silver(seed + 1, 6, held_out=True))
    optimizer = nlp.initialize(lambda: examples[:500], sgd=Adam(RATE, use_averages=True))
    rng = random.Random(seed)
    for epoch in range(epochs):
        rng.shuffle(examples)
        optimizer.learn_rate = RATE * (1 - epoch / epochs)
        losses: dict[str, float] = {}
        for batch in minibatch(examples, size=16):
            nlp.update(batch, sgd=optimizer, drop=0.25, losses=losses)
        with nlp.use_params(optimizer.averages):
            figures = score(nlp, held)
            weights = nlp.get_pipe(PIPE).to_bytes(exclude=["vocab"])
        yield epoch, losses[PIPE], figures, weights


def score(nlp: Any, texts: Sequence[Labelled]) -> dict[str, float]:
    """Strict span F1 of each type, and of all."""
    right, wrong, missed = Counter[str](), Counter[str](), Counter[str]()
    read = [_read(nlp, one) for one in texts]
    for one, (_, pieces), doc in zip(texts, read, nlp.pipe([d for d, _ in read], batch_size=64), strict=True):
        mine, gold = set(spelt_out([t.tag_ for t in doc], pieces)), set(one.names)
        for count, names in ((right, mine & gold), (wrong, mine - gold), (missed, gold - mine)):
            count.update(type for _, _, type in names)
            count["all"] += len(names)
    return {t: round(2 * right[t] / (2 * right[t] + wrong[t] + missed[t]), 4) for t in sorted(right)}


def _read(nlp: Any, one: Labelled) -> tuple[Any, list[str]]:
    return document(nlp.vocab, one.text, words_of(one.text, 0, len(one.text)))


def _annotated(nlp: Any, one: Labelled) -> tuple[Any, dict[str, Any]]:
    """The document and its tags of tokens; a name that does not end where tokens do is left out."""
    doc, pieces = _read(nlp, one)
    starts, ends, at = {}, {}, 0
    for i, piece in enumerate(pieces):
        starts[at], at = i, at + len(piece)
        ends[at] = i
    tags = ["O"] * len(pieces)
    for a, b, type in one.names:
        if a in starts and b in ends:
            first, last = starts[a], ends[b]
            if first == last:
                tags[first] = f"U-{type}"
            else:
                tags[first : last + 1] = [f"B-{type}", *([f"I-{type}"] * (last - first - 1)), f"L-{type}"]
    return doc, {"tags": tags}


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m h3cold.kg.train_chinese", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name(FILE), help="where the weights go")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="fillings of each template")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    args = parser.parse_args(list(arguments) if arguments is not None else None)
    began = time.perf_counter()
    for epoch, loss, figures, weights in train(rounds=args.rounds, epochs=args.epochs):
        args.out.write_bytes(weights)
        print(f"{epoch} loss {loss:.0f} {time.perf_counter() - began:.0f} s {figures}", flush=True)


if __name__ == "__main__":
    main()
