"""Small PDFs of every kind of page that triage tells apart."""

from __future__ import annotations

import re

import pymupdf
from pdf_pages import LOREM, ZH, put, wrapped

ENGLISH = wrapped(LOREM * 3, 78)
CHINESE = [ZH[:34], ZH[17:51]] * 5


def text_page(lines: list[str] = ENGLISH, *, font: str = "helv", y: float = 90, mode: int = 0) -> pymupdf.Document:
    doc = pymupdf.open()
    add_lines(doc.new_page(), lines, font=font, y=y, mode=mode)
    return doc


def add_lines(page: pymupdf.Page, lines: list[str], *, font: str = "helv", y: float = 90, mode: int = 0) -> None:
    for n, line in enumerate(lines):
        page.insert_text((60, y + 16 * n), line, fontname=font, fontsize=11, render_mode=mode)


def chinese_page() -> pymupdf.Document:
    doc = pymupdf.open()
    page = doc.new_page()
    writer = pymupdf.TextWriter(page.rect)
    for n, line in enumerate(CHINESE):
        writer.append((60, 90 + 18 * n), line, font=pymupdf.Font("cjk"), fontsize=11)
    writer.write_text(page)
    return doc


def with_map(change) -> pymupdf.Document:
    """A Chinese page after `change(doc, font, map)` was done to each of its fonts' Unicode maps."""
    doc = pymupdf.open(stream=chinese_page().tobytes())
    for xref in range(1, doc.xref_length()):
        kind, value = doc.xref_get_key(xref, "ToUnicode")
        if kind == "xref":
            change(doc, xref, int(value.split()[0]))
    return pymupdf.open(stream=doc.tobytes(garbage=3))


def drop_map(doc: pymupdf.Document, font: int, map: int) -> None:
    doc.xref_set_key(font, "ToUnicode", "null")


def private_map(doc: pymupdf.Document, font: int, map: int) -> None:
    """Every code to a private-use character, as fonts made to hinder copying have it."""
    text = doc.xref_stream(map).decode("latin1")
    low, high = re.search(r"begincodespacerange\s*<([0-9a-fA-F]+)>\s*<([0-9a-fA-F]+)>", text).groups()
    one = re.sub(r"\d+ beginbf(char|range).*?endbf\1", "", text, flags=re.DOTALL)
    runs = [f"<{n:04x}> <{n + 255:04x}> <{0xE000 + n % 0x1800:04x}>" for n in range(0, 0xFF00, 256)]
    parts = [f"{len(part)} beginbfrange\n" + "\n".join(part) + "\nendbfrange\n" for part in
             (runs[i : i + 100] for i in range(0, len(runs), 100))]  # fmt: skip
    assert (int(low, 16), int(high, 16)) == (0, 0xFFFF)
    doc.update_stream(map, one.replace("endcmap", "".join(parts) + "endcmap").encode("latin1"))


def picture(lines: list[str], *, width: float = 480, height: float = 300) -> pymupdf.Pixmap:
    page = pymupdf.open().new_page(width=width, height=height)
    put(page, 20, 30, lines, size=11)
    return page.get_pixmap(dpi=110, colorspace=pymupdf.csGRAY)


def scan_page() -> pymupdf.Document:
    doc = pymupdf.open()
    page = doc.new_page()
    page.insert_image(page.rect, pixmap=picture(ENGLISH * 4, width=595, height=842))
    return doc


def scanned_table() -> pymupdf.Document:
    """A text page with a small picture of a table."""
    doc = text_page()
    source = pymupdf.open().new_page(width=400, height=140)
    for row in range(6):
        for col in range(4):
            source.insert_text((20 + 90 * col, 25 + 20 * row), f"{row * 37 + col * 11}.5", fontsize=10)
    doc[0].insert_image(pymupdf.Rect(60, 420, 460, 560), pixmap=source.get_pixmap(dpi=110))
    return doc


def vertical_page() -> pymupdf.Document:
    """Chinese in columns from right to left, each character set on its own."""
    doc = pymupdf.open()
    page = doc.new_page()
    writer = pymupdf.TextWriter(page.rect)
    for n, line in enumerate(CHINESE[:6]):
        for k, char in enumerate(line):
            writer.append((500 - 22 * n, 100 + 13 * k), char, font=pymupdf.Font("cjk"), fontsize=12)
    writer.write_text(page)
    return doc


def right_to_left(text: str) -> pymupdf.Document:
    doc = pymupdf.open()
    doc.new_page().insert_htmlbox((60, 60, 540, 500), f'<p dir="rtl" style="font-size:13pt">{text}</p>')
    return doc


def askew(degrees: float) -> pymupdf.Document:
    doc = pymupdf.open()
    page = doc.new_page()
    matrix = pymupdf.Matrix(1, 1).prerotate(degrees)
    for n, line in enumerate(ENGLISH):
        page.insert_text((60, 150 + 16 * n), line, fontsize=11, morph=(pymupdf.Point(60, 150), matrix))
    return doc


def sideways() -> pymupdf.Document:
    doc = pymupdf.open()
    page = doc.new_page(width=842, height=842)
    for n, line in enumerate(ENGLISH):
        page.insert_text((100 + 16 * n, 700), line, fontsize=11, rotate=90)
    return doc
