"""The store's benchmark measures what it says, on small sizes."""

import pymupdf
import pytest

from h3cold.ingest.benchmark_store import run, scanning, store_size
from h3cold.ingest.made_filings import write_filings
from h3cold.schemas.errors import UsageError


def test_a_look_through_unchanged_files_is_measured_beside_listing_them(tmp_path):
    figures = scanning(tmp_path, files=40)
    assert figures["files"] == 40
    assert figures["scan/list_and_stat"] == pytest.approx(figures["scan_s"] / figures["list_and_stat_s"])


def test_size_is_that_of_all_files_of_the_store(example_store, examples):
    figures = store_size(example_store, examples.folder)
    total = sum(
        f.stat().st_size for d in ("tables", "index", "meta") for f in (example_store / d).rglob("*") if f.is_file()
    )
    pdfs = sum(f.stat().st_size for f in examples.folder.rglob("*.pdf"))
    assert figures["store/pdfs"] == pytest.approx(total / pdfs)
    assert figures["store/text"] * figures["text_bytes"] == pytest.approx(total)


def test_made_filings_differ_and_stay_the_same_for_the_same_number(tmp_path):
    first = write_filings(tmp_path / "a", 3, pages=2, paragraphs=2)
    again = write_filings(tmp_path / "b", 1, pages=2, paragraphs=2, first=2)
    texts = [["".join(page.get_text() for page in pymupdf.open(path))] for path in (*first, *again)]
    assert len(pymupdf.open(first[0])) == 2
    assert texts[2] == texts[3] and texts[0] != texts[1] != texts[2]


def test_an_unknown_set_names_the_known_ones(tmp_path):
    with pytest.raises(UsageError, match="scan, changed, workers, size, many, long, faults"):
        run(tmp_path, ["speed"])
