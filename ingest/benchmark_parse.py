"""How well and how fast files are parsed, measured on sets of real documents with ground truth."""

from __future__ import annotations

import itertools
import json
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pymupdf

from h3cold.ingest.page_facts import TEXT_FLAGS, read_page
from h3cold.ingest.page_tree import count_pages
from h3cold.ingest.parse import ParseOptions, parse_document
from h3cold.ingest.scores import Tally, adjacency, indel, match_boxes, normalised, teds
from h3cold.ingest.tables import FoundTable, find_tables
from h3cold.schemas.document import ParsedDocument
from h3cold.schemas.errors import DocumentError, UsageError
from h3cold.schemas.geometry import BBox, union
from h3cold.schemas.page import Cell, Table

Figures = dict[str, float]
LARGE = 400
"""Cells above which TEDS, quadratic in them, is left out."""


def run(data: Path, sets: Sequence[str] | None = None) -> dict[str, Figures]:
    """Measure the named sets (all of them by default) below the folder `data`; {set: {figure: value}}.

    Raises:
        UsageError: a set is not known or its folder is not there.
    """
    unknown = set(sets or ()) - set(SETS)
    if unknown:
        raise UsageError(f"unknown set {sorted(unknown)[0]!r}; known sets: {', '.join(SETS)}")
    out: dict[str, Figures] = {}
    for name in sets or SETS:
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
    for k, (pdf, truth) in enumerate(_icdar_truth(data / "icdar2013_tables" / "competition-dataset-us")):
        cells, regions = Tally(), Tally()
        with pymupdf.open(pdf) as doc:
            for page in doc:
                found = find_tables(read_page(page))
                a, b = _score_page(found, [_upright(t, page.rect.height) for n, t in truth if n == page.number + 1])
                cells, regions = cells.plus(a), regions.plus(b)
        documents.append(cells.f1)
        halves[k % 2] = [halves[k % 2][0].plus(cells), halves[k % 2][1].plus(regions)]
    cells, regions = (halves[0][n].plus(halves[1][n]) for n in (0, 1))
    return {
        "region_f1": regions.f1, "region_precision": regions.precision, "region_recall": regions.recall,
        "adjacency_f1": cells.f1, "adjacency_f1_even": halves[0][0].f1, "adjacency_f1_odd": halves[1][0].f1,
        "region_f1_even": halves[0][1].f1, "region_f1_odd": halves[1][1].f1,
        "adjacency_f1_mean_over_documents": sum(documents) / len(documents), "documents": len(documents),
    }  # fmt: skip


def _icdar_truth(folder: Path) -> Iterator[tuple[Path, list[tuple[int, Table]]]]:
    for xml in sorted(folder.glob("*-str.xml")):
        pdf = xml.with_name(xml.name.replace("-str.xml", ".pdf"))
        if not pdf.exists():  # documents that the competition gave twice, with two truths for one file
            pdf = pdf.with_name(pdf.stem[:-1] + "a.pdf")
        tables = []
        for region in ElementTree.parse(xml).getroot().iter("region"):
            cells = [_icdar_cell(c) for c in region.iter("cell")]
            rows, cols = max(c.row + c.rowspan for c in cells), max(c.col + c.colspan for c in cells)
            tables.append((int(region.attrib["page"]), Table(rows, cols, tuple(cells))))
        yield pdf, tables


def _icdar_cell(element: ElementTree.Element) -> Cell:
    box = element.find("bounding-box")
    assert box is not None
    # one coordinate of the set has a mistyped digit
    x1, y1, x2, y2 = (float(box.attrib[k].replace("ß", "0")) for k in ("x1", "y1", "x2", "y2"))
    row, col = int(element.attrib["start-row"]), int(element.attrib["start-col"])
    last_row, last_col = int(element.attrib.get("end-row", row)), int(element.attrib.get("end-col", col))
    text = element.findtext("content") or ""
    return Cell(row, col, text, (x1, y1, x2, y2), last_row - row + 1, last_col - col + 1)


def _upright(table: Table, height: float) -> Table:
    """From the set's origin at the bottom left to ours at the top left."""
    return Table(table.rows, table.cols, tuple(
        Cell(c.row, c.col, c.text, (c.bbox[0], height - c.bbox[3], c.bbox[2], height - c.bbox[1]), c.rowspan, c.colspan)
        for c in table.cells
    ))  # fmt: skip


def _score_page(found: Sequence[FoundTable], truth: Sequence[Table]) -> tuple[Tally, Tally]:
    boxes: list[BBox] = [union(c.bbox for c in t.cells) for t in truth]
    regions = Tally(len(match_boxes([f.bbox for f in found], boxes)), len(found), len(truth))
    pairs = dict(match_boxes([f.bbox for f in found], boxes, least=0.05))
    cells = Tally()
    for i, f in enumerate(found):
        cells = cells.plus(adjacency(f.table, truth[pairs[i]] if i in pairs else None))
    for j, t in enumerate(truth):
        if j not in pairs.values():
            cells = cells.plus(adjacency(None, t))
    return cells, regions


def camelot(data: Path) -> Figures:
    """Cell texts of the tables that Camelot's maintainers accepted as regression values (those found on whole pages).

    `cell_f1`: texts that the expected table and the found one nearest to it have in common, as multisets.
    """
    folder = data / "camelot_tables"
    expected = [e for e in json.loads((folder / "expected_tables.json").read_text(encoding="utf-8"))
                if not e["restricted"]]  # fmt: skip
    total = Tally()
    scores: list[float] = []
    for entry in expected:
        path = folder / "tests" / "files" / entry["file"]
        if not path.exists():  # its copy of the ICDAR documents is the other set
            path = data / "icdar2013_tables" / "competition-dataset-us" / path.name
        with pymupdf.open(path) as doc:
            found = [_texts(t.table.grid()) for t in find_tables(read_page(doc[int(entry["pages"]) - 1]))]
        wanted = _texts(entry["expected"])
        best = max((Tally((f & wanted).total(), f.total(), wanted.total()) for f in found), key=lambda t: t.f1,
                   default=Tally(0, 0, wanted.total()))  # fmt: skip
        total, scores = total.plus(best), [*scores, best.f1]
    return {"cell_f1": total.f1, "cell_f1_mean": sum(scores) / len(scores), "worst": min(scores), "tables": len(scores)}


def _texts(grid: Sequence[Sequence[str]]) -> Counter[str]:
    """Cell texts; the letters of right-to-left ones are sorted, as the set has them in the order they are drawn."""
    texts = (normalised(text) for row in grid for text in row)
    return Counter("".join(sorted(t)) if any("\u0590" <= c <= "\u08ff" for c in t) else t for t in texts if t)


def geotopo(data: Path) -> Figures:
    """Text of a 117-page book against its hand-corrected truth (py-pdf/benchmarks): indel similarity page by page is
    not possible, as the truth is one file, so it is that of the whole text without blanks.
    """
    truth = (data / "pypdf_benchmarks/read/extraction-ground-truth/GeoTopo-book.txt").read_text(encoding="utf-8")
    doc = parse_document(data / "pypdf_sample_files/009-pdflatex-geotopo/GeoTopo-komprimiert.pdf", options=_NO_OCR)
    text = "".join(r.text for p in doc.pages for r in p.regions)
    return {"similarity": indel("".join(text.split()), "".join(truth.split()))}


def docling(data: Path) -> Figures:
    """Against docling's accepted output (not human annotation): `order` is the indel similarity of the body text in
    reading order, `teds` the mean over its tables, `headings` the F1 of heading texts, `levels` the share of those
    whose relative level (outermost = 1) agrees.
    """
    folder = data / "docling" / "tests" / "data" / "pdf"
    orders, trees, heads = [], [], Tally()
    agreed = compared = 0
    for path in sorted((folder / "groundtruth").glob("*.json")):
        pdf = folder / "sources" / f"{path.stem}.pdf"
        if path.name.endswith(".pages.meta.json") or not pdf.exists():
            continue
        truth = json.loads(path.read_text(encoding="utf-8"))
        ours = parse_document(pdf, options=_NO_OCR)
        orders.append(indel(_body(ours), _docling_body(truth)))
        tables = [(p.number, r.bbox, r.table) for p in ours.pages for r in p.regions if r.table is not None]
        trees += [_teds_of(t, truth, tables) for t in truth["tables"] if len(t["data"]["table_cells"]) <= LARGE]
        mine = {
            normalised(r.text): r.level or 1 for p in ours.pages for r in p.regions if r.kind in ("heading", "title")
        }
        theirs = {normalised(t["text"]): t.get("level") or 1 for t in truth["texts"]
                  if t["label"] in ("section_header", "title")}  # fmt: skip
        both = mine.keys() & theirs.keys()
        heads = heads.plus(Tally(len(both), len(mine), len(theirs)))
        pairs = list(itertools.combinations(sorted(both), 2))
        compared += len(pairs)
        agreed += sum(_sign(mine[a] - mine[b]) == _sign(theirs[a] - theirs[b]) for a, b in pairs)
    return {"order": sum(orders) / len(orders), "teds": sum(trees) / max(1, len(trees)), "tables": len(trees),
            "headings_f1": heads.f1, "levels": agreed / max(1, compared), "documents": len(orders)}  # fmt: skip


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


def _body(doc: ParsedDocument) -> str:
    return "".join(
        "".join(normalised(c.text) for c in r.table.cells) if r.table is not None else normalised(r.text)
        for p in doc.pages
        for r in p.regions
        if r.kind not in ("header", "footer", "figure")
    )


def _docling_body(truth: dict[str, Any]) -> str:
    """Texts and table cells in the order of the document's tree, its furniture and pictures left out."""
    out: list[str] = []

    def visit(node: dict[str, Any]) -> None:
        for child in node.get("children", ()):
            _, kind, index = child["$ref"].split("/")
            item = truth[kind][int(index)]
            if kind == "texts" and item["label"] not in ("page_header", "page_footer"):
                out.append(normalised(item.get("orig") or item["text"]))
            if kind == "tables":
                out.extend(normalised(c["text"]) for c in item["data"]["table_cells"])
            if kind in ("texts", "groups"):
                visit(item)

    visit(truth["body"])
    return "".join(out)


def _teds_of(item: dict[str, Any], truth: dict[str, Any], found: Sequence[tuple[int, BBox, Table]]) -> float:
    prov = item["prov"][0]
    height = truth["pages"][str(prov["page_no"])]["size"]["height"]
    b = prov["bbox"]
    box = (b["l"], height - b["t"], b["r"], height - b["b"])
    cells = tuple(
        Cell(c["start_row_offset_idx"], c["start_col_offset_idx"], c["text"], box, c["row_span"], c["col_span"])
        for c in item["data"]["table_cells"]
    )
    expected = Table(item["data"]["num_rows"], item["data"]["num_cols"], cells)
    near = [(box_, t) for n, box_, t in found if n == prov["page_no"]]
    pairs = match_boxes([n[0] for n in near], [box], least=0.1)
    return teds(near[pairs[0][0]][1] if pairs else None, expected)


def speed(data: Path) -> Figures:
    """Times over the born-digital pages of UDA as multiples of `page.get_text("dict")` over the same pages in the same
    run: reading a page's facts, finding its tables, and the whole parse.
    """
    files = sorted((data / "uda").rglob("*.pdf"))
    spent = dict.fromkeys(("dict", "read", "tables", "parse"), 0.0)
    pages = 0
    for path in files:
        with pymupdf.open(path) as doc:
            for page in doc:
                started = time.perf_counter()
                page.get_text("dict", flags=TEXT_FLAGS)
                read = time.perf_counter()
                facts = read_page(page)
                found = time.perf_counter()
                find_tables(facts)
                done = time.perf_counter()
                spent["dict"] += read - started
                spent["read"] += found - read
                spent["tables"] += done - found
                pages += 1
        started = time.perf_counter()
        parse_document(path, options=_NO_OCR)
        spent["parse"] += time.perf_counter() - started
    base = spent["dict"]
    return {"pages": pages, "read_per_dict": spent["read"] / base, "tables_per_dict": spent["tables"] / base,
            "parse_per_dict": spent["parse"] / base, "pages_per_second": pages / spent["parse"]}  # fmt: skip


def hostile(data: Path) -> Figures:
    """Files made to break readers: how many parse, are refused with a reason, crash, or lose pages silently; and the
    slowest of them.
    """
    out = Counter[str]()
    slowest = 0.0
    for name in HOSTILE:
        for path in sorted((data / name).rglob("*.pdf")):
            started = time.perf_counter()
            try:
                doc = parse_document(path, options=_NO_OCR)
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


_NO_OCR = ParseOptions(ocr="off", layout="fast")
HOSTILE = ("pdfjs_hostile", "formatcorpus_hostile", "pdfminer", "odl_samples", "pdfplumber")
SETS: dict[str, tuple[str, Callable[[Path], Figures]]] = {
    "icdar": ("icdar2013_tables", icdar),
    "camelot": ("camelot_tables", camelot),
    "geotopo": ("pypdf_benchmarks", geotopo),
    "docling": ("docling", docling),
    "speed": ("uda", speed),
    "hostile": ("pdfjs_hostile", hostile),
}
"""Set to its folder below the data and what measures it."""
