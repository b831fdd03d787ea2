from __future__ import annotations

import pymupdf
import pytest

from h3cold.ingest.page_facts import _is_heavy, read_page


def sample() -> pymupdf.Page:
    page = pymupdf.open().new_page(width=400, height=600)
    page.insert_text((50, 60), "Hello there", fontsize=12)
    page.draw_line((50, 70), (150, 70))
    page.draw_rect((50, 100, 90, 140), fill=(0.8, 0.8, 0.8), color=None)
    return page


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_boxes_are_those_of_the_page_as_displayed(rotation: int) -> None:
    page = sample()
    page.set_rotation(rotation)
    facts = read_page(page)
    shown = page.get_pixmap(alpha=False, colorspace=pymupdf.csGRAY)
    assert (facts.width, facts.height) == (shown.width, shown.height)
    x0, y0, x1, y1 = (int(v) for v in facts.lines[0].bbox)
    dark = [shown.pixel(x, y)[0] for x in range(x0, x1) for y in range(y0, y1)]
    assert min(dark) < 100, "the text's box holds its ink"
    fx0, fy0, fx1, fy1 = facts.fills[0].bbox
    assert shown.pixel(int((fx0 + fx1) / 2), int((fy0 + fy1) / 2))[0] == pytest.approx(204, abs=3)
    rule = facts.rules[0]
    assert rule.horizontal == (rotation in (0, 180))
    assert any(word.text == "Hello" for word in facts.words())


def test_text_that_is_not_painted_is_marked() -> None:
    page = pymupdf.open().new_page()
    page.insert_text((50, 60), "seen")
    page.insert_text((50, 90), "unseen", render_mode=3)
    assert {line.text: line.hidden for line in read_page(page).lines} == {"seen": False, "unseen": True}


def test_drawings_end_where_their_clip_does() -> None:
    doc = pymupdf.open()
    inner = doc.new_page(width=300, height=300)
    inner.draw_circle((150, 150), 140)
    target = pymupdf.open()
    page = target.new_page(width=400, height=400)
    page.show_pdf_page(pymupdf.Rect(100, 100, 200, 200), doc, 0, clip=pymupdf.Rect(0, 0, 150, 150))
    x0, y0, x1, y1 = read_page(page).art[0]
    assert x0 >= 98 and y0 >= 98 and x1 <= 202 and y1 <= 202


def test_a_clip_ends_where_a_group_begins() -> None:
    page = pymupdf.open().new_page(width=400, height=400)
    page.insert_text((50, 60), "x")
    doc, (content,) = page.parent, page.get_contents()
    doc.update_stream(content, b"/G0 gs q 60 60 20 20 re W n Q 50 100 m 350 100 l S")
    doc.xref_set_key(page.xref, "Group", "<</S/Transparency/CS/DeviceRGB>>")
    doc.xref_set_key(page.xref, "Resources", "<</ExtGState<</G0<</BM/Multiply>>>>>>")
    (rule,) = read_page(doc[0]).rules
    assert (rule.x0, rule.x1) == (50, 350)


def test_a_page_of_endless_line_art_is_counted_not_read() -> None:
    page = pymupdf.open().new_page()
    xref = page.parent.get_new_xref()
    page.parent.update_object(xref, "<<>>")
    page.parent.update_stream(
        xref, b"".join(b"%d %d m %d 9 l S\n" % (i % 500, i % 700, i % 499) for i in range(30_000))
    )
    page.parent.xref_set_key(page.xref, "Contents", f"{xref} 0 R")
    facts = read_page(page.parent[0])
    assert facts.strokes == 30_000
    assert not facts.rules and not facts.art


def test_ligatures_come_apart() -> None:
    from h3cold.ingest.script import plain

    assert plain("ﬁnal eﬀort") == "final effort"
    assert plain("ﻻ") == "لا"


def test_drawings_are_found_wherever_they_hide() -> None:
    inner = pymupdf.open()
    inner.new_page(width=300, height=300).draw_line((10, 20), (200, 20))
    middle = pymupdf.open()
    middle.new_page(width=300, height=300).show_pdf_page(pymupdf.Rect(0, 0, 300, 300), inner, 0)
    outer = pymupdf.open()
    nested = outer.new_page(width=300, height=300)
    nested.insert_text((50, 60), "a form within a form")
    nested.show_pdf_page(pymupdf.Rect(0, 0, 300, 300), middle, 0)
    assert len(read_page(nested).rules) == 1

    doc = pymupdf.open()
    noted = doc.new_page(width=300, height=300)
    noted.insert_text((50, 60), "all drawn by an annotation")
    noted.add_line_annot((10, 20), (200, 20))
    assert len(read_page(noted).rules) == 1

    plain = doc.new_page(width=300, height=300)
    plain.insert_text((50, 60), "we're (re l c 5 re) words only")
    facts = read_page(plain)
    assert not facts.rules and not facts.strokes

    glyph, font, shapes = (doc.get_new_xref() for _ in range(3))
    doc.update_object(glyph, "<<>>")
    doc.update_stream(glyph, b"500 0 d0 0 0 m 400 0 l 20 w S", compress=False)
    doc.update_object(
        font,
        "<</Type/Font/Subtype/Type3/FontBBox[0 0 500 500]/FontMatrix[.1 0 0 .1 0 0]/FirstChar 97/LastChar 97"
        f"/Widths[500]/Encoding<</Differences[97/a]>>/CharProcs<</a {glyph} 0 R>>/Resources<<>>>>",
    )
    doc.update_object(shapes, "<<>>")
    doc.update_stream(shapes, b"BT /F3 1 Tf 50 50 Td (a) Tj ET", compress=False)
    drawn = doc.new_page(width=300, height=300)
    doc.xref_set_key(drawn.xref, "Resources", f"<</Font<</F3 {font} 0 R>>>>")
    doc.xref_set_key(drawn.xref, "Contents", f"{shapes} 0 R")
    assert read_page(doc[drawn.number]).strokes == 1

    bare = doc.new_page(width=300, height=300)
    xref = doc.get_new_xref()
    doc.update_object(xref, "<<>>")
    doc.update_stream(xref, b"0 0 m 100 0 l\nS", compress=False)
    doc.xref_set_key(bare.xref, "Contents", f"{xref} 0 R")
    assert len(read_page(doc[bare.number]).rules) == 1


def test_heavy_weights_that_are_not_called_bold_are_bold():
    names = ("FranklinGothic-Demi", "Gotham-Black", "Lato-Heavy", "ITCSymbol-Semibold", "Blackadder", "Academy")
    assert [_is_heavy(name) for name in names] == [True, True, True, True, False, False]


def drawn_words(*words: tuple[tuple[float, float, float, float], str]) -> pymupdf.Page:
    """A page of a tagged file whose words are pictures that say what they show."""
    doc = pymupdf.open()
    page = doc.new_page()
    dark = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 40, 20))
    dark.clear_with(90)
    for box, _ in words:
        page.insert_image(box, pixmap=dark, keep_proportion=False)
    for xref, (_, said) in zip(page.get_contents(), words, strict=True):
        doc.update_stream(xref, b"/Span <</ActualText (%s)>> BDC\n%s\nEMC\n" % (said.encode(), doc.xref_stream(xref)))
    tree = doc.get_new_xref()
    doc.update_object(tree, "<</Type /StructTreeRoot>>")
    doc.xref_set_key(doc.pdf_catalog(), "StructTreeRoot", f"{tree} 0 R")
    return pymupdf.open(stream=doc.tobytes())[0]


def test_words_that_are_pictures_have_the_box_of_these_and_blanks_between_them() -> None:
    pieces = ((67, 172, "Political I"), (164, 319, "ndependents: "), (308, 475, "Who They"), (464, 536, "Are"))
    facts = read_page(drawn_words(*(((x0, 91, x1, 115), text) for x0, x1, text in pieces)))
    (line,) = facts.lines
    assert line.text == "Political Independents: Who They Are"
    assert line.bbox == pytest.approx((67, 91, 536, 115), abs=0.1)
    assert line.size == pytest.approx(0.7 * 24, abs=0.2)
    assert facts.images == []


@pytest.mark.parametrize("tracking", [-0.8, 0.0])
def test_words_set_tight_are_parted_where_their_letters_are(tracking: float) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    page.insert_text((72, 200), "\n".join(["A line of the text below it"] * 3), fontsize=10)
    page.insert_text((72, 80), "Headingonly", fontsize=16)
    xref = page.get_contents()[-1]
    shift = "[(Overall) -150 (summary)]" if tracking else "[(Recommendation)]"
    extra = f"\nq BT /helv 16 Tf {tracking} Tc 1 0 0 1 72 700 Tm {shift} TJ ET Q\n"
    doc.update_stream(xref, doc.xref_stream(xref) + extra.encode())
    texts = [line.text for line in read_page(pymupdf.open(stream=doc.tobytes())[0]).lines]
    assert "Headingonly" in texts  # its letters are set as the font asks for
    assert ("Overall summary" if tracking else "Recommendation") in texts
