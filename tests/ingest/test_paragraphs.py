from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from pdf_pages import LOREM, ZH, put, save, wrapped

from h3cold.ingest.paragraphs import is_choice
from h3cold.ingest.parse import ParseOptions, parse_document

FAST = ParseOptions(ocr="off", layout="fast")


def kinds(doc: pymupdf.Document, tmp_path: Path) -> list[tuple[str, str]]:
    page = parse_document(save(doc, tmp_path / "a.pdf"), options=FAST).pages[0]
    return [(r.kind, r.text) for r in page.regions]


@pytest.mark.parametrize("text", ["□适用√不适用", "√ 适用 □ 不适用", "☑ Yes ☐ No", "□ 是 √ 否", "☐A类☐B类☑C类"])
def test_choices_with_their_boxes(text: str) -> None:
    assert is_choice(text)


@pytest.mark.parametrize("text", ["□ 适用", "√ 2 of x", "□ first point", "适用 □ 不适用", "× 3 + 4"])
def test_one_box_or_words_before_it_are_no_choices(text: str) -> None:
    assert not is_choice(text)


def test_choices_of_a_form_are_a_line_of_text_of_its_own(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = put(page, 57, 80, ["公司是否需追溯调整或重述以前年度会计数据", "□适用√不适用"], font="china-s")
    put(page, 57, y, [ZH[:46], ZH[:30] + "。"], font="china-s")
    assert kinds(doc, tmp_path) == [
        ("text", "公司是否需追溯调整或重述以前年度会计数据"),
        ("text", "□适用√不适用"),
        ("text", f"{ZH[:46]}{ZH[:30]}。"),
    ]


def test_a_short_line_of_chinese_ends_its_paragraph(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    put(page, 77, 80, "二、重大资产出售事项进展", font="china-s")
    put(page, 77, 93, ZH[:44], font="china-s")
    put(page, 57, 106, [ZH[:46], ZH[:20] + "。"], font="china-s")
    assert [text for _, text in kinds(doc, tmp_path)] == [
        "二、重大资产出售事项进展", f"{ZH[:44]}{ZH[:46]}{ZH[:20]}。",
    ]  # fmt: skip


def test_a_part_and_the_item_below_it_are_two_headings(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = put(
        page,
        57,
        80,
        ["PART II", "Item 5. Market for the", "common equity and", "related matters"],
        size=14,
        font="hebo",
    )
    put(page, 57, y + 6, wrapped(LOREM, 80))
    assert [text for kind, text in kinds(doc, tmp_path) if kind == "heading"] == [
        "PART II", "Item 5. Market for the common equity and related matters",
    ]  # fmt: skip


def test_a_label_over_an_address_is_no_heading(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = put(page, 57, 80, wrapped(LOREM, 80)) + 20
    y = put(page, 57, y, ["For more information:", "example.com/books"], font="hebo")
    put(page, 57, y + 20, wrapped(LOREM, 80))
    assert "heading" not in {kind for kind, _ in kinds(doc, tmp_path)}


def test_telephone_numbers_open_no_footnote_and_per_mille_signs_are_bullets(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = put(page, 57, 80, wrapped(LOREM * 4, 80), size=11)
    y = put(page, 57, y + 12, ["\u2030 receivable balances", "\u2030 payable balances"], size=11, font="china-s")
    put(page, 57, 600, "202.419.4500", size=8)
    found = kinds(doc, tmp_path)
    assert ("list", "• receivable balances\n• payable balances") in found
    assert ("text", "202.419.4500") in found


def test_a_tables_name_in_chinese_is_no_part_of_the_sentence_above_it(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    page.insert_text((84, 80), "下表列示了本公司营业收入分地区情况。", fontsize=10, fontname="china-s")
    page.insert_text((64, 97), "营业收入分地区情况（单位：万元）", fontsize=10, fontname="china-s")
    for k, row in enumerate(
        (("地区", "2010年", "2009年"), ("华东", "129,165", "94,031"), ("华南", "51,760", "48,273"))
    ):
        for x, text in zip((64, 300, 460), row, strict=True):
            page.insert_text((x, 114 + 13 * k), text, fontsize=9, fontname="china-s")
    page.insert_text((84, 180), "下表列示了本公司主要财务指标。", fontsize=10, fontname="china-s")
    page.insert_text((64, 197), "主要财务指标", fontsize=9.5, fontname="china-s")
    for y in (101, 118, 146):
        page.draw_line((64, y), (530, y))
    doc.save(tmp_path / "f.pdf", no_new_id=True)
    parsed = parse_document(tmp_path / "f.pdf", options=ParseOptions(ocr="off", layout="fast"))
    found = [(r.kind, r.text) for r in parsed.pages[0].regions if r.table is None]
    assert ("caption", "营业收入分地区情况（单位：万元）") in found
    assert [text for _, text in found][-2:] == ["下表列示了本公司主要财务指标。", "主要财务指标"]


def test_a_paragraph_begins_in_the_indented_line_that_goes_on_not_in_one_before_it(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = put(page, 77, 80, ZH[:42] + "。", font="china-s")
    y = put(page, 77, y, ZH[:44], font="china-s")
    put(page, 57, y, [ZH[:46], ZH[:20] + "。"], font="china-s")
    assert [text for _, text in kinds(doc, tmp_path)] == [f"{ZH[:42]}。", f"{ZH[:44]}{ZH[:46]}{ZH[:20]}。"]


def test_names_set_in_below_others_are_no_paragraph_that_goes_on(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = 80.0
    for head in ("compute_areas", "compute_jets", "contains_all"):
        y = put(page, 57, y, head)
        y = put(page, 77, y, ["cones::first_kind_of_vicinity, 157", "cones::spherical_kind_of_vicinity, 121"])
    texts = [text for _, text in kinds(doc, tmp_path)]
    assert not any(text.startswith("cones::spherical") and "compute" in text for text in texts)


@pytest.mark.parametrize(
    ("first", "begin"),
    [
        (
            "As the discretized version of the governing equation of the whole theory (Eq.",
            "4) is an equation of motion",
        ),
        ("To do this by itself would have taken two chips more than all others of them", "– as much as all of the set"),
    ],
)
def test_signs_amid_a_sentence_open_no_item(tmp_path: Path, first: str, begin: str) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    put(
        page,
        57,
        80,
        [first, begin + " and so it was put into", "the package that is known for it."],
        size=5,
        font="china-s",
    )
    assert kinds(doc, tmp_path) == [
        ("text", f"{first} {begin} and so it was put into the package that is known for it.")
    ]


def test_a_line_in_part_in_another_type_that_fills_its_column_is_no_heading(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    page.insert_text((77, 80), ZH[:15], fontsize=10, fontname="china-s")
    page.insert_text((227, 80), "includegraphics", fontsize=10.6, fontname="cour")
    page.insert_text((323, 80), ZH[15:33], fontsize=10, fontname="china-s")
    put(page, 57, 93, [ZH[:45], ZH[:20] + "。"], font="china-s")
    found = kinds(doc, tmp_path)
    assert [kind for kind, _ in found] == ["text"] and found[0][1].endswith(ZH[:20] + "。")


def test_a_sentence_about_a_table_is_no_caption(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    put(page, 57, 80, "Table 8.2 was generated using the code:")
    assert kinds(doc, tmp_path) == [("text", "Table 8.2 was generated using the code:")]
