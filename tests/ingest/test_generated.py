"""The documents that are set for measuring hold what their truth says, and are read as they were set."""

from __future__ import annotations

import re

import pymupdf
import pytest

from h3cold.ingest.generated.scans import scanned
from h3cold.ingest.generated.score import figure, score
from h3cold.ingest.generated.varied import PLANS, build
from h3cold.ingest.parse import ParseOptions, parse_document
from h3cold.ingest.scores import Tally


def squeezed(text):
    return re.sub(r"[\s\u00a0]+", "", text)


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)
def test_regions_stand_where_the_truth_says_and_nothing_else_does(plan):
    data, document = build(plan)
    with pymupdf.open(stream=data) as pdf:
        assert pdf.page_count == len(document.pages)
        for page in document.pages:
            for region in page.regions:
                x0, y0, x1, y1 = region.bbox
                found = squeezed(pdf[page.number - 1].get_text(clip=pymupdf.Rect(x0 - 4, y0 - 4, x1 + 4, y1 + 4)))
                for word in region.words.split():
                    assert squeezed(word) in found, (page.number, word)
            printed = sorted(squeezed(pdf[page.number - 1].get_text()))
            assert printed == sorted("".join(squeezed(r.words) for r in page.regions)), page.number


def test_bytes_are_the_same_on_every_run():
    assert build(PLANS[4])[0] == build(PLANS[4])[0]


def test_a_scan_has_no_text_and_is_the_same_on_every_run(tmp_path):
    data = build(PLANS[0])[0]
    scan = scanned(data, title="x", dpi=50, skew=0.5, seed=1)
    assert scan == scanned(data, title="x", dpi=50, skew=0.5, seed=1)
    path = tmp_path / "scan.pdf"
    path.write_bytes(scan)
    parsed = parse_document(path, options=ParseOptions(ocr="off", layout="fast"))
    assert not any(page.regions for page in parsed.pages)


@pytest.mark.parametrize("plan", [PLANS[0], PLANS[1], PLANS[3], PLANS[5], PLANS[9]], ids=lambda plan: plan.name)
def test_they_are_read_as_they_were_set(plan, tmp_path):
    data, document = build(plan)
    path = tmp_path / document.file
    path.write_bytes(data)
    parsed = parse_document(path, options=ParseOptions(ocr="off", layout="fast"))
    tallies: dict[str, Tally] = score(document, parsed)[0]
    assert figure("order", tallies["order"]) > 0.98
    assert figure("heads", tallies["heads"]) > 0.97
    assert figure("run", tallies["run"]) > 0.98
    assert figure("teds", tallies["teds"]) > 0.95
