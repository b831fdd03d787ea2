"""How long parsers take for the same pages, by turns in one process, each called as its users call it.

By turns, file after file: what else the machine does meets all of them alike. Seconds are processor time, of all
threads, after one call of each for what it loads only once; libraries get one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pymupdf

from h3cold.ingest.peers import PEERS
from h3cold.ingest.workers import Heartbeat, Task
from h3cold.ingest.workers import run as run_tasks

FILE_SECONDS = 600.0


def by_turns(files: Sequence[Path]) -> dict[str, dict[str, float]]:
    """Seconds a page of each parser that is installed over these files, by the names of `PEERS`.

    `times_ours` is that time over the time of our whole parse, from the file to the finished document, on the
    geometric path (no OCR, no layout model). "pymupdf" is `page.get_text("dict")`, "pymupdf4llm" is
    `pymupdf4llm.to_markdown(file)`.
    """
    task = Task(str(files[0]), payload=list(files), whole=True, tries=1)
    patience = FILE_SECONDS * len(files)
    for result in run_tasks([task], _time_all, workers=1, page_seconds=patience, memory_mb=8192):
        if result.failure is not None:
            return {"h3cold": {"failed": 1.0}}
        pages, spent = result.value
        return {
            name: {"pages": pages, "seconds_a_page": seconds / pages, "times_ours": seconds / spent["h3cold"]}
            for name, seconds in spent.items()
        }
    return {}


def _time_all(task: Task, heartbeat: Heartbeat) -> tuple[int, dict[str, float]]:
    parsers = {name: parse for name, parse in _PARSERS.items() if not PEERS[name].absent}
    spent = dict.fromkeys(parsers, 0.0)
    pages = 0
    for path in task.payload[:1]:
        for parse in parsers.values():
            parse(path)
    for path in task.payload:
        heartbeat(1)
        for name, parse in parsers.items():
            started = time.process_time()
            parse(path)
            spent[name] += time.process_time() - started
        with pymupdf.open(path) as doc:
            pages += doc.page_count
    return pages, spent


def _ours(path: Path) -> None:
    from h3cold.ingest.parse import ParseOptions, parse_document

    parse_document(path, options=ParseOptions(ocr="off", layout="fast"))


def _dictionaries(path: Path) -> None:
    with pymupdf.open(path) as doc:
        for page in doc:
            page.get_text("dict")


def _markdown(path: Path) -> None:
    import pymupdf4llm

    pymupdf4llm.to_markdown(str(path))


_PARSERS: dict[str, Callable[[Path], None]] = {"h3cold": _ours, "pymupdf": _dictionaries, "pymupdf4llm": _markdown}
