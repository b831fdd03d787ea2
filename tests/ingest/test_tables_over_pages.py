"""Tables that a page's end cuts, drawn with their exact cells: linked with the header repeated or not, in any style."""

from __future__ import annotations

import pymupdf
import pytest
from table_pages import draw_grid, put

from h3cold.ingest.across import mark_continued
from h3cold.ingest.parse import ParseOptions, parse_window
from h3cold.schemas.page import Page, Region

WORDS = {
    "helv": (["Item", "2023", "2022", "Change"], "Receivable class {}", "Table 5: Receivables", "(in thousands)",
             "Table 5 (continued)", "The group reports its receivables by class below, in the order of their age. "),
    "china-s": (["项目", "2023年", "2022年", "变动"], "应收款项目甲{}", "表5 应收款项目明细", "单位：万元", "表5（续）",
                "本公司按照类别列示应收款项目，具体情况如下表所示，敬请投资者注意。"),
}  # fmt: skip
XS = [72.0, 260.0, 350.0, 440.0, 540.0]


def drawn(doc: pymupdf.Document, top: float, rows: list[list[str]], font: str, *, ruled: bool, headed: bool) -> None:
    page = doc[-1]
    ys = [top + 16 * k for k in range(len(rows) + 1)]
    if ruled:
        draw_grid(page, XS, ys)
    else:
        for y in (ys[0], ys[1])[: 1 + headed]:
            page.draw_line((XS[0], y), (XS[-1], y))
    for y, row in zip(ys, rows, strict=False):
        put(page, XS[0] + 3, y + 12, row[0], font=font)
        for x, text in zip(XS[2:], row[1:], strict=True):
            put(page, x - 4, y + 12, text, right=True, font=font)


def parsed(doc: pymupdf.Document) -> list[Page]:
    with pymupdf.open(stream=doc.tobytes()) as again:
        return mark_continued(parse_window(again, "a.pdf", 1, len(again), ParseOptions(ocr="off", layout="fast")))


def only_table(page: Page) -> Region:
    (table,) = [r for r in page.regions if r.table]
    return table


@pytest.mark.parametrize("font", WORDS)
@pytest.mark.parametrize("ruled", [True, False])
@pytest.mark.parametrize("repeated", [True, False])
@pytest.mark.parametrize("marked", [True, False])
def test_both_parts_have_their_cells_and_are_linked(font: str, ruled: bool, repeated: bool, marked: bool) -> None:
    head, label, title, units, again, text = WORDS[font]
    # the last column is empty in the second part
    rows = [
        [label.format(k), f"{k * 7919 + 100_003:,}", f"{k * 611 + 90_001:,}", f"{k}.5%" if k < 34 else ""]
        for k in range(60)
    ]
    first, second = [head, *rows[:33]], [head] * repeated + rows[33:]
    doc = pymupdf.open()
    page = doc.new_page(width=612, height=792)
    page.insert_textbox((72, 60, 540, 140), text * 3, fontname=font, fontsize=10)
    put(page, 72, 160, title, font=font)
    put(page, 540, 176, units, right=True, font=font)
    drawn(doc, 185, first, font, ruled=ruled, headed=True)
    page = doc.new_page(width=612, height=792)
    if marked:
        put(page, 72, 72, again, font=font)
    drawn(doc, 80, second, font, ruled=ruled, headed=repeated)
    page.insert_textbox((72, 640, 540, 720), text * 3, fontname=font, fontsize=10)
    one, two = (only_table(p) for p in parsed(doc))
    assert one.table and one.table.grid() == first and not one.continues
    assert two.table and two.table.grid() == second and two.continues


def test_a_table_of_the_same_shape_with_a_number_of_its_own_is_another() -> None:
    doc = pymupdf.open()
    for n in (30, 31):
        page = doc.new_page(width=612, height=792)
        rows = [
            ["Set", "Right", "Wrong", "Share"],
            *([f"Question {k}", f"{k + n}", f"{k}", f"{k}.5%"] for k in range(36)),
        ]
        drawn(doc, 100, rows, "helv", ruled=True, headed=True)
        put(page, 180, 715, f"Table {n}: Answers to set {n}.")
    assert [only_table(p).continues for p in parsed(doc)] == [False, False]


@pytest.mark.parametrize("font", WORDS)
@pytest.mark.parametrize("ruled", [True, False])
@pytest.mark.parametrize("way", [90, 270])
@pytest.mark.parametrize("written", [True, False])
def test_tables_set_sideways_keep_their_cells_on_both_pages(font: str, ruled: bool, way: int, written: bool) -> None:
    head, label, title, *_ = WORDS[font]
    rows = [[label.format(k), f"{k * 7919 + 100_003:,}", f"{k * 611 + 90_001:,}", f"{k}.5%"] for k in range(50)]
    parts = [head, *rows[:35]], [head, *rows[35:]]
    doc = pymupdf.open()
    for n, part in enumerate(parts):
        page = doc.new_page(width=612, height=792)
        put(page, 72, 40, "Annual Report 2023")
        put(page, 72, 100, title if not n else "Table 5 (continued)", font=font)
        drawn(doc, 120, part, font, ruled=ruled, headed=True)
    out = pymupdf.open()
    for n in range(len(doc)):
        if written:  # the text itself runs up or down an upright page
            sideways = out.new_page(width=792, height=612)
            sideways.show_pdf_page(sideways.rect, doc, n, rotate=way)
        else:
            out.insert_pdf(doc, from_page=n, to_page=n)
            out[-1].set_rotation(way)
    tables = [only_table(p) for p in parsed(out)]
    assert [t.table and t.table.grid() for t in tables] == list(parts)
    assert [t.continues for t in tables] == [False, True]
