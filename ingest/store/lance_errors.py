"""What Lance raises, in our words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from h3cold.schemas.errors import CorruptionError, StoreError

LANCE_ERRORS = (OSError, ValueError, RuntimeError)
"""What comes of files that are missing, damaged or cannot be written; which of them is not for us to know."""


def brief(error: BaseException) -> str:
    """The gist of an error of Lance's, on one line: without the places in its source that it was raised at."""
    return " ".join(str(error).split()).split(", /")[0][:200]


@contextmanager
def reading(what: Path) -> Iterator[None]:
    """Tell of a table that does not read.

    Raises:
        CorruptionError: Lance raised something.
        StoreError: it was not allowed to read.
    """
    try:
        yield
    except LANCE_ERRORS as e:
        if isinstance(e, PermissionError) or "Permission denied" in str(e):
            raise StoreError(f"{what}: cannot be read: Permission denied; let this user read all of the store") from e
        raise CorruptionError(
            f"{what}: does not read ({brief(e)}); see h3-monitor --verify --repair, or index again with --rebuild"
        ) from e
