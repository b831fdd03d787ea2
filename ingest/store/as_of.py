"""Older snapshots by number or by time."""

from __future__ import annotations

import datetime
from pathlib import Path

from h3cold.ingest.store.manifest import history, read_manifest
from h3cold.schemas.errors import StoreError, UsageError

AsOf = int | str | datetime.date | None
"""A snapshot's number; a time, also as ISO 8601 text (without a zone it is local, a date means its end); None = now."""


def resolve(store: Path, as_of: AsOf) -> int | None:
    """The number of the snapshot that was current then; None for the current one.

    Raises:
        UsageError: `as_of` is neither a number nor a time.
        StoreError: there is no store, or no snapshot of that time is kept.
    """
    if as_of is None:
        return None
    if isinstance(as_of, int) and not isinstance(as_of, bool):
        if abs(as_of) >= 1 << 63:  # Python spells no number of thousands of digits, not in an error either
            raise UsageError("as of a huge number: give a snapshot's number or a time")
        return as_of
    if isinstance(as_of, str) and as_of.strip().isdecimal() and len(as_of.strip()) < 8:  # 20261129 is a date
        return int(as_of)
    moment = _moment(as_of)
    current = read_manifest(store)
    kept = history(store)
    then = [m for m in kept if datetime.datetime.fromisoformat(m.created) <= moment]
    if not then:
        first = kept[0] if kept else current
        raise StoreError(
            f"{store}: no snapshot as old as {as_of} is kept; the oldest is {first.snapshot} of {first.created}"
        )
    return then[-1].snapshot


def _moment(as_of: AsOf) -> datetime.datetime:
    value: object = as_of
    if isinstance(value, str):
        text = value.strip()
        try:
            value = datetime.date.fromisoformat(text)
        except ValueError:
            try:
                value = datetime.datetime.fromisoformat(text)
            except ValueError:
                raise UsageError(
                    f"as of {text[:80]!r}: give a snapshot's number or a time such as 2026-11-29 or 2026-11-29T14:30"
                ) from None
    try:
        if isinstance(value, datetime.datetime):
            return value.astimezone()
        if isinstance(value, datetime.date):
            return datetime.datetime.combine(value, datetime.time.max).astimezone()
    except (OverflowError, ValueError, OSError):  # a year that the system's clock does not know
        pass
    raise UsageError(f"as of {as_of!r}: give a snapshot's number or a time")
