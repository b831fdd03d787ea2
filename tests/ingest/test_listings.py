"""Program code and a shell's output stay lines."""

from __future__ import annotations

import pymupdf
from pdf_pages import LOREM, put, save, wrapped

from h3cold.ingest.parse import ParseOptions, parse_document
from h3cold.ingest.render_markdown import render_markdown

FAST = ParseOptions(ocr="off", layout="fast")
CODE = ["for name in names:", "    print(name)", "total = 12"]
SHELL = ["$ ls -l", "-rw-r--r--  root  notes.txt", "-rw-r--r--  root  a.txt", "drwxr-xr-x  root  figures"]


def regions(page: pymupdf.Page, tmp_path) -> list[tuple[str, str]]:
    found = parse_document(save(page.parent, tmp_path / "a.pdf"), options=FAST).pages[0].regions
    return [(r.kind, r.text) for r in found]


def test_code_and_output_among_text_keep_their_lines_and_blanks(tmp_path):
    page = pymupdf.open().new_page()
    y = put(page, 57, 80, wrapped(LOREM, 90))
    y = put(page, 57, y + 12, CODE, font="cour")
    y = put(page, 57, y + 12, wrapped(LOREM, 90))
    put(page, 57, y + 12, SHELL, font="cour")
    found = regions(page, tmp_path)
    assert [text for _, text in found][1::2] == ["\n".join(CODE), "\n".join(SHELL)]
    assert {kind for kind, _ in found} == {"text"}


def test_a_paragraph_in_that_type_and_a_typed_letter_are_text(tmp_path):
    for font in ("helv", "cour"):
        page = pymupdf.open().new_page()
        y = put(page, 57, 80, wrapped(LOREM, 75) * 2, font=font)
        put(page, 57, y + 12, wrapped(LOREM, 75), font="cour")
        assert not any("\n" in text for _, text in regions(page, tmp_path))


def test_figures_in_that_type_are_a_table(tmp_path):
    page = pymupdf.open().new_page()
    y = put(page, 57, 80, wrapped(LOREM, 90))
    for k, row in enumerate(
        [("Sales", "186", "171"), ("Cost", "121", "114"), ("Profit", "65", "57"), ("Tax", "9", "8")]
    ):
        for x, text in zip((57, 257, 337), row, strict=True):
            put(page, x, y + 20 + 13 * k, text, font="cour")
    assert [kind for kind, _ in regions(page, tmp_path)] == ["text", "table"]


def test_code_is_fenced_in_markdown_and_begins_anew_on_each_page(tmp_path):
    doc = pymupdf.open()
    for first in ("start:", "goes_on:"):
        page = doc.new_page()
        y = put(page, 57, 80, wrapped(LOREM, 90))
        put(page, 57, y + 12, [first, "    *do it*"], font="cour")
    text = "".join(render_markdown(parse_document(save(doc, tmp_path / "a.pdf"), options=FAST)))
    assert text.count("```\n") == 4
    assert "```\nstart:\n    *do it*\n```\n" in text
