"""What blocks promise holds for whole files: drawn at random, parsed, cut, and compared with what was printed."""

from __future__ import annotations

import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_documents import body_of, check, replaced

from h3cold.ingest.blocks import build_blocks
from h3cold.ingest.flow import reading_order
from h3cold.ingest.parse import ParseOptions, parse_document

OPTIONS = ParseOptions(ocr="off", layout="fast")
SENTENCES = st.lists(
    st.sampled_from(
        ["Sales rose in every segment of the company.", "The board met twice in 2023.", "Costs fell by 3.5 percent.",
         "See the notes for what was written off.", "No dividend was paid."]
    ), min_size=1, max_size=12,
).map(" ".join)  # fmt: skip
PARTS = st.one_of(
    st.tuples(st.just("text"), SENTENCES),
    st.tuples(st.just("heading"), st.sampled_from(["1. Business", "2. Risk factors", "2.1 Market risk", "Outlook"])),
    st.tuples(st.just("table"), st.integers(2, 40)),
)


def drawn(parts, path):
    """A file with the parts one below the other; returns nothing, the truth is what MuPDF reads back."""
    with pymupdf.open() as doc:
        page, y = doc.new_page(width=595, height=842), 60.0
        for kind, what in parts:
            need = 26 if kind == "heading" else 18 * what if kind == "table" else 15 * (2 + len(what) // 80)
            if y + min(need, 200) > 780:
                page, y = doc.new_page(width=595, height=842), 60.0
            if kind == "heading":
                page.insert_text((60, y + 16), what, fontsize=15, fontname="hebo")
            elif kind == "text":
                page.insert_textbox((60, y, 535, y + need), what, fontsize=10.5, fontname="tiro")
            else:
                for row in range(what):
                    if y + 18 > 800:
                        page, y = doc.new_page(width=595, height=842), 60.0
                    for col in range(3):
                        box = pymupdf.Rect(60 + 150 * col, y, 210 + 150 * col, y + 18)
                        page.draw_rect(box, width=0.6)
                        page.insert_text((box.x0 + 4, y + 13), f"cell {row} {col}", fontsize=9)
                    y += 18
                need = 0
            y += need + 12
        doc.save(path, no_new_id=True)


def assert_covered(doc, target=256):
    """Each body character of a parsed file is in one span of one block, blocks and spans are in reading order."""
    known = replaced(doc)
    check(known, build_blocks(known, target_tokens=target), target)
    # boxes moved or not, the same texts come out: nothing that was checked depends on where regions stand
    assert [b.text for b in build_blocks(known, target_tokens=target)] == [
        b.text for b in build_blocks(doc, target_tokens=target)
    ]


@pytest.mark.parametrize("target", [32, 256])
def test_the_examples_are_covered(examples, target):
    for name in ("larkspur_annual_report_2023.pdf", "青屿精密2023年年度报告.pdf"):
        doc = parse_document(examples.folder / name, options=OPTIONS)
        assert any(body_of(item) for item in reading_order(doc) if item.region.kind not in ("heading", "title"))
        assert_covered(doc, target)


@settings(max_examples=12, deadline=None)
@given(st.lists(PARTS, min_size=1, max_size=8))
def test_every_character_is_in_exactly_one_block_in_order(tmp_path_factory, parts):
    path = tmp_path_factory.mktemp("drawn") / "report.pdf"
    drawn(parts, path)
    doc = parse_document(path, options=OPTIONS)
    assert_covered(doc)
    blocks = build_blocks(doc)
    pages = [b.pages[0] for b in blocks]
    assert pages == sorted(pages)
    for block in blocks:
        if block.kind == "table" and block.part and block.table is not None and block.table.header_rows():
            first = next(b for b in blocks if b.group == block.group and b.part == 0)
            assert [c.text for c in block.table.cells if c.header][:3] == [
                c.text for c in first.table.cells if c.header
            ][:3]
