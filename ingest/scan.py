"""What lies in a folder: its PDF files, told apart by content, looked into only where size or time changed."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from h3cold.ingest.store.files import file_digest
from h3cold.schemas.errors import UsageError

SETTLED_NS = 50_000_000
"""A file younger than this (ns) may yet change without a new time stamp; it is read when it is older."""

TRIES = 3


class Known(NamedTuple):
    """What is on record about a file: enough to tell that it did not change."""

    size: int
    mtime_ns: int
    document: str


class SourceFile(NamedTuple):
    """A file found. `path` is relative to the root, byte for byte; `source` is that as text, to show.

    `document` is the digest of its bytes (32 hex digits), "" where `reason` says why it could not be read.
    `unknown` marks a reason that says nothing about the content: what is on record of the file may still hold.
    """

    source: str
    path: bytes
    size: int
    mtime_ns: int
    document: str
    reason: str | None = None
    unknown: bool = False


class Entry(NamedTuple):
    """A name met in the walk, before its content is looked at; `problem` is set for what cannot be read."""

    path: bytes
    size: int = 0
    mtime_ns: int = 0
    problem: str | None = None
    unknown: bool = False


def scan(root: str | Path, known: Mapping[bytes, Known]) -> list[SourceFile]:
    """Every PDF below `root` (`*.pdf` in any case, no hidden names), in order of path.

    A file whose size and time are on record in `known` is taken for unchanged and not opened. A folder that
    cannot be listed stands in the result as itself, with a reason and a path that ends in "/".

    Raises:
        UsageError: `root` is missing or no folder.
    """
    top = os.fsencode(root)
    if not os.path.isdir(top):  # noqa: PTH112  (bytes)
        what = "is no folder" if os.path.exists(top) else "no such folder"  # noqa: PTH110
        raise UsageError(f"{shown(top)}: {what}; give the folder that holds the PDF files")
    return sorted((_look(top, entry, known) for entry in walk(top)), key=lambda f: f.path)


def shown(path: bytes) -> str:
    r"""A path as text: UTF-8, with bytes that are not as `\xNN`."""
    text = path.decode("utf-8", "backslashreplace")
    return text if os.sep == "/" else text.replace(os.sep, "/")


def walk(top: bytes) -> Iterator[Entry]:
    """Names of PDF files below `top`, relative to it. Each folder is entered once, whatever links lead to it."""
    seen: set[tuple[int, int]] = set()
    links: list[bytes] = []
    yield from _walk_tree(top, b"", seen, links)
    while links:  # after the plain folders, so that a file stands under its own path, not under a link's
        links.sort(reverse=True)
        yield from _walk_tree(top, links.pop(), seen, links)


def _walk_tree(top: bytes, start: bytes, seen: set[tuple[int, int]], links: list[bytes]) -> Iterator[Entry]:
    pending = [start]
    while pending:
        relative = pending.pop()
        try:
            here = os.path.join(top, relative)  # noqa: PTH118
            status = os.stat(here)  # noqa: PTH116
            if (status.st_dev, status.st_ino) in seen:
                continue
            seen.add((status.st_dev, status.st_ino))
            with os.scandir(here) as found:
                entries = list(found)
        except OSError as e:
            yield Entry(relative + b"/", problem=f"the folder cannot be read: {e.strerror}", unknown=True)
            continue
        before = relative + b"/" if relative else b""
        for entry in entries:  # ten thousand times: every call counts
            name = entry.name
            if name.startswith(b"."):
                continue
            path = before + name
            if entry.is_dir(follow_symlinks=False):
                pending.append(path)
            elif entry.is_symlink() and _is_folder(entry):
                links.append(path)
            elif name[-4:].lower() == b".pdf":
                yield _entry(path, entry)


def _is_folder(entry: os.DirEntry[bytes]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads round in a circle
        return False


def _entry(path: bytes, entry: os.DirEntry[bytes]) -> Entry:
    try:
        status = entry.stat()
    except OSError as e:
        problem = "a link that leads nowhere" if entry.is_symlink() else f"cannot be read: {e.strerror}"
        return Entry(path, problem=problem)
    if not stat.S_ISREG(status.st_mode):
        return Entry(path, problem="not a plain file")
    return Entry(path, status.st_size, status.st_mtime_ns)


def _look(top: bytes, entry: Entry, known: Mapping[bytes, Known]) -> SourceFile:
    source = shown(entry.path)
    if entry.problem is not None:
        return SourceFile(source, entry.path, 0, 0, "", entry.problem, entry.unknown)
    past = known.get(entry.path)
    if past is not None and past.document and past.size == entry.size and past.mtime_ns == entry.mtime_ns:
        return SourceFile(source, entry.path, entry.size, entry.mtime_ns, past.document)
    try:
        size, mtime_ns, document = identify(os.path.join(top, entry.path))  # noqa: PTH118
    except OSError as e:
        reason = f"cannot be read: {e.strerror}"
        gone = isinstance(e, FileNotFoundError)
        return SourceFile(source, entry.path, entry.size, entry.mtime_ns, "", reason, not gone)
    if not document:
        reason = "changes while it is read; index again once it is written"
        return SourceFile(source, entry.path, size, mtime_ns, "", reason, True)
    return SourceFile(source, entry.path, size, mtime_ns, document)


def identify(path: bytes) -> tuple[int, int, str]:
    """Size, time (ns) and document id of a file; the id is "" where the file does not keep still.

    Raises:
        OSError: it cannot be read.
    """
    for _ in range(TRIES):
        before = os.stat(path)  # noqa: PTH116
        age = time.time_ns() - before.st_mtime_ns
        if 0 <= age < SETTLED_NS:
            time.sleep((SETTLED_NS - age) / 1e9)
        document = file_digest(path)[:32]
        after = os.stat(path)  # noqa: PTH116
        if (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns):
            return after.st_size, after.st_mtime_ns, document
    return after.st_size, after.st_mtime_ns, ""
