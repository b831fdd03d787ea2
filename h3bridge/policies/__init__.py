"""Replacement policies: one a file, all of one shape, chosen by name."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from h3cold.schemas.errors import UsageError

POLICIES = {
    "ahas": "h3cold.h3bridge.policies.ahas_queue:AhasQueue",
    "lru": "h3cold.h3bridge.policies.lru:Lru",
    "lru-k": "h3cold.h3bridge.policies.lru_k:LruK",
    "arc": "h3cold.h3bridge.policies.arc:Arc",
    "s3-fifo": "h3cold.h3bridge.policies.s3_fifo:S3Fifo",
    "w-tinylfu": "h3cold.h3bridge.policies.w_tinylfu:WTinyLfu",
}


class Policy(Protocol):
    """Decides which resident key goes when room is needed.

    The holder calls `request` once a request, then `touch` for each resident key it uses; for each other key it asks
    `wants`, takes `victim` after `victim` out with `remove` until there is room, and `insert`s the key.
    """

    def request(self, keys: Sequence[str], vectors: Mapping[str, np.ndarray] | None = None) -> None:
        """A request for `keys`, resident or not; `vectors` are their L2-normed embeddings where known."""

    def touch(self, key: str) -> None:
        """A resident key was used."""

    def insert(self, key: str) -> None:
        """A key becomes resident."""

    def remove(self, key: str) -> None:
        """A resident key goes; no effect on one that is not resident."""

    def victim(self) -> str | None:
        """The resident key to give up next, None when there is none. It stays until it is removed."""

    def wants(self, key: str) -> bool:
        """Whether a key that is not resident deserves the place of the present victim."""


def open_policy(name: str) -> Policy:
    """A fresh policy by name.

    Raises:
        UsageError: an unknown name; the known ones are listed.
    """
    if name not in POLICIES:
        raise UsageError(f"unknown policy {name!r}; known: {', '.join(POLICIES)}")
    module, _, cls = POLICIES[name].partition(":")
    policy: Policy = getattr(importlib.import_module(module), cls)()
    return policy
