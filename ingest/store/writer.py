"""Writing a store: appends by document, checkpoints to resume from, one publication at the end."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa

from h3cold.ingest.store.checksums import Checksums
from h3cold.ingest.store.files import write_json
from h3cold.ingest.store.lock import WriteLock
from h3cold.ingest.store.manifest import CURRENT, publish_manifest, read_manifest
from h3cold.ingest.store.reader import LOOKUP, ColdStore, quoted
from h3cold.ingest.store.retention import clean_up
from h3cold.ingest.store.rows import DocumentRows, Row
from h3cold.ingest.store.tables import BY_DOCUMENT, schemas
from h3cold.schemas.errors import CorruptionError, DocumentError, StoreError
from h3cold.schemas.manifest import STORE_VERSION, Manifest

FLUSH_BYTES = 64 << 20
"""Rows held in memory before they are appended."""

FRAGMENTS = 24
"""Appends a table takes before they are merged into one file."""

LOOKUPS = {"blocks": ("id", "document"), "images": ("block",), "mentions": ("block",), "pages": ("document",)}
"""Columns by which recall fetches rows."""


class StoreWriter:
    """The one writer of a store; use `open_writer`. Readers see nothing of it before `publish`.

    `base` is the published manifest it starts from (None for a new store), `resumed` whether it goes on from a
    former writer's checkpoint, `fresh` whether the tables were started empty.
    """

    def __init__(self, store: Path, lock: WriteLock, base: Manifest | None, dimensions: tuple[int, int]) -> None:
        self.path = store
        self.base = base
        self.resumed = False
        self.fresh = False
        self.notes: dict[str, Any] = {}
        self.changed: set[str] = set()
        self._lock = lock
        self._schemas = schemas(text_dimension=dimensions[0], image_dimension=dimensions[1])
        self._dimensions = dimensions
        self._tables: dict[str, Any] = {}
        self._sums = Checksums(store)
        self._buffer: dict[str, list[pa.Table]] = {name: [] for name in self._schemas}
        self._buffered = 0
        self._gone: set[str] = set()

    # -- starting -------------------------------------------------------------------------------------------------

    def _start(self, *, fresh: bool) -> None:
        state = None if fresh else self._checkpoint()
        if state is not None:
            self.resumed, self.fresh = True, bool(state["fresh"])
            self.notes, self.changed = state["notes"], set(state["changed"])
            versions = state["tables"]
        elif self.base is not None and not fresh and self._same_schemas(self.base.tables):
            versions = self.base.tables
        else:
            self.fresh, versions = True, {}
        for name in self._schemas:
            self._tables[name] = self._at(name, versions[name]) if name in versions else self._empty(name)
        if self.fresh and not self.resumed:
            self.changed = set(self._schemas)
            self._save_checkpoint()

    def _checkpoint(self) -> dict[str, Any] | None:
        """The last checkpoint, where it continues from the published snapshot in tables of the same shape."""
        try:
            state = json.loads((self.path / "meta" / "checkpoint.json").read_text(encoding="utf-8"))
            base = 0 if self.base is None else self.base.snapshot
            fits = state["base"] == base and state["dimensions"] == list(self._dimensions)
            return state if fits and self._same_schemas(state["tables"]) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _same_schemas(self, versions: Mapping[str, int]) -> bool:
        import lance

        try:
            return all(
                lance.dataset(self._uri(name), version=versions[name]).schema == schema
                for name, schema in self._schemas.items()
            )
        except (KeyError, ValueError, OSError):
            return False

    def _uri(self, name: str) -> Path:
        return self.path / "tables" / f"{name}.lance"

    def _at(self, name: str, version: int) -> Any:
        """The table as it was at `version`: whatever a crashed writer left behind it is set aside."""
        import lance

        try:
            table = lance.dataset(self._uri(name))
            if table.version != version:
                table = lance.dataset(self._uri(name), version=version)
                table.restore()
            return table
        except (OSError, ValueError) as e:
            reason = " ".join(str(e).split())[:200]
            raise CorruptionError(f"{self._uri(name)}: does not open ({reason}); index again with --rebuild") from e

    def _empty(self, name: str) -> Any:
        import lance

        schema, uri = self._schemas[name], self._uri(name)
        try:
            mode = "overwrite" if (uri / "_versions").exists() else "create"
            return lance.write_dataset(schema.empty_table(), uri, schema=schema, mode=mode)
        except (OSError, ValueError) as e:
            raise StoreError(f"{self._uri(name)}: cannot write: {' '.join(str(e).split())[:200]}") from e

    # -- rows -----------------------------------------------------------------------------------------------------

    def table(self, name: str) -> Any:
        """The table's working state, without rows that are still buffered."""
        return self._tables[name]

    def stages(self) -> dict[str, dict[str, str]]:
        """Documents in the working state: id -> stage -> digest of the settings its rows were made with."""
        rows = self._tables["documents"].to_table(columns=["id", "stages"]).to_pylist()
        return {row["id"]: json.loads(row["stages"]) for row in rows if row["id"] not in self._gone}

    def add(self, rows: DocumentRows) -> None:
        """Put a document in, in place of what the store has of it.

        Raises:
            DocumentError: its rows cannot be stored.
            StoreError: they cannot be written.
        """
        try:
            tables = {
                name: pa.Table.from_pylist(found, schema=self._schemas[name]) for name, found in rows.tables().items()
            }
        except (pa.ArrowException, UnicodeError, ValueError, OverflowError) as e:
            raise DocumentError(rows.id, f"cannot be stored: {' '.join(str(e).split())[:200]}") from e
        self._gone.add(rows.id)
        for name, table in tables.items():
            self._buffer[name].append(table)
            self._buffered += table.nbytes
        if self._buffered > FLUSH_BYTES:
            self.flush()

    def remove(self, documents: Iterable[str]) -> None:
        """Take documents out, with everything that belongs to them."""
        gone = set(documents)
        if gone & {row for t in self._buffer["documents"] for row in t["id"].to_pylist()}:
            self.flush()
        self._gone |= gone

    def flush(self) -> None:
        """Write what is buffered and a checkpoint, so that a crash from here on costs nothing done before.

        Raises:
            StoreError: it cannot be written.
        """
        try:
            self._delete()
            for name, parts in self._buffer.items():
                if sum(part.num_rows for part in parts):
                    self._append(name, pa.concat_tables(parts))
                parts.clear()
        except (OSError, ValueError) as e:
            raise StoreError(f"{self.path}: cannot write: {' '.join(str(e).split())[:200]}") from e
        self._buffered = 0
        self._save_checkpoint()

    def _delete(self) -> None:
        gone = sorted(self._gone)
        for name, column in BY_DOCUMENT.items():
            for i in range(0, len(gone), LOOKUP):
                listed = ", ".join(quoted(d) for d in gone[i : i + LOOKUP])
                table = self._tables[name]
                if table.count_rows(f"{column} IN ({listed})"):
                    table.delete(f"{column} IN ({listed})")
                    self.changed.add(name)
        self._gone.clear()

    def _append(self, name: str, rows: pa.Table) -> None:
        import lance

        self._tables[name] = lance.write_dataset(rows, self._tables[name], mode="append")
        self.changed.add(name)

    def replace(self, name: str, rows: Sequence[Row]) -> None:
        """Write the whole of a small table anew, unless it holds just these rows already.

        Raises:
            StoreError: it cannot be written.
        """
        import lance

        table = pa.Table.from_pylist(list(rows), schema=self._schemas[name])
        if self._tables[name].to_table().equals(table):
            return
        try:
            self._tables[name] = lance.write_dataset(table, self._uri(name), mode="overwrite")
        except (OSError, ValueError) as e:
            raise StoreError(f"{self.path}: cannot write: {' '.join(str(e).split())[:200]}") from e
        self.changed.add(name)

    def set_sources(self, sources: Mapping[str, Sequence[str]]) -> None:
        """Tell the documents table under which files each document stands; puts it in order of id.

        Raises:
            StoreError: it cannot be written.
        """
        rows = self._tables["documents"].to_table().to_pylist()
        for row in rows:
            own = sorted(sources.get(row["id"], ()))
            row["source"], row["sources"] = own[0] if own else "", own
        self.replace("documents", sorted(rows, key=lambda row: str(row["id"])))

    def _save_checkpoint(self) -> None:
        self._sums.sync_new()
        state = {
            "base": 0 if self.base is None else self.base.snapshot,
            "dimensions": list(self._dimensions),
            "fresh": self.fresh,
            "changed": sorted(self.changed),
            "notes": self.notes,
            "tables": {name: table.version for name, table in self._tables.items()},
        }
        write_json(self.path / "meta" / "checkpoint.json", state)

    # -- publication ----------------------------------------------------------------------------------------------

    def number(self) -> int:
        """Number of the snapshot that `publish` will make."""
        return 1 if self.base is None else self.base.snapshot + 1

    def index_tables(self) -> None:
        """Merge small files of the changed tables and build the indexes that recall looks rows up by.

        Raises:
            StoreError: they cannot be written.
        """
        try:
            for name in sorted(self.changed):
                table = self._tables[name]
                if len(table.get_fragments()) > FRAGMENTS:
                    table.optimize.compact_files()
                for column in LOOKUPS.get(name, ()):
                    table.create_scalar_index(column, "BTREE")
            if "blocks" in self.changed:
                self._tables["blocks"].create_scalar_index(
                    "tokens_text", "INVERTED", base_tokenizer="whitespace", stem=False, remove_stop_words=False,
                    lower_case=False, ascii_folding=False, max_token_length=None, with_position=False,
                )  # fmt: skip
        except (OSError, ValueError) as e:
            raise StoreError(f"{self.path}: cannot build indexes: {' '.join(str(e).split())[:200]}") from e

    def publish(
        self, *, root: str, config: str, models: Mapping[str, str], index: Mapping[str, str], keep_days: float
    ) -> Manifest:
        """Make the working state the current snapshot, then clean up what no kept snapshot needs.

        Raises:
            StoreError: it cannot be written; the former snapshot stays current.
        """
        self._sums.sync_new()
        self._sums.save()
        manifest = Manifest(
            schema_version=STORE_VERSION,
            snapshot=self.number(),
            created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            root=root,
            config=config,
            tables={name: table.version for name, table in self._tables.items()},
            index=dict(index),
            models=dict(models),
            counts={name: table.count_rows() for name, table in self._tables.items()},
        )
        publish_manifest(self.path, manifest)
        (self.path / "meta" / "checkpoint.json").unlink(missing_ok=True)
        self.base, self.changed = manifest, set()
        clean_up(self.path, self._tables, keep_days=keep_days)
        return manifest

    def close(self) -> None:
        """Let the next writer in; what is not published waits in the checkpoint."""
        self._lock.close()

    def __enter__(self) -> StoreWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_writer(path: str | Path, *, text_dimension: int, image_dimension: int = 0, fresh: bool = False) -> StoreWriter:
    """Become the store's writer, going on from the last checkpoint or else the published snapshot.

    `fresh`, or vectors of other dimensions than the store's, start with empty tables instead; the published
    snapshot stays readable in any case.

    Raises:
        StoreBusyError: another process is writing.
        StoreVersionError: the store is of another schema version.
        StoreError: the store cannot be written.
    """
    store = Path(path)
    lock = WriteLock(store)
    try:
        base = read_manifest(store) if (store / CURRENT).exists() else None
        writer = StoreWriter(store, lock, base, (text_dimension, image_dimension))
        writer._start(fresh=fresh)
    except BaseException:
        lock.close()
        raise
    return writer


def published(path: Path) -> ColdStore | None:
    """The current snapshot, None where nothing was published yet.

    Raises:
        StoreError: there is one, but it cannot be read.
    """
    return ColdStore.open(path) if (path / CURRENT).exists() else None
