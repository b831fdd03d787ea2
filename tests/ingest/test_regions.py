from __future__ import annotations

from pathlib import Path

import pymupdf
from pdf_pages import LOREM, put, save, two_columns, wrapped

from h3cold.ingest.layout_route import regions_to_layout
from h3cold.ingest.page_facts import Line, PageFacts, Span
from h3cold.ingest.parse import ParseOptions, parse_document
from h3cold.ingest.regions import Typography, _from_the_right, page_regions
from h3cold.schemas.geometry import overlap
from h3cold.schemas.page import Cell, Page, Table

FAST = ParseOptions(ocr="off", layout="fast")


def parsed(doc: pymupdf.Document, tmp_path: Path) -> Page:
    return parse_document(save(doc, tmp_path / "a.pdf"), options=FAST).pages[0]


def kinds(page: Page) -> list[tuple[str, str]]:
    return [(r.kind, r.text) for r in page.regions]


def test_paragraphs_of_two_columns_in_reading_order(tmp_path: Path) -> None:
    doc = pymupdf.open()
    two_columns(doc)
    page = parsed(doc, tmp_path)
    assert [r.order for r in page.regions] == list(range(7))
    assert [r.text[:2] for r in page.regions[1:]] == ["L1", "L2", "L3", "R1", "R2", "R3"]
    assert all(r.text[3:] == f"begins. {LOREM}" for r in page.regions[1:])


def test_paragraphs_by_indent_and_short_last_lines(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = 80.0
    for n in range(3):
        first, *rest = wrapped(f"Paragraph {n} starts. {LOREM}", 78)
        page.insert_text((75, y), first, fontsize=10)
        y = put(page, 60, y + 13, rest)
    assert [text[:11] for _, text in kinds(parsed(doc, tmp_path))] == ["Paragraph 0", "Paragraph 1", "Paragraph 2"]


def test_list_items_stand_one_a_line(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = put(page, 60, 80, wrapped(LOREM, 80)) + 8
    for bullet in ("•", "•", "•"):
        first, *rest = wrapped(f"The item says {LOREM[:90]}", 60)
        page.insert_text((70, y), bullet, fontname="helv", fontsize=10)
        y = put(page, 85, y, [first, *rest]) + 4
    y = put(page, 60, y + 8, wrapped(LOREM, 80)) + 8
    for n in (1, 2):
        y = put(page, 70, y, f"{n}. Numbered item of the list")
    found = kinds(parsed(doc, tmp_path))
    assert [kind for kind, _ in found] == ["text", "list", "text", "list"]
    assert found[1][1].count("\n") == 2 and all(item.startswith("• The item") for item in found[1][1].split("\n"))
    assert found[3][1] == "1. Numbered item of the list\n2. Numbered item of the list"


def test_captions_and_footnotes(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = put(page, 60, 80, wrapped(LOREM, 80)) + 10
    page.draw_circle((200, y + 60), 50)
    page.draw_circle((260, y + 60), 50)
    page.draw_bezier((150, y + 20), (200, y + 90), (250, y), (330, y + 110))
    y = put(page, 60, y + 135, "Figure 3: Two circles and a curve") + 10
    put(page, 60, y, wrapped(f"Table 2 shows that {LOREM}", 80))
    put(page, 60, 740, "1 The source is the register of companies.", size=7.5)
    found = kinds(parsed(doc, tmp_path))
    assert ("caption", "Figure 3: Two circles and a curve") in found
    assert [kind for kind, text in found if text.startswith("Table 2")] == ["text"]
    assert found[-1] == ("footnote", "1 The source is the register of companies.")
    assert [kind for kind, _ in found].count("figure") == 1


def test_a_table_stays_in_its_column(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = put(page, 50, 80, wrapped(LOREM, 44)) + 14
    rows = [("Segment", "2023", "2022"), ("Metering", "149", "145"), ("Sensors", "256", "247"), ("Total", "405", "392")]
    for row in rows:
        for x, cell in zip((50, 180, 240), row, strict=True):
            page.insert_text((x, y), cell, fontsize=10)
        page.draw_line((50, y + 4), (270, y + 4))
        y += 18
    put(page, 50, y + 14, wrapped(LOREM, 44))
    put(page, 320, 80, wrapped(LOREM * 3, 44))
    found = parsed(doc, tmp_path).regions
    tables = [r for r in found if r.kind == "table" and r.table is not None]
    assert len(tables) == 1 and tables[0].bbox[2] < 300
    assert tables[0].table is not None and tables[0].table.grid()[-1] == ["Total", "405", "392"]
    assert not any(overlap(tables[0].bbox, r.bbox) > 20 for r in found if r.kind == "text")


def test_vertical_text_is_read_top_down_from_the_right() -> None:
    lines = []
    for n, text in enumerate(("春眠不觉晓处处闻啼鸟", "夜来风雨声花落知多少")):
        for k, char in enumerate(text):
            box = (400.0 - 20 * n, 100.0 + 12 * k, 412.0 - 20 * n, 112.0 + 12 * k)
            span = Span(char, box, "song", 12, False, False, False, 0, -box[0])
            lines.append(Line(char, box, (span,), (0.0, 1.0), 0, vertical=True))
    facts = PageFacts(1, 595, 842, 0, lines)
    (region,) = page_regions(facts, {}, Typography(12, False), find_solids=lambda facts: [])
    assert region.text == "春眠不觉晓处处闻啼鸟夜来风雨声花落知多少"
    assert region.bbox == (380, 100, 412, 220)


def test_regions_as_layoutparser_types(tmp_path: Path) -> None:
    doc = pymupdf.open()
    two_columns(doc)
    page = parsed(doc, tmp_path)
    layout = regions_to_layout(page)
    assert [(b.type, b.id, b.text) for b in layout] == [(r.kind, r.order, r.text) for r in page.regions]
    assert tuple(layout[0].coordinates) == page.regions[0].bbox


def test_a_table_of_contents_and_references_are_lists(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = put(page, 60, 80, [f"Chapter {n} of the book {'.' * 60} {n + 2}" for n in (1, 2, 3)])
    y = put(page, 60, y + 30, wrapped(LOREM, 80))
    put(page, 60, y + 30, [f"[{n}] A. Writer, A paper about meters, 200{n}." for n in (1, 2)])
    found = kinds(parsed(doc, tmp_path))
    assert [kind for kind, _ in found] == ["list", "text", "list"]
    assert found[0][1].split("\n")[2] == "Chapter 3 of the book … 5"
    assert found[2][1].count("\n") == 1


def test_a_line_set_to_the_right_below_a_short_one_stands_alone(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = put(page, 60, 80, wrapped(LOREM, 80)) + 10
    page.insert_text((60, y), "(b) The balance sheet", fontsize=10)
    page.insert_text((420, y + 13), "in thousands of dollars", fontsize=10)
    assert [text for _, text in kinds(parsed(doc, tmp_path))][1:] == [
        "(b) The balance sheet",
        "in thousands of dollars",
    ]


def test_tables_of_pages_read_from_the_right_have_their_first_column_there() -> None:
    cells = (
        Cell(0, 0, "value", (0, 0, 50, 10)),
        Cell(0, 1, "name", (50, 0, 100, 10)),
        Cell(1, 0, "both", (0, 10, 100, 20), 1, 2),
    )
    turned = _from_the_right(Table(2, 2, cells))
    assert turned.grid() == [["name", "value"], ["both", ""]]


def test_numbered_chinese_headings_of_scans_stand_alone_without_their_blank(tmp_path: Path) -> None:
    """OCR knows no bold type and leaves out the blank behind the number."""
    doc = pymupdf.open()
    page = doc.new_page()
    body = "受上述因素影响，沿海地区的单位平均成本提高了三成，受托管理人披露了补充养老计划"
    y = 80.0
    for head in ("第一节生产经营情况", "1.1诉讼与仲裁", "2.13.5万吨"):
        page.insert_text((60, y), head, fontname="china-s", fontsize=10.5)
        for n, text in enumerate((body, body, "并报监管部门备案。")):
            page.insert_text((60 if n else 81, y + 17 * (n + 1)), text, fontname="china-s", fontsize=10.5)
        y += 17 * 4 + 12
    heads = [text for kind, text in kinds(parsed(doc, tmp_path)) if kind in ("heading", "title")]
    assert heads == ["第一节生产经营情况", "1.1诉讼与仲裁"]


def test_signs_drawn_in_front_of_lines_are_bullets(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = put(page, 60, 80, wrapped(LOREM, 80)) + 8
    for _ in range(3):
        page.draw_circle((64, y - 4), 2, fill=(0, 0, 0), color=None)
        y = put(page, 75, y, wrapped(f"The item says {LOREM[:90]}", 60)) + 4
    page.draw_rect((60, y + 2, 67, y + 9), fill=(0, 0, 0), color=None)  # alone it is an ornament
    put(page, 75, y + 10, wrapped(LOREM, 80))
    found = kinds(parsed(doc, tmp_path))
    assert [kind for kind, _ in found] == ["text", "list", "text"]
    assert [item[:10] for item in found[1][1].split("\n")] == 3 * ["• The item"]
    assert found[2][1] == LOREM


def test_numbered_paragraphs_may_be_indented_and_have_a_centred_heading(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = put(page, 60, 80, wrapped(LOREM, 90)) + 12
    page.insert_text((250, y), "Claim for relief", fontsize=10)
    y += 13
    for letter in "ab":
        page.insert_text((96, y), f"{letter}.", fontsize=10)
        page.insert_text((124, y), wrapped(LOREM, 76)[0], fontsize=10)
        y = put(page, 60, y + 13, wrapped(" ".join(wrapped(LOREM, 76)[1:]), 90)) + 12
    found = kinds(parsed(doc, tmp_path))
    assert found[:2] == [("text", LOREM), ("text", "Claim for relief")]
    assert found[2] == ("list", f"a. {LOREM}\nb. {LOREM}")


def test_a_caption_ends_the_short_line_above_it(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = put(page, 60, 80, wrapped(LOREM, 80))
    y = put(page, 60, y + 30, ["2019 2020 2021"])
    put(page, 60, y, "Figure 3: People at work")
    assert ("caption", "Figure 3: People at work") in kinds(parsed(doc, tmp_path))


def test_footnotes_of_chinese_text_open_with_their_number(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = put(page, 60, 80, ["软件包的维护者应当在上传之前检查所有的许可证，并且记录下检查的结果。"] * 8, font="china-s")
    put(page, 60, y + 20, "2019年的结果与此相同。", font="china-s", size=7.5)
    put(page, 60, 740, "10软件包可以帮助你将这个过程自动化。", font="china-s", size=7.5)
    found = kinds(parsed(doc, tmp_path))
    assert found[-1] == ("footnote", "10软件包可以帮助你将这个过程自动化。")
    assert ("text", "2019年的结果与此相同。") in found
