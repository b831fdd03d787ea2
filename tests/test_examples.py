"""The example PDFs hold what their truth says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pymupdf
import pytest

from h3cold.schemas.graph import RelationType
from h3cold.schemas.page import RegionKind

ROOT = Path(__file__).parent.parent


def squeezed(text):
    return re.sub(r"[\s ]+", "", text)


def test_every_region_stands_on_its_page_where_the_truth_says(examples):
    for document in examples.truth.readable:
        if document.scanned:
            continue
        with pymupdf.open(examples.folder / document.file) as pdf:
            assert pdf.page_count == len(document.pages)
            for page in document.pages:
                for region in page.regions:
                    if region.kind == "formula":
                        continue  # a fraction has no single line of text
                    x0, y0, x1, y1 = region.bbox
                    box = pymupdf.Rect(x0 - 4, y0 - 4, x1 + 4, y1 + 4)
                    found = squeezed(pdf[page.number - 1].get_text(clip=box))
                    for line in region.words.split("\n"):
                        for word in line.split():
                            assert squeezed(word) in found, (document.file, page.number, word)


def test_pages_hold_nothing_but_the_regions(examples):
    for document in examples.truth.readable:
        if document.scanned:
            continue
        with pymupdf.open(examples.folder / document.file) as pdf:
            for page in document.pages:
                printed = len(squeezed(pdf[page.number - 1].get_text()))
                told = sum(len(squeezed(r.words)) for r in page.regions)
                assert abs(printed - told) <= 12, (document.file, page.number)  # brackets added around fractions


def test_regions_do_not_overlap(examples):
    for document in examples.truth.documents:
        for page in document.pages:
            boxes = [pymupdf.Rect(r.bbox) for r in page.regions]
            for i, a in enumerate(boxes):
                assert a.x0 >= 0 and a.y0 >= 0 and a.x1 <= page.width and a.y1 <= page.height
                for b in boxes[i + 1 :]:
                    both = a & b
                    assert both.is_empty or both.height < 0.5, (document.file, page.number, a, b)


def test_bytes_are_the_same_on_every_run(examples, tmp_path):
    subprocess.run([sys.executable, ROOT / "examples" / "make.py", tmp_path], check=True, stdout=subprocess.DEVNULL)
    for document in examples.truth.documents:
        if document.password is None:
            assert (tmp_path / document.file).read_bytes() == (examples.folder / document.file).read_bytes()


def test_files_are_small(examples):
    assert sum(f.stat().st_size for f in examples.folder.iterdir()) < 2_000_000


def test_scans_are_pictures_only(examples):
    scans = [d for d in examples.truth.documents if d.scanned]
    assert {d.language for d in scans} == {"en", "zh"}
    for document in scans:
        with pymupdf.open(examples.folder / document.file) as pdf:
            for page in pdf:
                assert not page.get_text().strip()
                (image,) = page.get_image_info()
                assert image["width"] / (page.rect.width / 72) == pytest.approx(200, rel=0.02)


def test_the_encrypted_file_needs_its_password(examples):
    (document,) = [d for d in examples.truth.documents if d.password]
    with pymupdf.open(examples.folder / document.file) as pdf:
        assert pdf.needs_pass
        assert not pdf.authenticate("wrong")
        assert pdf.authenticate(document.password)
        assert "RMB 186.4 million" in pdf[0].get_text()


def test_the_truncated_file_has_lost_pages(examples):
    (document,) = [d for d in examples.truth.documents if d.broken]
    with pymupdf.open(examples.folder / document.file) as pdf:
        assert pdf.is_repaired
        assert sum(bool(page.get_text().strip()) for page in pdf) < len(document.pages)


def test_kinds_and_relation_types_are_the_schemas_own(examples):
    kinds = {r.kind for d in examples.truth.documents for p in d.pages for r in p.regions}
    assert kinds == set(RegionKind.__args__)
    assert {f.type for f in examples.truth.facts} <= set(RelationType.__args__)


def test_questions_ask_every_intent_in_both_languages_and_across_them(examples):
    truth = examples.truth
    assert {(q.language, q.intent) for q in truth.questions} == {
        (language, intent) for language in ("en", "zh") for intent in ("text", "structure", "relation")
    }
    across = [q for q in truth.questions if all(truth.document(a.file).language != q.language for a in q.answers)]
    assert {q.language for q in across} == {"en", "zh"}


def test_a_tables_grid_is_whole_and_goes_on_over_pages(examples):
    going_on = 0
    for document in examples.truth.documents:
        for page in document.pages:
            for region in page.regions:
                if region.table is None:
                    continue
                assert len({len(row) for row in region.table.rows}) == 1
                going_on += region.continues
                for row, col, rowspan, colspan in region.table.spans:
                    covered = [
                        region.table.rows[row + i][col + j] for i in range(rowspan) for j in range(colspan) if i or j
                    ]
                    assert not any(covered)
    assert going_on >= 2


def test_statements_add_up(examples):
    def values(words, label):
        (row,) = [r for t in words for r in t.table.rows if r[0] == label]
        return [float(c.strip("$ ()").replace(",", "").replace("—", "0")) for c in row[-2:]]

    english = examples.truth.document("larkspur_annual_report_2023.pdf")
    tables = [r for p in english.pages[7:8] for r in p.regions if r.table]
    for i in range(2):
        total = values(tables, "Total liabilities")[i] + values(tables, "Total equity")[i]
        assert total == pytest.approx(values(tables, "Total assets")[i])


def test_help_writes_nothing(tmp_path):
    command = [sys.executable, ROOT / "examples" / "make.py", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0 and "usage: python examples/make.py" in done.stdout and not list(tmp_path.iterdir())


def test_usage(tmp_path):
    done = subprocess.run([sys.executable, ROOT / "examples" / "make.py"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "usage" in done.stderr
