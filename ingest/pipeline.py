"""A build: the folder is scanned, what changed is parsed by workers, embedded here, and published as one snapshot."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

from h3cold.ingest.batches import drop_batches, noted_failures, take_batches
from h3cold.ingest.embedding import AHEAD, Embedded, Embedding
from h3cold.ingest.jobs import Done, Failed, run_documents
from h3cold.ingest.ledger import Ledger
from h3cold.ingest.live import Live
from h3cold.ingest.lost_pages import limits_of, outlook, to_read_again, worth_reading
from h3cold.ingest.plan import (
    Attempt,
    Past,
    Plan,
    by_document,
    check_folder,
    count_documents,
    keep_unreadable,
    make_plan,
    past_failures,
    read_past,
    removed_files,
)
from h3cold.ingest.progress import READING, Progress, Silent
from h3cold.ingest.publication import Outcome, aliases_of, failed_rows, publish
from h3cold.ingest.scan import SourceFile, scan
from h3cold.ingest.stages import attempt_digest, stage_digests
from h3cold.ingest.store.lance_errors import LANCE_ERRORS
from h3cold.ingest.store.manifest import CURRENT
from h3cold.ingest.store.reader import ColdStore
from h3cold.ingest.store.rows import DocumentRows
from h3cold.ingest.store.writer import StoreWriter, open_writer
from h3cold.schemas.config import Config
from h3cold.schemas.errors import DocumentError, StoreError
from h3cold.schemas.summary import IndexSummary

FLUSH_SECONDS = 20.0
"""Work that a crash may cost at most, about."""


def build(
    path: str | Path,
    store: str | Path,
    config: Config | None = None,
    *,
    rebuild: bool = False,
    wait: float = 0.0,
    progress: Progress | None = None,
) -> IndexSummary:
    """Bring `store` up to date with the PDF files in the folder `path`.

    Only new and changed files are opened; what a former, interrupted build finished is not done again. `rebuild`
    starts from nothing. Readers see the new snapshot when all of it is there, and the old one until then. Where
    another process is building into this store, it is waited for, up to `wait` seconds.

    Raises:
        UsageError: the folder is missing, has no PDF files, or is not the one the store was made from.
        StoreBusyError: another process is building into this store.
        StoreError: the store cannot be read or written.
        ModelError: a model that the configuration names does not load.
        ConfigError: the alias file that it names cannot be read, or a line of it is no alias.
        KeyboardInterrupt: as ever; documents that were finished are kept for the next build.
    """
    config = config or Config()
    aliases_of(config)  # what is wrong with it is said before the work, not after
    show = Live(progress or Silent())
    root, where = Path(os.path.abspath(path)), Path(store)  # noqa: PTH100  (not resolved: a link may be meant)
    while True:
        summary = _build(root, where, config, rebuild=rebuild, wait=wait, show=show)
        if summary is not None:
            return summary


def _build(root: Path, where: Path, config: Config, *, rebuild: bool, wait: float, show: Live) -> IndexSummary | None:
    """One build; None where another one published after this one had looked at the store: it must look again."""
    started = time.monotonic()
    reader = _published(where, rebuild=rebuild)
    past = _past(reader, rebuild=rebuild)
    show.stage("looking at the folder")
    files = keep_unreadable(scan(root, past.known()), past)
    if not rebuild:
        check_folder(root, files, past, store=where)
    embedding = Embedding(config, None if rebuild else reader, show)
    text, image = embedding.dimensions
    with (
        embedding,
        open_writer(where, text_dimension=text, image_dimension=image, fresh=rebuild, wait=wait) as writer,
    ):
        if writer.base is not None and not rebuild and (reader is None or reader.manifest != writer.base):
            return None
        with show.written(where):
            run = Run(writer, config, embedding, show)
            want = wanted(files, config)
            taken = take_batches(writer, (text, image), {} if rebuild else want, attempt_digest(config))
            run.pages, run.blocks = taken.pages, taken.blocks
            failed = ({} if rebuild else past_failures(past)) | noted_failures(writer)
            lost = to_read_again(failed_rows(writer), limits_of(config))
            plan = make_plan(files, past, writer.stages(), want, failed, attempt_digest(config), lost=lost)
            run.documents(plan, root)
            outcome = publish(writer, root, plan, run.failed, config, embedding, show)
            show.lacks(outcome.failures)
            drop_batches(taken.folders)
    return _summary(outcome, past, plan, run, time.monotonic() - started)


def _published(store: Path, *, rebuild: bool) -> ColdStore | None:
    """The store as it was left; to be built anew, it may be damaged, or of another version."""
    try:
        return ColdStore.open(store) if (store / CURRENT).exists() else None
    except StoreError:
        if not rebuild:
            raise
        return None


def _past(reader: ColdStore | None, *, rebuild: bool) -> Past:
    """What is on record; a store so damaged that its record does not read can still be built anew."""
    try:
        return read_past(reader)
    except (StoreError, *LANCE_ERRORS):
        if not rebuild:
            raise
        return read_past(None)


def wanted(files: Iterable[SourceFile], config: Config) -> dict[str, dict[str, str]]:
    """Digest by stage that each document of the files should have."""
    stages = stage_digests(config, "")
    return {d: {**stages, "name": own[0].source} for d, own in by_document(files).items()}


class Run:
    """One build's work on documents: what was done, what failed."""

    def __init__(self, writer: StoreWriter, config: Config, embedding: Embedding, show: Progress) -> None:
        self.pages = self.blocks = 0
        self.failed: dict[str, Attempt] = {}
        self._writer = writer
        self._config = config
        self._embedding = embedding
        stages = stage_digests(config, "")
        embedding.ledger = self._ledger = Ledger(writer.path, parse=stages["parse"], embed=stages["embed"])
        self._stored: list[str] = []
        self._show = show
        self._attempt = attempt_digest(config)
        self._flushed = time.monotonic()

    def documents(self, plan: Plan, root: Path) -> None:
        """Do the plan's tasks, to rows in the writer's tables; what fails is noted and the rest goes on."""
        self.failed = dict(plan.failed)
        self._writer.remove(plan.gone)
        self._ledger.forget_all_but(plan.tasks.keys())
        if not plan.tasks:
            return
        sizes = {d: plan.documents[d][0].size for d in plan.tasks}
        self._show.stage(READING)
        self._show.begin(len(sizes), sum(sizes.values()))
        try:
            for event in run_documents(plan, root, self._writer, self._ledger, self._config, self._show):
                if isinstance(event, Done):
                    name = plan.documents[event.drafted.document][0].source
                    self._embedding.submit(event.drafted, event.only, name)
                else:
                    self._fail(event, plan)
                self._store(plan, leave=AHEAD)
            self._store(plan, leave=0)
        finally:  # also when interrupted: what is finished is not done again
            self._store(plan, leave=len(plan.tasks))
            self._flush()

    def _store(self, plan: Plan, *, leave: int) -> None:
        for embedded in self._embedding.ready(leave=leave):
            drafted = embedded.drafted
            files = plan.documents[drafted.document]
            try:
                self._writer.add(self._rows(embedded, files[0].source), only=embedded.only)
            except DocumentError as e:
                self._fail(Failed(drafted.document, e.reason, e.page), plan)
                continue
            self.pages += len(drafted.pages)
            self.blocks += len(drafted.blocks)
            if not worth_reading(drafted.pages):  # else the ledger keeps the others for the next build
                self._stored.append(drafted.document)
            self._show.finished(files[0].source, files[0].size)
        if time.monotonic() - self._flushed > FLUSH_SECONDS:
            self._flush()

    def _flush(self) -> None:
        self._writer.flush()
        self._ledger.forget(self._stored)
        self._stored.clear()
        self._flushed = time.monotonic()

    def _rows(self, embedded: Embedded, name: str) -> DocumentRows:
        drafted, pictures = embedded.drafted, embedded.pictures
        images = drafted.images
        if pictures is not None:
            images = tuple({**row, "vector": vector} for row, vector in zip(images, pictures, strict=True))
        return DocumentRows(
            id=drafted.document,
            info=drafted.info,
            stages=stage_digests(self._config, name),
            pages=drafted.pages,
            blocks=drafted.blocks,
            indexed=drafted.indexed,
            tokens_text=drafted.tokens_text,
            vectors=embedded.texts,
            page_count=drafted.page_count,
            meta=drafted.meta,
            images=images,
            runs=embedded.runs,
            mentions=drafted.mentions,
            relations=drafted.relations,
        )

    def _fail(self, event: Failed, plan: Plan) -> None:
        attempt = Attempt(event.reason, event.page, self._attempt if event.lasting else "")
        if event.limit:
            reads = plan.reads.get(event.document, 0) + 1
            attempt = Attempt(f"{event.reason} ({outlook(reads)})", event.page, f"{self._attempt}~{reads}")
        self.failed[event.document] = attempt
        self._stored.append(event.document)
        self._writer.remove([event.document])  # rows made with other settings
        self._writer.notes.setdefault("failed", {})[event.document] = list(attempt)
        for file in plan.documents[event.document]:
            self._show.failed(file.source, event.page, attempt.reason)
        self._show.finished(plan.documents[event.document][0].source, plan.documents[event.document][0].size)


def _summary(outcome: Outcome, past: Past, plan: Plan, run: Run, seconds: float) -> IndexSummary:
    return IndexSummary(
        snapshot=outcome.snapshot,
        documents=count_documents(past, plan, run.failed),
        pages=run.pages,
        blocks=run.blocks,
        seconds=round(seconds, 3),
        failures=outcome.failures,
        removed=removed_files(past, plan, run.failed),
        reasons=outcome.reasons,
    )
