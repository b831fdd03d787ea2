"""Symbols and accents of TeX's fonts, lam and alef drawn as one glyph."""

from __future__ import annotations

import pymupdf
import pytest

from h3cold.ingest.glyphs import text_of
from h3cold.ingest.page_facts import TEXT_FLAGS, read_page
from h3cold.ingest.script import tidy


def written(doc: pymupdf.Document, font: str, codes: bytes, *, encoding: str, to_unicode: bytes = b"") -> pymupdf.Page:
    """A page with `codes` shown in a font of that name and encoding."""
    page = doc.new_page()
    xref = doc.get_new_xref()
    cmap = doc.get_new_xref() if to_unicode else 0
    if cmap:
        doc.update_object(cmap, "<<>>")
        doc.update_stream(cmap, to_unicode)
    named = f"/ToUnicode {cmap} 0 R" if cmap else ""
    doc.update_object(xref, f"<</Type/Font/Subtype/Type1/BaseFont/{font}/Encoding<</Differences[{encoding}]>>{named}>>")
    doc.xref_set_key(page.xref, "Resources", f"<</Font<</F1 {xref} 0 R>>>>")
    content = doc.get_new_xref()
    doc.update_object(content, "<<>>")
    doc.update_stream(content, b"BT /F1 20 Tf 100 500 Td <" + codes.hex().encode() + b"> Tj ET")
    doc.xref_set_key(page.xref, "Contents", f"{content} 0 R")
    return page


def test_symbols_of_tex_fonts_without_a_map_get_their_names() -> None:
    with pymupdf.open() as doc:
        page = written(doc, "CMEX10", b"\x50\x52\x70", encoding="80/summationtext 82/integraltext 112/radicalbig")
        assert "\ufffd" in page.get_text(flags=TEXT_FLAGS)
        assert "".join(read_page(page).lines[0].text.split()) == "∑∫√"
        assert "".join(w.text for w in read_page(page).words()) == "∑∫√"


def test_unknown_symbols_of_other_fonts_stay_unknown() -> None:
    with pymupdf.open() as doc:
        page = written(doc, "Ornaments", b"\x50\x52", encoding="80/summationtext 82/integraltext")
        assert set("".join(read_page(page).lines[0].text.split())) == {"\ufffd"}


@pytest.mark.parametrize(
    ("font", "text", "read"),
    [
        ("CMR10", "Poincar´e, na¨ıve", "Poincaré, naïve"),
        ("CMBX12", "˜X", "X\u0303"),
        ("Times-Roman", "O´Neill", "O´Neill"),
        ("CMR10", "plain", "plain"),
    ],
)
def test_accents_of_tex_come_onto_their_letters(font: str, text: str, read: str) -> None:
    assert text_of(font, text) == read


def test_a_stroke_negates_the_sign_behind_it() -> None:
    assert tidy("a ∩ b \u0338= ∅, x \u0338∈ Y") == "a ∩ b ≠ ∅, x ∉ Y"


def test_lam_alef_drawn_as_one_glyph_comes_in_the_order_of_the_word() -> None:
    cmap = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        b"1 begincodespacerange <00> <ff> endcodespacerange\n"
        b"3 beginbfchar <41> <06A9> <42> <06440627> <43> <0627> endbfchar\nendcmap end end"
    )
    with pymupdf.open() as doc:
        # drawn from left to right: lam-alef, alef, kaf
        page = written(doc, "Helvetica", b"BCA", encoding="65/A 66/B 67/C", to_unicode=cmap)
        facts = read_page(page)
        assert "".join(facts.lines[0].text.split()) == "کالا"[:2] + "لا"
        assert "".join(w.text for w in facts.words()) == "".join(facts.lines[0].text.split())
