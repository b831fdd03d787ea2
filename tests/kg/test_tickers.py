"""Stock symbols on covers, in brackets and in tables of listed securities."""

from h3cold.kg.extract import extract
from h3cold.kg.linking import link
from h3cold.kg.spans import Span
from h3cold.kg.tickers import find_tickers
from h3cold.schemas.block import Block
from h3cold.schemas.document import DocumentInfo
from h3cold.schemas.geometry import PageBox
from h3cold.schemas.page import Cell, Table


def block(text, *, table=None, position=0):
    box = PageBox(1, (0.0, 0.0, 10.0, 10.0), 0, len(text))
    return Block(f"d-{position}", "d", position, "table" if table else "passage", text, (), (box,), table=table)


def symbols(text, spans=(), table=None):
    return [
        (t.symbol, t.owner.text if t.owner else None) for t in find_tickers([(block(text, table=table), text, spans)])
    ]


def test_covers_say_the_symbol_of_their_own_company():
    assert symbols("The common stock trades under the symbol “QLLN” on Nasdaq.") == [("QLLN", None)]
    assert symbols("Ticker symbol: OSTR") == [("OSTR", None)]
    assert symbols("Common Stock, No Par Value LWAY Nasdaq Global Market") == [("LWAY", None)]
    assert symbols("股票代码：600841") == [("600841", None)]
    assert symbols("Trading symbol: None. A symbol of hope for the NASDAQ") == []


def test_a_bracket_after_a_name_is_of_that_name():
    text = "We bought shares of Halvorsen Marine (NYSE: HMAR) and saw (NASDAQ: LONE)."
    span = Span(20, 36, "ORG", text[20:36])
    assert symbols(text, [span]) == [("HMAR", "Halvorsen Marine")]


def test_a_table_of_listed_securities():
    rows = [("Title of each class", "Trading Symbol(s)"), ("Common stock", "T"), ("Notes due 2029", "T29A")]
    cells = tuple(
        Cell(r, c, text, (0.0, 0.0, 1.0, 1.0), header=r == 0)
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
    )
    text = "\n".join(" | ".join(row) for row in rows)
    assert symbols(text, table=Table(3, 2, cells)) == [("T", None)]


def test_the_symbol_is_another_name_of_the_company():
    text = "Quillon Software, Inc. makes billing software. Its trading symbol is QLLN."
    info = DocumentInfo(title="10-K", company="Quillon Software, Inc.", language="en")
    found = extract([block(text)], info=info)
    company = next(e for e in link(found.mentions, found.relations) if e.name.startswith("Quillon"))
    assert "QLLN" in company.aliases
