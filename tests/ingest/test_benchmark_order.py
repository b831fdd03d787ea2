"""The order score: what is left out of it on both sides, and what is not."""

from __future__ import annotations

from typing import Any

import pytest
from made_documents import INFO, document, region

from h3cold.ingest.benchmark_order import order_score, plain_order
from h3cold.schemas.document import ParsedDocument
from h3cold.schemas.page import Cell, Page, Region, Table


def told(*texts: str, tables: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """docling's output for one page of texts, then tables."""
    items = [{"label": "text", "text": t} for t in texts]
    refs = [{"$ref": f"#/texts/{n}"} for n in range(len(texts))]
    refs += [{"$ref": f"#/tables/{n}"} for n in range(len(tables or ()))]
    return {"texts": items, "tables": tables or [], "pictures": [], "groups": [], "body": {"children": refs},
            "pages": {"1": {"size": {"height": 100}}}}  # fmt: skip


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("“Sales”, 10⁶ – net", "'Sales', 106 - net"),
        ("Contents … 7", "Contents . . . . . . 7"),
        ("as shown[3] above", "as shown3 above"),
        ("eﬃcient", "efficient"),
    ],
)
def test_ways_of_writing_do_not_count(ours: str, theirs: str) -> None:
    assert plain_order(ours) == plain_order(theirs)


def test_bullets_do_not_count_but_hyphens_within_do() -> None:
    assert plain_order("• first", item=True) == plain_order("- first", item=True) == "first"
    assert plain_order("far-off", item=True) == "far-off"


def test_another_order_counts() -> None:
    doc = document([region("text", "one two three"), region("text", "four five six")])
    assert order_score(doc, told("one two three", "four five six")) == 1.0
    assert order_score(doc, told("four five six", "one two three")) < 0.6


def test_how_a_table_in_one_place_is_cut_does_not_count() -> None:
    box = (0.0, 0.0, 50.0, 50.0)
    table = Table(2, 1, (Cell(0, 0, "a", box), Cell(1, 0, "b c", box)))
    page = Page(1, 100, 100, 0, "text", "geometry", (Region("table", box, "", 0, table=table),))
    doc = ParsedDocument("d" * 32, "a.pdf", INFO, (page,))
    prov = [{"page_no": 1, "bbox": {"l": 0, "t": 100, "r": 50, "b": 50}}]
    cells = [{"text": "c"}, {"text": "b"}, {"text": "a"}]
    assert order_score(doc, told(tables=[{"prov": prov, "data": {"table_cells": cells}}])) == 1.0
    elsewhere = [{"page_no": 1, "bbox": {"l": 60, "t": 40, "r": 90, "b": 10}}]
    assert order_score(doc, told(tables=[{"prov": elsewhere, "data": {"table_cells": cells}}])) < 1.0
