"""Marks before the items of a list: bullets, or what the items say."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from pdf_pages import put, save

from h3cold.ingest.lines import make_rows
from h3cold.ingest.page_facts import Line, Span
from h3cold.ingest.paragraphs import paragraphs, tells
from h3cold.ingest.parse import ParseOptions, parse_document
from h3cold.ingest.render_markdown import render_markdown

ITEMS = ("Large accelerated filer", "Accelerated filer", "Smaller reporting company", "Shell company")


def listed(tmp_path: Path, marks: str, indents: tuple[float, ...] = (0, 0, 0, 0)) -> tuple[list[tuple[str, str]], str]:
    doc = pymupdf.open()
    page = doc.new_page()
    put(page, 57, 60, "The following hold for the registrant:", font="china-s")
    for k, (mark, item) in enumerate(zip(marks, ITEMS, strict=False)):
        put(page, 57 + indents[k], 80 + 15 * k, f"{mark} {item}", font="china-s")
    parsed = parse_document(save(doc, tmp_path / "a.pdf"), options=ParseOptions(ocr="off", layout="fast"))
    return [(r.kind, r.text) for r in parsed.pages[0].regions[1:]], "".join(render_markdown(parsed))


@pytest.mark.parametrize("marks", ["■□□■", "●○○●", "○●○", "★☆☆★", "√□√□"])
def test_marks_that_tell_items_apart_stay(tmp_path: Path, marks: str) -> None:
    wanted = [f"{mark} {item}" for mark, item in zip(marks, ITEMS, strict=False)]
    found, markdown = listed(tmp_path, marks)
    assert found == [("list", "\n".join(wanted))]
    assert all(f"- {line}" in markdown for line in wanted)


@pytest.mark.parametrize(("marks", "indents"), [("■■■■", (0, 0, 0, 0)), ("●○○●", (0, 20, 20, 0))])
def test_marks_of_one_kind_or_of_levels_are_bullets(tmp_path: Path, marks: str, indents: tuple[float, ...]) -> None:
    found, _ = listed(tmp_path, marks, indents)
    assert found == [("list", "\n".join(f"• {item}" for item in ITEMS))]


def test_lines_that_open_with_a_box_are_items() -> None:
    lines = []
    for k, text in enumerate(["Tick one of these.", *(f"{m} {t}" for m, t in zip("☐☒☐☑", ITEMS, strict=True))]):
        box = (57.0, 80.0 + 12 * k, 57.0 + 5 * len(text), 90.0 + 12 * k)
        span = Span(text, box, "Song", 10, False, False, False, 0, 88.0 + 12 * k)
        lines.append(Line(text, box, (span,), (1.0, 0.0), 0))
    found = paragraphs(make_rows(lines))
    assert [p.text() for p in found] == [line.text for line in lines]
    assert tells(found)


def test_a_mark_alone_is_no_empty_item(tmp_path: Path) -> None:
    doc = pymupdf.open()
    page = doc.new_page()
    for k, mark in enumerate("■□■"):
        put(page, 57, 80 + 30 * k, mark, font="china-s")
    parsed = parse_document(save(doc, tmp_path / "a.pdf"), options=ParseOptions(ocr="off", layout="fast"))
    assert [c for r in parsed.pages[0].regions for c in r.text if c.strip()] == ["■", "□", "■"]
