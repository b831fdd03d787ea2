"""Small PDFs drawn for the tests of the parser."""

from __future__ import annotations

from pathlib import Path

import pymupdf

LOREM = (
    "The committee reviewed the quarterly figures and found that the margin had improved because the new plant "
    "reached its planned output earlier than expected while energy prices fell in most of the regions served."
)
ZH = "本办法适用于在境内从事流量计量器具的制造销售使用和检定活动的单位和个人以及对上述活动实施的监督管理工作"


def wrapped(text: str, width: int) -> list[str]:
    """`text` in lines of at most `width` characters."""
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [*lines, line]


def put(
    page: pymupdf.Page, x: float, y: float, lines: list[str] | str, *, size: float = 10, font: str = "helv"
) -> float:
    """Write lines 1.3 sizes apart, the first on baseline `y`; returns the next baseline."""
    for line in [lines] if isinstance(lines, str) else lines:
        page.insert_text((x, y), line, fontsize=size, fontname=font)
        y += 1.3 * size
    return y


def two_columns(doc: pymupdf.Document) -> pymupdf.Page:
    """A page with a title over two columns of three paragraphs each, marked L1..L3 and R1..R3."""
    page = doc.new_page(width=595, height=842)
    put(page, 60, 80, "A heading that reaches over both of the columns", size=18, font="hebo")
    for x, name in ((60, "L"), (310, "R")):
        y = 120.0
        for n in (1, 2, 3):
            y = put(page, x, y, wrapped(f"{name}{n} begins. {LOREM}", 44)) + 12
    return page


def save(doc: pymupdf.Document, path: Path) -> Path:
    doc.save(path, no_new_id=True)
    doc.close()
    return path
