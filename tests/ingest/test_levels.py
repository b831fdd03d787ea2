from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from h3cold.ingest.covers import covers, plain_covers
from h3cold.ingest.headings import styled
from h3cold.ingest.levels import DEEPEST, settle
from h3cold.ingest.numbering import nesting, scheme, unnumbered
from h3cold.ingest.second_look import doubt
from h3cold.schemas.page import Cell, Page, Region, Table

Row = tuple[str, float, bool]
"""A heading's text, size in points, and whether it is bold; size 0 = text."""


def page(*rows: Row, number: int = 1) -> Page:
    regions = tuple(
        Region("heading" if size else "text", (50, 20.0 * i, 300, 20.0 * i + 12), text, i,
               level=styled(size, bold=bold) if size else None)
        for i, (text, size, bold) in enumerate(rows)
    )  # fmt: skip
    return Page(number, 595, 842, 0, "text", "geometry", regions)


def levels(*rows: Row, outline: list[tuple[int, str, int]] | None = None) -> list[int | None]:
    return [r.level for p in settle([page(*rows)], outline or []) for r in p.regions]


def bold(*texts: str) -> list[Row]:
    return [(text, 10.0, True) for text in texts]


def test_unnumbered_headings_of_one_look_with_items_stand_under_them() -> None:
    rows = bold("PART I", "ITEM 1. BUSINESS", "OVERVIEW", "PRODUCTS", "SEASONALITY", "EMPLOYEES", "ITEM 2. PROPERTIES",
                "LEASES", "OFFICES", "PART II", "ITEM 5. MARKET")  # fmt: skip
    assert levels(*rows) == [1, 2, 3, 3, 3, 3, 2, 3, 3, 1, 2]


def test_a_few_unnumbered_ones_stand_beside_the_sections() -> None:
    rows = bold("Abstract", "1 Scope", "1.1 Terms", "2 Results", "Acknowledgements", "3 Outlook", "References")
    assert levels(*rows) == [1, 1, 2, 1, 1, 1, 1]


def test_chinese_schemes_nest_by_first_appearance() -> None:
    report = bold("第一节 概况", "一、公司信息", "（一）主营业务", "1、产品", "（二）模式", "二、财务", "第二节 治理")
    assert levels(*report) == [1, 2, 3, 4, 3, 2, 1]
    contract = bold("第一条 标的", "1.1 股权", "1.2 价款", "第二条 付款")
    assert levels(*contract) == [1, 2, 2, 1]


def test_what_is_larger_elsewhere_does_not_push_levels_down() -> None:
    letter: list[Row] = [("To our owners", 24, False), ("A year of growth", 18, False), ("Letter's end", 14, True)]
    rows = [*letter, *bold("PART I", "Item 1. Business", "Item 2. Properties")]
    assert max(level or 0 for level in levels(*rows)) <= 5
    again = [page(*letter), page(*bold("PART I", "Item 1. Business"), number=2)]
    assert [r.level for r in settle(again, [], starts=(2,))[1].regions] == [1, 2]


def test_the_outline_tells_with_or_without_numbers() -> None:
    rows = bold("Alpha", "1 Beta", "Gamma")
    assert levels(*rows, outline=[(1, "Alpha", 1), (2, "Beta", 1), (3, "Gamma", 9)]) == [1, 2, 3]


_ROWS = st.lists(
    st.tuples(
        st.sampled_from(
            ["Scope", "1 A b", "1.1 C d", "PART I", "Item 2. X", "第一章 总则", "一、甲", "Appendix A", "ALL"]
        ),
        st.sampled_from([9.0, 10.0, 12.0, 18.0]),
        st.booleans(),
    ),
    max_size=15,
)


@given(_ROWS, st.lists(st.tuples(st.integers(1, 4), st.sampled_from(["Scope", "A b", "ALL"]), st.just(1)), max_size=3))
def test_every_heading_gets_a_level(rows: list[Row], outline: list[tuple[int, str, int]]) -> None:
    assert all(1 <= (level or 0) <= DEEPEST for level in levels(*rows, outline=outline))


@pytest.mark.parametrize(
    ("text", "name", "bare"),
    [
        ("Item 7A. Market risk", "item", "Market risk"),
        ("2.1.3 Results", "1.1.1", "Results"),
        ("A.1 Proofs", "1.1", "Proofs"),
        ("第三章 总则", "chapter", "总则"),
        ("1、产品", "1", "产品"),
        ("（2）方法", "(1)", "方法"),
        ("2 년", "1", "년"),
        ("12% of sales", None, "12% of sales"),
        ("Revenue", None, "Revenue"),
    ],
)
def test_schemes(text: str, name: str | None, bare: str) -> None:
    assert (scheme(text), unnumbered(text)) == (name, bare)


def test_nesting_keeps_what_is_always_so() -> None:
    assert nesting(["item", "part", "item"]) == ["part", "item"]
    assert nesting(["section", "article", "1"]) == ["section", "article", "1"]
    assert nesting(["article", "section"]) == ["article", "section"]
    assert nesting(["(han)", "han", "appendix"]) == ["han", "(han)"]


COVER = (
    ("SECURITIES AND EXCHANGE COMMISSION", 14.0, True), ("FORM 10-K", 16.0, True),
    ("Northwind Traders, Inc.", 18.0, True),
    ("(Exact name of registrant as specified in its charter)", 0.0, False),
)  # fmt: skip


def test_a_filings_cover_has_no_headings_wherever_it_stands() -> None:
    sheet = page(("Submission Data File", 14.0, True), ("Document Information", 12.0, True), number=1)
    pages = [sheet, page(*COVER, number=2), page(("PART I", 10.0, True), ("ITEM 1. BUSINESS", 10.0, True), number=3)]
    starts = covers(pages)
    assert starts == (2,)
    kinds = [[r.kind for r in p.regions] for p in plain_covers(pages, starts)]
    assert kinds == [["text"] * 2, ["text"] * 4, ["heading"] * 2]
    assert covers([page(("We file a Form 10-K", 0.0, False))]) == ()


def test_rows_of_figures_and_repeated_section_names_are_no_headings() -> None:
    pages = [
        page(("Our findings", 16.0, True), ("fy fy fy 08 09 10", 12.0, True), ("Total $ 56 $ 56", 10.0, True)),
        page(("Our findings", 16.0, True), ("10,000 Women", 12.0, True), number=2),
    ]  # fmt: skip
    assert [[r.kind for r in p.regions] for p in doubt(pages)] == [["heading", "text", "text"], ["header", "heading"]]


def test_entries_under_contents_are_a_list() -> None:
    pages = [page(("TABLE OF CONTENTS", 12.0, True), *bold("PROXY STATEMENT 1", "PROPOSAL 1 7", "APPENDIX A A-1"))]
    assert [r.kind for r in doubt(pages)[0].regions] == ["heading", "list", "list", "list"]


def test_contents_that_ran_together_are_no_prose() -> None:
    run = " ".join(f"Item {n}. Matters of the {n} kind and more {7 * n}" for n in range(1, 12))
    parts = bold("PART I", "PART II", "PART III")
    assert [r.kind for r in doubt([page(("Index", 12.0, True), (run, 0.0, False), *parts)])[0].regions][2:] == [
        "list"
    ] * 3
    prose = "The index of prices rose. " * 20
    kept = doubt([page(("Index", 12.0, True), (prose, 0.0, False), *parts)])[0].regions
    assert [r.kind for r in kept][2:] == ["heading"] * 3


def test_unnumbered_headings_set_as_the_parts_stand_under_the_items_of_a_filing() -> None:
    parts = ("PART I", "OVERVIEW", "PRODUCTS", "PART II", "SIGNATURES")
    names = ["PART I", "ITEM 1. BUSINESS", "OVERVIEW", "PRODUCTS", "ITEM 1A. RISK FACTORS", "ITEM 2. PROPERTIES",
             "PART II", "ITEM 5. MARKET", "ITEM 6. DATA", "SIGNATURES"]  # fmt: skip
    rows = [("Letter to the owners", 18.0, True), *((n, 12.0 if n in parts else 11.0, True) for n in names)]
    assert levels(*rows) == [1, 2, 3, 4, 4, 3, 3, 2, 3, 3, 3]


def test_headings_that_go_on_are_headers_where_they_stand_before() -> None:
    pages = [
        page(("Note 3. Fair value", 10, True), number=1),
        page(("Note 3. Fair value (Continued)", 10, True), ("Note 9. Taxes (continued)", 10, True), number=2),
    ]
    assert [[r.kind for r in p.regions] for p in doubt(pages)] == [["heading"], ["header", "heading"]]


def test_words_between_the_tables_of_an_index_are_no_headings() -> None:
    entries = [[f"Note {n}. Something", str(100 + n)] for n in range(6)]
    cells = tuple(Cell(r, c, t, (50, 60.0 + r, 90, 70)) for r, row in enumerate(entries) for c, t in enumerate(row))
    table = Region("table", (50, 60, 300, 200), "", 1, table=Table(6, 2, cells))
    rows = page(("INDEX", 12, True), ("Item 9B", 12, True))
    (done,) = doubt([replace(rows, regions=(rows.regions[0], table, rows.regions[1]))])
    assert [r.kind for r in done.regions] == ["heading", "table", "list"]
