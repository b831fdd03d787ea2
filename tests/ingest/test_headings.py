from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from pdf_pages import LOREM, put, save, wrapped

from h3cold.ingest.numbering import numbering
from h3cold.ingest.parse import ParseOptions, parse_document
from h3cold.schemas.page import Region

FAST = ParseOptions(ocr="off", layout="fast")


def heads(path: Path) -> list[tuple[str, int | None]]:
    doc = parse_document(path, options=FAST)
    return [(r.text, r.level) for p in doc.pages for r in p.regions if r.kind == "heading"]


def body(page: pymupdf.Page, y: float) -> float:
    return put(page, 60, y, wrapped(LOREM, 85)) + 14


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("Item 7A. Quantitative disclosures", 2),
        ("PART II", 1),
        ("2.1.3 Results", 4),
        ("3 Methods", 2),
        ("第三章 总则", 2),
        ("第二节 公司治理", 3),
        ("第十条 其他", 4),
        ("一、公司信息", 4),
        ("（二）会计政策", 5),
        ("Revenue grew", None),
        ("12% of sales", None),
    ],
)
def test_numbering(text: str, rank: int | None) -> None:
    assert numbering(text) == rank


def test_levels_by_size_weight_and_number(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    put(page, 60, 60, "The title of the report", size=24, font="hebo")
    y = 110.0
    for text, size in (
        ("1 Overview", 16), ("1.1 Scope", 13), ("1.1.1 Limits", 11), ("1.2 Sources", 13), ("2 Results", 16),
    ):  # fmt: skip
        y = body(page, put(page, 60, y, text, size=size, font="hebo") + 4)
    assert heads(save(doc, tmp_path / "a.pdf")) == [
        ("1 Overview", 1), ("1.1 Scope", 2), ("1.1.1 Limits", 3), ("1.2 Sources", 2), ("2 Results", 1),
    ]  # fmt: skip


def test_bold_lines_of_body_size_and_what_is_no_heading(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = body(page, 80)
    y = body(page, put(page, 60, y, "Liquidity and capital", font="hebo") + 4)
    put(page, 60, y, "Note that", font="hebo")
    put(page, 60 + pymupdf.get_text_length("Note that ", "hebo", 10), y, "this line goes on in plain type for a while")
    y = body(page, y + 30)
    y = put(page, 60, y, "12.5% 14.2% 16.1%", font="hebo") + 14
    body(page, y)
    assert [text for text, _ in heads(save(doc, tmp_path / "a.pdf"))] == ["Liquidity and capital"]


def test_the_outline_decides(tmp_path: Path) -> None:
    doc = pymupdf.open()
    for name in ("alpha section", "beta section"):
        page = doc.new_page()
        body(page, put(page, 60, 80, name) + 10)
    doc.set_toc([[1, "Chapter", 1], [2, "Alpha section", 1], [3, "Beta section", 2]])
    assert heads(save(doc, tmp_path / "a.pdf")) == [("alpha section", 2), ("beta section", 3)]


def test_chinese_articles_and_chapters(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = 80.0
    for text in (
        "第一章 总则", "第一条 标的股权", "甲方合法持有目标公司的全部股权，目标公司注册资本已全部实缴。",
        "第二条 为了加强管理，保障贸易结算的公平和用户的合法权益，根据有关法律制定本办法。",
    ):  # fmt: skip
        y = put(page, 60, y, text, font="china-s", size=11) + 12
    found = parse_document(save(doc, tmp_path / "a.pdf"), options=FAST).pages[0].regions
    kinds = {r.text[:3]: r.kind for r in found}
    assert kinds["第一条"] == "heading" and kinds["第二条"] == "text" and kinds["甲方合"] == "text"
    levels: dict[str, Region] = {r.text[:3]: r for r in found}
    assert kinds["第一章"] in ("heading", "title")
    assert (levels["第一条"].level or 9) > (levels["第一章"].level or 0)


def test_entries_of_a_table_of_contents_are_no_headings(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    put(page, 60, 80, "Contents", size=18, font="hebo")
    put(page, 60, 120, [f"Chapter {n} Matters of the {n} kind {'.' * 40} {n * 7}" for n in range(1, 9)], font="hebo")
    assert [text for text, _ in heads(save(doc, tmp_path / "a.pdf")) if text.startswith("Chapter")] == []


def test_what_a_form_was_filled_with_is_no_heading(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = body(page, 80)
    y = put(page, 60, y + 14, "Age: 1 year   Gender: female", size=14) + 14
    y = put(page, 60, y, "N/A", size=14) + 14
    body(page, put(page, 60, y, "What came of it", size=14) + 8)
    parsed = parse_document(save(doc, tmp_path / "a.pdf"), options=FAST)
    titles = [r.text for p in parsed.pages for r in p.regions
              if r.kind in ("title", "heading")]  # fmt: skip
    assert titles == ["What came of it"]


def test_code_labels_and_ends_of_sentences_are_no_headings(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = body(page, 80)
    page.insert_text((60, y), "DEFINITIONS EXPLICIT TAGS ::=", fontname="cour", fontsize=10)
    for text in ("Note", "(p. 236), and voxel (p. 39).", "differ from the current revision.", "xiv", "What came of it"):
        y = body(page, put(page, 60, y + 24, text, font="hebo") + 4)
    parsed = parse_document(save(doc, tmp_path / "a.pdf"), options=FAST)
    assert [r.text for p in parsed.pages for r in p.regions if r.kind in ("title", "heading")] == ["What came of it"]


def test_numbered_headings_in_bold_may_be_smaller_than_the_text(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = body(page, 80)
    page.insert_text((60, y + 8), "A.", fontsize=8.9, fontname="hebo")
    page.insert_text((78, y + 8), "Multiline equations", fontsize=8.9, fontname="hebo")
    body(page, y + 36)
    assert [text for text, _ in heads(save(doc, tmp_path / "small.pdf"))] == ["A. Multiline equations"]


def test_a_bold_sentence_that_ends_the_text_above_is_no_heading(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = put(page, 60, 80, wrapped(LOREM, 85)[:2])
    y = put(page, 60, y, "See plugins (p. 56).", font="hebo") + 14
    body(page, y)
    assert heads(save(doc, tmp_path / "see.pdf")) == []
