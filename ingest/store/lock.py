"""One writer a store: a lock that the operating system drops when its holder dies."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path
from types import TracebackType

from h3cold.ingest.store.files import make_folder
from h3cold.schemas.errors import StoreBusyError, StoreError

LOOK_SECONDS = 0.2
"""Time between two looks at a lock that is waited for."""


class WriteLock:
    """An exclusive lock on the store's `meta/lock`, held from construction to `close()`; waits for it up to `wait` s.

    Raises:
        StoreBusyError: another process holds it; the message names that process.
        StoreError: the lock file cannot be made.
    """

    def __init__(self, store: Path, *, wait: float = 0.0) -> None:
        path = store / "meta" / "lock"
        try:
            make_folder(path.parent)
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as e:
            raise StoreError(f"{store}: the store cannot be written: {e.strerror}") from e
        try:
            taken = self._take(wait)
        except BaseException:  # Ctrl-C while it waits
            self.close()
            raise
        if not taken:
            holder = os.pread(self._fd, 200, 0).decode("utf-8", "replace").strip() or "another process"
            self.close()
            waited = f" still, after {wait:g} s" if wait else ""
            raise StoreBusyError(
                f"{store}: {holder} is writing to this store{waited}; run again when it has ended, or wait longer"
                " (h3-index-builder --wait SECONDS)"
            )
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)

    def _take(self, wait: float) -> bool:
        """Whether the lock was to be had within `wait` seconds."""
        import fcntl

        until = time.monotonic() + wait
        while True:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                if time.monotonic() >= until:
                    return False
                time.sleep(LOOK_SECONDS)
            else:
                return True

    def close(self) -> None:
        """Let the next writer in."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> WriteLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
