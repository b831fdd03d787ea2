"""The child's side of `workers`: take a task, work on it, say which page is next, hand the result back."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from h3cold.ingest.worker_tasks import Failure, Heartbeat
from h3cold.schemas.errors import DocumentError

INLINE = 32_768
"""Messages beyond this many bytes go through a file: a process that is killed or stopped while it writes to a pipe
leaves the reader waiting for the rest."""

LOW_THREADS = {
    "OMP_NUM_THREADS": "1", "OMP_THREAD_LIMIT": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false",
}  # fmt: skip
"""Environment of a worker: there is one a core, so threads in each would only fight for it."""


class Ready(NamedTuple):
    """The worker has started."""


class Beat(NamedTuple):
    """The worker begins with this 1-based page, or with doing this on it."""

    page: int
    doing: str = ""


class Done(NamedTuple):
    """The task's result, or why there is none."""

    value: Any
    failure: Failure | None


def send(connection: Connection, message: Any, folder: Path) -> None:
    """Send `message`; a large one through a file in `folder`. Raises what pickle or the connection raises."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    if len(data) <= INLINE:
        connection.send_bytes(b"m" + data)
        return
    path = folder / f"message-{os.getpid()}-{os.urandom(6).hex()}"
    path.write_bytes(data)
    connection.send_bytes(b"f" + os.fsencode(path))


def receive(connection: Connection) -> Any:
    """The next message. Raises EOFError or OSError where the other side is gone."""
    data = connection.recv_bytes()
    if data[:1] == b"m":
        return pickle.loads(data[1:])  # written by our own other half
    path = Path(os.fsdecode(data[1:]))
    data = path.read_bytes()
    path.unlink()
    return pickle.loads(data)


def main(argv: list[str]) -> None:
    """`argv`: file descriptor of the connection, folder for large messages, parent's process id."""
    descriptor, folder, parent = int(argv[0]), Path(argv[1]), int(argv[2])
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, all_threads=False)  # where it stands, when it is about to be stopped
    _end_with(parent)
    connection = Connection(descriptor)
    try:
        work: Callable[[Any, Heartbeat], Any] = receive(connection)
        send(connection, Ready(), folder)
        while True:
            task = receive(connection)
            os.ftruncate(2, 0)  # what earlier tasks made libraries print; see `workers._last_words`
            answer = _work(work, task, lambda page, doing="", /: send(connection, Beat(page, doing), folder))
            try:
                send(connection, answer, folder)
            except (pickle.PicklingError, TypeError, AttributeError) as e:
                send(connection, Done(None, Failure("error", f"the result cannot be sent: {e}", None)), folder)
            del answer, task
            give_back()
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the parent is done or gone


def give_back() -> None:
    """Return what is free to the system: the C library keeps what lies between pieces still in use, and a worker
    that has read 5,000 pages would be 100 MB larger than one that begins, without holding more."""
    if "pymupdf" in sys.modules:
        sys.modules["pymupdf"].TOOLS.store_shrink(100)
    with contextlib.suppress(OSError, AttributeError):  # not glibc
        ctypes.CDLL(None).malloc_trim(0)


def _work(work: Callable[[Any, Heartbeat], Any], task: Any, beat: Heartbeat) -> Done:
    at: list[int] = []

    def heartbeat(page: int, doing: str = "", /) -> None:
        at[:] = [page]
        beat(page, doing)

    try:
        return Done(work(task, heartbeat), None)
    except DocumentError as e:
        return Done(None, Failure("document", e.reason, e.page))
    except MemoryError:
        return Done(None, Failure("memory", "ran out of memory", at[0] if at else None))
    except (BrokenPipeError, ConnectionResetError):
        raise
    except Exception as e:
        frame = traceback.extract_tb(e.__traceback__)[-1]
        where = f"{Path(frame.filename).name}:{frame.lineno}"
        reason = f"{type(e).__name__}: {' '.join(str(e).split())[:300]} ({where})"
        return Done(None, Failure("error", reason, at[0] if at else None))


def _end_with(parent: int) -> None:
    """See to it that this process does not outlive its parent, is the first to go when memory runs out, and leaves
    the machine usable while it works."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        os.nice(5)
    if sys.platform != "linux":
        return
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500")
    with contextlib.suppress(OSError, AttributeError):
        death_signal = 1  # PR_SET_PDEATHSIG, prctl(2)
        ctypes.CDLL(None).prctl(death_signal, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # it died before we could say so


if __name__ == "__main__":
    # Under this module's real name, so that pickled messages have the same types on both sides.
    from h3cold.ingest import worker_process

    worker_process.main(sys.argv[1:])
