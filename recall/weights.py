"""The weights of the ranking's features, one set an intent: those that come with the package, or a user's own."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from h3cold.recall.rank import FEATURES
from h3cold.recall.words import Floats
from h3cold.schemas.errors import ConfigError
from h3cold.schemas.hit import INTENTS, Intent

Weights = Mapping[Intent, Floats]
"""[FEATURES] by intent, none below 0, each set summing to 1."""


@cache
def default_weights() -> Weights:
    """The weights that come with the package."""
    return _parse(files("h3cold.recall").joinpath("weights.json").read_text(encoding="utf-8"), "weights.json")


def load_weights(path: str | Path) -> Weights:
    """Weights as `save_weights` wrote them.

    Raises:
        ConfigError: the file cannot be read, or does not give every intent a number for every feature.
    """
    try:
        return _parse(Path(path).read_text(encoding="utf-8"), str(path))
    except (OSError, ValueError) as e:  # no text, or no path
        raise ConfigError(f"{path}: cannot read the ranking's weights: {e}") from e


def save_weights(weights: Weights, path: Path) -> None:
    """Write weights as JSON: {intent: {feature: weight}}."""
    rows = {
        intent: {name: round(float(v), 4) for name, v in zip(FEATURES, weights[intent], strict=True)}
        for intent in INTENTS
    }
    path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def _parse(text: str, where: str) -> Weights:
    out: dict[Intent, Floats] = {}
    try:
        rows = json.loads(text)
        for intent in INTENTS:
            row = np.array([_number(rows[intent][name], f"{intent}: {name}") for name in FEATURES])
            if unknown := sorted(rows[intent].keys() - set(FEATURES)):
                raise ValueError(f"{intent}: no feature {unknown[0][:40]!a}; there are {', '.join(FEATURES)}")
            if (row < 0).any() or not math.isfinite(row.sum()) or not row.sum():
                raise ValueError(f"{intent}: weights must be 0 or more, finite, and not all 0")
            out[intent] = (row / row.sum()).astype(np.float32)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as e:
        raise ConfigError(
            f"{where}: not weights of the ranking ({e!r}); make them with h3-benchmark recall --tune {where}"
        ) from e
    return out


def _number(value: object, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{what} is a {type(value).__name__}, no number")
    return float(value)
