"""Lone surrogates never reach the store."""

from h3cold.ingest.clean import clean, clean_info, clean_page
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.page import Cell, Page, Region, Table


def test_lone_surrogates_become_the_replacement_character_and_the_rest_stays():
    assert clean("plain") == "plain"
    assert clean("报告🎉") == "报告🎉"
    assert clean("a\ud800b") == "a\ufffdb"
    assert clean("\udc00\ud83c\udf89") == "\ufffd🎉"


def test_every_text_of_a_page_and_of_its_facts_is_cleaned():
    table = Table(1, 1, (Cell(0, 0, "x\ud800", (0, 0, 1, 1)),))
    regions = (Region("text", (0, 0, 1, 1), "ok", 0), Region("table", (0, 0, 1, 1), "t\udfff", 1, table=table))
    page = clean_page(Page(1, 9, 9, 0, "text", "geometry", regions))
    texts = [r.text for r in page.regions] + [c.text for c in page.regions[1].table.cells]
    assert texts == ["ok", "t\ufffd", "x\ufffd"]
    info = clean_info(DocumentInfo(title="\ud800", authors=("李\ud801",)))
    assert (info.title, info.authors) == ("\ufffd", ("李\ufffd",))
