"""Every table of the example documents against what was set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pymupdf

from h3cold.ingest.page_facts import read_page
from h3cold.ingest.scores import match_boxes, teds
from h3cold.ingest.tables import FoundTable, continues, find_tables
from h3cold.schemas.page import Cell, Region, Table

if TYPE_CHECKING:
    from conftest import Examples

    from h3cold.ingest.generated.truth import TruthTable


def as_set(truth: TruthTable) -> Table:
    spans = {(r, c): (tall, wide) for r, c, tall, wide in truth.spans}
    covered = {(r + i, c + j) for (r, c), (tall, wide) in spans.items() for i in range(tall) for j in range(wide)}
    cells = tuple(
        Cell(r, c, text, (0.0, 0.0, 0.0, 0.0), *spans.get((r, c), (1, 1)), header=r < truth.header_rows)
        for r, row in enumerate(truth.rows)
        for c, text in enumerate(row)
        if (r, c) in spans or (r, c) not in covered
    )
    return Table(len(truth.rows), len(truth.rows[0]), cells)


def test_every_table_has_its_cells_and_its_header(examples: Examples):
    checked = 0
    for document in examples.truth.readable:
        if document.scanned:
            continue
        with pymupdf.open(examples.folder / document.file) as doc:
            for page in document.pages:
                expected = [r for r in page.regions if r.table is not None]
                found = find_tables(read_page(doc[page.number - 1]))
                pairs = match_boxes([f.bbox for f in found], [r.bbox for r in expected])
                where = f"{document.file} page {page.number}"
                assert len(pairs) == len(found) == len(expected), where
                for i, j in pairs:
                    truth = expected[j].table
                    assert truth is not None
                    assert found[i].table.grid() == as_set(truth).grid(), where
                    assert found[i].table.header_rows() == truth.header_rows, where
                    assert teds(found[i].table, as_set(truth)) > 0.999, where
                    checked += 1
    assert checked > 15


def test_the_parts_of_a_table_cut_by_the_page_end_continue(examples: Examples):
    for name, first in (("larkspur_annual_report_2023.pdf", 9), ("青屿精密2023年年度报告.pdf", 8)):
        with pymupdf.open(examples.folder / name) as doc:
            above, below = (find_tables(read_page(doc[n - 1])) for n in (first, first + 1))
            size = (doc[0].rect.width, doc[0].rect.height)

        def goes_on(a: FoundTable, b: FoundTable, size: tuple[float, float] = size) -> bool:
            first, second = (Region("table", t.bbox, "", 0, table=t.table) for t in (a, b))
            return continues(first, second, previous_size=size, current_size=size)

        assert goes_on(above[-1], below[0])
        if len(above) > 1:
            assert not goes_on(above[0], below[0])
