"""Work of all kinds that workers meet; a module of its own, since workers import it by name."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import psutil

from h3cold.schemas.errors import DocumentError


class Unreadable:
    """Pickles, but does not come back."""

    def __reduce__(self):
        return (int, ("no number",))


def behave(task, heartbeat):
    """Do to each page what `task.payload` (page -> behaviour) says; gives the pages and the process's id."""
    done = []
    for page in range(task.first, task.last + 1):
        heartbeat(page)
        do = (task.payload or {}).get(page)
        if do:
            BEHAVIOUR[do]()
        done.append(page)
    return done, os.getpid()


def hang():
    while True:  # no sleep: as a parser's loop would
        pass


def hang_with_child():
    subprocess.run(["sleep", "600"], check=True)


def leak():
    kept = []
    while True:
        kept.append(b"x" * (4 << 20))


def leak_slowly():
    globals().setdefault("KEPT", []).append(b"x" * (150 << 20))


def raise_error():
    raise ValueError("no such font")


def raise_document_error():
    raise DocumentError("x.pdf", "truncated; get the file again", page=2)


BEHAVIOUR = {
    "hang": hang,
    "hang with child": hang_with_child,
    "leak": leak,
    "leak slowly": leak_slowly,
    "segfault": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "exit": lambda: os._exit(3),
    "raise": raise_error,
    "raise document error": raise_document_error,
    "print": lambda: print("noise " * 1000),
    "interrupt": lambda: os.kill(os.getpid(), signal.SIGINT),
}


def no_beat(task, heartbeat):
    """Dies without a word about the page."""
    if task.first <= task.payload <= task.last:
        os.kill(os.getpid(), signal.SIGSEGV)
    return list(range(task.first, task.last + 1))


def huge(task, heartbeat):
    """A result far beyond what a pipe holds."""
    return bytes(task.payload)


def unreadable(task, heartbeat):
    return Unreadable()


def unsendable(task, heartbeat):
    return lambda: None


def environment(task, heartbeat):
    return dict(os.environ), "torch" in sys.modules, "pymupdf" in sys.modules


def pause(task, heartbeat):
    heartbeat(task.first)
    time.sleep(task.payload)
    return os.getpid()


def parse(task, heartbeat):
    """What the index builder does with a window of pages."""
    from h3cold.ingest.opening import open_document
    from h3cold.ingest.parse import ParseOptions, parse_window

    with open_document(task.source, passwords=("secret",)) as doc:
        last = min(task.last, doc.page_count)
        return parse_window(doc, task.source, task.first, last, ParseOptions(), heartbeat=heartbeat)


KEPT = []


def scatter(task, heartbeat):
    """Frees 160 MB but for a piece at their end, which keeps the C library from returning them; says its size."""
    if task.first == 1:
        pieces = [bytes(4000) for _ in range(40_000)]
        KEPT.append(pieces[-1])
    return psutil.Process().memory_info().rss


def _ocr_does(*args, **options):
    return BEHAVIOUR[os.environ["H3_TEST_OCR"]]()


def parse_without_end(task, heartbeat):
    """`h3-parse`'s work, in a process where OCR does what the environment says."""
    from h3cold.ingest import ocr, parse_watched

    ocr.read = _ocr_does
    return parse_watched.work(task, heartbeat)


def build_without_end(task, heartbeat):
    """The index builder's work, in a process where OCR does what the environment says."""
    from h3cold.ingest import ocr, stages

    ocr.read = _ocr_does
    return stages.work(task, heartbeat)
