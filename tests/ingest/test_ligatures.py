from __future__ import annotations

import pymupdf
import pytest
from pdf_pages import put, wrapped

from h3cold.ingest.reading import read

SOUND = (
    "The e{ffi}ciency of the new plant is a signi{fi}cant bene{fi}t, as the {fi}rst quarter showed. Nobody had "
    "expected that the di{ff}erence to the old one would be so large, nor that its in{fl}uence on the market would be "
    "felt in so many towns at once. O{ffi}cers of the company said that they were con{fi}dent about the coming year, "
    "and that the {fi}nancial position had become better than it had been in a decade, which was good to hear."
)
PARTS = ("ffi", "ff", "fi", "fl")


def parsed(gap: str | None) -> tuple[str, tuple[str, ...]]:
    text = SOUND
    for part in PARTS:
        text = text.replace(f"{{{part}}}", part if gap is None else gap)
    doc = pymupdf.open()
    put(doc.new_page(), 60, 80, wrapped(text, 80))
    facts, page, _ = read(doc, 1, ocr="off", language="auto")
    return " ".join(line.text.strip() for line in facts.lines), page.reasons


@pytest.mark.parametrize("gap", ["", "?"])
def test_known_words_get_their_ligatures_back_and_the_page_says_so(gap: str) -> None:
    text, reasons = parsed(gap)
    for word in (
        "efficiency",
        "significant benefit",
        "first quarter",
        "difference",
        "influence",
        "Officers",
        "financial",
    ):
        assert word in text
    assert any("lost ligatures" in reason for reason in reasons)


def test_a_sound_page_is_left_alone() -> None:
    text, reasons = parsed(None)
    assert "efficiency" in text and not any("ligatures" in reason for reason in reasons)


def test_a_page_without_such_words_is_left_alone() -> None:
    doc = pymupdf.open()
    put(
        doc.new_page(), 60, 80, wrapped("The RST flag is set, the RST bit too: RST means to reset it at once. " * 8, 80)
    )
    facts, page, _ = read(doc, 1, ocr="off", language="auto")
    assert "RST" in facts.lines[0].text and not any("ligatures" in reason for reason in page.reasons)
