"""Checksums of the store's immutable files: what they should be is kept, so that a flipped bit can be found."""

from __future__ import annotations

import json
import os
from pathlib import Path

from h3cold.ingest.store.files import file_digest, sync_file, sync_folder, walk_files, write_json
from h3cold.schemas.errors import StoreError

FOLDERS = ("tables", "index")
MUTABLE = "latest_version_hint.json"
"""Lance rewrites this hint in place."""


class Checksums:
    """Digest by path below the store, of every file in `tables/` and `index/`."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._path = store / "meta" / "checksums.json"
        try:
            self._known: dict[str, str] = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            self._known = {}
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
