"""Each kind of page takes its route, and its reasons say why."""

from __future__ import annotations

import pymupdf
import pytest
from page_kinds import (
    CHINESE,
    ENGLISH,
    add_lines,
    askew,
    chinese_page,
    drop_map,
    private_map,
    right_to_left,
    scan_page,
    scanned_table,
    sideways,
    text_page,
    vertical_page,
    with_map,
)

from h3cold.ingest.page_facts import read_page
from h3cold.ingest.parse import ParseOptions, parse_window
from h3cold.ingest.triage import judge

ARABIC = "تقرير مجلس الإدارة عن السنة المالية المنتهية في الحادي والثلاثين من ديسمبر وبلغت الإيرادات مليون دولار"
HEBREW = "דוח הדירקטוריון לשנה שהסתיימה בשלושים ואחד בדצמבר ההכנסות הסתכמו במיליון שקלים והרווח הנקי עלה"


def hidden_layer(lines: list[str]) -> pymupdf.Document:
    doc = scan_page()
    for n, line in enumerate(lines):  # where the scan shows its lines
        doc[0].insert_text((20, 30 + 14.3 * n), line, fontsize=11, render_mode=3)
    return doc


def doubled(mode: int) -> pymupdf.Document:
    doc = text_page()
    add_lines(doc[0], ENGLISH, y=90.5, mode=mode)
    return doc


def turned_by_file() -> pymupdf.Document:
    doc = text_page()
    doc[0].set_rotation(90)
    return doc


SHUFFLED = [line.translate(str.maketrans("etaoinsr", "qzxjkvwq")) for line in ENGLISH]

KINDS = {
    "sound": (text_page, "geometry", "sane text layer"),
    "sound Chinese": (chinese_page, "geometry", "sane text layer"),
    "CID garbage": (lambda: text_page(["(cid:12)(cid:33)(cid:4)(cid:77)"] * 12), "ocr", "glyph numbers"),
    "private use": (lambda: with_map(private_map), "ocr", "private-use"),
    "no Unicode map": (lambda: with_map(drop_map), "ocr", "no Unicode value"),
    "mojibake": (
        lambda: text_page(["".join(map(chr, line.encode("gbk"))) for line in CHINESE]), "ocr", "another encoding",
    ),
    "hidden layer": (lambda: hidden_layer(ENGLISH * 4), "geometry", "hidden text layer over a scan"),
    "thin hidden layer": (lambda: hidden_layer(["Scanned by the copy shop"]), "ocr", "leaves out much"),
    "bad hidden layer": (lambda: hidden_layer(SHUFFLED * 4), "ocr", "frequencies"),
    "printed twice": (lambda: doubled(0), "geometry", "lines printed twice dropped"),
    "doubled by a hidden layer": (lambda: doubled(3), "geometry", "lines that nobody can see dropped"),
    "scan": (scan_page, "ocr", "only a picture"),
    "scanned table": (scanned_table, "mixed", "looks like scanned text"),
    "turned by the file": (turned_by_file, "geometry", "the file turns the page"),
    "sideways": (sideways, "geometry", "text runs up the page"),
    "askew": (lambda: askew(4), "geometry", "text lies askew"),
    "vertical": (vertical_page, "geometry", "vertical writing"),
    "Arabic": (lambda: right_to_left(ARABIC), "geometry", "right-to-left"),
    "Hebrew": (lambda: right_to_left(HEBREW), "geometry", "right-to-left"),
    "blank": (lambda: text_page([]), "blank", "no text, no picture"),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_its_route_and_says_why(kind):
    make, route, reason = KINDS[kind]
    doc = pymupdf.open(stream=make().tobytes())
    verdict = judge(doc[0], read_page(doc[0]), ocr="auto")
    assert verdict.route == route
    (page,) = parse_window(doc, "x.pdf", 1, 1, ParseOptions(ocr="off", layout="fast"))
    assert any(reason in said for said in (*verdict.reasons, *page.reasons)), (verdict.reasons, page.reasons)


def text_of(doc: pymupdf.Document) -> str:
    (page,) = parse_window(doc, "x.pdf", 1, 1, ParseOptions(ocr="off", layout="fast"))
    return "".join(region.text for region in page.regions)


@pytest.mark.parametrize("make", [lambda: doubled(0), lambda: doubled(3), turned_by_file, sideways, lambda: askew(4)])
def test_such_pages_are_read_once_and_in_order(make):
    assert "".join(text_of(make()).split()) == "".join("".join(ENGLISH).split())


def test_vertical_columns_are_read_from_the_right():
    assert text_of(vertical_page()) == "".join(CHINESE[:6])


def test_only_the_scanned_part_of_a_text_page_is_read_by_ocr():
    doc = scanned_table()
    verdict = judge(doc[0], read_page(doc[0]), ocr="auto")
    assert [round(v) for v in verdict.clips[0]] == [60, 420, 460, 560]
    (page,) = parse_window(doc, "x.pdf", 1, 1, ParseOptions(layout="fast"))
    assert (page.route, page.source) == ("mixed", "mixed")
    words = " ".join([r.text for r in page.regions] + [c.text for r in page.regions if r.table for c in r.table.cells])
    assert "196.5" in words and "committee" in words
    assert page.ocr_engine and 0.5 < page.ocr_confidence <= 1
