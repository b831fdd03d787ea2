"""Blocks: nothing lost, nothing twice, nothing too long, whatever the document looks like."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from made_documents import INFO, body_of, check, document, grid, own, region

from h3cold.ingest.blocks import build_blocks, indexed_text
from h3cold.ingest.flow import reading_order
from h3cold.ingest.parse import ParseOptions, parse_document
from h3cold.ingest.pieces import SLACK, estimate, sentences
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.page import FURNITURE

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


def test_a_figure_stands_where_its_caption_does_if_that_comes_first():
    doc = document(
        [
            region("text", "Before."),
            region("caption", "Short."),
            region("caption", "too long " * 40),
            region("figure", "x"),
        ]
    )
    blocks = build_blocks(doc, target_tokens=32)
    check(doc, blocks, 32)
    assert [b.kind for b in blocks][:2] == ["passage", "figure"]


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


def test_a_paragraph_over_the_page_end_is_one_and_the_footnote_has_a_block():
    doc = document(
        [region("text", "The loan that the"), region("footnote", "(1) A note."), region("footer", "Page 1")],
        [region("header", "Report"), region("text", "bank made was repaid.", continues=True)],
    )
    block, note = build_blocks(doc)
    assert block.text == "The loan that the bank made was repaid."
    assert [b.page for b in block.boxes] == [1, 2]
    assert (note.text, note.pages) == ("(1) A note.", (1,))
    check(doc, [block, note])


def test_han_text_is_joined_without_a_blank():
    doc = document([region("text", "公司于二〇二三年向东屿")], [region("text", "银行借款。", continues=True)])
    (block,) = build_blocks(doc)
    assert block.text == "公司于二〇二三年向东屿银行借款。"
    assert block.language == "zh"


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


def test_the_examples_lose_nothing(examples):
    options = ParseOptions(ocr="off", layout="fast")
    for made in examples.truth.readable:
        doc = parse_document(examples.folder / made.file, options=options)
        blocks = build_blocks(doc)
        body: Counter[str] = Counter()
        titles: Counter[str] = Counter()
        for item in reading_order(doc):
            (titles if item.region.kind == "heading" else body).update(body_of(item))
        found = Counter("".join(own(b) for b in blocks))
        assert not body - found
        assert not found - body - titles  # bare headings may stand in the text
        assert all(b.tokens <= SLACK * 256 for b in blocks)
