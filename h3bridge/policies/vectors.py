"""Embeddings of known blocks as rows of one matrix, so that their relevance is one product."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

PAIRS, ENOUGH = 500, 50
UNKNOWN = (0.0, 0.5)
"""Mean and deviation of cosines assumed while fewer than `ENOUGH` blocks are known."""


class Vectors:
    """L2-normed embeddings by key; `rows` says which row is whose."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self._matrix = np.zeros((0, 0), dtype=np.float32)

    def add(self, vectors: Mapping[str, np.ndarray]) -> None:
        """Take embeddings in, or anew."""
        for key, vector in vectors.items():
            row = self.rows.setdefault(key, len(self.rows))
            if row >= len(self._matrix):
                grown = np.zeros((max(256, 2 * len(self._matrix)), len(vector)), dtype=np.float32)
                if row:
                    grown[:row] = self._matrix[:row]
                self._matrix = grown
            self._matrix[row] = vector

    def keep(self, keys: Iterable[str]) -> None:
        """Forget all others."""
        kept = [k for k in keys if k in self.rows]
        self._matrix = self._matrix[[self.rows[k] for k in kept]]
        self.rows = {k: i for i, k in enumerate(kept)}

    def nearness(self, queries: Sequence[np.ndarray]) -> np.ndarray:
        """Largest cosine of each row with any of the queries."""
        return (self._matrix[: len(self.rows)] @ np.stack(queries).T).max(axis=1)

    def typical(self) -> tuple[float, float]:
        """Mean and standard deviation of the cosine of two blocks, from up to `PAIRS` pairs."""
        n = len(self.rows)
        if n < ENOUGH:
            return UNKNOWN
        one, other = np.random.default_rng(n).integers(0, n, (2, PAIRS))
        different = one != other
        cosines = np.einsum("ij,ij->i", self._matrix[one[different]], self._matrix[other[different]])
        return float(cosines.mean()), max(float(cosines.std()), 0.02)
