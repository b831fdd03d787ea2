"""Blocks: nothing lost, nothing twice, nothing too long, whatever the document looks like."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from h3cold.ingest.blocks import build_blocks, indexed_text
from h3cold.ingest.flow import reading_order
from h3cold.ingest.pieces import SLACK, estimate, sentences
from h3cold.schemas.block import block_id
from h3cold.schemas.document import DocumentInfo, ParsedDocument
from h3cold.schemas.page import FURNITURE, Cell, Page, Region, Table

INFO = DocumentInfo(title="Larkspur Instruments 2023 Annual Report", company="Larkspur Instruments, Inc.",
                    period="FY2023", doctype="10-K")  # fmt: skip


def document(*pages, info=INFO):
    """Pages given as lists of regions; orders are set here."""
    made = []
    for n, regions in enumerate(pages, start=1):
        ordered = tuple(placed(r, i) for i, r in enumerate(regions))
        made.append(Page(n, 595, 842, 0, "text", "geometry", ordered))
    return ParsedDocument("d" * 32, "a.pdf", info, tuple(made))


def placed(region, i):
    """The i-th region of a page: boxes tell which region a span comes from."""
    box = (50, 10.0 * i, 500, 10.0 * i + 9)
    table = region.table
    if table is not None:
        table = replace(table, cells=tuple(replace(c, bbox=box) for c in table.cells))
    return replace(region, order=i, bbox=box, table=table)


def region(kind, text="", *, level=None, table=None, continues=False):
    return Region(kind, (0, 0, 1, 1), text, 0, level=level, table=table, continues=continues)


def grid(rows, *, head=1, spans=()):
    wide = {(r, c): (rs, cs) for r, c, rs, cs in spans}
    covered = {(r + i, c + j) for r, c, rs, cs in spans for i in range(rs) for j in range(cs) if i or j}
    cells = [
        Cell(r, c, text, (c, r, c + 1, r + 1), *wide.get((r, c), (1, 1)), header=r < head)
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
        if (r, c) not in covered
    ]
    return Table(len(rows), len(rows[0]), tuple(cells))


def bare(text):
    return re.sub(r"[\s|]+", "", text)


def body_of(item):
    if item.region.table is None:
        return bare(item.region.text)
    return "".join(bare(c.text) for c in sorted(item.region.table.cells, key=lambda c: (c.row, c.col)))


def own(block):
    """The block's text without what is repeated from another block."""
    return bare("".join(block.text[b.start : b.end] for b in block.boxes))


def check(doc, blocks, target=256):
    """Every promise of the module."""
    found: dict[tuple[int, int], str] = {}
    for block in blocks:
        for box in block.boxes:
            place = (box.page, int(box.bbox[1] // 10))
            found[place] = found.get(place, "") + bare(block.text[box.start : box.end])
    paths = {h for b in blocks for h in b.headings}
    for item in reading_order(doc):
        text = found.pop((item.page, item.region.order), "")
        if item.region.kind == "heading" and " ".join(item.region.text.split()) in paths:
            assert not text
        else:
            assert text == body_of(item)
    assert not found
    for block in blocks:
        assert block.tokens <= SLACK * target, block
        spans = [(b.start, b.end) for b in block.boxes]
        assert all(0 <= a <= b <= len(block.text) for a, b in spans)
        assert all(a[1] <= b[0] for a, b in pairwise(spans) if b != (0, 0) and a != (0, 0))
        assert block.pages
    assert [b.id for b in blocks] == [block_id(doc.id, i) for i in range(len(blocks))]
    assert [b.position for b in blocks] == list(range(len(blocks)))
    order = {(i.page, i.region.order): i.position for i in reading_order(doc)}
    for block in blocks:
        read = [order[b.page, int(b.bbox[1] // 10)] for b in block.boxes if b.end > b.start]
        assert read == sorted(read)
    starts = [order[b.page, int(b.bbox[1] // 10)] for b in (block.boxes[0] for block in blocks)]
    assert starts == sorted(starts)


WORDS = st.sampled_from(
    [
        "revenue",
        "rose.",
        "In",
        "2023,",
        "Co.",
        "Ltd.",
        "the",
        "fell;",
        "应收账款",
        "周转率。",
        "提高，",
        "x" * 40,
        "罚款！",
    ]
)
SENTENCE = st.lists(WORDS, min_size=1, max_size=25).map(" ".join)
TEXTS = st.builds(lambda t, go_on: region("text", t, continues=go_on), SENTENCE, st.booleans())
LISTS = st.builds(lambda items: region("list", "\n".join(items)), st.lists(SENTENCE, min_size=1, max_size=6))
HEADS = st.builds(lambda level: region("heading", "Heading", level=level), st.sampled_from([None, 1, 2, 3]))
OTHERS = st.builds(
    region, st.sampled_from(["title", "footnote", "caption", "figure", "formula", "header", "footer"]), SENTENCE
)
EMPTY = st.builds(region, st.sampled_from(["figure", "text", "list"]))


@st.composite
def tables(draw):
    rows, cols = draw(st.integers(1, 8)), draw(st.integers(1, 5))
    texts = [[draw(st.one_of(st.just(""), WORDS, SENTENCE)) for _ in range(cols)] for _ in range(rows)]
    spans = ()
    if rows > 3 and cols > 1 and draw(st.booleans()):
        spans = ((2, 0, 2, 1), (0, 0, 1, 2))
    table = grid(texts, head=draw(st.integers(0, 2)), spans=spans)
    return region("table", table=table, continues=draw(st.booleans()))


PAGES = st.lists(st.lists(st.one_of(TEXTS, LISTS, HEADS, OTHERS, EMPTY, tables()), max_size=8), min_size=1, max_size=4)


@settings(max_examples=40, deadline=None)
@given(PAGES, st.sampled_from([32, 64, 256]))
def test_nothing_is_lost_or_repeated_or_too_long(pages, target):
    unique = [
        [replace(r, text=f"{r.text} of {n}.{i}") if r.kind == "heading" else r for i, r in enumerate(page)]
        for n, page in enumerate(pages)
    ]
    doc = document(*unique)
    check(doc, build_blocks(doc, target_tokens=target), target)


@settings(max_examples=20, deadline=None)
@given(PAGES)
def test_same_document_same_blocks(pages):
    doc = document(*pages)
    assert build_blocks(doc) == build_blocks(doc)


@settings(max_examples=40, deadline=None)
@given(st.text())
def test_sentences_cover_the_text(text):
    spans = list(sentences(text))
    assert "".join(text[a:b] for a, b in spans) == text


def test_sentences_end_where_readers_say():
    text = "Qingyu Co., Ltd. fined No. 3. Sales rose 3.5% in the U.S. Court said so. 罚款32万元。公司已缴清！It paid."
    found = [text[a:b].strip() for a, b in sentences(text)]
    assert found == ["Qingyu Co., Ltd. fined No. 3.", "Sales rose 3.5% in the U.S. Court said so.",
                     "罚款32万元。", "公司已缴清！", "It paid."]  # fmt: skip


def test_a_million_characters_without_a_blank():
    doc = document([region("text", "x" * 10**6)])
    blocks = build_blocks(doc)
    check(doc, blocks)
    assert "".join(own(b) for b in blocks) == "x" * 10**6
    assert all(b.parts == len(blocks) for b in blocks)


def test_a_counter_that_knows_no_bounds_still_bounds_the_blocks():
    doc = document([region("text", "word " * 500), region("list", "\n".join(["item " * 30] * 9))])

    def count(texts):
        return [2 + len(t) for t in texts]  # two markers, a token a character

    for block in build_blocks(doc, target_tokens=64, count=count):
        assert len(block.text) <= SLACK * 64


def test_no_block_spans_two_sections_and_paths_follow_levels():
    doc = document(
        [
            region("heading", "Item 1", level=1), region("text", "One."),
            region("heading", "A", level=2), region("text", "Two."),
            region("heading", "deep", level=3), region("text", "Three."),
            region("heading", "B", level=2), region("text", "Four."),
            region("heading", "Item 2", level=1), region("heading", "lone", level=2),
            region("heading", "Item 3", level=1), region("text", "Five."),
        ]
    )  # fmt: skip
    blocks = build_blocks(doc)
    assert [(b.headings, b.text) for b in blocks] == [
        (("Item 1",), "One."), (("Item 1", "A"), "Two."), (("Item 1", "A", "deep"), "Three."),
        (("Item 1", "B"), "Four."), (("Item 2",), "lone"), (("Item 3",), "Five."),
    ]  # fmt: skip


def test_headings_in_a_row_are_one_path():
    doc = document(
        [region("heading", "Part I", level=1), region("heading", "Item 1", level=1), region("text", "One. " * 30),
         region("heading", "Item 2", level=1), region("text", "Two. " * 30)]
    )  # fmt: skip
    assert [b.headings for b in build_blocks(doc)] == [("Part I", "Item 1"), ("Item 2",)]


def test_a_cover_is_one_block_not_one_for_each_line():
    doc = document(
        [region("heading", "Report", level=1),
         region("heading", "FORM 10-K", level=2), region("text", "Washington"),
         region("heading", "Larkspur, Inc.", level=2), region("text", "(Exact name)"),
         region("heading", "Duluth", level=2),
         region("heading", "Business", level=2), region("text", "We make meters. " * 20)]
    )  # fmt: skip
    cover, business = build_blocks(doc)
    assert (cover.headings, business.headings) == (("Report",), ("Report", "Duluth", "Business"))
    assert cover.text == "FORM 10-K\nWashington\nLarkspur, Inc.\n(Exact name)"
    check(doc, [cover, business])


def test_a_logo_has_no_block_but_a_picture_has():
    (page,) = document([region("figure"), region("figure"), region("text", "Body.")]).pages
    logo, picture, text = page.regions
    picture = replace(picture, bbox=(50, 100, 500, 400))
    doc = ParsedDocument("d" * 32, "a.pdf", INFO, (replace(page, regions=(logo, picture, text)),))
    assert [(b.kind, b.text, b.bbox) for b in build_blocks(doc)] == [
        ("figure", "", (50, 100, 500, 400)), ("passage", "Body.", text.bbox),
    ]  # fmt: skip


def test_a_paragraph_over_the_page_end_is_one_and_the_footnote_comes_after():
    doc = document(
        [region("text", "The loan that the"), region("footnote", "(1) A note."), region("footer", "Page 1")],
        [region("header", "Report"), region("text", "bank made was repaid.", continues=True)],
    )
    (block,) = build_blocks(doc)
    assert block.text == "The loan that the bank made was repaid.\n(1) A note."
    assert block.pages == (1, 2)
    assert [b.page for b in block.boxes] == [1, 2, 1]


def test_han_text_is_joined_without_a_blank():
    doc = document([region("text", "公司于二〇二三年向东屿")], [region("text", "银行借款。", continues=True)])
    (block,) = build_blocks(doc)
    assert block.text == "公司于二〇二三年向东屿银行借款。"
    assert block.language == "zh"


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


def test_indexed_text_says_where_the_block_comes_from():
    doc = document([region("heading", "Item 7", level=1), region("text", "Sales .......... 7")])
    (block,) = build_blocks(doc)
    # the company's name stands in the title only in part, the period not at all
    assert indexed_text(INFO, block) == (
        "Larkspur Instruments 2023 Annual Report | Larkspur Instruments, Inc. | FY2023 | 10-K\nItem 7\nSales … 7"
    )
    assert indexed_text(DocumentInfo(), block) == "Item 7\nSales … 7"


def test_a_document_without_text_has_no_blocks():
    assert build_blocks(document([])) == []
    assert build_blocks(document([region("header", "Report"), region("footer", "1")])) == []


def test_estimate_by_script():
    assert estimate(["", "abcd", "应收账款周转率", "a"]) == [0, 1, 5, 1]


def test_furniture_stays_out():
    doc = document([region(kind, "Running line") for kind in sorted(FURNITURE)] + [region("text", "Body.")])
    (block,) = build_blocks(doc)
    assert block.text == "Body."
