"""The steps of a scheduled build that come before it publishes: detect what changed, index it batch by batch."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from h3cold.ingest.batches import (
    batch_folder,
    batches_at_hand,
    cut,
    noted_failures,
    read_batch,
    work_left,
    write_batches,
)
from h3cold.ingest.embedding import Embedding
from h3cold.ingest.live import Live
from h3cold.ingest.pipeline import Run, wanted
from h3cold.ingest.plan import (
    by_document,
    check_folder,
    count_documents,
    keep_unreadable,
    make_plan,
    past_failures,
    read_past,
)
from h3cold.ingest.progress import Progress, Silent
from h3cold.ingest.scan import scan
from h3cold.ingest.stages import attempt_digest
from h3cold.ingest.store.manifest import CURRENT
from h3cold.ingest.store.reader import ColdStore
from h3cold.ingest.store.writer import open_writer
from h3cold.schemas.config import Config
from h3cold.schemas.summary import DocumentCounts, Failure

BATCH_DOCUMENTS = 200
BATCH_BYTES = 256 << 20
"""How much is indexed in one batch."""


@dataclass(frozen=True, slots=True)
class Detected:
    """What a build would do: how the folder compares with the store, and the batches that are to be indexed first."""

    documents: DocumentCounts
    batches: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Indexed:
    """What this run of a batch did: `done` documents of it, `pages`, `blocks`, and all that failed in the batch."""

    batch: str
    done: int
    pages: int
    blocks: int
    failures: tuple[Failure, ...]


def detect(
    path: str | Path,
    store: str | Path,
    config: Config | None = None,
    *,
    documents: int = BATCH_DOCUMENTS,
    size: int = BATCH_BYTES,
) -> Detected:
    """Compare the folder `path` with the store and cut what is to be read into batches, nothing of it begun.

    A batch holds at most so many `documents` and bytes (`size`). Documents that former batches have done are left out.

    Raises:
        UsageError, StoreError, ModelError: as for `pipeline.build`.
    """
    config = config or Config()
    root, where = Path(os.path.abspath(path)), Path(store)  # noqa: PTH100  (not resolved: a link may be meant)
    reader = ColdStore.open(where) if (where / CURRENT).exists() else None
    past = read_past(reader)
    files = keep_unreadable(scan(root, past.known()), past)
    check_folder(root, files, past, store=where)
    rows = [] if reader is None else reader.documents().values()
    have = {row["id"]: json.loads(row["stages"]) for row in rows}
    want = wanted(files, config)
    failed, attempt = past_failures(past), attempt_digest(config)
    with Embedding(config, reader, Silent()) as embedding:
        dimensions = embedding.dimensions
    for batch in batches_at_hand(where, dimensions):
        have |= {d: s for d, s in batch.stages().items() if d in want}
        failed |= noted_failures(batch)
    plan = make_plan(files, past, have, want, failed, attempt)
    names = write_batches(where, root, cut(plan, documents=documents, size=size))
    return Detected(count_documents(past, plan, plan.failed), tuple(names))


def index_batch(
    name: str, store: str | Path, config: Config | None = None, *, progress: Progress | None = None
) -> Indexed:
    """Index a batch that `detect` named, to rows that the next build takes over; nothing is published.

    Run again, it does only what was not done, and nothing where the batch has been published meanwhile.

    Raises:
        UsageError: there is no such batch.
        StoreBusyError: another process is at this batch.
        StoreError, ModelError: as for `pipeline.build`.
    """
    config = config or Config()
    where = Path(store)
    batch = read_batch(where, name)
    show = Live(progress or Silent())
    past = ColdStore.open(where) if (where / CURRENT).exists() else None
    embedding = Embedding(config, past, show)
    text, image = embedding.dimensions
    folder = batch_folder(where, name)
    with embedding, open_writer(folder, text_dimension=text, image_dimension=image) as writer, show.written(folder):
        run = Run(writer, config, embedding, show)
        plan = work_left(batch, writer, wanted(batch.files, config), attempt_digest(config))
        run.documents(plan, Path(batch.root))
        failed = run.failed
    files = by_document(batch.files)
    failures = tuple(Failure(f.source, a.page, a.reason) for d, a in sorted(failed.items()) for f in files[d])
    return Indexed(name, len(plan.tasks) - len(set(plan.tasks) & set(failed)), run.pages, run.blocks, failures)
