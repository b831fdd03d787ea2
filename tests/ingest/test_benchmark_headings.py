from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pdf_pages import LOREM, put, save, wrapped

from h3cold.ingest.benchmark_headings import heading_similarity, outlines

HEADS = {"1scope": 1, "1.1terms": 2, "1.2sources": 2, "2results": 1}


def test_the_same_headings_on_the_same_levels_are_alike() -> None:
    assert heading_similarity(HEADS, HEADS) == 1.0
    assert heading_similarity({k: v + 2 for k, v in HEADS.items()}, HEADS) == 1.0
    assert heading_similarity(HEADS, dict.fromkeys(HEADS, 1)) == 1.0  # a flat reference says nothing of levels


def test_levels_that_the_reference_tells_apart_count() -> None:
    flat = heading_similarity(dict.fromkeys(HEADS, 1), HEADS)
    turned = heading_similarity({k: 3 - v for k, v in HEADS.items()}, HEADS)
    assert flat == turned == 0.5
    assert heading_similarity({**HEADS, "1.2sources": 1}, HEADS) == 0.75


def test_missed_and_made_up_headings_count() -> None:
    assert heading_similarity({"1scope": 1}, HEADS) == pytest.approx(0.4)
    assert heading_similarity({**HEADS, "pressrelease": 1, "zzz": 1}, HEADS) == pytest.approx(0.8)
    assert heading_similarity({"scopechapter1": 1}, {"chapter1scope": 1}) == 0.0
    assert heading_similarity({"1.openingbalances": 1}, {"openingbalances": 1}) == 1.0
    assert heading_similarity({}, {}) == 1.0


_LEVELS = st.dictionaries(st.text("abcdef", min_size=3, max_size=8), st.integers(1, 4), max_size=7)


@given(_LEVELS, _LEVELS)
def test_it_is_a_share(ours: dict[str, int], theirs: dict[str, int]) -> None:
    assert 0 <= heading_similarity(ours, theirs) <= 1
    assert heading_similarity(ours, ours) == 1.0


def test_outlines_are_hidden_from_the_parser(tmp_path: Path) -> None:
    folder = tmp_path / "docling"
    folder.mkdir()
    doc = pymupdf.open()
    page = doc.new_page()
    y = put(page, 60, 60, "A book of names", size=24, font="hebo") + 20
    names = ("Alpha", "Beta terms", "Gamma terms", "Delta", "Epsilon terms")
    for n, name in enumerate(names):
        small = "terms" in name
        y = put(page, 60, y, f"{n + 1} {name}" if small else name, size=13 if small else 18, font="hebo") + 6
        y = put(page, 60, y, wrapped(LOREM, 85)) + 16
    put(page, 60, y, wrapped(LOREM, 85))
    doc.set_toc([[2 if "terms" in name else 1, name, 1] for name in (*names, "Only a bookmark")])
    save(doc, folder / "a.pdf")
    found = outlines(tmp_path)
    assert (found["documents"], found["entries"], found["levels"]) == (1, 6, 1.0)
    assert found["found"] == pytest.approx(5 / 6)
