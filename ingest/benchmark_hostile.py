"""What becomes of files that were made to break readers."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pymupdf

from h3cold.ingest.page_tree import count_pages
from h3cold.ingest.parse import ParseOptions, parse_document
from h3cold.schemas.errors import DocumentError

FOLDERS = ("pdfjs_hostile", "formatcorpus_hostile", "pdfminer", "odl_samples", "pypdf_sample_files", "pdfplumber")


def hostile(data: Path) -> dict[str, float]:
    """How many files parse, are refused with a reason, crash, or lose pages silently; and the slowest of them.

    Without OCR, whose time grows with the pages and not with their malice.
    """
    out = Counter[str]()
    slowest = 0.0
    for name in FOLDERS:
        for path in sorted((data / name).rglob("*.pdf")):
            started = time.perf_counter()
            try:
                doc = parse_document(path, options=ParseOptions(ocr="off", layout="fast"))
            except DocumentError:
                out["refused"] += 1
            except Exception:
                out["crashed"] += 1
            else:
                out["parsed"] += 1
                out["pages"] += len(doc.pages)
                out["failed_pages"] += len(doc.failures)
                out["files_with_lost_pages"] += [p.number for p in doc.pages] != list(range(1, _page_count(path) + 1))
            slowest = max(slowest, time.perf_counter() - started)
            out["files"] += 1
    keys = ("files", "parsed", "refused", "crashed", "pages", "failed_pages", "files_with_lost_pages")
    return {**{k: float(out[k]) for k in keys}, "slowest_seconds": slowest}


def _page_count(path: Path) -> int:
    with pymupdf.open(path) as doc:
        return count_pages(doc)
