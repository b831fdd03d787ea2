"""Financial statements without ruled cells, drawn in several layouts, with the grid that a reader sees in them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import pymupdf
from table_pages import new_page, put

GREY = (0.93, 0.93, 0.93)


@dataclass(frozen=True, slots=True)
class Layout:
    """How a statement is set: `left` and `step` are the labels' margin and the width of a value column in points.

    `levels` are headings over the value columns from one to another, `signs` where "$" stands apart from its
    figure, `stripes` every other row shaded cell by cell, `blank` empty height before sections in points, `marked`
    what stands for none.
    """

    left: float = 72.0
    edge: float = 540.0
    step: float = 80.0
    pitch: float = 12.0
    size: float = 9.0
    levels: tuple[tuple[str, int, int], ...] = ()
    signs: bool = False
    stripes: bool = False
    rules: bool = False
    blank: float = 0.0
    marked: str = "-"
    font: str = "helv"
    bold: str = "hebo"
    close: bool = False


Row = tuple[int, str, tuple[str, ...]]
"""Indent, label, figures (none for a section's heading)."""


def draw_statement(
    layout: Layout, title: tuple[str, ...], head: tuple[str, ...], rows: list[Row]
) -> tuple[pymupdf.Page, list[list[str]]]:
    """A page with one statement, and the rows of its table as a reader has them, header first."""
    page = new_page()
    wide = len(head) - 1
    edges = [layout.edge - (wide - 1 - k) * layout.step for k in range(wide)]
    y = 96.0
    for text in title:
        put(page, 306 - pymupdf.get_text_length(text, layout.bold, 11) / 2, y, text, font=layout.bold, size=11)
        y += 14
    y += 12
    truth: list[list[str]] = []
    # a heading without one above it spans both rows
    under = {k + 1 for _, first, last in layout.levels for k in range(first, last + 1)}
    above = ["" if k in under else text for k, text in enumerate(head)]
    for text, first, last in layout.levels:
        start, end = edges[first] - layout.step + 14, edges[last]
        font = "hebo" if text.isascii() else layout.bold
        half = pymupdf.get_text_length(text, font, layout.size) / 2
        put(page, (start + end) / 2 - half, y, text, font=font, size=layout.size)
        page.draw_line((start, y + 3), (end, y + 3), width=0.5)
        above[first + 1 : last + 2] = [text, *[""] * (last - first)]
    if layout.levels:
        truth.append(above)
        y += layout.pitch + 1
    put(page, layout.left, y, head[0], font=layout.bold, size=layout.size)
    for x, text in zip(edges, head[1:], strict=True):
        put(page, x, y, text, right=True, font="hebo" if text.isascii() else layout.bold, size=layout.size)
        if layout.rules or layout.stripes:
            page.draw_line((x - layout.step + 14, y + 3), (x, y + 3), width=0.7)
    truth.append([text if k in under or not layout.levels else "" for k, text in enumerate(head)])
    for n, (indent, label, figures) in enumerate(rows):
        if not figures and n:
            y += layout.blank
        y += layout.pitch
        if layout.stripes and n % 2 == 0:
            _stripe(page, layout, edges, y)
        total = label.startswith(("Total", "合计")) or label.endswith(("合计", "总计"))
        font = layout.bold if total or not figures else layout.font
        put(page, layout.left + 10 * indent, y, label, font=font, size=layout.size)
        shown = []
        font = "hebo" if font == layout.bold else "helv"  # of the figures: the Chinese font sets digits far apart
        for x, figure in zip(edges, figures, strict=False):
            text = figure or layout.marked
            sign = layout.signs and (n in (1, len(rows) - 1)) and text[:1].isdigit()
            if sign:
                put(page, x - layout.step + 18, y, "$", font=font, size=layout.size)
            # closing brackets hang over the edge, as they do where figures are aligned at their last digit
            hang = pymupdf.get_text_length(")", font, layout.size) if text.endswith(")") and not layout.close else 0
            put(page, x + hang, y, text, right=True, font=font, size=layout.size)
            shown.append(f"$ {text}" if sign else text)
            if total and layout.rules:
                page.draw_line((x - layout.step + 14, y - layout.pitch + 3), (x, y - layout.pitch + 3), width=0.5)
        truth.append([label, *shown, *[""] * (wide - len(shown))])
    return page, truth


def _stripe(page: pymupdf.Page, layout: Layout, edges: list[float], y: float) -> None:
    """Shading in one piece a cell, with the small columns between them that a browser lays out."""
    cuts = [layout.left]
    for x in edges:
        cuts += [x - layout.step + 8, x - layout.step + 14, x, x + 4]
    for a, b in itertools.pairwise(cuts):
        if b > a:
            page.draw_rect((a, y - layout.pitch + 3, b, y + 3), color=None, fill=GREY, overlay=False)


BALANCE: list[Row] = [
    (0, "Current assets", ()),
    (1, "Cash and cash equivalents", ("3,836", "2,998")),
    (1, "Accounts receivable, net", ("6,692", "6,276")),
    (1, "Inventories", ("6,392", "5,817")),
    (1, "Refundable income taxes", ("681", "")),
    (0, "Total current assets", ("17,601", "15,091")),
    (0, "Property and equipment, net", ("22,274", "24,573")),
    (0, "Intangible assets", ()),
    (1, "Goodwill", ("12,824", "12,824")),
    (1, "Other", ("152", "344")),
    (0, "Total assets", ("52,851", "52,832")),
    (0, "Liabilities and equity", ()),
    (0, "Current liabilities", ()),
    (1, "Accounts payable", ("5,282", "4,570")),
    (1, "Accrued expenses", ("4,087", "2,777")),
    (0, "Total current liabilities", ("9,369", "7,347")),
    (0, "Treasury stock, at cost", ("(12,601)", "(12,970)")),
    (0, "Retained earnings", ("56,083", "58,455")),
    (0, "Total liabilities and equity", ("52,851", "52,832")),
]

CHINESE: list[Row] = [
    (0, "流动资产：", ()),
    (1, "货币资金", ("12,345,678.90", "10,234,567.80")),
    (1, "交易性金融资产", ("", "500,000.00")),
    (1, "应收账款", ("8,765,432.10", "7,654,321.00")),
    (1, "存货", ("4,567,890.12", "3,456,789.01")),
    (0, "流动资产合计", ("25,679,001.12", "21,845,677.81")),
    (0, "非流动资产：", ()),
    (1, "长期股权投资", ("1,000,000.00", "1,000,000.00")),
    (1, "固定资产", ("9,876,543.21", "9,123,456.78")),
    (1, "递延所得税资产", ("123,456.78", "")),
    (0, "非流动资产合计", ("10,999,999.99", "10,123,456.78")),
    (0, "资产总计", ("36,679,001.11", "31,969,134.59")),
]
