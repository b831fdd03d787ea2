"""Other parsers' output in the form that ours is scored in; each is optional, and used as its documentation shows.

None of them is needed by the product: `pip install --group peers` brings what the registry offers, OpenDataLoader
needs a Java runtime besides. OCR is off in all of them, as in ours: the sets have text layers.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pymupdf

from h3cold.ingest.benchmark_order import plain_order
from h3cold.ingest.benchmark_sets import Boxed, Reading, read_ours
from h3cold.ingest.scores import normalised
from h3cold.ingest.workers import Heartbeat, Task
from h3cold.schemas.geometry import BBox, union
from h3cold.schemas.page import Cell, Table

Read = Callable[[Sequence[Path]], Iterator[Reading]]


class Peer(NamedTuple):
    """A parser: how it reads files, what must be there for it (a module, a program), whether it starts so slowly
    that it is given all files at once."""

    read: Read
    module: str
    program: str = ""
    together: bool = False

    @property
    def absent(self) -> bool:
        """Whether what it needs is not installed."""
        return importlib.util.find_spec(self.module) is None or bool(self.program and not shutil.which(self.program))


def work(task: Task, heartbeat: Heartbeat) -> tuple[list[Reading], float]:
    """In a worker: the readings of the files by the peer that `task.payload` names, and the seconds it took.

    Seconds of processor time, those of processes that it started included: what passes on the clock depends on what
    else the machine does.
    """
    name, files = task.payload
    peer = PEERS[name]
    importlib.import_module(peer.module)  # its import is not counted
    heartbeat(1)
    before = sum(os.times()[:4])
    readings = list(peer.read(files))
    return readings, sum(os.times()[:4]) - before


def _ours(files: Sequence[Path]) -> Iterator[Reading]:
    from h3cold.ingest.parse import ParseOptions, parse_document

    for path in files:
        yield read_ours(parse_document(path, options=ParseOptions(ocr="off")))


def _pymupdf(files: Sequence[Path]) -> Iterator[Reading]:
    """`page.find_tables()`, which uses the layout network, and `page.get_text()`."""
    for path in files:
        with pymupdf.open(path) as doc:
            tables = {page.number + 1: [_mupdf_table(t) for t in page.find_tables().tables] for page in doc}
            yield Reading(tables, plain_order("".join(page.get_text() for page in doc)))


def _mupdf_table(table: Any) -> Boxed:
    return tuple(table.bbox), _grid(table.extract(), [row.cells for row in table.rows])


def _pymupdf_refined(files: Sequence[Path]) -> Iterator[Reading]:
    """`page.find_tables(refine=True)`, which has spans."""
    for path in files:
        with pymupdf.open(path) as doc:
            yield Reading(
                {
                    page.number + 1: [(tuple(t.bbox), _placed(t)) for t in page.find_tables(refine=True).tables]
                    for page in doc
                }
            )


def _placed(table: Any) -> Table:
    """Cells in the order of an HTML table: each takes the first place in its row that none from above reaches."""
    taken: set[tuple[int, int]] = set()
    cells: list[Cell] = []
    for r, row in enumerate(table.placements):
        c = 0
        for cell in row:
            while (r, c) in taken:
                c += 1
            taken |= {(r + i, c + j) for i in range(cell.rowspan) for j in range(cell.colspan)}
            cells.append(Cell(r, c, cell.text, tuple(cell.bbox), cell.rowspan, cell.colspan))
    return Table(max((r + 1 for r, _ in taken), default=0), max((c + 1 for _, c in taken), default=0), tuple(cells))


def _pymupdf4llm(files: Sequence[Path]) -> Iterator[Reading]:
    """`to_json`, of which its Markdown is made, without page headers and footers."""
    import pymupdf4llm

    for path in files:
        tables: dict[int, list[Boxed]] = {}
        body: list[str] = []
        heads: dict[str, int] = {}
        for page in json.loads(pymupdf4llm.to_json(str(path), use_ocr=False))["pages"]:
            for box in page["boxes"]:
                if (found := box["table"]) is not None:
                    table = _grid(found["extract"], found["cells"])
                    tables.setdefault(page["page_number"], []).append((tuple(found["bbox"]), table))
                    body += [c.text for c in table.cells]
                elif box["boxclass"] not in ("page-header", "page-footer", "picture"):
                    text = "".join(s["text"] for line in box["textlines"] or () for s in line["spans"])
                    body.append(text)
                    if box["boxclass"] in ("title", "section-header"):
                        heads[normalised(text)] = box["header_level"] or 1
        yield Reading(tables, "".join(map(plain_order, body)), heads)


def _pdfplumber(files: Sequence[Path]) -> Iterator[Reading]:
    """`page.find_tables()` and `page.extract_text()`."""
    import pdfplumber

    for path in files:
        tables: dict[int, list[Boxed]] = {}
        body = []
        with pdfplumber.open(path) as doc:
            for page in doc.pages:
                tables[page.page_number] = [
                    (tuple(t.bbox), _grid(t.extract(), [row.cells for row in t.rows])) for t in page.find_tables()
                ]
                body.append(page.extract_text() or "")
        yield Reading(tables, plain_order("".join(body)))


def _camelot(files: Sequence[Path]) -> Iterator[Reading]:
    """`read_pdf(flavor="auto")`, which chooses for each page; it reads tables only."""
    import camelot

    for path in files:
        with pymupdf.open(path) as doc:
            heights = [page.rect.height for page in doc]
        tables: dict[int, list[Boxed]] = {}
        for found in camelot.read_pdf(str(path), pages="all", flavor="auto", suppress_stdout=True):
            height = heights[found.page - 1]
            boxes = [[_flip((c.x1, c.y1, c.x2, c.y2), height) for c in row] for row in found.cells]
            box = union(b for row in boxes for b in row)
            tables.setdefault(found.page, []).append((box, _grid(found.df.values.tolist(), boxes)))
        yield Reading(tables)


def _opendataloader(files: Sequence[Path]) -> Iterator[Reading]:
    """`convert` to JSON, which leaves headers and footers out."""
    import opendataloader_pdf

    with tempfile.TemporaryDirectory() as folder:
        opendataloader_pdf.convert([str(f) for f in files], output_dir=folder, format="json", quiet=True)
        for path in files:
            made = json.loads((Path(folder) / f"{path.stem}.json").read_text(encoding="utf-8"))
            with pymupdf.open(path) as doc:
                yield _from_opendataloader(made, [page.rect.height for page in doc])


def _from_opendataloader(made: dict[str, Any], heights: Sequence[float]) -> Reading:
    tables: dict[int, list[Boxed]] = {}
    body: list[str] = []
    heads: dict[str, int] = {}

    def visit(node: dict[str, Any]) -> None:
        for item in (*node.get("kids", ()), *node.get("list items", ())):
            if item["type"] == "table":
                height = heights[item["page number"] - 1]
                table = Table(item["number of rows"], item["number of columns"], tuple(
                    Cell(c["row number"] - 1, c["column number"] - 1, _words(c), _flip(c["bounding box"], height),
                         c["row span"], c["column span"], c.get("is_header", False))
                    for row in item["rows"] for c in row["cells"]
                ))  # fmt: skip
                tables.setdefault(item["page number"], []).append((_flip(item["bounding box"], height), table))
                body.extend(c.text for c in table.cells)
                continue
            if item["type"] == "heading":
                heads[normalised(item["content"])] = item["heading level"]
            body.append(item.get("content") or "")
            visit(item)

    visit(made)
    return Reading(tables, "".join(map(plain_order, body)), heads)


def _words(node: dict[str, Any]) -> str:
    inner = (*node.get("kids", ()), *node.get("list items", ()))
    return "\n".join(filter(None, (node.get("content"), *map(_words, inner))))


def _flip(box: Sequence[float], height: float) -> BBox:
    """From an origin at the bottom left to ours at the top left."""
    return box[0], height - box[3], box[2], height - box[1]


def _grid(texts: Sequence[Sequence[Any]], boxes: Sequence[Sequence[Any]]) -> Table:
    """A table of rows of texts and of boxes, None where another cell reaches."""
    cells = tuple(
        Cell(r, c, text or "", tuple(box))
        for r, (row, places) in enumerate(zip(texts, boxes, strict=True))
        for c, (text, box) in enumerate(zip(row, places, strict=True))
        if box is not None
    )
    return Table(len(texts), max(map(len, texts), default=0), cells)


PEERS = {
    "h3cold": Peer(_ours, "h3cold.ingest.parse"),
    "pymupdf": Peer(_pymupdf, "pymupdf"),
    "pymupdf refined": Peer(_pymupdf_refined, "pymupdf"),
    "pymupdf4llm": Peer(_pymupdf4llm, "pymupdf4llm"),
    "pdfplumber": Peer(_pdfplumber, "pdfplumber"),
    "camelot": Peer(_camelot, "camelot"),
    "opendataloader": Peer(_opendataloader, "opendataloader_pdf", "java", together=True),
}
"""Ours first, then what a user would take instead."""
