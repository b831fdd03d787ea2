"""Measures the store as a whole: `h3-benchmark store`.

`scan`, `changed`, `workers` and `size` take minutes; `many`, `long` and `faults` take an hour or more together and are
measured when they are asked for by name. All documents are made on the spot.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from h3cold.ingest.live import read_live
from h3cold.ingest.made_filings import write_filing, write_filings
from h3cold.ingest.scan import Known, scan
from h3cold.ingest.status import read_status
from h3cold.ingest.store import ColdStore
from h3cold.ingest.store.files import walk_files
from h3cold.schemas.errors import H3Error, UsageError

SCANNED, STORED, SHARED, PAGES = 10_000, 1_000, 48, 5_000
"""Files of `scan` and `many`, of `changed`; documents of `workers`; pages of the document in `long`."""

ROUNDS = 5


def run(folder: Path, sets: Sequence[str] | None = None) -> dict[str, dict[str, float]]:
    """Figures by set. `folder` is not used.

    Raises:
        UsageError: there is no such set.
        H3Error: a build failed.
    """
    del folder
    known: dict[str, Callable[[Path], dict[str, float]]] = {
        "scan": scanning, "changed": changing, "workers": workers, "size": sizes, "many": many, "long": long,
        "faults": lambda _: faults(),
    }  # fmt: skip
    wanted = list(known)[:4] if sets is None else list(sets)
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise UsageError(f"no set {unknown[0]!r} of store; known: {', '.join(known)}")
    out = {}
    for name in wanted:
        with tempfile.TemporaryDirectory(prefix="h3-bench-") as scratch:
            out[name] = known[name](Path(scratch))
    return out


def scanning(scratch: Path, *, files: int = SCANNED) -> dict[str, float]:
    """Seconds to look through unchanged files, beside those to list and stat them; medians of rounds in turn."""
    for i in range(files):
        path = scratch / f"{i // 500:03d}" / f"{i:05d}.pdf"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"%%PDF-1.7 %d" % i)
    known = {f.path: Known(f.size, f.mtime_ns, f.document) for f in scan(scratch, {})}
    listed: list[float] = []
    scanned: list[float] = []
    for _ in range(ROUNDS):
        listed.append(_seconds(lambda: _list_and_stat(scratch)))
        scanned.append(_seconds(lambda: scan(scratch, known)))
    bare, ours = median(listed), median(scanned)
    return {"files": files, "list_and_stat_s": bare, "scan_s": ours, "scan/list_and_stat": ours / bare}


def changing(scratch: Path, *, files: int = STORED) -> dict[str, float]:
    """A store of so many one-page files: the first build, a run without changes, a run with one changed file."""
    pdfs, store = scratch / "pdfs", scratch / "h3_cold"
    first = write_filings(pdfs, files)[0]
    whole = build(pdfs, store)
    unchanged = build(pdfs, store)
    write_filing(first, files + 1)
    changed = build(pdfs, store)
    times = {stage: status["seconds"] for stage, status in read_status(store, changed["snapshot"]).items()}
    return {
        "files": files,
        "first build_s": whole["seconds"],
        "unchanged_s": unchanged["seconds"],
        "one changed_s": changed["seconds"],
        "first build/one changed": whole["seconds"] / changed["seconds"],
        "pages parsed again": changed["pages"],
        "blocks embedded again": changed["blocks"],
        "of it: entities linked_s": times["kg"],
        "of it: indexes_s": times["index"],
    }


def workers(scratch: Path, *, documents: int = SHARED) -> dict[str, float]:
    """Pages a second from file to published snapshot, with one worker process and with two."""
    pdfs = scratch / "pdfs"
    write_filings(pdfs, documents, pages=5, paragraphs=5)
    rates = {}
    for count in (1, 2):
        made = build(pdfs, scratch / f"store{count}", "--workers", str(count))
        rates[count] = made["pages"] / made["seconds"]
    return {"pages": documents * 5, "pages_s, 1 worker": rates[1], "pages_s, 2 workers": rates[2],
            "2 workers/1 worker": rates[2] / rates[1]}  # fmt: skip


def sizes(scratch: Path, *, documents: int = SHARED) -> dict[str, float]:
    """Bytes of a published store, relative to the text in it (UTF-8) and to the PDF files."""
    pdfs, store = scratch / "pdfs", scratch / "h3_cold"
    write_filings(pdfs, documents, pages=5, paragraphs=5)
    build(pdfs, store)
    return store_size(store, pdfs)


def store_size(store: Path, pdfs: Path) -> dict[str, float]:
    """The same of any store, made from the folder `pdfs`."""
    blocks = ColdStore.open(store).table("blocks").to_table(columns=["text"])["text"].to_pylist()
    text = sum(len(said.encode()) for said in blocks)
    parts = {name: sum(f.stat().st_size for f in walk_files(store / name)) for name in ("tables", "index", "meta")}
    source = sum(f.stat().st_size for f in walk_files(pdfs) if f.suffix.lower() == ".pdf")
    total = sum(parts.values())
    return {"text_bytes": text, "store/text": total / text, "store/pdfs": total / source,
            **{f"{name}/text": size / text for name, size in parts.items()}}  # fmt: skip


def many(scratch: Path, *, files: int = SCANNED) -> dict[str, float]:
    """A folder of so many one-page files: time and most memory of the main process and of a worker."""
    write_filings(scratch / "pdfs", files)
    return {"files": files, **_load(scratch / "pdfs", scratch / "h3_cold")}


def long(scratch: Path, *, pages: int = PAGES) -> dict[str, float]:
    """One file of so many pages: the same."""
    (scratch / "pdfs").mkdir()
    write_filing(scratch / "pdfs" / "long.pdf", 1, pages=pages, paragraphs=4)
    return _load(scratch / "pdfs", scratch / "h3_cold")


def faults() -> dict[str, float]:
    """What a store survives."""
    from h3cold.ingest.benchmark_faults import run as run_faults

    return run_faults()


def _load(pdfs: Path, store: Path) -> dict[str, float]:
    made = build(pdfs, store)
    state = read_live(store)
    if state is None:
        raise H3Error(f"{store}: the build left no state")
    memory = state["memory_mb"]
    return {"pages": made["pages"], "seconds": made["seconds"], "pages_s": made["pages"] / made["seconds"],
            "peak of main process_MB": memory["peak_main"], "peak of one worker_MB": memory["peak_worker"]}  # fmt: skip


def build(pdfs: Path, store: Path, *options: str) -> dict[str, Any]:
    """One run of `h3-index-builder`, in a process of its own; its summary.

    Raises:
        H3Error: it failed.
    """
    command = [sys.executable, "-m", "h3cold.ingest.cli_build", "--path", str(pdfs), "--store", str(store), "--json"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    if done.returncode:
        shutil.rmtree(store, ignore_errors=True)
        raise H3Error(f"a build failed: {' '.join(done.stderr.split())[-400:]}")
    summary: dict[str, Any] = json.loads(done.stdout)
    return summary


def _list_and_stat(folder: Path) -> int:
    """What any look through a folder costs: every name, with its size and time."""
    count = 0
    for where, _, names in os.walk(folder):
        for name in names:
            count += os.stat(os.path.join(where, name)).st_size >= 0  # noqa: PTH116, PTH118  (as fast as it gets)
    return count


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
