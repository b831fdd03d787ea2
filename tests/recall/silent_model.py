"""An embedder for stores whose blocks are to be found by words alone."""

import numpy as np


class SilentModel:
    """Vectors that say nothing."""

    id, dimension = "none", 8

    def passages(self, texts):
        return np.tile(np.eye(8, dtype=np.float32)[0], (len(texts), 1))

    queries = passages

    def count_tokens(self, texts):
        return [len(text.split()) for text in texts]
