"""Summary vectors in the middle tier: promoted by queue, searched there, never fed to a model."""

from __future__ import annotations

import numpy as np

from h3cold.h3bridge import frames
from h3cold.h3bridge.engine import H3Engine
from h3cold.h3bridge.engine_target import EngineTarget
from h3cold.h3bridge.frames import Kind
from h3cold.h3bridge.protocol import Payload, Progress, State
from h3cold.schemas.errors import CorruptionError, PromotionError, UsageError
from h3cold.schemas.tier import Tier

SHARE = 0.25
"""Of the HBF budget that summaries may take."""


class SummaryTarget(EngineTarget):
    """A promotion target for vectors of one embedder, within a share of the engine's HBF budget.

    Its namespace is not the engine's: what reads payloads for a model refuses these frames, and this target refuses
    all others. A summary never displaces a payload; the oldest summaries without a lease give way to a demand.

    Args:
        engine: whose HBF holds them.
        embedder: name of what made the vectors.
        dimensions: numbers of a vector, such as 384 or 512.
        queue: promotions that may wait.
    """

    kinds = frozenset({Kind.VECTOR})

    def __init__(self, engine: H3Engine, *, embedder: str, dimensions: int, queue: int = 64) -> None:
        if dimensions < 1:
            raise UsageError(f"vectors of {dimensions} numbers: give 1 or more")
        self.dimensions, self.space = dimensions, frames.namespace("summary", embedder, str(dimensions), "f32")
        self.prefix = f"summary/{self.space.hex()[:8]}/"
        self._summaries: dict[str, None] = {}
        super().__init__(engine, queue=queue)

    def payload(self, block: str, vector: np.ndarray) -> Payload:
        """A block's summary as something to promote; its key is the block's behind `prefix`."""
        return Payload(f"{self.prefix}{block}", Kind.VECTOR, self.space, vector.astype("<f4").tobytes)

    def search(self, query: np.ndarray, top: int = 10) -> list[tuple[str, float]]:
        """Blocks whose warm summaries are most like `query`, and their cosines, the best first.

        Raises:
            UsageError: the query has another number of dimensions.
        """
        if query.shape != (self.dimensions,):
            raise UsageError(f"a query of shape {query.shape}; these summaries have {self.dimensions} numbers")
        with self.engine.guard:
            found = {key: self._vector(key) for key in list(self._summaries)}
        warm = {key: vector for key, vector in found.items() if vector is not None}
        if not warm:
            return []
        matrix = np.stack(list(warm.values()))
        lengths = np.linalg.norm(matrix, axis=1) * (float(np.linalg.norm(query)) or 1.0)
        cosines = matrix @ query.astype(np.float32) / np.where(lengths == 0, 1.0, lengths)
        names = [key.removeprefix(self.prefix) for key in warm]
        best = sorted(zip(cosines.tolist(), names, strict=True), key=lambda pair: (-pair[0], pair[1]))
        return [(name, cosine) for cosine, name in best[:top]]

    def _vector(self, key: str) -> np.ndarray | None:
        """A warm summary; None for one that was evicted, or damaged and so dropped."""
        hbf = self.engine.tiers[Tier.HBF]
        data = hbf.get(key)
        try:
            if data is not None:
                return np.frombuffer(frames.decode(data, key=key, namespace=self.space).payload, dtype="<f4")
        except CorruptionError:
            hbf.drop(key)
        del self._summaries[key]
        return None

    def _check(self, payload: Payload) -> None:
        if payload.namespace != self.space:
            raise PromotionError(f"{payload.key}: made by another embedder than this target's")
        if not payload.key.startswith(self.prefix):
            raise PromotionError(f"{payload.key}: a summary's key begins with {self.prefix!r}: it is no block's")

    def _put(self, payload: Payload, data: bytes, *, demand: bool) -> Progress:
        key, hbf = payload.key, self.engine.tiers[Tier.HBF]
        if not data:
            return Progress(State.DONE, self.engine.tier_of(key), "already warm")
        if len(data) != 4 * self.dimensions:
            raise PromotionError(f"{key}: {len(data)} bytes are no vector of {self.dimensions} numbers of f32")
        shape = (self.dimensions,)
        framed = frames.encode(frames.Frame(key, self.space, Kind.VECTOR, data, shape, "f32"))
        for old in list(self._summaries) if demand else ():
            if self._room(len(framed)):
                break
            if old not in self.engine.leases:
                hbf.drop(old)
                del self._summaries[old]
        if not self._room(len(framed)):
            return Progress(State.DONE, Tier.COLD, "HBF has no room for another summary")
        hbf.put(key, framed)
        self._summaries[key] = None
        return Progress(State.DONE, Tier.HBF, "searched in HBF")

    def _room(self, size: int) -> bool:
        hbf = self.engine.tiers[Tier.HBF]
        return hbf.fits(size) and (len(self._summaries) + 1) * size <= SHARE * hbf.budget
