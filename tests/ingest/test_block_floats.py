"""Tables, figures and formulas as blocks, with their captions."""

from __future__ import annotations

from dataclasses import replace

from made_documents import INFO, check, document, grid, own, region

from h3cold.ingest.blocks import build_blocks, indexed_text
from h3cold.schemas.document import ParsedDocument


def test_a_logo_has_no_block_but_a_picture_has():
    (page,) = document([region("figure"), region("figure"), region("text", "Body.")]).pages
    logo, picture, text = page.regions
    picture = replace(picture, bbox=(50, 100, 500, 400))
    doc = ParsedDocument("d" * 32, "a.pdf", INFO, (replace(page, regions=(logo, picture, text)),))
    assert [(b.kind, b.text, b.bbox) for b in build_blocks(doc)] == [
        ("figure", "", (50, 100, 500, 400)), ("passage", "Body.", text.bbox),
    ]  # fmt: skip


def test_a_long_table_repeats_its_header_and_shares_a_group_over_pages():
    head = ["Site", "Area"]
    first = grid([head, *[[f"Site {i} with a rather long name", f"{i},000"] for i in range(30)]])
    second = grid([[f"Site {i} with a rather long name", f"{i},000"] for i in range(30, 40)], head=0)
    doc = document(
        [region("caption", "Table 3. Sites"), region("table", table=first)],
        [region("table", table=second, continues=True)],
    )
    blocks = build_blocks(doc, target_tokens=128)
    check(doc, blocks, 128)
    assert len(blocks) > 3
    assert {b.group for b in blocks} == {blocks[0].group} != {""}
    assert [b.part for b in blocks] == list(range(len(blocks))) and {b.parts for b in blocks} == {len(blocks)}
    for block in blocks:
        assert "Site | Area" in block.text
        assert block.caption == "Table 3. Sites"
        assert block.table is not None and block.table.header_rows() == 1
        assert [c.text for c in block.table.cells[:2]] == head
    assert sum(b.text.count("Site 31 with") for b in blocks) == 1
    assert own(blocks[0]).startswith("Table3.SitesSiteAreaSite0")
    assert own(blocks[1]).startswith("Site") and "SiteArea" not in own(blocks[1])


def test_rows_held_together_by_a_span_stay_together():
    rows = [["Group", "Value"]]
    for i in range(12):
        rows += [[f"group number {i} of many", f"value {i} first"], ["", f"value {i} second"]]
    table = grid(rows, spans=tuple((1 + 2 * i, 0, 2, 1) for i in range(12)))
    blocks = build_blocks(document([region("table", table=table)]), target_tokens=64)
    assert len(blocks) > 2
    for block in blocks:
        for i in range(12):
            assert (f"value {i} first" in block.text) == (f"value {i} second" in block.text)


def test_a_row_larger_than_a_block_is_cut_inside_its_cells():
    long = " ".join(f"clause {i} says so." for i in range(200))
    doc = document([region("table", table=grid([["Article", "Text"], ["1", long], ["2", "short"]]))])
    blocks = build_blocks(doc, target_tokens=64)
    check(doc, blocks, 64)
    assert all(b.text.startswith("Article | Text") for b in blocks)


def test_captions_go_to_their_figure_or_table():
    table = grid([["Year", "Sales"], ["2023", "512.4"]])
    doc = document(
        [
            region("figure", "2022\n2023"), region("caption", "Figure 1. Net sales"),
            region("caption", "Table 1. Sales"), region("table", table=table),
            region("caption", "图2 营业收入"), region("figure"),
        ]
    )  # fmt: skip
    blocks = build_blocks(doc)
    assert [(b.kind, b.caption) for b in blocks] == [
        ("figure", "Figure 1. Net sales"), ("table", "Table 1. Sales"), ("figure", "图2 营业收入"),
    ]  # fmt: skip
    assert blocks[0].text == "2022\n2023\nFigure 1. Net sales"
    assert blocks[1].text == "Table 1. Sales\nYear | Sales\n2023 | 512.4"
    check(doc, blocks)


def test_a_formula_knows_the_sentence_before_it_and_a_table_its_units():
    table = grid([["", "2023"], ["Net sales", "512.4"]])
    doc = document(
        [
            region("text", "We need it. The gain of the filter is"), region("formula", "K = P / (P + R) (3)"),
            region("text", "Years ended December 31 (in millions)"), region("table", table=table),
        ]
    )  # fmt: skip
    by_kind = {b.kind: b for b in build_blocks(doc)}
    assert by_kind["formula"].caption == "The gain of the filter is"
    assert by_kind["table"].caption == "Years ended December 31 (in millions)"
    assert indexed_text(INFO, by_kind["formula"]).endswith("The gain of the filter is\nK = P / (P + R) (3)")
    check(doc, build_blocks(doc))


def test_small_texts_between_floats_are_put_together():
    table = grid([["a", "b"], ["1", "2"]])
    doc = document([region("text", "See the table."), region("table", table=table), region("text", "And the next."),
                    region("table", table=table)])  # fmt: skip
    assert [b.kind for b in build_blocks(doc)] == ["passage", "table", "table"]


def test_notes_right_under_a_table_go_with_it_and_name_nothing() -> None:
    regions = [
        region("caption", "Table 2. Sites"),
        region("table", table=grid([["Site", "Area"], ["Duluth", "5"]])),
        region("text", "Source: the register of land."),
        region("footnote", "(1) Leased."),
        region("text", "More text."),
    ]
    doc = document(regions)
    table, text = blocks = build_blocks(doc)
    assert table.text == "Table 2. Sites\nSite | Area\nDuluth | 5\nSource: the register of land.\n(1) Leased."
    assert (table.caption, text.text) == ("Table 2. Sites", "More text.")
    check(doc, blocks)
    (page,) = doc.pages
    down = [r if r.order < 2 else replace(r, bbox=(50, r.bbox[1] + 200, 500, r.bbox[3] + 200)) for r in page.regions]
    table = build_blocks(replace(doc, pages=(replace(page, regions=tuple(down)),)))[0]
    assert table.text == "Table 2. Sites\nSite | Area\nDuluth | 5"  # they stand elsewhere on the page
