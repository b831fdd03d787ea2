from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pdf_pages import put, wrapped

from h3cold.ingest.ligatures import mend_ligatures
from h3cold.ingest.page_facts import Line, PageFacts, Span
from h3cold.ingest.parse import parse_document
from h3cold.ingest.reading import read

SOUND = (
    "The e{ffi}ciency of the new plant is a signi{fi}cant bene{fi}t, as the quarter showed. Nobody had expected that "
    "the di{ff}erence to the old one would be so large, nor that its in{fl}uence on the market would be felt in so "
    "many towns at once. O{ffi}cers of the company said that they were hopeful about the coming year, and that "
    "the {fi}nancial position had become better than it had been in a decade, which was good to hear. SIGNI{fi}CANT."
)
PLAIN = "The house was built in the winter and everybody has seen how it stood there at the lake under the old trees. "
PARTS = ("ffi", "ff", "fi", "fl")


def broken(gap: str | None) -> str:
    text = SOUND
    for part in PARTS:
        text = text.replace(f"{{{part}}}", part if gap is None else gap)
    return text.replace("SIGNIfiCANT", "SIGNIFICANT")


def parsed(text: str) -> tuple[str, tuple[str, ...]]:
    doc = pymupdf.open()
    put(doc.new_page(), 60, 80, wrapped(text, 80))
    facts, page, _ = read(doc, 1, ocr="off", language="auto")
    return " ".join(line.text.strip() for line in facts.lines), page.reasons


def mended(text: str) -> tuple[str, int]:
    """What comes of lines with signs that no font of ours has."""
    lines = []
    for i, said in enumerate(wrapped(text, 80)):
        box = (60.0, 80.0 + 14 * i, 500.0, 92.0 + 14 * i)
        span = Span(said, box, "Font", 10.0, False, False, False, 0, box[3])
        lines.append(Line(said, box, (span,), (1.0, 0.0), 0))
    facts = PageFacts(1, 595, 842, 0, lines=lines)
    count = mend_ligatures(facts)
    assert [w.text for w in facts.words()] == [w for line in facts.lines for w in line.text.split()]
    return " ".join(line.text for line in facts.lines), count


@pytest.mark.parametrize("gap", ["\ufffd", "\ue001", "\x02"])
def test_a_sign_in_the_place_of_ligatures(gap: str) -> None:
    text, count = mended(broken(gap))
    assert text == broken(None) and count == 8


def test_a_blank_in_the_place_of_ligatures() -> None:
    text, reasons = parsed(broken(" "))
    for word in ("efficiency of", "significant benefit", "difference", "influence", "Officers", "SIGNIFICANT."):
        assert word in text
    assert any("words with lost ligatures mended" in reason for reason in reasons)


def test_nothing_in_the_place_of_ligatures() -> None:
    text, count = mended(broken(""))
    for word in ("efficiency", "significant", "difference", "influence", "financial"):
        assert word in text
    assert count == 5 and "Ocers" in text  # what could be a name stays


@pytest.mark.parametrize(
    "text",
    [
        "Edit index.rst, README.rst and docs/intro.rst. The column o er is Norwegian; de ned is Dutch. Mr. Buer and "
        "Mrs. Oer met the con rm team. SELECT o?er FROM t WHERE pro?t = 1 AND bene t > 2 AND a?ect = 3; signi?cant",
        "Norwegian: o er og de ned; Italian: con rm, bene ts; su er po polsku; a ord; re ects; in ows; a ect",
        "RST Corp, Gures Ltd, Ndings plc, Nally Inc and Rst signals in the TCP RST packet, Inuence Ltd, Dierent Inc",
        "img/signi cant.png x_e ciency in_uence 3e ciency e ciency_2 di erence=4",
        "A signi\ufffdcant di erence in e?ciency, ination and speci\ufffdc con icts",
    ],
)
def test_what_may_be_sound_stays(text: str) -> None:
    said = f"{text} {PLAIN * 4}".strip()
    assert mended(said) == (said, 0)


def test_a_page_in_another_language_stays() -> None:
    said = "Der Bericht ist von der Firma und die Zahlen sind für das Jahr nicht mit dem Plan zu vergleichen. " * 4
    said += "signi cant e ciency di erence"
    assert mended(said) == (said, 0)


def test_a_sound_page_is_left_alone() -> None:
    text, reasons = parsed(broken(None))
    assert "efficiency" in text and not any("ligatures" in reason for reason in reasons)


@pytest.mark.parametrize("gap", [" ", "\ufffd", ""])
def test_letters_that_only_look_alike(gap: str) -> None:
    text, _ = mended(f"{broken(gap)} speci{gap}c s\u0131gni{gap}cantly SPEC\u0130{gap}C \u017fpeci{gap}cations")
    assert "efficiency" in text and "significantly" in text and "specifications" in text


@given(st.lists(st.sampled_from([*broken(" ").split(), *"eo\u0131\u017f\ufffd\ue000?.", "cient", "ciency"])))
def test_any_text_is_read(words: list[str]) -> None:
    said = " ".join(words)
    mended(f"{said} {broken(' ')} {said}")


def test_cells_of_ruled_tables_are_mended_as_lines_are(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    y = put(page, 60, 80, wrapped("The signi cant pro t and the e cient o ce of the di erent year. " + PLAIN * 3, 80))
    rows = [("", "2023", "2022"), ("Net pro t", "1,234", "1,100"), ("E ciency", "3", "4"), ("In ation", "1", "2")]
    for i, row in enumerate(rows):
        page.draw_line((60, y + 16 * i), (460, y + 16 * i))
        for x, cell in zip((64, 264, 364), row, strict=True):
            put(page, x, y + 12 + 16 * i, cell)
    page.draw_line((60, y + 64), (460, y + 64))
    for x in (60, 260, 360, 460):
        page.draw_line((x, y), (x, y + 64))
    doc.save(tmp_path / "a.pdf", no_new_id=True)
    (found,) = parse_document(tmp_path / "a.pdf").pages
    tables = [r.table for r in found.regions if r.table is not None]
    assert [c.text for c in tables[0].cells if c.col == 0] == ["", "Net profit", "Efficiency", "Inflation"]
    assert "8 words with lost ligatures mended" in found.reasons
