"""Blocks of made-up topics and an embedder to match: enough to learn summaries from in a second."""

import numpy as np

from h3cold.schemas.block import Block, block_id
from h3cold.schemas.geometry import PageBox

SIZE = 48


class Toy:
    """Token vectors by the words: a topic's words lie around its direction."""

    id, dimension = "toy", SIZE

    def passage_states(self, texts):
        states = [np.stack([self.word(w) for w in text.split()]).astype(np.float32) for text in texts]
        means = np.stack([s.mean(axis=0) for s in states])
        return means / np.linalg.norm(means, axis=1, keepdims=True), states

    query_states = passage_states

    def queries(self, texts):
        return self.passages(texts)

    def passages(self, texts):
        return self.passage_states(texts)[0]

    def word(self, word):
        topic, _, own = word.partition("x")
        draw = np.random.default_rng(int(own or 0) + 1).standard_normal(SIZE)
        around = np.random.default_rng(1000 + (int(topic) if topic.isdigit() else 99)).standard_normal(SIZE)
        return 0.3 + around + draw


def blocks(documents, each=24, shift=0):
    out = []
    draw = np.random.default_rng(5 + shift)
    for number in range(documents):
        document = f"{number + shift:032x}"
        for position in range(each):
            topic = number * 7 + position // 6 + shift
            text = " ".join(f"{topic}x{w}" for w in draw.integers(0, 60, 40))
            out.append(Block(block_id(document, position), document, position, "passage", text, (f"part {topic}",),
                             (PageBox(1, (0.0, 0.0, 9.0, 9.0), 0, len(text)),), "en"))  # fmt: skip
    return out
