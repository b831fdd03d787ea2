"""One writer a store: a lock that the operating system drops when its holder dies."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from types import TracebackType

from h3cold.schemas.errors import StoreBusyError, StoreError


class WriteLock:
    """An exclusive lock on the store's `meta/lock`, held from construction to `close()`.

    Raises:
        StoreBusyError: another process holds it; the message names that process.
        StoreError: the lock file cannot be made.
    """

    def __init__(self, store: Path) -> None:
        import fcntl

        path = store / "meta" / "lock"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as e:
            raise StoreError(f"{store}: the store cannot be written: {e.strerror}") from e
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as e:
            holder = os.pread(self._fd, 200, 0).decode("utf-8", "replace").strip() or "another process"
            os.close(self._fd)
            raise StoreBusyError(
                f"{store}: {holder} is writing to this store; wait for it to end, then run again"
            ) from e
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)

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
