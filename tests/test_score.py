"""The parser reads the born-digital examples as they were set."""

from __future__ import annotations

from dataclasses import replace

import pytest
from score import score

from h3cold.ingest.parse import ParseOptions, parse_document
from h3cold.ingest.scores import Tally

LEAST = {"order": 0.98, "heads": 0.97, "levels": 0.97, "run": 0.98, "kinds": 0.95, "teds": 0.9}


def test_examples_are_read_as_they_were_set(examples):
    totals = {"en": dict.fromkeys(LEAST, Tally()), "zh": dict.fromkeys(LEAST, Tally())}
    for document in examples.truth.readable:
        if not document.scanned:
            parsed = parse_document(examples.folder / document.file, options=ParseOptions(ocr="off", layout="fast"))
            found, _ = score(document, parsed)
            for name, total in totals[document.language].items():
                totals[document.language][name] = total.plus(found[name])
    for language, total in totals.items():
        for name, least in LEAST.items():
            value = total[name].f1 if name in ("heads", "run") else total[name].recall
            assert value >= least, (language, name, value)


@pytest.mark.parametrize("name", ["order", "heads", "run", "kinds"])
def test_a_page_that_was_lost_costs_score(examples, name):
    document = examples.truth.document("drift_compensated_flow_paper.pdf")
    parsed = parse_document(examples.folder / document.file, options=ParseOptions(ocr="off", layout="fast"))
    bare = replace(parsed, pages=tuple(replace(page, regions=()) for page in parsed.pages))
    found, misses = score(document, bare)
    assert (found[name].f1 if name in ("heads", "run") else found[name].recall) < 0.1
    assert misses
