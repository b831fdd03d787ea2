"""Sets of real documents with ground truth, and how what a parser made of them is scored, whichever parser it is."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pymupdf

from h3cold.ingest.benchmark_headings import heading_similarity
from h3cold.ingest.benchmark_order import docling_text, plain_order
from h3cold.ingest.scores import Tally, adjacency, indel, match_boxes, normalised, teds
from h3cold.schemas.document import ParsedDocument
from h3cold.schemas.geometry import BBox, union
from h3cold.schemas.page import Cell, Table

LARGE = 400
"""Cells above which TEDS, quadratic in them, is left out."""

Boxed = tuple[BBox, Table]
"""A table with its box, in points of the page as displayed."""


class Reading(NamedTuple):
    """What a parser made of a file, as far as it is scored.

    `tables` by 1-based page; `body` the text (`plain_order`) in reading order without running lines and pictures, None
    for a parser that reads tables only; `heads` the normalised texts of title and headings with their levels (1 =
    outermost), None for a parser that knows none.
    """

    tables: Mapping[int, Sequence[Boxed]]
    body: str | None = None
    heads: Mapping[str, int] | None = None


def read_ours(doc: ParsedDocument) -> Reading:
    """Our own parse in that form."""
    tables: dict[int, list[Boxed]] = {}
    regions = [(p.number, r) for p in doc.pages for r in p.regions]
    for number, r in regions:
        if r.table is not None:
            tables.setdefault(number, []).append((r.bbox, r.table))
    body = "".join(
        "".join(plain_order(c.text) for c in r.table.cells) if r.table is not None else plain_order(r.text)
        for _, r in regions
        if r.kind not in ("header", "footer", "figure")
    )
    heads = {normalised(r.text): r.level or 1 for _, r in regions if r.kind in ("heading", "title")}
    return Reading(tables, body, heads)


def icdar_documents(data: Path) -> Iterator[tuple[Path, dict[int, list[Table]]]]:
    """The US half of the ICDAR 2013 table competition: files and their true tables by page."""
    for xml in sorted((data / "icdar2013_tables" / "competition-dataset-us").glob("*-str.xml")):
        pdf = xml.with_name(xml.name.replace("-str.xml", ".pdf"))
        if not pdf.exists():  # documents that the competition gave twice, with two truths for one file
            pdf = pdf.with_name(pdf.stem[:-1] + "a.pdf")
        tables: dict[int, list[Table]] = {}
        with pymupdf.open(pdf) as doc:
            for region in ElementTree.parse(xml).getroot().iter("region"):
                number = int(region.attrib["page"])
                height = doc[number - 1].rect.height
                cells = [_icdar_cell(c, height) for c in region.iter("cell")]
                rows, cols = max(c.row + c.rowspan for c in cells), max(c.col + c.colspan for c in cells)
                tables.setdefault(number, []).append(Table(rows, cols, tuple(cells)))
        yield pdf, tables


def _icdar_cell(element: ElementTree.Element, height: float) -> Cell:
    """From the set's origin at the bottom left to ours at the top left."""
    box = element.find("bounding-box")
    assert box is not None
    # one coordinate of the set has a mistyped digit
    x1, y1, x2, y2 = (float(box.attrib[k].replace("ß", "0")) for k in ("x1", "y1", "x2", "y2"))
    row, col = int(element.attrib["start-row"]), int(element.attrib["start-col"])
    last_row, last_col = int(element.attrib.get("end-row", row)), int(element.attrib.get("end-col", col))
    text = element.findtext("content") or ""
    return Cell(row, col, text, (x1, height - y2, x2, height - y1), last_row - row + 1, last_col - col + 1)


def score_tables(found: Mapping[int, Sequence[Boxed]], truth: Mapping[int, Sequence[Table]]) -> tuple[Tally, Tally]:
    """Neighbour relations of a document's tables, and their regions matched at IoU .5 (see `benchmark_parse.icdar`)."""
    cells, regions = Tally(), Tally()
    for number in sorted({*found, *truth}):
        a, b = _score_page(found.get(number, ()), truth.get(number, ()))
        cells, regions = cells.plus(a), regions.plus(b)
    return cells, regions


def _score_page(found: Sequence[Boxed], truth: Sequence[Table]) -> tuple[Tally, Tally]:
    expected: list[BBox] = [union(c.bbox for c in t.cells) for t in truth]
    boxes = [box for box, _ in found]
    regions = Tally(len(match_boxes(boxes, expected)), len(found), len(truth))
    pairs = dict(match_boxes(boxes, expected, least=0.05))
    cells = Tally()
    for i, (_, table) in enumerate(found):
        cells = cells.plus(adjacency(table, truth[pairs[i]] if i in pairs else None))
    for j, t in enumerate(truth):
        if j not in pairs.values():
            cells = cells.plus(adjacency(None, t))
    return cells, regions


def camelot_tables(data: Path) -> Iterator[tuple[Path, int, list[list[str]]]]:
    """File, page and cells of the tables that Camelot's maintainers accepted, of those found on whole pages."""
    folder = data / "camelot_tables"
    for entry in json.loads((folder / "expected_tables.json").read_text(encoding="utf-8")):
        if entry["restricted"]:
            continue
        path = folder / "tests" / "files" / entry["file"]
        if not path.exists():  # its copy of the ICDAR documents is the other set
            path = data / "icdar2013_tables" / "competition-dataset-us" / path.name
        yield path, int(entry["pages"]), entry["expected"]


def score_texts(found: Sequence[Table], expected: Sequence[Sequence[str]]) -> Tally:
    """Cell texts that the expected table and the found one nearest to it have in common, as multisets."""
    wanted = _texts(expected)
    tallies = ((_texts(t.grid()), wanted) for t in found)
    nothing = Tally(0, 0, wanted.total())
    return max((Tally((f & w).total(), f.total(), w.total()) for f, w in tallies), key=lambda t: t.f1, default=nothing)


def _texts(grid: Sequence[Sequence[str]]) -> Counter[str]:
    """Cell texts; the letters of right-to-left ones are sorted, as the set has them in the order they are drawn."""
    texts = (normalised(text) for row in grid for text in row)
    return Counter("".join(sorted(t)) if any("\u0590" <= c <= "\u08ff" for c in t) else t for t in texts if t)


def docling_documents(data: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Files and docling's accepted output for them."""
    folder = data / "docling" / "tests" / "data" / "pdf"
    for path in sorted((folder / "groundtruth").glob("*.json")):
        pdf = folder / "sources" / f"{path.stem}.pdf"
        if not path.name.endswith(".pages.meta.json") and pdf.exists():
            yield pdf, json.loads(path.read_text(encoding="utf-8"))


MISREAD = frozenset({("2305.03393v1-pg9", 0), ("redp5110_sampled", 2)})
"""Tables (file, index) that docling's accepted output has wrong: two printed rows in each row; SQL code as a table."""


@dataclass(slots=True)
class DoclingScores:
    """Scores against docling's accepted output, gathered document by document; see `benchmark_parse.docling`."""

    orders: list[float] = field(default_factory=list)
    trees: list[float] = field(default_factory=list)
    sound: list[float] = field(default_factory=list)
    heads: Tally | None = None
    alike: list[float] = field(default_factory=list)
    documents: int = 0

    def add(self, ours: Reading, truth: dict[str, Any], *, order: float | None = None) -> None:
        """One document; `order` where that was scored from more than the reading's text."""
        self.documents += 1
        if order is not None:
            self.orders.append(order)
        elif ours.body is not None:
            self.orders.append(indel(ours.body, docling_text(truth)))
        for n, item in enumerate(truth["tables"]):
            # a table of contents is a list to us, and to docling no "table" either
            if item["label"] == "table" and len(item["data"]["table_cells"]) <= LARGE:
                score = _teds_of(item, truth, ours.tables)
                self.trees.append(score)
                if (truth["name"], n) not in MISREAD:
                    self.sound.append(score)
        if ours.heads is None:
            return
        mine = ours.heads
        theirs = {normalised(t["text"]): t.get("level") or 1 for t in truth["texts"]
                  if t["label"] in ("section_header", "title")}  # fmt: skip
        both = mine.keys() & theirs.keys()
        self.heads = (self.heads or Tally()).plus(Tally(len(both), len(mine), len(theirs)))
        if mine or theirs:
            self.alike.append(heading_similarity(mine, theirs))

    def figures(self) -> dict[str, float]:
        """The scores of all documents, those that the parser has anything for."""
        out: dict[str, float] = {}
        if self.orders:
            out["order"] = sum(self.orders) / len(self.orders)
        out |= {"teds": sum(self.trees) / max(1, len(self.trees)), "tables": len(self.trees)}
        out["teds_sound"] = sum(self.sound) / max(1, len(self.sound))
        if self.heads is not None:
            out |= {"headings_f1": self.heads.f1, "headings": sum(self.alike) / max(1, len(self.alike))}
        return {**out, "documents": self.documents}


def _teds_of(item: dict[str, Any], truth: dict[str, Any], found: Mapping[int, Sequence[Boxed]]) -> float:
    prov = item["prov"][0]
    height = truth["pages"][str(prov["page_no"])]["size"]["height"]
    b = prov["bbox"]
    box = (b["l"], height - b["t"], b["r"], height - b["b"])
    cells = tuple(
        Cell(c["start_row_offset_idx"], c["start_col_offset_idx"], c["text"], box, c["row_span"], c["col_span"])
        for c in item["data"]["table_cells"]
    )
    expected = Table(item["data"]["num_rows"], item["data"]["num_cols"], cells)
    near = found.get(prov["page_no"], ())
    pairs = match_boxes([n[0] for n in near], [box], least=0.1)
    return teds(near[pairs[0][0]][1] if pairs else None, expected)
