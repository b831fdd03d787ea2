"""Old snapshots are kept for a while, then cleaned up: never a file that a kept snapshot names."""

from __future__ import annotations

import contextlib
import datetime
import itertools
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from h3cold.ingest.store.files import version_files, walk_files
from h3cold.ingest.store.lance_errors import LANCE_ERRORS
from h3cold.ingest.store.manifest import history
from h3cold.schemas.manifest import Manifest


def clean_up(store: Path, tables: Mapping[str, Any], *, keep_days: float, keep_snapshots: int = 0) -> None:
    """Drop snapshots replaced longer than `keep_days` ago, with table versions and index folders only they used.

    Of the others only the last `keep_snapshots` stay, the current one among them (0 = all).

    `tables` are the datasets at their latest versions. Runs after a publication, in the writer.
    """
    now = datetime.datetime.now(datetime.UTC)
    kept = kept_snapshots(history(store), keep_days=keep_days, keep_snapshots=keep_snapshots, now=now)
    numbers = {m.snapshot for m in kept}
    for record in (store / "meta" / "manifests").glob("*.json"):
        if record.stem.isdigit() and int(record.stem) not in numbers:
            record.unlink()
    for name, table in tables.items():
        named = {m.tables[name] for m in kept if name in m.tables} | {table.version}
        try:
            _drop_versions(table, named)
        except LANCE_ERRORS:  # Lance reads the record of every version for that, and one is damaged
            _drop_damaged(store / "tables" / f"{name}.lance", named)
            with contextlib.suppress(*LANCE_ERRORS):  # that of a snapshot which is kept: `h3-monitor --verify` says so
                _drop_versions(table, named)
    _drop_files(store / "index", {store / file for m in kept for file in m.index.values()})


def _drop_versions(table: Any, named: Collection[int]) -> None:
    unused = [v["version"] for v in table.versions() if v["version"] not in named]
    if unused:
        table.cleanup_old_versions(
            versions=unused,
            older_than=datetime.timedelta(0),
            delete_unverified=True,  # the lock says that nobody else is writing
            error_if_tagged_old_versions=False,
        )


def _drop_damaged(folder: Path, named: Collection[int]) -> None:
    """Remove the records of versions that nobody names and that do not open."""
    import lance

    for number, path in version_files(folder).items():
        if number not in named:
            try:
                lance.dataset(folder, version=number)
            except LANCE_ERRORS:
                path.unlink(missing_ok=True)


def kept_snapshots(
    manifests: Iterable[Manifest], *, keep_days: float, now: datetime.datetime, keep_snapshots: int = 0
) -> list[Manifest]:
    """The current (last) snapshot, and those that were still current within the last `keep_days`, the newest of them
    where `keep_snapshots` says how many there may be in all.

    A snapshot's age counts from its replacement, so that whoever opened it just before has that long to finish.
    """
    ordered = list(manifests)
    limit = now - datetime.timedelta(days=keep_days)
    out = [m for m, after in itertools.pairwise(ordered) if _created(after) > limit]
    return [*out, *ordered[-1:]][-keep_snapshots:]


def _created(manifest: Manifest) -> datetime.datetime:
    return datetime.datetime.fromisoformat(manifest.created)


def _drop_files(parent: Path, kept: Collection[Path]) -> None:
    """Of each snapshot's folder the files that no kept one names: a later one may go on with some of them."""
    for path in walk_files(parent):
        if path not in kept:
            path.unlink(missing_ok=True)
    for folder in parent.glob("*/"):
        with contextlib.suppress(OSError):  # it is not empty
            folder.rmdir()
