"""Text layers of strange letters are kept where OCR of a few lines reads the same."""

from __future__ import annotations

import random
import string

import pymupdf
import pytest
from page_kinds import ENGLISH

from h3cold.ingest import ocr
from h3cold.ingest.reading import read

WRONG = dict(zip("etaoinsrqzxjkvwp", "qzxjkvwpetaoinsr", strict=True))


def written(lines: list[str]) -> pymupdf.Document:
    doc = pymupdf.open()
    page = doc.new_page()
    writer = pymupdf.TextWriter(page.rect)
    for n, line in enumerate(lines):
        writer.append((60, 90 + 16 * n), line, font=pymupdf.Font("helv"), fontsize=11)
    writer.write_text(page)
    return pymupdf.open(stream=doc.tobytes())


def shuffled() -> pymupdf.Document:
    """English in print whose font's map to Unicode names wrong letters."""
    doc = written(ENGLISH)
    for xref in range(1, doc.xref_length()):
        kind, value = doc.xref_get_key(xref, "ToUnicode")
        if kind == "xref":
            map = int(value.split()[0])
            text = doc.xref_stream(map).decode("latin1")
            letters = [f"<{0x42 + n:04x}> <{0x42 + n:04x}> <{ord(WRONG.get(c, c)):04x}>\n"
                       for n, c in enumerate(string.ascii_lowercase)]  # fmt: skip
            assert "<0042> <005f> <0061>\n" in text
            text = text.replace("43 beginbfrange", "68 beginbfrange").replace(
                "<0042> <005f> <0061>\n", "".join(letters)
            )
            doc.update_stream(map, text.encode("latin1"))
    return pymupdf.open(stream=doc.tobytes(garbage=3))


def test_codes_of_random_letters_are_kept_and_only_some_of_their_lines_read_by_ocr(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = random.Random(4)
    codes = ["".join(rng.choice("bcdfghjklmpquvwxyz") for _ in range(60)) for _ in range(8)]
    asked = []
    whole = ocr.read
    monkeypatch.setattr(ocr, "read", lambda page, **more: asked.append(more["clip"]) or whole(page, **more))
    facts, page, _ = read(written(codes), 1, ocr="auto")
    assert [line.text.strip() for line in facts.lines] == codes
    assert (page.route, page.source) == ("geometry", "text")
    assert "reads the same" in page.reasons[0]
    assert asked and None not in asked


def test_a_shuffled_font_is_read_by_ocr() -> None:
    doc = shuffled()
    assert "The committee" not in doc[0].get_text()
    facts, page, _ = read(doc, 1, ocr="auto")
    assert (page.route, page.source) == ("ocr", "ocr")
    assert "The committee reviewed" in " ".join(line.text for line in facts.lines)


def test_a_doubted_text_layer_that_ocr_cannot_see_is_kept() -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    codes = [" ".join(["qzx", "jkvw", "pbdf", "ghjk"] * 8) for _ in range(12)]
    for n, code in enumerate(codes):
        page.insert_text((60, 90 + 2 * n), code, fontsize=1)
    facts, page, _ = read(pymupdf.open(stream=doc.tobytes()), 1, ocr="auto")
    assert [line.text.split() for line in facts.lines] == [code.split() for code in codes]
    assert (page.route, page.source) == ("geometry", "text")
    assert any("far fewer letters" in reason for reason in page.reasons)
