"""How long parsers take for the same pages, by turns, each called as its users call it.

By turns, file after file: what else the machine does meets all of them alike. Seconds are processor time, of all
threads, after one call for what is loaded only once. Each parser has a process of its own, so that it is charged for
its own work alone: a neural network's threads spin on for a while after they are done, at another's cost in one
process.

Libraries are told to take one thread. ONNX Runtime, which `to_markdown` runs its networks with, takes one a core all
the same. They spin between its steps as well, which counts, as its users pay for it: about a sixth of its processor
time on two cores. By the clock they make it faster, see `clock_times_ours`.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import pymupdf

from h3cold.ingest.peers import PEERS
from h3cold.ingest.workers import Heartbeat, Pool, Task

FILE_SECONDS = 600.0


def by_turns(files: Sequence[Path]) -> dict[str, dict[str, float]]:
    """Seconds a page of each parser that is installed over these files, by the names of `PEERS`.

    `times_ours` is that time over the time of our whole parse, from the file to the finished document, on the
    geometric path (no OCR, no layout model); `clock_times_ours` the same by the clock, which tells something on a
    machine that does nothing else. "pymupdf" is `page.get_text("dict")`, "pymupdf4llm" is
    `pymupdf4llm.to_markdown(file)`. Where one fails at a file that is all there is: its name with `failed`.
    """
    spent: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    with ExitStack() as stack:
        pools = {
            name: stack.enter_context(Pool(_timed, workers=1, page_seconds=FILE_SECONDS, memory_mb=8192))
            for name in _PARSERS
            if not PEERS[name].absent
        }
        for path in [*files[:1], *files]:
            for name, pool in pools.items():
                pool.submit(Task(str(path), payload=(name, path), whole=True, tries=1))
                result = pool.next()
                if result.failure is not None:
                    return {name: {"failed": 1.0}}
                spent[name].append(result.value)
    pages = sum(map(_pages, files))
    total = {name: [sum(seconds) for seconds in zip(*turns[1:], strict=True)] for name, turns in spent.items()}
    ours = total["h3cold"]
    return {
        name: {
            "pages": pages,
            "seconds_a_page": processor / pages,
            "times_ours": processor / ours[0],
            "clock_times_ours": clock / ours[1],
        }
        for name, (processor, clock) in total.items()
    }


def _timed(task: Task, heartbeat: Heartbeat) -> tuple[float, float]:
    """In a worker: seconds of the processor and of the clock for one file."""
    name, path = task.payload
    parse = _PARSERS[name]
    heartbeat(1)
    processor, clock = time.process_time(), time.perf_counter()
    parse(path)
    return time.process_time() - processor, time.perf_counter() - clock


def _pages(path: Path) -> int:
    with pymupdf.open(path) as doc:
        return doc.page_count


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
