"""Checksums of the store's immutable files: what they should be is kept, so that a flipped bit can be found."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from h3cold.ingest.store.files import file_digest, sync_file, sync_folder, walk_files, write_json
from h3cold.schemas.errors import CorruptionError, StoreError

FOLDERS = ("tables", "index")
MUTABLE = "latest_version_hint.json"
"""Lance rewrites this hint in place."""

SMALL = 1 << 20
"""Bytes of a file that is checked whenever its table is opened: it takes about a millisecond."""


class Checksums:
    """Digest by path below the store, of every file in `tables/` and `index/`.

    `readable` is False where there is no record, or a damaged one: then nothing is on record.
    """

    def __init__(self, store: Path) -> None:
        self._store = store
        self._path = store / "meta" / "checksums.json"
        self.readable = True
        self._known: dict[str, str] = {}
        try:
            known = json.loads(self._path.read_text(encoding="utf-8"))
            self._known, self.readable = (known, True) if isinstance(known, dict) else ({}, False)
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
            for folder in {path.parent for path in new.values()}:
                sync_folder(folder)
        except OSError as e:
            raise StoreError(f"{self._store}: cannot write: {os.strerror(e.errno or 0)}") from e
        self._synced |= set(new)

    def save(self) -> None:
        """Record the digests of new files and forget those of removed ones.

        Raises:
            StoreError: they cannot be written.
        """
        files = self._files()
        self._known = {
            name: self._known[name] if name in self._known else file_digest(path) for name, path in files.items()
        }
        write_json(self._path, self._known)

    def forget_lost(self) -> None:
        """Forget files that are gone: what is written under their names from here on is another content."""
        self._known = {name: known for name, known in self._known.items() if (self._store / name).exists()}
        self._synced &= set(self._known)

    def missing(self, folder: str) -> list[str]:
        """Files on record below `folder` (a path below the store, posix) that are gone."""
        return [n for n in self._known if n.startswith(f"{folder}/") and not (self._store / n).exists()]

    def damaged(self) -> list[str]:
        """Files that are on record and still there, but no longer hold what they held."""
        out = []
        for name, path in self._files().items():
            try:
                if name in self._known and file_digest(path) != self._known[name]:
                    out.append(name)
            except OSError as e:
                out.append(f"{name} ({e.strerror})")
        return out

    def check_small(self, paths: Iterable[Path]) -> None:
        """Refuse a damaged file before Lance reads it, whose threads can hang or die of a flipped bit.

        Files over `SMALL` are left to the digests of what is read from them. Those that are gone are passed over.

        Raises:
            CorruptionError: one does not hold what was written.
        """
        for path in paths:
            known = self._known.get(path.relative_to(self._store).as_posix())
            try:
                if known is None or path.stat().st_size > SMALL or file_digest(path) == known:
                    continue
            except OSError:
                continue
            raise CorruptionError(f"{path}: its content is not what was written; index again with --rebuild")
