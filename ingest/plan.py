"""What a build has to do: the folder as it is, against the store as it was left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from h3cold.ingest.lost_pages import READS
from h3cold.ingest.scan import Known, SourceFile
from h3cold.ingest.store.make import source_row
from h3cold.ingest.store.reader import ColdStore
from h3cold.ingest.store.rows import Row
from h3cold.schemas.errors import UsageError
from h3cold.schemas.summary import DocumentCounts

REDO_ALL = ("parse",)
REDO_BLOCKS = ("blocks", "images")
"""Stages that begin with the file, and with the pages that the store has of it; the others begin with blocks."""

Task = Literal["index", "retry", "blocks", "refresh"]
"""To read a document; to read those of its pages again that were lost with a worker; to make all that comes after its
pages anew; to make what follows from its blocks anew."""


class Past(NamedTuple):
    """The published snapshot's record of its source files, by path; `root` is the folder they are in."""

    root: str
    sources: Mapping[bytes, Row]

    def known(self) -> dict[bytes, Known]:
        """What the scan compares with."""
        return {p: Known(r["size"], r["mtime_ns"], r["document"]) for p, r in self.sources.items()}

    def indexed(self) -> set[str]:
        """Documents that were indexed."""
        return {r["document"] for r in self.sources.values() if r["status"] == "indexed"}


class Attempt(NamedTuple):
    """A document that could not be indexed: why, on which page (None = the file), tried with which settings.

    `config` is empty where it is worth another try with the same settings; "~2" after the digest says that a limit was
    exceeded two times.
    """

    reason: str
    page: int | None
    config: str

    def given_up(self, attempt: str) -> bool:
        """Whether it is not tried again with the settings of this digest."""
        return self.config == attempt or self.reads(attempt) >= READS

    def reads(self, attempt: str) -> int:
        """How often it has exceeded a limit with these settings."""
        digest, _, times = self.config.partition("~")
        return int(times) if digest == attempt and times else 0


@dataclass(frozen=True, slots=True)
class Plan:
    """The work: `documents` (id -> its files, first one first) are all that should be in the store afterwards.

    `tasks` says what to do about those that are not up to date, `gone` are the documents to take out, `failed`
    those that were tried before with the same settings and are not tried again; `reads` is how often documents, or the
    lost pages of those to "retry", were read.
    """

    files: tuple[SourceFile, ...]
    documents: Mapping[str, tuple[SourceFile, ...]]
    tasks: Mapping[str, Task]
    gone: frozenset[str]
    failed: Mapping[str, Attempt]
    reads: Mapping[str, int] = field(default_factory=dict)


def read_past(store: ColdStore | None) -> Past:
    """The record of a snapshot (None = no store yet).

    Raises:
        StoreError: the table cannot be read.
    """
    if store is None:
        return Past("", {})
    rows = store.table("sources").to_table().to_pylist()
    return Past(store.manifest.root, {row["path"]: row for row in rows})


def make_plan(
    files: Iterable[SourceFile],
    past: Past,
    have: Mapping[str, Mapping[str, str]],
    want: Mapping[str, Mapping[str, str]],
    failed: Mapping[str, Attempt],
    attempt: str,
    *,
    lost: Mapping[str, int] | None = None,
) -> Plan:
    """Compare.

    Args:
        files: the scan, after `keep_unreadable`.
        past: the published snapshot's sources.
        have: documents with rows in the writer's tables: id -> stage -> digest.
        want: the digests that each document of the folder should have.
        failed: documents on record as failed.
        attempt: digest of the settings that a failed file depends on, as they are now.
        lost: documents with pages that are worth another try, and how often these were read (`lost_pages`).
    """
    found = tuple(files)
    documents = by_document(found)
    skipped = {d: failed[d] for d in documents if d in failed and failed[d].given_up(attempt) and d not in have}
    tasks: dict[str, Task] = {}
    for document in documents:
        if document in skipped:
            continue
        stages = have.get(document)
        if stages is None or outdated(stages, want[document]):
            tasks[document] = "index"
        elif document in (lost or ()):
            tasks[document] = "retry"
        elif any(stages.get(s) != want[document][s] for s in REDO_BLOCKS):
            tasks[document] = "blocks"
        elif stages != want[document]:
            tasks[document] = "refresh"
    reads = {d: n for d, n in (lost or {}).items() if tasks.get(d) == "retry"}
    reads |= {d: failed[d].reads(attempt) for d, task in tasks.items() if task == "index" and d in failed}
    return Plan(found, documents, tasks, frozenset(set(have) - set(documents)), skipped, reads)


def outdated(have: Mapping[str, str], want: Mapping[str, str]) -> bool:
    """Whether a document's rows, made with the digests `have`, can only be made anew from its file."""
    return any(have.get(stage) != want[stage] for stage in REDO_ALL)


def by_document(files: Iterable[SourceFile]) -> dict[str, tuple[SourceFile, ...]]:
    """Files by document, in order of path."""
    out: dict[str, list[SourceFile]] = {}
    for file in sorted(files, key=lambda f: f.path):
        if file.document:
            out.setdefault(file.document, []).append(file)
    return {document: tuple(own) for document, own in out.items()}


def past_failures(past: Past) -> dict[str, Attempt]:
    """Documents on record as failed."""
    rows = (r for r in past.sources.values() if r["status"] == "failed" and r["document"])
    return {r["document"]: Attempt(r["reason"], r["page"], r["config"]) for r in rows}


def keep_unreadable(files: Sequence[SourceFile], past: Past) -> list[SourceFile]:
    """Files that cannot be read now stand for what is on record of them: nobody knows that they changed.

    They keep their `reason`; their size and time are those on record, so that they are read when they can be.
    """
    out: list[SourceFile] = []
    for file in files:
        row = past.sources.get(file.path)
        if file.unknown and file.path.endswith(b"/"):
            inside = b"" if file.path == b"/" else file.path
            below = [r for p, r in past.sources.items() if p.startswith(inside) and r["status"] == "indexed"]
            out += [file, *(_as_recorded(r, file.reason) for r in below)]
        elif file.unknown and row is not None and row["status"] == "indexed":
            out.append(_as_recorded(row, file.reason))
        else:
            out.append(file)
    return out


def _as_recorded(row: Row, reason: str | None) -> SourceFile:
    why = f"{reason}; what was indexed of it before is kept"
    return SourceFile(row["source"], row["path"], row["size"], row["mtime_ns"], row["document"], why, True)


def check_folder(root: Path, files: Sequence[SourceFile], past: Past, *, store: Path) -> None:
    """Refuse what would empty a store by mistake.

    Raises:
        UsageError: there is no PDF in the folder, or the store belongs to another folder.
    """
    indexed = past.indexed()
    if not files:
        kept = f"; {store} keeps its {len(indexed)} documents, --rebuild empties it" if indexed else ""
        raise UsageError(f"{root}: no PDF files in this folder{kept}")
    if indexed and past.root not in ("", str(root)):
        shared = indexed & {f.document for f in files}
        if 2 * len(shared) < len(indexed):  # otherwise the folder was moved
            raise UsageError(
                f"{store}: this store was made from {past.root}, not from {root}; give another --store, or --rebuild"
                " to have it hold this folder instead"
            )


def source_rows(plan: Plan, failed: Mapping[str, Attempt]) -> list[Row]:
    """The new record of the folder's files, in order of path."""
    out = []
    for file in sorted(plan.files, key=lambda f: f.path):
        attempt = failed.get(file.document) if file.document else Attempt(file.reason or "", None, "")
        out.append(
            source_row(
                file.source,
                file.path,
                document=file.document,
                size=file.size,
                mtime_ns=file.mtime_ns,
                status="indexed" if attempt is None else "failed",
                reason=file.reason if attempt is None else attempt.reason,
                page=None if attempt is None else attempt.page,
                config="" if attempt is None else attempt.config,
            )
        )
    return out


def count_documents(past: Past, plan: Plan, failed: Mapping[str, Attempt]) -> DocumentCounts:
    """How the folder compares with the last snapshot, by document; a file that cannot be read counts as one.

    A document is "changed" where a file it stands under held another one before, which then is not "removed", and
    "renamed" (one of the "unchanged") where none of the files it stood under is its own any more.
    """
    before, now = past.indexed(), set(plan.documents) - set(failed)
    new, changed = now - before, _changed(past, plan, failed)
    own = {f.document for f in plan.files if f.path in past.sources and past.sources[f.path]["document"] == f.document}
    unread = sum(1 for f in plan.files if not f.document)
    return DocumentCounts(
        added=len(new - changed),
        changed=len(changed),
        unchanged=len(now & before),
        renamed=len((now & before) - own),
        removed=len(_removed(past, plan, failed)),
        failed=len(set(failed) & set(plan.documents)) + unread,
        copies=sum(len(plan.documents[d]) - 1 for d in now),
    )


def removed_files(past: Past, plan: Plan, failed: Mapping[str, Attempt]) -> tuple[str, ...]:
    """A file of each document that is counted as removed, in order."""
    first: dict[str, str] = {}
    for _, row in sorted(past.sources.items()):
        first.setdefault(row["document"], row["source"])
    return tuple(sorted(first[d] for d in _removed(past, plan, failed)))


def _removed(past: Past, plan: Plan, failed: Mapping[str, Attempt]) -> set[str]:
    now, changed = set(plan.documents) - set(failed), _changed(past, plan, failed)
    left = past.indexed() - now
    # What a file holds instead tells its old document's end, unless that is counted by itself.
    told = {f.path for f in plan.files if f.document not in now or f.document in changed}
    return left - {r["document"] for p, r in past.sources.items() if p in told and r["document"] in left}


def _changed(past: Past, plan: Plan, failed: Mapping[str, Attempt]) -> set[str]:
    before = past.indexed()
    new = set(plan.documents) - set(failed) - before
    return {d for d in new if any(_held_another(past, f, before) for f in plan.documents[d])}


def _held_another(past: Past, file: SourceFile, before: set[str]) -> bool:
    row = past.sources.get(file.path)
    return row is not None and row["document"] != file.document and row["document"] in before
