from __future__ import annotations

import json
from pathlib import Path

import pymupdf
import pytest

from h3cold.ingest.benchmark_peers import EACH, _sampled_pages
from h3cold.ingest.benchmark_routes import FIRST, routes


def book(path: Path, pages: int, *, rotate: int = 0, table: bool = False) -> None:
    path.parent.mkdir(exist_ok=True, parents=True)
    with pymupdf.open() as doc:
        for number in range(pages):
            page = doc.new_page()
            page.insert_text((72, 100), f"The words of page {number}")
            for row in range(4 if table else 0):
                for col in range(3):
                    box = pymupdf.Rect(72 + 100 * col, 200 + 20 * row, 172 + 100 * col, 220 + 20 * row)
                    page.draw_rect(box)
                    page.insert_text((box.x0 + 4, box.y1 - 6), f"{row * col},000")
            page.set_rotation(rotate)
        doc.save(path, no_new_id=True)


def test_pages_are_counted_by_what_they_need(tmp_path: Path) -> None:
    book(tmp_path / "docling" / "long.pdf", FIRST + 3)
    book(tmp_path / "docling" / "turned.pdf", 2, rotate=90)
    book(tmp_path / "pdfplumber" / "table.pdf", 1, table=True)
    (tmp_path / "pdfplumber" / "broken.pdf").write_bytes(b"%PDF-1.4 nothing else")
    figures = routes(tmp_path)
    counts = {name: n for name, n in figures.items() if name.endswith("_pages")}
    assert counts == {"text_pages": FIRST + 3, "sideways_pages": 2, "turned_pages": 2, "tables_pages": 1}
    assert all(figures[name.replace("_pages", "_per_second")] > 0 for name in counts)


@pytest.mark.parametrize("pages", [1, EACH, EACH + 1])
def test_every_sixteenth_page_is_timed(tmp_path: Path, pages: int) -> None:
    book(tmp_path / "uda" / "a.pdf", pages)
    made = _sampled_pages(tmp_path, tmp_path)
    assert len(made.files) == 1
    assert json.dumps(made.score(dict.fromkeys(made.files))) == json.dumps({"pages": 1 + (pages > EACH)})
