"""Writing a store: appends by document, checkpoints to resume from, one publication at the end."""

from __future__ import annotations

import copy
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from h3cold.ingest.store.checksums import Checksums
from h3cold.ingest.store.datasets import Datasets
from h3cold.ingest.store.files import write_json
from h3cold.ingest.store.lock import WriteLock
from h3cold.ingest.store.manifest import moment, publish_manifest, published, records
from h3cold.ingest.store.portions import portions
from h3cold.ingest.store.retention import clean_up
from h3cold.ingest.store.rows import DocumentRows, Row
from h3cold.ingest.store.tables import BY_DOCUMENT, schemas
from h3cold.schemas.errors import DocumentError
from h3cold.schemas.manifest import STORE_VERSION, Manifest

FLUSH_BYTES = 64 << 20
"""Rows held in memory before they are appended."""

VECTORS = {"blocks": "blocks", "images": "images"}
"""Tables that have vectors, with the stage that writes the table."""

ADDED = ("tokens",)
"""Tables that stores of this version may lack: they were made before it was there, and go on with an empty one."""


class StoreWriter:
    """The one writer of a store; use `open_writer`. Readers see nothing of it before `publish`.

    `base` is the published manifest it starts from (None for a new store), `resumed` whether it goes on from a
    former writer's checkpoint, `fresh` whether the tables were started empty. `redone` are the documents that were put
    in or taken out since `base`; where `fresh` that says nothing. `notes` (plain JSON) are kept with the checkpoint for
    whoever resumes.
    """

    def __init__(self, store: Path, lock: WriteLock, base: Manifest | None, dimensions: tuple[int, int]) -> None:
        self.path = store
        self.base = base
        self.resumed = False
        self.fresh = False
        self.redone: set[str] = set()
        self.notes: dict[str, Any] = {}
        self._noted: dict[str, Any] = {}
        self._lock = lock
        self._dimensions = dimensions
        self._tables = Datasets(store, schemas(text_dimension=dimensions[0], image_dimension=dimensions[1]))
        self._sums = Checksums(store)
        self._sums.forget_lost()
        self._buffer: dict[str, list[pa.Table]] = {name: [] for name in self._tables.schemas}
        self._buffered = 0
        self._gone: dict[str, set[str]] = {name: set() for name in BY_DOCUMENT}

    def _start(self, *, fresh: bool) -> None:
        state = None if fresh else self._checkpoint()
        if state is not None:
            self.resumed, self.fresh, self.notes = True, bool(state["fresh"]), state["notes"]
            self._noted, self.redone = copy.deepcopy(self.notes), set(state["redone"])
            self._tables.go_to(state["tables"])
            self._tables.changed = set(state["changed"])
        elif self.base is not None and not fresh and self._keep(self.base.tables):
            return
        else:
            self.fresh = True
            self._tables.start_empty(self._tables.schemas)
            self._save_checkpoint()

    def _keep(self, versions: Mapping[str, int]) -> bool:
        """Go on from the published tables; from all but those whose vectors are of another length now."""
        new = [name for name in self._tables.schemas if name not in versions and name in ADDED]
        misfits = {name: what for name, what in self._tables.misfits(versions).items() if name not in new}
        if not set(misfits) <= set(VECTORS) or "lost" in misfits.values():
            return False
        self._tables.go_to({name: version for name, version in versions.items() if name not in misfits})
        self._tables.start_empty(new)
        self._tables.changed -= set(new)
        if misfits:
            self._tables.start_empty(misfits)
            undone = {VECTORS[name] for name in misfits}
            rows = self._tables["documents"].to_table().to_pylist()
            for row in rows:
                stages = {k: v for k, v in json.loads(row["stages"]).items() if k not in undone}
                row["stages"] = json.dumps(stages, sort_keys=True)
            self.replace("documents", rows)
            self._save_checkpoint()
        return True

    def _checkpoint(self) -> dict[str, Any] | None:
        """The last checkpoint, where it continues from the published snapshot in tables of the same shape."""
        try:
            state = json.loads((self.path / "meta" / "checkpoint.json").read_text(encoding="utf-8"))
            base = 0 if self.base is None else self.base.snapshot
            fits = state["base"] == base and state["dimensions"] == list(self._dimensions)
            return state if fits and "redone" in state and not self._tables.misfits(state["tables"]) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    @property
    def changed(self) -> bool:
        """Whether anything was written since the published snapshot."""
        return bool(self._tables.changed)

    def wrote(self, name: str) -> bool:
        """Whether the table `name` was written since the published snapshot."""
        return name in self._tables.changed

    def table(self, name: str) -> Any:
        """The table's working state, without rows that are still buffered."""
        return self._tables[name]

    def stages(self) -> dict[str, dict[str, str]]:
        """Documents in the working state: id -> stage -> digest of the settings its rows were made with."""
        rows = self._tables["documents"].to_table(columns=["id", "stages"]).to_pylist()
        return {row["id"]: json.loads(row["stages"]) for row in rows if row["id"] not in self._gone["documents"]}

    def add(self, rows: DocumentRows, *, only: Collection[str] = tuple(BY_DOCUMENT)) -> None:
        """Put a document in, in place of what the store has of it; `only` these tables, the others stay.

        Raises:
            DocumentError: its rows cannot be stored.
            StoreError: they cannot be written.
        """
        try:
            tables = {
                name: pa.Table.from_pylist(found, schema=self._tables.schemas[name])
                for name, found in rows.tables().items()
                if name in only
            }
        except (pa.ArrowException, UnicodeError, ValueError, OverflowError) as e:
            raise DocumentError(rows.id, f"cannot be stored: {' '.join(str(e).split())[:200]}") from e
        self.redone.add(rows.id)
        for name, table in tables.items():
            self._gone[name].add(rows.id)
            self._buffer[name].append(table)
            self._buffered += table.nbytes
        if self._buffered > FLUSH_BYTES:
            self.flush()

    def remove(self, documents: Iterable[str]) -> None:
        """Take documents out, with everything that belongs to them.

        Raises:
            StoreError: it cannot be written.
        """
        gone = set(documents)
        self.redone |= gone
        if gone & {row for t in self._buffer["documents"] for row in t["id"].to_pylist()}:
            self.flush()
        for marked in self._gone.values():
            marked |= gone

    def take_over(self, other: StoreWriter, documents: Collection[str]) -> dict[str, int]:
        """Copy documents from another store's writer, in place of what this one has of them; gives rows by table.

        Raises:
            StoreError: it cannot be written.
        """
        rows = dict.fromkeys(BY_DOCUMENT, 0)
        if not documents:
            return rows
        self.flush()
        self.redone |= set(documents)
        wanted = pa.array(sorted(documents), pa.string())
        for name, column in BY_DOCUMENT.items():
            self._tables.delete(name, wanted.to_pylist())
            for part in portions(other.table(name), column, wanted, size=FLUSH_BYTES):
                self._tables.append(name, part)
                rows[name] += part.num_rows
        self._save_checkpoint()  # not before all tables have them: a document is there whole or not at all
        return rows

    def flush(self) -> None:
        """Write what is buffered and a checkpoint, so that a crash from here on costs nothing done before.

        Raises:
            StoreError: it cannot be written.
        """
        if not (self._buffered or any(self._gone.values()) or self.notes != self._noted):
            return
        for name, gone in self._gone.items():
            self._tables.delete(name, sorted(gone))
            gone.clear()
        for name, parts in self._buffer.items():
            if sum(part.num_rows for part in parts):
                self._tables.append(name, pa.concat_tables(parts))
            parts.clear()
        self._buffered = 0
        self._save_checkpoint()

    def replace(self, name: str, rows: Sequence[Row] | pa.Table) -> None:
        """Write the whole of a small table anew, unless it holds just these rows already.

        Raises:
            StoreError: it cannot be written.
        """
        self._tables.replace(name, rows)

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
            "changed": sorted(self._tables.changed),
            "notes": self.notes,
            "redone": [] if self.fresh else sorted(self.redone),
            "tables": self._tables.versions(),
        }
        write_json(self.path / "meta" / "checkpoint.json", state)
        self._noted = copy.deepcopy(self.notes)

    def number(self) -> int:
        """Number of the snapshot that `publish` will make."""
        if self.base is not None:
            return self.base.snapshot + 1
        known = records(self.path)  # of a store whose manifest is lost or damaged
        return int(known[-1][0].stem) + 1 if known else 1

    def index_tables(self) -> None:
        """Merge small files of the changed tables and build the indexes that recall looks rows up by.

        Raises:
            StoreError: they cannot be written.
        """
        self._tables.settle()

    def index_again(self, names: Iterable[str]) -> None:
        """Build the indexes of these tables anew, whatever became of those they have.

        Raises:
            StoreError: they cannot be written.
        """
        self._tables.changed |= set(names)
        self._tables.settle()

    def publish(
        self, *, root: str, config: str, models: Mapping[str, str], index: Mapping[str, str], keep_days: float,
        keep_snapshots: int = 0,
    ) -> Manifest:  # fmt: skip
        """Make the working state the current snapshot, then clean up what no kept snapshot needs.

        Raises:
            StoreError: it cannot be written; the former snapshot stays current.
        """
        self._sums.sync_new()
        self._sums.save()
        manifest = Manifest(
            schema_version=STORE_VERSION,
            snapshot=self.number(),
            created=moment(self.base),
            root=root,
            config=config,
            tables=self._tables.versions(),
            index=dict(index),
            models=dict(models),
            counts={name: table.count_rows() for name, table in self._tables.items()},
        )
        publish_manifest(self.path, manifest)
        (self.path / "meta" / "checkpoint.json").unlink(missing_ok=True)
        self.base, self._tables.changed, self.notes, self._noted = manifest, set(), {}, {}
        self.fresh, self.redone = False, set()
        clean_up(self.path, dict(self._tables.items()), keep_days=keep_days, keep_snapshots=keep_snapshots)
        return manifest

    def close(self) -> None:
        """Let the next writer in; what is not published waits in the checkpoint."""
        self._lock.close()

    def __enter__(self) -> StoreWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_writer(
    path: str | Path, *, text_dimension: int, image_dimension: int = 0, fresh: bool = False, wait: float = 0.0
) -> StoreWriter:
    """Become the store's writer, going on from the last checkpoint or else the published snapshot.

    `fresh` starts with empty tables instead, also where the store's manifest is damaged, or of another version; tables
    whose vectors have another length are emptied. The published snapshot stays readable in any case. Another writer
    is waited for, up to `wait` seconds.

    Raises:
        StoreBusyError: another process is writing.
        StoreVersionError: the store is of another schema version.
        StoreError: the store cannot be written.
    """
    store = Path(path)
    lock = WriteLock(store, wait=wait)
    try:
        base = published(store, damaged=fresh)
        writer = StoreWriter(store, lock, base, (text_dimension, image_dimension))
        writer._start(fresh=fresh)
        writer._sums.forget_lost()
    except BaseException:
        lock.close()
        raise
    return writer
