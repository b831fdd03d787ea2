"""The end of a build: what is known across documents, the indexes, the status, and the new manifest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from h3cold.ingest.compress import summaries, trees
from h3cold.ingest.document_vectors import ROLES, build_document_index
from h3cold.ingest.embedding import Embedding
from h3cold.ingest.plan import Attempt, Plan, source_rows
from h3cold.ingest.progress import Progress
from h3cold.ingest.relinking import ALIASES, kept_aliases, relinked
from h3cold.ingest.stages import attempt_digest, digest, stage_digests
from h3cold.ingest.status import write_quarantine, write_status
from h3cold.ingest.store.graph import ROLE as GRAPH
from h3cold.ingest.store.graph import build_graph_index, is_whole
from h3cold.ingest.store.indexes import build_blocks_index
from h3cold.ingest.store.rows import Row
from h3cold.ingest.store.statements import ROLE as STATEMENTS
from h3cold.ingest.store.statements import build_statements
from h3cold.ingest.store.told import ROLE as TOLD
from h3cold.ingest.store.told import build_told
from h3cold.ingest.store.writer import StoreWriter
from h3cold.kg.user_aliases import UserAliases, dump_aliases, read_aliases
from h3cold.schemas.config import Config
from h3cold.schemas.summary import Failure


class Outcome(NamedTuple):
    """The current snapshot, every file and page that is not in it, and what besides documents called for it."""

    snapshot: int
    failures: tuple[Failure, ...]
    reasons: tuple[str, ...] = ()


def publish(
    writer: StoreWriter,
    root: Path,
    plan: Plan,
    failed: Mapping[str, Attempt],
    config: Config,
    embedding: Embedding,
    show: Progress,
) -> Outcome:
    """Publish the writer's tables, if anything differs from the current snapshot.

    Raises:
        StoreError: the store cannot be written; the former snapshot stays current.
    """
    writer.flush()
    writer.replace("sources", source_rows(plan, failed))
    names = {d: [f.source for f in files] for d, files in plan.documents.items() if d not in failed}
    writer.set_sources(names)
    user = aliases_of(config)
    same_names = kept_aliases(writer.base) == user
    if writer.wrote("mentions") or writer.wrote("relations") or not same_names:
        show.stage("linking entities")
        writer.replace("entities", relinked(writer, user))
    failures = (*file_failures(plan, failed), *page_failures(writer, names))
    settings, base = config_digest(config), writer.base
    reasons = () if base is None else tuple(
        why for why, holds in (
            (f"settings, or this program's version, are others than those of snapshot {base.snapshot}",
             base.config != settings),
            (f"the folder was {base.root}", base.root != str(root)),
            ("the alias file says something else", not same_names),
            ("files of an index were lost", _lost(writer)),
        ) if holds
    )  # fmt: skip
    if base is not None and not writer.changed and not reasons:
        return Outcome(base.snapshot, failures)
    show.stage("building indexes")
    writer.index_tables()
    index, made = _indexes(writer, config, embedding, show)
    models = {**embedding.models(), **made}
    write_status(writer, config, models, index, failures, show.times())
    write_quarantine(writer.path, plan, failed)
    show.stage("publishing")
    manifest = writer.publish(
        root=str(root),
        config=settings,
        models={**models, ALIASES: dump_aliases(user)} if any(user) else models,
        index=index,
        keep_days=config.ingest.keep_days,
        keep_snapshots=config.ingest.keep_snapshots,
    )
    return Outcome(manifest.snapshot, failures, reasons)


def aliases_of(config: Config) -> UserAliases:
    """The user's word on names, as the configuration's alias file has it now.

    Raises:
        ConfigError: the file cannot be read, or a line is no alias; the message names the line.
    """
    file = config.cold_storage.alias_file
    return read_aliases(Path(file)) if file else UserAliases()


def config_digest(config: Config) -> str:
    """Digest of all settings that decide what a store holds."""
    stages = stage_digests(config, "")
    return digest("embed", attempt_digest(config), stages["images"], stages["kg"], config.hbf.ann_index_type,
                  config.hbf.compression_pca_dim)  # fmt: skip


def _indexes(
    writer: StoreWriter, config: Config, embedding: Embedding, show: Progress
) -> tuple[dict[str, str], dict[str, str]]:
    """Index files by role, those of the former snapshot where they still hold; and the status of what is learned."""
    base = writer.base
    former = {} if base is None else dict(base.index)
    lost, same = _lost(writer), base is not None and base.config == config_digest(config)
    learned = {"documents": "", "summaries": ""} if base is None else base.models
    index = dict(former)
    if base is None or lost or writer.wrote("blocks") or not same:
        index = {role: file for role, file in former.items() if role in ROLES}
        index |= build_blocks_index(
            writer.path, writer.table("blocks"), snapshot=writer.number(), kind=config.hbf.ann_index_type, former=former
        )
        show.stage("learning summaries")
        made = summaries.build_summaries(
            writer, dimensions=config.hbf.compression_pca_dim, embedder=embedding.id, former=former
        )
        index |= made.files | trees.build_trees(writer, made.files, former)
        learned = {**learned, "summaries": made.status}
    if base is None or lost or writer.wrote("blocks"):
        show.stage("learning document vectors")
        documents = build_document_index(writer)
        index = {role: file for role, file in index.items() if role not in ROLES} | documents.files
        learned = {**learned, "documents": documents.status}
    if lost or TOLD not in former or any(map(writer.wrote, ("documents", "entities"))):
        index |= build_told(writer.path, writer.table, snapshot=writer.number())
    else:
        index[TOLD] = former[TOLD]
    written = any(map(writer.wrote, ("entities", "relations", "mentions")))
    if lost or written or GRAPH not in former or not is_whole(writer.path / former[GRAPH]):
        index |= build_graph_index(writer.path, writer.table, snapshot=writer.number())
    else:
        index[GRAPH] = former[GRAPH]
    if lost or not same or STATEMENTS not in former or index[GRAPH] != former.get(GRAPH):
        show.stage("embedding statements")
        index |= build_statements(
            writer.path, writer.table("relations"), index, snapshot=writer.number(), embedder=embedding.id,
            embed=embedding.passages, former=former,
        )  # fmt: skip
    else:
        index[STATEMENTS] = former[STATEMENTS]
    return index, {name: learned.get(name, "") for name in ("documents", "summaries")}


def _lost(writer: StoreWriter) -> bool:
    """Whether an index file of the current snapshot is gone: a build then makes the indexes again."""
    return writer.base is not None and not all((writer.path / file).exists() for file in writer.base.index.values())


def file_failures(plan: Plan, failed: Mapping[str, Attempt]) -> Iterator[Failure]:
    """Files that are not in the store, or stand in it as they were before."""
    for file in sorted(plan.files, key=lambda f: f.path):
        if file.document in failed:
            yield Failure(file.source, failed[file.document].page, failed[file.document].reason)
        elif file.reason is not None:
            yield Failure(file.source, None, file.reason)


def page_failures(writer: StoreWriter, names: Mapping[str, list[str]]) -> list[Failure]:
    """Pages that could not be read, of documents that are in the store otherwise."""
    found = [Failure(min(names[r["document"]]), r["page"], r["failure"]) for r in failed_rows(writer)]
    return sorted(found, key=lambda f: (f.source, f.page or 0))


def failed_rows(writer: StoreWriter) -> list[Row]:
    """Document, number, failure and reasons of the pages that could not be read."""
    columns = ["document", "page", "failure", "reasons"]
    return writer.table("pages").to_table(columns=columns, filter="failure IS NOT NULL").to_pylist()
