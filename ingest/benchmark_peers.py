"""Our parser and those that a user would take instead, side by side: same files, same run, same scorers.

A peer that is not installed is `absent`; a file that it fails at, or takes longer for than `FILE_SECONDS`, counts as
one in which it found nothing. Each runs in a process of its own with one thread a library; `seconds_a_page` is
processor time over all pages of the set, without that of its import.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pymupdf

from h3cold.ingest.benchmark_order import book_text, plain_book, plain_order
from h3cold.ingest.benchmark_sets import (
    DoclingScores,
    Reading,
    camelot_tables,
    docling_documents,
    icdar_documents,
    score_tables,
    score_texts,
)
from h3cold.ingest.benchmark_turns import by_turns
from h3cold.ingest.generated.score import table_of
from h3cold.ingest.generated.truth import TruthDocument
from h3cold.ingest.peers import PEERS, work
from h3cold.ingest.scores import Tally, indel, match_boxes, normalised, teds
from h3cold.ingest.workers import Task
from h3cold.ingest.workers import run as run_tasks
from h3cold.schemas.errors import UsageError

Figures = dict[str, float]
FILE_SECONDS = 300.0
EACH = 16
"""One page in so many is timed."""
TIMED = "windows"
"""The set that is timed by turns, and read by those alone that `benchmark_turns` times."""
WINDOW = 12
"""Pages in a row that are timed of a long document."""


class _Set(NamedTuple):
    """Files, and how readings of those of them that were given to a parser are scored."""

    files: list[Path]
    score: Callable[[Mapping[Path, Reading]], Figures]


def run(data: Path, sets: Sequence[str] | None = None) -> dict[str, Figures]:
    """Read and score the named sets (all of them by default) with every peer; {peer: {set figure: value}}.

    H3_BENCH_STEP=5 reads every fifth file of each set only.

    Raises:
        UsageError: a set is not known, its folder is not there, or the step is no number.
    """
    wished = os.environ.get("H3_BENCH_STEP", "1")
    if not wished.isdecimal() or not int(wished):
        raise UsageError(f"H3_BENCH_STEP is {wished!r}; give a whole number, such as 5")
    unknown = set(sets or ()) - set(SETS)
    if unknown:
        raise UsageError(f"unknown set {sorted(unknown)[0]!r}; known sets: {', '.join(SETS)}")
    out: dict[str, Figures] = {name: {"absent": 1.0} if peer.absent else {} for name, peer in PEERS.items()}
    with tempfile.TemporaryDirectory() as folder:
        for name in sets or SETS:
            needed, make = SETS[name]
            if needed and not (data / needed).is_dir():
                raise UsageError(f"{data / needed}: the set {name!r} is not there; see its source in the documentation")
            made = make(data, Path(folder))
            if name == TIMED:
                for peer, figures in by_turns(sorted(made.files)[:: int(wished)]).items():
                    out[peer] |= {f"{name} {k}": v for k, v in figures.items()}
                continue
            for peer, figures in out.items():
                if not PEERS[peer].absent:
                    figures |= {f"{name} {k}": v for k, v in _measure(peer, made, step=int(wished)).items()}
    return out


def _measure(peer: str, made: _Set, *, step: int = 1) -> Figures:
    files = sorted(set(made.files))[::step]
    parts = [files] if PEERS[peer].together else [[f] for f in files]
    tasks = [Task(str(part[0]), payload=(peer, part), whole=True, tries=1) for part in parts]
    patience = FILE_SECONDS * max(map(len, parts))
    readings: dict[Path, Reading] = {}
    seconds = 0.0
    for result in run_tasks(tasks, work, workers=1, page_seconds=patience, memory_mb=8192):
        if result.failure is None:
            found, spent = result.value
            readings.update(zip(result.task.payload[1], found, strict=True))
            seconds += spent
    pages, failed = sum(map(_pages, readings)), len(files) - len(readings)
    readings = dict.fromkeys(files, _nothing(readings.values())) | readings
    return {**made.score(readings), "files": len(files), "failed": failed, "seconds_a_page": seconds / max(1, pages)}


def _nothing(readings: Collection[Reading]) -> Reading:
    """What a parser that gives such readings has of a file in which it finds nothing."""
    text = any(r.body is not None for r in readings)
    return Reading({}, "" if text else None, {} if any(r.heads is not None for r in readings) else None)


def _pages(path: Path) -> int:
    with pymupdf.open(path) as doc:
        return doc.page_count


def _icdar(data: Path, folder: Path) -> _Set:
    documents = list(icdar_documents(data))

    def score(readings: Mapping[Path, Reading]) -> Figures:
        cells, regions = Tally(), Tally()
        for path, truth in documents:
            if path not in readings:
                continue
            a, b = score_tables(readings[path].tables, truth)
            cells, regions = cells.plus(a), regions.plus(b)
        return {"region_f1": regions.f1, "adjacency_f1": cells.f1}

    return _Set([path for path, _ in documents], score)


def _camelot(data: Path, folder: Path) -> _Set:
    expected = list(camelot_tables(data))

    def score(readings: Mapping[Path, Reading]) -> Figures:
        total = Tally()
        for path, number, cells in expected:
            if path not in readings:
                continue
            found = [table for _, table in readings[path].tables.get(number, ())]
            total = total.plus(score_texts(found, cells))
        return {"cell_f1": total.f1}

    return _Set([path for path, _, _ in expected], score)


def _docling(data: Path, folder: Path) -> _Set:
    documents = list(docling_documents(data))

    def score(readings: Mapping[Path, Reading]) -> Figures:
        scores = DoclingScores()
        for path, truth in documents:
            if path in readings:
                scores.add(readings[path], truth)
        found = scores.figures()
        return {k: found[k] for k in ("order", "teds", "headings_f1") if k in found}

    return _Set([path for path, _ in documents], score)


def _geotopo(data: Path, folder: Path) -> _Set:
    """A book against its corrected text (py-pdf/benchmarks), which has the running lines that some leave out."""
    path = data / "pypdf_sample_files/009-pdflatex-geotopo/GeoTopo-komprimiert.pdf"
    truth = (data / "pypdf_benchmarks/read/extraction-ground-truth/GeoTopo-book.txt").read_text(encoding="utf-8")

    def score(readings: Mapping[Path, Reading]) -> Figures:
        body = readings[path].body
        return {} if body is None else {"similarity": indel(plain_book(body), book_text(truth))}

    return _Set([path], score)


def _generated(data: Path, folder: Path) -> _Set:
    """The documents of the parser's own benchmark, whose truth is exact; see `generated.varied`."""
    from h3cold.ingest.generated.varied import PLANS, build

    documents: list[tuple[Path, TruthDocument]] = []
    for plan in PLANS:
        bytes_, truth = build(plan)
        documents.append((folder / truth.file, truth))
        documents[-1][0].write_bytes(bytes_)

    def score(readings: Mapping[Path, Reading]) -> Figures:
        orders: list[float] = []
        trees: list[float] = []
        heads = Tally()
        known = False
        for path, truth in documents:
            if path not in readings:
                continue
            reading = readings[path]
            if reading.body is not None:
                orders.append(indel(reading.body, _body(truth)))
            trees += _trees(reading, truth)
            told = {normalised(r.text) for p in truth.pages for r in p.regions if r.kind in ("title", "heading")}
            ours = reading.heads or {}
            known = known or reading.heads is not None
            heads = heads.plus(Tally(len(told & ours.keys()), len(ours), len(told)))
        return (
            ({"order": sum(orders) / len(orders)} if orders else {})
            | {"teds": sum(trees) / max(1, len(trees))}
            | ({"headings_f1": heads.f1} if known else {})
        )

    return _Set([path for path, _ in documents], score)


def _sampled_pages(data: Path, folder: Path) -> _Set:
    """Born-digital pages of many kinds for the time they take alone: every `EACH`th page of the longer documents, the
    first of the shorter ones. A source's pages are one file.
    """
    files: list[Path] = []
    for place in ("uda", "icdar2013_tables", "docling", "camelot_tables", "pdfplumber"):
        sources = sorted((data / place).rglob("*.pdf"))
        for path in sources if place == "uda" else sources[::3]:
            with pymupdf.open(path) as doc, pymupdf.open() as out:
                if not doc.is_pdf or doc.needs_pass or not any(page.get_text().strip() for page in doc.pages(0, 1)):
                    continue
                for number in range(0, doc.page_count, EACH):
                    out.insert_pdf(doc, from_page=number, to_page=number)
                files.append(folder / f"{len(files):03}.pdf")
                out.save(files[-1], garbage=3)
    return _Set(files, lambda readings: {"pages": sum(map(_pages, readings))})


def _windows(data: Path, folder: Path) -> _Set:
    """`WINDOW` pages in a row from the middle of each long document of UDA: what a page of such a document takes."""
    files: list[Path] = []
    for path in sorted((data / "uda").rglob("*.pdf")):
        with pymupdf.open(path) as doc, pymupdf.open() as out:
            if doc.page_count < WINDOW:
                continue
            first = (doc.page_count - WINDOW) // 2
            out.insert_pdf(doc, from_page=first, to_page=first + WINDOW - 1)
            files.append(folder / f"window{len(files):02}.pdf")
            out.save(files[-1], garbage=3)
    return _Set(files, lambda readings: {"pages": sum(map(_pages, readings))})


def _body(truth: TruthDocument) -> str:
    left_out = ("header", "footer", "figure")
    return "".join(plain_order(r.words) for p in truth.pages for r in p.regions if r.kind not in left_out)


def _trees(reading: Reading, truth: TruthDocument) -> list[float]:
    scores = []
    for page in truth.pages:
        near = reading.tables.get(page.number, ())
        told = [(r.bbox, r.table) for r in page.regions if r.table is not None]
        pairs = {j: i for i, j in match_boxes([box for box, _ in near], [box for box, _ in told], least=0.1)}
        scores += [teds(near[pairs[j]][1] if j in pairs else None, table_of(t)) for j, (_, t) in enumerate(told)]
    return scores


SETS: dict[str, tuple[str, Callable[[Path, Path], _Set]]] = {
    "icdar": ("icdar2013_tables", _icdar),
    "camelot": ("camelot_tables", _camelot),
    "docling": ("docling", _docling),
    "geotopo": ("pypdf_benchmarks", _geotopo),
    "generated": ("", _generated),
    "pages": ("uda", _sampled_pages),
    "windows": ("uda", _windows),
}
"""Set to its folder below the data ("" for one that is made here) and what makes it, given the data and a folder."""
