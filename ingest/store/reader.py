"""One snapshot of a cold store, open for reading."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal

from h3cold.ingest.store.checksums import SMALL, Checksums, not_allowed
from h3cold.ingest.store.lance_errors import LANCE_ERRORS, brief, reading
from h3cold.ingest.store.manifest import read_manifest
from h3cold.ingest.store.rows import BLOCK_COLUMNS, row_block
from h3cold.ingest.store.told import ROLE as TOLD
from h3cold.ingest.store.told import Told, read_told
from h3cold.schemas.block import Block
from h3cold.schemas.errors import CorruptionError, StoreError
from h3cold.schemas.manifest import Manifest

LOOKUP = 500
"""Ids in one `IN (...)` filter."""


class ColdStore:
    """A reader of one snapshot, for as long as it lives; safe to use from several threads.

    Publishing a newer snapshot does not disturb it; `latest()` tells that one exists.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest
        self._sums = Checksums(path)
        self._tables: dict[str, Any] = {}
        self._documents: dict[str, dict[str, Any]] | None = None
        self._told: Told | Literal[False] | None = False  # not looked for yet
        self._guard = threading.Lock()
        self._ahead: dict[str, Future[None]] = {}

    @classmethod
    def open(cls, path: str | Path, snapshot: int | None = None) -> ColdStore:
        """Open the current snapshot, or an older one that is still kept.

        Raises:
            StoreError: there is no store or no such snapshot at `path`, or it cannot be read.
            StoreVersionError: the store is of another schema version.
        """
        where = Path(path)
        return cls(where, read_manifest(where, snapshot))

    def latest(self) -> int:
        """Number of the newest published snapshot.

        Raises:
            StoreError: the store is gone or cannot be read.
        """
        return read_manifest(self.path).snapshot

    def table(self, name: str) -> Any:
        """The table `name` as a `lance.LanceDataset` at this snapshot's version.

        Raises:
            StoreError: there is no such table.
            CorruptionError: its files are missing or damaged.
        """
        with self._guard:
            if name not in self._tables:
                self._tables[name] = self._open(name)
            return self._tables[name]

    def _open(self, name: str) -> Any:
        import lance

        version = self.manifest.tables.get(name)
        if version is None:
            raise StoreError(f"{self.path}: no table {name!r}; there are {', '.join(sorted(self.manifest.tables))}")
        folder = self.path / "tables" / f"{name}.lance"
        names = (version, 2**64 - 1 - version)  # Lance's two ways of naming a version's file
        self._sums.check(folder / "_versions" / f"{number}.manifest" for number in names)
        try:
            table = lance.dataset(folder, version=version)
            indexes = [folder / "_indices" / str(index["uuid"]) for index in table.list_indices()]
            files = data_files(folder, table)
        except LANCE_ERRORS as e:
            raise CorruptionError(
                f"{self.path}: table {name} of snapshot {self.manifest.snapshot} does not open ({brief(e)});"
                " open the store anew, or index again with --rebuild"
            ) from e
        lost = [file for index in indexes for file in self._sums.missing(index.relative_to(self.path).as_posix())]
        if lost:
            raise CorruptionError(f"{self.path}: {lost[0]} is missing; see h3-monitor --verify --repair")
        self._sums.check(files, limit=SMALL)
        self._sums.check(file for index in indexes for file in index.glob("*"))
        return table

    def count(self, name: str) -> int:
        """Rows in the table `name`.

        Raises:
            StoreError: as `table`.
        """
        table = self.table(name)
        with self._reading(name):
            return int(table.count_rows())

    def rows(self, name: str, column: str, values: Iterable[str], columns: Sequence[str] | None = None) -> list[Any]:
        """Rows (as dicts) of table `name` whose `column` is one of `values`, in no particular order.

        Raises:
            StoreError: as `table`.
        """
        wanted = list(dict.fromkeys(values))
        out: list[Any] = []
        for i in range(0, len(wanted), LOOKUP):
            listed = ", ".join(quoted(v) for v in wanted[i : i + LOOKUP])
            table = self.table(name)
            with self._reading(name):
                found = table.to_table(
                    filter=f"{column} IN ({listed})", columns=None if columns is None else list(columns)
                )
            out.extend(found.to_pylist())
        return out

    def take(self, name: str, rowids: Sequence[int], columns: Sequence[str] | None = None) -> Any:
        """A `pyarrow.Table` of rows of table `name` by Lance's row ids, in their order; by default all columns.

        Raises:
            StoreError: as `table`.
        """
        table = self.table(name)
        with self._reading(name):
            return table._take_rows(list(rowids), columns=list(columns or table.schema.names))

    def _reading(self, name: str) -> AbstractContextManager[None]:
        return reading(self.path / "tables" / f"{name}.lance")

    def blocks(self, ids: Iterable[str]) -> list[Block]:
        """The blocks with these ids, in the order given.

        Raises:
            CorruptionError: an id is not in this snapshot, so an index and the tables disagree.
        """
        wanted = list(ids)
        found = {row["id"]: row_block(row) for row in self.rows("blocks", "id", wanted, BLOCK_COLUMNS)}
        missing = [i for i in wanted if i not in found]
        if missing:
            raise CorruptionError(
                f"{self.path}: snapshot {self.manifest.snapshot} has no block {missing[0]}; is it of another store, or"
                " of an older snapshot? If it came from this one, index and tables disagree: see h3-monitor --verify"
            )
        return [found[i] for i in wanted]

    def documents(self) -> dict[str, dict[str, Any]]:
        """Rows of `documents` by id: title, language, company, period, date, doctype, authors, pages, blocks, sources.

        Raises:
            StoreError: as `table`.
        """
        if self._documents is None:
            told = self.told()
            if told is not None:
                self._documents = told.documents
                return self._documents
            table = self.table("documents")
            with self._reading("documents"):
                self._documents = {row["id"]: row for row in table.to_table().to_pylist()}
        return self._documents

    def told(self) -> Told | None:
        """What an index has of documents and names; None where the tables alone have it, or where it is damaged."""
        if self._told is False:
            try:
                self._told = read_told(self.index_path(TOLD)) if TOLD in self.manifest.index else None
            except StoreError:  # it is derived
                self._told = None
        return self._told

    def index_path(self, role: str, *, limit: int | None = None) -> Path:
        """Absolute path of a derived index file, which is checked first; the roles stand in `manifest.index`.

        One of more bytes than `limit` is left to whoever can tell what is damaged in it.

        Raises:
            StoreError: this snapshot has no such index.
            CorruptionError: the file is missing, or does not hold what was written.
        """
        relative = self.manifest.index.get(role)
        if relative is None:
            have = ", ".join(sorted(self.manifest.index)) or "none"
            raise StoreError(f"{self.path}: snapshot {self.manifest.snapshot} has no index {role!r}; there are: {have}")
        path = self.path / relative
        try:
            there = path.is_file()
        except PermissionError as e:
            raise not_allowed(path) from e
        if not there:
            raise CorruptionError(f"{path}: is missing; see h3-monitor --verify --repair")
        ahead = self._ahead.pop(role, None)
        if ahead is not None:
            ahead.result()
        else:
            self._sums.check([path], limit=limit)
        return path

    def check_ahead(self, threads: Executor, roles: Iterable[str]) -> None:
        """Have these index files checked in other threads, for the next `index_path` of each."""
        for role in roles:
            if role in self.manifest.index:
                path = self.path / self.manifest.index[role]
                self._ahead[role] = threads.submit(self._sums.check, [path])

    def image(self, block: str) -> bytes | None:
        """PNG of the block's region, None where none was kept.

        Raises:
            StoreError: as `table`.
        """
        found = self.rows("images", "block", [block], ["png"])
        return bytes(found[0]["png"]) if found else None

    def source_path(self, document: str) -> Path:
        """Absolute path of a file with the document's bytes, as it was when it was indexed.

        Raises:
            StoreError: the document is not in this snapshot.
        """
        found = self.rows("sources", "document", [document], ["path"])
        if not found:
            raise StoreError(f"{self.path}: snapshot {self.manifest.snapshot} has no document {document}")
        return Path(self.manifest.root) / os.fsdecode(min(row["path"] for row in found))

    def verify(self) -> list[str]:
        """Check all of the snapshot; what is wrong with it, one line each. Reads every file of the store."""
        from h3cold.ingest.store.verify import verify

        return verify(self)


def data_files(folder: Path, table: Any) -> list[Path]:
    """Files that hold the rows of a table in `folder`, and which of them are deleted."""
    parts = table.get_fragments()
    data = [folder / "data" / file.path for part in parts for file in part.data_files()]
    deleted = (part.deletion_file() for part in parts)
    return [*data, *(folder / file for file in deleted if file)]


def quoted(value: str) -> str:
    """`value` as a string literal of Lance's filter language."""
    return "'" + value.replace("'", "''") + "'"
