"""Document vectors as a large store would have them: topics, families within them, documents of their own.

Shaped after the Doc2Vec vectors of 909 real pages: a direction that all share (a fifth of a vector's square), a
spectrum of which 64 directions hold about .8 and 128 about .95, a nearest neighbour at a cosine of about .7 (most
often of the same document or filer), the tenth at about .5, most others below .3.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

DIMENSION = 1024
PORTION = 8192
TOPICS = 2000
FAMILY = 12
"""Documents to a family, as the yearly reports of a company."""

COMMON, TOPIC, KIN, OWN = 0.44, 0.45, 0.50, 0.59
_SEED = 20261129

Floats = npt.NDArray[np.float32]


def made_vectors(start: int, end: int, *, total: int) -> Floats:
    """Unit vectors [end - start, 1024] of documents `start` to `end` of `total`: the same however they are cut."""
    parts = [_portion(p, total)[max(start - p * PORTION, 0) : end - p * PORTION]
             for p in range(start // PORTION, -(-end // PORTION))]  # fmt: skip
    return np.concatenate(parts) if parts else np.zeros((0, DIMENSION), np.float32)


def _portion(number: int, total: int) -> Floats:
    """Documents `number * PORTION` and on; kin stand together, which no search here looks at."""
    rows = np.arange(number * PORTION, min((number + 1) * PORTION, total))
    family = rows // FAMILY
    own = np.random.Generator(np.random.SFC64([_SEED, 3, number])).standard_normal(
        (len(rows), DIMENSION), dtype=np.float32
    )
    out = COMMON * _directions(0, np.zeros(len(rows), np.int64))
    out += TOPIC * _directions(1, _topics(family))
    out += KIN * _directions(2, family)
    out += OWN * _shaped(own)
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    return out


def _topics(family: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """A few topics have many families, most have few (Zipf)."""
    share = (family.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(11)) / 2.0**53
    return np.minimum((TOPICS + 1.0) ** share - 1, TOPICS - 1).astype(np.int64)


def _directions(kind: int, numbers: npt.NDArray[np.int64]) -> Floats:
    """A unit vector for each number, the same for the same number of the same kind."""
    known, which = np.unique(numbers, return_inverse=True)
    vectors = np.empty((len(known), DIMENSION), np.float32)
    for row, number in enumerate(known.tolist()):
        draw = np.random.Generator(np.random.SFC64([_SEED, kind, number]))
        vectors[row] = draw.standard_normal(DIMENSION, dtype=np.float32)
    return _shaped(vectors)[which]


def _shaped(vectors: Floats) -> Floats:
    """Of length one, longest along the first axes."""
    vectors *= ((1 + np.arange(DIMENSION) / 24) ** -1.1).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors
