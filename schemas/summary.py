"""What a build reports."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Failure:
    """A file or page that was not indexed; `page` is 1-based, None for the whole file."""

    source: str
    page: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class DocumentCounts:
    """How the folder's documents compare with the store's last snapshot; `renamed` are some of the `unchanged`.

    `copies` are files besides the first of a document: equal to it byte for byte, they are indexed once.
    """

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    renamed: int = 0
    removed: int = 0
    failed: int = 0
    copies: int = 0


@dataclass(frozen=True, slots=True)
class IndexSummary:
    """Result of one `h3-index-builder` run; `pages` and `blocks` are those of this run, `seconds` its wall time.

    `removed` are the files of the documents that are no longer there, `reasons` say what besides the documents called
    for a snapshot: other settings, another folder, another alias file, files of an index that were lost.
    """

    snapshot: int
    documents: DocumentCounts
    pages: int
    blocks: int
    seconds: float
    failures: tuple[Failure, ...] = field(default=())
    removed: tuple[str, ...] = field(default=())
    reasons: tuple[str, ...] = field(default=())
