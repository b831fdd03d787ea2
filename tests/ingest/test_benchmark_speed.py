from __future__ import annotations

from pathlib import Path

import pymupdf

from h3cold.ingest.benchmark_speed import FEWEST, speed


def test_each_document_is_timed_against_its_own_pages(tmp_path: Path) -> None:
    (tmp_path / "uda").mkdir()
    for name, pages in (("long.pdf", FEWEST + 1), ("short.pdf", 1)):
        with pymupdf.open() as doc:
            for number in range(pages):
                doc.new_page().insert_text((72, 100), f"The words of page {number}")
            doc.save(tmp_path / "uda" / name, no_new_id=True)
    figures = speed(tmp_path)
    assert figures["pages"] == FEWEST + 2
    assert figures["long.pdf"] == figures["median_document"] == figures["worst_document"] > 1
    assert "short.pdf" not in figures, "one page is mostly the opening of its file"
    assert figures["parse_per_dict"] > figures["read_per_dict"] > 0
