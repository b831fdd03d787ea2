"""Stock symbols: which company goes by which, from covers, brackets after a name, and tables of listed securities."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from h3cold.kg.spans import Span
from h3cold.schemas.block import Block

COVER_BLOCKS = 60
"""Blocks from a document's start in which a symbol said without a name is the document's own company's."""

_EXCHANGE = (
    r"(?:NYSE(?: (?:American|MKT|Arca))?|N(?:ASDAQ|asdaq)(?:-?G[SM]|CM)?|AMEX|OTC(?:QB|QX|BB)?|TSX(?:-?V)?|LSE|AIM|ASX"
    r"|HKEX|SEHK|HK|SGX|TSE|SSE|SZSE|SH|SZ|BSE|NSE|上交所|深交所|港交所|沪市|深市)"
)
_SYMBOL = r"(?:[A-Z]{2,5}(?:[.-][A-Z]{1,2})?|\d{4,6}(?:\.[A-Z]{2})?)"
_BRACKET = re.compile(
    rf"[(（]\s?{_EXCHANGE}\s?[:：]\s?({_SYMBOL})\s?[)）]|[(（](\d{{6}}\.(?:SH|SZ|SS|BJ)|\d{{4,5}}\.HK)[)）]"
    r"|[(（][^()（）\n]{0,24}?(?:股票|证券|股份|A股|H股)代[码號号]\s?[:：]?\s?(\d{4,6}(?:\.[A-Z]{2})?)(?![\d.])[^()（）\n]{0,24}[)）]"
)
_SAID = re.compile(
    r"(?:(?i:trading|ticker|stock)\s(?i:symbols?)|(?i:under\sthe\ssymbols?)|(?i:symbols?):)(?:\s(?:is|was|of)|\s?[:：])?"
    r"\s?[“\"‘']?([A-Z]{2,5}(?:\.[A-Z])?)\b"
    r"|(?:[Cc]ommon\s[Ss]tock|[Ss]hares)\b[^\n]{0,60}?\s([A-Z]{2,5})\s(?:[Tt]he\s)?(?:N(?:asdaq|ASDAQ)|New\sYork\sStock|NYSE)"
    r"|(?:股票|证券|股份|A股|H股)代[码號号][:：]?\s?(\d{4,6})(?!\d)"
)
_HEADER = re.compile(r"(?:trading|ticker|stock) symbols?(?:\(s\))?$|^(?:股票|证券)代码$", re.IGNORECASE)
_WHOLE = re.compile(rf"{_SYMBOL}|[A-Z]")
_NONE = frozenset({"NYSE", "NASDAQ", "NONE", "NA", "OTC", "AMEX", "THE", "INC", "AND", "USA", "LLC"})


class Ticker(NamedTuple):
    """A symbol at `start` of a block's text; `owner` is the name it follows, None for the document's own company."""

    block: Block
    start: int
    symbol: str
    owner: Span | None


def find_tickers(readings: Sequence[tuple[Block, str, Sequence[Span]]]) -> Iterator[Ticker]:
    """Symbols of a document's (block, the text that was read for names, its spans), in order of place."""
    for number, (block, text, spans) in enumerate(readings):
        owned: list[tuple[int, int]] = []
        for match in _BRACKET.finditer(text):
            owner = next((s for s in reversed(spans) if s.type == "ORG" and 0 <= match.start() - s.end <= 1), None)
            if owner is not None:
                owned.append(match.span())
                yield Ticker(block, match.start(match.lastindex or 1), match.group(match.lastindex or 1), owner)
        if number < COVER_BLOCKS:
            for match in _SAID.finditer(block.text):
                symbol = match.group(match.lastindex or 1)
                inside = any(a <= match.start() < b for a, b in owned)
                if symbol not in _NONE and not inside:
                    yield Ticker(block, match.start(match.lastindex or 1), symbol, None)
            for symbol in _listed(block):
                yield Ticker(block, max(block.text.find(symbol), 0), symbol, None)


def _listed(block: Block) -> Iterator[str]:
    """Symbols under or beside a cell that says "Trading symbol"; one letter is enough where a table says so."""
    cells = block.table.cells if block.table is not None else ()
    for head in (c for c in cells if _HEADER.search(" ".join(c.text.split()))):
        for cell in cells:
            below = cell.col == head.col and cell.row > head.row
            beside = cell.row == head.row and cell.col == head.col + 1
            text = cell.text.strip()
            if (below or beside) and text not in _NONE and _WHOLE.fullmatch(text):
                yield text
