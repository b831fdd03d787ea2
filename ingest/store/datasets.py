"""The tables' working state: what the writer does to Lance datasets, with Lance's errors in our words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from h3cold.ingest.store.checksums import SMALL, Checksums
from h3cold.ingest.store.files import version_files
from h3cold.ingest.store.lance_errors import LANCE_ERRORS, brief
from h3cold.ingest.store.reader import LOOKUP, data_files, quoted
from h3cold.ingest.store.rows import Row
from h3cold.ingest.store.tables import BY_DOCUMENT
from h3cold.schemas.errors import CorruptionError, StoreError

FRAGMENTS = 24
"""Appends a table takes before they are merged into one file."""

LOOKUPS = {"blocks": ("id", "document"), "images": ("block",), "mentions": ("block",), "pages": ("document",)}
"""Columns by which recall fetches rows."""


WHOLE = ("sources", "documents")
"""Tables that each build writes anew from what they hold: damage would be taken over, with a checksum of its own."""

DERIVED = "entities"

Misfit = Literal["lost", "shape"]


class Datasets:
    """The store's tables, open at the state that is being written; `changed` names those that were written to."""

    def __init__(self, store: Path, schemas: Mapping[str, pa.Schema]) -> None:
        self.schemas = dict(schemas)
        self.changed: set[str] = set()
        self._store = store
        self._open: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        return self._open[name]

    def items(self) -> Iterable[tuple[str, Any]]:
        """(name, `lance.LanceDataset`) of every table."""
        return self._open.items()

    def versions(self) -> dict[str, int]:
        """Lance's version of every table."""
        return {name: table.version for name, table in self._open.items()}

    def uri(self, name: str) -> Path:
        """Folder of a table."""
        return self._store / "tables" / f"{name}.lance"

    def misfits(self, versions: Mapping[str, int]) -> dict[str, Misfit]:
        """Tables that are not there at their version, or no longer hold what they held, or have other columns."""
        import lance

        out: dict[str, Misfit] = {}
        sums = Checksums(self._store)
        for name, schema in self.schemas.items():
            try:
                table = lance.dataset(self.uri(name), version=versions[name])
                for _ in table.to_batches(columns=schema.names[:1]):  # a disk that was full may have cut what is new
                    pass
                files = [f for f in data_files(self.uri(name), table) if name in WHOLE or f.stat().st_size <= SMALL]
                if name != DERIVED and not sums.hold(f.relative_to(self._store).as_posix() for f in files):
                    out[name] = "lost"
                elif table.schema != schema:
                    out[name] = "shape"
            except (KeyError, *LANCE_ERRORS):
                out[name] = "lost"
        return out

    def go_to(self, versions: Mapping[str, int]) -> None:
        """Open every table as it was at its version: whatever a crashed writer left behind it is set aside.

        Raises:
            CorruptionError: a table does not open.
        """
        for name, version in versions.items():
            self._open[name] = self._at(name, version)

    def _at(self, name: str, version: int) -> Any:
        import lance

        try:
            # Later versions are nobody's. Not restored over, for which Lance reads their records: they may be torn.
            for number, path in version_files(self.uri(name)).items():
                if number > version:
                    path.unlink()
            return lance.dataset(self.uri(name), version=version)
        except LANCE_ERRORS as e:
            raise CorruptionError(f"{self.uri(name)}: does not open ({brief(e)}); index again with --rebuild") from e

    def _drop_torn(self, name: str) -> None:
        """While the newest version does not open, drop it: a power cut tore it."""
        import lance

        while versions := version_files(self.uri(name)):
            newest = max(versions)
            try:
                lance.dataset(self.uri(name), version=newest)
            except LANCE_ERRORS:
                versions[newest].unlink()
            else:
                return

    def start_empty(self, names: Iterable[str]) -> None:
        """Open these tables without rows; versions that readers hold stay.

        Raises:
            StoreError: a table cannot be written.
        """
        import lance

        for name in names:
            uri, schema = self.uri(name), self.schemas[name]
            self._drop_torn(name)
            mode = "overwrite" if version_files(self.uri(name)) else "create"
            with self._writing():
                self._open[name] = lance.write_dataset(schema.empty_table(), uri, schema=schema, mode=mode)
            self.changed.add(name)

    def append(self, name: str, rows: pa.Table) -> None:
        """Add rows.

        Raises:
            StoreError: they cannot be written.
        """
        import lance

        with self._writing():
            self._open[name] = lance.write_dataset(rows, self._open[name], mode="append")
        self.changed.add(name)

    def delete(self, name: str, documents: Sequence[str]) -> None:
        """Take out the rows of these documents.

        Raises:
            StoreError: it cannot be written.
        """
        table, column = self._open[name], BY_DOCUMENT[name]
        for i in range(0, len(documents), LOOKUP):
            which = f"{column} IN ({', '.join(quoted(d) for d in documents[i : i + LOOKUP])})"
            with self._writing():
                if table.count_rows(which):
                    table.delete(which)
                    self.changed.add(name)

    def replace(self, name: str, rows: Sequence[Row] | pa.Table) -> None:
        """Write the whole of a small table anew, unless it holds just these rows already.

        Raises:
            StoreError: it cannot be written.
        """
        import lance

        table = rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(list(rows), schema=self.schemas[name])
        if self._open[name].to_table().equals(table):
            return
        with self._writing():
            self._open[name] = lance.write_dataset(table, self.uri(name), mode="overwrite")
        self.changed.add(name)

    def settle(self) -> None:
        """Merge small files of the changed tables and build the indexes that recall looks rows up by.

        Raises:
            StoreError: they cannot be written.
        """
        with self._writing():
            for name in sorted(self.changed):
                table = self._open[name]
                if len(table.get_fragments()) > FRAGMENTS:
                    table.optimize.compact_files()
                for column in LOOKUPS.get(name, ()):
                    table.create_scalar_index(column, "BTREE")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except LANCE_ERRORS as e:
            raise StoreError(f"{self._store}: the store cannot be written: {brief(e)}") from e
