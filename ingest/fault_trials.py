"""One fault at a time, put into a store on purpose: what a process is that dies, a disk that lies, a bit that flips.

Every trial is a process of its own, forked from one that has all modules and models loaded but has not touched Lance,
whose threads do not survive a fork.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from blake3 import blake3

from h3cold.ingest.stages import token_counter, work
from h3cold.ingest.worker_process import _work as worked
from h3cold.ingest.worker_tasks import Result, Task
from h3cold.schemas.config import Config, parse_config
from h3cold.schemas.errors import H3Error

PATIENCE = 300.0
"""Seconds after which a trial hangs."""

QUERIES = ("who acquired whom", "rain on the river", "应收账款周转率", "revenue of the second year")
FOUND = 3
SEEN = ("/ingest/store/", "/ingest/publication.py", "/ingest/ledger.py", "/ingest/pipeline.py")
"""Code between whose calls a process is killed."""


class Inline:
    """Stands in for `workers.Pool` in a process that is killed as a whole anyway."""

    def __init__(self, work: Any, **options: Any) -> None:
        self.tasks: deque[Task] = deque()

    def __enter__(self) -> Inline:
        return self

    def __exit__(self, *error: object) -> None:
        self.tasks.clear()

    @property
    def pending(self) -> int:
        """Tasks that are not done."""
        return len(self.tasks)

    @property
    def room(self) -> bool:
        """Whether there may be more."""
        return len(self.tasks) < 2

    def submit(self, task: Task) -> None:
        """Take a task."""
        self.tasks.append(task)

    def next(self) -> Result:
        """Do one."""
        task = self.tasks.popleft()
        profile = sys.getprofile()
        sys.setprofile(None)  # to be killed while it parses harms no store
        done = worked(work, task, lambda page, doing="", /: None)
        sys.setprofile(profile)
        return Result(task, done.value, done.failure)


def warm(path: Path) -> None:
    """Do all that a build does to a document, so that what it loads is there; Lance is not touched."""
    from h3cold.ingest.opening import document_id
    from h3cold.ingest.stages import Drafting, Reading, Source, settings_from

    source = Source(document_id(path.read_bytes()), str(path), path.name, path.stat().st_size)
    settings = settings_from(config())
    window = worked(work, Task(path.name, 1, 48, Reading(source, settings)), lambda page, doing="", /: None).value
    drafted = worked(
        work, Task(path.name, payload=Drafting(source, settings, window.pages, window)), lambda page, doing="", /: None
    ).value
    token_counter(settings.embedder)([block.text for block in drafted.blocks])


def config() -> Config:
    """The settings of every trial."""
    return parse_config({"ingest": {"workers": 1}})


def build_store(folder: Path, store: Path) -> None:
    """Bring the store up to date, every document a checkpoint."""
    from h3cold.ingest import jobs, pipeline
    from h3cold.ingest.store import writer

    setattr(jobs, "Pool", Inline)  # noqa: B010  (a name that it imports)
    writer.FLUSH_BYTES = 0
    pipeline.build(folder, store, config())


def state(store: Path) -> dict[str, Any]:
    """What a snapshot holds, as a digest of all rows but file times; its documents; its answers; what is wrong."""
    from h3cold.ingest.store.reader import ColdStore

    reader = ColdStore.open(store)
    rows = {}
    for name in sorted(reader.manifest.tables):
        found = [{k: v for k, v in r.items() if k != "mtime_ns"} for r in reader.table(name).to_table().to_pylist()]
        rows[name] = sorted(json.dumps(row, default=repr, sort_keys=True) for row in found)
    return {
        "snapshot": reader.manifest.snapshot,
        "rows": blake3(json.dumps(rows).encode()).hexdigest(16),
        "documents": sorted(reader.documents()),
        "answers": answers(store),
        "problems": reader.verify(),
    }


def answers(store: Path) -> list[list[list[Any]]]:
    """For each query, file, page and text of the nearest blocks, and of those that have its words.

    Raises:
        H3Error: the store refuses to answer.
    """
    import numpy as np

    from h3cold.ingest.embed import open_embedder
    from h3cold.ingest.store.arrays import map_arrays
    from h3cold.ingest.store.indexes import read_ids, read_index
    from h3cold.ingest.store.reader import ColdStore
    from h3cold.ingest.store.words import rows_with
    from h3cold.ingest.tokens import lexical

    reader = ColdStore.open(store)
    ids = read_ids(reader.index_path("blocks.ids"))
    index = read_index(reader.index_path("blocks"), ids)
    words, _ = map_arrays(reader.index_path("blocks.words"))
    _, near = index.search(np.ascontiguousarray(open_embedder().queries(QUERIES)), FOUND)
    out = []
    for query, places in zip(QUERIES, near.tolist(), strict=True):
        held = {row for token in lexical(query) for row in rows_with(words, token)[:FOUND].tolist()}
        found = [ids[i] for i in places if i >= 0] + [ids[row] for row in sorted(held)]
        named = reader.documents()
        out.append([[named[b.document]["source"], b.page, b.text] for b in reader.blocks(found)])
    return out


def forked(do: Callable[[], Any], *, before: Callable[[], None] | None = None) -> tuple[str, Any]:
    """Run `do` in a process of its own: ("done", what it gave), ("refused" or "broken", why), "killed" or "hung".

    "refused" is an error that says what is wrong. `before` runs first, in that process.
    """
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        os._exit(_child(do, before, write))
    os.close(write)
    until = time.monotonic() + PATIENCE
    parts: list[bytes] = []
    os.set_blocking(read, False)
    while time.monotonic() < until:
        try:
            part = os.read(read, 1 << 20)
        except BlockingIOError:
            time.sleep(0.005)
            continue
        if not part:
            break
        parts.append(part)
    else:
        os.kill(child, signal.SIGKILL)
    os.close(read)
    _, status = os.waitpid(child, 0)
    if parts:
        kind, value = json.loads(b"".join(parts))
        return kind, value
    return ("hung" if time.monotonic() >= until else "killed"), status


def _child(do: Callable[[], Any], before: Callable[[], None] | None, write: int) -> int:
    try:
        if before is not None:
            before()
        out = ("done", do())
    except H3Error as e:
        out = ("refused", f"{type(e).__name__}: {e}")
    except BaseException as e:
        out = ("broken", f"{type(e).__name__}: {e}")
    sys.setprofile(None)
    signal.setitimer(signal.ITIMER_REAL, 0)
    data = json.dumps(out).encode()
    while data:
        data = data[os.write(write, data) :]
    return 0


def counted(do: Callable[[], Any]) -> Callable[[], int]:
    """`do`, as a function that gives the number of calls and returns at which it can be killed."""

    def run() -> int:
        events = [0]

        def seen(frame: FrameType, event: str, argument: Any) -> None:
            events[0] += any(part in frame.f_code.co_filename for part in SEEN)

        sys.setprofile(seen)
        do()
        sys.setprofile(None)
        return events[0]

    return run


def killed_at(number: int) -> Callable[[], None]:
    """Have this process killed at so manieth a call or return."""

    def arm() -> None:
        left = [number]

        def seen(frame: FrameType, event: str, argument: Any) -> None:
            if any(part in frame.f_code.co_filename for part in SEEN):
                left[0] -= 1
                if left[0] <= 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.setprofile(seen)

    return arm


def killed_after(seconds: float) -> Callable[[], None]:
    """Have this process killed after a time, wherever it is then."""

    def arm() -> None:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-4))

    return arm


def synced_to(record: Path) -> Callable[[], None]:
    """Have this process record what it asks the disk to keep, and what it renames."""

    def arm() -> None:
        log = os.open(record, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        sync, replace = os.fsync, os.replace

        def fsync(fd: int) -> None:
            sync(fd)
            os.write(log, (json.dumps(["sync", str(Path(f"/proc/self/fd/{fd}").readlink())]) + "\n").encode())

        def renamed(source: Any, target: Any, **options: Any) -> None:
            replace(source, target, **options)
            os.write(log, (json.dumps(["name", os.path.abspath(source), os.path.abspath(target)]) + "\n").encode())  # noqa: PTH100

        os.fsync, os.replace = fsync, renamed  # type: ignore[assignment]

    return arm


def lose_power(store: Path, before: Path, record: Path, chance: random.Random) -> int:
    """Lose what was never synced: such files are cut, emptied or gone, by chance; how many there were.

    `before` is the store as it was on the disk, `record` what `synced_to` wrote.
    """
    kept: set[str] = set()
    lines = record.read_text().splitlines() if record.exists() else []
    for line in lines:
        event = json.loads(line)
        if event[0] == "sync":
            kept.add(event[1])
        elif event[1] in kept:
            kept.add(event[2])
    lost = 0
    for path in sorted(p for p in store.rglob("*") if p.is_file()):
        old = before / path.relative_to(store)
        if str(path) in kept or (old.exists() and old.read_bytes() == path.read_bytes()):
            continue
        lost += 1
        fate = chance.randrange(4)
        if fate == 0:
            path.unlink()
        elif fate < 3:
            size = path.stat().st_size
            os.truncate(path, 0 if fate == 1 else chance.randrange(size + 1))
    return lost


def full_disk(size: int) -> Callable[[], None]:
    """Let no file of this process grow beyond `size` bytes: a write fails as on a disk that is full."""

    def arm() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return arm


def damage(path: Path, chance: random.Random) -> str:
    """Flip a bit of a file, or cut it; what was done."""
    data = bytearray(path.read_bytes())
    if len(data) < 2 or chance.random() < 0.3:
        path.write_bytes(bytes(data[: len(data) // 2]))
        return "cut"
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(bytes(data))
    return "flipped"


def fresh_copy(store: Path, to: Path) -> Path:
    """The store again, elsewhere, in place of what is there."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(store, to, symlinks=True)
    return to
