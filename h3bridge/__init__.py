"""From hits to the warmer tiers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from h3cold.h3bridge.bridge import Bridge
    from h3cold.h3bridge.engine import H3Engine

__all__ = ["Bridge", "H3Engine"]


def __getattr__(name: str) -> Any:
    if name == "Bridge":
        from h3cold.h3bridge.bridge import Bridge

        return Bridge
    if name == "H3Engine":
        from h3cold.h3bridge.engine import H3Engine

        return H3Engine
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
