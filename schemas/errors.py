"""The error tree. A message says what is wrong, where (file, page), and what to do about it."""

from __future__ import annotations

import os


class H3Error(Exception):
    """Root of every error this toolkit raises on purpose."""


class UsageError(H3Error):
    """The call itself is wrong: a path that is missing, an option out of range. Commands exit with 2."""


class ConfigError(UsageError):
    """A configuration file that cannot be read, or a key or value in it that is not known."""


class QueryError(UsageError):
    """A query, intent or filter that recall cannot take."""


class DocumentError(H3Error):
    """One source file (or one page of it) cannot be read; the rest of a run goes on.

    Args:
        source: path of the file as the user named it.
        reason: what is wrong and what to do, without the path.
        page: 1-based page, where one page is at fault.
    """

    def __init__(self, source: str, reason: str, *, page: int | None = None) -> None:
        self.source, self.reason, self.page = source, reason, page
        where = source if page is None else f"{source}, page {page}"
        super().__init__(f"{where}: {reason}")


class EncryptedError(DocumentError):
    """The file needs a password that was not given."""


class StoreError(H3Error):
    """The cold store cannot be opened, read or written."""


class StoreVersionError(StoreError):
    """The store was written with another schema version."""


class StoreBusyError(StoreError):
    """Another process is writing to the store."""


class CorruptionError(StoreError):
    """A checksum or a reference in the store does not hold."""


class ModelError(H3Error):
    """A model is not at hand or does not load; the message says which and how to get it."""


class PromotionError(H3Error):
    """A hit cannot be moved to a warmer tier."""


def unforeseen(error: Exception) -> str:
    """What a command says of an error that nobody foresaw.

    Raises:
        Exception: `error` itself, with its trace, where the environment sets H3_TRACE.
    """
    if os.environ.get("H3_TRACE"):
        raise error
    return f"internal error: {type(error).__name__}: {error}; H3_TRACE=1 shows where"
