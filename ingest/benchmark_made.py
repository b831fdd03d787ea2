"""How well generated documents and their scans are read, against their exact truth; and which OCR engine reads best."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pymupdf

from h3cold.ingest.generated import samples, varied
from h3cold.ingest.generated.scans import scanned
from h3cold.ingest.generated.score import figure, score
from h3cold.ingest.generated.truth import TruthDocument
from h3cold.ingest.ocr import image, tesseract
from h3cold.ingest.ocr.engines import OcrLine, open_engine
from h3cold.ingest.parse import ParseOptions, parse_document
from h3cold.ingest.scores import Tally, edit_distance

DPIS = (150, 200, 300)
SCANNED_PAGES = 2
"""Pages of each document that are scanned as well: OCR takes seconds a page."""

SCANS = ("report_en", "paper_en", "report_zh", "journal_zh")
"""The documents that are."""


def generated(data: Path) -> dict[str, float]:
    """Documents of many makes and scans of some of their pages; the folder `data` is not looked at.

    By language: `order`, `teds`, `headings` (F1), `levels`, `furniture` (precision and recall, exact lines by page) and
    `kinds` of the born-digital files; the same and `cer` of the scans at each resolution, which are turned by up to
    1.5 degrees, noisy and JPEG-compressed, but for the furniture: so few pages do not tell what runs. Pages a second by
    route.
    """
    totals: dict[str, dict[str, Tally]] = {}
    pages = Counter[str]()
    seconds = {"geometry": 0.0, "ocr": 0.0}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.pdf"
        for group, data_, document in _files():
            path.write_bytes(data_)
            started = time.perf_counter()
            parsed = parse_document(path, options=ParseOptions())
            route = "ocr" if document.scanned else "geometry"
            seconds[route] += time.perf_counter() - started
            pages[route] += len(parsed.pages)
            total = totals.setdefault(f"{group}{document.language}", {})
            for name, tally in score(document, parsed)[0].items():
                total[name] = total.get(name, Tally()).plus(tally)
    out = {f"{group}_{name}": value for group, total in totals.items() for name, value in _figures(group, total)}
    return {**out, **{f"{route}_pages_per_second": n / seconds[route] for route, n in pages.items()}}


def _figures(group: str, total: dict[str, Tally]) -> Iterator[tuple[str, float]]:
    for name, column in (("order", "order"), ("teds", "teds"), ("headings", "heads"), ("levels", "levels"),
                         ("kinds", "kinds")):  # fmt: skip
        yield name, figure(column, total[column])
    if group.startswith("scan"):
        yield "cer", 1 - total["cer"].recall
    else:
        yield "furniture_precision", total["run"].precision
        yield "furniture_recall", total["run"].recall


def _files() -> Iterator[tuple[str, bytes, TruthDocument]]:
    for plan in varied.PLANS:
        data, document = varied.build(plan)
        yield "", data, document
        if plan.name not in SCANS:
            continue
        data, document = varied.first_pages(data, document, SCANNED_PAGES)
        for n, dpi in enumerate(DPIS):
            skew = (-1.5, 0.7, 1.2)[(n + plan.seed) % 3]
            yield f"scan{dpi}_", scanned(data, title="", dpi=dpi, skew=skew, seed=plan.seed), document


def engines(data: Path) -> dict[str, float]:
    """Character error rate of each OCR engine at hand on scans of plain pages, by kind of text and resolution, and its
    seconds a page; blanks count between words of English. The folder `data` is not looked at.
    """
    out: dict[str, float] = {}
    names = ["rapidocr", *(["tesseract"] if tesseract.can_read("en") and tesseract.can_read("zh") else [])]
    for kind in samples.KINDS:
        pdf, told = samples.sample(kind)
        blank = "" if kind in ("zh", "mixed") else " "
        told = blank.join(told.split())
        language = "zh" if kind in ("zh", "mixed") else "en"
        for dpi in DPIS:
            with pymupdf.open(stream=scanned(pdf, title="", dpi=dpi, skew=0.7, seed=dpi)) as doc:
                picture = image.render(doc[0]).image
            level = image.straighten(picture, turn=0, skew=image.layout_of(picture).skew)
            for name in names:
                engine = open_engine(name)
                started = time.perf_counter()
                read = blank.join(_row_by_row(engine(level, language=language)).split())
                out[f"{name}_{kind}_{dpi}_seconds"] = time.perf_counter() - started
                out[f"{name}_{kind}_{dpi}_cer"] = edit_distance(told, read) / len(told)
    return out


def _row_by_row(lines: list[OcrLine]) -> str:
    """The text of a page without columns: pieces at one height from left to right."""
    rows: list[list[OcrLine]] = []
    for line in sorted(lines, key=lambda line: line.bbox[1] + line.bbox[3]):
        if rows and line.bbox[1] + line.bbox[3] < 2 * rows[-1][-1].bbox[3] - (line.bbox[3] - line.bbox[1]) / 2:
            rows[-1].append(line)
        else:
            rows.append([line])
    return "\n".join(line.text for row in rows for line in sorted(row, key=lambda line: line.bbox[0]))
