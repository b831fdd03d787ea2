"""Summary vectors in the middle tier: promoted by queue, searched there, never fed to a model."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from h3cold.h3bridge import frames
from h3cold.h3bridge.engine import H3Engine
from h3cold.h3bridge.engine_target import EngineTarget
from h3cold.h3bridge.frames import Kind
from h3cold.h3bridge.protocol import Payload, Progress, State
from h3cold.schemas.errors import CorruptionError, PromotionError, UsageError
from h3cold.schemas.tier import Tier

SHARE = 0.25
"""Of the HBF budget that summaries may take."""

LEAST, MOST = 1e-15, 1e15
"""Lengths of vectors between which a cosine is sound in 32 bits; a vector of zeros is like nothing."""

WIDEST = 65_536
"""Numbers of a vector at most; embedders give hundreds or thousands."""


class SummaryTarget(EngineTarget):
    """A promotion target for vectors of one embedder, within a share of the engine's HBF budget.

    Its namespace is not the engine's: what reads payloads for a model refuses these frames, and this target refuses
    all others. A summary never displaces a payload; the oldest summaries without a lease give way to a demand. All
    targets of an engine share its summaries: those of one embedder find the same, those of several keep to one share.
    A block's new vector replaces its former one.

    Args:
        engine: whose HBF holds them.
        embedder: name of what made the vectors.
        dimensions: numbers of a vector, such as 384 or 512.
        queue: promotions that may wait.

    Raises:
        UsageError: `dimensions` is no whole number of 1 to 65,536.
    """

    kinds = frozenset({Kind.VECTOR})
    changing = True

    def __init__(self, engine: H3Engine, *, embedder: str, dimensions: int, queue: int = 64) -> None:
        if isinstance(dimensions, bool) or not isinstance(dimensions, int) or not 1 <= dimensions <= WIDEST:
            raise UsageError(f"dimensions={dimensions!r}: give the numbers of a vector, 1 to {WIDEST}, as an int")
        self.dimensions, self.space = dimensions, frames.namespace("summary", embedder, str(dimensions), "f32")
        self.prefix = f"summary/{self.space.hex()[:8]}/"
        super().__init__(engine, queue=queue)

    def payload(self, block: str, vector: ArrayLike) -> Payload:
        """A block's summary as something to promote; its key is the block's behind `prefix`.

        Raises:
            UsageError: as for the query of `search`.
        """
        numbers = self._sound(f"the vector of {block}", vector)
        return Payload(f"{self.prefix}{block}", Kind.VECTOR, self.space, numbers.tobytes)

    def search(self, query: ArrayLike, top: int = 10) -> list[tuple[str, float]]:
        """Blocks whose warm summaries are most like `query`, and their cosines, the best first.

        Raises:
            UsageError: the query has another shape than `(dimensions,)`, holds what is no finite number or is of a
                length beyond 1e-15 to 1e15 (0 is like nothing); or `top` is below 1.
        """
        asked = self._sound("the query", query)
        if top < 1:
            raise UsageError(f"top={top}: ask for 1 block or more")
        with self.engine.guard:
            found = {key: self._vector(key) for key in list(self.engine.summaries) if key.startswith(self.prefix)}
        warm = {key: vector for key, vector in found.items() if vector is not None}
        if not warm:
            return []
        matrix = np.stack(list(warm.values()))
        lengths = np.linalg.norm(matrix, axis=1) * (float(np.linalg.norm(asked)) or 1.0)
        cosines = matrix @ asked / np.where(lengths == 0, 1.0, lengths)
        names = [key.removeprefix(self.prefix) for key in warm]
        best = sorted(zip(cosines.tolist(), names, strict=True), key=lambda pair: (-pair[0], pair[1]))
        return [(name, cosine) for cosine, name in best[:top]]

    def _sound(self, what: str, vector: ArrayLike) -> np.ndarray:
        """Shape (dimensions,), float32, little-endian: numbers whose cosines are sound."""
        try:
            numbers = np.asarray(vector, dtype=np.float64)
        except (TypeError, ValueError) as e:
            raise UsageError(f"{what}: {e}; give {self.dimensions} numbers") from e
        if numbers.shape != (self.dimensions,):
            raise UsageError(f"{what} is of shape {numbers.shape}; these summaries have {self.dimensions} numbers")
        if not np.isfinite(numbers).all():
            raise UsageError(f"{what} holds NaN or infinity: look at what the embedder was given")
        largest = float(np.abs(numbers).max())  # scaled by it, no square over- or underflows
        length = largest and largest * float(np.linalg.norm(numbers / largest))
        if length and not LEAST <= length <= MOST:
            raise UsageError(f"{what} is of length {length:g}, outside {LEAST:g} to {MOST:g}: scale it, say to 1")
        return numbers.astype("<f4")

    def _vector(self, key: str) -> np.ndarray | None:
        """A warm summary; None for one that was evicted, or damaged and so dropped."""
        hbf = self.engine.tiers[Tier.HBF]
        data = hbf.get(key)
        try:
            if data is not None:
                return np.frombuffer(frames.decode(data, key=key, namespace=self.space).payload, dtype="<f4")
        except CorruptionError:
            hbf.drop(key)
        del self.engine.summaries[key]
        return None

    def _check(self, payload: Payload) -> None:
        if payload.namespace != self.space:
            raise PromotionError(f"{payload.key}: made by another embedder than this target's")
        if not payload.key.startswith(self.prefix):
            raise PromotionError(f"{payload.key}: a summary's key begins with {self.prefix!r}: it is no block's")

    def _put(self, payload: Payload, data: bytes, *, demand: bool) -> Progress:
        key, hbf, held = payload.key, self.engine.tiers[Tier.HBF], self.engine.summaries
        if len(data) != 4 * self.dimensions:
            raise PromotionError(f"{key}: {len(data)} bytes are no vector of {self.dimensions} numbers of f32")
        self._sound(key, np.frombuffer(data, dtype="<f4"))
        former = self._vector(key) if key in held else None
        if former is not None and former.tobytes() == data:
            return Progress(State.DONE, Tier.HBF, "already warm")
        shape = (self.dimensions,)
        framed = frames.encode(frames.Frame(key, self.space, Kind.VECTOR, data, shape, "f32"))
        if former is None and not self._make_room(len(framed), demand=demand):
            return Progress(State.DONE, Tier.COLD, "HBF has no room for another summary")
        hbf.put(key, framed)
        held.pop(key, None)
        held[key] = len(framed)
        return Progress(State.DONE, Tier.HBF, "searched in HBF" if former is None else "replaced the former vector")

    def _make_room(self, size: int, *, demand: bool) -> bool:
        """Whether `size` more bytes fit, on a demand after the oldest summaries without a lease have left."""
        hbf, held = self.engine.tiers[Tier.HBF], self.engine.summaries
        if self._room(size):
            return True
        for gone in [key for key in held if key not in hbf]:  # the engine was told to evict them
            del held[gone]
        for old in list(held) if demand else ():
            if self._room(size):
                break
            if old not in self.engine.leases:
                hbf.drop(old)
                del held[old]
        return self._room(size)

    def _room(self, size: int) -> bool:
        hbf = self.engine.tiers[Tier.HBF]
        return hbf.fits(size) and sum(self.engine.summaries.values()) + size <= SHARE * hbf.budget
