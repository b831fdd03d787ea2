"""Checksums of the store's immutable files: what they should be is kept, so that a flipped bit can be found."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from h3cold.ingest.store.files import file_digest, seal, sealed, sync_file, sync_folder, walk_files, write_json
from h3cold.schemas.errors import CorruptionError, StoreError

FOLDERS = ("tables", "index")
MUTABLE = "latest_version_hint.json"
"""Lance rewrites this hint in place."""

SMALL = 32 << 20
"""Bytes of a table's data file that is checked whenever it is opened: it takes about 10 ms. Indexes always are."""


class Checksums:
    """Digest by path below the store, of every file in `tables/` and `index/`.

    `readable` is False where there is no record, or a damaged one: then nothing is on record. `doubted` are files whose
    digests were taken after a record was lost: they hold what they held then, which may have been damaged before.
    """

    def __init__(self, store: Path) -> None:
        self._store = store
        self._path = store / "meta" / "checksums.json"
        self.readable = True
        self._known: dict[str, str] = {}
        self.doubted: frozenset[str] = frozenset()
        try:
            record = json.loads(self._path.read_text(encoding="utf-8"))
            self.readable = isinstance(record, dict) and sealed(record)
            self._known = record["files"] if self.readable else {}
            self.doubted = frozenset(record.get("doubted", ()) if self.readable else ())
        except (OSError, ValueError):
            self.readable = False
        self._synced = set(self._known)

    def _files(self) -> dict[str, Path]:
        files = [f for folder in FOLDERS for f in walk_files(self._store / folder) if f.name != MUTABLE]
        return {f.relative_to(self._store).as_posix(): f for f in files}

    def sync_new(self) -> None:
        """Have every file that appeared since the last call on the disk.

        Raises:
            StoreError: the disk refuses.
        """
        new = {name: path for name, path in self._files().items() if name not in self._synced}
        try:
            for path in new.values():
                sync_file(path)
            for folder in self._folders(new.values()):
                sync_folder(folder)
        except OSError as e:
            raise StoreError(f"{self._store}: cannot write: {os.strerror(e.errno or 0)}") from e
        self._synced |= set(new)

    def _folders(self, files: Iterable[Path]) -> set[Path]:
        """All whose names these files depend on, the one that the store is in among them."""
        below = {folder for path in files for folder in path.parents if folder.is_relative_to(self._store)}
        return below | {folder.parent for folder in below}

    def save(self, *, doubted: Iterable[str] = ()) -> None:
        """Record the digests of new files and forget those of removed ones; from now on these are `doubted`, too.

        Raises:
            StoreError: they cannot be written.
        """
        files = self._files()
        self._known = {
            name: self._known[name] if name in self._known else file_digest(path) for name, path in files.items()
        }
        self.doubted = (self.doubted | set(doubted)) & set(self._known)
        write_json(
            self._path, seal({"files": self._known} | ({"doubted": sorted(self.doubted)} if self.doubted else {}))
        )
        self.readable = True

    def forget_lost(self) -> None:
        """Forget files that are gone: what is written under their names from here on is another content."""
        self._known = {name: known for name, known in self._known.items() if (self._store / name).exists()}
        self._synced &= set(self._known)

    def missing(self, folder: str) -> list[str]:
        """Files on record below `folder` (a path below the store, posix) that are gone."""
        return [n for n in self._known if n.startswith(f"{folder}/") and not (self._store / n).exists()]

    def damaged(self) -> list[str]:
        """Files that are on record and still there, but no longer hold what they held; those that cannot be read."""
        return [name for name in self._files() if not self.holds(name)]

    def holds(self, name: str) -> bool:
        """Whether a file, by path below the store, is not known to be damaged."""
        try:
            return self._matches(name)
        except OSError:
            return False

    def _matches(self, name: str) -> bool:
        known = self._known.get(name)
        try:
            return known is None or file_digest(self._store / name) == known
        except FileNotFoundError:  # whoever needs it says so
            return True

    def hold(self, names: Iterable[str]) -> bool:
        """Whether none of these files is known to be damaged."""
        return all(self.holds(name) for name in names)

    def check(self, paths: Iterable[Path], *, limit: int | None = None) -> None:
        """Refuse a damaged file before Lance or FAISS reads it, which can hang, die or be misled by a flipped bit.

        Files over `limit` bytes are left to the digests of what is read from them.

        Raises:
            CorruptionError: one does not hold what was written.
            StoreError: one may not be read.
        """
        for path in paths:
            try:
                if limit is not None and path.stat().st_size > limit:
                    continue
            except OSError:
                continue
            try:
                good = self._matches(path.relative_to(self._store).as_posix())
            except PermissionError as e:
                raise not_allowed(path) from e
            except OSError:
                good = False
            if not good:
                raise CorruptionError(
                    f"{path}: its content is not what was written; see h3-monitor --verify --repair, or index again"
                    " with --rebuild"
                )


def not_allowed(path: Path) -> StoreError:
    """What to say of a file that is whole for all we know, but not ours to read."""
    return StoreError(f"{path}: cannot be read: Permission denied; let this user read all of the store")
