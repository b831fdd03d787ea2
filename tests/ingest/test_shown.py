"""Text and pictures of a page from one reading, and from two where a picture stands within a line."""

from __future__ import annotations

import pymupdf
import pytest

from h3cold.ingest.page_facts import TEXT_FLAGS
from h3cold.ingest.shown import read_shown

PICTURE = (72.0, 300.0, 172.0, 350.0)


def page_of(order: str) -> pymupdf.Page:
    page = pymupdf.open().new_page()
    for place, what in enumerate(order):
        if what == "P":
            page.insert_image(PICTURE, pixmap=pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 20, 10), False))
        else:
            page.insert_text((72, 100 + 20 * place), f"line {place} of the text")
    return page


@pytest.mark.parametrize(("order", "readings"), [("PTT", 1), ("TTPP", 1), ("PTTP", 1), ("P", 1), ("TPT", 1), ("TT", 1)])
def test_text_is_what_it_is_without_pictures(order: str, readings: int, monkeypatch) -> None:
    page = page_of(order)
    alone = page.get_textpage(flags=TEXT_FLAGS)
    calls = []
    plain = pymupdf.Page.get_textpage
    monkeypatch.setattr(pymupdf.Page, "get_textpage", lambda *a, **k: calls.append(k) or plain(*a, **k))
    shown = read_shown(page, TEXT_FLAGS)
    assert len(calls) == readings
    assert shown.pictures == [pytest.approx(PICTURE)] * order.count("P")
    assert lines_of(shown.textpage) == lines_of(alone)
    assert [w[:5] for w in shown.textpage.extractWORDS()] == [w[:5] for w in alone.extractWORDS()]


def lines_of(textpage: pymupdf.TextPage) -> list[object]:
    return [block["lines"] for block in textpage.extractDICT()["blocks"]]
