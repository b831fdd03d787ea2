"""Memory of a worker that parses thousands of pages in a row: its peak, and whether it grows."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import psutil
import pymupdf

from h3cold.ingest.workers import Heartbeat, Task, run, windows

PAGES = 5000
WARM = 1000
"""Pages after which everything that is loaded once has been loaded; the slope is that of the pages after them."""


class Sample(NamedTuple):
    """A worker after a window of pages: its process, resident bytes, and the pages that failed."""

    process: int
    resident: int
    failed: int


def memory(data: Path) -> dict[str, float]:
    """`PAGES` pages of one file, made of the annual reports of UDA again and again, by one worker, window by window.

    `peak_mb` is the most resident memory after a window, `slope_mb` the growth over 1,000 pages (least squares over
    the pages after the first `WARM`), `processes` how many were used: more than one means that the worker grew so
    much that it was replaced, and then the slope says nothing.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.pdf"
        join(sorted((data / "uda").rglob("*.pdf")), path, PAGES)
        started = time.perf_counter()
        samples = measured(path, PAGES)
        seconds = time.perf_counter() - started
        size = path.stat().st_size
    last = [(pages, s) for pages, s in samples if pages >= WARM]
    return {
        "pages": PAGES, "file_mb": size / 1e6, "failed_pages": sum(s.failed for _, s in samples),
        "processes": len({s.process for _, s in samples}), "peak_mb": max(s.resident for _, s in samples) / 1e6,
        "slope_mb": 1000 * slope([(float(pages), s.resident / 1e6) for pages, s in last]),
        "pages_per_second": PAGES / seconds,
    }  # fmt: skip


def join(files: Sequence[Path], out: Path, pages: int) -> None:
    """One file of so many pages, of those of `files` as often as it takes."""
    with pymupdf.open() as made:
        while made.page_count < pages:
            for path in files:
                with pymupdf.open(path) as doc:
                    made.insert_pdf(doc, to_page=min(doc.page_count, pages - made.page_count) - 1, links=False)
                if made.page_count >= pages:
                    break
        made.save(out, garbage=1)


def measured(path: Path, pages: int) -> list[tuple[int, Sample]]:
    """Pages that were parsed so far, and the worker then, window by window."""
    out: list[tuple[int, Sample]] = []
    done = 0
    for result in run(windows(str(path), pages), work, workers=1):
        done += result.task.last - result.task.first + 1
        if result.failure is None:
            out.append((done, result.value))
    return out


def work(task: Task, heartbeat: Heartbeat) -> Sample:
    """In a worker: parse a window as the index builder does, and say how large the process is afterwards."""
    from h3cold.ingest.opening import open_document
    from h3cold.ingest.parse import ParseOptions, parse_window

    options = ParseOptions(ocr="off", layout="fast")
    with open_document(task.source) as doc:
        pages = parse_window(doc, task.source, task.first, task.last, options, heartbeat=heartbeat)
    failed = sum(p.failure is not None for p in pages)
    return Sample(os.getpid(), psutil.Process().memory_info().rss, failed)


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Least-squares slope; 0 for fewer than two points."""
    if len(points) < 2:
        return 0.0
    x_mean, y_mean = (sum(p[k] for p in points) / len(points) for k in (0, 1))
    return sum((x - x_mean) * (y - y_mean) for x, y in points) / sum((x - x_mean) ** 2 for x, _ in points)
