"""The cold side of KV pages: one file a frame, visible only when it is whole, checked whenever it is read.

    pages/<namespace>/<2 digits>/<key digest>.frame      published by write, sync, rename
    pages/quarantine/                                    frames whose checksum did not hold
    pages/sessions/<name>/ + <name>.lock                 pages of caches in use; gone with the process

Any number of processes may read and write one folder: names are digests of content or of a session, and renames are
atomic. Which sessions are dead is told by their locks, which the system lets go when a process ends, however it ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import shutil
import uuid
from pathlib import Path

from h3cold.h3bridge import frames
from h3cold.schemas.errors import CorruptionError, PromotionError

_NUMBERS = itertools.count()
LEVEL = 3
"""Zstandard's level: beyond it, KV pages hardly shrink further."""


class ColdPages:
    """KV pages in files under a cold store.

    Args:
        root: the cold store's folder; it must exist.
        space: namespace of all pages.
        compress: pack payloads with Zstandard where that makes them smaller.
    """

    def __init__(self, root: Path, space: bytes, *, compress: bool = True) -> None:
        self.space, self.compress = space, compress
        self._root, self._base = root, root / "pages"
        self.quarantined = 0
        self._session: Path | None = None
        self._lock: int | None = None

    def put(self, frame: frames.Frame, *, session: bool = False) -> int:
        """Store a frame; returns the bytes written, 0 when a readable one is there already.

        Raises:
            PromotionError: there is no cold store, or it cannot be written to.
        """
        self._check_root()
        path = self._path(frame.key, session=session)
        if path.exists() and self.get(frame.key, session=session) is not None:
            return 0
        data = frames.encode(_packed(frame) if self.compress else frame)
        draft = path.with_suffix(f".{os.getpid()}-{next(_NUMBERS)}.tmp")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with draft.open("wb") as out:
                out.write(data)
                if not session:  # a session's pages need not outlive a crash
                    out.flush()
                    os.fsync(out.fileno())
            draft.replace(path)
            if not session:
                _sync(path.parent)
        except OSError as e:
            with contextlib.suppress(OSError):
                draft.unlink()
            raise PromotionError(f"{path}: a page cannot be written ({e.strerror}); free space or name another "
                                 "cold_storage_path") from e  # fmt: skip
        return len(data)

    def get(self, key: str, *, session: bool = False) -> frames.Frame | None:
        """A frame, checked and unpacked; None when there is none or it was damaged, which puts it into quarantine."""
        data = self.raw(key, session=session)
        return None if data is None else unpacked(frames.decode(data, key=key, namespace=self.space))

    def raw(self, key: str, *, session: bool = False) -> bytes | None:
        """A frame's bytes as they are in the file, perhaps packed, checked; None as for `get`."""
        path = self._path(key, session=session)
        try:
            # All bytes are hashed and kept: one plain read is quicker than mapping the file and copying it.
            with path.open("rb", buffering=0) as file:
                data = file.read()
            frames.decode(data, key=key, namespace=self.space)
            return data
        except CorruptionError:
            self._quarantine(path)
            return None
        except OSError:
            return None

    def __contains__(self, key: str) -> bool:
        return self._path(key, session=False).exists()

    def drop(self, key: str, *, session: bool = False) -> None:
        """Remove a frame, if it is there."""
        self._path(key, session=session).unlink(missing_ok=True)

    def close(self) -> None:
        """Remove the session's pages."""
        if self._session is not None and self._lock is not None:
            shutil.rmtree(self._session, ignore_errors=True)
            self._session.with_suffix(".lock").unlink(missing_ok=True)
            os.close(self._lock)
            self._session = self._lock = None

    def sweep(self) -> int:
        """Remove what dead processes left: their sessions and drafts; returns the number of sessions."""
        swept = 0
        for lock in sorted((self._base / "sessions").glob("*.lock")):
            with contextlib.suppress(OSError), lock.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(lock.with_suffix(""), ignore_errors=True)
                lock.unlink(missing_ok=True)
                swept += 1
        for draft in self._base.rglob("*.tmp"):
            writer = draft.name.split(".")[-2].split("-")[0]
            if writer.isdigit() and not Path(f"/proc/{writer}").exists():
                draft.unlink(missing_ok=True)
        return swept

    def _path(self, key: str, *, session: bool) -> Path:
        digest = frames.key_digest(key).hex()
        if session:
            return self._open_session() / f"{digest}.frame"
        return self._base / self.space.hex() / digest[:2] / f"{digest}.frame"

    def _check_root(self) -> None:
        """A mistyped path must not grow a folder."""
        if not self._root.is_dir():
            raise PromotionError(f"{self._root}: no cold store here to page to; make it or name another "
                                 "cold_storage_path")  # fmt: skip

    def _open_session(self) -> Path:
        if self._session is None:
            folder = self._base / "sessions" / uuid.uuid4().hex
            try:
                folder.mkdir(parents=True)
                self._lock = os.open(folder.with_suffix(".lock"), os.O_CREAT | os.O_RDWR, 0o644)
                fcntl.flock(self._lock, fcntl.LOCK_EX)
            except OSError as e:
                raise PromotionError(f"{folder}: cannot page to the cold store ({e.strerror})") from e
            self._session = folder
        return self._session

    def _quarantine(self, path: Path) -> None:
        self.quarantined += 1
        place = self._base / "quarantine"
        with contextlib.suppress(OSError):
            place.mkdir(exist_ok=True)
            path.replace(place / f"{path.stem}-{uuid.uuid4().hex[:8]}.frame")


def _packed(frame: frames.Frame) -> frames.Frame:
    import zstandard

    small = zstandard.ZstdCompressor(level=LEVEL).compress(bytes(frame.payload))
    if frames.frame_bytes(len(small), frame.kind) >= frames.frame_bytes(len(frame.payload), frame.kind):
        return frame
    return frames.Frame(frame.key, frame.namespace, frame.kind, small, frame.shape, frame.dtype, frames.Codec.ZSTD)


def unpacked(frame: frames.Frame) -> frames.Frame:
    """The frame with its payload as it was before it was packed."""
    if frame.codec is frames.Codec.PLAIN:
        return frame
    import zstandard

    whole = zstandard.ZstdDecompressor().decompress(bytes(frame.payload))
    return frames.Frame(frame.key, frame.namespace, frame.kind, whole, frame.shape, frame.dtype)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
