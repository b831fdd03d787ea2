"""A build in steps, for schedulers: what changed is cut into batches, each is indexed by itself, then all is published.

A batch is a store of its own below the store's `meta/batches/`, never published: it has its own lock and checkpoint,
so that batches run side by side, in other processes, and one that is run again does only what was not done. A build
(`pipeline.build`) takes finished batches over, row by row, and does by itself what none of them has done.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from blake3 import blake3

from h3cold.ingest.plan import Attempt, Past, Plan, make_plan, outdated
from h3cold.ingest.scan import SourceFile
from h3cold.ingest.store.files import write_json
from h3cold.ingest.store.writer import StoreWriter, open_writer
from h3cold.schemas.errors import StoreBusyError, UsageError

FOLDER = Path("meta") / "batches"
DEFINITION = "batch.json"


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents that are indexed together: the files they stand in, below `root`."""

    name: str
    root: str
    files: tuple[SourceFile, ...]


class Taken(NamedTuple):
    """What a build took over: folders of the batches, rows of pages and of blocks."""

    folders: tuple[Path, ...]
    pages: int
    blocks: int


def cut(plan: Plan, *, documents: int, size: int) -> list[tuple[SourceFile, ...]]:
    """The files of a plan's documents that are to be read, in portions of at most so many documents and bytes.

    A document larger than `size` is a portion by itself.
    """
    out: list[tuple[SourceFile, ...]] = []
    files: list[SourceFile] = []
    count = held = 0
    for document, task in plan.tasks.items():
        if task != "index":
            continue
        own = plan.documents[document]
        if count and (count >= documents or held + own[0].size > size):
            out.append(tuple(files))
            files, count, held = [], 0, 0
        files.extend(own)
        count, held = count + 1, held + own[0].size
    return [*out, tuple(files)] if files else out


def batch_folder(store: Path, name: str) -> Path:
    """Where a batch is kept."""
    return store / FOLDER / name


def write_batches(store: Path, root: Path, portions: Sequence[Sequence[SourceFile]]) -> list[str]:
    """Define batches; gives their names, which follow from what they hold: the same work has the same name again.

    Definitions of former batches that nobody began are removed.

    Raises:
        StoreError: the store cannot be written.
    """
    names = []
    for files in portions:
        rows = [[f.source, os.fsdecode(f.path), f.size, f.mtime_ns, f.document] for f in files]
        name = blake3(json.dumps([str(root), rows]).encode()).hexdigest(8)
        write_json(batch_folder(store, name) / DEFINITION, {"root": str(root), "files": rows})
        names.append(name)
    for folder in (store / FOLDER).glob("*"):
        if folder.name not in names and not (folder / "meta").exists():
            shutil.rmtree(folder, ignore_errors=True)
    return names


def read_batch(store: Path, name: str) -> Batch:
    """A batch by its name.

    Raises:
        UsageError: there is none, or its definition is damaged.
    """
    path = batch_folder(store, name) / DEFINITION
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        files = tuple(SourceFile(s, os.fsencode(p), size, t, d) for s, p, size, t, d in data["files"])
        return Batch(name, data["root"], files)
    except (OSError, ValueError, KeyError, TypeError):
        raise UsageError(
            f"{store}: no batch {name!r}; it may have been published already: detect changes anew"
        ) from None


def work_left(batch: Batch, writer: StoreWriter, want: Mapping[str, Mapping[str, str]], attempt: str) -> Plan:
    """The plan for what is left to do of a batch, whose own writer this is."""
    return make_plan(batch.files, Past("", {}), writer.stages(), want, noted_failures(writer), attempt)


def noted_failures(writer: StoreWriter) -> dict[str, Attempt]:
    """Documents that failed since the writer's last publication."""
    return {d: Attempt(*a) for d, a in writer.notes.get("failed", {}).items()}


def batches_at_hand(store: Path, dimensions: tuple[int, int]) -> Iterator[StoreWriter]:
    """Writers of the batches that were begun and that nobody is working on, one after the other.

    `dimensions` of text and picture vectors are those wanted: what a batch holds of another shape is given up.
    """
    for folder in sorted(p for p in (store / FOLDER).glob("*") if (p / "meta").is_dir()):
        try:
            writer = open_writer(folder, text_dimension=dimensions[0], image_dimension=dimensions[1])
        except StoreBusyError:
            continue
        with writer:
            yield writer


def take_batches(
    writer: StoreWriter, dimensions: tuple[int, int], want: Mapping[str, Mapping[str, str]], attempt: str
) -> Taken:
    """Move what batches have done into the store's writer, as far as it is still wanted and not there yet.

    Raises:
        StoreError: the store cannot be written.
    """
    pages = blocks = 0
    folders = []
    for batch in batches_at_hand(writer.path, dimensions):
        have, done = writer.stages(), batch.stages()
        new = {d for d, s in done.items() if d in want and have.get(d) != want[d] and not outdated(s, want[d])}
        rows = writer.take_over(batch, new)
        pages, blocks = pages + rows["pages"], blocks + rows["blocks"]
        failed = writer.notes.setdefault("failed", {})
        failed.update(
            {d: list(a) for d, a in noted_failures(batch).items() if d in want and a.config.startswith(attempt)}
        )
        folders.append(batch.path)
    return Taken(tuple(folders), pages, blocks)


def drop_batches(folders: Iterable[Path]) -> None:
    """Remove batches that were taken over, once that is published."""
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
