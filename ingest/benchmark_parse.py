"""How well and how fast files are parsed, measured on sets of real documents with ground truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pymupdf

from h3cold.ingest.benchmark_details import details
from h3cold.ingest.benchmark_headings import outlines
from h3cold.ingest.benchmark_hostile import hostile, hostile_ocr
from h3cold.ingest.benchmark_made import engines, generated
from h3cold.ingest.benchmark_memory import memory
from h3cold.ingest.benchmark_order import book_score, order_score
from h3cold.ingest.benchmark_routes import routes
from h3cold.ingest.benchmark_scans import mmlongbench
from h3cold.ingest.benchmark_sets import (
    DoclingScores,
    camelot_tables,
    docling_documents,
    icdar_documents,
    read_ours,
    score_tables,
    score_texts,
)
from h3cold.ingest.benchmark_speed import speed
from h3cold.ingest.page_facts import read_page
from h3cold.ingest.parse import ParseOptions, parse_document
from h3cold.ingest.scores import Tally
from h3cold.ingest.tables import find_tables
from h3cold.schemas.errors import UsageError

Figures = dict[str, float]


def run(data: Path, sets: Sequence[str] | None = None) -> dict[str, Figures]:
    """Measure the named sets (all but those `ON_REQUEST` by default) below the folder `data`; {set: {figure: value}}.

    Raises:
        UsageError: a set is not known or its folder is not there.
    """
    unknown = set(sets or ()) - set(SETS)
    if unknown:
        raise UsageError(f"unknown set {sorted(unknown)[0]!r}; known sets: {', '.join(SETS)}")
    out: dict[str, Figures] = {}
    for name in sets or (name for name in SETS if name not in ON_REQUEST):
        folder, measure = SETS[name]
        if not (data / folder).is_dir():
            raise UsageError(f"{data / folder}: the set {name!r} is not there; see its source in the documentation")
        out[name] = measure(data)
    return out


def icdar(data: Path) -> Figures:
    """Göbel, Hassan, Oro & Orsi, "ICDAR 2013 Table Competition", its US half.

    `region_f1`: tables whose box (around their cells) has IoU >= .5 with that of a true one. `adjacency_f1`: neighbour
    relations over all documents together, from detection on: a missed table's relations are missed, a false one's are
    false. `_even` and `_odd` are the two halves of the documents by their place in the alphabet.
    """
    halves = [[Tally(), Tally()], [Tally(), Tally()]]
    documents: list[float] = []
    for k, (pdf, truth) in enumerate(icdar_documents(data)):
        with pymupdf.open(pdf) as doc:
            found = {page.number + 1: [(t.bbox, t.table) for t in find_tables(read_page(page))] for page in doc}
        cells, regions = score_tables(found, truth)
        documents.append(cells.f1)
        halves[k % 2] = [halves[k % 2][0].plus(cells), halves[k % 2][1].plus(regions)]
    cells, regions = (halves[0][n].plus(halves[1][n]) for n in (0, 1))
    return {
        "region_f1": regions.f1, "region_precision": regions.precision, "region_recall": regions.recall,
        "adjacency_f1": cells.f1, "adjacency_f1_even": halves[0][0].f1, "adjacency_f1_odd": halves[1][0].f1,
        "region_f1_even": halves[0][1].f1, "region_f1_odd": halves[1][1].f1,
        "adjacency_f1_mean_over_documents": sum(documents) / len(documents), "documents": len(documents),
    }  # fmt: skip


def camelot(data: Path) -> Figures:
    """Cell texts of the tables that Camelot's maintainers accepted as regression values (those found on whole pages).

    `cell_f1`: texts that the expected table and the found one nearest to it have in common, as multisets.
    """
    total = Tally()
    scores: list[float] = []
    for path, number, expected in camelot_tables(data):
        with pymupdf.open(path) as doc:
            best = score_texts([t.table for t in find_tables(read_page(doc[number - 1]))], expected)
        total, scores = total.plus(best), [*scores, best.f1]
    return {"cell_f1": total.f1, "cell_f1_mean": sum(scores) / len(scores), "worst": min(scores), "tables": len(scores)}


def geotopo(data: Path) -> Figures:
    """Text of a 117-page book against its hand-corrected truth (py-pdf/benchmarks): indel similarity of the whole, as
    the truth is one file; see `benchmark_order.book_score` for what does not count.
    """
    truth = (data / "pypdf_benchmarks/read/extraction-ground-truth/GeoTopo-book.txt").read_text(encoding="utf-8")
    doc = parse_document(data / "pypdf_sample_files/009-pdflatex-geotopo/GeoTopo-komprimiert.pdf", options=NO_OCR)
    return {"similarity": book_score(doc, truth)}


def docling(data: Path) -> Figures:
    """Against docling's accepted output (not human annotation): `order` is `benchmark_order.order_score`,
    `teds` the mean over its tables and `teds_sound` that over those it has not misread, `headings` the mean over its
    documents with headings of `benchmark_headings.heading_similarity` (texts and levels), `headings_f1` that of
    exactly equal heading texts.
    """
    scores = DoclingScores()
    for pdf, truth in docling_documents(data):
        ours = parse_document(pdf, options=NO_OCR)
        scores.add(read_ours(ours), truth, order=order_score(ours, truth))
    return scores.figures()


NO_OCR = ParseOptions(ocr="off", layout="fast")
SETS: dict[str, tuple[str, Callable[[Path], Figures]]] = {
    "icdar": ("icdar2013_tables", icdar),
    "camelot": ("camelot_tables", camelot),
    "geotopo": ("pypdf_benchmarks", geotopo),
    "docling": ("docling", docling),
    "outlines": ("docling", outlines),
    "details": ("uda", details),
    "speed": ("uda", speed),
    "routes": ("docling", routes),
    "memory": ("uda", memory),
    "mmlongbench": ("mmlongbench", mmlongbench),
    "hostile": ("pdfjs_hostile", hostile),
    "hostile_ocr": ("pdfjs_hostile", hostile_ocr),
    "generated": ("", generated),
    "engines": ("", engines),
}
"""Set to its folder below the data ("" = it needs none) and what measures it."""
ON_REQUEST = ("hostile_ocr",)
"""Sets that take too long to be measured unless they are named."""
