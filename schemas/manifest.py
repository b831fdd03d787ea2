"""The cold store's snapshot record."""

from __future__ import annotations

from dataclasses import dataclass, field

STORE_VERSION = 3
"""Schema version of the store; a store of another one is refused, never guessed at."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """One published state of the store: what a reader opens and keeps.

    `tables` maps a table to its Lance version, `index` a derived file's role to its path below the store,
    `models` a role ("embedder", "ocr", ...) to the model's id, `root` is the absolute folder that was indexed,
    `created` UTC in ISO 8601, `counts` rows by table.
    """

    schema_version: int
    snapshot: int
    created: str
    root: str
    config: str
    tables: dict[str, int] = field(default_factory=dict)
    index: dict[str, str] = field(default_factory=dict)
    models: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
