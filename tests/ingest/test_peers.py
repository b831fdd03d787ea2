"""Other parsers read into the form that all are scored in; those that are not installed are named as absent."""

from __future__ import annotations

import shutil
from pathlib import Path

import pymupdf
import pytest

from h3cold.ingest.benchmark_peers import _measure, _Set, run
from h3cold.ingest.benchmark_sets import DoclingScores, Reading, score_tables, score_texts
from h3cold.ingest.benchmark_turns import by_turns
from h3cold.ingest.peers import PEERS, Peer, _from_opendataloader
from h3cold.ingest.scores import Tally
from h3cold.schemas.errors import UsageError
from h3cold.schemas.geometry import iou
from h3cold.schemas.page import Cell, Table

ROWS = [["Segment", "2023", "2022"], ["Meters", "341", "322"], ["Valves", "205", "191"]]
BOX = (60, 120, 480, 204)
WORDS = (66, 130, 370, 195)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("peers") / "report.pdf"
    with pymupdf.open() as doc:
        page = doc.new_page(width=595, height=842)
        page.insert_text((60, 80), "Results of the year", fontsize=20, fontname="hebo")
        page.insert_text((60, 108), "Sales rose in both segments, most of all in meters.", fontsize=11)
        for r, row in enumerate(ROWS):
            for c, text in enumerate(row):
                box = pymupdf.Rect(60 + 140 * c, 120 + 28 * r, 200 + 140 * c, 148 + 28 * r)
                page.draw_rect(box, width=0.8)
                page.insert_text((box.x0 + 6, box.y0 + 18), text, fontsize=10)
        doc.save(path, no_new_id=True)
    return path


@pytest.mark.parametrize("name", ["h3cold", "pymupdf", "pymupdf refined", "pymupdf4llm", "pdfplumber"])
def test_a_ruled_table_and_the_text_are_read(name, report):
    peer = PEERS[name]
    if peer.absent:
        assert name == "pdfplumber"  # the others come with the product
        return
    (reading,) = peer.read([report])
    ((box, table),) = reading.tables[1]
    assert iou(box, BOX) > 0.4  # some give the box of the words
    assert [[c.strip() for c in row] for row in table.grid()] == ROWS
    if reading.body is not None:
        assert "salesroseinbothsegments" in reading.body
    if reading.heads is not None:
        assert "resultsoftheyear" in reading.heads


def test_what_opendataloader_writes_is_read():
    def cell(r, c, text, **more):
        words = [{"type": "paragraph", "content": text}]
        return {"type": "table cell", "bounding box": [10, 700, 50, 720], "row number": r, "column number": c,
                "row span": 1, "column span": 1, "kids": words, **more}  # fmt: skip

    rows = [{"cells": [cell(1, 1, "A", **{"column span": 2})]}, {"cells": [cell(2, 1, "b"), cell(2, 2, "c")]}]
    made = {"kids": [
        {"type": "heading", "content": "Head", "heading level": 2, "page number": 1},
        {"type": "list", "page number": 1, "list items": [{"type": "list item", "content": "One"}]},
        {"type": "table", "page number": 1, "bounding box": [10, 600, 200, 742], "number of rows": 2,
         "number of columns": 2, "rows": rows},
    ]}  # fmt: skip
    reading = _from_opendataloader(made, [842.0])
    ((box, table),) = reading.tables[1]
    assert box == (10, 100, 200, 242)
    assert (table.rows, table.cols, table.cells[0].colspan) == (2, 2, 2)
    assert (reading.body, reading.heads) == ("headoneabc", {"head": 2})


def test_what_is_not_installed_is_absent():
    assert Peer(PEERS["pymupdf"].read, "no_such_module_here").absent
    assert Peer(PEERS["pymupdf"].read, "pymupdf", "no-such-program-here").absent
    assert not PEERS["pymupdf"].absent


def test_a_file_that_a_peer_fails_at_counts_as_nothing_found(report, tmp_path):
    first, left_out, broken = (tmp_path / f"{name}.pdf" for name in "abc")
    shutil.copy(report, first)
    broken.write_text("no PDF")
    truth = Table(3, 3, tuple(Cell(r, c, t, WORDS) for r, row in enumerate(ROWS)
                              for c, t in enumerate(row)))  # fmt: skip

    def score(readings):
        total = Tally()
        for path in readings:
            total = total.plus(score_tables(readings[path].tables, {1: [truth]})[1])
        return {"region_precision": total.precision, "region_recall": total.recall}

    figures = _measure("pymupdf", _Set([first, left_out, broken], score), step=2)
    assert (figures["files"], figures["failed"]) == (2, 1)
    assert (figures["region_precision"], figures["region_recall"]) == (1, 0.5)
    assert figures["seconds_a_page"] > 0


def test_a_parser_without_headings_is_not_given_any():
    truth = {"body": {"children": []}, "tables": [], "texts": [{"text": "Head", "label": "section_header"}]}
    scores = DoclingScores()
    scores.add(Reading({}, ""), truth)
    assert "headings_f1" not in scores.figures()
    scores.add(Reading({}, "", {"head": 1}), truth)
    assert scores.figures()["headings_f1"] == 1


def test_texts_are_scored_against_the_nearest_table():
    other = Table(1, 1, (Cell(0, 0, "x", (0, 0, 1, 1)),))
    mine = Table(1, 2, (Cell(0, 0, "Sales", (0, 0, 1, 1)), Cell(0, 1, "7", (1, 0, 2, 1))))
    assert score_texts([other, mine], [["Sales", "7"]]).f1 == 1
    assert score_texts([], [["Sales", "7"]]) == Tally(0, 0, 2)


def test_unknown_sets_are_named(monkeypatch):
    with pytest.raises(UsageError, match="known sets: icdar, camelot, docling, geotopo, generated"):
        run(Path(), ["icdra"])
    monkeypatch.setenv("H3_BENCH_STEP", "none")
    with pytest.raises(UsageError, match="H3_BENCH_STEP"):
        run(Path(), ["icdar"])


def test_parsers_are_timed_by_turns_on_the_same_pages(report):
    figures = by_turns([report, report])
    assert {"h3cold", "pymupdf"} <= set(figures) <= {"h3cold", "pymupdf", "pymupdf4llm"}
    assert all(one["pages"] == 2 and one["seconds_a_page"] > 0 for one in figures.values())
    assert figures["h3cold"]["times_ours"] == 1
