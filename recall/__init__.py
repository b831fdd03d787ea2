"""From the cold store to hits: `ColdTier.open(path).recall(query)`. Importing this loads nothing heavy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from h3cold.recall.cold_tier import ColdTier

__all__ = ["ColdTier"]


def __getattr__(name: str) -> Any:
    """Load `ColdTier` on first use, so that importing the package costs nothing."""
    if name == "ColdTier":
        from h3cold.recall.cold_tier import ColdTier

        return ColdTier
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
